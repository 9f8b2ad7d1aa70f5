"""Comment blocks: comments on adjacent lines, read as one text.

Of the comments that claim something half take four lines and more, and a sentence does not stop at
the end of a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from infx_lint.documents.text_file import TextFile
from infx_lint.finding import Span


class CommentBlock(NamedTuple):
    """Comments on adjacent lines, or one that follows code on its line.

    Attributes:
        text: the lines without their marks, joined by line feeds; a bare mark is an empty line.
        places: line and column (from 1) of the first character of each line of `text`.
        column: where the first mark stands.
        is_trailing: code stands before it on the same line.
    """

    text: str
    places: tuple[tuple[int, int], ...]
    column: int
    is_trailing: bool

    @property
    def first_line(self) -> int:
        """Return the number of the first line."""
        return self.places[0][0]

    @property
    def last_line(self) -> int:
        """Return the number of the last line."""
        return self.places[-1][0]

    def span(self, start: int, end: int) -> Span:
        """Return where a stretch of `text`, its end exclusive, stands in the file."""
        return Span(*self._place(start), *self._place(end))

    def lines(self, start: int, end: int) -> tuple[str, ...]:
        """Return the lines of `text` that a stretch touches."""
        first, last = self.text.count("\n", 0, start), self.text.count("\n", 0, end)
        return tuple(line.strip() for line in self.text.split("\n")[first : last + 1])

    def _place(self, offset: int) -> tuple[int, int]:
        index = self.text.count("\n", 0, offset)
        line, column = self.places[index]
        return line, column + offset - (self.text.rfind("\n", 0, offset) + 1)


class _Line(NamedTuple):
    text: str
    place: tuple[int, int]
    column: int


def comment_blocks(text: TextFile, comments: Iterable[Span]) -> Iterator[CommentBlock]:
    """Yield the blocks of a file from top to bottom.

    Args:
        text: the file.
        comments: where its comments stand, each from its mark to the end of its line.
    """
    pending: list[_Line] = []
    for span in sorted(comments):
        line = text.line(span.line)
        before = line[: span.column - 1]
        body = line[span.column - 1 :].rstrip("\r")
        bare = body.lstrip("#")
        mark = len(body) - len(bare)
        here = _Line(bare.rstrip(), (span.line, span.column + mark), span.column)
        if before.strip():
            yield from _block(pending)
            pending = []
            yield CommentBlock(here.text, (here.place,), here.column, is_trailing=True)
            continue
        if span.line == 1 and bare.startswith("!"):
            continue
        if pending and pending[-1].place[0] != span.line - 1:
            yield from _block(pending)
            pending = []
        pending.append(here)
    yield from _block(pending)


def _block(lines: list[_Line]) -> Iterator[CommentBlock]:
    if lines:
        text = "\n".join(line.text for line in lines)
        places = tuple(line.place for line in lines)
        yield CommentBlock(text, places, lines[0].column, is_trailing=False)
