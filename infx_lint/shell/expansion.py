"""From the words of a command to the words that it gets: the expansions of bash, in its order.

Parameters are in `parameters`, splitting into words in `splitting`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell import patterns
from infx_lint.shell.arithmetic import fold
from infx_lint.shell.parameters import as_text, element_at, parameter, scalar, value_of
from infx_lint.shell.splitting import LONGEST_LIST, split
from infx_lint.shell.state import Environment, State
from infx_lint.shell.value import (
    Array,
    Field,
    Fields,
    Many,
    Mixed,
    Table,
    Text,
    Unknown,
    Unset,
    Value,
    concatenate,
    names_in,
    pieces_of,
)

Substitute: TypeAlias = Callable[[tuple[tree.Statement, ...], State], Text]

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPE_IN_QUOTES = re.compile(r'\\([$`"\\])')
_ANSI_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "a": "\a", "e": "\x1b"}
ASSIGNED = re.compile(
    r"([A-Za-z_]\w*)\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)


class TooMuchError(Exception):
    """Expanding or running a script would cost more than it may."""


class Expander:
    """Expands words of one script at one state.

    Args:
        script: the path of the script that the words stand in.
        state: where variables are read and, by `${x:=y}` and `$((x++))`, set.
        environment: tells what is known of names that nothing in the script sets.
        substitute: runs a command substitution and returns what it writes.
        sources: returns the names of the script and of those that lead to it, the innermost first.
    """

    def __init__(
        self,
        script: str,
        state: State,
        environment: Environment,
        substitute: Substitute,
        sources: Callable[[], tuple[str, ...]],
    ) -> None:
        self.script = script
        self.state = state
        self.environment = environment
        self._substitute = substitute
        self.sources = sources

    def fields(self, words: Iterable[tree.Word]) -> Fields:
        """Return the words that a list of words becomes, split and with arrays spliced in."""
        found: list[Field | Many] = []
        for word in words:
            found += split(self, word)
            if len(found) > LONGEST_LIST:
                raise TooMuchError(f"a list of more than {LONGEST_LIST:,} words")
        return tuple(found)

    def text(self, word: tree.Word | None) -> Text:
        """Return what a word becomes where nothing is split: the right side of an assignment."""
        if word is None:
            return ""
        if len(word.parts) == 1:
            return self.part(word.parts[0])
        return concatenate(self.part(part) for part in word.parts)

    def pattern(self, word: tree.Word) -> Text:
        """Return a glob: quoted stretches stand for themselves, unquoted ones are patterns."""
        return concatenate(self._pattern_part(part) for part in word.parts)

    def _pattern_part(self, part: tree.Part) -> Text:
        if isinstance(part, tree.Literal):
            return re.sub(r"\\(.)", lambda match: patterns.quote(match[1]), part.text)
        if isinstance(part, tree.ExtendedGlob):
            return part.text
        text = self.part(part)
        if isinstance(part, tree.SingleQuoted | tree.DoubleQuoted):
            return concatenate(
                patterns.quote(piece) if isinstance(piece, str) else piece
                for piece in pieces_of(text)
            )
        return text

    def heredoc(self, redirect: tree.Redirect) -> Text:
        """Return the text of a here-document or here-string."""
        if redirect.operator == "<<<":
            return concatenate((self.text(redirect.target), "\n"))
        target = redirect.target
        quoted = target is None or not all(isinstance(p, tree.Literal) for p in target.parts)
        pieces: list[Text] = []
        for part in redirect.heredoc.parts if redirect.heredoc else ():
            if isinstance(part, tree.Literal):
                pieces.append(part.text if quoted else _ESCAPE_IN_QUOTES.sub(r"\1", part.text))
            else:
                pieces.append(self.part(part))
        return concatenate(pieces)

    def part(self, part: tree.Part) -> Text:
        """Return the text of one part of a word, unsplit."""
        match part:
            case tree.Literal():
                return _ESCAPE.sub(r"\1", part.text)
            case tree.SingleQuoted():
                return _ansi(part.text) if part.ansi else part.text
            case tree.DoubleQuoted(parts=(only,)):
                return self.quoted_part(only)
            case tree.DoubleQuoted():
                return concatenate(self.quoted_part(inner) for inner in part.parts)
            case tree.Parameter():
                return as_text(parameter(self, part))
            case tree.Arithmetic():
                value = self.arithmetic(part.expression)
                return value if isinstance(value, Unknown) else str(value)
            case tree.CommandSubstitution():
                return self._substitute(part.body, self.state)
            case tree.ProcessSubstitution():
                self._substitute(part.body, self.state)
                return Unknown("the name of a pipe")
            case _:
                return part.text

    def quoted_part(self, part: tree.Part) -> Text:
        """Return the text of a part inside of double quotes."""
        if isinstance(part, tree.Literal):
            return _ESCAPE_IN_QUOTES.sub(r"\1", part.text)
        return self.part(part)

    def value(self, name: str) -> Value | None:
        """Return what a variable holds, None where nothing in the script has set it."""
        return value_of(self, name)

    def key(self, subscript: tree.Expression) -> Text:
        """Return the key of an associative array."""
        pieces = []
        for part in subscript.parts:
            text = self.part(part)
            pieces.append(text.replace('"', "").replace("'", "") if isinstance(text, str) else text)
        return concatenate(pieces)

    def arithmetic(self, expression: tree.Expression) -> int | Unknown:
        """Return the value of an expression after its expansions, as bash evaluates it."""
        text = concatenate(
            part.text if isinstance(part, tree.Literal) else self.part(part)
            for part in expression.parts
        )
        if not isinstance(text, str):
            for found in ASSIGNED.finditer(_literals(text)):
                self.state.variables[found[1] or found[2]] = Unknown("computed from an unknown")
            reasons = [piece for piece in pieces_of(text) if isinstance(piece, Unknown)]
            return Unknown(reasons[0].reason, names_in(text))
        store = _Store(self)
        value = fold(text, store)
        if isinstance(value, Unknown):
            return Unknown(value.reason, frozenset(store.unknown))
        return value


def _literals(text: Mixed | Unknown) -> str:
    """Return the known stretches of a text, a `0` in the place of each unknown one."""
    return "".join(piece if isinstance(piece, str) else "0" for piece in pieces_of(text))


class _Store:
    """The variables of a state as the arithmetic sees them."""

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self.unknown: set[str] = set()

    def get(self, name: str, index: str | None) -> str | Unknown | None:
        value = self._expander.value(name)
        if isinstance(value, Table):
            # Its keys are texts; arithmetic has already made a number of this one.
            value = Unknown(f"an element of `{name}`", names_in(value))
        elif isinstance(value, Array) and index is not None:
            if index.strip().isdigit():
                value = element_at(value, int(index))
            else:
                value = Unknown(f"an element of `{name}`", names_in(value))
        if value is None:
            self.unknown.add(name)
            return None
        if isinstance(value, Unset):
            return ""
        text = scalar(value, name)
        if isinstance(text, str):
            return text
        self.unknown |= names_in(text) or {name}
        reasons = [piece for piece in pieces_of(text) if isinstance(piece, Unknown)]
        return reasons[0]

    def set(self, name: str, index: str | None, value: int | Unknown) -> None:
        variables = self._expander.state.variables
        if index is None:
            variables[name] = value if isinstance(value, Unknown) else str(value)
        else:
            variables[name] = Unknown(f"an element of `{name}` is computed")


def _ansi(text: str) -> Text:
    if any(found[1] not in _ANSI for found in _ANSI_ESCAPE.finditer(text)):
        return Unknown("an escape of `$'...'`")
    return _ANSI_ESCAPE.sub(lambda found: _ANSI[found[1]], text)
