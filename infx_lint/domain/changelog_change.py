"""What a change did to the changelog: which entries it added, and what of history it touched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from infx_lint.domain.changelog import Changelog, ChangelogEntry
from infx_lint.domain.changelog_alignment import Match, align
from infx_lint.domain.changelog_format import (
    FormatFault,
    find_byte_faults,
    find_end_fault,
    make_visible,
    separator_fault,
)
from infx_lint.domain.history_edits import EditKind, HistoryEdit, find_edits
from infx_lint.domain.pull_request_link import (
    NEWEST_NAME,
    LinkKind,
    PullRequestLink,
    canonical_link,
    read_link,
)

_MOST_LINES = 5


class MisplacedRun(NamedTuple):
    """Added entries, one after the other, that stand above `below` and older entries under it."""

    entries: tuple[ChangelogEntry, ...]
    below: ChangelogEntry
    older_below: int


@dataclass(frozen=True)
class ChangelogChange:
    """The changelog before and after. `base` is None where there was none to compare with."""

    base: Changelog | None
    head: Changelog
    _matches: tuple[Match, ...]

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
        return tuple(match.new for match in self._matches if match.new and match.old is None)

    @property
    def removed(self) -> tuple[ChangelogEntry, ...]:
        """Return the older entries that are gone, as they stood at the base."""
        return tuple(match.old for match in self._matches if match.old and match.new is None)

    @cached_property
    def older(self) -> tuple[ChangelogEntry, ...]:
        """Return the older entries that are still there, as they stand at the head."""
        return tuple(match.new for match in self._matches if match.old and match.new)

    @cached_property
    def repositories(self) -> tuple[str, ...]:
        """Return the names of the linted repository: what its changelog links to, and the newest.

        A change that renames them all has two.
        """
        sides = (self.base.repository if self.base else None, self.head.repository)
        return tuple(dict.fromkeys(name for name in (*sides, NEWEST_NAME) if name))

    # Links

    def canonical_link(self, number: int | None) -> str:
        """Return the link to a pull request; the tolerated placeholder where it is unknown."""
        return canonical_link(self.repositories[0], number or "XXX")

    def link(self, entry: ChangelogEntry) -> PullRequestLink | None:
        """Read the link of an entry, None where there is none."""
        node = entry.link_node
        return read_link(node.value, self.repositories) if node else None

    def first_with_number(self, number: int | None) -> ChangelogEntry | None:
        """Return the first older entry that links a pull request by its number."""
        for entry in self.older:
            if str(number) not in (entry.link_node.value if entry.link_node else ""):
                continue
            link = self.link(entry)
            if link and link.number == number and link.kind is LinkKind.CANONICAL:
                return entry
        return None

    def last_described_as(self, entry: ChangelogEntry) -> ChangelogEntry | None:
        """Return the last older entry with the same description and a config key in common."""
        words = "".join(entry.descriptions[:1])
        if set(words).isdisjoint("\"'\\") and self.head.text.text.count(words) == 1:
            return None  # said nowhere else, whatever the quotes around it
        keys = {key.value for key in entry.config_keys}
        for older in reversed(self.older):
            same = bool(entry.descriptions) and older.descriptions == entry.descriptions
            if same and keys.intersection(key.value for key in older.config_keys):
                return older
        return None

    # Places and bytes of what was added

    @cached_property
    def misplaced(self) -> tuple[MisplacedRun, ...]:
        """Return the runs of added entries that are not at the end."""
        runs: list[MisplacedRun] = []
        pending: list[ChangelogEntry] = []
        passed = 0
        for match in self._matches:
            if match.new is None or match.moved:
                continue
            if match.old is None:
                pending.append(match.new)
                continue
            if pending:
                runs.append(MisplacedRun(tuple(pending), match.new, len(self._kept) - passed))
                pending = []
            passed += 1
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

    @cached_property
    def format_faults(self) -> tuple[FormatFault, ...]:
        """Return where the bytes of added entries break the format of the file, in order."""
        faults = [fault for entry in self.added for fault in find_byte_faults(entry)]
        if self.appended:
            faults += self._separator_faults()
        return tuple(sorted(faults, key=lambda fault: fault.span))

    def _separator_faults(self) -> Iterator[FormatFault]:
        appended = self.appended
        last = self._kept[-1] if self._kept else None
        if last and self.base and last[0] is self.base.entries[-1]:
            # What stood at the end must stay; an empty line comes after it, if it is none itself.
            old, new = last
            kept = old.separator or "\n"
            wanted = kept if kept.endswith("\n\n") else f"{kept}\n"
            if new.separator.startswith(old.separator) and new.separator != wanted:
                yield separator_fault(new, appended[0], len(old.separator), wanted)
        for above, below in pairwise(appended):
            if above.separator != "\n\n":
                yield separator_fault(above, below, 0, "\n\n")
        yield from find_end_fault(appended[-1])

    # History

    @cached_property
    def edits(self) -> tuple[HistoryEdit, ...]:
        """Return what was done to older text, neighbouring edits of one kind as one."""
        if self.base is None:
            return ()
        return find_edits(self.base, self.head, self._matches, self.repositories)

    @property
    def forbidden_edits(self) -> dict[EditKind, tuple[HistoryEdit, ...]]:
        """Return the edits that break the file's rules, by kind: all but corrected links alone."""
        kinds = dict.fromkeys(edit.kind for edit in self.edits)
        if not self.added:
            kinds.pop(EditKind.LINK, None)
        return {kind: tuple(edit for edit in self.edits if edit.kind is kind) for kind in kinds}

    def compare_lines(self, edit: HistoryEdit) -> tuple[tuple[str, str, str], ...]:
        """Return rows of side, line number and text with visible blanks; at most five a side.

        For spacing the text is all that stands between the end of an entry and the next one.
        """
        if edit.separators:
            old, new = map(make_visible, edit.separators)
            return (
                ("base", str(edit.base_span.line), old),
                ("head", str(edit.head_span.line), new),
            )
        rows = []
        for side, changelog, span in (
            ("base", self.base, edit.base_span),
            ("head", self.head, edit.head_span),
        ):
            if changelog is None or (side == "head" and edit.kind is EditKind.REMOVED):
                continue
            last = min(span.end_line, span.line + _MOST_LINES - 1)
            rows += [
                (side, str(number), make_visible(changelog.text.line(number)))
                for number in range(span.line, last + 1)
            ]
            if last < span.end_line:
                rows.append((side, f"…{span.end_line}", f"{span.end_line - last} more lines"))
        return tuple(rows)


def compare_changelogs(base: Changelog | None, head: Changelog, same: int = 0) -> ChangelogChange:
    """Find out which entry of the head is which of the base; the first `same` are known."""
    if base is None:
        return ChangelogChange(None, head, tuple(Match(None, entry) for entry in head.entries))
    return ChangelogChange(base, head, tuple(align(base.entries, head.entries, same)))
