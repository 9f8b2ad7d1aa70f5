"""An abstract run of a script over one environment.

Every command is executed as far as its words are known. Where a condition cannot be decided both
ways are taken and meet again behind it: what they agree on stays known. Loops run at most
`MOST_ROUNDS` rounds while their condition is known; else what they assign becomes unknown.
Functions are run where they are called, those of sourced files too. Nothing is ever started.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.shell.builtins import BUILTINS, assigned_by_builtin
from infx_lint.shell.conditions import Judgement, both, judge_command, judge_test
from infx_lint.shell.expansion import Expander, TooMuchError
from infx_lint.shell.state import (
    Assumed,
    Condition,
    Environment,
    Guard,
    State,
    Truth,
    merge,
)
from infx_lint.shell.trace import Assigned, Call, Execution, Trace
from infx_lint.shell.value import (
    UNSET,
    Array,
    Field,
    Fields,
    Many,
    Mixed,
    Table,
    Text,
    Unknown,
    Value,
    concatenate,
    names_in,
    with_origin,
)

MOST_ROUNDS = 64
MOST_STEPS = 30_000
DEEPEST_CALL = 24
_MOST_EXECUTIONS = 20_000

Source: TypeAlias = Callable[[str], "tuple[str, ShellFile] | None"]
Label: TypeAlias = Callable[[Fields], "str | None"]
Statements: TypeAlias = tuple[tree.Statement, ...]

_TESTS = frozenset({"[", "test"})


def run(
    script: str,
    file: ShellFile,
    environment: Environment,
    source: Source,
    label: Label = lambda _words: None,
) -> Trace:
    """Run a script.

    Args:
        script: its path, relative to the repository.
        file: the script.
        environment: what it is started with.
        source: returns a sourced file and its path by the text that names it, None where there
            is no such file.
        label: names a command by its words; `Trace.always` tells which names have surely run.
    """
    return _Run(environment, source, label).trace(script, file)


class _Frame:
    """A script or a function that is being run.

    Attributes:
        returned: the states in which it was left by `return`.
        outer: what the variables that are local to it held before.
    """

    def __init__(self, script: str, file: ShellFile, callers: tuple[Call, ...]) -> None:
        self.script = script
        self.file = file
        self.callers = callers
        self.returned: list[State] = []
        self.outer: dict[str, Value | None] = {}
        self.loops: list[_Loop] = []


class _Loop:
    def __init__(self) -> None:
        self.broken: list[State] = []
        self.continued: list[State] = []


class _Paths(NamedTuple):
    """The two ways that lead out of a condition; None where one is ruled out."""

    met: State | None
    unmet: State | None


class _Run:
    def __init__(self, environment: Environment, source: Source, label: Label) -> None:
        self._environment = environment
        self._source = source
        self._label = label
        self._executions: list[Execution] = []
        self._assignments: list[Assigned] = []
        self._missing: dict[str, None] = {}
        self._alternatives: dict[tuple[str, int, bool], str] = {}
        self._ended: list[State] = []
        self._steps = 0
        # How the last path that did not arrive came to its end.
        self._end = ""
        # Above zero inside of conditions, where `set -e` is ignored.
        self._checked = 0
        self._frames: list[_Frame] = []
        # Whether the command that runs now writes to a file.
        self._into_file = False
        self._files: dict[str, ShellFile] = {}
        self._functions: dict[str, tuple[str, tree.Function]] = {}

    @property
    def frame(self) -> _Frame:
        return self._frames[-1]

    def trace(self, script: str, file: ShellFile) -> Trace:
        variables: dict[str, Value] = dict(self._environment.variables)
        state = State(variables, frozenset(variables))
        self._frames.append(_Frame(script, file, ()))
        incomplete = None
        final: State | None = None
        try:
            final = self.statements(file.statements, state)
            for returned in self.frame.returned:
                final = merge(final, returned, "one of several ways through the script")
        except TooMuchError as error:
            incomplete = str(error)
        except RecursionError:
            incomplete = "commands nested too deep"
        ends = [*self._ended, *([final] if final else ())]
        always = frozenset.intersection(*(end.ran for end in ends)) if ends else frozenset()
        return Trace(
            executions=tuple(self._executions),
            assignments=tuple(self._assignments),
            variables=final.variables if final else {},
            functions=self._functions,
            always=frozenset() if incomplete else always,
            alternatives=self._alternatives,
            missing=tuple(self._missing),
            incomplete=incomplete,
        )

    # Statements ------------------------------------------------------------------------------

    def statements(self, statements: Statements, state: State | None) -> State | None:
        """Run statements in order; return the state behind the last, None if it is not reached."""
        for statement in statements:
            if state is None:
                return None
            state = self.statement(statement, state)
        return state

    def statement(self, node: tree.Statement, state: State) -> State | None:
        self._steps += 1
        if self._steps > MOST_STEPS or len(self._executions) > _MOST_EXECUTIONS:
            raise TooMuchError(f"running it takes more than {MOST_STEPS:,} steps")
        if node.background:
            return self._in_background(node, state)
        guarded = self._heredocs(node, state)
        output, state.output = state.output, self._output_of(node, state)
        is_list = isinstance(node.command, tree.List)
        self._into_file = any(item.operator in {">", ">>"} for item in node.redirects)
        if node.negated:
            self._checked += 1
        after = state if node.command is None else self.command(node.command, state, guarded)
        if node.negated:
            self._checked -= 1
        if after is None:
            return None
        if self._diverts(node):
            after.output = output
        if node.negated and not isinstance(after.status, Unknown):
            after.status = not after.status
        elif (
            after.status is False
            and after.errexit
            and not self._checked
            and not is_list
            and not node.negated
        ):
            self._end = "aborts"
            return None
        return after

    @staticmethod
    def _diverts(node: tree.Statement) -> bool:
        return any(
            redirect.operator in {">", ">>", "&>", "&>>", ">|", ">&"}
            and redirect.descriptor in {"", "1"}
            for redirect in node.redirects
        )

    def _output_of(self, node: tree.Statement, state: State) -> list[object] | None:
        return None if self._diverts(node) else state.output

    def _heredocs(self, node: tree.Statement, state: State) -> Text | None:
        text: Text | None = None
        for redirect in node.redirects:
            if redirect.operator in {"<<", "<<-", "<<<"}:
                text = self.expander(state).heredoc(redirect)
            elif redirect.target is not None:
                self.expander(state).text(redirect.target)
        return text

    def _in_background(self, node: tree.Statement, state: State) -> State | None:
        """Run a job in a copy: what it assigns stays there, what it starts has been started."""
        copy = state.fork()
        copy.output = None
        self._checked += 1
        after = self._apart(node._replace(background=False), copy)
        self._checked -= 1
        if after is not None:
            state.ran |= after.ran
        state.status = True
        return state

    def _apart(self, node: tree.Statement, copy: State) -> State | None:
        """Run a statement in a process of its own: `exit` ends only that."""
        ended, self._ended = self._ended, []
        # `return` and `break` do not leave a process either.
        frame = self.frame
        returned, frame.returned = frame.returned, []
        loops, frame.loops = frame.loops, []
        after = self.statement(node, copy)
        for state in (*frame.returned, *self._ended):
            after = merge(after, state, "one of several ways through a subshell")
        self._ended, frame.returned, frame.loops = ended, returned, loops
        return after

    def expander(self, state: State) -> Expander:
        frame = self.frame
        callers = tuple(call.script for call in reversed(frame.callers))
        return Expander(frame.script, state, self._environment, self._substitute, callers)

    def _substitute(self, body: Statements, state: State) -> Text:
        """Run a command substitution and return what it writes, without line ends at its end."""
        copy = state.fork()
        copy.output = []
        self._checked += 1
        group = tree.Group(0, 0, subshell=False, body=body)
        after = self._apart(tree.Statement(0, 0, group, False, False, ()), copy)  # noqa: FBT003
        self._checked -= 1
        if after is None:
            state.status = False
            return Unknown("a command that does not come to its end")
        state.ran |= after.ran
        state.status = after.status
        pieces: list[Any] = after.output or []
        text = concatenate(pieces)
        if isinstance(text, str):
            return text.rstrip("\n")
        first = text.pieces if not isinstance(text, Unknown) else (text,)
        last = first[-1]
        if isinstance(last, str):
            return concatenate((*first[:-1], last.rstrip("\n")))
        return text

    # Commands --------------------------------------------------------------------------------

    def command(self, node: tree.Command, state: State, heredoc: Text | None) -> State | None:
        match node:
            case tree.SimpleCommand():
                return self._simple(node, state, heredoc)
            case tree.Declaration():
                return self._declare(node, state)
            case tree.If():
                return self._if(node, state)
            case tree.List(operator="&&" | "||"):
                return self._list(node, state)
            case tree.List():
                return self._pipeline(node, state)
            case tree.Case():
                return self._case(node, state)
            case tree.For():
                return self._for(node, state)
            case tree.ArithmeticFor():
                return self._arithmetic_for(node, state)
            case tree.While():
                return self._while(node, state)
            case tree.Group(subshell=False):
                return self.statements(node.body, state)
            case tree.Group():
                return self._subshell(node, state)
            case tree.Function():
                self._functions[node.name] = (self.frame.script, node)
                state.functions = {**state.functions, node.name: (self.frame.script, node)}
                self._files[self.frame.script] = self.frame.file
                state.status = True
                return state
            case tree.Test() | tree.ArithmeticCommand():
                paths = self._judge(node, state)
                if paths.met is not None and paths.unmet is not None:
                    paths.met.status = True
                    paths.unmet.status = False
                return merge(paths.met, paths.unmet, "a condition that is not known")
            case tree.Opaque():
                state.status = Unknown(f"`{node.kind}` is not understood")
                return state

    def _subshell(self, node: tree.Group, state: State) -> State | None:
        copy = state.fork()
        group = tree.Group(node.start, node.end, subshell=False, body=node.body)
        body = tree.Statement(node.start, node.end, group, False, False, ())  # noqa: FBT003
        after = self._apart(body, copy)
        if after is None:
            # It aborted: its status is a failure.
            state.status = False
            return state
        state.ran |= after.ran
        state.status = after.status
        state.output = after.output if state.output is not None else None
        return state

    def _pipeline(self, node: tree.List, state: State) -> State | None:
        """Run both sides in copies; only the last one's output and status get out."""
        left, right = state.fork(), state.fork()
        left.output = None
        self._checked += 1
        before = self._apart(node.left, left)
        if right.output is not None:
            right.output = []
        after = self._apart(node.right, right)
        self._checked -= 1
        for side in (before, after):
            if side is not None:
                state.ran |= side.ran
        if state.output is not None:
            state.output = [*state.output, *((after.output or []) if after else [])]
        status = after.status if after else Unknown("a pipeline")
        if before is None or before.status is not True:
            # `pipefail` may be set.
            status = status if status is False else Unknown("a pipeline")
        state.status = status
        return state

    # Branches --------------------------------------------------------------------------------

    def _list(self, node: tree.List, state: State) -> State | None:
        base = len(state.guards)
        paths = self.branch((node.left,), state)
        if node.operator == "&&":
            taken, skipped = paths.met, paths.unmet
        else:
            taken, skipped = paths.unmet, paths.met
        after = self._guarded(
            lambda here: self.statement(node.right, here), taken, base, (skipped,)
        )
        if skipped is not None:
            skipped.status = node.operator == "||"
        return merge(after, skipped, _why(node, self.frame))

    def _guarded(
        self,
        body: Callable[[State], State | None],
        taken: State | None,
        base: int,
        others: Sequence[State | None],
    ) -> State | None:
        """Run what stands under a condition, and note what becomes of those who meet it.

        Args:
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
            self._alternatives[key] = "continues" if after is not None else self._end
        return after

    def _if(self, node: tree.If, state: State) -> State | None:
        ends: list[State | None] = []
        base = len(state.guards)
        current: State | None = state
        for branch in node.branches:
            if current is None:
                break
            paths = self.branch(branch.condition, current)
            ends.append(
                self._guarded(
                    lambda here, body=branch.body: self.statements(body, here),  # type: ignore[misc]
                    paths.met,
                    base,
                    (paths.unmet,),
                )
            )
            current = paths.unmet
        if current is not None:
            if node.otherwise is not None:
                ends.append(
                    self._guarded(
                        lambda here: self.statements(node.otherwise or (), here),
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
            after = merge(after, end, _why(node, self.frame))
        return after

    def branch(self, condition: Statements, state: State) -> _Paths:
        """Run a condition and return the two ways out of it."""
        self._checked += 1
        before = self.statements(condition[:-1], state)
        paths = _Paths(None, None)
        if before is not None:
            paths = self._branch(condition[-1], before)
        self._checked -= 1
        return paths

    def _branch(self, node: tree.Statement, state: State) -> _Paths:
        command = node.command
        if node.negated:
            paths = self._branch(node._replace(negated=False), state)
            return _Paths(paths.unmet, paths.met)
        if node.background or node.redirects or command is None:
            return self._branch_on_status(node, self.statement(node, state))
        match command:
            case tree.List(operator="&&"):
                left = self._branch(command.left, state)
                right = self._branch_from(command.right, left.met)
                return _Paths(right.met, merge(left.unmet, right.unmet, _why(node, self.frame)))
            case tree.List(operator="||"):
                left = self._branch(command.left, state)
                right = self._branch_from(command.right, left.unmet)
                return _Paths(merge(left.met, right.met, _why(node, self.frame)), right.unmet)
            case tree.Group(subshell=False) if len(command.body) == 1:
                return self._branch(command.body[0], state)
            case tree.Test() | tree.ArithmeticCommand():
                return self._judge(command, state)
            case tree.SimpleCommand() if (
                command.words and command.words[0].literal in _TESTS and not command.assignments
            ):
                return self._judge(command, state)
        return self._branch_on_status(node, self.statement(node, state))

    def _branch_from(self, node: tree.Statement, state: State | None) -> _Paths:
        return _Paths(None, None) if state is None else self._branch(node, state)

    def _branch_on_status(self, node: tree.Statement, state: State | None) -> _Paths:
        if state is None:
            return _Paths(None, None)
        if state.status is True:
            return _Paths(state, None)
        if state.status is False:
            return _Paths(None, state)
        return self._part(
            state, Judgement(state.status, Condition(self._text(node.command or node))), node
        )

    def _text(self, node: Any) -> str:  # noqa: ANN401 - any node
        return " ".join(self.frame.file.source(node).split())

    def _judge(self, node: tree.Command, state: State) -> _Paths:
        """Judge a test command; where it is not known, part the ways."""
        if isinstance(node, tree.Test):
            return self._judge_condition(node.condition, state)
        if isinstance(node, tree.ArithmeticCommand):
            value: int | Unknown = 0
            for expression in node.expressions:
                value = self.expander(state).arithmetic(expression)
            truth: Truth = value if isinstance(value, Unknown) else bool(value)
            return self._part(state, Judgement(truth, Condition(self._text(node))), node)
        if isinstance(node, tree.SimpleCommand):
            judgement = judge_command(self.expander(state), node.words, self._text(node))
            return self._part(state, judgement, node)
        raise TypeError(type(node).__name__)

    def _judge_condition(self, node: tree.Condition, state: State) -> _Paths:
        if isinstance(node, tree.TestNot):
            paths = self._judge_condition(node.operand, state)
            return _Paths(paths.unmet, paths.met)
        if isinstance(node, tree.TestBoth):
            left = self._judge_condition(node.left, state)
            goes_on = left.met if node.operator == "&&" else left.unmet
            right = self._judge_condition(node.right, goes_on) if goes_on else _Paths(None, None)
            why = _why(node, self.frame)
            if node.operator == "&&":
                return _Paths(right.met, merge(left.unmet, right.unmet, why))
            return _Paths(merge(left.met, right.met, why), right.unmet)
        judgement = judge_test(self.expander(state), node, self._text)
        return self._part(state, judgement, node)

    def _part(self, state: State, judgement: Judgement, node: Any) -> _Paths:  # noqa: ANN401
        truth = judgement.truth
        if not isinstance(truth, Unknown):
            state.status = truth
            return _Paths(state, None) if truth else _Paths(None, state)
        script, condition = self.frame.script, judgement.condition
        for guard in state.guards:
            # Decided before, on this path, and not assigned since.
            if guard.condition == condition and condition.subject and self._is_fresh(guard, state):
                met = guard.holds is judgement.holds
                state.status = met
                return _Paths(state, None) if met else _Paths(None, state)
        other = state.fork()
        for path, met in ((state, True), (other, False)):
            holds = judgement.holds is met
            guard = Guard(condition, holds, script, node.start, node.end)
            path.guards = (*path.guards, guard)
            path.status = met
            if holds and condition.operator == "=" and condition.subject and condition.value:
                self._refine(path, condition)
        return _Paths(state, other)

    @staticmethod
    def _refine(state: State, condition: Condition) -> None:
        """Note what a variable must hold where it is equal to a literal."""
        known = state.variables.get(condition.subject)
        if known is None or isinstance(known, Unknown):
            state.variables[condition.subject] = Assumed(condition.value, known)

    @staticmethod
    def _is_fresh(guard: Guard, state: State) -> bool:
        """Tell whether a variable is still what it was when a guard was passed."""
        return guard.condition.subject not in state.variables

    def _case(self, node: tree.Case, state: State) -> State | None:
        subject = self.expander(state).text(node.word)
        base = len(state.guards)
        ends: list[State | None] = []
        current: State | None = state
        falling: State | None = None
        for item in node.items:
            paths = _Paths(None, current)
            if current is not None:
                paths = self._matches_any(node, item, subject, current)
            taken = merge(paths.met, falling, _why(node, self.frame))
            falling = None
            if taken is not None:
                after = self._guarded(
                    lambda here, body=item.body: self.statements(body, here),  # type: ignore[misc]
                    taken,
                    base,
                    (paths.unmet, *ends),
                )
                if item.terminator == ";&":
                    falling = after
                elif item.terminator == ";;&" and after is not None:
                    # It goes on testing: what it does is no longer certain.
                    ends.append(after)
                else:
                    ends.append(after)
            current = paths.unmet
        if current is not None:
            current.status = True
            ends.append(current)
        ends.append(falling)
        joined: State | None = None
        for end in ends:
            joined = merge(joined, end, _why(node, self.frame))
        return joined

    def _matches_any(
        self, node: tree.Case, item: tree.CaseItem, subject: Text, state: State
    ) -> _Paths:
        from infx_lint.shell.conditions import _equal, subject_of

        truth: Truth = False
        name, _ = subject_of(node.word)
        literals: list[str] = []
        for pattern in item.patterns:
            text = self.expander(state).pattern(pattern)
            literals.append(text if isinstance(text, str) else "*")
            truth = True if text == "*" else both(truth, _equal(subject, text, glob=True), "||")
            if truth is True:
                break
        if not isinstance(truth, Unknown):
            return _Paths(state, None) if truth else _Paths(None, state)
        source = f"{self._text(node.word)} is {' or '.join(map(self._text, item.patterns))}"
        simple = name and len(literals) == 1 and not set(literals[0]) & set("*?[")
        condition = Condition(source, name, "=", literals[0]) if simple else Condition(source)
        return self._part(state, Judgement(truth, condition), item.patterns[0])

    # Loops -----------------------------------------------------------------------------------

    def _for(self, node: tree.For, state: State) -> State | None:
        if node.words is None:
            items: Fields = state.positional
        else:
            items = self.expander(state).fields(node.words)
        if any(isinstance(item, Many) for item in items) or len(items) > MOST_ROUNDS:
            why = Unknown(
                f"`{node.name}` goes over a list that is not known",
                frozenset().union(*(names_in(_plain(item)) for item in items)),
            )

            def bind(here: State) -> None:
                here.variables[node.name] = why

            return self._loop_unknown(node, node.body, state, bind)
        loop = _Loop()
        self.frame.loops.append(loop)
        current: State | None = state
        for item in items:
            if current is None or isinstance(item, Many):
                break
            current.variables[node.name] = item.text
            current = self._round(loop, node.body, current)
        self.frame.loops.pop()
        return self._after_loop(loop, current)

    def _round(self, loop: _Loop, body: Statements, state: State) -> State | None:
        after = self.statements(body, state)
        for continued in loop.continued:
            after = merge(after, continued, "one of several ways through a loop")
        loop.continued.clear()
        return after

    @staticmethod
    def _after_loop(loop: _Loop, state: State | None) -> State | None:
        for broken in loop.broken:
            state = merge(state, broken, "a loop that may end early")
        if state is not None:
            state.status = True
        return state

    def _arithmetic_for(self, node: tree.ArithmeticFor, state: State) -> State | None:
        if node.first is not None:
            self.expander(state).arithmetic(node.first)

        def condition(here: State) -> _Paths:
            if node.condition is None:
                return _Paths(here, None)
            value = self.expander(here).arithmetic(node.condition)
            if isinstance(value, Unknown):
                return _Paths(here, here)
            return _Paths(here, None) if value else _Paths(None, here)

        def step(here: State) -> None:
            if node.step is not None:
                self.expander(here).arithmetic(node.step)

        return self._repeat(node, condition, node.body, state, step)

    def _while(self, node: tree.While, state: State) -> State | None:
        def condition(here: State) -> _Paths:
            paths = self.branch(node.condition, here)
            return _Paths(paths.unmet, paths.met) if node.until else paths

        return self._repeat(node, condition, node.body, state, lambda _here: None)

    def _repeat(
        self,
        node: Any,  # noqa: ANN401
        condition: Callable[[State], _Paths],
        body: Statements,
        state: State,
        step: Callable[[State], None],
    ) -> State | None:
        """Run a loop while its condition is known; from then on nothing it assigns is."""
        loop = _Loop()
        self.frame.loops.append(loop)
        current: State | None = state
        ended: State | None = None
        for _ in range(MOST_ROUNDS):
            if current is None:
                break
            trial = current.fork()
            mark, assigned = len(self._executions), len(self._assignments)
            paths = condition(trial)
            if paths.met is not None and paths.unmet is not None:
                # Known no longer: the rest of the rounds is run as one.
                del self._executions[mark:], self._assignments[assigned:]
                break
            if paths.met is None:
                ended = paths.unmet
                current = None
                break
            current = self._round(loop, body, paths.met)
            if current is not None:
                step(current)
        self.frame.loops.pop()
        if current is not None:
            ended = self._loop_unknown(node, body, current, condition=condition, step=step)
        return self._after_loop(loop, ended)

    def _loop_unknown(
        self,
        node: Any,  # noqa: ANN401
        body: Statements,
        state: State,
        bind: Callable[[State], None] = lambda _state: None,
        *,
        condition: Callable[[State], _Paths] | None = None,
        step: Callable[[State], None] = lambda _state: None,
    ) -> State | None:
        """Run the body once for all rounds, whatever it assigns being unknown before and after."""
        self._forget(node, state)
        loop = _Loop()
        self.frame.loops.append(loop)
        line = self.frame.file.text.line_of(node.start)
        if condition is None:
            text = Condition(f"the loop of line {line} runs")
            judgement = Judgement(Unknown("how often a loop runs"), text)
            paths = self._part(state, judgement, node)
        else:
            paths = condition(state)
            if paths.met is paths.unmet and paths.met is not None:
                paths = _Paths(paths.met, paths.met.fork())
        after: State | None = None
        if paths.met is not None:
            bind(paths.met)
            after = self._round(loop, body, paths.met)
            if after is not None:
                step(after)
                self._forget(node, after)
        self.frame.loops.pop()
        merged = merge(after, paths.unmet, f"the loop of line {line}")
        return self._after_loop(loop, merged)

    def _forget(self, node: Any, state: State) -> None:  # noqa: ANN401
        """Make everything that a loop assigns unknown, in the functions that it calls too."""
        line = self.frame.file.text.line_of(node.start)
        reason = f"it changes in the loop of line {line}"
        for name, only_appends in self._assigned_in(node, state).items():
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

    def _assigned_in(self, node: Any, state: State) -> dict[str, bool]:  # noqa: ANN401
        """Return the names that a node can assign, and whether it only appends to them."""
        found: dict[str, bool] = {}
        seen: set[str] = set()
        stack = [node]
        while stack:
            for inner in tree.walk(stack.pop()):
                for name, appends in assigned_by(inner):
                    found[name] = found.get(name, True) and appends
                if isinstance(inner, tree.SimpleCommand) and inner.words:
                    called = inner.words[0].literal or ""
                    if called in state.functions and called not in seen:
                        seen.add(called)
                        stack.append(state.functions[called][1].body)
        return found

    # Simple commands -------------------------------------------------------------------------

    def _simple(self, node: tree.SimpleCommand, state: State, heredoc: Text | None) -> State | None:
        if not node.words:
            state.status = True
            for assignment in node.assignments:
                self.assign(assignment, state)
            return state
        if node.words[0].literal in _TESTS:
            paths = self._judge(node, state)
            if paths.met is not None and paths.unmet is not None:
                paths.unmet.status = False
            return merge(paths.met, paths.unmet, "a condition that is not known")
        words = self.expander(state).fields(node.words)
        prefix = tuple(
            (item.name, self.expander(state).text(item.value)) for item in node.assignments
        )
        return self._execute(node, words, prefix, state, heredoc)

    def _execute(
        self,
        node: tree.SimpleCommand,
        words: Fields,
        prefix: tuple[tuple[str, Text], ...],
        state: State,
        heredoc: Text | None,
    ) -> State | None:
        first = words[0] if words else None
        if first is None:
            state.status = True
            return state
        name = first.text if isinstance(first, Field) and isinstance(first.text, str) else ""
        if name in {"command", "builtin"} and len(words) > 1 and name not in state.functions:
            second = words[1]
            if isinstance(second, Field) and second.text in BUILTINS:
                return self._execute(node, words[1:], prefix, state, heredoc)
        if name in state.functions:
            self._note(node, words, prefix, state, heredoc, is_function=True)
            return self._call(node, name, words[1:], prefix, state)
        if name in _CONTROL:
            return _CONTROL[name](self, words[1:], state, node)
        if name in BUILTINS:
            if name == "cat" or (name in {"echo", "printf"} and self._into_file):
                # What is written to a file may be what a program reads.
                self._note(node, words, prefix, state, heredoc, is_function=False)
            BUILTINS[name](words[1:], state, self.expander(state), heredoc)
            return state
        self._note(node, words, prefix, state, heredoc, is_function=False)
        shown = name or "a command"
        state.status = Unknown(f"how `{shown}` ends")
        if state.output is not None:
            state.output = [*state.output, Unknown(f"what `{shown}` writes")]
        return state

    def _note(
        self,
        node: tree.SimpleCommand,
        words: Fields,
        prefix: tuple[tuple[str, Text], ...],
        state: State,
        heredoc: Text | None,
        *,
        is_function: bool,
    ) -> None:
        frame = self.frame
        self._executions.append(
            Execution(
                call=Call(frame.script, node),
                words=words,
                callers=frame.callers,
                guards=state.guards,
                variables=dict(state.variables),
                exported=state.exported,
                prefix=prefix,
                heredoc=heredoc,
                is_function=is_function,
            )
        )
        label = self._label(words)
        if label is not None:
            state.ran |= {label}

    def _call(
        self,
        node: tree.SimpleCommand,
        name: str,
        arguments: Fields,
        prefix: tuple[tuple[str, Text], ...],
        state: State,
    ) -> State | None:
        script, function = state.functions[name]
        if len(self._frames) > DEEPEST_CALL:
            state.status = Unknown(f"`{name}` calls itself")
            for assigned in self._assigned_in(function.body, state):
                state.variables[assigned] = Unknown(f"`{name}` calls itself")
            return state
        outer = self.frame
        frame = _Frame(script, self._files[script], (*outer.callers, Call(outer.script, node)))
        positional, state.positional = state.positional, arguments
        for variable, text in prefix:
            frame.outer.setdefault(variable, state.variables.get(variable))
            state.variables[variable] = text
        self._frames.append(frame)
        after = self.statement(function.body, state)
        for returned in frame.returned:
            after = merge(after, returned, f"one of several ways through `{name}`")
        self._frames.pop()
        if after is None:
            return None
        after.positional = positional
        for variable, value in frame.outer.items():
            if value is None:
                after.variables.pop(variable, None)
            else:
                after.variables[variable] = value
        return after

    # Assignments -----------------------------------------------------------------------------

    def _declare(self, node: tree.Declaration, state: State) -> State | None:
        options = "".join(word.literal or "" for word in node.options)
        state.status = True
        for assignment in node.assignments:
            name = assignment.name
            is_local = node.variant == "local" or (
                node.variant in {"declare", "typeset"}
                and len(self._frames) > 1
                and "g" not in options
            )
            if is_local and self.frame.callers:
                self.frame.outer.setdefault(name, state.variables.get(name))
                if assignment.naked:
                    state.variables[name] = Array(()) if "a" in options else UNSET
            if not assignment.naked:
                self.assign(assignment, state, table="A" in options)
            elif "A" in options:
                state.variables[name] = Table(())
            elif "a" in options and name not in state.variables:
                state.variables[name] = Array(())
            if node.variant == "export" or "x" in options:
                if "n" in options:
                    state.exported -= {name}
                else:
                    state.exported |= {name}
            if node.variant in {"local", "declare", "typeset"} and {"i", "n"} & set(options):
                state.variables[name] = Unknown(f"`{name}` is declared with an attribute")
        # `export "$NAME=$VALUE"`: an assignment that only shows when it is expanded.
        for field in self.expander(state).fields(
            tuple(word for word in node.options if not (word.literal or "").startswith(("-", "+")))
        ):
            self._declare_expanded(node, field, state)
        return state

    def _declare_expanded(self, node: tree.Declaration, field: Field | Many, state: State) -> None:
        text = field.text if isinstance(field, Field) else Unknown(field.reason, field.names)
        if isinstance(text, str):
            name, equals, value = text.partition("=")
            if equals:
                state.variables[name] = value
            if node.variant == "export":
                state.exported |= {name}
        elif not isinstance(text, Unknown) and isinstance(text.pieces[0], str):
            name, equals, value = text.pieces[0].partition("=")
            if equals:
                state.variables[name] = concatenate((value, *text.pieces[1:]))
                if node.variant == "export":
                    state.exported |= {name}

    def assign(self, node: tree.Assignment, state: State, *, table: bool = False) -> None:
        """Give a variable its value."""
        expander = self.expander(state)
        name = node.name
        before = expander.value(name)
        value: Value
        if node.elements is not None:
            value = self._array(node, before, expander, table=table or isinstance(before, Table))
        else:
            text = expander.text(node.value)
            if node.subscript is not None:
                value = self._with_element(node, before, text, expander)
            elif node.append:
                value = self._appended(name, before, text, node)
            elif isinstance(before, Array) and before.fields:
                first = Field(text, self.frame.script, node.start, node.end)
                value = Array((first, *before.fields[1:]))
            else:
                value = text
        value = with_origin(value, name)
        state.variables[name] = value
        self._assignments.append(
            Assigned(name, value, self.frame.script, node.start, node.end, state.guards)
        )

    def _appended(
        self, name: str, before: Value | None, text: Text, node: tree.Assignment
    ) -> Value:
        if before is None:
            before = Unknown(f"`{name}` comes from outside of the script", frozenset({name}))
        if isinstance(before, Array):
            if not before.fields:
                return Array((Field(text, self.frame.script, node.start, node.end),))
            return Unknown(f"`{name}` is appended to as a text", names_in(before))
        if isinstance(before, Table):
            return Unknown(f"`{name}` is appended to as a text", names_in(before))
        return concatenate(("" if before is UNSET else before, text))

    def _array(
        self, node: tree.Assignment, before: Value | None, expander: Expander, *, table: bool
    ) -> Value:
        elements = node.elements or ()
        if table or any(element.subscript is not None for element in elements):
            items: dict[str, Text] = {}
            if node.append and isinstance(before, Table):
                items.update(before.items)
            for position, element in enumerate(elements):
                key = expander.key(element.subscript) if element.subscript else str(position)
                if not isinstance(key, str):
                    return Unknown(f"a key of `{node.name}` is unknown", names_in(key))
                items[key] = expander.text(element.value)
            if not table and not all(key.isdigit() for key in items):
                return Unknown(f"`{node.name}` is an array with computed positions")
            if table:
                return Table(tuple(items.items()))
            in_order = [items.get(str(at)) for at in range(len(items))]
            if any(item is None for item in in_order):
                return Unknown(f"`{node.name}` is an array with gaps")
            return Array(
                tuple(
                    Field(item, self.frame.script, node.start, node.end)
                    for item in in_order
                    if item is not None
                )
            )
        fields = expander.fields(element.value for element in elements)
        if not node.append:
            return Array(fields)
        if before is None:
            why = f"`{node.name}` comes from outside of the script"
            return Array((Many(why, frozenset({node.name})), *fields))
        if isinstance(before, Array):
            return Array((*before.fields, *fields))
        if before is UNSET or before == "":
            return Array(fields)
        if isinstance(before, Table):
            return Unknown(f"`{node.name}` is an associative array")
        if isinstance(before, Unknown):
            return Array((Many(before.reason, before.names), *fields))
        first = Field(before, self.frame.script, node.start, node.end)
        return Array((first, *fields))

    def _with_element(
        self, node: tree.Assignment, before: Value | None, text: Text, expander: Expander
    ) -> Value:
        if node.subscript is None:
            raise TypeError(node.name)
        if isinstance(before, Table):
            key = expander.key(node.subscript)
            if not isinstance(key, str):
                return Unknown(f"a key of `{node.name}` is unknown", names_in(key))
            items = dict(before.items)
            items[key] = concatenate((items.get(key, ""), text)) if node.append else text
            return Table(tuple(items.items()))
        position = expander.arithmetic(node.subscript)
        if isinstance(before, Array) and isinstance(position, int):
            fields = list(before.fields)
            whole = not any(isinstance(field, Many) for field in fields)
            field = Field(text, self.frame.script, node.start, node.end)
            if whole and not node.append and 0 <= position < len(fields):
                fields[position] = field
                return Array(tuple(fields))
            if whole and position == len(fields):
                return Array((*fields, field))
        return Unknown(f"an element of `{node.name}` is assigned", frozenset({node.name}))

    # Control ---------------------------------------------------------------------------------

    def _do_exit(self, words: Fields, state: State, _node: object) -> State | None:
        status = words[0].text if words and isinstance(words[0], Field) else None
        if not words:
            status = "0" if state.status is True else ("1" if state.status is False else None)
        if isinstance(status, str) and status.strip() not in {"0", ""}:
            self._end = "aborts"
        else:
            self._end = "exits"
            state.status = True if isinstance(status, str) else Unknown("an exit status")
            self._ended.append(state)
        return None

    def _do_return(self, words: Fields, state: State, _node: object) -> State | None:
        if words:
            status = words[0].text if isinstance(words[0], Field) else None
            if isinstance(status, str):
                state.status = status.strip() in {"0", ""}
            else:
                state.status = Unknown("the status that a function returns")
        self._end = "returns"
        if state.status is False and state.errexit and not self._checked and len(self._frames) > 1:
            # Nothing checks the call: `set -e` ends the script.
            self._end = "aborts"
            return None
        self.frame.returned.append(state)
        return None

    def _leave_loop(self, words: Fields, state: State, *, broken: bool) -> None:
        count = 1
        if words and isinstance(words[0], Field) and str(words[0].text).isdigit():
            count = max(int(str(words[0].text)), 1)
        self._end = "breaks"
        loops = self.frame.loops
        if loops:
            loop = loops[-min(count, len(loops))]
            (loop.broken if broken else loop.continued).append(state)

    def _do_break(self, words: Fields, state: State, _node: object) -> State | None:
        self._leave_loop(words, state, broken=True)
        return None if self.frame.loops else state

    def _do_continue(self, words: Fields, state: State, _node: object) -> State | None:
        self._leave_loop(words, state, broken=False)
        return None if self.frame.loops else state

    def _do_exec(self, words: Fields, state: State, node: tree.SimpleCommand) -> State | None:
        if not words:
            state.status = True
            return state
        self._note(node, words, (), state, None, is_function=False)
        self._end = "exits"
        self._ended.append(state)
        return None

    def _do_source(self, words: Fields, state: State, node: tree.SimpleCommand) -> State | None:
        text = words[0].text if words and isinstance(words[0], Field) else Unknown("no name")
        found = None
        for candidate in self._paths_of(text, state):
            found = self._source(candidate)
            if found is not None:
                break
        if found is None:
            self._missing[self._text(node)] = None
            state.status = Unknown("a file that is not known")
            return state
        if len(self._frames) > DEEPEST_CALL:
            raise TooMuchError("files that source each other")
        script, file = found
        outer = self.frame
        frame = _Frame(script, file, (*outer.callers, Call(outer.script, node)))
        self._frames.append(frame)
        positional = state.positional
        if len(words) > 1:
            state.positional = words[1:]
        after = self.statements(file.statements, state)
        for returned in frame.returned:
            after = merge(after, returned, f"one of several ways through `{script}`")
        self._frames.pop()
        outer.outer.update({k: v for k, v in frame.outer.items() if k not in outer.outer})
        if after is not None:
            after.positional = positional
        return after

    @staticmethod
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

    def _do_eval(self, words: Fields, state: State, node: tree.SimpleCommand) -> State | None:
        name = Field("eval", self.frame.script, node.start, node.end)
        self._note(node, (name, *words), (), state, None, is_function=False)
        state.status = Unknown("how `eval` ends")
        return state


_Control: TypeAlias = Callable[[_Run, Fields, State, tree.SimpleCommand], "State | None"]
_CONTROL: dict[str, _Control] = {
    "exit": _Run._do_exit,  # noqa: SLF001 - a table of this class
    "return": _Run._do_return,  # noqa: SLF001
    "break": _Run._do_break,  # noqa: SLF001
    "continue": _Run._do_continue,  # noqa: SLF001
    "exec": _Run._do_exec,  # noqa: SLF001
    "source": _Run._do_source,  # noqa: SLF001
    ".": _Run._do_source,  # noqa: SLF001
    "eval": _Run._do_eval,  # noqa: SLF001
}


def _plain(item: Field | Many) -> Text | Many:
    return item.text if isinstance(item, Field) else item


def _why(node: Any, frame: _Frame) -> str:  # noqa: ANN401
    return f"it depends on the condition of line {frame.file.text.line_of(node.start)}"


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
            from infx_lint.shell.expansion import _ASSIGNED

            for part in node.parts:
                if isinstance(part, tree.Literal):
                    for found in _ASSIGNED.finditer(part.text):
                        yield found[1] or found[2], False
