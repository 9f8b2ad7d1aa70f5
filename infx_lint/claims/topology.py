"""Topologies: `1P2D`, `2 decode workers at DEP8`, `Nodes: 1 prefill + 4 decode`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from infx_lint.claims.amounts import COUNT, count_of
from infx_lint.claims.claim import UNKNOWN, Claim, Judgement, Verdict, listed
from infx_lint.claims.facts import DECODE, PREFILL, WHOLE, Facts, Row, Side
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.wording import Sentence

_KINDS = {"p": PREFILL, "d": DECODE}
_LABEL = r"(?P<label>DEP|TEP|TP|EP|DP)(?:[ =])?(?P<degree>\d{1,3})(?![\w.])"
# What is called `the 1P1D` is another one, and `1p1d-dep8` the name of a file.
_PAIR = Pattern(
    r"(?<![\w.-])(?<!\bthe )(?P<p>\d{1,2})\s?[pP]\s?[+/ ]?\s?(?P<d>\d{1,2})\s?[dD](?![\w-])"
)
_LEFT_OUT = Pattern(
    r"\b(?:skipped|omitted|excluded|dropped|removed|unsupported|disabled)\b", re.IGNORECASE
)
_OTHER = Pattern(r"\bthe\s+(?:[\w-]+\s+){1,2}$", re.IGNORECASE)
# `1P DEP4 prefill`, `7 prefill (TP=4 ...)`, `2 decode workers`, `one prefill worker`.
_COUNT = Pattern(
    rf"(?<![\w.=])(?P<count>{COUNT})(?:\s?[PD]\b(?:\s+\w+){{0,2}}?)?\s+(?P<kind>prefill|decode)\b"
    r"(?P<unit>\s+(?:workers?|nodes?|engines?|instances?|GPUs?))?",
    re.IGNORECASE,
)
# `Prefill: 5 workers`.
_COUNT_AFTER = Pattern(
    rf"\b(?P<kind>prefill|decode)\s*:\s*(?P<count>{COUNT})\s+(?P<unit>workers?|nodes?)\b",
    re.IGNORECASE,
)
_LABELS = Pattern(rf"(?<![\w-]){_LABEL}")
_LABEL_PAIR = Pattern(r"^\s*[,:]?\s*\(?(?:DEP|TEP|TP)\d+\s?[+/]\s?(?:DEP|TEP|TP)\d+")
# Something is said of such workers, which need not be the ones below.
_SAID_OF = Pattern(
    r"\s+(?:prefill|decode)\s+(?:is|was|uses|saves|needs|fails|OOMs|hangs|wins|loses|gives)\b"
)
_KINDS_NAMED = Pattern(r"\b(?:prefill|decode)\b", re.IGNORECASE)
_CONDITION = Pattern(
    r"\b(?:under|at|for|when|with|on|if|than)\s+(?:(?:DEP|TEP|TP|EP|DP)=?\d+\s?[+/]\s?)*$",
    re.IGNORECASE,
)
_KIND_AFTER = Pattern(r"^(?:[/ ](?:DEP|TEP|TP|EP|DP)=?\d+)*[\s-]+(prefill|decode)\b", re.IGNORECASE)
_KIND_BEFORE = Pattern(
    r".*\b(prefill|decode)\b(?P<between>[^+;.]{0,40})$", re.IGNORECASE | re.DOTALL
)
_TOTAL = Pattern(r"(?<![\w.-])(?P<count>\d{1,3})\s?(?:nodes?\s+total|n(?=\s*[:,)]))", re.IGNORECASE)


@dataclass(eq=False, repr=False)
class CountClaim(Claim):
    """Some number of prefill and decode workers; P and D may count nodes or GPUs as well."""

    shape: ClassVar[str] = "topology"

    prefill: int | None
    decode: int | None
    are_workers: bool = field(kw_only=True)

    def judge(self, facts: Facts) -> Judgement:
        """Look for a row with these numbers."""

        def fits(row: Row) -> bool | None:
            answers = [
                _is_count(row.side(kind), count, are_workers=self.are_workers)
                for kind, count in ((PREFILL, self.prefill), (DECODE, self.decode))
                if count is not None
            ]
            return None if None in answers else all(answers)

        return judge_rows(facts.rows, fits, _workers)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"the workers are {judgement.actual}"


@dataclass(eq=False, repr=False)
class NodesClaim(Claim):
    """A total of nodes."""

    shape: ClassVar[str] = "topology"

    nodes: int

    def judge(self, facts: Facts) -> Judgement:
        """Look for a row with that many."""

        def fits(row: Row) -> bool | None:
            counts = [side.nodes for side in row.sides]
            # Nodes of a row without GPUs per node are workers' business.
            known = [count for count in counts if count is not None]
            # One more node may hold what routes requests.
            total = sum(known)
            return (
                None if len(known) < len(counts) or not counts else self.nodes in {total, total + 1}
            )

        return judge_rows(facts.rows, fits, lambda row: f"{sum(s.nodes or 0 for s in row.sides)}")

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        return f"there are {judgement.actual} nodes"


@dataclass(eq=False, repr=False)
class LabelClaim(Claim):
    """A degree of parallelism of the prefill or the decode workers, or of either."""

    shape: ClassVar[str] = "topology"

    kind: str
    label: str
    degree: int
    is_only: bool = field(kw_only=True)

    def judge(self, facts: Facts) -> Judgement:
        """Look for a row whose workers have it."""

        def fits(row: Row) -> bool | None:
            sides = [side for side in row.sides if not self.kind or side.kind == self.kind]
            answers = [_has_degree(side, self.label, self.degree) for side in sides]
            return True if True in answers else None if None in answers or not answers else False

        def show(row: Row) -> str:
            sides = [side for side in row.sides if not self.kind or side.kind == self.kind]
            return " + ".join(degrees(side, is_named=not self.kind) for side in sides)

        return judge_rows(facts.rows, fits, show, every=self.is_only)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the rows have."""
        workers = f"{self.kind} workers" if self.kind else "workers"
        return f"the {workers} are {judgement.actual}"


