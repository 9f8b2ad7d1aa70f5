"""What a change did to the changelog: which entries it added and what of history it touched.

The file is append-only and its bytes are sacred. Entries are compared as exact text, so that a
line that was moved, a blank that was dropped and a line end that was converted all show.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from infx_lint.documents.text_file import TextFile
from infx_lint.domain.changelog import Changelog, ChangelogEntry
from infx_lint.domain.changelog_format import (
    FormatFault,
    find_byte_faults,
    make_visible,
    missing_line_feed,
    separator_fault,
)
from infx_lint.domain.pull_request_link import (
    NEWEST_NAME,
    LinkKind,
    PullRequestLink,
    canonical_link,
    read_link,
)
from infx_lint.finding import Span

_MOST_LINES = 5


class EditKind(StrEnum):
    """How history was touched."""

    REWRITTEN = "rewritten"
    REMOVED = "removed"
    MOVED = "moved"
    SPACING = "spacing"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class HistoryEdit:
    """One region of older text that differs. Spans are of whole lines that differ.

    Attributes:
        entries: the older entries concerned, as of the base.
        base_span: where the old text stands at the base.
        head_span: where the new text, or the gap that is left, stands at the head.
    """

    kind: EditKind
    entries: tuple[ChangelogEntry, ...]
    base_span: Span
    head_span: Span


@dataclass(frozen=True, slots=True)
class MisplacedRun:
    """Added entries, one after the other, that stand above an older entry."""

    entries: tuple[ChangelogEntry, ...]
    older: ChangelogEntry


@dataclass(frozen=True, slots=True)
class _Match:
    """An entry at both sides; without `old` it was added, without `new` removed."""

    old: ChangelogEntry | None
    new: ChangelogEntry | None
    moved: bool = False


@dataclass(frozen=True)
class ChangelogChange:
    """The changelog before and after. `base` is None where there was none to compare with."""

    base: Changelog | None
    head: Changelog
    _matches: tuple[_Match, ...]

    @cached_property
    def _kept(self) -> tuple[tuple[ChangelogEntry, ChangelogEntry], ...]:
        """Return the older entries that are still in their order, at both sides."""
        return tuple(
            (match.old, match.new)
            for match in self._matches
            if match.old is not None and match.new is not None and not match.moved
        )

    @cached_property
    def added(self) -> tuple[ChangelogEntry, ...]:
        """Return the entries that the change adds, wherever they stand, in order."""
        return tuple(
            match.new for match in self._matches if match.old is None and match.new is not None
        )

    @cached_property
    def repositories(self) -> tuple[str, ...]:
        """Return the names of the linted repository: what its changelog links to, and the newest.

        A change that renames them all has two.
        """
        sides = (self.base.repository if self.base else None, self.head.repository)
        return tuple(dict.fromkeys(name for name in (*sides, NEWEST_NAME) if name))

    @cached_property
    def misplaced(self) -> tuple[MisplacedRun, ...]:
        """Return the runs of added entries that are not at the end."""
        if self.base is None:
            return ()
        runs: list[MisplacedRun] = []
        pending: list[ChangelogEntry] = []
        for match in self._matches:
            if match.new is None or match.moved:
                continue
            if match.old is None:
                pending.append(match.new)
            elif pending:
                runs.append(MisplacedRun(tuple(pending), match.new))
                pending = []
        return tuple(runs)

    @cached_property
    def appended(self) -> tuple[ChangelogEntry, ...]:
        """Return the added entries below all older ones."""
        tail: list[ChangelogEntry] = []
        for match in reversed(self._matches):
            if match.new is not None and match.old is not None:
                break
            if match.new is not None:
                tail.append(match.new)
        return tuple(reversed(tail))

    @property
    def old_tail(self) -> str | None:
        """Return what followed the last older entry at the base; None if that entry is gone."""
        pair = self._last_older
        return pair[0].separator if pair else None

    @property
    def new_tail(self) -> str | None:
        """Return what follows the same entry at the head."""
        pair = self._last_older
        return pair[1].separator if pair else None

    @cached_property
    def _last_older(self) -> tuple[ChangelogEntry, ChangelogEntry] | None:
        if self.base is None or not self.base.entries:
            return None
        last = self._kept[-1] if self._kept else None
        return last if last and last[0] is self.base.entries[-1] else None

    def canonical_link(self, number: int | None) -> str:
        """Return the link to a pull request; the tolerated placeholder where it is unknown."""
        return canonical_link(self.repositories[0], number or "XXX")

    def link(self, entry: ChangelogEntry) -> PullRequestLink | None:
        """Read the link of an entry, None where there is none."""
        node = entry.link_node
        return read_link(node.text, self.repositories) if node else None

    @cached_property
    def older(self) -> tuple[ChangelogEntry, ...]:
        """Return the older entries that are still there, as they stand at the head."""
        return tuple(new for _, new in self._kept)

    def first_with_number(self, number: int | None) -> ChangelogEntry | None:
        """Return the first older entry that links a pull request by its number."""
        for entry in self.older:
            link = self.link(entry)
            if link and link.number == number and link.kind is LinkKind.CANONICAL:
                return entry
        return None

    def last_described_as(self, entry: ChangelogEntry) -> ChangelogEntry | None:
        """Return the last older entry with the same description and a config key in common."""
        keys = {key.text for key in entry.config_keys}
        for older in reversed(self.older):
            if older.descriptions == entry.descriptions and entry.descriptions:
                if keys.intersection(key.text for key in older.config_keys):
                    return older
        return None

    @property
    def forbidden_edits(self) -> dict[EditKind, tuple[HistoryEdit, ...]]:
        """Return the edits that break the file's rules, by kind: all but corrected links alone."""
        kinds = dict.fromkeys(edit.kind for edit in self.edits)
        if not self.added:
            kinds.pop(EditKind.LINK, None)
        return {kind: tuple(edit for edit in self.edits if edit.kind is kind) for kind in kinds}

    @property
    def removed(self) -> tuple[ChangelogEntry, ...]:
        """Return the older entries that are gone, as they stood at the base."""
        return tuple(match.old for match in self._matches if match.old and match.new is None)

    def compare_lines(self, edit: HistoryEdit) -> tuple[tuple[str, str, str], ...]:
        """Return rows of side, line number and text with visible blanks; at most five a side."""
        rows = []
        for side, changelog, span in (
            ("base", self.base, edit.base_span),
            ("head", self.head, edit.head_span),
        ):
            if changelog is None or (side == "head" and edit.kind is EditKind.REMOVED):
                continue
            last = min(span.end_line, span.line + _MOST_LINES - 1)
            for number in range(span.line, last + 1):
                text = make_visible(changelog.text.line(number))
                rows.append((side, str(number), text))
            if last < span.end_line:
                rows.append((side, f"…{span.end_line}", f"{span.end_line - last} more lines"))
        return tuple(rows)

    @cached_property
    def format_faults(self) -> tuple[FormatFault, ...]:
        """Return where the bytes of added entries break the format of the file, in order."""
        faults = [fault for entry in self.added for fault in find_byte_faults(entry)]
        if self.appended:
            faults += self._separator_faults()
        return tuple(sorted(faults, key=lambda fault: fault.span))

    def _separator_faults(self) -> Iterator[FormatFault]:
        appended = self.appended
        if self.new_tail is not None and self.old_tail is not None and self._last_older:
            # What stood at the end must stay; an empty line comes after it, if it is none itself.
            kept = self.old_tail or "\n"
            wanted = kept if kept.endswith("\n\n") else f"{kept}\n"
            if self.new_tail.startswith(self.old_tail) and self.new_tail != wanted:
                above = self._last_older[1]
                yield separator_fault(above, appended[0], len(self.old_tail), wanted)
        for above, below in zip(appended, appended[1:], strict=False):
            if above.separator != "\n\n":
                yield separator_fault(above, below, 0, "\n\n")
        if not appended[-1].separator:
            yield missing_line_feed(appended[-1])

    @cached_property
    def edits(self) -> tuple[HistoryEdit, ...]:
        """Return what was done to older text, neighbouring edits of one kind as one."""
        if self.base is None or self.head.text.text.startswith(self.base.text.text):
            return ()
        return tuple(_merge(list(self._edits()), self.base.text, self.head.text))

    def _edits(self) -> Iterator[HistoryEdit]:
        base_text, head_text = _texts(self.base), self.head.text
        below = len(head_text.text)
        for match in reversed(self._matches):
            old, new = match.old, match.new
            below = new.start if new else below
            if old is None:
                continue
            if new is None:
                line = head_text.line_of(min(below, max(0, len(head_text.text) - 1)))
                yield HistoryEdit(EditKind.REMOVED, (old,), old.whole_span, Span(line, 1, line, 1))
            elif match.moved:
                yield HistoryEdit(EditKind.MOVED, (old,), old.whole_span, new.whole_span)
            elif old.content != new.content:
                kind = EditKind.LINK if self._corrects_link(old, new) else EditKind.REWRITTEN
                spans = _differing_lines(old.content, new.content)
                yield HistoryEdit(
                    kind, (old,), _shift(base_text, old, spans[0]), _shift(head_text, new, spans[1])
                )
        yield from self._spacing_edits(base_text)

    def _corrects_link(self, old: ChangelogEntry, new: ChangelogEntry) -> bool:
        """Tell whether only the link changed, to one in the canonical form."""
        link = self.link(new)
        return (
            link is not None
            and link.kind is LinkKind.CANONICAL
            and _without_link(old) == _without_link(new)
        )

    def _spacing_edits(self, base_text: TextFile) -> Iterator[HistoryEdit]:
        """Yield changes between older entries that are still neighbours, and around all of them."""
        pairs = self._kept
        if not pairs or self.base is None:
            return
        first_old, first_new = pairs[0]
        if first_old is self.base.entries[0] and first_new is self.head.entries[0]:
            before = base_text.text[: first_old.start]
            if before != self.head.text.text[: first_new.start]:
                yield HistoryEdit(
                    EditKind.SPACING, (first_old,), Span(1, 1, 1, 1), Span(1, 1, 1, 1)
                )
        for (old, new), (next_old, next_new) in zip(pairs, pairs[1:], strict=False):
            neighbours = old.end == next_old.start and new.end == next_new.start
            # Where the entry itself was rewritten, that finding speaks for what is below it too.
            if neighbours and old.content == new.content and old.separator != new.separator:
                yield self._spacing(base_text, old, new)
        old, new = pairs[-1]
        if old is self.base.entries[-1]:
            unended = old.separator == ""
            followed = new is not self.head.entries[-1]
            kept = new.separator.startswith(old.separator) if followed or unended else (
                new.separator == old.separator
            )
            if not kept:
                yield self._spacing(base_text, old, new)

    def _spacing(
        self, base_text: TextFile, old: ChangelogEntry, new: ChangelogEntry
    ) -> HistoryEdit:
        same = 0
        for one, other in zip(old.separator, new.separator, strict=False):
            if one != other:
                break
            same += 1
        same = old.separator.rfind("\n", 0, same) + 1
        places = []
        for text, entry in ((base_text, old), (self.head.text, new)):
            line = text.line_of(min(entry.content_end + same, len(text.text)))
            places.append(text.line_span(line))
        return HistoryEdit(EditKind.SPACING, (old,), *places)


