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
# What one expression may read in all, the values of its variables each time that they are read.
_MOST = 8 * LONGEST
_LONGEST_QUOTE = 20

_BLANK = r"[ \t\n]*"
_TOKEN = re.compile(
    rf"{_BLANK}(?:(?P<number>\d[\w@#]*)|(?P<name>[A-Za-z_]\w*)"
    # `1--2` subtracts twice: only a name after it makes an increment.
    rf"|(?P<operator>(?:\+\+|--)(?={_BLANK}[A-Za-z_])|<<=|>>=|\*\*|&&|\|\||[-+*/%&|^]=|[<>=!]="
    r"|<<|>>|[-+*/%&|^<>=!~?:,()])|(?P<end>\Z))",
    re.ASCII,
)
_AFTER_NAME = re.compile(rf"{_BLANK}(\+\+|--)")
_BRACKET = re.compile(r"[\[\]]")
_ASSIGNED = re.compile(
    rf"(?:\+\+|--){_BLANK}([A-Za-z_]\w*+)"
    rf"|(?<!\w)([A-Za-z_]\w*+){_BLANK}+(?:\[|\+\+|--|(?:<<|>>|[-+*/%&|^])?=(?!=))",
    re.ASCII,
)
# From loose to tight; assignment, `?:` and `**` go to the right.
_LEVELS = (
    ",",
    "= += -= *= /= %= <<= >>= &= ^= |=",
    "?",
    "||",
    "&&",
    "|",
    "^",
    "&",
    "== !=",
    "< <= > >=",
    "<< >>",
    "+ -",
    "* / %",
    "**",
)
_POWERS = {
    operator: power
    for power, operators in enumerate(_LEVELS, start=1)
    for operator in operators.split()
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
    """Bash would fail on the expression, or it is over a limit; the message says why.

    Attributes:
        holder: the outermost variable whose value is at fault, if it is not the text itself.
    """

    holder = ""


def fold(text: str, store: Store) -> int | Unknown:
    """Return the value of an expression; `$` in it has been expanded before.

    Args:
        text: what stands inside of `$(( ))`, `(( ))` or `[ ]`; an empty one is 0.
        store: the variables. An index is given as a number, or as its text where that is unknown;
            what a refused expression may have assigned is set to unknown.
    """
    try:
        return _Evaluation(store).value_of(text)
    except _RefusedError as error:
        held = f"`{error.holder}` holds " if error.holder else ""
        unknown = Unknown(f"{held}{error}")
        for name in {first or second for first, second in _ASSIGNED.findall(text)}:
            store.set(name, None, unknown)
        return unknown


def _quote(text: str) -> str:
    return f"`{text[:_LONGEST_QUOTE]}{'...' if len(text) > _LONGEST_QUOTE else ''}`"


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


class _Evaluation:
    """Evaluates a text, and in its turn the text of each variable and subscript in it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._text, self._position = "", 0
        self._kind, self._symbol = "", ""
        self._nesting = 0
        self._spent = 0
        # Above zero where nothing is evaluated: the other branch of `?:`, behind a decided `&&`.
        self._skipping = 0
        # Above zero where it is not known whether this is evaluated.
        self._doubtful = 0

    def value_of(self, text: str) -> Number:
        """Return the value of a whole text, then go on where it was met."""
        if len(text) > LONGEST:
            raise _RefusedError(f"an expression of more than {LONGEST:,} characters")
        self._spent += len(text) + 1
        if self._spent > _MOST:
            raise _RefusedError("an expression that takes too long to evaluate")
        self._deepen()
        outer = self._text, self._position, self._kind, self._symbol
        # Quotes are removed as in double quotes.
        self._text, self._position = text.replace('"', ""), 0
        self._next()
        value: Number = 0 if self._kind == "end" else self._read(self._expression(0))
        if self._kind != "end":
            raise _RefusedError(f"{_quote(self._symbol)} where the expression should end")
        self._text, self._position, self._kind, self._symbol = outer
        self._nesting -= 1
        return value

    def _deepen(self) -> None:
        self._nesting += 1
        if self._nesting > DEEPEST:
            raise _RefusedError("an expression nested too deep")

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._position)
        if found is None:
            rest = self._text[self._position :].lstrip(" \t\n")
            raise _RefusedError(f"{_quote(rest)}, which is no arithmetic")
        self._position = found.end()
        self._kind = found.lastgroup or ""
        self._symbol = found[self._kind]

    def _expect(self, symbol: str) -> None:
        if self._symbol != symbol:
            raise _RefusedError(f"a missing `{symbol}`")
        self._next()

    def _expression(self, least: int) -> Number | _Place:
        """Parse and evaluate what binds at least as tightly as a power."""
        self._deepen()
        left = self._operand()
        while self._kind == "operator" and _POWERS.get(self._symbol, -1) >= max(least, 1):
            operator = self._symbol
            power = _POWERS[operator]
            if power == _ASSIGN:
                if not isinstance(left, _Place):
                    raise _RefusedError("an assignment to something that is no variable")
                self._next()
                # The old value is taken before the right side is evaluated.
                before = 0 if operator == "=" else self._read(left)
                right = self._read(self._expression(_ASSIGN))
                if operator == "=":
                    left = self._assign(self._located(left), right)
                else:
                    left = self._assign(left, self._apply(operator[:-1], before, right))
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
            return first if first == second else condition
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
        kind, symbol = self._kind, self._symbol
        if kind == "number":
            self._next()
            return _number(symbol)
        if kind == "name":
            place = self._place()
            found = _AFTER_NAME.match(self._text, self._position)
            self._position = found.end() if found else self._position
            self._next()
            if not found:
                # Bash evaluates the subscript of `r[i] = x` after the right side.
                return place if self._symbol == "=" else self._located(place)
            place = self._located(place)
            before = self._read(place)
            self._assign(place, self._apply(found[1][0], before, 1))
            return before
        self._next()
        match symbol:
            case "(":
                value = self._read(self._expression(0))
                self._expect(")")
                return value
            case "++" | "--":
                place = self._located(self._place())
                if found := _AFTER_NAME.match(self._text, self._position):
                    raise _RefusedError(f"`{found[1]}` after what is no variable")
                self._next()
                return self._assign(place, self._apply(symbol[0], self._read(place), 1))
            case "+" | "-" | "!" | "~":
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

    def _place(self) -> _Place:
        """Return the variable that the current token names, its subscript not yet evaluated."""
        start = self._position
        if not self._text.startswith("[", start):
            return _Place(self._symbol, None)
        depth = 0
        for bracket in _BRACKET.finditer(self._text, start):
            depth += 1 if bracket[0] == "[" else -1
            if not depth:
                self._position = bracket.end()
                return _Place(self._symbol, self._text[start + 1 : bracket.start()])
        raise _RefusedError("a missing `]`")

    def _located(self, place: _Place) -> _Place:
        """Evaluate the subscript; one that is unknown stays, it may be the key of a table."""
        if place.subscript is None or self._skipping:
            return place
        if not place.subscript:
            raise _RefusedError("an empty subscript")
        index = self.value_of(place.subscript)
        return place if isinstance(index, Unknown) else _Place(place.name, str(index))

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
            return self.value_of(text)
        except _RefusedError as error:
            error.holder = value.name
            raise

    def _assign(self, place: _Place, value: Number) -> Number:
        if self._skipping:
            return value
        if self._doubtful and not isinstance(value, Unknown):
            value = Unknown(f"whether `{place.name}` is assigned")
        self._store.set(place.name, place.subscript, value)
        return value


def _number(token: str) -> int:
    base_text, hash_sign, digits = token.partition("#")
    if hash_sign:
        if not digits or not base_text.isdigit() or base_text.startswith("0"):
            raise _RefusedError(f"{_quote(token)}, which is no number")
        base = _wrap(int(base_text))
    elif token[:2].lower() == "0x":
        base, digits = 16, token[2:]
    elif token.startswith("0"):
        base, digits = 8, token[1:]
    else:
        base, digits = 10, token
    if not 2 <= base <= _HIGHEST_BASE:  # noqa: PLR2004 - the lowest base
        raise _RefusedError(f"{_quote(token)}: there is no such base")
    value = 0
    for character in digits.lower() if base <= _CASELESS_BASE else digits:
        digit = _DIGITS.get(character, base)
        if digit >= base:
            raise _RefusedError(f"{_quote(token)}, which is no number of base {base}")
        value = value * base + digit
    return _wrap(value)
