"""What a change did to an entry of a master config: fields, scenarios, points."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from infx_lint.domain.entries import Entry
from infx_lint.domain.entry_points import FieldValue, PointRow, topology_label
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.items import Item, Kind, Scope

_KINDS = {"image": Kind.IMAGE, "model": Kind.MODEL, "runner": Kind.RUNNER}
# Names of what is measured, and what a launcher is chosen by.
_MEASURED = frozenset(
    {"image", "model", "model-prefix", "precision", "framework", "multinode", "disagg"}
)
_EXEMPT_REMOVAL = "removal"
_EXEMPT_RUNNER = "runner pool"
_EXEMPT_METADATA = "metadata"

_DEGREES = frozenset({"tp", "pp", "dp-attn"})
_MOST_EDITED = 3

_Topology = tuple[tuple[str, str], ...]


def config_changes(before: Entry | None, after: Entry | None) -> Iterator[Item]:
    """Yield the atomic changes of an entry; its name may differ between both sides.

    Args:
        before: the entry at the base, None where it came with the change.
        after: the entry at the head, None where it is gone.
    """
    if after is None:
        if before is not None:
            yield Item(
                Kind.KEY,
                Scope.CONFIG,
                before.name,
                "defined",
                None,
                (before.name,),
                exempt=_EXEMPT_REMOVAL,
            )
        return
    maker = _Maker(before, after)
    yield from maker.fields()
    yield from maker.scenarios()
    yield from maker.points()


class _Maker:
    def __init__(self, before: Entry | None, after: Entry) -> None:
        self._before = before
        self._after = after
        self._rows_before = before.point_rows if before else ()

    def _item(
        self,
        kind: Kind,
        what: str,
        values: tuple[str | None, str | None],
        spans: tuple[Span | None, Span | None],
        exempt: str = "",
    ) -> Item:
        places = []
        if spans[1] is not None:
            places.append(Location(self._after.path, spans[1], Side.HEAD))
        if spans[0] is not None and self._before is not None:
            places.append(Location(self._before.path, spans[0], Side.BASE))
        return Item(
            kind,
            Scope.CONFIG,
            what,
            *values,
            keys=(self._after.name,),
            exempt=exempt,
            places=tuple(places),
            is_of_new_key=self._before is None,
        )

    def fields(self) -> Iterator[Item]:
        """Yield the fields outside of rows that differ."""
        old = _by_route(self._before.fields if self._before else ())
        new = _by_route(self._after.fields)
        for route in dict.fromkeys((*new, *old)):
            one, other = old.get(route), new.get(route)
            before, after = one and one.value, other and other.value
            # Of a new key what it is called by says nothing that its name does not.
            if before == after or (self._before is None and route not in _KINDS):
                continue
            kind = _KINDS.get(route, Kind.FIELD)
            exempt = "" if route in _MEASURED else _EXEMPT_METADATA
            if kind is Kind.RUNNER:
                exempt = _EXEMPT_RUNNER
            spans = (one.span if one else None, other.span if other else None)
            yield self._item(kind, route, (before, after), spans, exempt)

    def scenarios(self) -> Iterator[Item]:
        """Yield the scenarios that came or went."""
        old = {row.scenario: row for row in reversed(self._rows_before)}
        new = {row.scenario: row for row in reversed(self._after.point_rows)}
        for name, row in new.items():
            if name not in old:
                lengths = _lengths(self._after.point_rows, name)
                yield self._item(Kind.SCENARIO, name, (None, lengths or "added"), (None, row.span))
        for name, row in old.items():
            if name not in new:
                yield self._item(
                    Kind.SCENARIO, name, ("defined", None), (row.span, None), _EXEMPT_REMOVAL
                )

    def points(self) -> Iterator[Item]:
        """Yield the rows whose concurrencies differ, and those that came, went or were edited."""
        old, new = _by_topology(self._rows_before), _by_topology(self._after.point_rows)
        scenarios = {row.scenario for row in self._after.point_rows}
        gone = {key: rows for key, rows in old.items() if key not in new}
        come = {key: rows for key, rows in new.items() if key not in old}
        for key, rows in new.items():
            if key in old and _concurrencies(rows) != _concurrencies(old[key]):
                yield self._points(old[key], rows)
        edited: dict[_RowKey, _RowKey] = {}
        for key, rows in come.items():
            twin = _edited_from(key, rows, _without(gone, edited.values()))
            if twin is not None:
                edited[key] = twin
                yield from self._edited(gone[twin], rows)
            else:
                yield self._points((), rows)
        for key, rows in gone.items():
            if key not in edited.values() and rows[0].scenario in scenarios:
                yield self._points(rows, ())

    def _points(self, old: tuple[PointRow, ...], new: tuple[PointRow, ...]) -> Item:
        row = (new or old)[0]
        before, after = _concurrencies(old), _concurrencies(new)
        is_removal = bool(old) and set(after) <= set(before)
        spans = (old[0].span if old else None, new[0].span if new else None)
        return self._item(
            Kind.POINTS,
            f"{row.place} {row.label}",
            (_listed(before) if old else None, _listed(after) if new else None),
            spans,
            _EXEMPT_REMOVAL if is_removal else "",
        )

    def _edited(self, old: tuple[PointRow, ...], new: tuple[PointRow, ...]) -> Iterator[Item]:
        before, after = dict(old[0].topology), dict(new[0].topology)
        label = topology_label(before)
        for route in dict.fromkeys((*after, *before)):
            if before.get(route) != after.get(route):
                yield self._item(
                    Kind.FIELD,
                    f"{route} at {new[0].place} {label}",
                    (before.get(route), after.get(route)),
                    (old[0].span, new[0].span),
                )._replace(names=(route.rpartition(".")[2],))
        if _concurrencies(old) != _concurrencies(new):
            yield self._points(old, new)


def _without(
    rows: Mapping[_RowKey, tuple[PointRow, ...]], used: Collection[_RowKey]
) -> dict[_RowKey, tuple[PointRow, ...]]:
    return {key: value for key, value in rows.items() if key not in used}


def _by_route(fields: Iterable[FieldValue]) -> dict[str, FieldValue]:
    return {field.route: field for field in fields}


_RowKey = tuple[str, str, _Topology]


def _by_topology(rows: Iterable[PointRow]) -> dict[_RowKey, tuple[PointRow, ...]]:
    found: dict[_RowKey, tuple[PointRow, ...]] = {}
    for row in rows:
        key = (row.scenario, row.lengths, row.topology)
        found[key] = (*found.get(key, ()), row)
    return found


def _edited_from(
    key: _RowKey, rows: tuple[PointRow, ...], gone: Mapping[_RowKey, tuple[PointRow, ...]]
) -> _RowKey | None:
    """Return the row that one was made from: the nearest that is gone, if little differs."""
    new = dict(key[2])
    nearest: tuple[int, int, _RowKey] | None = None
    for other, old_rows in gone.items():
        if other[:2] != key[:2]:
            continue
        old = dict(other[2])
        routes = {route for route in {*old, *new} if old.get(route) != new.get(route)}
        # Another degree is another topology: its points are new ones.
        if any(route in _DEGREES for route in routes):
            continue
        if len(routes) > 1 and not (
            len(routes) <= _MOST_EDITED and _concurrencies(old_rows) == _concurrencies(rows)
        ):
            continue
        shared = len(set(_concurrencies(old_rows)) & set(_concurrencies(rows)))
        candidate = (len(routes), -shared, other)
        if nearest is None or candidate[:2] < nearest[:2]:
            nearest = candidate
    return nearest[2] if nearest else None


def _concurrencies(rows: tuple[PointRow, ...]) -> list[int]:
    return sorted({number for row in rows for number in row.concurrencies})


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers)) or "its own"


def _lengths(rows: tuple[PointRow, ...], scenario: str) -> str:
    return ", ".join(
        dict.fromkeys(row.lengths for row in rows if row.scenario == scenario and row.lengths)
    )
