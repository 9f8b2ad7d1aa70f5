"""Recipes: YAML files that say how a server is started, alone or in variants.

A bundle holds a `base`, and `override_<name>` and `zip_override_<name>` blocks: mappings merge,
lists replace, an empty value removes, a zip block takes one element of its lists for each variant
(`RECIPES.md` of the linted repository). Two schemas exist: workers below `resources` and
`<engine>_config.<role>`, and since 2026-10 (layout D) below `roles.<role>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from infx_lint.claims.facts import DECODE, PREFILL, WHOLE, Side
from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import NULL_TAG, MappingNode, Node, ScalarNode, SequenceNode
from infx_lint.finding import Span

BASE = "base"
_INNER = re.compile(r'"(\w+)"\s*:\s*(?:"([^"]*)"|(-?\d[\d.]*|true|false))\s*(?=[,}])')
_OVERRIDE = re.compile(r"(?:zip_)?override_\w+")
_ZIP = "zip_override_"
_ROLES = {
    "prefill": PREFILL,
    "decode": DECODE,
    "agg": WHOLE,
    "aggregated": WHOLE,
}
_TP = ("tensor-parallel-size", "tp-size", "tp", "tensor_parallel_size")
_EP = ("expert-parallel-size", "ep-size", "ep", "moe_expert_parallel_size")
_DP = ("data-parallel-size", "dp-size", "dp")
_ATTENTION = ("enable-dp-attention", "enable_attention_dp", "dp-attention")
_ALL_EXPERTS = "enable-expert-parallel"
# Files of tens of thousands of leaves are no recipes; real ones have 300 at most for a variant.
MOST_LEAVES = 20_000
MOST_VARIANTS = 200
_DEEPEST = 40
_MOST_DIGITS = 9
_COUNT = re.compile(r"(?<!\d)\d{1,9}(?!\d)")

Merged: TypeAlias = "dict[str, Merged] | Node"


class Leaf(NamedTuple):
    """A scalar of a variant: the keys that lead to it, its text, and where it is written."""

    route: tuple[str, ...]
    value: str
    span: Span


class Variant(NamedTuple):
    """A recipe as it is run.

    Attributes:
        selector: `override_low`, `zip_override_low[0]`, empty where a file is one recipe.
        first_line, last_line: the lines of the file that belong to this variant alone.
        leaves: every value after merging.
    """

    selector: str
    first_line: int
    last_line: int
    leaves: tuple[Leaf, ...]

    def get(self, *route: str) -> Leaf | None:
        """Return the value at a route."""
        return next((leaf for leaf in self.leaves if leaf.route == route), None)

    def named(self, names: tuple[str, ...], role: str) -> Leaf | None:
        """Return the value of the first of several names among what a role is started with."""
        for leaf in self.leaves:
            if leaf.route[-1] in names and any(_ROLES.get(key) == role for key in leaf.route[:-1]):
                return leaf
        return None

    @property
    def sides(self) -> tuple[Side, ...]:
        """Return the workers by their roles."""
        found = (self._side(role, key) for key, role in _ROLES.items() if key != "aggregated")
        return tuple(side for side in found if side is not None)

    @property
    def concurrencies(self) -> tuple[int, ...]:
        """Return the concurrencies that the recipe itself names."""
        texts = [
            leaf.value for leaf in self.leaves if leaf.route[:2] == ("benchmark", "concurrencies")
        ]
        return tuple(
            int(number) for text in texts for number in re.findall(r"(?<!\d)\d{1,9}(?!\d)", text)
        )

    def _side(self, role: str, key: str) -> Side | None:
        workers = self._number("roles", key, "workers") or self._number(
            "resources", f"{key}_workers"
        )
        nodes = self._number("roles", key, "nodes")
        if nodes is None:
            nodes = self._number("resources", f"{key}_nodes")
        if workers is None:
            return None
        gpus = self._number("roles", key, "gpus") or self._number("resources", f"gpus_per_{key}")
        per_node = self._number("resources", "gpus_per_node")
        if gpus is None and nodes and per_node and workers:
            gpus = nodes * per_node // workers
        tp, ep, dp = (_int(self.named(names, role)) for names in (_TP, _EP, _DP))
        attention = self.named(_ATTENTION, role)
        has_attention = _is_true(attention) or (dp or 1) > 1
        if ep is None:
            all_experts = self.named((_ALL_EXPERTS,), role)
            ep = (tp or 1) * (dp or 1) if _is_true(all_experts) else None
        return Side(role, workers, nodes, tp, ep, dp, gpus, has_attention)

    def _number(self, *route: str) -> int | None:
        return _int(self.get(*route))


def is_recipe(file: YamlFile) -> bool:
    """Tell whether a YAML file is a recipe or a bundle of them."""
    root = file.root
    if not isinstance(root, MappingNode):
        return False
    keys = {key.value for key, _ in root.value if isinstance(key, ScalarNode)}
    return bool(keys & {"resources", "roles"}) or (
        BASE in keys and any(_OVERRIDE.fullmatch(key) for key in keys)
    )


def variants_of(file: YamlFile) -> Iterator[Variant]:
    """Yield every recipe that a file holds."""
    root = file.root
    if not isinstance(root, MappingNode) or not is_recipe(file):
        return
    blocks = {key.value: (key, value) for key, value in root.value if isinstance(key, ScalarNode)}
    overrides = [name for name in blocks if _OVERRIDE.fullmatch(name)]
    base = blocks.get(BASE)
    if base is None or not isinstance(base[1], MappingNode):
        yield Variant("", 1, file.text.line_count, tuple(_leaves(file, _merged(root))))
        return
    merged_base = _merged(base[1])
    for name in overrides[:MOST_VARIANTS]:
        key, value = blocks[name]
        first, last = file.span(key).line, file.span(value).end_line
        if not name.startswith(_ZIP):
            merged = _override(merged_base, _merged(value))
            yield Variant(name, first, last, tuple(_leaves(file, merged)))
            continue
        for index in range(min(_zip_length(value), MOST_VARIANTS)):
            merged = _override(merged_base, _zipped(value, index))
            yield Variant(f"{name}[{index}]", first, last, tuple(_leaves(file, merged)))


def inner_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values inside a value that is JSON, `{"num_speculative_tokens": 3}`.

    Of text that is only known in parts, these are the pairs that stand in the known ones.
    """
    if "{" in text or '":' in text:
        for name, string, plain in _INNER.findall(text):
            yield name, string or plain


