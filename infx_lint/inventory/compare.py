"""The inventory of a change: what it did to what each config key runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.change import ChangedFile
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.layout import RECIPE_SETTINGS
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.config_changes import config_changes
from infx_lint.inventory.items import Item, Kind, Scope, merged
from infx_lint.inventory.recipe_changes import is_same, recipe_changes
from infx_lint.inventory.script_changes import script_changes
from infx_lint.inventory.script_text import says_the_same
from infx_lint.inventory.shared_changes import shared_changes
from infx_lint.inventory.text_changes import text_changes
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.entries import Entry
    from infx_lint.domain.points import Row
    from infx_lint.domain.project import Project
    from infx_lint.domain.recipe import Variant

# To run a script at every point of its rows takes 0.2 s, and large changes touch sixty.
MOST_RUN_WHOLE = 8
_MOVE = "move"
_METADATA = "metadata"


class Inventory(NamedTuple):
    """All atomic changes, equal ones of several keys as one.

    Attributes:
        renamed: the name at the base of keys that only got another name.
    """

    items: tuple[Item, ...]
    renamed: Mapping[str, str]

    def of(self, key: str) -> tuple[Item, ...]:
        """Return what was changed for one config key."""
        return tuple(item for item in self.items if key in item.keys)


def inventory(base: Project, head: Project, files: tuple[ChangedFile, ...]) -> Inventory:
    """Compare both sides of a change in everything that it touches."""
    comparison = _Comparison(base, head, files)
    keys = comparison.touched_keys()
    items = [
        *comparison.compare(keys),
        *text_changes(base, head, files),
        *shared_changes(base, head, files),
    ]
    return Inventory(merged(items), comparison.renamed)


def compare_key(
    base: Project, head: Project, key: str, files: tuple[ChangedFile, ...]
) -> Inventory:
    """Compare what one config key runs in two trees, whatever else differs between them."""
    comparison = _Comparison(base, head, files)
    textual = (item for item in text_changes(base, head, files) if key in item.keys)
    items = [*comparison.compare([key]), *(item._replace(keys=(key,)) for item in textual)]
    return Inventory(merged(items), comparison.renamed)


class _Comparison:
    def __init__(self, base: Project, head: Project, files: tuple[ChangedFile, ...]) -> None:
        self._base = base
        self._head = head
        self._files = files
        self._old_paths = {
            file.head.path: file.base.path for file in files if file.head and file.base
        }
        self._added = {file.head.path for file in files if file.head and not file.base}

    # Which keys

    def touched_keys(self) -> list[str]:
        """Return the keys whose entry, script or recipe the change touches, at either side."""
        found: dict[str, None] = {}
        paths = [entry.path for file in self._files for entry in (file.head, file.base) if entry]
        configs = {*self._head.layout.master_configs, *self._base.layout.master_configs}
        if any(path in configs for path in paths):
            found |= dict.fromkeys(self._changed_entries())
        for file in self._files:
            for entry, project in ((file.head, self._head), (file.base, self._base)):
                if entry is None or not entry.mode.is_regular:
                    continue
                layout = project.layout
                if layout.is_benchmark_script(entry.path):
                    found |= dict.fromkeys(row.key for row in project.rows_starting(entry.path))
                elif layout.is_recipe(entry.path):
                    found |= dict.fromkeys(one.name for one in project.entries_naming(entry.path))
        return list(found)

    def _changed_entries(self) -> Iterator[str]:
        for name, entry in self._new.items():
            old = self._old.get(name)
            if old is None or old.digest != entry.digest:
                yield name
        yield from (name for name in self._old if name not in self._new)

    @cached_property
    def _new(self) -> Mapping[str, Entry]:
        return {entry.name: entry for entry in self._head.entries}

    @cached_property
    def _old(self) -> Mapping[str, Entry]:
        return {entry.name: entry for entry in self._base.entries}

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Return for each key that is new by its name alone what it was called."""
        come = [name for name in self._new if name not in self._old]
        gone = [name for name in self._old if name not in self._new]
        if not come or not gone:
            return {}
        old = {_content(self._old[name]): name for name in gone}
        pairs = ((name, old.get(_content(self._new[name]))) for name in come)
        return {name: before for name, before in pairs if before is not None}

    # What changed

    def compare(self, keys: Iterable[str]) -> Iterator[Item]:
        """Yield the atomic changes of some keys."""
        keys = list(keys)
        moved = set(self.renamed.values())
        for key in keys:
            if key not in moved or key in self._new:
                yield from self._config(key)
        yield from self._scripts(keys)
        yield from self._recipes(keys)

    def _config(self, key: str) -> Iterator[Item]:
        new = self._new.get(key)
        old = self._old.get(self.renamed.get(key, key))
        if new is not None and old is not None and old.name != new.name:
            yield Item(Kind.KEY, Scope.CONFIG, key, old.name, key, (key,), exempt=_MOVE)
        if new is not None and old is not None and new.digest == old.digest:
            return
        for item in config_changes(old, new):
            yield self._judged(item, old, new)

    def _judged(self, item: Item, old: Entry | None, new: Entry | None) -> Item:
        """Return an item, exempt where nothing that it names reaches a command."""
        if item.exempt or old is None or new is None or item.kind is not Kind.FIELD:
            return item
        name = item.names[0] if item.names else item.what
        if name in RECIPE_SETTINGS and item.before and item.after:
            one = self._variant(self._base, old, item.before)
            other = self._variant(self._head, new, item.after)
            return item._replace(exempt=_MOVE) if is_same(one, other) else item
        if name == "ep" and (" at " in item.what) and self._is_unread_degree(item, new):
            return item._replace(exempt=_METADATA)
        return item

    def _is_unread_degree(self, item: Item, entry: Entry) -> bool:
        route = item.what.partition(" at ")[0]
        if "." in route:
            # Of multi-node rows the recipe decides; their scripts only check the degrees.
            return True
        scripts = {
            script
            for row in self._head.rows_of(entry.path)
            if row.key == entry.name and (script := self._head.script_of(row)) is not None
        }
        return bool(scripts) and not any(
            "ep_size" in self._head.code_of(script) for script in scripts
        )

    def _variant(self, project: Project, entry: Entry, name: str) -> Variant | None:
        names = [name, *(one for one in entry.recipes if one.endswith(f"/{name}"))]
        for one in names:
            path, selector = project.recipe_at(one)
            if path is not None:
                for variant in project.variants_of(path):
                    if variant.selector == selector or not selector:
                        return variant
        return None

    def _scripts(self, keys: list[str]) -> Iterator[Item]:
        groups: dict[tuple[RepoPath | None, RepoPath], list[Row]] = {}
        wanted = set(keys)
        paths = {self._new[key].path for key in keys if key in self._new}
        for path in sorted(paths):
            for row in self._head.rows_of(path):
                script = self._head.script_of(row) if row.key in wanted else None
                if script is not None:
                    groups.setdefault((self._script_before(row, script), script), []).append(row)
        is_sample = len(groups) > MOST_RUN_WHOLE
        for (old, script), rows in groups.items():
            if old is None:
                names = tuple(dict.fromkeys(row.key for row in rows))
                place = Location(script, Span(1, 1, 1, 1), Side.HEAD)
                yield Item(
                    Kind.SCRIPT,
                    Scope.SCRIPT,
                    script.name,
                    None,
                    "new script",
                    names,
                    places=(place,),
                    is_of_new_key=all(name not in self._old for name in names),
                )
            elif not self._is_same_text(old, script):
                yield from script_changes(
                    self._base, self._head, (old, script), rows, is_sample=is_sample
                )

    def _is_same_text(self, old: RepoPath, new: RepoPath) -> bool:
        if self._base.tree.blob(old) == self._head.tree.blob(new):
            return True
        one, other = self._base.document(old), self._head.document(new)
        if not (isinstance(one, ShellFile) and isinstance(other, ShellFile)):
            # That a script cannot be read is told by another rule.
            return True
        return says_the_same(one, other)

    def _script_before(self, row: Row, script: RepoPath) -> RepoPath | None:
        """Return the script that stood at the base where one stands at the head."""
        key = self.renamed.get(row.key, row.key)
        old_entry = self._old.get(key)
        if old_entry is not None:
            for alike in (True, False):
                for other in self._base.rows_of(old_entry.path):
                    if other.key != key or other.scenario != row.scenario:
                        continue
                    if alike and _decoding(other) != _decoding(row):
                        continue
                    found = self._base.script_of(other)
                    if found is not None:
                        return found
        old = self._old_paths.get(script, script)
        return old if script not in self._added and self._base.tree.is_file(old) else None

    def _recipes(self, keys: list[str]) -> Iterator[Item]:
        groups: dict[RepoPath, dict[str, tuple[str, ...]]] = {}
        for key in keys:
            entry = self._new.get(key)
            for name in entry.recipes if entry else ():
                path, selector = self._head.recipe_at(name)
                if path is not None:
                    selectors = groups.setdefault(path, {})
                    selectors[selector] = tuple(dict.fromkeys((*selectors.get(selector, ()), key)))
        for path, selectors in groups.items():
            old = self._old_paths.get(path, path)
            before = old if path not in self._added and self._base.tree.is_file(old) else None
            if before is None or self._base.tree.blob(before) != self._head.tree.blob(path):
                yield from recipe_changes(self._base, self._head, (before, path), selectors)


def _content(entry: Entry) -> object:
    """Return what an entry asks for, without its name."""
    fields = frozenset((field.route, field.value) for field in entry.fields)
    rows = frozenset(
        (row.scenario, row.lengths, row.topology, row.concurrencies) for row in entry.point_rows
    )
    return fields, rows


def _decoding(row: Row) -> str:
    return row.environment.get("SPEC_DECODING", "none")
