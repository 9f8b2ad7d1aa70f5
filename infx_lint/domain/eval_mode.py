"""What a benchmark script does while `EVAL_ONLY` is `true`.

In an evals-only sweep a script is started with `EVAL_ONLY=true` and `RUN_EVAL=true`: it must run
`run_eval`, generate no load, and serve a context that the eval fits into. Which helpers of the
shared library leave at once in that mode is not listed here: they are run with the script, so
their own first guard decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from infx_lint.documents import shell_tree as tree
from infx_lint.domain.benchmark_script import BenchmarkScript
from infx_lint.domain.eval_gate import Gate, find_gate, gate_edit
from infx_lint.domain.points import Point
from infx_lint.domain.programs import EVAL, LOAD, SERVER
from infx_lint.finding import Edit, Proof, Span
from infx_lint.paths import RepoPath
from infx_lint.shell.trace import Call, Execution, Flag, Trace, flags_of
from infx_lint.shell.value import Field, Many, Text, display, names_in, pieces_of

EVAL_MODE: Mapping[str, str] = {"EVAL_ONLY": "true", "RUN_EVAL": "true"}
# Set by `setup_eval_context` of the shared library, and read by its evals.
CONTEXT = "EVAL_MAX_MODEL_LEN"
_PREPARE = "setup_eval_context"
_RUN = "run_eval"
_CONTEXT_FLAGS = frozenset({"max-model-len", "context-length", "max-seq-len"})
# What switches simulated acceptance on: a variable of SGLang, the JSON of vLLM.
_SIMULATED_VARIABLE = "SIMULATE_ACC_LEN"
_SIMULATED_TEXTS = ("synthetic_acceptance", '"synthetic"')
_LONGEST_TEXT = 90
# The shared library asks the model for its limit, which only the node knows; here none binds.
_NO_LIMIT = {"get_native_max_context_length": "1000000000"}


class Answer(Enum):
    """Whether something happens in every run that succeeds, in none, or perhaps."""

    ALWAYS = "always"
    NEVER = "never"
    PERHAPS = "perhaps"


class Happening(NamedTuple):
    """The answer, and the commands that can do it."""

    answer: Answer
    commands: tuple[Execution, ...]


class Step(NamedTuple):
    """A place in any script, and why it is shown."""

    path: RepoPath
    span: Span
    label: str


class Ungated(NamedTuple):
    """A script that does the wrong thing in eval-only mode.

    Attributes:
        is_load: load is generated; else the script ends without an eval.
        has_evals: evals are run as well.
        place: the call in the script, or its last line.
        command: the name of what is called.
        steps: places in other scripts that lead to the load.
        proof: the calls from the script to the program that generates it.
        gate: how a sibling does it.
        edit: the same gate put in.
    """

    is_load: bool
    has_evals: bool
    place: Span
    command: str
    steps: tuple[Step, ...] = ()
    proof: Proof | None = None
    gate: Gate | None = None
    edit: Edit | None = None


class Unwired(NamedTuple):
    """A context length that does not reach the server in eval-only mode.

    Attributes:
        variable: what takes the eval's context and is used by no command; else empty.
        flag: the option that fixes the server's context; empty where a variable is lost.
        place: the assignment, or the option.
        related: places that show the rest, with their labels.
        server_context, eval_context: tokens, where an option fixes the server's context.
        proof: both contexts at the points where they differ.
    """

    variable: str
    flag: str
    place: Span
    related: tuple[tuple[Span, str], ...]
    server_context: int = 0
    eval_context: int = 0
    proof: Proof | None = None


class Simulated(NamedTuple):
    """Simulated acceptance in eval-only mode: what switches it on, where, and for which server."""

    name: str
    place: Span
    server: Span


class EvalMode:
    """The runs of one script with `EVAL_ONLY=true`."""

    def __init__(self, script: BenchmarkScript) -> None:
        self._script = script

    @cached_property
    def trace(self) -> Trace:
        """Return the run in whatever environment."""
        return self._script.run(EVAL_MODE, defaults=False)

    @cached_property
    def _traces_at_points(self) -> tuple[tuple[Point, Trace], ...]:
        """Return the runs that config rows give, as if no model limited the context."""
        return tuple(
            (
                point,
                self._script.run(
                    {**point.environment, **EVAL_MODE}, defaults=True, answers=_NO_LIMIT
                ),
            )
            for point in self._script.topologies
        )

    def happening(self, role: str) -> Happening:
        """Return whether commands of a role run.

        Where that depends on what a config row gives, the rows decide.
        """
        general = _happening(self.trace, role)
        if general.answer is not Answer.PERHAPS or not self._traces_at_points:
            return general
        at_points = [_happening(trace, role) for _, trace in self._traces_at_points]
        for found in at_points:
            if found.answer is Answer.ALWAYS:
                return found
        if all(found.answer is Answer.NEVER for found in at_points):
            return Happening(Answer.NEVER, ())
        return general

    @cached_property
    def servers(self) -> tuple[Execution, ...]:
        """Return the commands that start a server."""
        return _commands(self.trace, SERVER)

    # The gate ---------------------------------------------------------------------------------

    def ungated(self) -> Iterator[Ungated]:
        """Yield the calls that generate load, or that no eval is run."""
        load, evals = self.happening(LOAD), self.happening(EVAL)
        if self.trace.missing:
            # Functions of a file that is not there may do anything.
            return
        has_evals = evals.answer is not Answer.NEVER
        if not has_evals and not self._script.is_called_by_siblings(_RUN):
            # Before 2026-07-16 agentic configs had no evals, and no script a gate.
            return
        if load.answer is Answer.ALWAYS:
            seen: set[int] = set()
            for execution in load.commands:
                at = execution.outermost.node.start
                if at not in seen:
                    seen.add(at)
                    yield self._ungated_load(execution, has_evals=has_evals)
        elif load.answer is Answer.NEVER and not has_evals and self.servers:
            last = self._script.file.statements[-1]
            yield Ungated(False, False, self._script.file.span(last), "run_eval")  # noqa: FBT003

    def _ungated_load(self, execution: Execution, *, has_evals: bool) -> Ungated:
        script = self._script
        call = execution.outermost
        name = call.node.words[0].literal or execution.name
        gate = find_gate(script.siblings(), name)
        edit = None
        if gate:
            with_evals = not has_evals
            edit = gate_edit(script.path, script.file, execution, gate, with_evals=with_evals)
        steps: tuple[Step, ...] = ()
        if execution.call.script != script.path:
            path = RepoPath(execution.call.script)
            steps = (Step(path, script.place(execution.call), "starts the load"),)
        return Ungated(
            is_load=True,
            has_evals=has_evals,
            place=script.place(call),
            command=name,
            steps=steps,
            proof=self._proof(execution),
            gate=gate,
            edit=edit,
        )

    def _proof(self, execution: Execution) -> Proof:
        rows = [
            (f"{RepoPath(call.script).display()}:{self._script.place(call).line}", _shown(call))
            for call in execution.callers
        ]
        words = " ".join(
            display(word.text) if isinstance(word, Field) else "?" for word in execution.words
        )
        here = execution.call
        line = self._script.place(here).line
        rows.append((f"{RepoPath(here.script).display()}:{line}", _cut(words)))
        return Proof(
            "What runs with EVAL_ONLY=true",
            ("place", "command"),
            tuple(rows),
            "Every condition on the way lets it through; ? is a value that is not known.",
        )

    # The context ------------------------------------------------------------------------------

    def unwired_contexts(self) -> Iterator[Unwired]:
        """Yield what keeps the eval's context from the server."""
        if self.trace.missing or _PREPARE not in self.trace.functions or not self.servers:
            return
        lost = list(self._lost_variables())
        yield from lost
        if not lost:
            yield from self._fixed_contexts()

    def _lost_variables(self) -> Iterator[Unwired]:
        """Yield the variables that take the context and that no command is given."""
        given: set[str] = set()
        for execution in self.trace.executions:
            if not execution.is_function:
                given |= _names_of(execution)
        exported = frozenset().union(*(server.exported for server in self.servers))
        file = self._script.file
        direct = {
            node.start
            for node in tree.walk(file.statements)
            if isinstance(node, tree.Assignment) and takes(node, CONTEXT)
        }
        latest = {
            item.name: item
            for item in self.trace.assignments
            if item.script == self._script.path
            and item.name != CONTEXT
            and item.start in direct
            and CONTEXT in names_in(item.value)
        }
        for name, item in latest.items():
            if name not in given and name not in exported:
                server = self._script.place(self.servers[0].outermost)
                place = file.text.span(item.start, item.end)
                yield Unwired(name, "", place, ((server, "the server's command"),))

    def _fixed_contexts(self) -> Iterator[Unwired]:
        """Yield the option that gives a server another context than the eval is set up for.

        One that is too small is wrong whatever the script does; a larger one only where the script
        never looks at eval-only mode. What is not known is no finding.
        """
        if self._script.is_agentic or self.happening(EVAL).answer is Answer.NEVER:
            # An agentic server runs at the context of the model.
            return
        if not any(self._may_be_fixed(server) for server in self.servers):
            return
        found: list[tuple[Point, Flag, Execution, int, int]] = []
        for point, trace in self._traces_at_points:
            context = _context_of(trace)
            for server in _commands(trace, SERVER):
                flag, value = _context_flag(server)
                prepared = CONTEXT in server.variables
                if flag is None or value is None or context is None:
                    continue
                if value < context or (value > context and not prepared):
                    found.append((point, flag, server, value, context))
        if found:
            _, flag, server, value, context = min(found, key=lambda item: item[3] - item[4])
            inside = flag.field.script == self._script.path
            command = self._script.place(server.outermost)
            yield Unwired(
                variable="",
                flag=flag.name,
                server_context=value,
                eval_context=context,
                place=self._script.file.span(flag.field) if inside else command,
                related=((command, "the server's command"),),
                proof=_context_proof(found),
            )

    @staticmethod
    def _may_be_fixed(server: Execution) -> bool:
        """Tell whether a server may have an option for its context that knows nothing of evals."""
        gap = any(isinstance(word, Many) for word in server.words)
        return CONTEXT not in _names_of(server) and (gap or _context_flag(server)[0] is not None)

    # Acceptance -------------------------------------------------------------------------------

    def simulated_acceptances(self) -> Iterator[Simulated]:
        """Yield what simulates acceptance for a server, once each."""
        seen: set[str] = set()
        for server in self.servers:
            place = self._script.place(server.outermost)
            for name, where in (*self._simulated_variables(server), *self._simulated_flags(server)):
                if name not in seen:
                    seen.add(name)
                    yield Simulated(name, where or place, place)

    def _simulated_variables(self, server: Execution) -> Iterator[tuple[str, Span | None]]:
        prefix = dict(server.prefix)
        exported = {
            name: value for name, value in server.variables.items() if name in server.exported
        }
        for name, value in {**exported, **prefix}.items():
            is_set = isinstance(value, str) and value
            if name.endswith(_SIMULATED_VARIABLE) and is_set:
                places = [
                    self._script.file.text.span(item.start, item.end)
                    for item in self.trace.assignments
                    if item.name == name and item.script == self._script.path
                ]
                yield name, places[-1] if places and name not in prefix else None

    def _simulated_flags(self, server: Execution) -> Iterator[tuple[str, Span | None]]:
        for flag in flags_of(server.words):
            text = _known(flag.value.text) if isinstance(flag.value, Field) else ""
            if any(mark in text for mark in _SIMULATED_TEXTS):
                inside = flag.field.script == self._script.path
                yield flag.name, self._script.file.span(flag.field) if inside else None


