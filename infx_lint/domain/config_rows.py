"""The single-node rows of all master configs of a tree, and the scripts that they start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from infx_lint.cache import FactCache
from infx_lint.documents.text_file import TextFile, parse_text
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.layout import GENERATORS, Layout
from infx_lint.domain.points import AGENTIC, Row, context_margin, row_from, rows_of
from infx_lint.paths import RepoPath
from infx_lint.snapshot import Snapshot


class ConfigRows:
    """The rows of one tree; a row is only made when it is asked for."""

    def __init__(self, tree: Snapshot, layout: Layout, cache: FactCache) -> None:
        self._tree = tree
        self._layout = layout
        self._cache = cache
        self._facts: dict[RepoPath, list[list[Any]]] = {}
        self._starting: dict[RepoPath, tuple[Row, ...]] = {}

    def of(self, path: RepoPath) -> Iterator[Row]:
        """Yield the rows of a master config; none where it cannot be read."""
        for facts in self._facts_of(path):
            yield row_from(facts, path, self._context_margin)

    def starting(self, script: RepoPath) -> tuple[Row, ...]:
        """Return the rows that start a benchmark script."""
        if script not in self._starting:
            self._starting[script] = tuple(
                row_from(facts, path, self._context_margin)
                for path, facts in self._by_name.get(script.name, ())
                if self.script_of(facts[3], agentic=facts[1] == AGENTIC) == script
            )
        return self._starting[script]

    def script_of(self, names: tuple[str, ...], *, agentic: bool) -> RepoPath | None:
        """Return the first script that exists of those that a row may start, None if none does."""
        folder = self._layout.script_folder(agentic=agentic)
        paths = (folder / name for name in names) if folder is not None else ()
        return next(filter(self._tree.is_file, paths), None)

    def _facts_of(self, path: RepoPath) -> list[list[Any]]:
        def compute() -> list[list[Any]]:
            file = self._tree.parse(path, parse_yaml)
            return rows_of(file) if isinstance(file, YamlFile) else []

        if path not in self._facts:
            blob = self._tree.blob(path)
            self._facts[path] = self._cache.get("config-rows-2", blob, compute)
        return self._facts[path]

    @cached_property
    def _by_name(self) -> Mapping[str, list[tuple[RepoPath, list[Any]]]]:
        """Return what is known of the rows by the names of the scripts that they may start."""
        found: dict[str, list[tuple[RepoPath, list[Any]]]] = {}
        for path in self._layout.master_configs:
            for facts in self._facts_of(path):
                for name in facts[3]:
                    found.setdefault(name, []).append((path, facts))
        return found

    @cached_property
    def _context_margin(self) -> int | None:
        """Return what the matrix generator adds to the lengths of a run for its context.

        The formula has changed with time, so it is read from the tree; None where it is not found.
        """
        for path in self._layout.python:
            if path.endswith(GENERATORS):
                text = self._tree.parse(path, parse_text)
                return context_margin(text.text) if isinstance(text, TextFile) else None
        return None
