"""YAML with the exact span of every key and value, read by libyaml.

The binding is PyYAML's: the linted repository loads its files with PyYAML, so what is readable
and what a value is agree by construction. (ruamel.yaml's binding embeds libyaml 0.1.7, which
refuses `{ image: registry/name:tag }`, a shape of merged recipes.)

The tree is built from the parser's events instead of by a composer: that costs a third of the
time, cannot recurse, keeps aliases as aliases (no explosion) and leaves tags unresolved until a
value is asked for.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any, cast

from yaml.constructor import SafeConstructor
from yaml.cyaml import CParser
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError
from yaml.resolver import Resolver

from infx_lint.documents.text_file import TextFile, Undecodable, parse_text
from infx_lint.finding import Span

MAX_BYTES = 8_000_000
# libyaml's cost grows with the square of the nesting of flow collections: at 1,000 it is 4 ms.
MAX_FLOW_DEPTH = 1_000
MAX_VALUE_NODES = 200_000
_MOST_SHOWN = 60

_BRACKETS = re.compile(r"[][{}]")
_CONFLICT_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


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

    def __init__(  # noqa: PLR0913, PLR0917 - made in one place, in the parser's inner loop
        self, start: int, end: int, tag: str | None, anchor: str | None, text: str, plain: bool  # noqa: FBT001
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


@dataclass(frozen=True, slots=True)
class UnreadableYaml:
    """A file that is no YAML: where and why. `text` is None where it could not be decoded."""

    span: Span
    reason: str
    text: TextFile | None
    encoding: bool = False


@dataclass(frozen=True, slots=True)
class TooDemanding:
    """A file that was not parsed since it would cost too much: a limit, no finding."""

    reason: str


@dataclass(frozen=True, slots=True)
class LaterCopy:
    """A pair whose key stood before in the same mapping.

    Attributes:
        route: the keys from the root down to this one, list positions in brackets.
        before: the key of the copy above. Compared with that one: a loader keeps the last, so
            what stands between two equal copies counts.
        difference: where the values differ first, None where they are equal.
    """

    route: tuple[str, ...]
    before: Scalar
    key: Scalar
    value: YamlNode
    difference: str | None


@dataclass(frozen=True, slots=True)
class YamlFile:
    """A parsed file: its text and the root of each document in it (None for an empty one)."""

    text: TextFile
    roots: tuple[YamlNode | None, ...]

    @property
    def root(self) -> YamlNode | None:
        """Return the root of the first document."""
        return self.roots[0] if self.roots else None

    def span(self, node: YamlNode) -> Span:
        """Return the place of a node."""
        return self.text.span(node.start, node.end)

    def later_copies(self) -> Iterator[LaterCopy]:
        """Yield every pair whose key stood before in the same mapping, in the order of the file."""
        for route, pairs in repeated_keys(self):
            for (before, value), (key, other) in pairwise(pairs):
                difference = None if equal(value, other) else _first_difference(value, other)
                yield LaterCopy(route, before, key, other, difference)

    def line_block(self, copy: LaterCopy) -> Span | None:
        """Return the lines that a copy has to itself, blank lines below it included.

        None where it shares a line with something else, as in `{ a: 1, a: 1 }`.
        """
        text = self.text
        first, last = text.line_of(copy.key.start), text.line_of(max(copy.key.end, copy.value.end))
        before = text.line(first)[: copy.key.start - text.line_start(first)]
        after = text.text[max(copy.key.end, copy.value.end) : text.line_start(last + 1)]
        if before.strip() or after.split("#")[0].strip():
            return None
        while last < text.line_count and not text.line(last + 1).strip():
            last += 1
        return text.span(text.line_start(first), text.line_start(last + 1))


def is_yaml_path(suffix: str) -> bool:
    """Tell from a file name's suffix whether it is YAML."""
    return suffix in (".yaml", ".yml")


