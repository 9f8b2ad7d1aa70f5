"""The syntax tree of YAML: PyYAML's nodes, composed by libyaml, and how to look into them.

A node knows its tag and the marks of its first and past its last character. An alias is the node
that it stands for, so a tree may share nodes and even hold itself: whoever walks it must count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yaml import CSafeLoader
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = (
    "MERGE_TAG",
    "STRING_TAG",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "compose",
    "end_of",
    "lookup",
    "lookup_key",
)

STRING_TAG = "tag:yaml.org,2002:str"
MERGE_TAG = "tag:yaml.org,2002:merge"


def compose(text: str) -> Iterator[Node | None]:
    """Yield the root of each document, None for an empty one; raise `YAMLError` at a fault.

    Marks do not count a byte order mark: a text that has one must be given without it.
    """
    loader: Any = CSafeLoader(text)
    while loader.check_node():
        yield loader.get_node()


def lookup(node: Node | None, key: str) -> Node | None:
    """Return the value of a mapping's key; of repeated ones the last, as loaders do."""
    pair = _last_pair(node, key)
    return pair[1] if pair else None


def lookup_key(node: Node | None, key: str) -> ScalarNode | None:
    """Return the node of a mapping's key itself; of repeated ones the last."""
    pair = _last_pair(node, key)
    return pair[0] if pair else None


def _last_pair(node: Node | None, key: str) -> tuple[ScalarNode, Node] | None:
    found = None
    for name, value in node.value if isinstance(node, MappingNode) else ():
        if isinstance(name, ScalarNode) and name.value == key:
            found = name, value
    return found


def end_of(node: Node, text: str) -> int:
    """Return the offset past the last character of a node.

    libyaml ends a block collection where the next token starts, and a block scalar after the
    blank lines below it; here both end with their own last character.
    """
    while isinstance(node, (SequenceNode, MappingNode)) and not node.flow_style and node.value:
        last = node.value[-1]
        if isinstance(last, tuple):
            key, value = last
            last = key if value.end_mark.index < key.end_mark.index else value
        if last.start_mark.index < node.start_mark.index:
            # An alias: its node stands above, only the mark after it is here.
            return _trim(text, node.start_mark.index, node.end_mark.index)
        node = last
    end = int(node.end_mark.index)
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return _trim(text, node.start_mark.index, end)
    return end


def _trim(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end