def judge_rows(
    rows: tuple[Row, ...],
    fits: Callable[[Row], bool | None],
    show: Callable[[Row], str],
    *,
    every: bool = False,
) -> Judgement:
    """Judge a claim that one row has to meet, or every one."""
    answers = [fits(row) for row in rows]
    if not rows or (None in answers and (every or True not in answers)):
        return UNKNOWN
    is_true = all(answers) if every else True in answers
    shown = [show(row) for row in rows]
    misfits = [text for text, answer in zip(shown, answers, strict=True) if not answer]
    return Judgement(
        Verdict.TRUE if is_true else Verdict.FALSE,
        listed(misfits),
        tuple(dict.fromkeys((label(row), text) for row, text in zip(rows, shown, strict=True))),
        tuple(row.place for row, answer in zip(rows, answers, strict=True) if not answer),
    )


def label(row: Row) -> str:
    """Return a row for a table."""
    lengths = f"{row.lengths} " if row.lengths else ""
    return f"{lengths}conc {', '.join(map(str, row.concurrencies)) or '?'}"


def degrees(side: Side, *, is_named: bool) -> str:
    """Return the parallelism of a side for a reader, after its kind where that is not clear."""
    parts = [
        f"{name}{value}"
        for name, value in (("TP", side.tp), ("EP", side.ep), ("DP", side.dp))
        if value is not None and (value > 1 or name == "TP")
    ]
    attention = "with" if side.dp_attention else "without"
    kind = f"{side.kind} " if is_named and side.kind != WHOLE else ""
    return f"{kind}{'/'.join(parts)} {attention} DP attention"


def _workers(row: Row) -> str:
    return " + ".join(
        f"{side.workers} {side.kind}" + (f" (nodes: {side.nodes})" if side.nodes else "")
        for side in row.sides
    )


