"""Whose comments a change can make stale: scripts, entries and recipes, at both sides.

Of 184 stale comments 19 stood in another file than the value, so what a change touches reaches as
far as files are run together: an entry with the script that its rows start and the recipes that
they name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.change import ChangedFile
from infx_lint.domain.comment_subjects import (
    Spoken,
    comments_of_entry,
    comments_of_recipe,
    comments_of_script,
)
from infx_lint.domain.entries import Entry
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project


class Subject(NamedTuple):
    """The comments of a script, entry or recipe at both sides; none at the base of a new one."""

    head: Iterable[Spoken]
    base: Iterable[Spoken]


def subjects(base: Project, head: Project, files: tuple[ChangedFile, ...]) -> Iterator[Subject]:
    """Yield what a change touches: by itself, or through a file that it is run with."""
    reach = _Reach(base, head, files)
    for path in reach.scripts:
        old = reach.old_path(path)
        yield Subject(comments_of_script(head, path), comments_of_script(base, old) if old else ())
    for entry in reach.entries:
        before = reach.old_entry(entry)
        yield Subject(
            comments_of_entry(head, entry), comments_of_entry(base, before) if before else ()
        )
    for path in reach.recipes:
        old = reach.old_path(path)
        yield Subject(comments_of_recipe(head, path), comments_of_recipe(base, old) if old else ())


class _Reach:
    """The files and entries of the head that a change reaches."""

    def __init__(self, base: Project, head: Project, files: tuple[ChangedFile, ...]) -> None:
        self._base = base
        self._head = head
        self._old_paths = {
            file.head.path: file.base.path for file in files if file.head and file.base
        }
        touched = [file.head.path for file in files if file.head and file.head.mode.is_regular]
        layout = head.layout
        scripts = [path for path in touched if layout.is_benchmark_script(path)]
        recipes = [path for path in touched if layout.is_recipe(path)]
        entries = [
            entry
            for path in touched
            if layout.is_master_config(path)
            for entry in head.entries_of(path)
            if self._is_changed(entry)
        ]
        self.scripts = dict.fromkeys([*scripts, *self._started_by(entries)])
        named = (head.recipe_at(name)[0] for entry in entries for name in entry.recipes)
        self.recipes = dict.fromkeys([*recipes, *(path for path in named if path)])
        starting = (entry for path in scripts for entry in head.entries_starting(path))
        naming = (entry for path in recipes for entry in head.entries_naming(path))
        self.entries = dict.fromkeys([*entries, *starting, *naming])

    def old_path(self, path: RepoPath) -> RepoPath | None:
        """Return where a file of the head was at the base."""
        old = self._old_paths.get(path, path)
        return old if self._base.tree.is_file(old) else None

    def old_entry(self, entry: Entry) -> Entry | None:
        """Return an entry at the base, in whichever master config it was."""
        path = self.old_path(entry.path)
        others = (one for one in self._base.layout.master_configs if one != path)
        for place in (*([path] if path else []), *others):
            for old in self._base.entries_of(place):
                if old.name == entry.name:
                    return old
        return None

    def _is_changed(self, entry: Entry) -> bool:
        old = self.old_entry(entry)
        return old is None or old.digest != entry.digest

    def _started_by(self, entries: list[Entry]) -> Iterator[RepoPath]:
        for path in dict.fromkeys(entry.path for entry in entries):
            names = {entry.name for entry in entries if entry.path == path}
            for row in self._head.rows_of(path):
                script = self._head.script_of(row) if row.key in names else None
                if script is not None:
                    yield script
