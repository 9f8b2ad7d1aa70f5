"""What a variable can hold: text that is known, unknown or partly known, and lists of such text.

An unknown value says why it is unknown and which variables it comes from, so that a rule can tell
"not computable" from "never passed on".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, TypeAlias


class Unknown(NamedTuple):
    """A value that cannot be told, why, and the variables that it was made from."""

    reason: str
    names: frozenset[str] = frozenset()


class Mixed(NamedTuple):
    """Text of which some stretches are unknown."""

    pieces: tuple[str | Unknown, ...]


Text: TypeAlias = str | Unknown | Mixed


class Many(NamedTuple):
    """No, one or several words in a place of a list; `possible` are those that were seen."""

    reason: str
    names: frozenset[str] = frozenset()
    possible: tuple[Field, ...] = ()


class Field(NamedTuple):
    """A word of a list, and the place where its text is written.

    Attributes:
        script: the path of the script that it is written in.
        start, end: offsets in that script.
    """

    text: Text
    script: str
    start: int
    end: int


Fields: TypeAlias = tuple[Field | Many, ...]


class Array(NamedTuple):
    """An indexed array without gaps."""

    fields: Fields


class Table(NamedTuple):
    """An associative array, its keys in the order of their first assignment."""

    items: tuple[tuple[str, Text], ...]

    def get(self, key: str) -> Text | None:
        """Return the value of a key, None where there is none."""
        return dict(self.items).get(key)


class Unset(Enum):
    """The value of a variable that is known not to be set."""

    UNSET = "unset"


UNSET = Unset.UNSET
_WORD = re.compile(r"\s*\S+|\s+")
Value: TypeAlias = Text | Array | Table | Unset


def concatenate(pieces: Iterable[Text]) -> Text:
    """Return the text that pieces make side by side."""
    flat: list[str | Unknown] = []
    for piece in pieces:
        if type(piece) is str and flat and isinstance(flat[-1], str):
            flat[-1] += piece
            continue
        for part in piece.pieces if isinstance(piece, Mixed) else (piece,):
            if isinstance(part, str) and flat and isinstance(flat[-1], str):
                flat[-1] += part
            elif part != "":
                flat.append(part)
    if not flat:
        return ""
    return flat[0] if len(flat) == 1 else Mixed(tuple(flat))


def pieces_of(text: Text) -> tuple[str | Unknown, ...]:
    """Return the known and unknown stretches of a text."""
    return text.pieces if isinstance(text, Mixed) else (text,)


def names_in(text: Text | Many | Array | Table | Unset) -> frozenset[str]:
    """Return the variables that the unknown parts of a value come from."""
    match text:
        case Unknown() | Many():
            return text.names
        case Mixed():
            return frozenset().union(*(names_in(piece) for piece in text.pieces))
        case Array():
            return frozenset().union(
                *(names_in(f.text if isinstance(f, Field) else f) for f in text.fields)
            )
        case Table():
            return frozenset().union(*(names_in(value) for _, value in text.items))
        case _:
            return frozenset()


def with_origin(value: Value, name: str) -> Value:
    """Return what a variable holds after an assignment: its unknown parts bear its name too."""
    match value:
        case Unknown():
            return Unknown(value.reason, value.names | {name})
        case Mixed():
            return _text_with_origin(value, name)
        case Array():
            return Array(
                tuple(
                    field._replace(names=field.names | {name})
                    if isinstance(field, Many)
                    else field._replace(text=_text_with_origin(field.text, name))
                    for field in value.fields
                )
            )
        case _:
            return value


def _text_with_origin(text: Text, name: str) -> Text:
    if isinstance(text, str):
        return text
    pieces = tuple(
        piece if isinstance(piece, str) else piece._replace(names=piece.names | {name})
        for piece in pieces_of(text)
    )
    return concatenate(pieces)


def display(text: Text) -> str:
    """Return a text for a reader; an unknown stretch is shown as `?`."""
    return "".join(piece if isinstance(piece, str) else "?" for piece in pieces_of(text))


def is_surely_filled(text: Text) -> bool:
    """Tell whether a text cannot be empty."""
    return any(isinstance(piece, str) and piece for piece in pieces_of(text))


def join(one: Value, other: Value, reason: str) -> Value:
    """Return what is known of a variable that holds one of two values.

    Lists keep what both have at their start and end; between stand `Many` words.
    """
    if one is other or one == other:
        return one
    if isinstance(one, Array) and isinstance(other, Array):
        return Array(_join_fields(one.fields, other.fields, reason))
    names = _names(one) | _names(other)
    if isinstance(one, str | Mixed) and isinstance(other, str | Mixed):
        return _join_texts(one, other, Unknown(reason, names))
    return Unknown(reason, names)


def _join_texts(one: str | Mixed, other: str | Mixed, gap: Unknown) -> Text:
    """Keep the words that two command lines have in common at their start and end."""
    left, right = _words(one), _words(other)
    least = min(len(left), len(right))
    head = 0
    while head < least and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < least - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    start, end = left[:head], left[len(left) - tail :]
    if not any(isinstance(token, str) and " " in token for token in (*start, *end)):
        return gap
    # Words that differ bring their own blank: the gap does not stick to the word before it.
    differing = (*left[head : len(left) - tail], *right[head : len(right) - tail])
    apart = all(not isinstance(token, str) or token[0].isspace() for token in differing)
    return concatenate((*start, " " if apart and start else "", gap, *end))


def _words(text: str | Mixed) -> list[str | Unknown]:
    """Cut a text into words with the blanks before them, and unknown stretches."""
    tokens: list[str | Unknown] = []
    for piece in pieces_of(text):
        if isinstance(piece, Unknown):
            tokens.append(piece)
        else:
            tokens += _WORD.findall(piece)
    return tokens


def _names(value: Value) -> frozenset[str]:
    return frozenset() if isinstance(value, Unset) else names_in(value)


def _join_fields(one: Fields, other: Fields, reason: str) -> Fields:
    least = min(len(one), len(other))
    head = 0
    while head < least and _same(one[head], other[head]):
        head += 1
    tail = 0
    while tail < least - head and _same(one[-1 - tail], other[-1 - tail]):
        tail += 1
    middle = (*one[head : len(one) - tail], *other[head : len(other) - tail])
    possible: list[Field] = []
    names: frozenset[str] = frozenset()
    for field in middle:
        if isinstance(field, Many):
            possible += field.possible
        else:
            possible.append(field)
        names |= names_in(field if isinstance(field, Many) else field.text)
    gap = Many(reason, names, tuple(possible))
    return (*one[:head], gap, *one[len(one) - tail :])


def _same(one: Field | Many, other: Field | Many) -> bool:
    if isinstance(one, Field) and isinstance(other, Field):
        return one.text == other.text
    return one == other
