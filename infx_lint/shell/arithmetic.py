"""Arithmetic as bash evaluates it: 64-bit integers that wrap round, the operators of C and `**`.

A Pratt parser that evaluates while it parses. An unset variable is unknown, not 0: it may come
from outside of the script. What bash would refuse is unknown too, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from infx_lint.shell.value import Unknown

LONGEST = 4096
DEEPEST = 40

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d[\w@#]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator><<=|>>=|\*\*|\+\+|--|&&|\|\||[-+*/%&|^]=|[<>=!]=|<<|>>|[-+*/%&|^<>=!~?:,()\[\]])|$)"
)
_ASSIGNING = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="})
# The power of each binary operator; assignment, `?:` and `**` go to the right.
_POWERS = {
    operator: power
    for power, operators in enumerate(
        (
            (",",),
            tuple(_ASSIGNING),
            ("?",),
            ("||",),
            ("&&",),
            ("|",),
            ("^",),
            ("&",),
            ("==", "!="),
            ("<", "<=", ">", ">="),
            ("<<", ">>"),
            ("+", "-"),
            ("*", "/", "%"),
            ("**",),
        ),
        start=1,
    )
    for operator in operators
}
_COMMA, _ASSIGN, _TERNARY, _UNARY = 1, 2, 3, 15
_DIGITS = {
    character: value
    for value, character in enumerate(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_"
    )
}
_CASELESS_BASE, _HIGHEST_BASE = 36, 64

Number: TypeAlias = int | Unknown


class Store(Protocol):
    """The variables that an expression reads and sets."""

    def get(self, name: str, index: str | None) -> str | Unknown | None:
        """Return the text of a variable or of an element, None if it is not set."""

    def set(self, name: str, index: str | None, value: int | Unknown) -> None:
        """Give a variable or an element its value."""


class _RefusedError(Exception):
    """Bash would fail on the expression; the message says why."""


def fold(text: str, store: Store) -> int | Unknown:
    """Return the value of an expression; `$` in it has been expanded before.

    Args:
        text: what stands inside of `$(( ))`, `(( ))` or `[ ]`; an empty one is 0.
        store: the variables.
    """
    try:
        return _Parser(text, store, depth=0).value()
    except _RefusedError as error:
        return Unknown(str(error))


def _wrap(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise _RefusedError("a division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _power(left: int, right: int) -> int:
    if right < 0:
        raise _RefusedError("a negative exponent")
    return pow(left, right, 1 << 64)


_BINARY: dict[str, Callable[[int, int], int]] = {
    "|": int.__or__,
    "^": int.__xor__,
    "&": int.__and__,
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "<": lambda left, right: int(left < right),
    "<=": lambda left, right: int(left <= right),
    ">": lambda left, right: int(left > right),
    ">=": lambda left, right: int(left >= right),
    # As the processor does it: the count is taken modulo 64.
    "<<": lambda left, right: left << (right & 63),
    ">>": lambda left, right: left >> (right & 63),
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "/": _divide,
    "%": lambda left, right: left - right * _divide(left, right),
    "**": _power,
}


class _Place(NamedTuple):
    """A variable, or an element of it, that a value can be assigned to."""

    name: str
    subscript: str | None


class _Parser:
    def __init__(self, text: str, store: Store, depth: int) -> None:
        if len(text) > LONGEST:
            raise _RefusedError(f"an expression of more than {LONGEST:,} characters")
        if depth > DEEPEST:
            raise _RefusedError("an expression nested too deep")
        # Quotes are removed as in double quotes.
        self._text = text.replace('"', "")
        self._store = store
        self._depth = depth
        self._position = 0
        self._nesting = 0
        # Above zero where nothing is evaluated: the other branch of `?:`, behind a decided `&&`.
        self._skipping = 0
        # Above zero where it is not known whether this is evaluated.
        self._doubtful = 0
        self._kind, self._token = "", ""
        self._next()

    def value(self) -> Number:
        """Return the value of the whole text."""
        if self._kind == "end":
            return 0
        value = self._expression(0)
        if self._kind != "end":
            raise _RefusedError(f"`{self._token}` where the expression should end")
        return self._read(value)

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._position)
        if found is None:
            raise _RefusedError(
                f"`{self._text[self._position :].strip()[:20]}`, which is no arithmetic"
            )
        self._position = found.end()
        self._kind = found.lastgroup or "end"
        self._token = found[found.lastgroup] if found.lastgroup else ""
        if self._kind == "end" and self._text[self._position :].strip():
            raise _RefusedError("text that is no arithmetic")

    def _take(self) -> str:
        token = self._token
        self._next()
        return token

    def _expect(self, symbol: str) -> None:
        if self._token != symbol:
            raise _RefusedError(f"a missing `{symbol}`")
        self._next()

    def _expression(self, least: int) -> Number | _Place:
        """Parse and evaluate what binds at least as tightly as a power."""
        self._nesting += 1
        if self._nesting > DEEPEST:
            raise _RefusedError("an expression nested too deep")
        left = self._operand()
        while self._kind == "operator" and _POWERS.get(self._token, -1) >= max(least, 1):
            operator = self._token
            power = _POWERS[operator]
            if operator in _ASSIGNING:
                # `a + b = c`: an assignment takes a name alone, whatever stands before it.
                if not isinstance(left, _Place):
                    raise _RefusedError("an assignment to something that is no variable")
                self._next()
                # The old value is taken before the right side is evaluated.
                before = 0 if operator == "=" else self._read(left)
                right = self._read(self._expression(_ASSIGN))
                if operator != "=":
                    right = self._apply(operator[:-1], before, right)
                left = self._assign(left, right)
            elif operator == "?":
                self._next()
                left = self._choose(self._read(left))
            elif operator in {"&&", "||"}:
                self._next()
                left = self._shortcut(operator, power, self._read(left))
            elif operator == ",":
                self._next()
                self._read(left)
                left = self._read(self._expression(power + 1))
            else:
                self._next()
                value = self._read(left)
                right = self._read(self._expression(power if operator == "**" else power + 1))
                left = self._apply(operator, value, right)
        self._nesting -= 1
        return left

    def _apply(self, operator: str, left: Number, right: Number) -> Number:
        if isinstance(left, Unknown):
            return left
        if isinstance(right, Unknown):
            return right
        if self._skipping and operator in {"/", "%"} and right == 0:
            # Bash lets this one pass where nothing is evaluated; a negative exponent it refuses.
            right = 1
        return _wrap(_BINARY[operator](left, right))

    def _choose(self, condition: Number) -> Number:
        unknown = isinstance(condition, Unknown)
        first = self._branch(_COMMA, taken=condition != 0, unknown=unknown)
        self._expect(":")
        second = self._branch(_TERNARY, taken=condition == 0, unknown=unknown)
        if isinstance(condition, Unknown):
            return condition
        return first if condition else second

    def _shortcut(self, operator: str, power: int, left: Number) -> Number:
        decides = operator == "||"
        if isinstance(left, Unknown):
            right = self._branch(power + 1, taken=True, unknown=True)
            # `x && 0` is 0 whatever x is.
            known = not isinstance(right, Unknown) and bool(right) is decides
            return int(decides) if known else left
        if bool(left) is decides:
            self._branch(power + 1, taken=False, unknown=False)
            return int(decides)
        right = self._branch(power + 1, taken=True, unknown=False)
        return right if isinstance(right, Unknown) else int(bool(right))

    def _branch(self, least: int, *, taken: bool, unknown: bool) -> Number:
        self._skipping += not taken and not unknown
        self._doubtful += unknown
        value = self._read(self._expression(least))
        self._skipping -= not taken and not unknown
        self._doubtful -= unknown
        return value

    def _operand(self) -> Number | _Place:
        kind, symbol = self._kind, self._token
        if kind == "number":
            self._next()
            return _number(symbol)
        if kind == "name":
            self._next()
            place = _Place(symbol, self._subscript())
            if self._token in {"++", "--"}:
                operator = self._take()
                before = self._read(place)
                self._assign(place, self._apply(operator[0], before, 1))
                return before
            return place
        self._next()
        match symbol:
            case "(":
                value = self._read(self._expression(0))
                self._expect(")")
                return value
            case "++" | "--" if self._kind == "name":
                place = _Place(self._take(), self._subscript())
                return self._assign(place, self._apply(symbol[0], self._read(place), 1))
            case "+" | "-" | "!" | "~" | "++" | "--":
                operand = self._read(self._expression(_UNARY))
                if isinstance(operand, Unknown):
                    return operand
                if symbol == "-":
                    return _wrap(-operand)
                if symbol == "!":
                    return int(not operand)
                return ~operand if symbol == "~" else operand
        raise _RefusedError(
            f"`{symbol}` where a number should stand" if symbol else "a missing operand"
        )

    def _subscript(self) -> str | None:
        if self._text[self._position - 1 : self._position] != "[" or self._kind != "operator":
            return None
        end = self._text.find("]", self._position)
        if end < 0:
            raise _RefusedError("a missing `]`")
        index = self._text[self._position : end]
        self._position = end + 1
        self._next()
        value = _Parser(index, self._store, self._depth + 1).value()
        return index if isinstance(value, Unknown) else str(value)

    def _read(self, value: Number | _Place) -> Number:
        if not isinstance(value, _Place):
            return value
        if self._skipping:
            return 0
        text = self._store.get(*value)
        if text is None:
            return Unknown(f"`{value.name}` is not set")
        if isinstance(text, Unknown):
            return text
        try:
            return _Parser(text, self._store, self._depth + 1).value()
        except _RefusedError as error:
            raise _RefusedError(f"`{value.name}` holds {error}") from None

    def _assign(self, place: _Place, value: Number) -> Number:
        if self._skipping:
            return value
        if self._doubtful:
            value = Unknown(f"whether `{place.name}` is assigned")
        self._store.set(place.name, place.subscript, value)
        return value


def _number(token: str) -> int:
    base_text, hash_sign, digits = token.partition("#")
    if hash_sign:
        if not base_text.isdigit():
            raise _RefusedError(f"`{token}`, which is no number")
        base = int(base_text)
    elif token[:2].lower() == "0x":
        base, digits = 16, token[2:]
    elif token.startswith("0"):
        base, digits = 8, token[1:]
    else:
        base, digits = 10, token
    if not 2 <= base <= _HIGHEST_BASE:  # noqa: PLR2004 - the lowest base
        raise _RefusedError(f"`{token}`: there is no such base")
    value = 0
    for character in digits:
        digit = _DIGITS.get(character.lower() if base <= _CASELESS_BASE else character, base)
        if digit >= base:
            raise _RefusedError(f"`{token}`, which is no number of base {base}")
        value = value * base + digit
    if hash_sign and not digits:
        raise _RefusedError(f"`{token}`, which is no number")
    return _wrap(value)
