"""Benchmark scripts: one for each model, precision, GPU and framework, started by config rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from infx_lint.documents import shell_tree as tree
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.layout import Layout
from infx_lint.domain.points import Point, Row
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from infx_lint.shell.trace import Call, Trace
from infx_lint.snapshot import Snapshot

if TYPE_CHECKING:
    from infx_lint.domain.eval_mode import EvalMode

MOST_TOPOLOGIES = 8
# How many siblings are looked at for a way to mend something.
_MOST_SIBLINGS = 6


class Tree(Protocol):
    """What a script asks of the tree that it lies in."""

    tree: Snapshot

    @property
    def layout(self) -> Layout:
        """Return where things are."""

    def document(self, path: RepoPath) -> object | None:
        """Return the document of a file."""

    def rows_starting(self, script: RepoPath) -> tuple[Row, ...]:
        """Return the config rows that start a script."""

    def run_script(
        self,
        path: RepoPath,
        variables: Mapping[str, str],
        *,
        defaults: bool,
        answers: Mapping[str, str] = MappingProxyType({}),
    ) -> Trace:
        """Return the abstract run of a script."""


class BenchmarkScript:
    """One benchmark script of a tree.

    Args:
        path: where it lies.
        file: what it holds.
        project: the tree.
    """

    def __init__(self, path: RepoPath, file: ShellFile, project: Tree) -> None:
        self.path = path
        self.file = file
        self._project = project

    @property
    def is_agentic(self) -> bool:
        """Tell whether it is a script of the agentic scenario."""
        return self._project.layout.is_agentic_script(self.path)

    def run(
        self,
        variables: Mapping[str, str],
        *,
        defaults: bool,
        answers: Mapping[str, str] = MappingProxyType({}),
    ) -> Trace:
        """Run the script abstractly.

        Args:
            variables: what it is started with.
            defaults: whether names that are not listed are taken for not set.
            answers: what functions are to write instead of being run.

        Raises:
            TooMuchError: that takes more than it may.
        """
        return self._project.run_script(self.path, variables, defaults=defaults, answers=answers)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the config rows that start the script."""
        return self._project.rows_starting(self.path)

    def points(self) -> Iterator[Point]:
        """Yield every run of the script: one for each concurrency and topology."""
        for row in self.rows:
            yield from row.points()

    @cached_property
    def topologies(self) -> tuple[Point, ...]:
        """Return the runs that differ in more than the concurrency, each at its highest one.

        The highest concurrency of a config is the one that evals are run at.
        """
        highest: dict[tuple[tuple[str, str], ...], Point] = {}
        for row in self.rows:
            *_, point = row.points()
            key = tuple(sorted(row.environment.items()))
            known = highest.get(key)
            if known is None or int(known.environment["CONC"]) < int(point.environment["CONC"]):
                highest[key] = point
        return tuple(highest.values())[:MOST_TOPOLOGIES]

    @cached_property
    def eval_mode(self) -> EvalMode:
        """Return what the script does while `EVAL_ONLY` is `true`."""
        from infx_lint.domain.eval_mode import EvalMode

        return EvalMode(self)

    def place(self, call: Call) -> Span:
        """Return where a command is written, in whichever script that is."""
        file = self._project.document(RepoPath(call.script))
        if not isinstance(file, ShellFile):
            raise TypeError(call.script)
        return file.span(call.node)

    def siblings(self) -> Iterator[tuple[RepoPath, ShellFile]]:
        """Yield some scripts of the same folder, the closest by name first."""
        for path in self._siblings[:_MOST_SIBLINGS]:
            file = self._project.document(path)
            if isinstance(file, ShellFile):
                yield path, file

    @cached_property
    def _siblings(self) -> tuple[RepoPath, ...]:
        own = set(self.path.name.split("_"))
        layout = self._project.layout
        others = [
            path
            for path in self._project.tree.entries
            if path.parent == self.path.parent
            and path != self.path
            and layout.is_benchmark_script(path)
            and self._project.tree.is_file(path)
        ]
        return tuple(sorted(others, key=lambda p: (-len(own & set(p.name.split("_"))), p)))

    def is_called_by_siblings(self, function: str) -> bool:
        """Tell whether another script of the same folder calls a function."""
        for path in self._siblings:
            # Most scripts that do not call it do not name it, and need not be parsed.
            if function.encode() not in self._project.tree.read(path):
                continue
            file = self._project.document(path)
            if isinstance(file, ShellFile) and any(
                isinstance(node, tree.SimpleCommand)
                and node.words
                and node.words[0].literal == function
                for node in tree.walk(file.statements)
            ):
                return True
        return False
