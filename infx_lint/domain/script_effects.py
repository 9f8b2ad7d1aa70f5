"""What a benchmark script does that can move a measured number, at every point of some rows.

Effects are read off abstract runs, so a script that is written another way and starts the same
commands has the same effects: options of its commands, the environment of the server and of the
load, other commands, and settings that are written into files.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from infx_lint.cache import digest
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.points import Point
from infx_lint.domain.programs import EVAL, LOAD, SERVER
from infx_lint.domain.unmeasured import unmeasured
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from infx_lint.shell.expansion import TooMuchError
from infx_lint.shell.trace import Execution, Trace, flags_of
from infx_lint.shell.value import Field, Many, Text, Unknown, display, pieces_of

if TYPE_CHECKING:
    from infx_lint.domain.project import Project

# Points beyond these are not run; real scripts have 40 at most.
MOST_POINTS = 64
FLAG, ENVIRONMENT, COMMAND, GUARD, SETTING = "flag", "environment", "command", "guard", "setting"
_SHOWN = ("CONC", "TP", "EP_SIZE", "DP_ATTENTION", "ISL", "OSL", "SPEC_DECODING", "KV_OFFLOADING")
_VARIABLE = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)\}?[\"']?")
_SETTING = re.compile(r"\s*([\w.-]+)\s*[:=]\s*(.+?)\s*")
_LONGEST = 400
# It is not run itself, but what is exported to it reaches the client.
_LOADER = "run_benchmark_serving"


class Reading(NamedTuple):
    """What one effect is at one point.

    Attributes:
        value: its text; of what only the run knows, how it is written.
        place: the file and span where it is written.
        through: the variable that it is passed on by, empty where there is none.
    """

    value: str
    place: tuple[RepoPath, Span] | None
    through: str


class EffectKey(NamedTuple):
    """What has an effect: the option of a command, a variable of the environment, a command."""

    kind: str
    command: str
    name: str


class Effects(NamedTuple):
    """All effects of a script.

    Attributes:
        points: the points, for a reader.
        is_complete: every point could be run.
        readings: for each effect what it is at each point, by the number of the point.
    """

    points: tuple[str, ...]
    is_complete: bool
    readings: Mapping[EffectKey, Mapping[int, tuple[Reading, ...]]]


def effects_at(project: Project, path: RepoPath, environments: tuple[Point, ...]) -> list[Any]:
    """Run a script at some points; return what `effects_from` reads, in the kinds of JSON."""
    script = project.benchmark_script(path)
    if script is None:
        return [[], False, []]
    reader = _Reader(project, path)
    points = environments[:MOST_POINTS]
    varying = [name for name in _SHOWN if len({p.environment.get(name) for p in points}) > 1]
    found: dict[EffectKey, list[list[Any]]] = {}
    is_complete = len(environments) <= MOST_POINTS
    labels = []
    for index, point in enumerate(points):
        labels.append(_label(point, varying or ["CONC"]))
        try:
            trace = script.run(
                {**point.environment, "EVAL_ONLY": "false"},
                defaults=True,
                answers=unmeasured().helpers,
            )
        except TooMuchError:
            is_complete = False
            continue
        for key, value, place, through in reader.read(trace, point.environment):
            known = found.setdefault(key, [])
            for one in known:
                if one[:3] == [value, place, through]:
                    one[3].append(index)
                    break
            else:
                known.append([value, place, through, [index]])
    return [labels, is_complete, [[list(key), readings] for key, readings in found.items()]]


def effects_from(facts: list[Any]) -> Effects:
    """Return the effects from what `effects_at` wrote down."""
    labels, is_complete, found = facts
    readings: dict[EffectKey, dict[int, tuple[Reading, ...]]] = {}
    for key, values in found:
        by_point = readings.setdefault(EffectKey(*key), {})
        for value, place, through, indices in values:
            where = (RepoPath(place[0]), Span(*place[1])) if place else None
            for index in dict.fromkeys(indices):
                by_point[index] = (*by_point.get(index, ()), Reading(value, where, through))
    return Effects(tuple(labels), is_complete, readings)


class _Reader:
    def __init__(self, project: Project, path: RepoPath) -> None:
        self._project = project
        self._path = path

    def read(
        self, trace: Trace, given: Mapping[str, str]
    ) -> Iterator[tuple[EffectKey, str, list[Any] | None, str]]:
        places: dict[str, tuple[str, int, int]] = {
            one.name: (one.script, one.start, one.end) for one in trace.assignments
        }
        seen: set[Hashable] = set()
        for execution in trace.executions:
            if execution.label in {SERVER, LOAD} or execution.name == _LOADER:
                for effect in self._environment(execution, given, places):
                    if effect[0] not in seen:
                        seen.add(effect[0])
                        yield effect
            if execution.call.script == self._path:
                yield from self._command(execution, places)

    def _environment(
        self,
        execution: Execution,
        given: Mapping[str, str],
        places: Mapping[str, tuple[str, int, int]],
    ) -> Iterator[tuple[EffectKey, str, list[Any] | None, str]]:
        exported = {
            name: held
            for name, held in execution.variables.items()
            if name in execution.exported and name in places
        }
        for name, held in {**exported, **dict(execution.prefix)}.items():
            if unmeasured().variables.fullmatch(name) or held == given.get(name):
                continue
            where = places.get(name)
            place = self._place(*where) if where else None
            if isinstance(held, str):
                yield EffectKey(ENVIRONMENT, "", name), _cut(held), place, name
            elif where:
                source = self._source(*where).partition("=")[2]
                yield EffectKey(ENVIRONMENT, "", name), _cut(source), place, name

    def _command(
        self, execution: Execution, places: Mapping[str, tuple[str, int, int]]
    ) -> Iterator[tuple[EffectKey, str, list[Any] | None, str]]:
        name = execution.name.rpartition("/")[2]
        place = self._span_of(execution)
        if name == "check_env_vars":
            for word in execution.words[1:]:
                if isinstance(word, Field) and isinstance(word.text, str):
                    yield EffectKey(GUARD, name, word.text), "required", place, ""
            return
        if execution.heredoc is not None:
            yield from self._written(name, execution.heredoc, place)
        is_edit = name == "sed" and any(_starts(word, "-i") for word in execution.words)
        is_idle = name in unmeasured().commands and execution.label is None and not is_edit
        if name == "" or execution.label == EVAL or is_idle:
            return
        options = [] if is_edit else list(_options(execution))
        if options:
            yield EffectKey(COMMAND, "", self._head(execution)), "runs", place, ""
            yield from self._options(execution.label or name, options, places)
        elif is_edit or (execution.label is None and not execution.is_function):
            yield EffectKey(COMMAND, "", self._text(execution)), "runs", place, ""
        else:
            yield EffectKey(COMMAND, "", name), "runs", place, ""

    def _options(
        self,
        slot: str,
        options: list[tuple[str, Field | Many | None, Field]],
        places: Mapping[str, tuple[str, int, int]],
    ) -> Iterator[tuple[EffectKey, str, list[Any] | None, str]]:
        for option, value, field in options:
            if option in unmeasured().options:
                continue
            shown, through = self._value(value, field)
            where = places.get(through) if through else None
            at = self._place(*where) if where else self._place(field.script, field.start, field.end)
            yield EffectKey(FLAG, slot, option), _cut(shown), at, through

    def _value(self, value: Field | Many | None, option: Field) -> tuple[str, str]:
        """Return the text of an option's value, and the variable that it was passed on by."""
        if value is None:
            return "set", ""
        if not isinstance(value, Field):
            return "…", ""
        source = self._source(value.script, value.start, value.end)
        if (value.script, value.start) == (option.script, option.start):
            source = source.partition("=")[2] or source
        through = _VARIABLE.fullmatch(source)
        shown = value.text if isinstance(value.text, str) else (source or display(value.text))
        return shown, through[1] if through else ""

    def _head(self, execution: Execution) -> str:
        """Return what names a program: the words in front of its options, without paths."""
        words: list[str] = []
        for word in execution.words:
            text = word.text if isinstance(word, Field) else None
            if not isinstance(text, str) or text.startswith("--"):
                break
            if "/" not in text or not words:
                words.append(text.rpartition("/")[2])
        return " ".join(words[:4])

    def _text(self, execution: Execution) -> str:
        parts = []
        for word in execution.words:
            if isinstance(word, Field):
                known = word.text if isinstance(word.text, str) else None
                parts.append(known or self._source(word.script, word.start, word.end) or "…")
            else:
                parts.append("…")
        return _cut(" ".join(" ".join(parts).split()))

    def _written(
        self, name: str, text: Text, place: list[Any] | None
    ) -> Iterator[tuple[EffectKey, str, list[Any] | None, str]]:
        content = "".join(piece if isinstance(piece, str) else "…" for piece in pieces_of(text))
        if name not in {"cat", "tee"}:
            yield EffectKey(COMMAND, name, f"{name} <<"), f"text {digest(content)[:8]}", place, ""
            return
        for line in content.splitlines():
            pair = _SETTING.fullmatch(line)
            if pair:
                yield EffectKey(SETTING, "", pair[1]), _cut(pair[2]), place, ""
            elif line.strip():
                yield EffectKey(SETTING, "", _cut(line.strip())), "written", place, ""

    def _span_of(self, execution: Execution) -> list[Any] | None:
        node = execution.call.node
        return self._place(execution.call.script, node.start, node.end)

    def _place(self, script: str, start: int, end: int) -> list[Any] | None:
        file = self._project.document(RepoPath(script)) if script else None
        return [script, list(file.text.span(start, end))] if isinstance(file, ShellFile) else None

    def _source(self, script: str, start: int, end: int) -> str:
        file = self._project.document(RepoPath(script)) if script else None
        return file.text.text[start:end] if isinstance(file, ShellFile) else ""


def _options(execution: Execution) -> Iterator[tuple[str, Field | Many | None, Field]]:
    """Yield the options of a command, those with one dash too, with their values."""
    for flag in flags_of(execution.words):
        yield flag.name, flag.value, flag.field
    words = execution.words
    for position, word in enumerate(words[1:], 1):
        if not isinstance(word, Field) or not isinstance(word.text, str):
            continue
        text = word.text
        if re.fullmatch(r"-[A-Za-z][\w.-]*(?:=.*)?", text, re.DOTALL) and text != "-m":
            name, equals, rest = text.partition("=")
            following = words[position + 1] if position + 1 < len(words) else None
            if equals:
                yield name, word._replace(text=rest), word
            elif isinstance(following, Field) and not _starts(following, "-"):
                yield name, following, word
            else:
                yield name, None, word


def _starts(word: Field | Many, start: str) -> bool:
    if not isinstance(word, Field):
        return False
    first = pieces_of(word.text)[0] if not isinstance(word.text, Unknown) else ""
    return isinstance(first, str) and first.startswith(start)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 9]}…{digest(text)[:8]}"


def _label(point: Point, varying: list[str]) -> str:
    environment = point.environment
    return " ".join(f"{name}={environment[name]}" for name in varying if name in environment)
