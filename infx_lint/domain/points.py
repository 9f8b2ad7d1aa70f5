"""Points: the runs that config rows give a benchmark script, and the environment of each.

A row of a search space is a topology with its concurrencies. The matrix generator of the linted
repository (`utils/matrix_logic/generate_sweep_configs.py`) makes a run of each, the workflow
(`.github/workflows/benchmark-tmpl.yml`) hands it over as environment variables, and the launcher
(`runners/launch_*.sh`) picks the script by its name.

What the workflow or the node decides is left out: unknown. So is `MODEL`, which launchers of B200
and B300 replace by the path of the weights on their node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import MERGE_TAG, MappingNode, Node, ScalarNode, SequenceNode
from infx_lint.documents.yaml_value import NotConstructibleError, value_of
from infx_lint.finding import Span
from infx_lint.paths import RepoPath

FIXED, AGENTIC = "fixed-seq-len", "agentic-coding"
# Until 2026-05-01 (#1201) the fixed lengths stood directly below the key.
OLD_FIXED = "seq-len-configs"
# Of the older names. The launcher of MI355X, which alone runs `atom`, tries no name without it.
_ENGINE_SUFFIXES = {"trt": "_trt", "atom": "_atom"}

# Aliases multiply, so the walk is bounded. Real files had 1,208 rows, 11 fields in a mapping and
# 19 concurrencies in a row at most.
MOST_ROWS = 5_000
MOST_FIELDS = 64
MOST_POINTS = 64
_LARGEST = 10**9
_LONGEST = 500

_CONTEXT = re.compile(r"\bisl \+ osl \+ (\d{1,6})\b")
_Fields: TypeAlias = Mapping[str, Node]


class Row(NamedTuple):
    """A row of a search space of a single-node config.

    Attributes:
        key: the config key.
        scenario: `fixed-seq-len` or `agentic-coding`.
        path, span: where the row stands.
        scripts: the names of the script that it starts, the first one that exists counts.
        environment: what all of its runs are given.
        concurrencies: the value of `CONC` in each run.
    """

    key: str
    scenario: str
    path: RepoPath
    span: Span
    scripts: tuple[str, ...]
    environment: Mapping[str, str]
    concurrencies: tuple[int, ...]

    @property
    def is_agentic(self) -> bool:
        """Tell whether the row belongs to the agentic scenario."""
        return self.scenario == AGENTIC

    def points(self) -> Iterator[Point]:
        """Yield a point for each concurrency."""
        for concurrency in self.concurrencies:
            yield Point(self, {**self.environment, "CONC": str(concurrency)})


class Point(NamedTuple):
    """One benchmark run."""

    row: Row
    environment: Mapping[str, str]


class _Search(NamedTuple):
    """A search space: what its key and its scenario say of every row."""

    key: str
    scenario: str
    script: str
    framework: str
    shared: Mapping[str, str | int]
    rows: list[Node]


class _ShapeError(Exception):
    """A value that the schema refuses, which is the business of another rule."""


def rows_of(file: YamlFile) -> list[list[Any]]:
    """Return the rows of a master config as lists that JSON holds; `row_from` reads them back.

    What has another shape than a row gives none.
    """
    found: list[list[Any]] = []
    places = ((search, row) for search in _searches(file.root) for row in search.rows)
    for search, row in islice(places, MOST_ROWS):
        try:
            facts = _facts(search, _fields(row))
        except _ShapeError:
            continue
        found.append([search.key, search.scenario, list(file.span(row)), *facts])
    return found


def context_margin(generator: str) -> int | None:
    """Return the number that the source of the generator adds to the lengths, if it is one."""
    numbers = set(_CONTEXT.findall(generator))
    return int(numbers.pop()) if len(numbers) == 1 else None


def row_from(facts: list[Any], path: RepoPath, margin: int | None = None) -> Row:
    """Return a row from what `rows_of` wrote down.

    Args:
        facts: the row.
        path: the master config that it stands in.
        margin: what `MAX_MODEL_LEN` is beyond both lengths; None where that is not known.
    """
    key, scenario, span, scripts, environment, concurrencies = facts
    if margin is not None and scenario == FIXED:
        context = int(environment["ISL"]) + int(environment["OSL"]) + margin
        environment = {**environment, "MAX_MODEL_LEN": str(context)}
    return Row(key, scenario, path, Span(*span), tuple(scripts), environment, tuple(concurrencies))


def _searches(root: Node | None) -> Iterator[_Search]:
    configs = (
        (key, fields, scenario, config)
        for key, fields in _single_node_keys(root)
        for scenario, config in _configs(fields)
    )
    for key, fields, scenario, config in islice(configs, MOST_ROWS):
        try:
            yield _search(key, fields, scenario, _fields(config))
        except _ShapeError:
            continue


def _single_node_keys(root: Node | None) -> Iterator[tuple[str, _Fields]]:
    pairs = root.value if isinstance(root, MappingNode) else ()
    # Of a key that stands twice loaders keep the last.
    entries = {key.value: entry for key, entry in pairs if isinstance(key, ScalarNode)}
    for key, entry in islice(entries.items(), MOST_ROWS):
        fields = _fields(entry) if len(key) <= _LONGEST else {}
        if not _value(fields.get("multinode")) and not _value(fields.get("disagg")):
            yield key, fields


def _configs(fields: _Fields) -> Iterator[tuple[str, Node]]:
    """Yield the configs of every scenario, each with the name that it stands under."""
    scenarios = _fields(fields.get("scenarios"))
    for above, scenario in ((fields, OLD_FIXED), (scenarios, FIXED), (scenarios, AGENTIC)):
        for config in _items(above.get(scenario)):
            yield scenario, config


def _search(key: str, fields: _Fields, place: str, config: _Fields) -> _Search:
    names = ("model-prefix", "precision", "framework", "runner")
    prefix, precision, framework, runner = (_text(fields.get(name)) for name in names)
    shared: dict[str, str | int] = {
        "IMAGE": _text(fields.get("image")),
        "MODEL_PREFIX": prefix,
        "PRECISION": precision,
        "FRAMEWORK": framework,
    }
    if place == AGENTIC:
        # What `run-sweep.yml` says of them since there are such runs (2026-05-01, #1201).
        shared |= {"ISL": 0, "OSL": 0, "MAX_MODEL_LEN": 0}
    else:
        isl, osl = _number(config.get("isl")), _number(config.get("osl"))
        shared |= {"ISL": isl, "OSL": osl}
    if place != OLD_FIXED:
        shared |= {"SCENARIO_TYPE": place, "IS_AGENTIC": int(place == AGENTIC)}
    # Launchers read the prefix out of `EXP_NAME`, where an underscore follows it.
    gpu = runner.removeprefix("cluster:").partition("-")[0]
    script = f"{prefix.partition('_')[0]}_{precision}_{gpu}"
    scenario = AGENTIC if place == AGENTIC else FIXED
    return _Search(key, scenario, script, framework, shared, _items(config.get("search-space")))


def _facts(search: _Search, row: _Fields) -> tuple[list[str], dict[str, str], list[int]]:
    """Return the names of scripts, the environment and the concurrencies of a row."""
    if "srt-recipe" in row:
        # Since 2026-10 (layout D) such a row starts a recipe.
        raise _ShapeError
    decoding = _text(row.get("spec-decoding"), "none")
    end = "_mtp.sh" if decoding == "mtp" else ".sh"
    older = _ENGINE_SUFFIXES.get(search.framework, "")
    scripts = (f"{search.script}_{search.framework}{end}", f"{search.script}{older}{end}")
    tp, pp, pcp = _number(row.get("tp")), _number(row.get("pp"), 1), _number(row.get("pcp-size"), 1)
    environment = {
        **search.shared,
        "TP": tp,
        "EP_SIZE": _number(row.get("ep"), 1),
        # Scripts from before 2026-07-06 (#2110) read none of these four.
        "PP_SIZE": pp,
        "DCP_SIZE": _number(row.get("dcp-size"), 1),
        "PCP_SIZE": pcp,
        "GPU_COUNT": tp * pp * pcp,
        "DP_ATTENTION": _switch(row.get("dp-attn")),
        "SPEC_DECODING": decoding,
        **(_offloading(row) if search.scenario == AGENTIC else {}),
    }
    texts = {name: str(value) for name, value in environment.items()}
    return list(dict.fromkeys(scripts)), texts, _concurrencies(row)


def _offloading(row: _Fields) -> dict[str, str]:
    """Return where an agentic row keeps the KV cache."""
    place, backend = row.get("kv-offloading"), row.get("kv-offload-backend")
    if place is None:
        # The name until 2026-07-02 (#1970).
        return {"OFFLOADING": _text(row.get("offloading"), "none")}
    # Layout C has lists too, which its generator joins.
    places = _items(place)[:MOST_FIELDS] or [place]
    return {
        "KV_OFFLOADING": "+".join(map(_text, places)),
        "KV_OFFLOAD_BACKEND": _text(_fields(backend).get("name", backend), ""),
    }


def doubled(start: int, end: int) -> list[int]:
    """Return a positive number, doubled as long as it is below an end, and the end."""
    found = []
    while start < end:
        found.append(start)
        start *= 2
    return [*found, end]


def _concurrencies(row: _Fields) -> list[int]:
    """Return a list as it stands, or a start that is doubled up to an end, which is included."""
    listed = _items(row.get("conc-list"))[:MOST_POINTS]
    if listed:
        return [_number(item) for item in listed]
    concurrency, end = _number(row.get("conc-start")), _number(row.get("conc-end"))
    if concurrency > end:
        raise _ShapeError
    return doubled(concurrency, end)


def _fields(node: Node | None) -> _Fields:
    """Return the values of a mapping by their keys; none of a mapping that is merged or huge."""
    if not isinstance(node, MappingNode) or len(node.value) > MOST_FIELDS:
        return {}
    if any(key.tag == MERGE_TAG for key, _ in node.value):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, ScalarNode)}


def _items(node: Node | None) -> list[Node]:
    return node.value if isinstance(node, SequenceNode) else []


def _value(node: Node | None) -> object:
    """Return the value of a scalar, None where there is none, else something that no one wants."""
    if isinstance(node, ScalarNode) and len(node.value) <= _LONGEST:
        try:
            return value_of(node)
        except NotConstructibleError:
            pass
    return node


def _text(node: Node | None, default: str | None = None) -> str:
    value = _value(node)
    value = default if value is None else value
    if not isinstance(value, str):
        raise _ShapeError
    return value


def _number(node: Node | None, default: int | None = None) -> int:
    value = _value(node)
    value = default if value is None else value
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= _LARGEST:
        raise _ShapeError
    return value


def _switch(node: Node | None) -> str:
    value = _value(node)
    if value not in {None, False, True}:
        raise _ShapeError
    return "true" if value else "false"
