"""Edits are offered only after they were tried: applied in memory, parsed and linted again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from infx_lint.change import ChangedFile, ChangeSet, TreeEntry
from infx_lint.documents.text_file import TextFile, parse_text
from infx_lint.finding import Edit, Fix, Severity
from infx_lint.paths import RepoPath
from infx_lint.report import Reported
from infx_lint.scope import Comparison

Relint = Callable[[Comparison], Mapping[str, Severity]]


class OverlappingEditsError(Exception):
    """Two edits of one text want the same characters."""


def apply_edits(text: TextFile, edits: Iterable[Edit]) -> str:
    """Return a text with edits applied to it.

    Raises:
        OverlappingEditsError: two of them touch the same characters.
    """
    result, end = text.text, len(text.text) + 1
    placed = [
        (
            text.offset(edit.span.line, edit.span.column),
            text.offset(edit.span.end_line, edit.span.end_column),
            edit.text,
        )
        for edit in edits
    ]
    for start, stop, new in sorted(placed, reverse=True):
        if stop > end:
            raise OverlappingEditsError(f"offset {stop}")
        result = result[:start] + new + result[stop:]
        end = start
    return result


def keep_working_fixes(
    findings: Sequence[Reported], comparison: Comparison, relint: Relint
) -> tuple[Reported, ...]:
    """Take away each fix that does not make its own finding go, or that brings another one.

    All fixes of a file are tried together first, since they nearly always hold.

    Args:
        findings: what a run found.
        comparison: what it looked at.
        relint: returns the fingerprints that a run over a changed comparison finds, with levels.
    """
    by_path: dict[RepoPath, list[Reported]] = defaultdict(list)
    for item in findings:
        if item.finding.fix:
            by_path[item.finding.location.path].append(item)
    before = {item.fingerprint for item in findings}
    broken: set[str] = set()
    for path, items in by_path.items():
        if not _hold(items, path, comparison, relint, before):
            broken |= {
                item.fingerprint
                for item in items
                if len(items) == 1 or not _hold([item], path, comparison, relint, before)
            }
    return tuple(
        item._replace(finding=item.finding._replace(fix=None))
        if item.fingerprint in broken
        else item
        for item in findings
    )


def _hold(
    items: Sequence[Reported],
    path: RepoPath,
    comparison: Comparison,
    relint: Relint,
    before: set[str],
) -> bool:
    """Tell whether fixes of one file work together.

    A new notice is fine: the number of a link may not be known yet.
    """
    text = comparison.head.parse(path, parse_text)
    fixes = [item.finding.fix for item in items if item.finding.fix]
    if not isinstance(text, TextFile) or any(_leaves(fix, path) for fix in fixes):
        return False
    try:
        mended = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
    except OverlappingEditsError:
        return False
    after = relint(_with_text(comparison, path, mended))
    gone = {item.fingerprint for item in items}
    return not any(
        name in gone or (name not in before and level is not Severity.NOTICE)
        for name, level in after.items()
    )


def _leaves(fix: Fix, path: RepoPath) -> bool:
    return any(edit.path != path for edit in fix.edits)


def _with_text(comparison: Comparison, path: RepoPath, text: str) -> Comparison:
    """Return the comparison with another text in one file of the head, and only that file in it."""
    change = comparison.change
    files = tuple(
        ChangedFile(file.base, TreeEntry(path, file.head.mode, None))
        for file in change.files
        if file.head and file.head.path == path
    )
    head = comparison.head.with_content({path: text.encode()})
    return Comparison(ChangeSet(change.base, change.head, files), comparison.base, head)