def _merged(node: Node, depth: int = 0) -> Merged:
    """Return a mapping as a dictionary; of repeated keys the last counts."""
    if not isinstance(node, MappingNode) or depth > _DEEPEST:
        return node
    return {
        key.value: _merged(value, depth + 1)
        for key, value in node.value
        if isinstance(key, ScalarNode)
    }


def _override(base: Merged, above: Merged) -> Merged:
    if not isinstance(base, dict) or not isinstance(above, dict):
        return above
    merged = dict(base)
    for key, value in above.items():
        if isinstance(value, ScalarNode) and value.tag == NULL_TAG:
            merged.pop(key, None)
        else:
            merged[key] = _override(merged[key], value) if key in merged else value
    return merged


def _zip_length(node: Node) -> int:
    lengths = [len(item.value) for item in _lists(node)]
    return max(lengths, default=1)


def _lists(node: Node, depth: int = 0) -> Iterator[SequenceNode]:
    if isinstance(node, SequenceNode):
        yield node
    elif isinstance(node, MappingNode) and depth <= _DEEPEST:
        for _, value in node.value:
            yield from _lists(value, depth + 1)


def _zipped(node: Node, index: int, depth: int = 0) -> Merged:
    if isinstance(node, SequenceNode):
        return _merged(node.value[min(index, len(node.value) - 1)]) if node.value else node
    if not isinstance(node, MappingNode) or depth > _DEEPEST:
        return node
    return {
        key.value: _zipped(value, index, depth + 1)
        for key, value in node.value
        if isinstance(key, ScalarNode)
    }


def _leaves(file: YamlFile, merged: Merged) -> Iterator[Leaf]:
    pending: list[tuple[tuple[str, ...], Merged]] = [((), merged)]
    left = MOST_LEAVES
    while pending and left:
        left -= 1
        route, value = pending.pop()
        if isinstance(value, Mapping):
            pending += [((*route, key), inner) for key, inner in reversed(value.items())]
        elif isinstance(value, SequenceNode):
            scalars = [item for item in value.value if isinstance(item, ScalarNode)]
            pending += [((*route, "[]"), item) for item in reversed(scalars)]
        elif isinstance(value, ScalarNode):
            yield Leaf(route, str(value.value), file.span(value))


def _int(leaf: Leaf | None) -> int | None:
    text = leaf.value if leaf is not None else ""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _is_true(leaf: Leaf | None) -> bool:
    return leaf is not None and leaf.value.lower() == "true"
