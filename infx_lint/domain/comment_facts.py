"""The values that comments of scripts, master entries and recipes speak of.

A value may lie far from its comment: an entry speaks of the script that its rows start, a script of
the image and the concurrencies of its entries. So facts of all three see each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from infx_lint.claims.facts import WHOLE, Facts, Image, Place, Quantity, Reading, Row, normalised
from infx_lint.domain.entries import Entry, EntryRow
from infx_lint.domain.layout import RECIPE_SETTINGS
from infx_lint.domain.points import Point
from infx_lint.domain.recipe import Variant, inner_values
from infx_lint.domain.script_values import ScriptValues
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project
# Topologies that are looked at before all points are.
_MOST_SAMPLED = 3


class ScriptFacts(Facts):
    """The values that a benchmark script computes for the rows that start it.

    Args:
        project: the tree.
        path: the script.
        key: the config key whose rows count, None for all of them.
        is_sample: whether some points stand for all.
    """

    def __init__(
        self, project: Project, path: RepoPath, key: str | None = None, *, is_sample: bool = False
    ) -> None:
        self._project = project
        self._path = path
        self._key = key
        self._is_sample = is_sample

    @cached_property
    def sample(self) -> ScriptFacts:
        """Return the same at the ends of each row."""
        return ScriptFacts(self._project, self._path, self._key, is_sample=True)

    @cached_property
    def inputs(self) -> Hashable:
        """Return the files that can be run, and what the rows give them."""
        code = self._project.code_of(self._path)
        # Only launchers look at the image.
        unread = () if "image" in code else ("IMAGE",)
        environments = {
            tuple(sorted(item for item in point.environment.items() if item[0] not in unread))
            for point in self._points
        }
        return self._project.files_run_by(self._path), frozenset(environments)

    @cached_property
    def _entries(self) -> tuple[Entry, ...]:
        entries = self._project.entries_starting(self._path)
        return tuple(entry for entry in entries if self._key in {None, entry.name})

    @property
    def images(self) -> tuple[Image, ...]:
        """Return the images of the entries that start the script."""
        return tuple(entry.image for entry in self._entries if entry.image)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows that start the script."""
        rows = self._project.rows_starting(self._path)
        wanted = {(row.path, row.span) for row in rows if self._key in {None, row.key}}
        return tuple(
            found.row
            for entry in self._entries
            for found in entry.rows
            if (entry.path, found.row.place.span) in wanted
        )

    @cached_property
    def _points(self) -> tuple[Point, ...]:
        rows = self._project.rows_starting(self._path)
        found = [point for row in rows if self._key in {None, row.key} for point in row.points()]
        if self._is_sample:
            found = list(_ends(found))
        return tuple({tuple(sorted(point.environment.items())): point for point in found}.values())

    @cached_property
    def _values(self) -> ScriptValues:
        return self._project.script_values(self._path, self._points)

    @property
    def points(self) -> tuple[str, ...]:
        """Return the points that a server is started at."""
        return self._values.points

    @property
    def knows_all_names(self) -> bool:
        """Tell whether the script could be run, with everything that it sources."""
        return self._values.is_complete and bool(self.points)

    def may_hold(self, text: str) -> bool:
        """Tell whether a normalised text stands in the script outside of comments."""
        return text in self._project.code_of(self._path)

    def mentions(self, name: str) -> bool:
        """Tell whether a name stands in the script or in what it sources, outside of comments."""
        paths = (self._path, *self._values.sourced)
        return any(normalised(name) in self._project.code_of(path) for path in paths)

    def read_quantities(self) -> Iterator[Quantity]:
        """Yield the flags and variables of every server at every point."""
        yield from self._values.quantities


class RecipeFacts(Facts):
    """The values of a recipe, or of some variants of a bundle."""

    def __init__(self, project: Project, path: RepoPath, variants: tuple[Variant, ...]) -> None:
        self._project = project
        self._path = path
        self._variants = variants

    @cached_property
    def _rows_naming(self) -> tuple[tuple[Entry, EntryRow], ...]:
        return tuple(
            (entry, row)
            for entry, selector, row in self._project.rows_naming(self._path)
            if not selector or selector in {variant.selector for variant in self._variants}
        )

    @cached_property
    def images(self) -> tuple[Image, ...]:
        """Return the container of the recipe, and the images of the entries that name it."""
        found = []
        for variant in self._variants:
            for route in (("model", "container"), ("identity", "container", "image")):
                leaf = variant.get(*route)
                if leaf is not None and ":" in leaf.value:
                    found.append(Image(leaf.value, Place(self._path, leaf.span)))
        if not found:
            found = [entry.image for entry, _ in self._rows_naming if entry.image]
        return tuple(dict.fromkeys(found))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return each variant as a row; concurrencies are those of the config where it has none."""
        bound = [value for _, row in self._rows_naming for value in row.row.concurrencies]
        found = []
        for variant in self._variants:
            place = next(
                (leaf for leaf in variant.leaves if leaf.route[0] in {"resources", "roles"}), None
            )
            if place is None:
                continue
            concurrencies = variant.concurrencies or tuple(dict.fromkeys(bound))
            at = Place(self._path, place.span)
            found.append(Row(variant.sides, concurrencies, at, variant.selector))
        return tuple(found)

    @property
    def inputs(self) -> Hashable:
        """Return the recipe's blob."""
        return self._path, self._project.tree.blob(self._path)

    def read_quantities(self) -> Iterator[Quantity]:
        """Yield every value by the last key that leads to it."""
        readings: dict[str, list[Reading]] = {}
        for variant in self._variants:
            for leaf in variant.leaves:
                name = leaf.route[-1] if leaf.route[-1:] != ("[]",) else ""
                roles = [key for key in leaf.route[:-1] if key in {"prefill", "decode", "agg"}]
                point = (
                    " ".join([*([variant.selector] if variant.selector else []), *roles])
                    or "recipe"
                )
                place = Place(self._path, leaf.span)
                for key, value in ((name, leaf.value), *inner_values(leaf.value)):
                    if key:
                        readings.setdefault(key, []).append(Reading(point, value, place))
        for name, found in readings.items():
            yield Quantity(name, tuple(found))

    @property
    def knows_all_names(self) -> bool:
        """Tell whether a name that is not here has no value: recipes are complete."""
        return True


