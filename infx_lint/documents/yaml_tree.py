"""The syntax tree of YAML: nodes with offsets, composed from libyaml's events.

The tree is built from the parser's events instead of by a composer: that costs a third of the
time, cannot recurse, keeps aliases as aliases (no explosion) and leaves tags unresolved until a
value is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from yaml.cyaml import CParser  # type: ignore[attr-defined] # the stubs leave it out
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)


class YamlNode:
    """A node of the tree: offsets of its first and past its last character."""

    __slots__ = ("anchor", "end", "start", "tag")

    def __init__(self, start: int, end: int, tag: str | None, anchor: str | None) -> None:
        self.start = start
        self.end = end
        self.tag = tag
        self.anchor = anchor


class Scalar(YamlNode):
    """A scalar; `plain` where neither quotes nor a block indicator make it a string."""

    __slots__ = ("plain", "text")

    def __init__(  # noqa: PLR0913 - made in one place
        self, start: int, end: int, tag: str | None, anchor: str | None, text: str, *, plain: bool
    ) -> None:
        super().__init__(start, end, tag, anchor)
        self.text = text
        self.plain = plain


class Sequence(YamlNode):
    """A list."""

    __slots__ = ("items",)

    def __init__(self, start: int, end: int, tag: str | None, anchor: str | None) -> None:
        super().__init__(start, end, tag, anchor)
        self.items: list[YamlNode] = []


class Mapping(YamlNode):
    """A mapping: every pair in order, repeated keys included."""

    __slots__ = ("pairs",)

    def __init__(self, start: int, end: int, tag: str | None, anchor: str | None) -> None:
        super().__init__(start, end, tag, anchor)
        self.pairs: list[tuple[YamlNode, YamlNode]] = []

    def get(self, key: str) -> YamlNode | None:
        """Return the value of a key; of repeated ones the last, as loaders do."""
        found = None
        for name, value in self.pairs:
            if isinstance(name, Scalar) and name.text == key:
                found = value
        return found

    def key(self, key: str) -> Scalar | None:
        """Return the node of a key itself; of repeated ones the last."""
        found = None
        for name, _ in self.pairs:
            if isinstance(name, Scalar) and name.text == key:
                found = name
        return found


class Alias(YamlNode):
    """A reference to an anchored node; `target` is None where a loader would refuse it."""

    __slots__ = ("target",)

    def __init__(self, start: int, end: int, name: str, target: YamlNode | None) -> None:
        super().__init__(start, end, None, name)
        self.target = target


def compose(text: str) -> Iterator[YamlNode | None]:
    """Yield the root of each document, None for an empty one; raise `YAMLError` at a fault."""
    # Marks do not count a byte order mark, the text does.
    shift = 1 if text.startswith("\ufeff") else 0
    parser: Any = CParser(text[shift:])
    composer: _Composer | None = None
    while parser.check_event():
        event = parser.get_event()
        if type(event) is DocumentStartEvent:
            if composer:
                yield composer.root
            composer = _Composer(text, shift)
        elif composer:
            composer.take(event)
    if composer:
        yield composer.root


class _Composer:
    """Puts the events of one document together."""

    __slots__ = ("_anchors", "_shift", "_stack", "_text", "root")

    def __init__(self, text: str, shift: int) -> None:
        self.root: YamlNode | None = None
        self._text = text
        self._shift = shift
        self._anchors: dict[str, YamlNode] = {}
        # Each open collection with the key that waits for its value (mappings only).
        self._stack: list[tuple[Sequence | Mapping, YamlNode | None]] = []

    def take(self, event: Any) -> None:  # noqa: ANN401 - the event types share no useful base
        """Add what an event says to the tree."""
        kind = type(event)
        start, end = event.start_mark.index + self._shift, event.end_mark.index + self._shift
        if kind is ScalarEvent:
            style = event.style
            if style in ("|", ">"):
                end = _trim(self._text, start, end)
            self._attach(Scalar(start, end, event.tag, event.anchor, event.value, plain=not style))
        elif kind is MappingStartEvent:
            self._open(Mapping(start, 0, event.tag, event.anchor))
        elif kind is SequenceStartEvent:
            self._open(Sequence(start, 0, event.tag, event.anchor))
        elif kind is AliasEvent:
            self._attach(Alias(start, end, event.anchor, self._anchors.get(event.anchor)))
        elif kind in (MappingEndEvent, SequenceEndEvent):
            closed, _ = self._stack.pop()
            closed.end = _end(closed, start, end)

    def _open(self, node: Sequence | Mapping) -> None:
        self._attach(node)
        self._stack.append((node, None))

    def _attach(self, node: YamlNode) -> None:
        if node.anchor is not None and type(node) is not Alias:
            self._anchors[node.anchor] = node
        if not self._stack:
            self.root = node
            return
        parent, key = self._stack[-1]
        if type(parent) is Sequence:
            parent.items.append(node)
        elif key is None:
            self._stack[-1] = (parent, node)
        else:
            cast("Mapping", parent).pairs.append((key, node))
            self._stack[-1] = (parent, None)


def _end(node: Sequence | Mapping, mark: int, mark_end: int) -> int:
    """Return where a collection ends: a block one with its last child."""
    if mark_end > mark:  # a closing bracket
        return mark_end
    if type(node) is Sequence:
        return node.items[-1].end if node.items else node.start
    pairs = cast("Mapping", node).pairs
    return max(pairs[-1][0].end, pairs[-1][1].end) if pairs else node.start


def _trim(text: str, start: int, end: int) -> int:
    """Leave the blank lines below a block scalar out of it."""
    while end > start and text[end - 1] in " \r\n":
        end -= 1
    return end
