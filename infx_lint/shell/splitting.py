"""Splitting: the words that one word becomes after its expansions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.parameters import as_text, parameter
from infx_lint.shell.value import (
    Field,
    Fields,
    Many,
    Mixed,
    Text,
    Unknown,
    concatenate,
    pieces_of,
)

if TYPE_CHECKING:
    from infx_lint.shell.expansion import Expander

LONGEST_LIST = 4096

_BLANKS = " \t\n"
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_BRACES = re.compile(r"(.*?)\{([^{}]*)\}(.*)", re.DOTALL)
_RANGE = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})")


def split(expander: Expander, word: tree.Word) -> list[Field | Many]:
    """Return the words that a word becomes: none, one or several."""
    return _FieldBuilder(expander, word).fields()


class _FieldBuilder:
    """Splits one word into fields while it is expanded."""

    def __init__(self, expander: Expander, word: tree.Word) -> None:
        self._expander = expander
        self._word = word
        self._done: list[Field | Many] = []
        self._pieces: list[Text] = []
        # Quotes keep a word alive that expands to nothing.
        self._solid = False

    def fields(self) -> list[Field | Many]:
        literal = self._word.literal
        if literal is not None and "{" in literal:
            return self._braces(literal)
        for part in self._word.parts:
            self._add(part)
        self._flush()
        return self._done

    def _braces(self, literal: str) -> list[Field | Many]:
        found = _BRACES.fullmatch(literal)
        if not found or "\\" in literal:
            return [self._field(_ESCAPE.sub(r"\1", literal))]
        before, inner, after = found.groups()
        numbers = _RANGE.fullmatch(inner)
        if numbers:
            first, last = int(numbers[1]), int(numbers[2])
            step = 1 if first <= last else -1
            items = [str(number) for number in range(first, last + step, step)][:LONGEST_LIST]
        elif "," in inner:
            items = inner.split(",")
        else:
            return [self._field(literal)]
        if "{" in after:
            return [Many("a brace expansion")]
        return [self._field(before + item + after) for item in items]

    def _field(self, text: Text) -> Field:
        return Field(text, self._expander.script, self._word.start, self._word.end)

    def _add(self, part: tree.Part) -> None:
        match part:
            case tree.Parameter():
                self._add_value(parameter(self._expander, part))
            case tree.CommandSubstitution():
                self._split(self._expander.part(part))
            case tree.DoubleQuoted():
                self._add_quoted(part)
            case _:
                self._pieces.append(self._expander.part(part))
                self._solid = True

    def _add_quoted(self, quoted: tree.DoubleQuoted) -> None:
        self._solid = True
        for part in quoted.parts:
            if isinstance(part, tree.Parameter):
                value = parameter(self._expander, part)
                if isinstance(value, tuple) and not isinstance(value, Unknown | Mixed):
                    at_sign = part.name == "@" or (
                        part.subscript is not None and "@" in _source(part)
                    )
                    if at_sign:
                        self._splice(value, alone=len(quoted.parts) == 1)
                    else:
                        self._pieces.append(as_text(value))
                    continue
                self._pieces.append(value)
            else:
                self._pieces.append(self._expander.quoted_part(part))

    def _splice(self, fields: Fields, *, alone: bool) -> None:
        """Put the words of a list in; text around it sticks to the first and the last."""
        if alone and not any(piece != "" for piece in self._pieces):
            # `"${list[@]}"` alone: no words at all where the list is empty.
            self._pieces, self._solid = [], False
            self._done += fields
            return
        for number, field in enumerate(fields):
            if number:
                self._flush()
            if isinstance(field, Many):
                self._pieces.append(Unknown(field.reason, field.names))
            else:
                self._pieces.append(field.text)
            self._solid = True

    def _add_value(self, value: Text | Fields) -> None:
        if isinstance(value, tuple) and not isinstance(value, Unknown | Mixed):
            for number, field in enumerate(value):
                if number:
                    self._flush()
                if isinstance(field, Many):
                    self._flush()
                    self._done.append(field)
                else:
                    self._split(field.text)
            return
        self._split(value)

    def _split(self, text: Text) -> None:
        splits_as_usual = "IFS" not in self._expander.state.variables
        for piece in pieces_of(text):
            if isinstance(piece, Unknown):
                self._pieces.append(piece)
                continue
            if not splits_as_usual:
                self._pieces.append(Unknown("words are split by an `IFS` of its own"))
                continue
            for number, stretch in enumerate(re.split(f"[{_BLANKS}]+", piece)):
                if number:
                    self._flush()
                if stretch:
                    self._pieces.append(stretch)

    def _flush(self) -> None:
        if self._pieces or self._solid:
            text = self._pieces[0] if len(self._pieces) == 1 else concatenate(self._pieces)
            if isinstance(text, Unknown) and not self._solid:
                self._done.append(Many(text.reason, text.names))
            elif text != "" or self._solid:
                self._done.append(self._field(text))
        self._pieces, self._solid = [], False


def _source(part: tree.Parameter) -> str:
    inner = part.subscript.parts if part.subscript else ()
    return "".join(item.text for item in inner if isinstance(item, tree.Literal))
