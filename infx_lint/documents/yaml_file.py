"""YAML with the exact span of every key and value, read by libyaml.

The binding is PyYAML's: the linted repository loads its files with PyYAML, so what is readable
and what a value is agree by construction. (ruamel.yaml's binding embeds libyaml 0.1.7, which
refuses `{ image: registry/name:tag }`, a shape of merged recipes.)
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from infx_lint.documents.text_file import TextFile, TooDemanding, Undecodable, parse_text
from infx_lint.documents.yaml_tree import (
    STRING_TAG,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    compose,
    end_of,
)
from infx_lint.documents.yaml_value import first_difference, identity
from infx_lint.finding import Span

MAX_BYTES = 8_000_000
# Where libyaml has no limit of its own, its cost grows with the square of the nesting of flow
# collections; and what walks values recurses.
MAX_FLOW_DEPTH = 200

_BRACKETS = r"[][{}]"
_ITEM = r" +- "
# What an input method types where YAML wants `,` `:` `"` `(` `)`.
_WIDE_PUNCTUATION = "[\uff0c\uff1a\u201c\u201d\uff08\uff09]"
_CONFLICT_MARKERS = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


class UnreadableYaml(NamedTuple):
    """A file that is no YAML: where and why. `encoding` where it is not even text."""

    span: Span
    reason: str
    encoding: bool = False


class LaterCopy(NamedTuple):
    """A pair whose key stood before in the same mapping.

    Attributes:
        route: the keys from the root down to this one, list positions in brackets.
        before: the key of the copy above. Compared with that one: a loader keeps the last, so
            what stands between two equal copies counts.
        difference: where the values differ first, None where they are equal.
    """

    route: tuple[str, ...]
    before: ScalarNode
    key: ScalarNode
    value: Node
    difference: str | None


class YamlFile(NamedTuple):
    """A parsed file: its text and the root of each document in it (None for an empty one)."""

    text: TextFile
    roots: tuple[Node | None, ...]

    @property
    def mark_length(self) -> int:
        """Return 1 where the text starts with a byte order mark, which no mark counts, else 0."""
        return int(self.text.text.startswith("\ufeff"))

    @property
    def root(self) -> Node | None:
        """Return the root of the first document."""
        return self.roots[0] if self.roots else None

    def start(self, node: Node) -> int:
        """Return the offset of a node's first character."""
        return int(node.start_mark.index) + self.mark_length

    def end(self, node: Node) -> int:
        """Return the offset past a node's last character."""
        return end_of(node, self.text.text[self.mark_length :]) + self.mark_length

    def span(self, node: Node) -> Span:
        """Return the place of a node."""
        return self.text.span(self.start(node), self.end(node))

    def comments(self) -> Iterator[Span]:
        """Yield the place of every comment, from its `#` to the end of its line.

        libyaml drops comments, so they are what starts with `#` after a blank, outside of scalars.
        """
        text = self.text.text
        scalars = iter(sorted(self._scalar_stretches()))
        start, end = next(scalars, (len(text), len(text)))
        at = text.find("#")
        while at >= 0:
            while end <= at:
                start, end = next(scalars, (len(text), len(text) + 1))
            if start <= at:
                at = text.find("#", end)
                continue
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            if at == self.mark_length or text[at - 1] in " \t\n":
                yield self.text.span(at, at + len(text[at:line_end].rstrip("\r")))
                at = text.find("#", line_end)
            else:
                at = text.find("#", at + 1)

    def _scalar_stretches(self) -> Iterator[tuple[int, int]]:
        """Yield start and end of every scalar; of a block scalar only what is below its header."""
        pending = [root for root in self.roots if root is not None]
        visited: set[int] = set()
        while pending:
            node = pending.pop()
            if id(node) in visited:
                continue
            visited.add(id(node))
            if isinstance(node, SequenceNode):
                pending += node.value
            elif isinstance(node, MappingNode):
                pending += (part for pair in node.value for part in pair)
            elif isinstance(node, ScalarNode) and node.style in ("|", ">"):
                below = self.text.text.find("\n", self.start(node)) + 1
                if below:
                    yield below, max(below, self.end(node))
            else:
                yield self.start(node), self.end(node)

    def later_copies(self) -> Iterator[LaterCopy]:
        """Yield every pair whose key stood before in the same mapping, in the order of the file."""
        for route, pairs in repeated_keys(self):
            for (before, value), (key, other) in pairwise(pairs):
                yield LaterCopy(route, before, key, other, first_difference(value, other))

    def line_block(self, copy: LaterCopy) -> Span | None:
        """Return the lines that a copy has to itself, blank lines below it included.

        None where it shares a line with something else, as in `{ a: 1, a: 1 }`.
        """
        text = self.text
        end = max(self.end(copy.key), self.end(copy.value))
        first, last = text.line_of(self.start(copy.key)), text.line_of(end)
        before = text.line(first)[: self.start(copy.key) - text.line_start(first)]
        after = text.text[end : text.line_start(last + 1)]
        if before.strip() or after.split("#")[0].strip():
            return None
        while last < text.line_count and not text.line(last + 1).strip():
            last += 1
        return text.span(text.line_start(first), text.line_start(last + 1))


