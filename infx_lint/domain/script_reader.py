"""Reads the values that servers are given off the abstract runs of a benchmark script.

What is found is written down as `script_values.values_from` reads it, and kept between runs: so
that most of them need neither the tree of a script nor what runs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from infx_lint.claims.facts import normalised
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.points import Point
from infx_lint.domain.programs import SERVER
from infx_lint.domain.recipe import inner_values
from infx_lint.domain.unmeasured import unmeasured
from infx_lint.paths import RepoPath
from infx_lint.shell.expansion import TooMuchError
from infx_lint.shell.trace import Execution, Trace, flags_of
from infx_lint.shell.value import Field, Mixed, Text, Unknown, pieces_of

if TYPE_CHECKING:
    from infx_lint.domain.project import Project

# Points beyond these are not run; real scripts have 40 at most.
MOST_POINTS = 64
_SHOWN = ("CONC", "TP", "EP_SIZE", "DP_ATTENTION", "ISL", "OSL", "SPEC_DECODING", "KV_OFFLOADING")
_VARIABLE = re.compile(r"[\"']?\$\{?([A-Za-z_]\w*)\}?[\"']?")


def values_of(project: Project, path: RepoPath, points: tuple[Point, ...]) -> list[Any]:
    """Run a script at some points; return what `values_from` reads, in the kinds of JSON."""
    script = project.benchmark_script(path)
    if script is None or not points:
        return [[], False, [], {}]
    reader = _Reader(project)
    varying = [name for name in _SHOWN if len({p.environment.get(name) for p in points}) > 1]
    labels: list[str] = []
    values: dict[str, list[list[Any]]] = {}
    sourced: dict[str, None] = {}
    is_complete = len(points) <= MOST_POINTS
    for point in points[:MOST_POINTS]:
        try:
            trace = script.run(
                {**point.environment, "EVAL_ONLY": "false"},
                defaults=True,
                answers=unmeasured().helpers,
            )
        except TooMuchError:
            return [[], False, [], {}]
        sourced |= dict.fromkeys(trace.sourced)
        is_complete = is_complete and not trace.missing
        servers = [one for one in trace.executions if one.label == SERVER]
        if not servers:
            continue
        labels.append(_label(point, varying or ["CONC"]))
        for server in servers:
            for name, value, place in reader.read(trace, server):
                known = values.setdefault(name, [])
                for one in known:
                    if one[0] == value and one[1] == place:
                        one[2].append(len(labels) - 1)
                        break
                else:
                    known.append([value, place, [len(labels) - 1]])
    return [labels, is_complete, list(sourced), values]


def code_of(file: ShellFile) -> str:
    """Return the normalised text of a script with blanks in place of its comments."""
    text, parts, at = file.text.text, [], 0
    for comment in file.comments:
        parts += [text[at : comment.start], " "]
        at = comment.end
    return normalised("".join([*parts, text[at:]]))


class _Reader:
    def __init__(self, project: Project) -> None:
        self._project = project

    def read(
        self, trace: Trace, server: Execution
    ) -> Iterator[tuple[str, str | None, list[Any] | None]]:
        """Yield name, value and place of everything that a server is given."""
        places = {
            assigned.name: (assigned.script, assigned.start, assigned.end)
            for assigned in trace.assignments
        }
        for flag in flags_of(server.words):
            value = flag.value
            text = "true" if value is None else value.text if isinstance(value, Field) else None
            known = text if isinstance(text, str) else None
            field = value if isinstance(value, Field) else flag.field
            source = self._source(field)
            through = _VARIABLE.fullmatch(source.partition("=")[2] or source)
            where = places.get(through[1]) if through else None
            place = self._place(*(where or (field.script, field.start, field.end)))
            yield flag.name, known, place
            for name, inner in _inside(text):
                yield name, inner, place
        for name, held in {**server.variables, **dict(server.prefix)}.items():
            where = places.get(name)
            if isinstance(held, str):
                place = self._place(*where) if where else None
                yield name, held, place
            elif isinstance(held, Unknown | Mixed) and where:
                place = self._place(*where)
                yield name, None, place
            else:
                continue
            for inner_name, inner in _inside(held):
                yield inner_name, inner, place

    def _place(self, script: str, start: int, end: int) -> list[Any] | None:
        file = self._project.document(RepoPath(script)) if script else None
        return [script, list(file.text.span(start, end))] if isinstance(file, ShellFile) else None

    def _source(self, field: Field) -> str:
        file = self._project.document(RepoPath(field.script)) if field.script else None
        return file.text.text[field.start : field.end] if isinstance(file, ShellFile) else ""


def _inside(text: Text | None) -> Iterator[tuple[str, str]]:
    for piece in pieces_of(text) if text is not None else ():
        if isinstance(piece, str):
            yield from inner_values(piece)


def _label(point: Point, varying: list[str]) -> str:
    environment = point.environment
    return " ".join(f"{name}={environment[name]}" for name in varying if name in environment)