def _is_count(side: Side | None, count: int, *, are_workers: bool) -> bool | None:
    if side is None or side.workers is None:
        return None
    sizes = {side.tp, side.ep, side.dp, side.gpus} - {None}
    if count in {side.workers, side.nodes, *(size * side.workers for size in sizes if size)}:
        return True
    return False if are_workers or side.nodes is not None else None


def _has_degree(side: Side, name: str, degree: int) -> bool | None:
    sizes = {side.tp, side.ep, side.dp, side.gpus} - {None}
    # Where a row says 1 for all, the size is decided elsewhere.
    if side.tp is None or (side.dp_attention and sizes == {1}):
        return None
    match name:
        case "TP":
            return degree in {side.tp, side.gpus}
        case "EP":
            return None if side.ep is None else degree in {side.ep, side.gpus}
        case "DP":
            return degree in sizes if side.dp_attention else degree == (side.dp or 1)
        case "DEP":
            return degree in sizes and side.dp_attention is not False
        case _:
            return degree in sizes and side.dp_attention is not True


def find(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims of a sentence about workers, nodes and degrees."""
    text = sentence.text
    pairs: list[tuple[int, int]] = []
    for match in _PAIR.finditer(text):
        start, end = sentence.place(match)
        if (
            sentence.is_history(start, end)
            or sentence.is_foreign(start)
            or _LEFT_OUT.search(text, match.end())
            or _OTHER.search(text[: match.start()])
        ):
            continue
        yield CountClaim(start, end, int(match["p"]), int(match["d"]), are_workers=False)
        if _LABEL_PAIR.match(text[match.end() :]):
            pairs.append((match.end(), match.end() + 40))
    for pattern in (_COUNT, _COUNT_AFTER):
        for match in pattern.finditer(text):
            start, end = sentence.place(match)
            is_other = sentence.is_foreign(start) or _LEFT_OUT.search(text, match.end())
            if sentence.is_history(start, end) or is_other:
                continue
            count, kind = count_of(match["count"]), match["kind"].lower()
            # `8 decode tokens`, `prefill` as an adjective of something else.
            after = text[match.end() :]
            is_loose = not match["unit"] and not re.match(r"\s*(?:\(|\+|,|and\b|at\b|@|/|$)", after)
            prefill, decode = (count, None) if kind == PREFILL else (None, count)
            are_workers = (match["unit"] or "").strip().lower().startswith("worker")
            yield CountClaim(
                start, end, prefill, decode, are_workers=are_workers, is_cautious=is_loose
            )
    for match in _TOTAL.finditer(text):
        start, end = sentence.place(match)
        yield NodesClaim(start, end, int(match["count"]))
    yield from _labels(sentence, pairs)


def _labels(sentence: Sentence, pairs: list[tuple[int, int]]) -> Iterator[LabelClaim]:
    text = sentence.text
    order: dict[int, int] = {}
    for match in _LABELS.finditer(text):
        start, end = sentence.place(match)
        # `DEP4 (TP1 DP4 EP)` takes a degree apart.
        is_trivial = match["degree"] == "1"
        is_other = sentence.is_foreign(start) or _SAID_OF.match(text[match.end() :])
        if is_trivial or is_other or sentence.is_history(start, end):
            continue
        kind, is_tight = "", False
        if _CONDITION.search(text[: match.start()]) and not _KINDS_NAMED.search(text):
            continue
        for at, (first, last) in enumerate(pairs):
            if first <= match.start() < last and order.get(at, 0) < len(_KINDS):
                kind = (PREFILL, DECODE)[order.get(at, 0)]
                order[at] = order.get(at, 0) + 1
                is_tight = True
        if not kind:
            after = _KIND_AFTER.match(text[match.end() :])
            before = _KIND_BEFORE.match(text[: match.start()])
            if after:
                kind, is_tight = after[1].lower(), True
            elif before:
                kind, is_tight = before[1].lower(), True
        is_only = bool(re.match(r"[- ]only\b", text[match.end() :], re.IGNORECASE))
        yield LabelClaim(
            start,
            end,
            kind,
            match["label"].upper(),
            int(match["degree"]),
            is_only=is_only,
            is_cautious=is_only or not is_tight,
        )