class EntryFacts(Facts):
    """The values of an entry, of the script that its rows start, and of the recipes they name.

    Args:
        project: the tree.
        entry: the entry.
        rows: the rows that the comment speaks of.
    """

    def __init__(
        self,
        project: Project,
        entry: Entry,
        rows: tuple[EntryRow, ...],
        *,
        is_sample: bool = False,
    ) -> None:
        self._project = project
        self._entry = entry
        self._rows = rows
        self._is_sample = is_sample

    @cached_property
    def sample(self) -> EntryFacts:
        """Return the same with the scripts at the ends of each row."""
        return EntryFacts(self._project, self._entry, self._rows, is_sample=True)

    @cached_property
    def inputs(self) -> Hashable:
        """Return what entry and rows say, and what scripts and recipes are computed from."""
        written = (*self._entry.settings, *(one for row in self._rows for one in row.settings))
        settings = tuple((setting.name, setting.value) for setting in written)
        return settings, tuple(part.inputs for part in self.parts)

    @property
    def images(self) -> tuple[Image, ...]:
        """Return the image of the entry."""
        return (self._entry.image,) if self._entry.image else ()

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Return the rows that the comment speaks of, with the nodes that their recipes name."""
        return tuple(self._with_nodes(row) for row in self._rows)

    def _with_nodes(self, row: EntryRow) -> Row:
        sides = row.row.sides
        if all(side.nodes is not None or side.kind == WHOLE for side in sides):
            return row.row
        for setting in row.settings:
            path, selector = (
                self._project.recipe_at(setting.value)
                if setting.name in RECIPE_SETTINGS
                else (None, "")
            )
            for variant in self._project.variants_of(path) if path else ():
                if selector in {"", variant.selector}:
                    nodes = {side.kind: side.nodes for side in variant.sides}
                    return row.row._replace(
                        sides=tuple(side._replace(nodes=nodes.get(side.kind)) for side in sides)
                    )
        return row.row

    @cached_property
    def _scripts(self) -> tuple[ScriptFacts, ...]:
        spans = {row.row.place.span for row in self._rows}
        paths = {
            script
            for row in self._project.rows_of(self._entry.path)
            if row.key == self._entry.name and row.span in spans
            for script in (self._project.script_of(row),)
            if script is not None
        }
        return tuple(
            ScriptFacts(self._project, path, self._entry.name, is_sample=self._is_sample)
            for path in sorted(paths)
        )

    @cached_property
    def _recipes(self) -> tuple[RecipeFacts, ...]:
        found = []
        for name in self._entry.recipes:
            path, selector = self._project.recipe_at(name)
            variants = self._project.variants_of(path) if path else ()
            chosen = tuple(one for one in variants if selector in {"", one.selector})
            if path and chosen:
                found.append(RecipeFacts(self._project, path, chosen))
        return tuple(found)

    def read_quantities(self) -> Iterator[Quantity]:
        """Yield the settings of entry and rows, then what script and recipes hold."""
        readings: dict[str, list[Reading]] = {}
        for row in self._rows:
            point = f"row {row.row.place.span.line}"
            for setting in row.settings:
                place = Place(self._entry.path, setting.span)
                reading = Reading(point, setting.value, place)
                readings.setdefault(setting.name, []).append(reading)
        for setting in self._entry.settings:
            place = Place(self._entry.path, setting.span)
            readings.setdefault(setting.name, []).append(Reading("entry", setting.value, place))
        for name, found in readings.items():
            yield Quantity(name, tuple(found))

    @property
    def parts(self) -> tuple[Facts, ...]:
        """Return the script that the rows start, and the recipes that they name."""
        return (*self._scripts, *self._recipes)

    @property
    def points(self) -> tuple[str, ...]:
        """Return the points of the scripts."""
        return tuple(point for facts in self._scripts for point in facts.points)

    @property
    def knows_all_names(self) -> bool:
        """Tell whether there is a script, and it could be run."""
        return bool(self._scripts) and all(facts.knows_all_names for facts in self._scripts)

    def mentions(self, name: str) -> bool:
        """Tell whether a name stands in the code of the scripts."""
        return any(facts.mentions(name) for facts in self._scripts)


def _ends(points: list[Point]) -> Iterator[Point]:
    """Yield the lowest and the highest concurrency of each topology, for a few of them."""
    by_topology: dict[frozenset[tuple[str, str]], list[Point]] = {}
    for point in points:
        others = frozenset(item for item in point.environment.items() if item[0] != "CONC")
        by_topology.setdefault(others, []).append(point)
    for found in list(by_topology.values())[:_MOST_SAMPLED]:
        found.sort(key=lambda point: int(point.environment["CONC"]))
        yield found[0]
        if len(found) > 1:
            yield found[-1]
