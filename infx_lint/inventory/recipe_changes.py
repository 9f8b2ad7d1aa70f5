"""What a change did to a recipe: values at their paths, after base and override are merged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from infx_lint.domain.recipe import Variant
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.items import Item, Kind, Scope
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project

# Names of a run, limits of a job, checks and telemetry move no measured number; where the weights
# lie neither, and what the matrix row binds at launch is the row's business.
_UNMEASURED = re.compile(
    r"(?:name|slurm\..*|sbatch_directives\..*|srun_options\..*|health_check\..*|output.*"
    r"|model\.path|benchmark\.concurrencies.*|(?:.*\.)?(?:telemetry|monitor\w*|profil\w*|power\w*)(?:\..*)?"
    r"|schema|extra_mount.*|container_mounts.*|(?:.*\.)?served-model-name|(?:.*\.)?log[-_]level)",
    re.IGNORECASE,
)

_Values = Mapping[str, tuple[tuple[str, ...], Span]]


def recipe_changes(
    base: Project,
    head: Project,
    paths: tuple[RepoPath | None, RepoPath],
    keys: Mapping[str, tuple[str, ...]],
) -> Iterator[Item]:
    """Yield the atomic changes of a recipe or bundle.

    Args:
        base: the tree before.
        head: the tree after.
        paths: where it lies at the base and at the head; None at the base of a new one.
        keys: for each selector the config keys whose rows name it; empty means the whole file.
    """
    all_keys = tuple(dict.fromkeys(key for names in keys.values() for key in names))
    if not all_keys:
        return
    old_path, path = paths
    if old_path is None:
        place = Location(path, Span(1, 1, 1, 1), Side.HEAD)
        yield Item(
            Kind.RECIPE, Scope.RECIPE, path.name, None, "new recipe", all_keys, places=(place,)
        )
        return
    old = {variant.selector: variant for variant in base.variants_of(old_path)}
    for variant in head.variants_of(path):
        names = tuple(dict.fromkeys((*keys.get("", ()), *_keys_of(variant.selector, keys))))
        if not names:
            continue
        before = old.get(variant.selector)
        if before is None:
            what = f"{path.name}:{variant.selector}"
            place = Location(path, Span(variant.first_line, 1, variant.first_line, 1), Side.HEAD)
            yield Item(Kind.RECIPE, Scope.RECIPE, what, None, "new", names, places=(place,))
            continue
        yield from _differences(before, variant, (old_path, path), names)


def is_same(one: Variant | None, other: Variant | None) -> bool:
    """Tell whether two recipes hold the same values."""
    if one is None or other is None:
        return False
    before, after = _values(one), _values(other)
    return {key: value for key, (value, _) in before.items()} == {
        key: value for key, (value, _) in after.items()
    }


def _keys_of(selector: str, keys: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    block = selector.partition("[")[0]
    return (*keys.get(selector, ()), *(keys.get(block, ()) if block != selector else ()))


def _differences(
    old: Variant, new: Variant, paths: tuple[RepoPath, RepoPath], keys: tuple[str, ...]
) -> Iterator[Item]:
    before, after = _values(old), _values(new)
    for route in dict.fromkeys((*after, *before)):
        one, other = before.get(route), after.get(route)
        if (one and one[0]) == (other and other[0]):
            continue
        places = []
        if other:
            places.append(Location(paths[1], other[1], Side.HEAD))
        if one:
            places.append(Location(paths[0], one[1], Side.BASE))
        yield Item(
            Kind.RECIPE,
            Scope.RECIPE,
            route,
            ", ".join(one[0]) if one else None,
            ", ".join(other[0]) if other else None,
            keys,
            (route.rpartition(".")[2],),
            "unmeasured field" if _UNMEASURED.fullmatch(route) else "",
            tuple(places),
        )


def _values(variant: Variant) -> _Values:
    found: dict[str, tuple[tuple[str, ...], Span]] = {}
    for leaf in variant.leaves:
        route = ".".join(key for key in leaf.route if key != "[]")
        texts = found[route][0] if route in found else ()
        found[route] = ((*texts, leaf.value), found[route][1] if route in found else leaf.span)
    return found
