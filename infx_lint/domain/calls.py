"""Calls whose words contradict each other, or what they call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.benchmark_script import Tree
from infx_lint.domain.eval_mode import EVAL_MODE
from infx_lint.domain.programs import LOAD, SERVER
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from infx_lint.shell.options import option_parser, stray_arguments
from infx_lint.shell.trace import Execution, Flag, Trace, flags_of
from infx_lint.shell.value import Field, display

# The runs that differ in what a command line holds.
_MODES: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("a throughput run", {"EVAL_ONLY": "false"}),
    ("an eval-only run", EVAL_MODE),
)


class Stray(NamedTuple):
    """A word that the function which it is given to refuses.

    Attributes:
        word: the word.
        place: where it stands.
        function: the name of the function.
        definition, definition_path: where that is defined.
    """

    word: str
    place: Span
    function: str
    definition: Span
    definition_path: RepoPath


class Repeated(NamedTuple):
    """An option that stands twice on one command line.

    Attributes:
        flag: the option.
        command: the name of the command.
        mode: the kind of run in which it does.
        values: both values, as far as they are known.
        places: where both are written.
    """

    flag: str
    command: str
    mode: str
    values: tuple[str, str]
    places: tuple[Span, Span]


def strays(project: Tree, path: RepoPath, file: ShellFile) -> Iterator[Stray]:
    """Yield the words of a script that a function refuses, once for each place."""
    seen: set[int] = set()
    for execution, trace in _calls(project, path):
        if not execution.is_function or execution.name not in trace.functions:
            continue
        script, function = trace.functions[execution.name]
        parser = option_parser(function)
        if parser is None:
            continue
        for word in stray_arguments(execution, parser):
            if word.script != path or word.start in seen:
                continue
            seen.add(word.start)
            home = project.document(RepoPath(script))
            if isinstance(home, ShellFile):
                head = home.text.line_span(home.text.line_of(function.start))
                yield Stray(
                    display(word.text), file.span(word), execution.name, head, RepoPath(script)
                )


def repeated_flags(project: Tree, path: RepoPath, file: ShellFile) -> Iterator[Repeated]:
    """Yield the options that a command of a script is given twice, once for each."""
    seen: set[tuple[int, str]] = set()
    for mode, variables in _MODES:
        trace = project.run_script(path, variables, defaults=False)
        for execution in trace.executions:
            if execution.call.script != path or not _takes_one_of_each(execution, trace):
                continue
            known: dict[str, Flag] = {}
            for flag in flags_of(execution.words):
                key = (execution.call.node.start, flag.name)
                first = known.setdefault(flag.name, flag)
                if first is flag or key in seen:
                    continue
                seen.add(key)
                yield Repeated(
                    flag.name,
                    execution.name,
                    mode,
                    (_value(first), _value(flag)),
                    (_place(file, path, first, execution), _place(file, path, flag, execution)),
                )


def _calls(project: Tree, path: RepoPath) -> Iterator[tuple[Execution, Trace]]:
    for _, variables in _MODES:
        trace = project.run_script(path, variables, defaults=False)
        for execution in trace.executions:
            if execution.call.script == path:
                yield execution, trace


def _takes_one_of_each(execution: Execution, trace: Trace) -> bool:
    """Tell whether a command takes each option once: servers, clients, and option parsers."""
    if execution.is_function and execution.name in trace.functions:
        return option_parser(trace.functions[execution.name][1]) is not None
    return execution.label in {SERVER, LOAD}


def _value(flag: Flag) -> str:
    if flag.value is None:
        return ""
    return display(flag.value.text) if isinstance(flag.value, Field) else "?"


def _place(file: ShellFile, path: RepoPath, flag: Flag, execution: Execution) -> Span:
    return file.span(flag.field if flag.field.script == path else execution.call.node)
