"""What YAML nodes stand for: values and equality, as PyYAML's `SafeLoader` sees them."""

from __future__ import annotations

from functools import lru_cache
from itertools import zip_longest
from typing import Any, cast

from yaml.constructor import SafeConstructor
from yaml.error import YAMLError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.resolver import Resolver

from infx_lint.documents.yaml_tree import Alias, Mapping, Scalar, Sequence, YamlNode

MAX_VALUE_NODES = 200_000
_MOST_SHOWN = 60


class NotConstructibleError(Exception):
    """A value that PyYAML's safe loader would refuse, or that is too large to build."""


def value_of(node: YamlNode | None) -> Any:  # noqa: ANN401 - YAML holds anything
    """Return the Python value of a node, as the linted repository's loader would.

    Of repeated keys the last one counts.

    Raises:
        NotConstructibleError: an unknown tag, a broken alias, a cycle, or an expansion of aliases
            beyond `MAX_VALUE_NODES` nodes.

    """
    if node is None:
        return None
    if type(node) is Scalar and not node.plain and node.tag is None:
        return node.text
    budget = [MAX_VALUE_NODES]
    try:
        return SafeConstructor().construct_document(_to_pyyaml(node, budget, ()))
    except (YAMLError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise NotConstructibleError(str(error)) from None


def _to_pyyaml(node: YamlNode, budget: list[int], above: tuple[YamlNode, ...]) -> Node:
    budget[0] -= 1
    if budget[0] < 0:
        raise NotConstructibleError("aliases expand to too many nodes")
    if isinstance(node, Alias):
        if node.target is None or node.target in above:
            raise NotConstructibleError(f"alias *{node.anchor} cannot be resolved")
        return _to_pyyaml(node.target, budget, above)
    above = (*above, node)
    if isinstance(node, Scalar):
        tag = node.tag or (_tag(node.text) if node.plain else "tag:yaml.org,2002:str")
        return ScalarNode(tag, node.text)
    if isinstance(node, Sequence):
        items = [_to_pyyaml(item, budget, above) for item in node.items]
        return SequenceNode(node.tag or "tag:yaml.org,2002:seq", items)
    pairs = [
        (_to_pyyaml(key, budget, above), _to_pyyaml(value, budget, above))
        for key, value in cast("Mapping", node).pairs
    ]
    return MappingNode(node.tag or "tag:yaml.org,2002:map", pairs)


_RESOLVER: Any = Resolver()


@lru_cache(maxsize=4096)
def _tag(text: str) -> str:
    """Return the tag of a plain scalar."""
    return str(_RESOLVER.resolve(ScalarNode, text, (True, False)))


@lru_cache(maxsize=4096)
def _plain_value(text: str) -> object:
    return value_of(Scalar(0, 0, None, None, text, plain=True))


def identity(node: YamlNode) -> object:
    """Return what a loader would file a key under; a fresh object where keys cannot be compared.

    A merge key (`<<`) may stand several times and is never equal to another.
    """
    if not isinstance(node, Scalar) or (node.plain and node.text == "<<"):
        return object()
    if node.tag is not None or not node.plain:
        return node.text
    try:
        return _plain_value(node.text)
    except NotConstructibleError:
        return node.text


def equal(one: YamlNode, other: YamlNode) -> bool:
    """Tell whether two nodes load to the same value, types included (`8` is not `"8"`)."""
    try:
        return _typed(value_of(one)) == _typed(value_of(other))
    except NotConstructibleError:
        return False


def first_difference(one: YamlNode, other: YamlNode) -> str:
    """Name the first place where two values differ: a route of keys, and both scalars."""
    route: list[str] = []
    while True:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            keys = {
                key.text: None for key, _ in (*one.pairs, *other.pairs) if isinstance(key, Scalar)
            }
            steps = [(key, one.get(key), other.get(key)) for key in keys]
        elif isinstance(one, Sequence) and isinstance(other, Sequence):
            steps = [
                (f"[{index}]", *pair)
                for index, pair in enumerate(zip_longest(one.items, other.items))
            ]
        else:
            break
        for name, left, right in steps:
            if left is None or right is None or not equal(left, right):
                route.append(name)
                break
        else:
            break
        if left is None or right is None:
            return f"`{'.'.join(route)}`, which only one of them has"
        one, other = left, right
    what = f"`{'.'.join(route)}`" if route else "their values"
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return f"{what}: `{_shorten(one.text)}` and `{_shorten(other.text)}`"
    return what


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _typed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return (type(value), value)
