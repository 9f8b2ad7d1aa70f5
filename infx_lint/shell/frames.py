"""What is being run: scripts, functions and loops, the innermost last."""

from __future__ import annotations

from typing import Any, NamedTuple

from infx_lint.documents.shell_file import ShellFile
from infx_lint.shell.state import State
from infx_lint.shell.trace import Call
from infx_lint.shell.value import Value


class Frame:
    """A script or a function that is being run.

    Attributes:
        returned: the states in which it was left by `return`.
        outer: what the variables that are local to it held before.
    """

    def __init__(self, script: str, file: ShellFile, callers: tuple[Call, ...]) -> None:
        self.script = script
        self.file = file
        self.callers = callers
        self.returned: list[State] = []
        self.outer: dict[str, Value | None] = {}
        self.loops: list[Loop] = []


class Loop:
    """A loop that is being run, and the states in which its rounds were left."""

    def __init__(self) -> None:
        self.broken: list[State] = []
        self.continued: list[State] = []


class Paths(NamedTuple):
    """The two ways that lead out of a condition; None where one is ruled out."""

    met: State | None
    unmet: State | None


def why(node: Any, frame: Frame) -> str:  # noqa: ANN401 - any node
    """Return the reason why a value is not known behind a branch."""
    return f"it depends on the condition of line {frame.file.text.line_of(node.start)}"
