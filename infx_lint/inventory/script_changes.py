"""What a change did to a benchmark script, as the runs of the head's rows show it.

Both versions are run at the same points, so a change of the rows is none of the script, and text
that starts the same commands is no change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from infx_lint.domain.points import Point, Row
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.items import Item, Kind, Scope
from infx_lint.paths import RepoPath

if TYPE_CHECKING:
    from infx_lint.domain.project import Project
    from infx_lint.domain.script_effects import EffectKey, Effects, Reading

_CONDITIONS = ("DP_ATTENTION", "SPEC_DECODING", "KV_OFFLOADING", "ISL", "OSL", "TP", "EP_SIZE")
_FEW, _MOST_VALUES, _MOST_PLACES = 2, 5, 4
_PACKAGES = re.compile(r"(?:pip3?|python3? -m pip|uv pip|apt(?:-get)?|npm) ")


class _Effect(NamedTuple):
    """How one effect differs: the points, and what it is at each before and after."""

    key: EffectKey
    points: tuple[int, ...]
    before: tuple[tuple[Reading, ...], ...]
    after: tuple[tuple[Reading, ...], ...]


def script_changes(
    base: Project,
    head: Project,
    paths: tuple[RepoPath, RepoPath],
    rows: Iterable[Row],
    *,
    is_sample: bool = False,
) -> Iterator[Item]:
    """Yield the atomic changes of a benchmark script.

    Args:
        base: the tree before.
        head: the tree after.
        paths: where the script lies at the base and at the head.
        rows: the rows of the head that start it; their keys are those of the items.
        is_sample: whether the ends of each row stand for its concurrencies.
    """
    points, keys = _points(head, paths[1], rows, is_sample=is_sample)
    if not points:
        return
    old = base.script_effects(paths[0], points)
    new = head.script_effects(paths[1], points)
    if not (old.points and new.points):
        return
    differences = list(_differences(old, new))
    yield from _paired(_item(one, paths[1], points, keys) for one in _joined(differences))


def _points(
    head: Project, path: RepoPath, rows: Iterable[Row], *, is_sample: bool
) -> tuple[tuple[Point, ...], tuple[tuple[str, ...], ...]]:
    """Return the points that differ in what the script sees, and the keys of each."""
    reads_image = "image" in head.code_of(path)
    points: dict[tuple[tuple[str, str], ...], Point] = {}
    keys: dict[tuple[tuple[str, str], ...], dict[str, None]] = {}
    for row in rows:
        all_points = list(row.points())
        for point in (all_points[0], all_points[-1]) if is_sample else all_points:
            environment = dict(point.environment)
            if not reads_image:
                environment.pop("IMAGE", None)
            identity = tuple(sorted(environment.items()))
            points.setdefault(identity, Point(row, environment))
            keys.setdefault(identity, {})[row.key] = None
    return tuple(points.values()), tuple(tuple(names) for names in keys.values())


def _differences(old: Effects, new: Effects) -> Iterator[_Effect]:
    count = min(len(old.points), len(new.points))
    for key in dict.fromkeys((*new.readings, *old.readings)):
        one, other = old.readings.get(key, {}), new.readings.get(key, {})
        points = tuple(
            index for index in range(count) if _values(one, index) != _values(other, index)
        )
        if points:
            yield _Effect(
                key,
                points,
                tuple(one.get(index, ()) for index in points),
                tuple(other.get(index, ()) for index in points),
            )


def _values(readings: Mapping[int, tuple[Reading, ...]], index: int) -> set[str]:
    return {reading.value for reading in readings.get(index, ())}


def _joined(effects: list[_Effect]) -> Iterator[tuple[_Effect, tuple[str, ...]]]:
    """Yield effects with other names; a variable that passes an option on is the option's name."""
    options: dict[tuple[object, ...], list[_Effect]] = {}
    for effect in effects:
        for name in _through(effect):
            if effect.key.name != name:
                options.setdefault((name, effect.points), []).append(effect)
    dropped = set()
    for effect in effects:
        if effect.key.kind == "environment" and (effect.key.name, effect.points) in options:
            dropped.add(effect.key)
    seen: set[tuple[object, ...]] = set()
    for effect in effects:
        if effect.key in dropped:
            continue
        names = _through(effect)
        group = [
            one
            for name in names
            for one in options.get((name, effect.points), ())
            if one.before == effect.before and one.after == effect.after
        ]
        identity = (tuple(sorted(names)), effect.points, effect.before, effect.after)
        if names and effect.key.name not in names and identity in seen:
            continue
        seen.add(identity)
        yield effect, tuple(dict.fromkeys((*names, *(one.key.name for one in group))))


