"""What YAML nodes stand for: values and equality, as PyYAML's `SafeLoader` sees them."""

from __future__ import annotations

from copy import deepcopy
from functools import lru_cache
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
    try:
        if _holds_merge(node):
            # The constructor writes merged pairs into the node.
            node = deepcopy(node)
        return SafeConstructor().construct_document(node)
    except (YAMLError, ValueError, TypeError, ArithmeticError, RecursionError) as error:
        # Marks in the text of an error repeat what the finding's own place says.
        reason = getattr(error, "problem", None) or str(error)
        raise NotConstructibleError(reason) from None


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


def first_difference(one: Node, other: Node) -> str | None:
    """Name the first place where two nodes load to different values; None where they are equal.

    Types count (`8` is not `"8"`), the order of keys does not. Both trees are walked side by side,
    each pair of nodes once, so that neither aliases nor cycles cost anything.

    Returns:
        The route of keys to the place and what stands there, ready for a message.
    """
    pending: list[tuple[Node, Node, tuple[str, ...]]] = [(one, other, ())]
    seen: set[tuple[int, int]] = set()
    while pending:
        left, right, route = pending.pop()
        if left is right or (id(left), id(right)) in seen:
            continue
        seen.add((id(left), id(right)))
        where = f"`{'.'.join(route)}`" if route else "their values"
        if isinstance(left, ScalarNode) and isinstance(right, ScalarNode):
            if not _same_scalar(left, right):
                return f"{where}: `{_shorten(left.value)}` and `{_shorten(right.value)}`"
            continue
        if left.tag != right.tag or type(left) is not type(right):
            return where
        children = _children(left), _children(right)
        for name in dict.fromkeys((*children[0], *children[1])):
            if name not in children[0] or name not in children[1]:
                return f"`{'.'.join((*route, str(name)))}`, which only one of them has"
        # Reversed, since the last one pushed is looked at first.
        pending += (
            (child, children[1][name], (*route, str(name)))
            for name, child in reversed(children[0].items())
        )
    return None


def _same_scalar(one: ScalarNode, other: ScalarNode) -> bool:
    if one.tag != other.tag:
        return False
    return bool(
        one.value == other.value
        or _scalar_value(one.tag, one.value) == _scalar_value(other.tag, other.value)
    )


def _children(node: Node) -> dict[object, Node]:
    """Return what a collection holds: by the keys that a loader sees, or by position."""
    if isinstance(node, SequenceNode):
        return {f"[{index}]": item for index, item in enumerate(node.value)}
    merges = 0
    children: dict[object, Node] = {}
    for key, value in node.value:
        name = identity(key) if key.tag != MERGE_TAG else f"<< {(merges := merges + 1)}"
        children[name if isinstance(key, ScalarNode) else f"? {len(children)}"] = value
    return children


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
