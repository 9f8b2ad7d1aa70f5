"""An abstract run of a script over one environment.

Every command is executed as far as its words are known. Where a condition cannot be decided both
ways are taken and meet again behind it: what they agree on stays known (`branches`). Loops run
while their condition is known; else what they assign becomes unknown (`loops`). Functions are run
where they are called, those of sourced files too (`commands`). Nothing is ever started.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.shell.assigning import declare
from infx_lint.shell.branches import judge, run_case, run_if, run_list
from infx_lint.shell.commands import run_simple
from infx_lint.shell.expansion import Expander, TooMuchError
from infx_lint.shell.frames import Frame
from infx_lint.shell.loops import run_arithmetic_for, run_for, run_while
from infx_lint.shell.state import Environment, State, merge
from infx_lint.shell.trace import Assigned, Execution, Trace
from infx_lint.shell.value import Fields, Text, Unknown, Value, concatenate

MOST_STEPS = 30_000
_MOST_EXECUTIONS = 20_000

Statements: TypeAlias = tuple[tree.Statement, ...]
Source: TypeAlias = Callable[[str], "tuple[str, ShellFile] | None"]
Label: TypeAlias = Callable[[Fields], "str | None"]


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
    return Run(environment, source, label).trace(script, file)


class Run:
    """One run: where it stands, and what it has left behind so far."""

    def __init__(self, environment: Environment, source: Source, label: Label) -> None:
        self.environment = environment
        self.source = source
        self.label = label
        self.executions: list[Execution] = []
        self.assignments: list[Assigned] = []
        self.sourced: dict[str, None] = {}
        self.missing: dict[str, None] = {}
        self.alternatives: dict[tuple[str, int, bool], str] = {}
        self.ended: list[State] = []
        self.steps = 0
        # How the last path that did not arrive came to its end.
        self.end = ""
        # Above zero inside of conditions, where `set -e` is ignored.
        self.checked = 0
        self.frames: list[Frame] = []
        # The one that was used last; most often it is asked for again.
        self._expander: Expander | None = None
        # Whether the command that runs now writes to a file.
        self.into_file = False
        self.files: dict[str, ShellFile] = {}
        self.functions: dict[str, tuple[str, tree.Function]] = {}

    @property
    def frame(self) -> Frame:
        """Return what is being run now."""
        return self.frames[-1]

    def trace(self, script: str, file: ShellFile) -> Trace:
        """Run a script from its start to its end."""
        variables: dict[str, Value] = dict(self.environment.variables)
        state = State(variables, frozenset(variables))
        self.frames.append(Frame(script, file, ()))
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
        ends = [*self.ended, *([final] if final else ())]
        always = frozenset.intersection(*(end.ran for end in ends)) if ends else frozenset()
        return Trace(
            executions=tuple(self.executions),
            assignments=tuple(self.assignments),
            variables=final.variables if final else {},
            functions=self.functions,
            always=frozenset() if incomplete else always,
            alternatives=self.alternatives,
            sourced=tuple(self.sourced),
            missing=tuple(self.missing),
            incomplete=incomplete,
        )

    def statements(self, statements: Statements, state: State | None) -> State | None:
        """Run statements in order; return the state behind the last, None if it is not reached."""
        for statement in statements:
            if state is None:
                return None
            state = self.statement(statement, state)
        return state

    def statement(self, node: tree.Statement, state: State) -> State | None:
        """Run a statement; return the state behind it, None if that is not reached."""
        self.steps += 1
        if self.steps > MOST_STEPS or len(self.executions) > _MOST_EXECUTIONS:
            raise TooMuchError(f"running it takes more than {MOST_STEPS:,} steps")
        if node.background:
            return self._in_background(node, state)
        guarded = self._heredocs(node, state)
        output, state.output = state.output, self._output_of(node, state)
        is_list = isinstance(node.command, tree.List)
        self.into_file = any(item.operator in {">", ">>"} for item in node.redirects)
        if node.negated:
            self.checked += 1
        after = state if node.command is None else self._command(node.command, state, guarded)
        if node.negated:
            self.checked -= 1
        if after is None:
            return None
        if self._diverts(node):
            after.output = output
        if node.negated and not isinstance(after.status, Unknown):
            after.status = not after.status
        elif (
            after.status is False
            and after.errexit
            and not self.checked
            and not is_list
            and not node.negated
        ):
            self.end = "aborts"
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
        self.checked += 1
        after = self._apart(node._replace(background=False), copy)
        self.checked -= 1
        if after is not None:
            state.ran |= after.ran
        state.status = True
        return state

    def _apart(self, node: tree.Statement, copy: State) -> State | None:
        """Run a statement in a process of its own: `exit` ends only that."""
        ended, self.ended = self.ended, []
        # `return` and `break` do not leave a process either.
        frame = self.frame
        returned, frame.returned = frame.returned, []
        loops, frame.loops = frame.loops, []
        after = self.statement(node, copy)
        for state in (*frame.returned, *self.ended):
            after = merge(after, state, "one of several ways through a subshell")
        self.ended, frame.returned, frame.loops = ended, returned, loops
        return after

    def expander(self, state: State) -> Expander:
        """Return what expands the words of the script that is being run."""
        script, last = self.frames[-1].script, self._expander
        if last is None or last.state is not state or last.script is not script:
            last = Expander(script, state, self.environment, self._substitute, self._sources)
            self._expander = last
        return last

    def _sources(self) -> tuple[str, ...]:
        """Return the names of what is being run, the innermost first, as bash gives them."""
        frame = self.frame
        scripts = (frame.script, *(call.script for call in reversed(frame.callers)))
        # bash calls the script itself what it was started as.
        first = self.frames[0].script
        return tuple(self.environment.name if path == first else path for path in scripts)

    def _substitute(self, body: Statements, state: State) -> Text:
        """Run a command substitution and return what it writes, without line ends at its end."""
        copy = state.fork()
        copy.output = []
        self.checked += 1
        group = tree.Group(0, 0, subshell=False, body=body)
        after = self._apart(tree.Statement(0, 0, group, False, False, ()), copy)  # noqa: FBT003
        self.checked -= 1
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

    def _command(self, node: tree.Command, state: State, heredoc: Text | None) -> State | None:
        match node:
            case tree.SimpleCommand():
                return run_simple(self, node, state, heredoc)
            case tree.Declaration():
                return declare(self, node, state)
            case tree.If():
                return run_if(self, node, state)
            case tree.List(operator="&&" | "||"):
                return run_list(self, node, state)
            case tree.List():
                return self._pipeline(node, state)
            case tree.Case():
                return run_case(self, node, state)
            case tree.For():
                return run_for(self, node, state)
            case tree.ArithmeticFor():
                return run_arithmetic_for(self, node, state)
            case tree.While():
                return run_while(self, node, state)
            case tree.Group(subshell=False):
                return self.statements(node.body, state)
            case tree.Group():
                return self._subshell(node, state)
            case tree.Function():
                self.functions[node.name] = (self.frame.script, node)
                state.functions = {**state.functions, node.name: (self.frame.script, node)}
                self.files[self.frame.script] = self.frame.file
                state.status = True
                return state
            case tree.Test() | tree.ArithmeticCommand():
                paths = judge(self, node, state)
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
        self.checked += 1
        before = self._apart(node.left, left)
        if right.output is not None:
            right.output = []
        after = self._apart(node.right, right)
        self.checked -= 1
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

    def text(self, node: Any) -> str:  # noqa: ANN401 - any node
        """Return the source of a node on one line."""
        return " ".join(self.frame.file.source(node).split())
