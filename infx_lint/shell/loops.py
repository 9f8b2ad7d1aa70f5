"""Loops: run while they are known, and as one round for all of them from then on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.branches import branch, part
from infx_lint.shell.builtins import assigned_by_builtin
from infx_lint.shell.conditions import Judgement
from infx_lint.shell.expansion import ASSIGNED
from infx_lint.shell.frames import Loop, Paths
from infx_lint.shell.state import Condition, State, merge
from infx_lint.shell.value import (
    Array,
    Field,
    Many,
    Mixed,
    Text,
    Unknown,
    concatenate,
    names_in,
)

if TYPE_CHECKING:
    from infx_lint.shell.execution import Run

MOST_ROUNDS = 64
_MOST_KEPT = 4096
_ASSIGNED_BELOW: dict[int, tuple[dict[str, bool], set[str], object]] = {}
Statements: TypeAlias = tuple[tree.Statement, ...]


class _Rounds(NamedTuple):
    """What a loop does in each round.

    Attributes:
        node: the loop.
        body: what is run.
        condition: decides whether there is another round; None where nothing does.
        bind: gives the loop's variable its value, before the body.
        step: what is evaluated behind the body.
    """

    node: tree.For | tree.ArithmeticFor | tree.While
    body: Statements
    condition: Callable[[State], Paths] | None
    bind: Callable[[State], None] = lambda _state: None
    step: Callable[[State], None] = lambda _state: None


def run_for(run: Run, node: tree.For, state: State) -> State | None:
    """Run `for name in words`: once for each word, or once for all where they are not known."""
    items = state.positional
    if node.words is not None:
        items = run.expander(state).fields(node.words)
    if any(isinstance(item, Many) for item in items) or len(items) > MOST_ROUNDS:
        unknown = Unknown(
            f"`{node.name}` goes over a list that is not known",
            frozenset().union(*(names_in(_plain(item)) for item in items)),
        )

        def bind(here: State) -> None:
            here.variables[node.name] = unknown

        return _run_as_one(run, _Rounds(node, node.body, None, bind), state)
    loop = Loop()
    run.frame.loops.append(loop)
    current: State | None = state
    for item in items:
        if current is None or isinstance(item, Many):
            break
        current.variables[node.name] = item.text
        current = _round(run, loop, node.body, current)
    run.frame.loops.pop()
    return _after(loop, current)


def run_arithmetic_for(run: Run, node: tree.ArithmeticFor, state: State) -> State | None:
    """Run `for ((first; condition; step))`."""
    if node.first is not None:
        run.expander(state).arithmetic(node.first)

    def condition(here: State) -> Paths:
        if node.condition is None:
            return Paths(here, None)
        value = run.expander(here).arithmetic(node.condition)
        if isinstance(value, Unknown):
            return Paths(here, here.fork())
        return Paths(here, None) if value else Paths(None, here)

    def step(here: State) -> None:
        if node.step is not None:
            run.expander(here).arithmetic(node.step)

    return _repeat(run, _Rounds(node, node.body, condition, step=step), state)


def run_while(run: Run, node: tree.While, state: State) -> State | None:
    """Run `while` or `until`."""

    def condition(here: State) -> Paths:
        paths = branch(run, node.condition, here)
        return Paths(paths.unmet, paths.met) if node.until else paths

    return _repeat(run, _Rounds(node, node.body, condition), state)


def _round(run: Run, loop: Loop, body: Statements, state: State) -> State | None:
    after = run.statements(body, state)
    for continued in loop.continued:
        after = merge(after, continued, "one of several ways through a loop")
    loop.continued.clear()
    return after


def _after(loop: Loop, state: State | None) -> State | None:
    for broken in loop.broken:
        state = merge(state, broken, "a loop that may end early")
    if state is not None:
        state.status = True
    return state


def _repeat(run: Run, rounds: _Rounds, state: State) -> State | None:
    """Run a loop while its condition is known; from then on nothing it assigns is."""
    if rounds.condition is None:
        return state
    loop = Loop()
    run.frame.loops.append(loop)
    current: State | None = state
    ended: State | None = None
    for _ in range(MOST_ROUNDS):
        if current is None:
            break
        trial = current.fork()
        mark, assigned = len(run.executions), len(run.assignments)
        paths = rounds.condition(trial)
        if paths.met is not None and paths.unmet is not None:
            # Known no longer: the rest of the rounds is run as one.
            del run.executions[mark:], run.assignments[assigned:]
            break
        if paths.met is None:
            ended = paths.unmet
            current = None
            break
        current = _round(run, loop, rounds.body, paths.met)
        if current is not None:
            rounds.step(current)
    run.frame.loops.pop()
    if current is not None:
        ended = _run_as_one(run, rounds, current)
    return _after(loop, ended)


def _run_as_one(run: Run, rounds: _Rounds, state: State) -> State | None:
    """Run the body once for all rounds, whatever it assigns being unknown before and after."""
    _forget(run, rounds.node, state)
    loop = Loop()
    run.frame.loops.append(loop)
    line = run.frame.file.text.line_of(rounds.node.start)
    if rounds.condition is None:
        judgement = Judgement(
            Unknown("how often a loop runs"), Condition(f"the loop of line {line} runs")
        )
        paths = part(run, state, judgement, rounds.node)
    else:
        paths = rounds.condition(state)
    after: State | None = None
    if paths.met is not None:
        rounds.bind(paths.met)
        after = _round(run, loop, rounds.body, paths.met)
        if after is not None:
            rounds.step(after)
            _forget(run, rounds.node, after)
    run.frame.loops.pop()
    return _after(loop, merge(after, paths.unmet, f"the loop of line {line}"))


def _forget(run: Run, node: Any, state: State) -> None:  # noqa: ANN401
    """Make everything that a loop assigns unknown, in the functions that it calls too."""
    line = run.frame.file.text.line_of(node.start)
    reason = f"it changes in the loop of line {line}"
    for name, only_appends in assigned_in(node, state).items():
        known = state.variables.get(name)
        if isinstance(known, Array) and only_appends:
            more = Many(reason, frozenset({name}))
            if not known.fields or known.fields[-1] != more:
                state.variables[name] = Array((*known.fields, more))
        elif isinstance(known, str | Mixed) and only_appends:
            gap = Unknown(reason, frozenset({name}))
            state.variables[name] = concatenate((known, gap))
        else:
            state.variables[name] = Unknown(reason, frozenset({name}))


def assigned_in(node: Any, state: State) -> dict[str, bool]:  # noqa: ANN401
    """Return the names that a node can assign, and whether it only appends to them."""
    found: dict[str, bool] = {}
    seen: set[str] = set()
    stack = [node]
    while stack:
        names, called = _assigned_directly(stack.pop())
        for name, appends in names.items():
            found[name] = found.get(name, True) and appends
        for function in called:
            if function in state.functions and function not in seen:
                seen.add(function)
                stack.append(state.functions[function][1].body)
    return found


def _assigned_directly(node: Any) -> tuple[dict[str, bool], set[str]]:  # noqa: ANN401
    """Return the names that are assigned below a node, and the commands that stand there.

    A tree is run many times, so what was found is kept, with the node: nothing else gets its id.
    """
    known = _ASSIGNED_BELOW.get(id(node))
    if known is None:
        names: dict[str, bool] = {}
        called: set[str] = set()
        for inner in tree.walk(node):
            for name, appends in assigned_by(inner):
                names[name] = names.get(name, True) and appends
            if isinstance(inner, tree.SimpleCommand) and inner.words:
                called.add(inner.words[0].literal or "")
        if len(_ASSIGNED_BELOW) >= _MOST_KEPT:
            _ASSIGNED_BELOW.clear()
        known = _ASSIGNED_BELOW[id(node)] = (names, called, node)
    return known[0], known[1]


def _plain(item: Field | Many) -> Text | Many:
    return item.text if isinstance(item, Field) else item


def assigned_by(node: Any) -> Iterator[tuple[str, bool]]:  # noqa: ANN401
    """Yield the names that a single node assigns, and whether it appends."""
    match node:
        case tree.SimpleCommand():
            if not node.words:
                for item in node.assignments:
                    yield item.name, item.append
            else:
                for name in assigned_by_builtin(node):
                    yield name, False
        case tree.Declaration():
            for item in node.assignments:
                if not item.naked:
                    yield item.name, False
        case tree.For():
            yield node.name, False
        case tree.Parameter(operator=":=" | "="):
            yield node.name, False
        case tree.Expression():
            for part in node.parts:
                if isinstance(part, tree.Literal):
                    for found in ASSIGNED.finditer(part.text):
                        yield found[1] or found[2], False