def parse_yaml(data: bytes) -> YamlFile | UnreadableYaml | TooDemanding:
    """Parse a file; what cannot be read is a value, not an exception."""
    if len(data) > MAX_BYTES:
        return TooDemanding(f"{len(data):,} bytes; the limit is {MAX_BYTES:,}")
    text = parse_text(data)
    if isinstance(text, Undecodable):
        span = Span(text.line, text.column, text.line, text.column + 1)
        return UnreadableYaml(span, text.reason, None, encoding=True)
    if _flow_depth(text.text) > MAX_FLOW_DEPTH:
        return TooDemanding(f"brackets nested more than {MAX_FLOW_DEPTH:,} deep")
    # The collector would walk the growing tree again and again: without it the parse takes half.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return YamlFile(text, tuple(_compose(text.text)))
    except YAMLError as error:
        if "maximum nesting depth" in str(error):
            return TooDemanding("collections nested too deep for libyaml")
        return _explain(error, text)
    finally:
        if collecting:
            gc.enable()


def _flow_depth(text: str) -> int:
    """Return an upper bound of the nesting of flow collections, in time linear in the text."""
    if text.count("[") + text.count("{") <= MAX_FLOW_DEPTH:
        return 0
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest


def _compose(text: str) -> Iterator[YamlNode | None]:
    """Build the tree of each document from the parser's events."""
    # Marks do not count a byte order mark, the text does.
    shift = 1 if text.startswith("\ufeff") else 0
    parser = CParser(text[shift:])
    next_event = parser.get_event
    root: YamlNode | None = None
    anchors: dict[str, YamlNode] = {}
    # Each open collection with the key that waits for its value (mappings only).
    stack: list[tuple[Sequence | Mapping, YamlNode | None]] = []
    started = False
    while parser.check_event():
        event = next_event()
        kind = type(event)
        if kind is ScalarEvent:
            start, end = event.start_mark.index + shift, event.end_mark.index + shift
            style = event.style
            if style in ("|", ">"):
                end = _trim(text, start, end)
            node: YamlNode = Scalar(start, end, event.tag, event.anchor, event.value, not style)
        elif kind is MappingStartEvent:
            node = Mapping(event.start_mark.index + shift, 0, event.tag, event.anchor)
        elif kind is SequenceStartEvent:
            node = Sequence(event.start_mark.index + shift, 0, event.tag, event.anchor)
        elif kind is AliasEvent:
            start, end = event.start_mark.index + shift, event.end_mark.index + shift
            node = Alias(start, end, event.anchor, anchors.get(event.anchor))
        elif kind in (MappingEndEvent, SequenceEndEvent):
            closed, _ = stack.pop()
            closed.end = _end(closed, event.start_mark.index + shift, event.end_mark.index + shift)
            continue
        elif kind is DocumentStartEvent:
            if started:
                yield root
            root, anchors, started = None, {}, True
            continue
        else:
            continue
        if node.anchor is not None and kind is not AliasEvent:
            anchors[node.anchor] = node
        if stack:
            parent, key = stack[-1]
            if type(parent) is Sequence:
                parent.items.append(node)
            elif key is None:
                stack[-1] = (parent, node)
            else:
                cast("Mapping", parent).pairs.append((key, node))
                stack[-1] = (parent, None)
        else:
            root = node
        if kind in (MappingStartEvent, SequenceStartEvent):
            stack.append((cast("Sequence | Mapping", node), None))
    if started:
        yield root


def _end(node: Sequence | Mapping, mark: int, mark_end: int) -> int:
    """Return where a collection ends: a block one ends with its last child, not where the next starts."""
    if mark_end > mark:  # a closing bracket
        return mark_end
    if type(node) is Sequence:
        return node.items[-1].end if node.items else node.start
    pairs = cast("Mapping", node).pairs
    if not pairs:
        return node.start
    key, value = pairs[-1]
    return max(key.end, value.end)


def _trim(text: str, start: int, end: int) -> int:
    """Leave the blank lines below a block scalar out of it."""
    while end > start and text[end - 1] in " \r\n":
        end -= 1
    return end


