"""Finds out which entry of one changelog is which of another.

Entries are compared as exact text first, then by what two versions of one entry still have in
common: everything but the link, keys and description, keys and link, and so on. What is left
between two known neighbours on both sides is taken for rewritten.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

from infx_lint.domain.changelog import ChangelogEntry

Entries = tuple[ChangelogEntry, ...]


class Match(NamedTuple):
    """An entry at both sides; without `old` it was added, without `new` removed."""

    old: ChangelogEntry | None
    new: ChangelogEntry | None
    moved: bool = False


def align(base: Entries, head: Entries, same: int = 0) -> Iterator[Match]:
    """Yield every entry of both sides once, in the order of the head.

    Args:
        base: the entries before.
        head: the entries after.
        same: how many of the first entries are known to be equal.
    """
    first = same
    shortest = min(len(base), len(head))
    while first < shortest and base[first].content == head[first].content:
        first += 1
    last = 0
    while last < shortest - first and base[-1 - last].content == head[-1 - last].content:
        last += 1
    yield from (Match(*pair) for pair in zip(base[:first], head[:first], strict=True))
    yield from _align_rest(base[first : len(base) - last], head[first : len(head) - last])
    if last:
        yield from (Match(*pair) for pair in zip(base[-last:], head[-last:], strict=True))


def _align_rest(old: Entries, new: Entries) -> Iterator[Match]:
    """Tell kept, rewritten and moved entries from removed and added ones."""
    partner = _find_partners(old, new)
    position = {id(entry): index for index, entry in enumerate(new)}
    places = [position[id(partner[id(entry)])] for entry in old if id(entry) in partner]
    in_order = set(_longest_increasing(places))
    origin = {id(match): entry for entry in old if (match := partner.get(id(entry)))}
    removed = [entry for entry in old if id(entry) not in partner]
    for index, entry in enumerate(new):
        source = origin.get(id(entry))
        if source is not None and index in in_order:
            while removed and removed[0].start < source.start:
                yield Match(removed.pop(0), None)
        yield Match(source, entry, moved=source is not None and index not in in_order)
    yield from (Match(entry, None) for entry in removed)


def _signatures() -> tuple[Callable[[ChangelogEntry], Hashable], ...]:
    """Return what two versions of one entry may have in common, the surest first."""
    return (
        lambda entry: entry.content,
        without_link,
        lambda entry: (entry.subject, entry.descriptions) if entry.descriptions else None,
        lambda entry: (entry.subject, entry.link_node.value) if entry.link_node else None,
        lambda entry: entry.descriptions or None,
        lambda entry: entry.subject or None,
    )


def _find_partners(old: Entries, new: Entries) -> dict[int, ChangelogEntry]:
    """Find the new version of old entries, wherever it stands; keyed by `id` of the old one."""
    partner: dict[int, ChangelogEntry] = {}
    taken: set[int] = set()
    for signature in _signatures():
        waiting: dict[Hashable, list[ChangelogEntry]] = {}
        for entry in new:
            if id(entry) not in taken:
                waiting.setdefault(signature(entry), []).append(entry)
        for entry in old:
            mark = signature(entry)
            if mark is not None and id(entry) not in partner and waiting.get(mark):
                partner[id(entry)] = waiting[mark].pop(0)
                taken.add(id(partner[id(entry)]))
    for one, other in _gaps(old, new, partner):
        partner |= {id(entry): match for entry, match in zip(one, other, strict=True)}
    return partner


def _gaps(
    old: Entries, new: Entries, partner: dict[int, ChangelogEntry]
) -> Iterator[tuple[list[ChangelogEntry], list[ChangelogEntry]]]:
    """Yield runs of unknown entries of equal length between two known neighbours on both sides."""
    position = {id(entry): index for index, entry in enumerate(new)}
    known = {id(match) for match in partner.values()}
    run: list[ChangelogEntry] = []
    above = -1
    for entry in (*old, None):
        if entry is not None and id(entry) not in partner:
            run.append(entry)
            continue
        below = len(new) if entry is None else position[id(partner[id(entry)])]
        between = new[above + 1 : below]
        alike = len(run) == len(between) > 0 and not any(id(item) in known for item in between)
        # At the end of the file, an entry that went and one that came are two things.
        if alike and (entry is not None or above < 0):
            yield run, list(between)
        run, above = [], below


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


def without_link(entry: ChangelogEntry) -> str:
    """Return the text of an entry without the line of its link."""
    lines = entry.content.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("pr-link:"))
