"""Line continuations that end early, so that the rest of a command runs as one of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.finding import Span

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


class BrokenContinuation(NamedTuple):
    """A command that ends before its author meant it to.

    Attributes:
        end: where the continuation is missing, or the blanks behind its backslash.
        rest: what therefore runs as a command of its own; None where nothing follows.
        blanks: there is a backslash, with blanks behind it.
    """

    end: Span
    rest: tree.Statement | None
    blanks: bool


def broken_continuations(file: ShellFile) -> Iterator[BrokenContinuation]:
    """Yield the continuations of a script that end early, in the order of the source."""
    defined = {node.name for node in tree.walk(file.statements) if isinstance(node, tree.Function)}
    for statements in statement_lists(file.statements):
        for position, statement in enumerate(statements):
            following = statements[position + 1] if position + 1 < len(statements) else None
            blanks = _escaped_blank(file, statement)
            if blanks is not None:
                yield BrokenContinuation(blanks, following, blanks=True)
            elif following is not None and _goes_on(file, statement, following, defined):
                last = _last_word(statement)
                at = last.end if last else statement.end
                yield BrokenContinuation(file.text.span(at, at), following, blanks=False)


def statement_lists(statements: tuple[tree.Statement, ...]) -> Iterator[tuple[tree.Statement, ...]]:
    """Yield every list of statements in a script, the outermost first."""
    yield statements
    for node in tree.walk(statements):
        match node:
            case tree.Statement() | tree.Word() | tree.Function():
                continue
            case tree.If():
                if node.otherwise:
                    yield node.otherwise
            case tree.Branch():
                yield node.condition
                yield node.body
            case (
                tree.CaseItem()
                | tree.For()
                | tree.ArithmeticFor()
                | tree.While()
                | tree.Group()
                | tree.CommandSubstitution()
                | tree.ProcessSubstitution()
            ):
                yield node.body


def _last_word(statement: tree.Statement) -> tree.Word | None:
    command = statement.command
    while isinstance(command, tree.List):
        command = command.right.command
    return command.words[-1] if isinstance(command, tree.SimpleCommand) and command.words else None


def _escaped_blank(file: ShellFile, statement: tree.Statement) -> Span | None:
    r"""Return the blanks at the end of a line that a backslash before them takes for a word."""
    last = _last_word(statement)
    if last is None or not last.parts or not isinstance(last.parts[-1], tree.Literal):
        return None
    text = file.text.text
    written = text[last.start : last.end]
    if not re.search(r"\\[ \t\r]$", written):
        return None
    line_end = text.find("\n", last.end)
    line_end = len(text) if line_end < 0 else line_end
    if text[last.end : line_end].strip(" \t\r"):
        return None
    return file.text.span(last.end - 1, line_end)


def _goes_on(
    file: ShellFile, statement: tree.Statement, following: tree.Statement, defined: set[str]
) -> bool:
    """Tell whether a statement can only be the rest of the one before it."""
    before, rest = statement.command, following.command
    while isinstance(before, tree.List):
        before = before.right.command
    if not isinstance(rest, tree.SimpleCommand) or rest.assignments or not rest.words:
        return False
    if not isinstance(before, tree.SimpleCommand) or not before.words[1:] or statement.background:
        return False
    name = rest.words[0].literal or ""
    if re.match(r"--?[A-Za-z]", name):
        return True
    # A list of names: `check_env_vars A B \` and, on a line of its own, `C`.
    names = [word.literal or "" for word in rest.words]
    listed = [word.literal or "" for word in before.words[1:]]
    return (
        all(_VARIABLE.fullmatch(word) for word in names)
        and bool(_VARIABLE.fullmatch(listed[-1]))
        and not set(names) & defined
        and file.text.line_of(following.start) == file.text.line_of(statement.end) + 1
        and "\\\n" in file.text.text[statement.start : following.end + 2]
    )
