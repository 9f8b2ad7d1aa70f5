"""Older text of the changelog was changed.

## What it does

Compares `perf-changelog.yaml` with the merge base, byte by byte, blanks and line ends included,
and reports older entries that were rewritten, removed or moved, and spacing between them that was
changed: one finding for each of these. Two changes are fine: a correction that replaces only
`pr-link` by a canonical link (unless the same change adds entries), and an exact revert.

## Why

History is published, and the merge tool demands that the old bytes are a prefix of the new ones.
A blank that an editor strips from the last line is enough to stop a merge.

## Example

The last line of the file holds two blanks; the change replaces it by an empty line and appends
its entry.

## Remedy

Restore the old bytes (`git checkout <base> -- perf-changelog.yaml`) and append the new entry
again, with an editor that leaves other lines alone.

## Limits

A revert is exact where the rest of the change takes back, line for line, the commits that brought
the entries which are gone.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Proof, Severity, rule

SENTENCES = {
    "rewritten": "The text of {} was changed.",
    "removed": "Old text is gone: {}.",
    "moved": "Old text was moved: {}.",
    "top": "The text above {} was changed.",
    "spacing": "The blanks below {} were changed.",
    "line ends": "The line ends of {} were converted.",
    "link": "The link of {} was corrected in a change that adds entries; do that on its own.",
}

LABELS = {"removed": "it stood above this", "spacing": "blanks changed here"}


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each way in which history was touched."""
    if gone := change.deleted_changelog:
        yield Finding(
            message="The changelog is gone: deleted, renamed or no file any more. Restore it.",
            location=Location(gone.path, gone.text.line_span(1), change.base.tree.side),
            subject="file",
        )
    log = change.changelog
    if log is None or log.base is None or not log.edits or change.is_exact_revert:
        return
    for kind, edits in log.forbidden_edits.items():
        first, *others = edits
        count = sum(len(edit.entries) for edit in edits)
        entry = first.entries[0]
        whose = f"the older entry for {entry.name}" if count == 1 else f"{count} older entries"
        yield Finding(
            message=f"{SENTENCES[kind].format(whose)} Restore the old bytes and only append.",
            location=Location(log.head.path, first.head_span, label=LABELS.get(kind, kind)),
            subject=f"{kind}:{entry.subject}",
            related=(
                Location(log.base.path, first.base_span, change.base.tree.side, "as it was"),
                *(Location(log.head.path, edit.head_span, label="and here") for edit in others[:4]),
            ),
            proof=Proof(
                title="Old and new text, blanks made visible",
                columns=("side", "line", "text"),
                rows=log.compare_lines(first),
            ),
        )
