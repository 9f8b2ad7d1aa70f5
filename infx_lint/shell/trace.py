"""What an abstract run of a script leaves behind: the commands that ran, in order, and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from infx_lint.documents.shell_tree import Function, SimpleCommand
from infx_lint.shell.state import Guard
from infx_lint.shell.value import (
    Field,
    Fields,
    Many,
    Text,
    Value,
    concatenate,
    display,
    pieces_of,
)


class Call(NamedTuple):
    """A command in the script where it is written; `callers` of an execution are such places."""

    script: str
    node: SimpleCommand


class Execution(NamedTuple):
    """A command that can run: a program, or the call of a function.

    Attributes:
        words: the name and the arguments after all expansions.
        callers: the calls that lead here, the outermost first, without this one.
        guards: the undecided conditions that lead here.
        variables: what every variable held when it ran.
        exported: the names of those that a program sees.
        prefix: variables that are set for this command alone.
        heredoc: the text of its here-document, if it has one.
        is_function: it is a function of a script that was read.
        label: what it does, in the words of whoever asked for the run.
    """

    call: Call
    words: Fields
    callers: tuple[Call, ...]
    guards: tuple[Guard, ...]
    variables: Mapping[str, Value]
    exported: frozenset[str]
    prefix: tuple[tuple[str, Text], ...]
    heredoc: Text | None
    is_function: bool
    label: str | None

    @property
    def name(self) -> str:
        """Return the name of the command as far as it is known."""
        first = self.words[0] if self.words else None
        return display(first.text) if isinstance(first, Field) else ""

    @property
    def outermost(self) -> Call:
        """Return the call in the script itself that leads to this command."""
        return self.callers[0] if self.callers else self.call


class Assigned(NamedTuple):
    """A variable that was given a value, and where.

    Attributes:
        value: what it holds afterwards.
    """

    name: str
    value: Value
    script: str
    start: int
    end: int
    guards: tuple[Guard, ...]


class Trace(NamedTuple):
    """An abstract run.

    Attributes:
        executions: what can run, in the order of the script.
        assignments: what was assigned, in that order.
        variables: what is known at the end, on the paths that get there.
        functions: what was defined last by each name, and the script that it stands in.
        always: labels of what has run on every path that does not abort.
        alternatives: for a guard (script, start, holds) what becomes of a run that does not meet
            it: it `continues`, `aborts`, `exits`, `returns` or `breaks`.
        sourced: the paths of the files that were sourced.
        missing: files that are sourced and cannot be read.
        incomplete: why the run was stopped before its end, None if it was not.
    """

    executions: tuple[Execution, ...]
    assignments: tuple[Assigned, ...]
    variables: Mapping[str, Value]
    functions: Mapping[str, tuple[str, Function]]
    always: frozenset[str]
    alternatives: Mapping[tuple[str, int, bool], str]
    sourced: tuple[str, ...]
    missing: tuple[str, ...]
    incomplete: str | None

    def is_asserted(self, guard: Guard) -> bool:
        """Tell whether the script aborts where a guard is not met."""
        return self.alternatives.get((guard.script, guard.start, guard.holds)) == "aborts"

    def open_guards(self, execution: Execution) -> tuple[Guard, ...]:
        """Return the guards of a command that decide whether it runs in a run that succeeds."""
        return tuple(guard for guard in execution.guards if not self.is_asserted(guard))


class Flag(NamedTuple):
    """An option on a command line.

    Attributes:
        name: as it is written, `--max-num-seqs`.
        value: what follows it, None where nothing does.
        field: where the option is written.
    """

    name: str
    value: Field | Many | None
    field: Field


def flags_of(words: Fields) -> Iterator[Flag]:
    """Yield the long options of a command: `--name value`, `--name=value`, `--name`."""
    for position, field in enumerate(words):
        if not isinstance(field, Field):
            continue
        text = field.text if isinstance(field.text, str) else _start(field.text)
        if not text.startswith("--") or text == "--":
            continue
        name, equals, rest = text.partition("=")
        if equals:
            value = rest if isinstance(field.text, str) else _after(field.text, len(name) + 1)
            yield Flag(name, field._replace(text=value), field)
            continue
        if not isinstance(field.text, str):
            continue
        following = words[position + 1] if position + 1 < len(words) else None
        if isinstance(following, Field) and _is_option(following.text):
            following = None
        yield Flag(name, following, field)


def _start(text: Text) -> str:
    first = pieces_of(text)[0]
    return first if isinstance(first, str) else ""


def _after(text: Text, count: int) -> Text:
    first, *others = pieces_of(text)
    return concatenate((first[count:] if isinstance(first, str) else first, *others))


def _is_option(text: Text) -> bool:
    start = text if isinstance(text, str) else _start(text)
    if start in {"", "-"} or start[0] != "-":
        return False
    # `-1` and `-0.5` are values.
    return not start[1:].replace(".", "", 1).isdigit()
