"""Assignments that no command can ever see."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.shell.continuations import statement_lists

_NAME = re.compile(r"[A-Za-z_]\w*")


class Overwritten(NamedTuple):
    """An assignment that another one of the same variable follows before anything reads it."""

    dead: tree.Assignment
    kept: tree.Assignment


def overwritten_assignments(file: ShellFile) -> Iterator[Overwritten]:
    """Yield the assignments that are dead since one behind them takes their place.

    Between the two stand assignments at most, none of which reads the variable.
    """
    for statements in statement_lists(file.statements):
        pending: dict[str, tree.Assignment] = {}
        for statement in statements:
            assignments = _assignments_of(statement)
            if assignments is None:
                pending = {}
                continue
            for assignment in assignments:
                for name in list(pending):
                    if _reads(file, assignment, name):
                        del pending[name]
                if assignment.naked:
                    continue
                whole = assignment.subscript is None and not assignment.append
                if whole and assignment.name in pending:
                    yield Overwritten(pending[assignment.name], assignment)
                pending.pop(assignment.name, None)
                if whole and not _starts_a_command(assignment):
                    pending[assignment.name] = assignment


def _assignments_of(statement: tree.Statement) -> tuple[tree.Assignment, ...] | None:
    """Return the assignments that a statement consists of, None if it does anything else."""
    command = statement.command
    if statement.redirects or statement.background:
        return None
    if isinstance(command, tree.SimpleCommand) and not command.words:
        return command.assignments
    if isinstance(command, tree.Declaration) and command.variant in {"export", "readonly"}:
        return command.assignments
    return None


def _starts_a_command(assignment: tree.Assignment) -> bool:
    return any(
        isinstance(node, tree.CommandSubstitution | tree.ProcessSubstitution)
        for node in tree.walk((assignment,))
    )


def _reads(file: ShellFile, assignment: tree.Assignment, name: str) -> bool:
    """Tell whether the right side of an assignment can read a variable.

    A command that it starts may read anything that is exported.
    """
    if _starts_a_command(assignment):
        return True
    for node in tree.walk((assignment,)):
        if isinstance(node, tree.Parameter) and (node.name == name or node.indirect):
            return True
        if isinstance(node, tree.Expression) and re.search(
            rf"\b{re.escape(name)}\b", file.source(node)
        ):
            return True
    return False


class Unused(NamedTuple):
    """A variable that a script sets and nothing reads, and every place that sets it."""

    name: str
    assignments: tuple[tree.Assignment, ...]


def unused_variables(file: ShellFile, read_elsewhere: Collection[str]) -> Iterator[Unused]:
    """Yield the variables that reach no command, in the order of their first assignment.

    Reading a variable in order to compute the same variable counts for nothing: a cap that only
    looks at the value which it caps. A name that stands in any text counts as read.

    Args:
        file: the script.
        read_elsewhere: the names that files which are sourced may read.
    """
    assigned: dict[str, list[tree.Assignment]] = {}
    kept = set(read_elsewhere)
    for node in tree.walk(file.statements):
        match node:
            case tree.SimpleCommand(words=()):
                for item in node.assignments:
                    assigned.setdefault(item.name, []).append(item)
                    if _expands_itself(item):
                        # `X=${X:-8}`: a caller may have exported it, and then programs see it.
                        kept.add(item.name)
            case tree.Declaration():
                # An exported variable is seen by programs, a local one belongs to a function.
                kept |= {item.name for item in node.assignments}
            case tree.Parameter(indirect=True) | tree.Parameter(operator="names"):
                return
            case tree.SimpleCommand() if _exports_all(node):
                return
    kept |= _read(file.statements)
    for name, items in assigned.items():
        if name not in kept:
            yield Unused(name, tuple(items))


def _expands_itself(assignment: tree.Assignment) -> bool:
    return any(
        isinstance(node, tree.Parameter) and node.name == assignment.name
        for node in tree.walk(assignment)
    )


def names_in_text(file: ShellFile) -> set[str]:
    """Return every name that stands anywhere in a script: what it may read."""
    return set(_NAME.findall(file.text.text))


def _exports_all(node: tree.SimpleCommand) -> bool:
    """Tell whether a command makes every variable visible: `set -a`, `eval`."""
    words = [word.literal or "" for word in node.words]
    return words[0] == "eval" or (
        words[0] == "set" and any(word in {"-a", "allexport"} for word in words[1:])
    )


def _read(statements: tuple[tree.Statement, ...]) -> set[str]:
    """Return every name that is read for anything but its own computation."""
    found: set[str] = set()
    stack: list[tuple[Any, frozenset[str]]] = [(statements, frozenset())]
    while stack:
        node, own = stack.pop()
        match node:
            case tree.Parameter():
                found |= {node.name} - own
            case tree.Literal() | tree.SingleQuoted() | tree.ExtendedGlob():
                found |= set(_NAME.findall(node.text)) - own
            case tree.Assignment():
                own |= {node.name}
            case tree.If(branches=(branch,), otherwise=None):
                own |= _only_sets(branch.body)
            case tree.List(operator="&&" | "||"):
                own |= _only_sets((node.right,))
            case tree.Function():
                stack.append((node.body, own))
        stack += [(field, own) for field in node if isinstance(field, tuple)]
    return found


def _only_sets(statements: tuple[tree.Statement, ...]) -> set[str]:
    """Return the one variable that statements set, if that is all they do."""
    names: set[str] = set()
    for statement in statements:
        command = statement.command
        if not isinstance(command, tree.SimpleCommand) or command.words:
            return set()
        names |= {item.name for item in command.assignments}
    return names if len(names) == 1 else set()
