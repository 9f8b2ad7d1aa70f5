"""What the description of a changelog entry claims, and the config keys that it selects contradict.

A statement of an entry with many keys may be true of one of them alone, so it is wrong only where
every selected key contradicts it. What is said of the past is compared with the base.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.claims.claim import Verdict
from infx_lint.claims.grammar import claims_of
from infx_lint.claims.pattern import Pattern
from infx_lint.documents.comment_blocks import CommentBlock
from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.domain.comment_facts import EntryFacts
from infx_lint.domain.master_config import selects
from infx_lint.finding import Location, Span

if TYPE_CHECKING:
    from infx_lint.domain.entries import Entry
    from infx_lint.domain.project import Project

_REFERENCE = Pattern(r"(?<![\w./-])(?P<name>[a-z0-9][\w.-]*(?:/[\w.-]+)+):(?P<tag>\w[\w.-]*\w)")
_LEADS_FROM = Pattern(
    r"\b(?:from|replac\w+|drop\w*|instead of|was|old|previous\w*)\s+[`\"']*$", re.IGNORECASE
)
_LEADS_TO = Pattern(
    r"(?:\b(?:to|image|with|use|uses|using|on|bump|update|pin|at)|->|=>|→|:)\s+[`\"']*$",
    re.IGNORECASE,
)
_SHAPES = frozenset({"concurrency", "topology", "value", "speculation"})
# More keys than an entry selects by wildcards; what holds of none of the first holds of none.
MOST_KEYS = 40


class Contradiction(NamedTuple):
    """A statement of an entry that is not the case.

    Attributes:
        said: the words.
        actual: what is the case, as the end of a sentence.
        place: the line of the description.
        rows: for each key what it has.
        related: where that is written.
    """

    entry: ChangelogEntry
    said: str
    actual: str
    place: Span
    rows: tuple[tuple[str, str], ...]
    related: tuple[Location, ...]


def contradictions(
    base: Project, head: Project, added: tuple[ChangelogEntry, ...]
) -> Iterator[Contradiction]:
    """Yield what the descriptions of added entries say and the config keys contradict."""
    old = {entry.name: entry for entry in base.entries}
    for entry in added:
        keys = [
            one
            for one in head.entries
            if any(selects(node.value, one.name) for node in entry.config_keys)
        ][:MOST_KEYS]
        if not keys:
            continue
        checker = _Checker(base, head, entry, keys, old)
        for text, place in entry.description_lines:
            yield from checker.images(text, place)
            yield from checker.claims(text, place)


class _Checker:
    def __init__(
        self,
        base: Project,
        head: Project,
        entry: ChangelogEntry,
        keys: list[Entry],
        old: dict[str, Entry],
    ) -> None:
        self._entry = entry
        self._keys = keys
        self._old = old
        self._facts = [EntryFacts(head, key, key.rows) for key in keys]
        before = [(key, old.get(key.name)) for key in keys]
        self._facts_before = [EntryFacts(base, one, one.rows) for _, one in before if one]

    def images(self, text: str, place: Span) -> Iterator[Contradiction]:
        """Yield images that no selected key runs."""
        now = [key.image for key in self._keys if key.image]
        before = [self._old[key.name].image for key in self._keys if key.name in self._old]
        for match in _REFERENCE.finditer(text):
            name, tag = match["name"], match["tag"]
            lead = text[: match.start()]
            is_old = bool(_LEADS_FROM.search(lead))
            if not is_old and not _LEADS_TO.search(lead):
                continue
            known = before if is_old else [*now, *before]
            texts = [image.text.partition("@")[0].replace("#", "/") for image in known if image]
            same = [one for one in texts if one.rpartition(":")[0].endswith(name)]
            if not same or any(one.rpartition(":")[2].startswith(tag) for one in same):
                continue
            shown = [image for image in (before if is_old else now) if image]
            tags = list(dict.fromkeys(image.text.rpartition(":")[2] for image in shown))
            yield Contradiction(
                self._entry,
                match.group(),
                f"the image {'was' if is_old else 'is'} `{'` or `'.join(tags[:3])}`",
                place,
                tuple(dict.fromkeys(("image", image.text) for image in shown)),
                () if is_old else tuple(Location(*image.place) for image in shown[:2]),
            )

    def claims(self, text: str, place: Span) -> Iterator[Contradiction]:
        """Yield values, concurrencies and degrees that no selected key has."""
        lines = ((place.line, place.column),) * (text.count("\n") + 1)
        block = CommentBlock(text, lines, column=1, is_trailing=False)
        for claim in claims_of(block):
            if claim.shape not in _SHAPES or claim.is_cautious:
                continue
            judged = [claim.judge(facts) for facts in self._facts]
            if any(one.verdict is not Verdict.FALSE for one in judged):
                continue
            if any(claim.judge(facts).verdict is not Verdict.FALSE for facts in self._facts_before):
                continue
            yield Contradiction(
                self._entry,
                " ".join(text[claim.start : claim.end].split()),
                claim.contradiction(judged[0]),
                place,
                judged[0].rows[:12],
                tuple(Location(*one) for one in judged[0].places[:2]),
            )