def compare_changelogs(base: Changelog | None, head: Changelog) -> ChangelogChange:
    """Find out which entry of the head is which of the base."""
    if base is None:
        return ChangelogChange(None, head, tuple(_Match(None, entry) for entry in head.entries))
    return ChangelogChange(base, head, tuple(_align(base.entries, head.entries)))


def _align(
    base: tuple[ChangelogEntry, ...], head: tuple[ChangelogEntry, ...]
) -> Iterator[_Match]:
    """Yield every entry of both sides once, in the order of the head."""
    first = 0
    shortest = min(len(base), len(head))
    while first < shortest and base[first].content == head[first].content:
        first += 1
    last = 0
    while last < shortest - first and base[-1 - last].content == head[-1 - last].content:
        last += 1
    old, new = base[first : len(base) - last], head[first : len(head) - last]
    yield from (_Match(*pair) for pair in zip(base[:first], head[:first], strict=True))
    yield from _align_rest(old, new)
    if last:
        yield from (_Match(*pair) for pair in zip(base[-last:], head[-last:], strict=True))


def _align_rest(
    old: tuple[ChangelogEntry, ...], new: tuple[ChangelogEntry, ...]
) -> Iterator[_Match]:
    """Tell kept, rewritten and moved entries from removed and added ones."""
    partner = _match(old, new)
    position = {id(entry): index for index, entry in enumerate(new)}
    places = [position[id(partner[id(entry)])] for entry in old if id(entry) in partner]
    in_order = set(_longest_increasing(places))
    origin = {id(match): entry for entry in old if (match := partner.get(id(entry)))}
    removed = [entry for entry in old if id(entry) not in partner]
    for index, entry in enumerate(new):
        source = origin.get(id(entry))
        if source is not None and index in in_order:
            while removed and removed[0].start < source.start:
                yield _Match(removed.pop(0), None)
        yield _Match(source, entry, moved=source is not None and index not in in_order)
    yield from (_Match(entry, None) for entry in removed)


