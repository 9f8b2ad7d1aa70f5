"""The linted repository at one side, seen through its meaning."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from infx_lint.cache import FactCache, digest
from infx_lint.change import TreeEntry
from infx_lint.documents.by_path import parser_for
from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.documents.yaml_file import YamlFile, parse_yaml
from infx_lint.domain.changelog import Changelog
from infx_lint.domain.layout import RECIPE_SETTINGS, RECIPES, Layout, discover
from infx_lint.domain.master_config import ConfigKey, ConfigKeys, config_keys_of
from infx_lint.domain.schema import Schema, builtin_schema, find_schema
from infx_lint.finding import Span
from infx_lint.paths import RepoPath
from infx_lint.snapshot import Snapshot
from infx_lint.worker import StoppedError

if TYPE_CHECKING:
    from infx_lint.claims.claim import Claim
    from infx_lint.documents.comment_blocks import CommentBlock
    from infx_lint.domain.benchmark_script import BenchmarkScript
    from infx_lint.domain.calls import Repeated, Stray
    from infx_lint.domain.config_rows import ConfigRows
    from infx_lint.domain.entries import Entry, EntryRow
    from infx_lint.domain.points import Point, Row
    from infx_lint.domain.recipe import Variant
    from infx_lint.domain.script_effects import Effects
    from infx_lint.domain.script_values import ScriptValues
    from infx_lint.shell.assignments import Overwritten, Unused
    from infx_lint.shell.continuations import BrokenContinuation
    from infx_lint.shell.trace import Trace

# No script names more; beyond these the rest is taken to matter little.
MOST_SOURCED = 40
_SCRIPT_SUFFIX = re.compile(rb"\.sh\b")
_FILE_NAME = re.compile(rb"[\w.-]+\Z")
_LONGEST_NAME = 100


class Project:
    """Typed views of one tree, each made when it is first asked for."""

    def __init__(self, tree: Snapshot, cache: FactCache) -> None:
        self.tree = tree
        self._cache = cache
        self._schemas: dict[str, Schema | StoppedError] = {}
        self._scripts: dict[RepoPath, BenchmarkScript] = {}
        self._traces: dict[Hashable, Trace] = {}
        self._entries: dict[RepoPath, tuple[Entry, ...]] = {}
        self._values: dict[Hashable, ScriptValues] = {}
        self._variants: dict[RepoPath, tuple[Variant, ...]] = {}
        self._evidence: dict[RepoPath, str] = {}
        self._code: dict[RepoPath, str] = {}

    def at(self, tree: Snapshot) -> Project:
        """Return the project of another tree, with the same facts on disk."""
        return Project(tree, self._cache)

    @cached_property
    def layout(self) -> Layout:
        """Return where things are."""
        entries = self.tree.entries.values()
        return discover(entry.path for entry in entries if entry.mode.is_regular)

    def document(self, path: RepoPath) -> object | None:
        """Return the document of a file, None for a kind of file that no rule looks at."""
        parser = parser_for(path)
        if parser is None:
            return None
        if parser is not parse_shell:
            return self.tree.parse(path, parser)

        def remember(read: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON
            return self._cache.get("shell-tree-1", self.tree.blob(path), read)

        return self.tree.parse(path, lambda data: parse_shell(data, remember), "shell-tree")

    def prepare(self, entries: Iterable[TreeEntry]) -> None:
        """Parse the scripts among some files at once, each in a process of its own."""
        scripts = [
            entry.path
            for entry in entries
            if entry.mode.is_regular and parser_for(entry.path) is parse_shell
        ]
        if len(scripts) > 1:
            from concurrent.futures import ThreadPoolExecutor

            for path in scripts:
                # git answers one question at a time.
                self.tree.read(path)
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                for path in scripts:
                    # What fails here fails again where a rule asks for it, and is told there.
                    pool.submit(self.document, path)

    def run_script(
        self,
        path: RepoPath,
        variables: Mapping[str, str],
        *,
        defaults: bool,
        answers: Mapping[str, str] = MappingProxyType({}),
    ) -> Trace:
        """Run a script of this tree abstractly, with every file that it sources.

        Args:
            path: the script; it must be readable.
            variables: what it is started with.
            defaults: whether names that are not listed are taken for not set.
            answers: what functions are to write instead of being run.

        Raises:
            TooMuchError: that takes more than it may.
        """
        from infx_lint.domain.programs import role_of
        from infx_lint.shell.execution import run
        from infx_lint.shell.expansion import TooMuchError
        from infx_lint.shell.state import Environment

        key = (path, frozenset(variables.items()), defaults, frozenset(answers.items()))
        if key not in self._traces:
            file = self.document(path)
            if not isinstance(file, ShellFile):
                raise TypeError(f"{path} is no readable script")
            environment = Environment(path, variables, defaults, answers)
            self._traces[key] = run(path, file, environment, self._sourced, role_of)
        trace = self._traces[key]
        if trace.incomplete:
            raise TooMuchError(f"not analysed: {trace.incomplete}")
        return trace

    def _sourced(self, name: str) -> tuple[str, ShellFile] | None:
        for path in (RepoPath(name), self.layout.root / name):
            if self.tree.is_file(path):
                file = self.document(path)
                return (path, file) if isinstance(file, ShellFile) else None
        return None

    def benchmark_script(self, path: RepoPath) -> BenchmarkScript | None:
        """Return a benchmark script, None for any other file, and one that cannot be read."""
        if path not in self._scripts:
            from infx_lint.domain.benchmark_script import BenchmarkScript

            file = self.document(path) if self.layout.is_benchmark_script(path) else None
            if not isinstance(file, ShellFile):
                return None
            self._scripts[path] = BenchmarkScript(path, file, self)
        return self._scripts[path]

    def broken_continuations(self, path: RepoPath) -> Iterator[BrokenContinuation]:
        """Yield the line continuations of a script that end early."""
        from infx_lint.shell.continuations import broken_continuations

        file = self.document(path)
        if isinstance(file, ShellFile):
            yield from broken_continuations(file)

    def overwritten_assignments(self, path: RepoPath) -> Iterator[Overwritten]:
        """Yield the assignments of a script that no command can see."""
        from infx_lint.shell.assignments import overwritten_assignments

        file = self.document(path)
        if isinstance(file, ShellFile):
            yield from overwritten_assignments(file)

    def unused_variables(self, path: RepoPath) -> Iterator[Unused]:
        """Yield the variables that a benchmark script sets and nothing reads.

        Other scripts may be sourced by files that read what they set.
        """
        from infx_lint.domain.eval_mode import CONTEXT, EVAL_MODE, takes
        from infx_lint.shell.assignments import names_in_text, unused_variables

        file = self.document(path)
        if not isinstance(file, ShellFile) or not self.layout.is_benchmark_script(path):
            return
        trace = self.run_script(path, EVAL_MODE, defaults=False)
        if trace.missing:
            return
        elsewhere: set[str] = set()
        for sourced in trace.sourced:
            library = self.document(RepoPath(sourced))
            if isinstance(library, ShellFile):
                elsewhere |= names_in_text(library)
        for unused in unused_variables(file, elsewhere):
            # What should carry the context of an eval is `unwired_contexts`' business.
            for_evals = any(takes(item, CONTEXT) for item in unused.assignments)
            # What a config row gives is exported: a new value of it reaches the programs.
            given = any(unused.name in row.environment for row in self.rows_starting(path))
            if not for_evals and not given:
                yield unused

    def stray_arguments(self, path: RepoPath) -> Iterator[Stray]:
        """Yield the words of a script that the function which they are given to refuses."""
        from infx_lint.domain.calls import strays

        file = self.document(path)
        if isinstance(file, ShellFile):
            yield from strays(self, path, file)

    def repeated_flags(self, path: RepoPath) -> Iterator[Repeated]:
        """Yield the options that one command of a script is given twice."""
        from infx_lint.domain.calls import repeated_flags

        file = self.document(path)
        if isinstance(file, ShellFile):
            yield from repeated_flags(self, path, file)

    @cached_property
    def changelog(self) -> Changelog | None:
        """Return the changelog, None where there is none that can be read."""
        path = self.layout.changelog
        if path is None:
            return None
        file = self.tree.parse(path, parse_yaml)
        return Changelog(path, file) if isinstance(file, YamlFile) else None

    def keys_of(self, path: RepoPath) -> tuple[ConfigKey, ...] | None:
        """Return the config keys of one master config, None where it cannot be read."""

        def compute() -> list[list[str | int]] | None:
            file = self.tree.parse(path, parse_yaml)
            keys = config_keys_of(file, path) if isinstance(file, YamlFile) else None
            return None if keys is None else [[key.name, *key.span] for key in keys]

        facts = self._cache.get("config-keys", self.tree.blob(path), compute)
        if facts is None:
            return None
        return tuple(ConfigKey(name, path, Span(*numbers)) for name, *numbers in facts)

    @cached_property
    def _rows(self) -> ConfigRows:
        from infx_lint.domain.config_rows import ConfigRows

        return ConfigRows(self.tree, self.layout, self._cache)

    def rows_of(self, path: RepoPath) -> Iterator[Row]:
        """Yield the single-node rows of a master config; none where it cannot be read."""
        return self._rows.of(path)

    def script_of(self, row: Row) -> RepoPath | None:
        """Return the single-node script that a config row starts, None where it is missing."""
        return self._rows.script_of(row.scripts, agentic=row.is_agentic)

    def rows_starting(self, script: RepoPath) -> tuple[Row, ...]:
        """Return the config rows that start a single-node benchmark script."""
        return self._rows.starting(script)

    def entries_of(self, path: RepoPath) -> tuple[Entry, ...]:
        """Return the entries of a master config; none where it cannot be read."""
        from infx_lint.domain.entries import Entry, entries_of

        def compute() -> list[list[Any]]:
            file = self.tree.parse(path, parse_yaml)
            return entries_of(file) if isinstance(file, YamlFile) else []

        if path not in self._entries:
            facts = self._cache.get("entries-2", self.tree.blob(path), compute)
            self._entries[path] = tuple(Entry(path, one) for one in facts)
        return self._entries[path]

    def comments_of(self, path: RepoPath) -> tuple[tuple[CommentBlock, tuple[Claim, ...]], ...]:
        """Return the comments of a script or recipe with their claims; none if unreadable."""
        from infx_lint.documents.comment_blocks import CommentBlock, comment_blocks

        def compute() -> list[list[Any]]:
            file = self.document(path)
            if isinstance(file, ShellFile):
                return [
                    list(one) for one in comment_blocks(file.text, map(file.span, file.comments))
                ]
            if isinstance(file, YamlFile):
                return [list(one) for one in comment_blocks(file.text, file.comments())]
            return []

        blob = self.tree.blob(path)
        blocks = [
            CommentBlock(text, tuple(map(tuple, places)), column, is_trailing)
            for text, places, column, is_trailing in self._cache.get("comments-1", blob, compute)
        ]
        return tuple(zip(blocks, self.claims_of(blob, blocks), strict=True))

    def claims_of(self, name: str, blocks: Sequence[CommentBlock]) -> tuple[tuple[Claim, ...], ...]:
        """Return the claims of comments; `name` stands for their text."""
        from infx_lint.claims.grammar import claims_of, pack, unpack, version

        def compute() -> list[list[Any]]:
            return [[pack(claim) for claim in claims_of(block)] for block in blocks]

        facts = self._cache.get(f"claims-{version()}", name, compute)
        return tuple(tuple(map(unpack, claims)) for claims in facts)

    def script_values(self, path: RepoPath, points: tuple[Point, ...]) -> ScriptValues:
        """Return what the servers of a benchmark script are given at some points."""
        from infx_lint.domain.script_values import values_from

        def compute() -> list[Any]:
            from infx_lint.domain.script_reader import values_of

            return values_of(self, path, points)

        key = (path, tuple(tuple(sorted(point.environment.items())) for point in points))
        if key not in self._values:
            evidence = digest([self.files_run_by(path), key[1]])
            facts = self._cache.get("script-values-4", evidence, compute)
            self._values[key] = values_from(facts)
        return self._values[key]

    def script_effects(self, path: RepoPath, points: tuple[Point, ...]) -> Effects:
        """Return what a benchmark script does at some points."""
        from infx_lint.domain.script_effects import effects_at, effects_from

        def compute() -> list[Any]:
            return effects_at(self, path, points)

        environments = tuple(tuple(sorted(point.environment.items())) for point in points)
        evidence = digest([self.files_run_by(path), environments])
        return effects_from(self._cache.get("script-effects-2", evidence, compute))

    def code_of(self, path: RepoPath) -> str:
        """Return the normalised text of a script without its comments; none if unreadable."""

        def compute() -> str:
            from infx_lint.domain.script_reader import code_of

            file = self.document(path)
            return code_of(file) if isinstance(file, ShellFile) else ""

        if path not in self._code:
            self._code[path] = self._cache.get("code-1", self.tree.blob(path), compute)
        return self._code[path]

    def evidence_of(self, path: RepoPath) -> str:
        """Return a name for all that decides whether rules find nothing in a file.

        They may look at more where they find something: for a way to mend it.
        """
        if path not in self._evidence:
            parts: list[object] = [path, self.tree.blob(path), self.layout.root]
            if parser_for(path) is parse_shell:
                rows = self.rows_starting(path) if self.layout.is_benchmark_script(path) else ()
                parts += [self.files_run_by(path), rows]
            elif self.layout.is_master_config(path):
                parts += [(other, self.tree.blob(other)) for other in self.layout.master_configs]
            else:
                parts.append(self.layout.changelog)
            self._evidence[path] = digest(parts)
        return self._evidence[path]

    def files_run_by(self, path: RepoPath) -> tuple[tuple[RepoPath, str], ...]:
        """Return a script and all that it may source, by what it names, each with its blob."""
        found = [path]
        for one in found:
            if len(found) > MOST_SOURCED:
                break
            for name in self._scripts_named_by(one):
                found += (more for more in self._scripts_by_name.get(name, ()) if more not in found)
        return tuple((one, self.tree.blob(one)) for one in found)

    def _scripts_named_by(self, path: RepoPath) -> list[str]:
        def compute() -> list[str]:
            text = self.tree.read(path)
            names = (
                _FILE_NAME.search(text, max(0, match.start() - _LONGEST_NAME), match.end())
                for match in _SCRIPT_SUFFIX.finditer(text)
            )
            return sorted({name.group().decode() for name in names if name})

        found: list[str] = self._cache.get("scripts-named-1", self.tree.blob(path), compute)
        return found

    @cached_property
    def _scripts_by_name(self) -> Mapping[str, list[RepoPath]]:
        found: dict[str, list[RepoPath]] = {}
        for path in self.layout.scripts:
            found.setdefault(path.name, []).append(path)
        return found

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries of all master configs."""
        return tuple(
            entry for path in self.layout.master_configs for entry in self.entries_of(path)
        )

    @cached_property
    def _recipe_paths(self) -> Mapping[str, RepoPath]:
        """Return the files that rows can name, by their path below a folder of recipes."""
        found: dict[str, RepoPath] = {}
        for path in self.tree.entries:
            if self.layout.is_recipe(path):
                found[path.partition(RECIPES)[2]] = path
        return found

    def recipe_at(self, name: str) -> tuple[RepoPath | None, str]:
        """Return the recipe that a row names, None where the tree has none, and the variant."""
        file, _, selector = name.partition(":")
        for path in (self.layout.root / file, RepoPath(file)):
            if self.tree.is_file(path):
                return path, selector
        tail = file.rpartition(RECIPES)[2].removeprefix("recipes/")
        return self._recipe_paths.get(tail), selector

    def variants_of(self, path: RepoPath) -> tuple[Variant, ...]:
        """Return the recipes that a file holds; none where it cannot be read."""
        from infx_lint.domain.recipe import variants_of

        if path not in self._variants:
            file = self.document(path)
            found = tuple(variants_of(file)) if isinstance(file, YamlFile) else ()
            self._variants[path] = found
        return self._variants[path]

    @cached_property
    def _rows_by_recipe(self) -> Mapping[RepoPath, list[tuple[Entry, str]]]:
        found: dict[RepoPath, list[tuple[Entry, str]]] = {}
        for entry in self.entries:
            for name in entry.recipes:
                path, selector = self.recipe_at(name)
                if path is not None:
                    found.setdefault(path, []).append((entry, selector))
        return found

    def entries_starting(self, script: RepoPath) -> tuple[Entry, ...]:
        """Return the entries whose rows start a single-node benchmark script."""
        wanted = {(row.path, row.key) for row in self.rows_starting(script)}
        return tuple(
            entry
            for path in sorted({path for path, _ in wanted})
            for entry in self.entries_of(path)
            if (path, entry.name) in wanted
        )

    def entries_naming(self, recipe: RepoPath) -> tuple[Entry, ...]:
        """Return the entries whose rows name a recipe."""
        found = self._rows_by_recipe.get(recipe, ())
        return tuple({entry.name: entry for entry, _ in found}.values())

    def rows_naming(self, recipe: RepoPath) -> Iterator[tuple[Entry, str, EntryRow]]:
        """Yield the rows that name a recipe, with their entry and the variant that they select."""
        for entry in self.entries_naming(recipe):
            for row in entry.rows:
                for setting in row.settings:
                    if setting.name in RECIPE_SETTINGS:
                        path, selector = self.recipe_at(setting.value)
                        if path == recipe:
                            yield entry, selector, row

    @cached_property
    def config_keys(self) -> ConfigKeys | None:
        """Return all config keys, None where a master config is missing or unreadable."""
        keys: list[ConfigKey] = []
        for path in self.layout.master_configs:
            table = self.keys_of(path)
            if table is None:
                return None
            keys += table
        return ConfigKeys(tuple(keys)) if keys else None

    def keys_shared_by(self, path: RepoPath) -> Iterator[tuple[ConfigKey, ConfigKey]]:
        """Yield the config keys of a master config that another one defines too, with that one."""
        if not self.layout.is_master_config(path):
            return
        others = {
            key.name: key
            for other in self.layout.master_configs
            if other != path
            for key in self.keys_of(other) or ()
        }
        own = {key.name: key for key in self.keys_of(path) or ()}
        for name in own.keys() & others.keys():
            yield own[name], others[name]

    def schema(self, name: str) -> Schema:
        """Return the schema of a class of the linted repository.

        Where the tree has no such class, the copy that ships with the linter: its `path` is None.

        Raises:
            StoppedError: the source could not be read within our limits.
        """
        if name not in self._schemas:
            try:
                found = find_schema(self.tree, self.layout.schema_sources(), name, self._cache)
                self._schemas[name] = found or builtin_schema(name, self._cache)
            except StoppedError as error:
                # Every rule that asks fails, but only the first one waits for it.
                self._schemas[name] = error
        known = self._schemas[name]
        if isinstance(known, StoppedError):
            raise known
        return known