def _through(effect: _Effect) -> dict[str, None]:
    return {
        reading.through: None
        for readings in (*effect.before, *effect.after)
        for reading in readings
        if reading.through
    }


def _item(
    joined: tuple[_Effect, tuple[str, ...]],
    path: RepoPath,
    points: tuple[Point, ...],
    keys: tuple[tuple[str, ...], ...],
) -> Item:
    effect, names = joined
    before, after = _summary(effect.before), _summary(effect.after)
    places = [*_places(effect.after, Side.HEAD), *_places(effect.before, Side.BASE)]
    places = places or [Location(path, Span(1, 1, 1, 1), Side.HEAD)]
    what = effect.key.name
    if effect.key.kind == "flag" and effect.key.command != "server":
        what = f"{what} of {effect.key.command}"
    where = _condition(effect.points, points)
    kind = Kind(effect.key.kind)
    return Item(
        kind,
        Scope.SCRIPT,
        f"{what} ({where})" if where else what,
        before,
        after,
        tuple(dict.fromkeys(key for index in effect.points for key in keys[index])),
        tuple(dict.fromkeys((effect.key.name, *names))),
        "guard" if kind is Kind.GUARD else "",
        tuple(dict.fromkeys(places))[:_MOST_PLACES],
    )


def _summary(values: tuple[tuple[Reading, ...], ...]) -> str | None:
    texts = [" | ".join(dict.fromkeys(one.value for one in readings)) for readings in values]
    known = list(dict.fromkeys(text for text in texts if text))
    if not known:
        return None
    if len(known) > _FEW and all(text.isdecimal() for text in known):
        numbers = sorted(map(int, known))
        return f"{numbers[0]} to {numbers[-1]}"
    shown = ", ".join(known[:_MOST_VALUES]) + (", …" if len(known) > _MOST_VALUES else "")
    return f"{shown} or not given" if not all(texts) else shown


def _places(values: tuple[tuple[Reading, ...], ...], side: Side) -> Iterator[Location]:
    for readings in values:
        for reading in readings:
            if reading.place:
                yield Location(*reading.place, side)


def _condition(changed: tuple[int, ...], points: tuple[Point, ...]) -> str:
    """Return what the points that changed have in common and the others have not."""
    if len(changed) == len(points):
        return ""
    inside = [points[index].environment for index in changed]
    outside = [point.environment for index, point in enumerate(points) if index not in changed]
    for name in _CONDITIONS:
        values = {environment.get(name) for environment in inside}
        if len(values) == 1 and not values & {environment.get(name) for environment in outside}:
            return f"{name}={values.pop()}"
    return ""


def _paired(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items with a command that went and one like it that came as one change."""
    found = list(items)
    gone = [item for item in found if item.kind is Kind.COMMAND and item.after is None]
    used: list[Item] = []
    pairs: dict[int, Item] = {}
    for index, item in enumerate(found):
        if item.kind is not Kind.COMMAND or item.before is not None:
            continue
        twin = next(
            (one for one in gone if one not in used and _stem(one.what) == _stem(item.what)), None
        )
        if twin is not None:
            used.append(twin)
            pairs[index] = item._replace(
                what=_stem(item.what),
                before=_rest(twin.what),
                after=_rest(item.what),
                names=tuple(dict.fromkeys((*item.names, *twin.names))),
                places=(*item.places, *twin.places),
            )
    for index, item in enumerate(found):
        if item not in used:
            yield pairs.get(index, item)


def _stem(command: str) -> str:
    words = command.split(" ")
    return " ".join(words[:2] if _PACKAGES.match(command) else words[:1])


def _rest(command: str) -> str:
    return command[len(_stem(command)) :].strip() or "runs"
