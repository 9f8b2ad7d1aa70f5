"""Names with values: `max-num-seqs=4`, `--block-size 128`, `max-model-len is pinned at 800k`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from infx_lint.claims.amounts import AMOUNT, amount_of, number_of
from infx_lint.claims.claim import Claim, Judgement, judge_points
from infx_lint.claims.facts import Facts, normalised
from infx_lint.claims.pattern import Pattern
from infx_lint.claims.speculation import is_draft_length
from infx_lint.claims.wording import Sentence

# A name in prose is a flag, a name of several parts, or a variable.
_COMPOUND = r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+"
_FLAG = r"--[A-Za-z][\w-]*"
_VARIABLE = r"[A-Z][A-Z0-9]{3,}"
_WORD = r"[A-Za-z][\w.+-]*[A-Za-z0-9]"
_EQUALS = Pattern(
    rf"(?<![\w$./{{-])[`\"']?(?P<name>{_FLAG}|[A-Za-z]\w*(?:[_-]\w+)*)[`\"']?\s?[=:]\s?[`\"']?"
    rf"(?P<value>{AMOUNT}|(?<==){_WORD}(?![\w(/])|(?<==)[`\"']{_WORD}[`\"'])",
    re.IGNORECASE,
)
_VERBS = (
    r"(?:\s+(?:is|are|of|at|to|stays?|remains?|kept|set|pinned|capped|fixed|lowered|raised|bumped|"
    r"halved|reduced|increased|doubled|starts?|equals?|about|around|now)){0,4}"
)
_SAYS = Pattern(
    rf"(?<![\w$./{{-])[`\"']?(?P<name>{_FLAG}|{_COMPOUND}|{_VARIABLE})[`\"']?{_VERBS}\s+[`\"']?(?P<value>{AMOUNT})"
)
_ARROW = Pattern(rf"^\s*(?:→|->|to)\s*(?P<value>{AMOUNT})")
# What a row gives is a condition where it is named, and no claim.
_NOT_NAMES = frozenset(
    {"conc", "tp", "ep", "dp", "pp", "ep_size", "dp_attention", "dp_attn", "isl", "osl"}
    | {"kv_offloading", "kv_offload_backend", "offloading", "spec_decoding", "gpu_count"}
    | {"eval_only", "run_eval", "is_agentic", "http", "https", "pr", "run", "line", "note"}
)
# An order to the reader, or the reason for something else.
_ADVICE = Pattern(r"\b(?:set|setting|pass|passing|use|using|for|with|via|or|by)\s*$", re.IGNORECASE)
_AFTERWARDS = Pattern(
    r"^\s?(?:x\b|\u00d7|\*|times|failed|would|could|tok|req|GB/s|%|\(?or\b|vs\b|\(default|unless|except)",
    re.IGNORECASE,
)


@dataclass(eq=False, repr=False)
class EqualityClaim(Claim):
    """A name is said to have a value."""

    shape: ClassVar[str] = "value"

    name: str
    value: str

    def judge(self, facts: Facts) -> Judgement:
        """Compare the value with what the name has at every point."""
        return judge_points(facts.lookup(self.name), self._agrees)

    def contradiction(self, judgement: Judgement) -> str:
        """Return what the name has for its value."""
        return f"`{self.name}` is {judgement.actual}"

    def _agrees(self, value: str) -> bool | None:
        amount = amount_of(self.value)
        if amount is not None:
            return amount.agrees(value)
        if number_of(value) is not None and self.value.lower() not in {"true", "false"}:
            return None
        return _plain(value) == _plain(self.value)


def _plain(value: str) -> str:
    value = value.strip("\"'").lower()
    return {"1": "true", "0": "false"}.get(value, value)


def find(sentence: Sentence) -> Iterator[EqualityClaim]:
    """Yield the claims of a sentence about values of names."""
    seen: set[int] = set()
    for pattern in (_EQUALS, _SAYS):
        for match in pattern.finditer(sentence.text):
            name, start, end = match["name"], match.start("name"), match.end("value")
            value, value_start = match["value"].strip("`\"'"), match.start("value")
            plain = normalised(name)
            if start in seen or plain in _NOT_NAMES or is_draft_length(plain):
                continue
            arrow = _ARROW.match(sentence.text[end:])
            if arrow:
                value, end = arrow["value"], end + arrow.end()
            elif _AFTERWARDS.match(sentence.text[end:]):
                continue
            seen.add(start)
            first, last = sentence.start + start, sentence.start + end
            if not sentence.is_present(first, last) or _is_listed(sentence.text, value_start):
                continue
            is_word = amount_of(value) is None
            is_advice = bool(_ADVICE.search(sentence.before(first, last)))
            yield EqualityClaim(
                first,
                last,
                name,
                value,
                is_fact=not sentence.names_condition(first, last),
                is_cautious=is_word or is_advice,
                literal=(last - len(value), last),
            )


def _is_listed(text: str, value_start: int) -> bool:
    """Tell whether the value is the first of several: which of them counts is not said."""
    return bool(re.match(rf"{AMOUNT}\s*(?:/|,|or\b|vs\.?\b|-)\s*\d", text[value_start:]))
