"""Points: the runs that config rows give a benchmark script, and the environment of each.

A row of a search space is a topology with its concurrencies. The matrix generator of the linted
repository (`utils/matrix_logic/generate_sweep_configs.py`) makes a run of each; the workflow
(`.github/workflows/benchmark-tmpl.yml`) hands it over as environment variables; the launcher picks
the script by its name. What the workflow or the node alone decides is left out: unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import MappingNode, Node, ScalarNode, SequenceNode, lookup
from infx_lint.documents.yaml_value import NotConstructibleError, value_of
from infx_lint.finding import Span
from infx_lint.paths import RepoPath

FIXED, AGENTIC = "fixed-seq-len", "agentic-coding"
# Layout A has the fixed lengths directly below the key.
_OLD_FIXED = "seq-len-configs"
MOST_POINTS = 64
_CONTEXT = re.compile(r"\bisl \+ osl \+ (\d{1,6})\b")


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

    def points(self) -> Iterator[Point]:
        """Yield a point for each concurrency."""
        for concurrency in self.concurrencies:
            yield Point(self, {**self.environment, "CONC": str(concurrency)})


class Point(NamedTuple):
    """One benchmark run."""

    row: Row
    environment: Mapping[str, str]


def rows_of(file: YamlFile) -> list[list[Any]]:
    """Return the rows of a master config as lists that JSON holds; `row_from` reads them back.

    What has another shape than a row gives none: the schema has its own rule.
    """
    root = file.root
    if not isinstance(root, MappingNode):
        return []
    found: list[list[Any]] = []
    for key, entry in root.value:
        if isinstance(key, ScalarNode) and isinstance(entry, MappingNode):
            found += _rows_of_key(file, str(key.value), entry)
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
    lengths = (environment.get("ISL", ""), environment.get("OSL", ""))
    if margin is not None and all(length.isdigit() for length in lengths):
        context = sum(map(int, lengths)) + margin
        environment = {**environment, "MAX_MODEL_LEN": str(context)}
    return Row(key, scenario, path, Span(*span), tuple(scripts), environment, tuple(concurrencies))


def _rows_of_key(file: YamlFile, key: str, entry: MappingNode) -> Iterator[list[Any]]:
    if _value(entry, "multinode") is True:
        return
    fields = {
        name: _value(entry, name)
        for name in ("image", "model", "model-prefix", "precision", "framework", "runner")
    }
    if not all(isinstance(fields[name], str) for name in ("model-prefix", "precision", "runner")):
        return
    scenarios = lookup(entry, "scenarios")
    for scenario, config in (
        *((FIXED, config) for config in _items(lookup(entry, _OLD_FIXED))),
        *((FIXED, config) for config in _items(lookup(scenarios, FIXED))),
        *((AGENTIC, config) for config in _items(lookup(scenarios, AGENTIC))),
    ):
        shared = _shared(fields, scenario, config)
        for row in _items(lookup(config, "search-space")):
            values = _mapping(row)
            concurrencies = _concurrencies(values)
            if not concurrencies:
                continue
            mtp = values.get("spec-decoding") == "mtp"
            yield [
                key,
                scenario,
                list(file.span(row)),
                _script_names(fields, mtp=mtp),
                {**shared, **_topology(values, scenario)},
                concurrencies,
            ]


def _items(node: Node | None) -> list[Node]:
    return list(node.value) if isinstance(node, SequenceNode) else []


def _value(node: Node | None, key: str) -> Any:  # noqa: ANN401 - YAML holds anything
    try:
        return value_of(lookup(node, key))
    except NotConstructibleError:
        return None


def _mapping(node: Node) -> dict[str, Any]:
    try:
        value = value_of(node)
    except NotConstructibleError:
        return {}
    return value if isinstance(value, dict) else {}


def _script_names(fields: Mapping[str, Any], *, mtp: bool) -> list[str]:
    """Return the names that the launchers try: with the framework, then the older form."""
    gpu = str(fields["runner"]).removeprefix("cluster:").partition("-")[0]
    start = f"{fields['model-prefix']}_{fields['precision']}_{gpu}"
    end = "_mtp.sh" if mtp else ".sh"
    engine = "_trt" if fields["framework"] == "trt" else ""
    return [f"{start}_{fields['framework']}{end}", f"{start}{engine}{end}"]


def _shared(fields: Mapping[str, Any], scenario: str, config: Node) -> dict[str, str]:
    """Return the variables that a scenario gives all of its runs."""
    agentic = scenario == AGENTIC
    given = {
        "IMAGE": fields["image"],
        "MODEL": fields["model"],
        "MODEL_PREFIX": fields["model-prefix"],
        "PRECISION": fields["precision"],
        "FRAMEWORK": fields["framework"],
        "SCENARIO_TYPE": scenario,
        "SCENARIO_SUBDIR": "agentic/" if agentic else "fixed_seq_len/",
        "IS_AGENTIC": "1" if agentic else "0",
    }
    if not agentic:
        given["ISL"], given["OSL"] = _value(config, "isl"), _value(config, "osl")
    return {name: _as_bash(value) for name, value in given.items() if value is not None}


def _topology(values: Mapping[str, Any], scenario: str) -> dict[str, str]:
    given = {
        "TP": values.get("tp"),
        "EP_SIZE": values.get("ep", 1),
        "PP_SIZE": values.get("pp", 1),
        "DCP_SIZE": values.get("dcp-size", 1),
        "PCP_SIZE": values.get("pcp-size", 1),
        "DP_ATTENTION": values.get("dp-attn", False),
        "SPEC_DECODING": values.get("spec-decoding", "none"),
    }
    if scenario == AGENTIC:
        offloading = values.get("kv-offloading", values.get("offloading", "none"))
        backend = values.get("kv-offload-backend")
        given["KV_OFFLOADING"] = offloading
        # Scripts of June 2026 read it by this name.
        given["OFFLOADING"] = offloading
        given["KV_OFFLOAD_BACKEND"] = backend.get("name") if isinstance(backend, dict) else backend
        if given["KV_OFFLOAD_BACKEND"] is None:
            given["KV_OFFLOAD_BACKEND"] = ""
    return {name: _as_bash(value) for name, value in given.items() if value is not None}


def _as_bash(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _concurrencies(values: Mapping[str, Any]) -> list[int]:
    """Return a list as it stands, or a start that is doubled up to an end, which is included."""
    listed = values.get("conc-list")
    if isinstance(listed, list):
        return [item for item in map(_count, listed) if item][:MOST_POINTS]
    start, end = _count(values.get("conc-start")), _count(values.get("conc-end"))
    if not start or not end:
        return []
    found: list[int] = []
    concurrency = start
    while concurrency < end and len(found) < MOST_POINTS:
        found.append(concurrency)
        concurrency *= 2
    return [*found, end] if start <= end else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