def parse_yaml(data: bytes) -> YamlFile | UnreadableYaml | TooDemanding:
    """Parse a file; what cannot be read is a value, not an exception."""
    if len(data) > MAX_BYTES:
        return TooDemanding(f"{len(data):,} bytes; the limit is {MAX_BYTES:,}")
    text = parse_text(data)
    if isinstance(text, Undecodable):
        span = Span(text.line, text.column, text.line, text.column + 1)
        return UnreadableYaml(span, text.reason, encoding=True)
    if _flow_depth(text.text) > MAX_FLOW_DEPTH:
        return TooDemanding(f"brackets nested more than {MAX_FLOW_DEPTH:,} deep")
    # The collector would walk the growing tree again and again: without it the parse takes half.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return YamlFile(text, tuple(compose(text.text.removeprefix("\ufeff"))))
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
    for bracket in re.findall(_BRACKETS, text):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif depth:
            depth -= 1
    return deepest


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
        # The place is counted in bytes, and without a byte order mark.
        data = text.text.removeprefix("\ufeff").encode()
        before = data[: error.position or 0].decode(errors="ignore")
        offset = len(before) + int(text.text.startswith("\ufeff"))
        offset = min(offset, max(0, len(text.text) - 1))
        reason = (
            f"character U+{ord(text.text[offset]):04X} is not allowed" if text.text else "empty"
        )
    else:
        reason = str(error)
    line = text.line_of(offset)
    for number in range(max(1, line - 3), line + 2):
        if text.line(number).startswith(_CONFLICT_MARKERS):
            return UnreadableYaml(text.line_span(number), "a merge conflict is not resolved here")
    if "\t" in text.line(line)[: offset - text.line_start(line) + 1]:
        reason = "a tab cannot indent YAML"
    elif wide := re.search(_WIDE_PUNCTUATION, text.line(line)):
        import unicodedata

        name = unicodedata.name(wide[0]).lower()
        reason += f"; `{wide[0]}` in this line is a {name}, which means nothing in YAML"
    elif isinstance(error, MarkedYAMLError) and re.match(_ITEM, text.line(line)):
        reason = f"this list item is not in the column of its list; the parser says: {reason}"
    end = min(offset + 1, text.line_start(line) + len(text.line(line)))
    return UnreadableYaml(text.span(offset, max(offset, end)), reason)


def repeated_keys(
    file: YamlFile,
) -> Iterator[tuple[tuple[str, ...], list[tuple[ScalarNode, Node]]]]:
    """Yield each key that stands more than once in one mapping, at any depth.

    Yields:
        The keys from the root down to the mapping and the key itself (list positions in
        brackets), and every pair that has this key, in order.
    """
    pending: list[tuple[Node, tuple[str, ...]]] = [
        (root, ()) for root in reversed(file.roots) if root is not None
    ]
    visited: set[int] = set()
    while pending:
        node, route = pending.pop()
        if id(node) in visited:  # an alias
            continue
        visited.add(id(node))
        if isinstance(node, SequenceNode):
            pending.extend(
                (item, (*route, f"[{index}]"))
                for index, item in reversed(list(enumerate(node.value)))
                if type(item) is not ScalarNode
            )
        elif isinstance(node, MappingNode):
            yield from _repeated_in(node, route)
            pending.extend(
                (value, (*route, key.value if type(key) is ScalarNode else "?"))
                for key, value in reversed(node.value)
                if type(value) is not ScalarNode
            )


def _repeated_in(
    node: MappingNode, route: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], list[tuple[ScalarNode, Node]]]]:
    names = {key.value for key, _ in node.value if key.tag == STRING_TAG}
    if len(names) == len(node.value):  # all of them text, no two alike
        return
    seen: dict[object, list[tuple[ScalarNode, Node]]] = {}
    for key, value in node.value:
        seen.setdefault(identity(key), []).append((key, value))
    for pairs in seen.values():
        if len(pairs) > 1:
            yield (*route, pairs[0][0].value), pairs
