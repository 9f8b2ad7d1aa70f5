"""Assignments that no command can ever see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.shell.continuations import statement_lists


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
