"""A claim, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, NamedTuple

from infx_lint.claims.facts import Facts, Place, Quantity, Reading

# More values say no more to a reader.
MOST_LISTED = 8


class Verdict(Enum):
    """What the facts say of a claim.

    `PARTLY`: it holds at some points only. `ABSENT`: what it speaks of is not there.
    `UNKNOWN`: that cannot be told, so nothing is said.
    """

    TRUE = "true"
    PARTLY = "partly"
    FALSE = "false"
    ABSENT = "absent"
    UNKNOWN = "unknown"


class Judgement(NamedTuple):
    """A verdict and the evidence for it.

    Attributes:
        actual: what is the case, for a sentence: `v0.23.0`, `4, 16 or 32`.
        rows: the proof, a row for each point or row: where, and what is there.
        places: what computes or holds the value.
        replacement: what the claim's value has to be, where one literal is right.
    """

    verdict: Verdict
    actual: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    places: tuple[Place, ...] = ()
    replacement: str | None = None


UNKNOWN = Judgement(Verdict.UNKNOWN)
ABSENT = Judgement(Verdict.ABSENT)


# How something is said does not make it another claim.
_MANNER = frozenset({"start", "end", "is_fact", "is_cautious", "is_of_attention", "literal"})


# What `frozen`, `eq` and `repr` would generate for 14 classes of claims takes 6 ms to load.
@dataclass(eq=False, repr=False)
class Claim:
    """Something that a comment says about values.

    Attributes:
        start, end: the words that carry it, as offsets in the text of the block.
        is_fact: nothing beside it says that it holds in some cases only.
        is_cautious: it speaks too loosely to be believed unless it was true before.
        is_of_attention: it may hold under data-parallel attention only.
        literal: where the value alone stands, if another one can be put in its place.
    """

    shape: ClassVar[str] = ""

    start: int
    end: int
    is_fact: bool = field(default=True, kw_only=True)
    is_cautious: bool = field(default=False, kw_only=True)
    is_of_attention: bool = field(default=False, kw_only=True)
    literal: tuple[int, int] | None = field(default=None, kw_only=True)

    @property
    def key(self) -> tuple[object, ...]:
        """Return what makes two claims the same, wherever they stand."""
        return (
            self.shape,
            *(value for name, value in vars(self).items() if name not in _MANNER),
        )

    def judge(self, facts: Facts) -> Judgement:
        """Compare the claim with the facts."""
        raise NotImplementedError

    def contradiction(self, judgement: Judgement) -> str:
        """Return what is the case instead, as the end of a sentence."""
        raise NotImplementedError


def judge_points(
    quantities: Iterable[Quantity],
    agrees: Callable[[str], bool | None],
    points: tuple[str, ...] = (),
) -> Judgement:
    """Judge a claim about a value at every point that has one.

    Args:
        quantities: what may be meant; at a point one that agrees is enough.
        agrees: tells whether a value is the claimed one, None where it is of another kind.
        points: points at which it is claimed too, though nothing may have a value there.
    """
    readings: dict[str, list[Reading]] = {point: [] for point in points}
    for quantity in quantities:
        for reading in quantity.readings:
            readings.setdefault(reading.point, []).append(reading)
    if not any(readings.values()):
        return ABSENT
    answers: list[bool | None] = []
    rows, actual, places = [], [], []
    for point, here in readings.items():
        found = [agrees(reading.value) if reading.value is not None else None for reading in here]
        answer = True if True in found else None if None in found else False
        answers.append(answer)
        values = listed(reading.value or "?" for reading in here) or "not set"
        rows.append((point, values))
        if answer is False:
            actual.append(values)
            places += [reading.place for reading in here if reading.place]
    if all(answers):
        verdict = Verdict.TRUE
    elif False not in answers or (None in answers and True not in answers):
        verdict = Verdict.UNKNOWN
    else:
        verdict = Verdict.PARTLY if True in answers else Verdict.FALSE
    only = actual[0] if len(set(actual)) == 1 and verdict is Verdict.FALSE else None
    return Judgement(
        verdict, listed(actual), tuple(rows), tuple(dict.fromkeys(places)), replacement=only
    )


def listed(values: Iterable[str], last: str = "or") -> str:
    """Return values as a list for a sentence, each once, in their order."""
    unique = list(dict.fromkeys(values))
    if len(unique) > MOST_LISTED:
        return ", ".join(unique[:MOST_LISTED]) + " …"
    if len(unique) > 1:
        unique[-2:] = [f"{unique[-2]} {last} {unique[-1]}"]
    return ", ".join(unique)
