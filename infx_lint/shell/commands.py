"""Simple commands: functions, builtins, programs, and what leaves a function, a loop, a script."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.assigning import assign
from infx_lint.shell.branches import TESTS, judge
from infx_lint.shell.builtins import BUILTINS
from infx_lint.shell.expansion import TooMuchError
from infx_lint.shell.frames import Frame
from infx_lint.shell.loops import assigned_in
from infx_lint.shell.state import State, merge
from infx_lint.shell.trace import Call, Execution
from infx_lint.shell.value import Field, Fields, Text, Unknown

if TYPE_CHECKING:
    from infx_lint.shell.execution import Run

DEEPEST_CALL = 24


class _Invocation(NamedTuple):
    """A simple command after its expansions.

    Attributes:
        node: as it is written.
        words: its name and its arguments.
        prefix: the variables that are set for it alone.
        heredoc: the text of its here-document, if it has one.
    """

    node: tree.SimpleCommand
    words: Fields
    prefix: tuple[tuple[str, Text], ...]
    heredoc: Text | None

    @property
    def arguments(self) -> Fields:
        """Return the words behind the name."""
        return self.words[1:]


def run_simple(
    run: Run, node: tree.SimpleCommand, state: State, heredoc: Text | None
) -> State | None:
    """Run assignments, a test, a function, a builtin, or note that a program is started."""
    if not node.words:
        state.status = True
        for assignment in node.assignments:
            assign(run, assignment, state)
        return state
    if node.words[0].literal in TESTS:
        paths = judge(run, node, state)
        return merge(paths.met, paths.unmet, "a condition that is not known")
    words = run.expander(state).fields(node.words)
    prefix = tuple((item.name, run.expander(state).text(item.value)) for item in node.assignments)
    return _execute(run, _Invocation(node, words, prefix, heredoc), state)


def _execute(run: Run, invocation: _Invocation, state: State) -> State | None:
    words = invocation.words
    first = words[0] if words else None
    if first is None:
        state.status = True
        return state
    name = first.text if isinstance(first, Field) and isinstance(first.text, str) else ""
    if name in {"command", "builtin"} and len(words) > 1 and name not in state.functions:
        second = words[1]
        if isinstance(second, Field) and second.text in BUILTINS:
            return _execute(run, invocation._replace(words=words[1:]), state)
    if name in state.functions:
        _note(run, invocation, state, is_function=True)
        answer = run.environment.answers.get(name)
        if answer is None:
            return _call(run, name, invocation, state)
        state.status = True
        if state.output is not None:
            state.output = [*state.output, answer]
        return state
    if name in _CONTROL:
        return _CONTROL[name](run, invocation, state)
    if name in BUILTINS:
        if name == "cat" or (name in {"echo", "printf"} and run.into_file):
            # What is written to a file may be what a program reads.
            _note(run, invocation, state, is_function=False)
        BUILTINS[name](invocation.arguments, state, run.expander(state), invocation.heredoc)
        return state
    _note(run, invocation, state, is_function=False)
    shown = name or "a command"
    state.status = Unknown(f"how `{shown}` ends")
    if state.output is not None:
        state.output = [*state.output, Unknown(f"what `{shown}` writes")]
    return state


def _note(run: Run, invocation: _Invocation, state: State, *, is_function: bool) -> None:
    frame = run.frame
    label = run.label(invocation.words)
    if label is not None:
        state.ran |= {label}
    run.executions.append(
        Execution(
            call=Call(frame.script, invocation.node),
            words=invocation.words,
            callers=frame.callers,
            guards=state.guards,
            variables=dict(state.variables),
            exported=state.exported,
            prefix=invocation.prefix,
            heredoc=invocation.heredoc,
            is_function=is_function,
            label=label,
        )
    )


def _call(run: Run, name: str, invocation: _Invocation, state: State) -> State | None:
    script, function = state.functions[name]
    if len(run.frames) > DEEPEST_CALL:
        state.status = Unknown(f"`{name}` calls itself")
        for assigned in assigned_in(function.body, state):
            state.variables[assigned] = Unknown(f"`{name}` calls itself")
        return state
    outer = run.frame
    callers = (*outer.callers, Call(outer.script, invocation.node))
    frame = Frame(script, run.files[script], callers)
    positional, state.positional = state.positional, invocation.arguments
    for variable, text in invocation.prefix:
        frame.outer.setdefault(variable, state.variables.get(variable))
        state.variables[variable] = text
    run.frames.append(frame)
    after = run.statement(function.body, state)
    for returned in frame.returned:
        after = merge(after, returned, f"one of several ways through `{name}`")
    run.frames.pop()
    if after is None:
        return None
    after.positional = positional
    for variable, value in frame.outer.items():
        if value is None:
            after.variables.pop(variable, None)
        else:
            after.variables[variable] = value
    return after


def _exit(run: Run, invocation: _Invocation, state: State) -> State | None:
    words = invocation.arguments
    status = words[0].text if words and isinstance(words[0], Field) else None
    if not words:
        status = "0" if state.status is True else ("1" if state.status is False else None)
    if isinstance(status, str) and status.strip() not in {"0", ""}:
        run.end = "aborts"
    else:
        run.end = "exits"
        state.status = True if isinstance(status, str) else Unknown("an exit status")
        run.ended.append(state)
    return None


def _return(run: Run, invocation: _Invocation, state: State) -> State | None:
    words = invocation.arguments
    if words:
        status = words[0].text if isinstance(words[0], Field) else None
        if isinstance(status, str):
            state.status = status.strip() in {"0", ""}
        else:
            state.status = Unknown("the status that a function returns")
    run.end = "returns"
    if state.status is False and state.errexit and not run.checked and len(run.frames) > 1:
        # Nothing checks the call: `set -e` ends the script.
        run.end = "aborts"
        return None
    run.frame.returned.append(state)
    return None


def _leave_loop(run: Run, invocation: _Invocation, state: State, *, broken: bool) -> None:
    words = invocation.arguments
    count = 1
    if words and isinstance(words[0], Field) and str(words[0].text).isdigit():
        count = max(int(str(words[0].text)), 1)
    run.end = "breaks"
    loops = run.frame.loops
    if loops:
        loop = loops[-min(count, len(loops))]
        (loop.broken if broken else loop.continued).append(state)


def _break(run: Run, invocation: _Invocation, state: State) -> State | None:
    _leave_loop(run, invocation, state, broken=True)
    return None if run.frame.loops else state


def _continue(run: Run, invocation: _Invocation, state: State) -> State | None:
    _leave_loop(run, invocation, state, broken=False)
    return None if run.frame.loops else state


def _exec(run: Run, invocation: _Invocation, state: State) -> State | None:
    words = invocation.arguments
    if not words:
        state.status = True
        return state
    _note(run, invocation._replace(words=invocation.arguments), state, is_function=False)
    run.end = "exits"
    run.ended.append(state)
    return None


def _source(run: Run, invocation: _Invocation, state: State) -> State | None:
    words = invocation.arguments
    text = words[0].text if words and isinstance(words[0], Field) else Unknown("no name")
    found = None
    for candidate in _paths_of(text, state):
        found = run.source(candidate)
        if found is not None:
            break
    if found is None:
        run.missing[run.text(invocation.node)] = None
        state.status = Unknown("a file that is not known")
        return state
    if len(run.frames) > DEEPEST_CALL:
        raise TooMuchError("files that source each other")
    script, file = found
    run.sourced[script] = None
    outer = run.frame
    frame = Frame(script, file, (*outer.callers, Call(outer.script, invocation.node)))
    run.frames.append(frame)
    positional = state.positional
    if len(words) > 1:
        state.positional = words[1:]
    after = run.statements(file.statements, state)
    for returned in frame.returned:
        after = merge(after, returned, f"one of several ways through `{script}`")
    run.frames.pop()
    outer.outer.update({k: v for k, v in frame.outer.items() if k not in outer.outer})
    if after is not None:
        after.positional = positional
    return after


def _paths_of(text: Text, state: State) -> Iterator[str]:
    """Yield the paths in the repository that a name may mean."""
    if isinstance(text, str):
        if not text.startswith("/"):
            yield posixpath.normpath(posixpath.join(state.directory or "", text))
        text_end = text
    elif isinstance(text, Unknown):
        return
    else:
        last = text.pieces[-1]
        text_end = last if isinstance(last, str) else ""
    # Below an unknown folder, or an absolute one: the repository's root is mounted there.
    end = text_end
    while "/" in end:
        end = end.partition("/")[2]
        if end and not end.startswith((".", "/")):
            yield posixpath.normpath(end)


def _eval(run: Run, invocation: _Invocation, state: State) -> State | None:
    _note(run, invocation, state, is_function=False)
    state.status = Unknown("how `eval` ends")
    return state


_Control: TypeAlias = Callable[["Run", _Invocation, State], "State | None"]
_CONTROL: dict[str, _Control] = {
    "exit": _exit,
    "return": _return,
    "break": _break,
    "continue": _continue,
    "exec": _exec,
    "source": _source,
    ".": _source,
    "eval": _eval,
}
