"""Where things are. No other module knows a path of the linted repository.

It moved four times in a year: `.github/configs/` (2025-12), `configs/` (2026-07), the Python
package `infx/` (2026-09), everything below `inferencex-e2e/` (2026-10). So places are found by
what lies together, at the base and at the head of a change separately.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from infx_lint.paths import RepoPath

CHANGELOG_NAME = "perf-changelog.yaml"
MASTER_SUFFIX = "-master.yaml"
# Newest first. Retired keys lie in a folder below (`deprecated/`) and are no master configs.
_CONFIG_FOLDERS = ("configs", ".github/configs")


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of one tree.

    Attributes:
        root: the folder that everything else lies below.
        changelog: the append-only list of performance changes, None where there is none.
        master_configs: the files that define config keys, sorted.
        python: every Python file below the root, those named for validation first, since the
            schemas are looked up in them by class name.

    """

    root: RepoPath
    changelog: RepoPath | None
    master_configs: tuple[RepoPath, ...]
    python: tuple[RepoPath, ...]

    def is_master_config(self, path: RepoPath) -> bool:
        """Tell whether a file defines config keys."""
        return path in self.master_configs


def discover(paths: Iterable[RepoPath]) -> Layout:
    """Find the places among the regular files of a tree."""
    known = set(paths)
    changelogs = sorted(path for path in known if path.name == CHANGELOG_NAME)
    masters_of = {path.parent: _master_configs(path.parent, known) for path in changelogs}
    # A changelog with master configs beside it is the real one; of several the outermost.
    changelogs.sort(key=lambda path: (not masters_of[path.parent], path.count("/"), path))
    changelog = changelogs[0] if changelogs else None
    root = changelog.parent if changelog else RepoPath("")
    masters = masters_of[root] if changelog else _master_configs(root, known)
    python = sorted(
        (path for path in known if path.suffix == ".py" and path.is_within(root)),
        key=lambda path: (
            "test" in path.name,
            "validation" not in path.name and "schema" not in path.name,
            path,
        ),
    )
    return Layout(root, changelog, masters, tuple(python))


def _master_configs(root: RepoPath, known: set[RepoPath]) -> tuple[RepoPath, ...]:
    for folder in _CONFIG_FOLDERS:
        found = sorted(
            path for path in known if path.parent == root / folder and path.endswith(MASTER_SUFFIX)
        )
        if found:
            return tuple(found)
    return ()
