"""Where things are. No other module knows a path of the linted repository.

It moved four times in a year: `.github/configs/` (2025-12), `configs/` (2026-07), the Python
package `infx/` (2026-09), everything below `inferencex-e2e/` (2026-10). So places are found by
what lies together, at the base and at the head of a change separately.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from infx_lint.paths import RepoPath

CHANGELOG_NAME = "perf-changelog.yaml"
MASTER_SUFFIX = "-master.yaml"
# Newest first. Retired keys lie in a folder below (`deprecated/`) and are no master configs.
_CONFIG_FOLDERS = ("configs", ".github/configs")
# Makes a run of each row of a master config; newest last.
GENERATORS = ("matrix_logic/generate_sweep_configs.py", "matrix/generate.py")
# Rows name recipes by their path below such a folder, or below the root.
RECIPES = "-recipes/"
# What names a recipe: a setting of multi-node rows, a field of rows since 2026-10 (layout D).
RECIPE_SETTINGS = ("CONFIG_FILE", "srt-recipe")
_BENCHMARKS, _LAUNCHERS = "benchmarks", "runners"
_SINGLE_NODE = "benchmarks/single_node"
_MULTI_NODE = "benchmarks/multi_node"
# Archived scripts that no config starts.
_RETIRED = "deprecated"
_AGENTIC = "agentic"
# Newest first: since 2026-06-02 (#1571), since 2026-02-19 (#666), before. As in the launchers of a
# tree only the first one that it has scripts in counts. Agentic ones have always had their folder.
_FIXED_SCRIPTS = (f"{_SINGLE_NODE}/fixed_seq_len", _SINGLE_NODE, "benchmarks")
_AGENTIC_SCRIPTS = (f"{_SINGLE_NODE}/{_AGENTIC}",)


class Layout(NamedTuple):
    """The places of one tree.

    Attributes:
        root: the folder that everything else lies below.
        changelog: the append-only list of performance changes, None where there is none.
        master_configs: the files that define config keys, sorted.
        python: every Python file of the tree.
        scripts: every shell script of the tree.
        script_folders: the folders that they lie in.
    """

    root: RepoPath
    changelog: RepoPath | None
    master_configs: tuple[RepoPath, ...]
    python: tuple[RepoPath, ...]
    scripts: tuple[RepoPath, ...]
    script_folders: frozenset[RepoPath]

    def schema_sources(self) -> list[RepoPath]:
        """Return the Python files below the root, the likeliest to hold schemas first.

        Schemas are looked up by class name, since files move.
        """
        return sorted(
            (path for path in self.python if path.is_within(self.root)),
            key=lambda path: (
                "test" in path.name,
                "validation" not in path.name and "schema" not in path.name,
                path,
            ),
        )

    def is_benchmark_script(self, path: RepoPath) -> bool:
        """Tell whether a file is a script that a single-node config can start."""
        folder = path.parent
        return (
            path.suffix == ".sh"
            and folder.is_within(self.root / _SINGLE_NODE)
            and _RETIRED not in folder.split("/")
        )

    def is_named_script(self, path: RepoPath) -> bool:
        """Tell whether a file is a script that launchers pick by its name alone."""
        folder = path.parent
        return path.suffix == ".sh" and (
            folder in {self.root / _BENCHMARKS, self.root / _MULTI_NODE}
            or (folder.is_within(self.root / _MULTI_NODE) and folder.name == _AGENTIC)
        )

    def is_multinode_helper(self, path: RepoPath) -> bool:
        """Tell whether a shell file is run by the multi-node scripts of an engine."""
        folder = path.parent
        return (
            path.suffix == ".sh"
            and folder.parent == self.root / _MULTI_NODE
            and folder.name.endswith("_utils")
        )

    def is_launcher(self, path: RepoPath) -> bool:
        """Tell whether a file lies with those that start benchmark scripts on a cluster."""
        return path.is_within(self.root / _LAUNCHERS)

    def is_shared_shell(self, path: RepoPath) -> bool:
        """Tell whether a shell file is a library of benchmark scripts or a launcher."""
        folders = (self.root / _BENCHMARKS, self.root / _LAUNCHERS)
        return (
            path.suffix == ".sh"
            and any(path.is_within(folder) for folder in folders)
            and not self.is_benchmark_script(path)
            and not self.is_multinode_helper(path)
        )

    def script_folder(self, *, agentic: bool) -> RepoPath | None:
        """Return where the scripts of a scenario lie, None where the tree has none."""
        names = _AGENTIC_SCRIPTS if agentic else _FIXED_SCRIPTS
        folders = (self.root / name for name in names)
        return next((folder for folder in folders if folder in self.script_folders), None)

    def is_agentic_script(self, path: RepoPath) -> bool:
        """Tell whether a file is a script of the agentic scenario."""
        return self.is_benchmark_script(path) and path.parent.name == _AGENTIC

    def is_recipe(self, path: RepoPath) -> bool:
        """Tell whether a file can be named by rows as their recipe."""
        return path.suffix in {".yaml", ".yml"} and RECIPES in path

    def has_comments(self, path: RepoPath) -> bool:
        """Tell whether a file is of the kinds whose comments speak of what is run."""
        return self.is_benchmark_script(path) or self.is_recipe(path) or self.is_master_config(path)

    def is_master_config(self, path: RepoPath) -> bool:
        """Tell whether a file defines config keys."""
        return path in self.master_configs


def discover(paths: Iterable[RepoPath]) -> Layout:
    """Find the places among the regular files of a tree."""
    changelogs, masters, python, scripts = [], [], [], []
    for path in paths:
        if path.endswith(MASTER_SUFFIX):
            masters.append(path)
        elif path.endswith(".py"):
            python.append(path)
        elif path.endswith(".sh"):
            scripts.append(path)
        elif path.endswith(CHANGELOG_NAME) and path.name == CHANGELOG_NAME:
            changelogs.append(path)
    # A changelog with master configs beside it is the real one; of several the outermost.
    changelogs.sort(
        key=lambda path: (not _master_configs(path.parent, masters), path.count("/"), path)
    )
    changelog = changelogs[0] if changelogs else None
    root = changelog.parent if changelog else RepoPath("")
    configs = _master_configs(root, masters)
    folders = frozenset(path.parent for path in scripts)
    return Layout(root, changelog, configs, tuple(sorted(python)), tuple(scripts), folders)


def _master_configs(root: RepoPath, masters: list[RepoPath]) -> tuple[RepoPath, ...]:
    for folder in _CONFIG_FOLDERS:
        found = tuple(sorted(path for path in masters if path.parent == root / folder))
        if found:
            return found
    return ()
