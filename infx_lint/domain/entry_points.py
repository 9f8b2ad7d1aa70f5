"""What an entry of a master config asks for: its fields, and rows of topology and concurrencies.

Rows are compared by what they mean. A field that holds what the schema takes for it where it is
missing says nothing, and a range of concurrencies is the list that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import MappingNode, Node, ScalarNode, SequenceNode, lookup
from infx_lint.domain.points import AGENTIC, FIXED, OLD_FIXED, doubled
from infx_lint.finding import Span

_SCENARIOS = {OLD_FIXED: FIXED, FIXED: FIXED, AGENTIC: AGENTIC}
_CONCURRENCIES = frozenset({"conc-list", "conc-start", "conc-end"})
_LENGTHS = frozenset({"isl", "osl"})
_SPACE = "search-space"
# `SearchSpaceEntry` and its kin in the schema of the linted repository.
_DEFAULTS: Mapping[str, frozenset[str]] = {
    "ep": frozenset({"1"}),
    "pp": frozenset({"1"}),
    "pcp-size": frozenset({"1"}),
    "dcp-size": frozenset({"1"}),
    "dp-attn": frozenset({"false"}),
    "spec-decoding": frozenset({"none"}),
    "kv-offloading": frozenset({"none"}),
    "offloading": frozenset({"none"}),
    "multinode": frozenset({"false"}),
    "disagg": frozenset({"false"}),
}
_TRUE, _FALSE = frozenset({"true", "yes", "on"}), frozenset({"false", "no", "off"})
# Aliases multiply, so the walk is bounded. A real entry has 120 rows and a row 30 fields at most.
MOST_ROWS = 2_000
MOST_FIELDS = 400
_MOST_DIGITS = 9


class FieldValue(NamedTuple):
    """A field of an entry: the keys that lead to it with dots between, and where it stands."""

    route: str
    value: str
    span: Span


class PointRow(NamedTuple):
    """A row of a search space.

    Attributes:
        scenario: `fixed-seq-len` or `agentic-coding`.
        lengths: `1024/8192`, empty where the scenario has none.
        topology: all fields but the concurrencies, sorted, without defaults.
        concurrencies: ascending.
    """

    scenario: str
    lengths: str
    topology: tuple[tuple[str, str], ...]
    concurrencies: tuple[int, ...]
    span: Span

    @property
    def place(self) -> str:
        """Return `1024/8192`, or the scenario where there are no lengths."""
        return self.lengths or self.scenario

    @property
    def label(self) -> str:
        """Return the topology in short: `tp8 ep8 dp-attn`."""
        return topology_label(dict(self.topology))


def topology_label(fields: Mapping[str, str]) -> str:
    """Return a topology in short: `tp8 ep8 dp-attn`, `prefill 2xtp8, decode 1xtp16`."""
    sides = [
        (f"{side} " if side else "") + _side(fields, f"{side}." if side else "")
        for side in ("", "prefill", "decode")
        if any(route.startswith(f"{side}.") if side else "." not in route for route in fields)
    ]
    recipe = next(
        (fields[name] for name in fields if name.endswith(("CONFIG_FILE", "srt-recipe"))), ""
    )
    if recipe:
        sides.append(recipe.rpartition("/")[2].removesuffix(".yaml"))
    return ", ".join(side for side in sides if side.strip()) or "row"


def _side(fields: Mapping[str, str], prefix: str) -> str:
    words = []
    workers = fields.get(f"{prefix}num-worker")
    tp = fields.get(f"{prefix}tp")
    if tp:
        words.append(f"{workers}xtp{tp}" if workers else f"tp{tp}")
    words += [
        f"{name.removesuffix('-size')}{fields[prefix + name]}"
        for name in ("ep", "pp", "pcp-size", "dcp-size")
        if f"{prefix}{name}" in fields
    ]
    if fields.get(f"{prefix}dp-attn") == "true":
        words.append("dp-attn")
    if not prefix:
        if "spec-decoding" in fields:
            words.append(fields["spec-decoding"])
        words += [
            f"{route.partition('.')[0]} {value}"
            for route, value in fields.items()
            if route.startswith(("kv-offload", "offloading")) and "version" not in route
        ]
    return " ".join(words)


def fields_of(file: YamlFile, entry: Node) -> list[list[Any]]:
    """Return the fields of an entry that stand outside of rows, as JSON: route, value, span."""
    found = []
    for above, prefix in ((entry, ""), (lookup(entry, "scenarios"), "")):
        for name, node in _pairs(above):
            if name == "scenarios":
                continue
            if name not in _SCENARIOS:
                found += [
                    [route, value, list(file.span(leaf))]
                    for route, value, leaf in islice(_flat(node, prefix + name), MOST_FIELDS)
                    if not _is_default(route, value)
                ]
                continue
            for config in node.value if isinstance(node, SequenceNode) else ():
                found += [
                    [f"{_SCENARIOS[name]}.{route}", value, list(file.span(leaf))]
                    for key, inner in _pairs(config)
                    if key != _SPACE and key not in _LENGTHS
                    for route, value, leaf in islice(_flat(inner, key), MOST_FIELDS)
                ]
    return found


def point_rows_of(file: YamlFile, entry: Node) -> list[list[Any]]:
    """Return the rows of an entry as JSON, in the order of `PointRow`."""
    return list(islice(_point_rows(file, entry), MOST_ROWS))


def _point_rows(file: YamlFile, entry: Node) -> Iterator[list[Any]]:
    for above in (entry, lookup(entry, "scenarios")):
        for name, configs in _pairs(above):
            if name not in _SCENARIOS or not isinstance(configs, SequenceNode):
                continue
            for config in configs.value:
                lengths = (lookup(config, length) for length in ("isl", "osl"))
                label = "/".join(node.value for node in lengths if isinstance(node, ScalarNode))
                space = lookup(config, _SPACE)
                for row in space.value if isinstance(space, SequenceNode) else ():
                    topology = sorted(
                        [route, value]
                        for key, node in _pairs(row)
                        if key not in _CONCURRENCIES
                        for route, value, _ in islice(_flat(node, key), MOST_FIELDS)
                        if not _is_default(route, value)
                    )
                    span = list(file.span(row))
                    yield [_SCENARIOS[name], label, topology, concurrencies_of(row), span]


def field_from(facts: list[Any]) -> FieldValue:
    """Return a field from what `fields_of` wrote down."""
    route, value, span = facts
    return FieldValue(route, value, Span(*span))


def point_row_from(facts: list[Any]) -> PointRow:
    """Return a row from what `point_rows_of` wrote down."""
    scenario, lengths, topology, concurrencies, span = facts
    pairs = tuple((route, value) for route, value in topology)
    return PointRow(scenario, lengths, pairs, tuple(concurrencies), Span(*span))


def concurrencies_of(row: Node) -> list[int]:
    """Return the concurrencies of a row, ascending; none where it names none that are numbers."""
    listed = lookup(row, "conc-list")
    if isinstance(listed, SequenceNode):
        return sorted({number for node in listed.value if (number := _int(node)) is not None})
    start, end = _int(lookup(row, "conc-start")), _int(lookup(row, "conc-end"))
    if start is None or end is None or not 0 < start <= end:
        return []
    return doubled(start, end)


def _flat(node: Node, route: str) -> Iterator[tuple[str, str, Node]]:
    """Yield every scalar at and below a node with the keys that lead to it."""
    pending: list[tuple[str, Node]] = [(route, node)]
    while pending:
        name, value = pending.pop()
        if isinstance(value, MappingNode):
            pending += [(f"{name}.{key}", inner) for key, inner in reversed(_pairs(value))]
        elif isinstance(value, SequenceNode):
            for index, item in reversed(list(enumerate(value.value))):
                # `additional-settings` lists assignments.
                setting, equals, text = (
                    item.value.partition("=") if isinstance(item, ScalarNode) else ("", "", "")
                )
                if equals and setting.isidentifier():
                    yield f"{name}.{setting}", text, item
                else:
                    pending.append((f"{name}[{index}]", item))
        elif isinstance(value, ScalarNode):
            yield name, _plain(value.value), value


def _plain(text: str) -> str:
    lower = text.lower()
    return "true" if lower in _TRUE else "false" if lower in _FALSE else text


def _is_default(route: str, value: str) -> bool:
    return value in _DEFAULTS.get(route.rpartition(".")[2], ())


def _pairs(node: Node | None) -> list[tuple[str, Node]]:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return [(key.value, value) for key, value in pairs if isinstance(key, ScalarNode)]


def _int(node: Node | None) -> int | None:
    text = node.value if isinstance(node, ScalarNode) else ""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