def _explain(error: YAMLError, text: TextFile) -> UnreadableYaml:
    """Say in words where and why a file is no YAML."""
    offset = 0
    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        offset = min(mark.index, len(text.text)) if mark else 0
        reason = str(error.problem or error.context)
        if error.context and error.context_mark and error.problem:
            line = text.line_of(min(error.context_mark.index, len(text.text)))
            if line != text.line_of(offset):
                reason += f" ({error.context} that starts at line {line})"
    elif isinstance(error, ReaderError):
        offset = min(error.position or 0, len(text.text))
        reason = f"character U+{ord(text.text[offset]):04X} is not allowed" if text.text else "empty"
    else:
        reason = str(error)
    line = text.line_of(offset)
    for number in range(max(1, line - 1), line + 2):
        if text.line(number).startswith(_CONFLICT_MARKERS):
            return UnreadableYaml(
                text.line_span(number), "a merge conflict is not resolved here", text
            )
    if "\t" in text.line(line)[: offset - text.line_start(line) + 1]:
        reason = "a tab cannot indent YAML"
    end = min(offset + 1, text.line_start(line) + len(text.line(line)))
    return UnreadableYaml(text.span(offset, max(offset, end)), reason, text)


# Values


class NotConstructible(Exception):
    """A value that PyYAML's safe loader would refuse, or that is too large to build."""


def value_of(node: YamlNode | None) -> Any:  # noqa: ANN401 - YAML holds anything
    """Return the Python value of a node, as the linted repository's loader would.

    Of repeated keys the last one counts.

    Raises:
        NotConstructible: an unknown tag, a broken alias, a cycle, or an expansion of aliases
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
        raise NotConstructible(str(error)) from None


def _to_pyyaml(node: YamlNode, budget: list[int], above: tuple[YamlNode, ...]) -> Node:
    budget[0] -= 1
    if budget[0] < 0:
        raise NotConstructible("aliases expand to too many nodes")
    if isinstance(node, Alias):
        if node.target is None or node.target in above:
            raise NotConstructible(f"alias *{node.anchor} cannot be resolved")
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


_RESOLVER = Resolver()


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
    except NotConstructible:
        return node.text


def equal(one: YamlNode, other: YamlNode) -> bool:
    """Tell whether two nodes load to the same value, types included (`8` is not `"8"`)."""
    try:
        return _typed(value_of(one)) == _typed(value_of(other))
    except NotConstructible:
        return False


def _first_difference(one: YamlNode, other: YamlNode) -> str:
    """Name the first place where two values differ: a route of keys, and both scalars."""
    route: list[str] = []
    while True:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            keys = {key.text: None for key, _ in (*one.pairs, *other.pairs) if isinstance(key, Scalar)}
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


def repeated_keys(file: YamlFile) -> Iterator[tuple[tuple[str, ...], list[tuple[Scalar, YamlNode]]]]:
    """Yield each key that stands more than once in one mapping, at any depth.

    Yields:
        The keys from the root down to the mapping and the key itself (list positions in
        brackets), and every pair that has this key, in order.
    """
    pending: list[tuple[YamlNode, tuple[str, ...]]] = [
        (root, ()) for root in reversed(file.roots) if root is not None
    ]
    while pending:
        node, route = pending.pop()
        if type(node) is Sequence:
            pending.extend(
                (item, (*route, f"[{index}]"))
                for index, item in reversed(list(enumerate(node.items)))
                if type(item) is not Scalar
            )
        elif type(node) is Mapping:
            seen: dict[object, list[tuple[Scalar, YamlNode]]] = {}
            below = []
            for key, value in node.pairs:
                name = identity(key)
                if type(key) is Scalar:
                    seen.setdefault(name, []).append((key, value))
                if type(value) is not Scalar:
                    label = key.text if type(key) is Scalar else "?"
                    below.append((value, (*route, label)))
            if len(seen) < len(node.pairs):
                for pairs in seen.values():
                    if len(pairs) > 1:
                        yield (*route, pairs[0][0].text), pairs
            pending.extend(reversed(below))
