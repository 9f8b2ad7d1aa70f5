"""Names that are said not to be set, and tables of knobs whose names exist nowhere any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from infx_lint.claims.claim import Claim, Judgement, Verdict, listed
from infx_lint.claims.facts import Facts, Reading, normalised
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.wording import Sentence

_NAME = r"(?P<name>--[a-z][\w-]+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"
_IS = r"(?:is|are|stays?|remains?|must\s+(?:be|stay|remain)|left)\s+(?:\w+ly\s+)?(?:left\s+)?"
_BREAKS = r"(?:raises?|fails?|crashes|errors?|aborts?|rejects?)"
_PATTERNS = (
    Pattern(rf"{_NAME}\s+{_IS}(?:unset|(?:not|NOT)\s+set)\b"),
    Pattern(rf"{_NAME}\s+(?:must|should|may)\s+not\s+be\s+set\b"),
    Pattern(rf"(?:^|[.:;]\s+)(?:[Dd]o\s+not|[Dd]on't|[Nn]ever)\s+(?:set|export|pass)\s+{_NAME}"),
    Pattern(rf"^\s*No\s+{_NAME}(?=\s*[:.,;(]|\s+(?:here|on|for)\b)"),
    # What breaks where it is set is said not to be set.
    Pattern(
        rf"{_NAME}\b(?:(?!\b(?:but|so|unless)\b)[^.]){{0,200}}?\b{_BREAKS}\b[^.]{{0,40}}"
        r"\b(?:if|when)\s+(?:it\s+is\s+|it's\s+)?set\b"
    ),
)
_CASE = Pattern(r"\b(?:if|when|where|whenever|unless|while)\b", re.IGNORECASE)
_KNOB = Pattern(r"^\s{2,}(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s{2,}(?P<value>\S+)", re.MULTILINE)
# Fewer rows are no table.
_LEAST_KNOBS = 3


@dataclass(eq=False, repr=False)
class UnsetClaim(Claim):
    """A variable or flag is said not to be set."""

    shape: ClassVar[str] = "unset"

    name: str

    def judge(self, facts: Facts) -> Judgement:
        """Look for a value of exactly this name."""
        found = facts.named(normalised(self.name))
        readings = [reading for one in found for reading in one.readings]
        if not readings:
            is_known = facts.knows_all_names
            return Judgement(Verdict.TRUE if is_known else Verdict.UNKNOWN)
        points = set(facts.points) or {reading.point for reading in readings}
        everywhere = {reading.point for reading in readings} >= points
        return _set(readings, Verdict.FALSE if everywhere else Verdict.PARTLY)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what it is set to."""
        return f"`{self.name}` is {judgement.actual}"


def _set(readings: list[Reading], verdict: Verdict) -> Judgement:
    values = listed(f"set to `{reading.value or '?'}`" for reading in readings)
    rows = tuple((reading.point, reading.value or "?") for reading in readings)
    places = tuple(dict.fromkeys(reading.place for reading in readings if reading.place))
    return Judgement(verdict, values, rows, places)


@dataclass(eq=False, repr=False)
class KnobClaim(Claim):
    """A table of knobs names a variable."""

    shape: ClassVar[str] = "knob"

    name: str

    def judge(self, facts: Facts) -> Judgement:
        """Look for the name anywhere in the code."""
        if not facts.knows_all_names:
            return Judgement(Verdict.UNKNOWN)
        if facts.mentions(self.name):
            return Judgement(Verdict.TRUE)
        return Judgement(Verdict.FALSE, "read by nothing", (("read by", "nothing"),))

    def contradiction(self, judgement: Judgement) -> str:
        """Return that nothing reads it."""
        return f"`{self.name}` is {judgement.actual}"


def find(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims of a sentence that a name is not set."""
    seen: set[int] = set()
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence.text):
            start, end = sentence.place(match, "name")
            if start in seen or _CASE.search(sentence.before(start, end)):
                continue
            seen.add(start)
            yield UnsetClaim(
                start,
                end,
                match["name"],
                is_fact=not sentence.names_condition(start, end),
            )


def find_knobs(text: str) -> Iterator[KnobClaim]:
    """Yield the names of a table of knobs in the text of a block."""
    rows = list(_KNOB.finditer(text))
    if len(rows) >= _LEAST_KNOBS:
        for row in rows:
            yield KnobClaim(row.start("name"), row.end("name"), row["name"])
