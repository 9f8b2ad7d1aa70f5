"""Where paths part and meet: `&&`, `||`, `if`, `case`, and the conditions that decide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.conditions import Judgement, both, equal, judge_command, judge_test, subject_of
from infx_lint.shell.frames import Paths, why
from infx_lint.shell.state import Assumed, Condition, Guard, State, Truth, merge
from infx_lint.shell.value import Text, Unknown

if TYPE_CHECKING:
    from infx_lint.shell.execution import Run

Statements: TypeAlias = tuple[tree.Statement, ...]
TESTS = frozenset({"[", "test"})


def run_list(run: Run, node: tree.List, state: State) -> State | None:
    """Run `left && right` or `left || right`."""
    base = len(state.guards)
    paths = branch(run, (node.left,), state)
    if node.operator == "&&":
        taken, skipped = paths.met, paths.unmet
    else:
        taken, skipped = paths.unmet, paths.met
    after = _guarded(run, lambda here: run.statement(node.right, here), taken, base, (skipped,))
    if skipped is not None:
        skipped.status = node.operator == "||"
    return merge(after, skipped, why(node, run.frame))


def _guarded(
    run: Run,
    body: Callable[[State], State | None],
    taken: State | None,
    base: int,
    others: Sequence[State | None],
) -> State | None:
    """Run what stands under a condition, and note what becomes of those who meet it.

    Args:
        run: the run.
        body: what is run.
        taken: the state in which the condition is met, None if it cannot be.
        base: the number of guards before the condition.
        others: the states in which it is not met; a command behind it knows by its guards
            how the way not taken ends.
    """
    if taken is None:
        return None
    keys = [
        (guard.script, guard.start, guard.holds)
        for other in others
        if other is not None
        for guard in other.guards[base:]
    ]
    after = body(taken)
    for key in keys:
        run.alternatives[key] = "continues" if after is not None else run.end
    return after


def run_if(run: Run, node: tree.If, state: State) -> State | None:
    """Run the branches of an `if` that can be taken."""
    ends: list[State | None] = []
    base = len(state.guards)
    current: State | None = state
    for item in node.branches:
        if current is None:
            break
        paths = branch(run, item.condition, current)
        ends.append(
            _guarded(
                run,
                lambda here, body=item.body: run.statements(body, here),  # type: ignore[misc]
                paths.met,
                base,
                (paths.unmet,),
            )
        )
        current = paths.unmet
    if current is not None:
        if node.otherwise is not None:
            ends.append(
                _guarded(
                    run,
                    lambda here: run.statements(node.otherwise or (), here),
                    current,
                    base,
                    tuple(ends),
                )
            )
        else:
            current.status = True
            ends.append(current)
    after: State | None = None
    for end in ends:
        after = merge(after, end, why(node, run.frame))
    return after


def branch(run: Run, condition: Statements, state: State) -> Paths:
    """Run a condition and return the two ways out of it."""
    run.checked += 1
    before = run.statements(condition[:-1], state)
    paths = Paths(None, None)
    if before is not None:
        paths = _branch(run, condition[-1], before)
    run.checked -= 1
    return paths


def _branch(run: Run, node: tree.Statement, state: State) -> Paths:
    command = node.command
    if node.negated:
        paths = _branch(run, node._replace(negated=False), state)
        return Paths(paths.unmet, paths.met)
    if node.background or node.redirects or command is None:
        return _branch_on_status(run, node, run.statement(node, state))
    match command:
        case tree.List(operator="&&"):
            left = _branch(run, command.left, state)
            right = _branch_from(run, command.right, left.met)
            return Paths(right.met, merge(left.unmet, right.unmet, why(node, run.frame)))
        case tree.List(operator="||"):
            left = _branch(run, command.left, state)
            right = _branch_from(run, command.right, left.unmet)
            return Paths(merge(left.met, right.met, why(node, run.frame)), right.unmet)
        case tree.Group(subshell=False) if len(command.body) == 1:
            return _branch(run, command.body[0], state)
        case tree.Test() | tree.ArithmeticCommand():
            return judge(run, command, state)
        case tree.SimpleCommand() if (
            command.words and command.words[0].literal in TESTS and not command.assignments
        ):
            return judge(run, command, state)
    return _branch_on_status(run, node, run.statement(node, state))


def _branch_from(run: Run, node: tree.Statement, state: State | None) -> Paths:
    return Paths(None, None) if state is None else _branch(run, node, state)


def _branch_on_status(run: Run, node: tree.Statement, state: State | None) -> Paths:
    if state is None:
        return Paths(None, None)
    if state.status is True:
        return Paths(state, None)
    if state.status is False:
        return Paths(None, state)
    return part(
        run, state, Judgement(state.status, Condition(run.text(node.command or node))), node
    )


def judge(run: Run, node: tree.Command, state: State) -> Paths:
    """Judge a test command; where it is not known, part the ways."""
    if isinstance(node, tree.Test):
        return _judge_condition(run, node.condition, state)
    if isinstance(node, tree.ArithmeticCommand):
        value: int | Unknown = 0
        for expression in node.expressions:
            value = run.expander(state).arithmetic(expression)
        truth: Truth = value if isinstance(value, Unknown) else bool(value)
        return part(run, state, Judgement(truth, Condition(run.text(node))), node)
    if isinstance(node, tree.SimpleCommand):
        judgement = judge_command(run.expander(state), node.words, run.text(node))
        return part(run, state, judgement, node)
    raise TypeError(type(node).__name__)


def _judge_condition(run: Run, node: tree.Condition, state: State) -> Paths:
    if isinstance(node, tree.TestNot):
        paths = _judge_condition(run, node.operand, state)
        return Paths(paths.unmet, paths.met)
    if isinstance(node, tree.TestBoth):
        left = _judge_condition(run, node.left, state)
        goes_on = left.met if node.operator == "&&" else left.unmet
        right = _judge_condition(run, node.right, goes_on) if goes_on else Paths(None, None)
        reason = why(node, run.frame)
        if node.operator == "&&":
            return Paths(right.met, merge(left.unmet, right.unmet, reason))
        return Paths(merge(left.met, right.met, reason), right.unmet)
    judgement = judge_test(run.expander(state), node, run.text)
    return part(run, state, judgement, node)


def part(run: Run, state: State, judgement: Judgement, node: Any) -> Paths:  # noqa: ANN401
    """Go the way that a condition decides, or both ways with a guard on each."""
    truth = judgement.truth
    if not isinstance(truth, Unknown):
        state.status = truth
        return Paths(state, None) if truth else Paths(None, state)
    script, condition = run.frame.script, judgement.condition
    for guard in state.guards:
        # Decided before, on this path, and not assigned since.
        if guard.condition == condition and condition.subject and _is_fresh(guard, state):
            met = guard.holds is judgement.holds
            state.status = met
            return Paths(state, None) if met else Paths(None, state)
    other = state.fork()
    for path, met in ((state, True), (other, False)):
        holds = judgement.holds is met
        guard = Guard(condition, holds, script, node.start, node.end)
        path.guards = (*path.guards, guard)
        path.status = met
        if holds and condition.operator == "=" and condition.subject and condition.value:
            _refine(path, condition)
    return Paths(state, other)


def _refine(state: State, condition: Condition) -> None:
    """Note what a variable must hold where it is equal to a literal."""
    known = state.variables.get(condition.subject)
    if known is None or isinstance(known, Unknown):
        state.variables[condition.subject] = Assumed(condition.value, known)


def _is_fresh(guard: Guard, state: State) -> bool:
    """Tell whether a variable is still what it was when a guard was passed."""
    return guard.condition.subject not in state.variables


def run_case(run: Run, node: tree.Case, state: State) -> State | None:
    """Run the items of a `case` that can match."""
    subject = run.expander(state).text(node.word)
    base = len(state.guards)
    ends: list[State | None] = []
    current: State | None = state
    falling: State | None = None
    for item in node.items:
        paths = Paths(None, current)
        if current is not None:
            paths = _matches_any(run, node, item, subject, current)
        taken = merge(paths.met, falling, why(node, run.frame))
        falling = None
        if taken is not None:
            after = _guarded(
                run,
                lambda here, body=item.body: run.statements(body, here),  # type: ignore[misc]
                taken,
                base,
                (paths.unmet, *ends),
            )
            if item.terminator == ";&":
                falling = after
            elif item.terminator == ";;&":
                # It goes on testing, with those who did not match.
                current = merge(paths.unmet, after, why(node, run.frame))
                continue
            else:
                ends.append(after)
        current = paths.unmet
    if current is not None:
        current.status = True
        ends.append(current)
    ends.append(falling)
    joined: State | None = None
    for end in ends:
        joined = merge(joined, end, why(node, run.frame))
    return joined


def _matches_any(
    run: Run, node: tree.Case, item: tree.CaseItem, subject: Text, state: State
) -> Paths:
    truth: Truth = False
    name, _ = subject_of(node.word)
    literals: list[str] = []
    for pattern in item.patterns:
        text = run.expander(state).pattern(pattern)
        literals.append(text if isinstance(text, str) else "*")
        truth = True if text == "*" else both(truth, equal(subject, text, glob=True), "||")
        if truth is True:
            break
    if not isinstance(truth, Unknown):
        return Paths(state, None) if truth else Paths(None, state)
    source = f"{run.text(node.word)} is {' or '.join(map(run.text, item.patterns))}"
    simple = name and len(literals) == 1 and not set(literals[0]) & set("*?[")
    condition = Condition(source, name, "=", literals[0]) if simple else Condition(source)
    return part(run, state, Judgement(truth, condition), item.patterns[0])
