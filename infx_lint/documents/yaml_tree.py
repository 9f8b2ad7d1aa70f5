"""The syntax tree of YAML: PyYAML's nodes, composed by libyaml, and how to look into them.

A node knows its tag and the marks of its first and past its last character. An alias is the node
that it stands for, so a tree may share nodes and even hold itself: whoever walks it must count.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from yaml.cyaml import CParser  # type: ignore[attr-defined] # the stubs leave it out
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.resolver import Resolver

__all__ = (
    "MERGE_TAG",
    "NULL_TAG",
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

NULL_TAG = "tag:yaml.org,2002:null"
STRING_TAG = "tag:yaml.org,2002:str"
MERGE_TAG = "tag:yaml.org,2002:merge"
MAPPING_TAG = "tag:yaml.org,2002:map"
SEQUENCE_TAG = "tag:yaml.org,2002:seq"
_RESOLVER: Any = Resolver()


def compose(text: str) -> Iterator[Node | None]:
    """Yield the root of each document, None for an empty one; raise `YAMLError` at a fault.

    Marks do not count a byte order mark: a text that has one must be given without it.
    """
    loader: Any = _Loader(text)
    while loader.check_node():
        yield loader.get_node()


class _Loader(CParser):
    """libyaml's composer with a resolver that remembers: values repeat thousands of times."""

    def resolve(self, kind: type[Node], text: str, implicit: tuple[bool, bool]) -> str:
        """Return the tag of a node without one of its own."""
        if kind is ScalarNode:
            return _plain_tag(text) if implicit[0] else STRING_TAG
        return SEQUENCE_TAG if kind is SequenceNode else MAPPING_TAG

    def descend_resolver(self, _parent: Node | None, _index: object) -> None:
        """Enter a node; only resolvers by path would care."""

    def ascend_resolver(self) -> None:
        """Leave a node."""


@lru_cache(maxsize=8192)
def _plain_tag(text: str) -> str:
    return str(_RESOLVER.resolve(ScalarNode, text, (True, False)))


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
