"""What YAML nodes stand for: values and equality, as PyYAML's `SafeLoader` sees them."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from yaml.constructor import SafeConstructor
from yaml.error import YAMLError

from infx_lint.documents.yaml_tree import (
    MERGE_TAG,
    STRING_TAG,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    lookup,
)

MAX_VALUE_NODES = 200_000
_MOST_SHOWN = 60


class NotConstructibleError(Exception):
    """A value that PyYAML's safe loader would refuse, or that is too large to build."""


def value_of(node: Node | None) -> Any:  # noqa: ANN401 - YAML holds anything
    """Return the Python value of a node, as the linted repository's loader would.

    Of repeated keys the last one counts.

    Raises:
        NotConstructibleError: an unknown tag, a cycle, or an expansion of aliases beyond
            `MAX_VALUE_NODES` nodes.
    """
    if node is None:
        return None
    if isinstance(node, ScalarNode) and node.tag == STRING_TAG:
        return node.value
    if _holds_merge(node):
        # The constructor writes merged pairs into the node.
        node = deepcopy(node)
    try:
        return SafeConstructor().construct_document(node)
    except (YAMLError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise NotConstructibleError(str(error)) from None


def _holds_merge(node: Node) -> bool:
    """Tell whether a merge key is below a node; refuse a tree that expands to too many nodes."""
    pending, left, found = [node], MAX_VALUE_NODES, False
    while pending:
        current = pending.pop()
        left -= 1
        if left < 0:
            raise NotConstructibleError("aliases expand to too many nodes")
        if isinstance(current, SequenceNode):
            pending += current.value
        elif isinstance(current, MappingNode):
            for key, value in current.value:
                found = found or key.tag == MERGE_TAG
                pending += (key, value)
    return found


@lru_cache(maxsize=4096)
def _scalar_value(tag: str, text: str) -> object:
    try:
        return value_of(ScalarNode(tag, text))
    except NotConstructibleError:
        return text


def identity(key: Node) -> object:
    """Return what a loader would file a key under; a fresh object where keys cannot be compared.

    A merge key (`<<`) may stand several times and is never equal to another.
    """
    if not isinstance(key, ScalarNode) or key.tag == MERGE_TAG:
        return object()
    return key.value if key.tag == STRING_TAG else _scalar_value(key.tag, key.value)


def equal(one: Node, other: Node) -> bool:
    """Tell whether two nodes load to the same value, types included (`8` is not `"8"`)."""
    try:
        return bool(_typed(value_of(one)) == _typed(value_of(other)))
    except NotConstructibleError:
        return False


def _typed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return (type(value), value)


def first_difference(one: Node, other: Node) -> str:
    """Name the first place where two values differ: a route of keys, and both scalars."""
    route: list[str] = []
    while (step := _differing_child(one, other)) is not None:
        name, left, right = step
        route.append(name)
        if left is None or right is None:
            return f"`{'.'.join(route)}`, which only one of them has"
        one, other = left, right
    what = f"`{'.'.join(route)}`" if route else "their values"
    if isinstance(one, ScalarNode) and isinstance(other, ScalarNode):
        return f"{what}: `{_shorten(one.value)}` and `{_shorten(other.value)}`"
    return what


def _differing_child(one: Node, other: Node) -> tuple[str, Node | None, Node | None] | None:
    steps: list[tuple[str, Node | None, Node | None]] = []
    if isinstance(one, MappingNode) and isinstance(other, MappingNode):
        pairs = (*one.value, *other.value)
        keys = {key.value: None for key, _ in pairs if isinstance(key, ScalarNode)}
        steps = [(key, lookup(one, key), lookup(other, key)) for key in keys]
    elif isinstance(one, SequenceNode) and isinstance(other, SequenceNode):
        both = enumerate(zip_longest(one.value, other.value))
        steps = [(f"[{index}]", left, right) for index, (left, right) in both]
    for name, left, right in steps:
        if left is None or right is None or not equal(left, right):
            return name, left, right
    return None


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
