"""Python source as a libcst tree with line numbers. Nothing of it is ever imported or run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from infx_lint.documents.text_file import Undecodable, parse_text


@dataclass(frozen=True, slots=True)
class UnreadablePython:
    """A file that is no Python: the line and the reason."""

    line: int
    reason: str


@dataclass(frozen=True)
class PythonFile:
    """A parsed module; `classes` are those of its top level."""

    module: cst.Module
    _positions: Mapping[cst.CSTNode, CodeRange]

    @cached_property
    def classes(self) -> Mapping[str, cst.ClassDef]:
        """Return the classes of the top level by name."""
        return {
            statement.name.value: statement
            for statement in self.module.body
            if isinstance(statement, cst.ClassDef)
        }

    def place(self, node: cst.CSTNode) -> list[int]:
        """Return line, column, end line and end column of a node, as in `Span`."""
        start, end = self._positions[node].start, self._positions[node].end
        return [start.line, start.column + 1, end.line, end.column + 1]


def parse_python(data: bytes) -> PythonFile | UnreadablePython:
    """Parse a module; what cannot be read is a value, not an exception."""
    text = parse_text(data)
    if isinstance(text, Undecodable):
        return UnreadablePython(text.line, text.reason)
    try:
        wrapper = MetadataWrapper(cst.parse_module(text.text), unsafe_skip_copy=True)
    except cst.ParserSyntaxError as error:
        return UnreadablePython(error.raw_line, error.message.splitlines()[0])
    return PythonFile(wrapper.module, wrapper.resolve(PositionProvider))
