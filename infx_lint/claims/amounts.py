"""Amounts as people write them in comments, compared with values as programs are given them.

Every unit that was seen in the linted repository agreed with its value once both were normalised:
32k is 32768, 1M is 1048576, 15 min is 900000 ms, 25 % is 0.25.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from infx_lint.claims.pattern import Pattern

# How far a value may lie from what is said to be about as much.
_ABOUT = 0.25
_SAME = 1e-9

_MULTIPLES: dict[str, tuple[float, ...]] = {
    "": (1,),
    "%": (1, 0.01),
    "k": (1000, 1024),
    "m": (10**6, 2**20, 60, 60_000),
    "g": (1, 1000, 1024, 10**9, 2**30),
    "t": (1, 1000, 1024, 10**12, 2**40),
    "kib": (1, 1024),
    "mib": (1, 2**20),
    "mb": (1, 10**6, 2**20),
    "kb": (1, 1000, 1024),
    "ms": (1, 0.001),
    "s": (1, 1000),
    "min": (1, 60, 60_000),
    "h": (1, 60, 3600, 3_600_000),
}
_SPELLINGS = {
    "gb": "g",
    "gib": "g",
    "tb": "t",
    "tib": "t",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
    "minute": "min",
    "minutes": "min",
    "hour": "h",
    "hours": "h",
    "tokens": "",
}
_UNITS = "|".join(sorted({*_MULTIPLES, *_SPELLINGS} - {""}, key=len, reverse=True))
# A number with its unit; what follows must not make it a part of a version or of a word.
AMOUNT = rf"~?\d+(?:,\d{{3}})*(?:\.\d+)?(?:[ -]?(?:{_UNITS})(?![\w-]))?(?![\w]|[.,]\d|-[A-Za-z0-9])"
_AMOUNT = Pattern(rf"(~?)(\d+(?:,\d{{3}})*(?:\.\d+)?)[ -]?({_UNITS})?", re.IGNORECASE)
_NUMBER = Pattern(r"-?\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
COUNT = rf"\d+|{'|'.join(_WORDS[1:])}"


class Amount(NamedTuple):
    """A number with its unit (empty if it has none); `is_rough` where it is said to be about so."""

    number: float
    unit: str
    is_rough: bool

    def agrees(self, value: str) -> bool | None:
        """Tell whether a value is this amount; None where it is no number."""
        actual = number_of(value)
        if actual is None:
            return None
        allowed = _ABOUT if self.is_rough else _SAME
        expected = (self.number * multiple for multiple in _MULTIPLES[self.unit])
        return any(abs(actual - one) <= allowed * max(abs(one), _SAME) for one in expected)


def amount_of(text: str) -> Amount | None:
    """Return the amount that a text names, None where it is none."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    rough, digits, unit = match.groups(default="")
    unit = _SPELLINGS.get(unit.lower(), unit.lower())
    return Amount(float(digits.replace(",", "")), unit, bool(rough))


def number_of(value: str) -> float | None:
    """Return the number that a value is, None where it is none."""
    value = value.strip("\"'")
    return float(value.replace("_", "")) if _NUMBER.fullmatch(value) else None


def count_of(text: str) -> int:
    """Return the number that digits or an English word stand for."""
    return int(text) if text.isdigit() else _WORDS.index(text.lower())