def _longest_increasing(numbers: list[int]) -> list[int]:
    """Return a longest increasing subsequence: the entries that kept their order."""
    tails: list[int] = []
    where: list[int] = []
    before: list[int] = [-1] * len(numbers)
    for index, number in enumerate(numbers):
        at = bisect_left(tails, number)
        tails[at : at + 1] = [number]
        where[at : at + 1] = [index]
        before[index] = where[at - 1] if at else -1
    found: list[int] = []
    index = where[-1] if where else -1
    while index >= 0:
        found.append(numbers[index])
        index = before[index]
    return found[::-1]


def _signatures() -> tuple[Callable[[ChangelogEntry], Hashable], ...]:
    """Return what two versions of one entry may have in common, the surest first."""
    return (
        lambda entry: entry.content,
        _without_link,
        lambda entry: (entry.subject, entry.descriptions) if entry.descriptions else None,
        lambda entry: (entry.subject, entry.link_node.text) if entry.link_node else None,
        lambda entry: entry.descriptions or None,
        lambda entry: entry.subject or None,
    )


def _match(old: Iterable[ChangelogEntry], new: Iterable[ChangelogEntry]) -> dict[int, ChangelogEntry]:
    """Find the new version of old entries, wherever it stands; keyed by `id` of the old one."""
    partner: dict[int, ChangelogEntry] = {}
    taken: set[int] = set()
    for signature in _signatures():
        waiting: dict[Hashable, list[ChangelogEntry]] = {}
        for entry in new:
            if id(entry) not in taken:
                waiting.setdefault(signature(entry), []).append(entry)
        for entry in old:
            same = waiting.get(signature(entry)) if signature(entry) is not None else None
            if id(entry) not in partner and same:
                partner[id(entry)] = same.pop(0)
                taken.add(id(partner[id(entry)]))
    return partner


