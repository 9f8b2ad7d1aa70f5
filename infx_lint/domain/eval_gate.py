"""The gate around load: how a sibling writes it, and a script with the same one put in."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.programs import EVAL, role_of
from infx_lint.finding import Edit, Span
from infx_lint.paths import RepoPath
from infx_lint.shell.continuations import statement_lists
from infx_lint.shell.trace import Execution
from infx_lint.shell.value import Field

_INDENT = "    "
Statements = tuple[tree.Statement, ...]


class Gate(NamedTuple):
    """An `if` of a sibling that runs evals one way and load the other.

    Attributes:
        path: the sibling.
        span: where its gate stands.
        condition: the text of the condition.
        load_first: load is what the condition leads to, evals stand behind `else`.
        evals: the lines that run the evals, without their indentation.
        heads: the commands and variables that the load side consists of.
    """

    path: RepoPath
    span: Span
    condition: str
    load_first: bool
    evals: str
    heads: frozenset[str]


def find_gate(siblings: Iterable[tuple[RepoPath, ShellFile]], load_call: str) -> Gate | None:
    """Return the first gate in siblings around a call of the same name."""
    for path, file in siblings:
        for node in tree.walk(file.statements):
            if isinstance(node, tree.If) and len(node.branches) == 1 and node.otherwise:
                gate = _gate(path, file, node, load_call)
                if gate:
                    return gate
    return None


def _gate(path: RepoPath, file: ShellFile, node: tree.If, load_call: str) -> Gate | None:
    branch, otherwise = node.branches[0], node.otherwise or ()
    for load, evals in ((branch.body, otherwise), (otherwise, branch.body)):
        if load_call in _heads(load) and any(_is_eval(statement) for statement in evals):
            first, last = branch.condition[0], branch.condition[-1]
            end = last.command.end if last.command else last.end
            return Gate(
                path,
                file.span(node),
                file.text.text[first.start : end],
                load is branch.body,
                _dedented(file, evals),
                frozenset(_heads(load)),
            )
    return None


def _is_eval(statement: tree.Statement) -> bool:
    command = statement.command
    if not isinstance(command, tree.SimpleCommand) or not command.words:
        return False
    words = tuple(Field(word.literal or "", "", 0, 0) for word in command.words)
    return role_of(words) == EVAL


def _heads(statements: Statements) -> Iterator[str]:
    for statement in statements:
        match statement.command:
            case tree.SimpleCommand(words=()) as command:
                yield from (f"{assignment.name}=" for assignment in command.assignments)
            case tree.SimpleCommand() as command:
                yield command.words[0].literal or ""
            case tree.Declaration() as command:
                yield from (f"{assignment.name}=" for assignment in command.assignments)


def _dedented(file: ShellFile, statements: Statements) -> str:
    first = file.text.line_start(file.text.line_of(statements[0].start))
    end = file.text.text.find("\n", statements[-1].end)
    lines = file.text.text[first : end if end >= 0 else None]
    return textwrap.dedent(lines).rstrip()


def gate_edit(
    path: RepoPath, file: ShellFile, call: Execution, gate: Gate, *, with_evals: bool
) -> Edit | None:
    """Return the edit that puts load under a gate, None where that is no plain matter.

    What is gated are the statements around the call that the sibling gates too.

    Args:
        path: the script.
        file: what it holds.
        call: what starts the load.
        gate: how the sibling does it.
        with_evals: whether the other way must run the evals.
    """
    around = _around(file, call.outermost.node, gate.heads)
    if around is None:
        return None
    text = file.text
    first, last = text.line_of(around[0].start), text.line_of(around[-1].end)
    span = text.line_span(first, last)
    start, end = text.line_start(first), text.line_start(last) + len(text.line(last))
    indent = text.text[start : around[0].start]
    if indent.strip() or _spans_lines(file, around):
        return None
    load = textwrap.indent(text.text[start:end], _INDENT)
    evals = textwrap.indent(gate.evals, indent + _INDENT)
    condition = gate.condition
    if not with_evals:
        if not gate.load_first:
            condition = condition.replace(" == ", " != ").replace(" = ", " != ")
        new = f"{indent}if {condition}; then\n{load}\n{indent}fi"
    else:
        one, other = (load, evals) if gate.load_first else (evals, load)
        new = f"{indent}if {condition}; then\n{one}\n{indent}else\n{other}\n{indent}fi"
    return Edit(path, span, new)


def _around(file: ShellFile, node: tree.SimpleCommand, heads: frozenset[str]) -> Statements | None:
    for statements in statement_lists(file.statements):
        for position, statement in enumerate(statements):
            if statement.command is None or statement.command != node:
                continue
            first = last = position
            while first and set(_heads((statements[first - 1],))) & heads:
                first -= 1
            while last + 1 < len(statements) and set(_heads((statements[last + 1],))) & heads:
                last += 1
            return statements[first : last + 1]
    return None


def _spans_lines(file: ShellFile, statements: Statements) -> bool:
    """Tell whether indenting lines would change a text: a here-document or a quoted line end."""
    return any(
        (isinstance(node, tree.Redirect) and node.heredoc is not None)
        or (isinstance(node, tree.SingleQuoted | tree.DoubleQuoted) and "\n" in file.source(node))
        for node in tree.walk(statements)
    )