def _context_of(trace: Trace) -> int | None:
    """Return the largest context that evals are set up for, None where one is not known."""
    values = [item.value for item in trace.assignments if item.name == CONTEXT]
    numbers = [int(value) for value in values if isinstance(value, str) and value.isdigit()]
    return max(numbers) if numbers and len(numbers) == len(values) else None


def _context_flag(server: Execution) -> tuple[Flag | None, int | None]:
    """Return the last option of a server that fixes its context, and its value if that is known."""
    last: Flag | None = None
    for flag in flags_of(server.words):
        if flag.name[2:].replace("_", "-") in _CONTEXT_FLAGS:
            last = flag
    text = last.value.text if last and isinstance(last.value, Field) else None
    return last, int(text) if isinstance(text, str) and text.isdigit() else None


def _context_proof(found: list[tuple[Point, Flag, Execution, int, int]]) -> Proof:
    rows = tuple(
        (
            point.row.key,
            f"{point.environment['ISL']} / {point.environment['OSL']}",
            str(value),
            str(context),
        )
        for point, _, _, value, context in found
    )
    return Proof(
        "The context of the server with EVAL_ONLY=true",
        ("config key", "isl / osl", "server", "eval"),
        tuple(dict.fromkeys(rows)),
        "In tokens; the model's own limit may lower what the eval asks for.",
    )