def _without_link(entry: ChangelogEntry) -> str:
    lines = entry.content.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("pr-link:"))


def _texts(changelog: Changelog | None) -> TextFile:
    if changelog is None:
        raise ValueError("there is no base to compare with")
    return changelog.text


def _differing_lines(old: str, new: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the first and last line, from 0, on which two texts differ, for each of them."""
    old_lines, new_lines = old.split("\n"), new.split("\n")
    shortest = min(len(old_lines), len(new_lines))
    first = 0
    while first < shortest and old_lines[first] == new_lines[first]:
        first += 1
    last = 0
    while last < shortest - first and old_lines[-1 - last] == new_lines[-1 - last]:
        last += 1
    ends = [max(first, len(lines) - 1 - last) for lines in (old_lines, new_lines)]
    return (
        (min(first, len(old_lines) - 1), min(ends[0], len(old_lines) - 1)),
        (min(first, len(new_lines) - 1), min(ends[1], len(new_lines) - 1)),
    )


def _shift(text: TextFile, entry: ChangelogEntry, lines: tuple[int, int]) -> Span:
    top = text.line_of(entry.start)
    return text.line_span(top + lines[0], top + lines[1])


def _merge(
    edits: list[HistoryEdit], base_text: TextFile, head_text: TextFile
) -> Iterator[HistoryEdit]:
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
