"""Concurrencies: `conc 4-64`, `concurrencies (1,4,8)`, `max conc (32)`, `32 < CONC <= 128`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from infx_lint.claims.amounts import COUNT, count_of
from infx_lint.claims.claim import UNKNOWN, Claim, Judgement, Verdict, listed
from infx_lint.claims.facts import Facts, Row
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.topology import label
from infx_lint.claims.wording import Sentence

_NAME = r"(?:\bconc(?:urrenc(?:y|ies))?|\bCONC)"
_LIST = Pattern(
    rf"{_NAME}(?:-list)?\s*(?:points?|sweep|is|of|at|=|:)?\s*[\[({{]?\s*"
    r"(?P<list>\d{1,5}(?:\s*[,/x]\s*(?:and\s+)?\d{1,5})+|(?<==)\d{1,5}|(?<=: )\d{1,5})"
    r"\s*[\])}]?(?![\w%-]|\.\d)",
    re.IGNORECASE,
)
_SHORT = Pattern(r"(?<![\w/-])(?P<list>c\d{1,4}(?:\s*[/,]\s*c\d{1,4})+)(?![\w-])")
_RANGE = Pattern(
    rf"{_NAME}\s*(?:is|of|at|=|:|from)?\s*[\[(]?(?P<low>\d{{1,5}})\s*(?:-|\u2013|to|\.\.)\s*(?P<high>\d{{1,5}})(?![\w%-]|\.\d)",
    re.IGNORECASE,
)
_BAND = Pattern(r"(?P<low>\d{1,5})\s*(?P<open><=?|≤)\s*CONC\s*(?P<shut><=?|≤)\s*(?P<high>\d{1,5})")
_MOST = Pattern(
    r"\bmax(?:imum)?\s+conc(?:urrency)?\s*(?:\(|is\s|of\s|=)\s*(?P<most>\d{1,5})\b\)?|"
    r"\b(?:tops?|tops out|ends?)\s+(?:out\s+)?at\s+(?:conc(?:urrency)?\s*|c)(?P<top>\d{1,5})\b",
    re.IGNORECASE,
)
# `TP8 sweeps conc 4-64` speaks of both ends, `conc 4-64` alone may be a part.
_SWEEPS = Pattern(r"\b(?:sweeps?|covers?|serves?|spans?)\s*(?:the\s*)?$|^\s*$", re.IGNORECASE)
# A config says so where its recipe runs more than the matrix knows.
_RECIPE = Pattern(r"\brecipe\s+(?:runs|sweeps|has|covers)\b", re.IGNORECASE)
_PREDICATE = Pattern(
    r"\s+(?:is|are|was|were|has|have|needs?|fail\w*|fits?|gets?|goes|regress\w*|wins?)\b"
)
_CASE = Pattern(
    r"\b(?:at|for|when|if|with|above|below|from|under|only|and|or)\s*$|[(,/]\s*$", re.IGNORECASE
)
_POINTS = Pattern(rf"\((?P<count>{COUNT}) points?\)", re.IGNORECASE)


@dataclass(eq=False, repr=False)
class ListClaim(Claim):
    """Rows are said to have these concurrencies, or all from the first to the last."""

    shape: ClassVar[str] = "concurrency"

    values: tuple[int, ...]
    is_range: bool = field(kw_only=True)
    is_whole: bool = field(kw_only=True)

    def judge(self, facts: Facts) -> Judgement:
        """Compare with each row and with all of them together."""
        rows = [row for row in facts.rows if row.concurrencies]
        if not rows or len(rows) < len(facts.rows):
            return UNKNOWN
        together = {value for row in rows for value in row.concurrencies}
        sets = [set(row.concurrencies) for row in rows] + [together]
        claimed = set(self.values)
        if self.is_range:
            ends = (min(claimed), max(claimed))
            is_true = any((min(one), max(one)) == ends for one in sets)
        else:
            is_true = claimed in sets
        verdict = Verdict.TRUE if is_true else Verdict.FALSE
        if not is_true and claimed <= together and not self.is_whole:
            verdict = Verdict.PARTLY
        return _judgement(rows, verdict, listed(map(str, sorted(together)), "and"))

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"the concurrencies are {judgement.actual}"


@dataclass(eq=False, repr=False)
class MostClaim(Claim):
    """Some concurrency is said to be the highest."""

    shape: ClassVar[str] = "concurrency"

    most: int

    def judge(self, facts: Facts) -> Judgement:
        """Compare with the highest one of the rows, of each sequence length or of all."""
        rows = [row for row in facts.rows if row.concurrencies]
        if not rows or len(rows) < len(facts.rows):
            return UNKNOWN
        highest = {max(row.concurrencies) for row in rows}
        verdict = Verdict.TRUE if self.most in highest else Verdict.FALSE
        return _judgement(rows, verdict, str(max(highest)), str(max(highest)))

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"the highest concurrency is {judgement.actual}"


@dataclass(eq=False, repr=False)
class BandClaim(Claim):
    """Some rows are said to lie in a band."""

    shape: ClassVar[str] = "concurrency"

    low: int
    high: int
    includes_low: bool = field(kw_only=True)
    includes_high: bool = field(kw_only=True)

    def judge(self, facts: Facts) -> Judgement:
        """Look for a concurrency in the band."""
        rows = [row for row in facts.rows if row.concurrencies]
        if not rows or len(rows) < len(facts.rows):
            return UNKNOWN
        together = {value for row in rows for value in row.concurrencies}
        low = self.low if self.includes_low else self.low + 1
        high = self.high if self.includes_high else self.high - 1
        is_there = any(low <= value <= high for value in together)
        verdict = Verdict.TRUE if is_there else Verdict.FALSE
        return _judgement(rows, verdict, listed(map(str, sorted(together)), "and"))

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"the concurrencies are {judgement.actual}"


@dataclass(eq=False, repr=False)
class PointsClaim(Claim):
    """A heading counts the rows or points below it."""

    shape: ClassVar[str] = "concurrency"

    count: int

    def judge(self, facts: Facts) -> Judgement:
        """Count the rows, and the points."""
        if not facts.rows:
            return UNKNOWN
        count = len(facts.rows)
        points = sum(len(row.concurrencies) for row in facts.rows)
        verdict = Verdict.TRUE if self.count in {count, points} else Verdict.FALSE
        rows = "1 row stands" if count == 1 else f"{count} rows stand"
        return _judgement(list(facts.rows), verdict, rows)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"{judgement.actual} below it"


def _judgement(
    rows: list[Row], verdict: Verdict, actual: str, replacement: str | None = None
) -> Judgement:
    shown = tuple((f"row {row.place.span.line}", label(row)) for row in rows)
    return Judgement(verdict, actual, shown, tuple(row.place for row in rows), replacement)


def find(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims of a sentence about concurrencies."""
    for pattern, is_range in ((_LIST, False), (_SHORT, False), (_RANGE, True)):
        for match in pattern.finditer(sentence.text):
            start, end = sentence.place(match)
            if not sentence.is_present(start, end):
                continue
            numbers = match["low"] + "," + match["high"] if is_range else match["list"]
            values = tuple(map(int, re.findall(r"\d+", numbers)))
            before = sentence.before(start, end)
            if _RECIPE.search(before):
                continue
            is_fact = len(values) > 1 or not _CASE.search(before)
            after = sentence.text[match.end() :]
            is_whole = is_range and bool(_SWEEPS.search(before)) and not _PREDICATE.match(after)
            is_loose = len(values) == 1 or (is_range and not is_whole)
            yield ListClaim(
                start,
                end,
                values,
                is_range=is_range,
                is_whole=is_whole,
                is_fact=is_fact,
                is_cautious=is_loose,
            )
    for match in _BAND.finditer(sentence.text):
        start, end = sentence.place(match)
        yield BandClaim(
            start,
            end,
            int(match["low"]),
            int(match["high"]),
            includes_low=match["open"] != "<",
            includes_high=match["shut"] != "<",
        )
    for match in _MOST.finditer(sentence.text):
        start, end = sentence.place(match)
        if sentence.is_present(start, end):
            group = "most" if match["most"] else "top"
            literal = sentence.start + match.start(group), sentence.start + match.end(group)
            yield MostClaim(
                start, end, int(match[group]), is_cautious=group == "top", literal=literal
            )
    for match in _POINTS.finditer(sentence.text):
        start, end = sentence.place(match)
        yield PointsClaim(start, end, count_of(match["count"]), is_cautious=True)
