"""Values without their names: `FULL_DECODE_ONLY CUDA graphs`, `triton_unfused MoE`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from infx_lint.claims.claim import ABSENT, Claim, Judgement, judge_points
from infx_lint.claims.facts import Facts
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.wording import Sentence

_TOKEN = Pattern(
    r"(?<![\w$/.=-])(?P<token>[A-Z]+(?:_[A-Z]+)+|[a-z]+\d*(?:_[a-z0-9]+)+)(?![\w/.=(-])"
)


@dataclass(eq=False, repr=False)
class ModeClaim(Claim):
    """A word that is a value of the configuration stands in a comment."""

    shape: ClassVar[str] = "mode"

    word: str

    def judge(self, facts: Facts) -> Judgement:
        """Tell at which points something has the word for its value."""
        having = facts.having(self.word)
        if not having:
            return ABSENT
        return judge_points(having, lambda value: value == self.word, facts.points)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what stands in its place."""
        return f"the value is {judgement.actual}"


def find(sentence: Sentence) -> Iterator[ModeClaim]:
    """Yield the words of a sentence that may be values; they count if they were so before."""
    for match in _TOKEN.finditer(sentence.text):
        start, end = sentence.place(match)
        if sentence.is_present(start, end):
            is_fact = not sentence.names_condition(start, end)
            yield ModeClaim(start, end, match["token"], is_fact=is_fact, is_cautious=True)
