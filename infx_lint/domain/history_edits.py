"""What a change did to older text of the changelog, whose bytes are sacred.

Entries are compared as exact text, so that a line that was moved, a blank that was dropped and a
line end that was converted all show.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from infx_lint.documents.text_file import TextFile
from infx_lint.domain.changelog import Changelog, ChangelogEntry
from infx_lint.domain.changelog_alignment import Match, without_link
from infx_lint.domain.pull_request_link import LinkKind, read_link
from infx_lint.finding import Span


class EditKind(StrEnum):
    """How history was touched."""

    REWRITTEN = "rewritten"
    REMOVED = "removed"
    MOVED = "moved"
    SPACING = "spacing"
    TOP = "top"
    LINE_ENDS = "line ends"
    LINK = "link"


class HistoryEdit(NamedTuple):
    """One region of older text that differs. Spans are of whole lines that differ.

    Attributes:
        entries: the older entries concerned, as of the base.
        base_span: where the old text stands at the base.
        head_span: where the new text, or the gap that is left, stands at the head.
        separators: for spacing, everything below the first entry at the base and at the head.
    """

    kind: EditKind
    entries: tuple[ChangelogEntry, ...]
    base_span: Span
    head_span: Span
    separators: tuple[str, str] | None = None


def find_edits(
    base: Changelog, head: Changelog, matches: tuple[Match, ...], repositories: tuple[str, ...]
) -> tuple[HistoryEdit, ...]:
    """Return the regions of older text that differ, neighbouring ones of one kind as one.

    Args:
        base: the changelog before.
        head: the changelog after.
        matches: which entry is which.
        repositories: the names of the linted repository, to tell what a canonical link is.
    """
    if head.text.text.startswith(base.text.text):
        return _additions_without_entry(base, head, matches)
    edits = [
        *_entry_edits(base.text, head.text, matches, repositories),
        *_spacing_edits(base, head, matches),
    ]
    return tuple(_merge(edits))


def _additions_without_entry(
    base: Changelog, head: Changelog, matches: tuple[Match, ...]
) -> tuple[HistoryEdit, ...]:
    """Return what was put below the last entry where no entry was added."""
    added = head.text.text[len(base.text.text) :]
    old, new = (matches[-1].old, matches[-1].new) if matches else (None, None)
    # A final line feed that was missing may come.
    ended = added == "\n" and not base.text.text.endswith("\n")
    if old is None or new is None or not added or ended:
        return ()
    return (_spacing_edit(base.text, head.text, old, new),)


def _entry_edits(
    base: TextFile, head: TextFile, matches: tuple[Match, ...], repositories: tuple[str, ...]
) -> Iterator[HistoryEdit]:
    below = len(head.text)
    for match in reversed(matches):
        old, new = match.old, match.new
        below = new.start if new else below
        if old is None:
            continue
        if new is None:
            gap = _existing_line(head, below)
            yield HistoryEdit(EditKind.REMOVED, (old,), old.whole_span, gap)
        elif match.moved:
            yield HistoryEdit(EditKind.MOVED, (old,), old.whole_span, new.whole_span)
        elif old.content != new.content:
            places = _differing_lines(old.content, new.content)
            spans = _lines(base, old, places[0]), _lines(head, new, places[1])
            yield HistoryEdit(_kind_of_rewrite(old, new, repositories), (old,), *spans)


def _existing_line(text: TextFile, offset: int) -> Span:
    """Return the start of the line at an offset, of the last line where it is past the end."""
    line = min(text.line_of(offset), max(1, text.line_count))
    return Span(line, 1, line, 1)


def _kind_of_rewrite(
    old: ChangelogEntry, new: ChangelogEntry, repositories: tuple[str, ...]
) -> EditKind:
    if old.content.replace("\r", "") == new.content.replace("\r", ""):
        return EditKind.LINE_ENDS
    node = new.link_node
    canonical = node and read_link(node.value, repositories).kind is LinkKind.CANONICAL
    same = without_link(old) == without_link(new)
    return EditKind.LINK if canonical and same else EditKind.REWRITTEN


def _spacing_edits(
    base: Changelog, head: Changelog, matches: tuple[Match, ...]
) -> Iterator[HistoryEdit]:
    """Yield changes between older entries that are still neighbours, and around all of them."""
    kept = [(match.old, match.new) for match in matches if match.old and match.new]
    if not kept:
        return
    (first_old, first_new), (last_old, last_new) = kept[0], kept[-1]
    if first_old is base.entries[0] and first_new is head.entries[0]:
        before = base.text.text[: first_old.start]
        if before != head.text.text[: first_new.start]:
            top = Span(1, 1, 1, 1)
            yield HistoryEdit(EditKind.TOP, (first_old,), top, top)
    for (old, new), (next_old, next_new) in pairwise(kept):
        neighbours = old.end == next_old.start and new.end == next_new.start
        # Where the entry itself was rewritten, that finding speaks for what is below it too.
        if neighbours and old.content == new.content and old.separator != new.separator:
            yield _spacing_edit(base.text, head.text, old, new)
    if last_old is base.entries[-1]:
        grows = last_new is not head.entries[-1] or not last_old.separator
        now, then = last_new.separator, last_old.separator
        if not (now.startswith(then) if grows else now == then):
            yield _spacing_edit(base.text, head.text, last_old, last_new)


def _spacing_edit(
    base: TextFile, head: TextFile, old: ChangelogEntry, new: ChangelogEntry
) -> HistoryEdit:
    """Point at the first line below an entry that differs."""
    same = _common_length(old.separator, new.separator)
    same = old.separator.rfind("\n", 0, same) + 1
    places = [
        text.line_span(_existing_line(text, entry.content_end + same).line)
        for text, entry in ((base, old), (head, new))
    ]
    separators = (old.separator, new.separator)
    return HistoryEdit(EditKind.SPACING, (old,), places[0], places[1], separators)


def _common_length(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _differing_lines(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first and last line, from 0, on which two texts differ, for each of them."""
    both = old.split("\n"), new.split("\n")
    shortest = min(map(len, both))
    first = 0
    while first < shortest and both[0][first] == both[1][first]:
        first += 1
    last = 0
    while last < shortest - first and both[0][-1 - last] == both[1][-1 - last]:
        last += 1
    one, other = (
        (min(first, len(lines) - 1), min(max(first, len(lines) - 1 - last), len(lines) - 1))
        for lines in both
    )
    return one, other


def _lines(text: TextFile, entry: ChangelogEntry, lines: tuple[int, int]) -> Span:
    top = text.line_of(entry.start)
    return text.line_span(top + lines[0], top + lines[1])


def _merge(edits: list[HistoryEdit]) -> Iterator[HistoryEdit]:
    """Join edits of one kind whose entries follow each other at the base."""
    edits.sort(key=lambda edit: (edit.base_span, edit.head_span))
    current: HistoryEdit | None = None
    for edit in edits:
        if (
            current is not None
            and current.kind is edit.kind
            and current.entries[-1].end == edit.entries[0].start
        ):
            current = HistoryEdit(
                edit.kind,
                current.entries + edit.entries,
                _cover(current.base_span, edit.base_span),
                _cover(current.head_span, edit.head_span),
                current.separators,
            )
            continue
        if current is not None:
            yield current
        current = edit
    if current is not None:
        yield current


def _cover(one: Span, other: Span) -> Span:
    start = min((one.line, one.column), (other.line, other.column))
    end = max((one.end_line, one.end_column), (other.end_line, other.end_column))
    return Span(*start, *end)
