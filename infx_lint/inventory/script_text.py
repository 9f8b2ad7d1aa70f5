"""What a shell file says, for files that no config row gives an environment to run them in.

Two versions are compared by their assignments, options and commands, each inside its function:
comments, blanks, line continuations and the order of functions do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.unmeasured import unmeasured
from infx_lint.finding import Span

# Idle by themselves, but what they write or start may be read.
_EDITORS = frozenset({"sed", "cat", "tee", "eval", "exec", "nohup", "export", "declare", "local"})
_SILENT = frozenset(
    {"echo", "printf", "local", "set", "shopt", "source", ".", "sleep", "return", "exit", "cd"}
    | {"mkdir", "rm", "cat", "tee", "kill", "wait", "trap", "ls", "ps", "check_env_vars", "true"}
)


class Said(NamedTuple):
    """One thing that a shell file says.

    Attributes:
        function: the function that it stands in, empty outside of all.
        kind: `variable`, `flag`, `command` or `guard`.
        name: the variable, the option, the command.
    """

    function: str
    kind: str
    name: str


def is_unmeasured(said: Said) -> bool:
    """Tell whether a thing that is said moves no measured number by itself."""
    name = said.name.partition(" of ")[0]
    table = unmeasured()
    if said.kind == "guard":
        return True
    if said.kind == "variable":
        return name.islower() or table.variables.fullmatch(name) is not None
    return name in table.options or name.partition(" ")[0] in table.commands


def says_the_same(one: ShellFile, other: ShellFile) -> bool:
    """Tell whether two versions of a script say the same in the same order.

    Comments, checks, downloads, logs and conditions around nothing else are passed over.
    """
    return _measured(one) == _measured(other)


def _measured(file: ShellFile) -> list[tuple[Said, str]]:
    return [
        (said, " ".join(value.split()))
        for function, node in _nodes(file.statements, "")
        for said, value, _ in _read(file, function, node)
        if not _is_idle(said)
    ]


def _is_idle(said: Said) -> bool:
    table = unmeasured()
    name, _, command = said.name.partition(" of ")
    if said.kind == "flag":
        return command in table.commands and command not in _EDITORS
    if said.kind == "command":
        first = name.partition(" ")[0].rpartition("/")[2]
        return first in table.commands and first not in _EDITORS
    return False


def said_in(file: ShellFile) -> dict[Said, dict[str, Span]]:
    """Return what a shell file says: for each thing its values, and where each stands first."""
    found: dict[Said, dict[str, Span]] = {}
    for function, node in _nodes(file.statements, ""):
        for said, value, place in _read(file, function, node):
            found.setdefault(said, {}).setdefault(" ".join(value.split()), file.span(place))
    return found


def _nodes(node: Any, function: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any node
    pending = [(function, node)]
    while pending:
        name, current = pending.pop()
        if isinstance(current, tree.Deferred):
            continue
        if isinstance(current, tree.If) and _is_idle_throughout(current):
            continue
        if isinstance(current, tree.Function):
            name = current.name
            pending.append((name, current.body))
            continue
        if isinstance(current, tuple):
            if hasattr(current, "start"):
                yield name, current
            pending += [(name, inner) for inner in reversed(current) if isinstance(inner, tuple)]


def _is_idle_throughout(node: tree.If) -> bool:
    """Tell whether all that a condition decides is to print, to check or to fetch weights."""
    commands = [one for one in tree.walk(node) if isinstance(one, tree.SimpleCommand)]
    others = (tree.Assignment, tree.Declaration, tree.Function)
    if any(isinstance(one, others) for one in tree.walk(node)):
        return False
    return all(_name_of(command) in unmeasured().commands - _EDITORS for command in commands)


def _name_of(command: tree.SimpleCommand) -> str:
    first = command.words[0] if command.words else None
    literal = first.literal if first is not None else None
    return (literal or "?").rpartition("/")[2]


def _read(file: ShellFile, function: str, node: Any) -> Iterator[tuple[Said, str, Any]]:  # noqa: ANN401
    if isinstance(node, tree.Assignment):
        value = file.source(node).partition("=")[2]
        yield Said(function, "variable", node.name), value, node
    elif isinstance(node, tree.SimpleCommand) and node.words:
        words = [file.source(word) for word in node.words]
        name = words[0].rpartition("/")[2]
        if name in _SILENT:
            return
        options = False
        for position, word in enumerate(words[1:], 1):
            if not word.startswith("-") or len(word) == 1:
                continue
            options = True
            option, equals, value = word.partition("=")
            if not equals and position + 1 < len(words) and words[position + 1][:1] != "-":
                value = words[position + 1]
            yield (
                Said(function, "flag", f"{option} of {name}"),
                value or "set",
                node.words[position],
            )
        if not options:
            yield Said(function, "command", " ".join(" ".join(words).split())[:200]), "runs", node
    elif isinstance(node, tree.Test | tree.ArithmeticCommand):
        yield Said(function, "guard", " ".join(file.source(node).split())[:200]), "asked", node
