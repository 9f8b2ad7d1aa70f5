"""Raw text with line and column arithmetic: the base of every other document."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from infx_lint.finding import Span


class Undecodable(NamedTuple):
    """Content that is no UTF-8, or holds NUL: where the first offence is, and what."""

    line: int
    column: int
    reason: str


class TooDemanding(NamedTuple):
    """A file that was not parsed since it would cost too much: a limit, no finding."""

    reason: str

    @property
    def limit(self) -> str:
        """Return why the file was not analysed through no fault of its own."""
        return self.reason


@dataclass(frozen=True)
class TextFile:
    """The text of a file, decoded without loss: encoding it again gives the same bytes.

    Offsets are counted in characters. Only a line feed ends a line, as in git; a carriage return
    is an ordinary character.
    """

    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, position = [0], self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return starts

    @property
    def line_count(self) -> int:
        """Return the number of lines; a last one without a line feed counts."""
        return len(self._line_starts) - (1 if self.text.endswith("\n") or not self.text else 0)

    def line(self, number: int) -> str:
        """Return a line, counted from 1, without its line feed; lines past the end are empty."""
        if number > len(self._line_starts):
            return ""
        start = self._line_starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def line_start(self, number: int) -> int:
        """Return the offset of the first character of a line; past the end, the text's length."""
        return self._line_starts[number - 1] if number <= len(self._line_starts) else len(self.text)

    def line_of(self, offset: int) -> int:
        """Return the line, counted from 1, that holds an offset."""
        return bisect_right(self._line_starts, offset)

    def span(self, start: int, end: int) -> Span:
        """Turn two offsets, the end exclusive, into lines and columns."""
        line, end_line = self.line_of(start), self.line_of(end)
        return Span(
            line,
            start - self._line_starts[line - 1] + 1,
            end_line,
            end - self._line_starts[end_line - 1] + 1,
        )

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a place; the inverse of `span`."""
        return self._line_starts[line - 1] + column - 1

    def rest_of_line(self, span: Span) -> Span:
        """Return what stands from the start of a span to the end of that line."""
        end = len(self.line(span.line)) + 1
        return Span(span.line, span.column, span.line, max(end, span.column))

    def line_span(self, first: int, last: int | None = None) -> Span:
        """Return the span of whole lines, the last one's line feed left out."""
        last = first if last is None else last
        return Span(first, 1, last, len(self.line(last)) + 1)


def parse_text(data: bytes) -> TextFile | Undecodable:
    """Decode a file as UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"the byte 0x{data[error.start]:02x}, which is no UTF-8 ({error.reason})"
        return Undecodable(*_place(data[: error.start].decode()), reason)
    if (nul := text.find("\0")) >= 0:
        return Undecodable(*_place(text[:nul]), "a NUL byte")
    return TextFile(text)


def _place(before: str) -> tuple[int, int]:
    return before.count("\n") + 1, len(before) - before.rfind("\n")
