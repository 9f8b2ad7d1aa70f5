"""Speculative decoding: `EAGLE (3,1,4)`, `num-steps 3 / eagle-topk 1`, `2 draft tokens`, `MTP3`.

A triple after EAGLE is (steps, topk, draft tokens). The flag of SGLang for draft tokens is one more
than the depth, that of vLLM is the depth: both readings of a number are accepted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from infx_lint.claims.amounts import COUNT, count_of, number_of
from infx_lint.claims.claim import ABSENT, Claim, Judgement, Verdict, judge_points, listed
from infx_lint.claims.facts import Facts, Quantity
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.wording import Sentence

_STEPS = "speculative_num_steps"
_TOPK = "speculative_eagle_topk"
_DRAFTS = "speculative_num_draft_tokens"
_DEPTHS = (
    "num_speculative_tokens",
    "num_spec_tokens",
    "spec_num_tokens",
    "decode_mtp_size",
    "num_nextn_predict_layers",
    _STEPS,
)
_NAMES = frozenset(
    {*_DEPTHS, _DRAFTS, "num_draft_tokens", "num_steps", "draft_tokens", "spec_tokens"}
)

_TRIPLE = Pattern(
    r"\bEAGLE3?\s*(?:chain\s*)?[(\[]?\s*(?P<steps>\d+)\s*[,/]\s*(?P<topk>\d+)\s*[,/]\s*(?P<drafts>\d+)\s*[)\]]?"
)
_WRITTEN = Pattern(
    r"(?:num-steps|steps)[ =:]*(?P<steps>\d+)\W{1,3}(?:eagle-)?topk[ =:]*(?P<topk>\d+)\W{1,3}"
    r"(?:num-)?draft-tokens[ =:]*(?P<drafts>\d+)"
)
_DEPTH = Pattern(
    rf"\b(?P<count>{COUNT})[ -](?:draft|speculative|spec)[ -]tokens?\b|"
    r"\bMTP-?(?P<mtp>[1-9])\b|\b(?:draft )?depth[ =]+(?P<depth>\d)\b|"
    r"\b(?:num[_-]speculative[_-]tokens|"
    r"NUM_SPEC_TOKENS|SPEC_NUM_TOKENS|DECODE_MTP_SIZE)[ =:\"']{1,4}(?P<named>\d+)\b",
    re.IGNORECASE,
)


def is_draft_length(name: str) -> bool:
    """Tell whether a normalised name is one of those for the depth of speculation."""
    return name in _NAMES


@dataclass(eq=False, repr=False)
class TripleClaim(Claim):
    """EAGLE is said to run with steps, topk and draft tokens."""

    shape: ClassVar[str] = "speculation"

    steps: str
    topk: str
    drafts: str

    def judge(self, facts: Facts) -> Judgement:
        """Compare all three at every point: one branch of the script may be meant."""
        parts = [facts.named(name) for name in (_STEPS, _TOPK, _DRAFTS)]
        if not any(parts):
            return ABSENT
        judged = [
            judge_points(quantities, wanted.__eq__)
            for quantities, wanted in zip(parts, (self.steps, self.topk, self.drafts), strict=True)
        ]
        verdicts = {one.verdict for one in judged}
        if not verdicts <= {Verdict.TRUE, Verdict.PARTLY, Verdict.FALSE}:
            return Judgement(Verdict.UNKNOWN)
        worst = next(v for v in (Verdict.FALSE, Verdict.PARTLY, Verdict.TRUE) if v in verdicts)
        rows: dict[str, list[str]] = {}
        for one in judged:
            for point, value in one.rows:
                rows.setdefault(point, []).append(value)
        texts = tuple((point, "/".join(values)) for point, values in rows.items())
        places = tuple(dict.fromkeys(place for one in judged for place in one.places))
        return Judgement(worst, listed(text for _, text in texts), texts, places)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what EAGLE runs with."""
        return f"steps, topk and draft tokens are {judgement.actual}"


@dataclass(eq=False, repr=False)
class DepthClaim(Claim):
    """Speculation is said to go some number of tokens deep."""

    shape: ClassVar[str] = "speculation"

    depth: int

    def judge(self, facts: Facts) -> Judgement:
        """Compare with every name that the depth goes by."""
        # One flag for draft tokens counts the token that is verified with them.
        drafts = tuple(map(_without_verified, facts.named(_DRAFTS)))
        quantities = (*facts.named(*_DEPTHS, _DRAFTS), *drafts)

        def agrees(value: str) -> bool | None:
            number = number_of(value)
            return None if number is None else number == self.depth

        return judge_points(quantities, agrees)

    def contradiction(self, judgement: Judgement) -> str:
        """Return how deep speculation goes."""
        return f"the number of draft tokens is {judgement.actual}"


def _without_verified(quantity: Quantity) -> Quantity:
    readings = tuple(
        reading._replace(value=str(int(reading.value) - 1))
        for reading in quantity.readings
        if reading.value is not None and re.fullmatch(r"\d{1,9}", reading.value)
    )
    return quantity._replace(readings=readings)


def find(sentence: Sentence) -> Iterator[Claim]:
    """Yield the claims of a sentence about speculative decoding."""
    for pattern in (_TRIPLE, _WRITTEN):
        for match in pattern.finditer(sentence.text):
            start, end = sentence.place(match)
            if not sentence.is_history(start, end):
                yield TripleClaim(
                    start, end, match["steps"], match["topk"], match["drafts"], is_fact=False
                )
    for match in _DEPTH.finditer(sentence.text):
        start, end = sentence.place(match)
        number = match["count"] or match["mtp"] or match["depth"] or match["named"]
        if sentence.is_history(start, end):
            continue
        is_named = bool(match["named"] or match["count"])
        yield DepthClaim(
            start,
            end,
            count_of(number),
            is_fact=not sentence.names_condition(start, end),
            is_cautious=not is_named,
        )
