"""Functions that take options only, and the calls that give them something else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.trace import Execution
from infx_lint.shell.value import Field


class OptionParser(NamedTuple):
    """The options of a function, each with the number of words that it takes, itself included."""

    arity: dict[str, int]


@lru_cache(maxsize=256)
def option_parser(function: tree.Function) -> OptionParser | None:
    """Return the options of a function that refuses everything else, None for any other one.

    Such a function goes through its arguments in a loop over `case "$1"`, whose patterns are
    options, and whose `*` leaves with a failure.
    """
    for loop in tree.walk((function.body,)):
        if not isinstance(loop, tree.While):
            continue
        for case in tree.walk(loop.body):
            if isinstance(case, tree.Case) and _looks_at_first(case.word):
                return _parser_of(case)
    return None


def _looks_at_first(word: tree.Word) -> bool:
    parts = word.parts
    if len(parts) == 1 and isinstance(parts[0], tree.DoubleQuoted):
        parts = parts[0].parts
    return (
        len(parts) == 1
        and isinstance(parts[0], tree.Parameter)
        and parts[0].name == "1"
        and parts[0].operator in {"", ":-", "-"}
    )


def _parser_of(case: tree.Case) -> OptionParser | None:
    arity: dict[str, int] = {}
    refuses = False
    for item in case.items:
        names = [pattern.literal for pattern in item.patterns]
        if names == ["*"]:
            refuses = _fails(item.body)
            continue
        count = _shifted(item.body)
        for name in names:
            if name is None or not name.startswith("-") or set(name) & set("*?[") or count is None:
                return None
            arity[name] = count
    return OptionParser(arity) if refuses and arity else None


def _shifted(body: tuple[tree.Statement, ...]) -> int | None:
    """Return by how many words a branch moves on, None if that is not plain."""
    shifts = [
        node
        for node in tree.walk(body)
        if isinstance(node, tree.SimpleCommand) and node.words and node.words[0].literal == "shift"
    ]
    if len(shifts) != 1:
        return None
    words = shifts[0].words
    if len(words) == 1:
        return 1
    count = words[1].literal or ""
    return int(count) if count.isdigit() else None


def _fails(body: tuple[tree.Statement, ...]) -> bool:
    """Tell whether the last statement of a branch leaves with a failure."""
    command = body[-1].command if body else None
    if not isinstance(command, tree.SimpleCommand) or len(command.words) != 2:  # noqa: PLR2004
        return False
    name, status = (word.literal for word in command.words)
    return name in {"return", "exit"} and status != "0"


def stray_arguments(execution: Execution, parser: OptionParser) -> Iterator[Field]:
    """Yield the words of a call that its function refuses, as far as its words are known."""
    words = execution.words[1:]
    position = 0
    while position < len(words):
        word = words[position]
        if not isinstance(word, Field) or not isinstance(word.text, str):
            # What it stands for, and so what follows, is not known.
            return
        count = parser.arity.get(word.text)
        if count is None:
            yield word
            position += 1
        else:
            position += count