def _commands(trace: Trace, role: str) -> tuple[Execution, ...]:
    return tuple(item for item in trace.executions if item.label == role)


def _happening(trace: Trace, role: str) -> Happening:
    commands = _commands(trace, role)
    if role in trace.always:
        certain = tuple(item for item in commands if not trace.open_guards(item))
        return Happening(Answer.ALWAYS, certain or commands)
    if commands:
        return Happening(Answer.PERHAPS, commands)
    return Happening(Answer.NEVER, ())


def _names_of(execution: Execution) -> frozenset[str]:
    """Return the variables that what a command is given comes from."""
    names = frozenset[str]()
    for word in execution.words:
        names |= names_in(word if isinstance(word, Many) else word.text)
    for _, text in execution.prefix:
        names |= names_in(text)
    if execution.heredoc is not None:
        names |= names_in(execution.heredoc)
    return names


def takes(node: tree.Assignment, name: str) -> bool:
    """Tell whether the right side of an assignment expands a variable itself."""
    return any(isinstance(part, tree.Parameter) and part.name == name for part in tree.walk(node))


def _known(text: Text) -> str:
    return "".join(piece for piece in pieces_of(text) if isinstance(piece, str))


def _shown(call: Call) -> str:
    return _cut(" ".join(_source(word) for word in call.node.words))


def _source(word: tree.Word) -> str:
    """Return a word about as it is written; expansions by their names."""
    pieces = []
    for node in tree.walk(word):
        match node:
            case tree.Literal() | tree.SingleQuoted():
                pieces.append(node.text)
            case tree.Parameter():
                pieces.append(f"${node.name}")
    return "".join(pieces)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
