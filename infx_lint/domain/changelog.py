"""The performance changelog at one side: entries with the exact text that belongs to each."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence as Items
from dataclasses import dataclass
from functools import cached_property

from infx_lint.documents.text_file import TextFile
from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    lookup,
    lookup_key,
)
from infx_lint.documents.yaml_value import NotConstructibleError, value_of
from infx_lint.domain.pull_request_link import most_linked
from infx_lint.finding import Span
from infx_lint.paths import RepoPath

# The newest links say what the repository is called now; the oldest, what it was called once.
_RECENT_LINKS = 60


@dataclass(frozen=True)
class ChangelogEntry:
    """One entry.

    Attributes:
        node: what stands after the dash.
        start: offset of the line that holds the dash.
        end: offset where the next entry starts, or the text ends. What lies between is the
            separator: a line feed, blank lines, comments.
    """

    file: YamlFile
    node: Node
    start: int
    end: int

    @property
    def text(self) -> TextFile:
        """Return the text of the file."""
        return self.file.text

    @cached_property
    def content_end(self) -> int:
        """Return the offset past the last character of the entry's last line."""
        last = max(self.file.start(self.node), self.file.end(self.node))
        end = self.text.text.find("\n", last)
        return len(self.text.text) if end < 0 else end

    @property
    def content(self) -> str:
        """Return the entry's own lines, without the last line feed."""
        return self.text.text[self.start : self.content_end]

    @property
    def content_without_link(self) -> str:
        """Return the entry's own lines up to its `pr-link`, which is put in at merge."""
        key = lookup_key(self.node, "pr-link")
        end = self.file.start(key) if key is not None else self.content_end
        text = self.text.text[self.start : end].rstrip()
        # A link that stands first leaves nothing.
        return text if "\n" in text else self.content

    @property
    def separator(self) -> str:
        """Return everything up to the next entry."""
        return self.text.text[self.content_end : self.end]

    @property
    def span(self) -> Span:
        """Return the place to point at when the entry as a whole is meant: its first key."""
        if isinstance(self.node, MappingNode) and self.node.value:
            return self.file.span(self.node.value[0][0])
        return self.text.line_span(self.text.line_of(self.file.start(self.node)))

    @property
    def whole_span(self) -> Span:
        """Return all lines of the entry."""
        return self.text.span(self.start, self.content_end)

    def field(self, name: str) -> Node | None:
        """Return the value of a field."""
        return lookup(self.node, name)

    def place(self, route: Items[str | int]) -> Span:
        """Return the place of a field or list item; where it is missing, that of what holds it."""
        node: Node = self.node
        key: Node | None = None
        for step in route:
            if isinstance(step, str) and (name := lookup_key(node, step)):
                node, key = lookup(node, step) or node, name
            elif (
                isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value)
            ):
                node, key = node.value[step], None
            else:
                break
        if node is self.node:
            return self.span
        # A collection is pointed at by its key: its own span may be a hundred lines.
        is_text = isinstance(node, ScalarNode) and self.file.end(node) > self.file.start(node)
        return self.file.span(node if is_text else key or node)

    @cached_property
    def _loaded(self) -> tuple[object, str | None]:
        """Return what the repository's loader makes of the entry, or why it refuses."""
        try:
            return value_of(self.node), None
        except NotConstructibleError as error:
            return None, " ".join(str(error).split())

    @property
    def value(self) -> object:
        """Return the entry as the repository's loader reads it; None where it would refuse."""
        return self._loaded[0]

    @property
    def refusal(self) -> str | None:
        """Return why the repository's loader would refuse the entry."""
        return self._loaded[1]

    @cached_property
    def config_keys(self) -> tuple[ScalarNode, ...]:
        """Return the selected keys and wildcards."""
        return self._scalars("config-keys")

    @cached_property
    def descriptions(self) -> tuple[str, ...]:
        """Return the description, a line each."""
        return tuple(node.value for node in self._scalars("description"))

    @property
    def description_lines(self) -> tuple[tuple[str, Span], ...]:
        """Return the lines of the description with the place of each."""
        return tuple((node.value, self.file.span(node)) for node in self._scalars("description"))

    def _scalars(self, field: str) -> tuple[ScalarNode, ...]:
        node = self.field(field)
        items = node.value if isinstance(node, SequenceNode) else [node]
        return tuple(item for item in items if isinstance(item, ScalarNode) and item.value)

    @property
    def is_of_evals_only(self) -> bool:
        """Tell whether the entry asks for evals and for no measurement."""
        node = self.field("evals-only")
        return isinstance(node, ScalarNode) and node.value.lower() in {"true", "yes", "on"}

    @property
    def link_node(self) -> ScalarNode | None:
        """Return the scalar of `pr-link`, None where it is missing or empty."""
        node = self.field("pr-link")
        return node if isinstance(node, ScalarNode) and node.value.strip() else None

    @property
    def lacks_link(self) -> bool:
        """Tell whether `pr-link` is missing, or there without a value."""
        node = self.field("pr-link")
        if not isinstance(self.node, MappingNode):
            return False
        if node is None:  # nor from a merge key
            return not (isinstance(self.value, dict) and self.value.get("pr-link"))
        return isinstance(node, ScalarNode) and not node.value.strip()

    @property
    def indent(self) -> str:
        """Return the blanks in front of the entry's fields."""
        return " " * (self.span.column - 1)

    @property
    def name(self) -> str:
        """Return a short name for messages: the first key, and how many there are."""
        if not self.config_keys:
            return f"line {self.text.line_of(self.start)}"
        count = len(self.config_keys)
        return f"`{self.config_keys[0].value}`" + (f" ({count} keys)" if count > 1 else "")

    @property
    def subject(self) -> str:
        """Return what identifies the entry in a fingerprint."""
        return ",".join(key.value for key in self.config_keys)


@dataclass(frozen=True)
class Changelog:
    """All entries of one side, oldest first."""

    path: RepoPath
    file: YamlFile
    _known: tuple[ChangelogEntry, ...] | None = None

    def before_append(self, path: RepoPath, text: TextFile) -> Changelog | None:
        """Return the changelog of an older text that this one only appends to, without parsing it.

        None where it does anything else, or where the older text ends within an entry.
        """
        length = len(text.text)
        root = self.file.root
        if not self.text.text.startswith(text.text) or not isinstance(root, SequenceNode):
            return None
        if root.flow_style:
            return None
        older = self.entries[: bisect_left([entry.start for entry in self.entries], length)]
        if not older or older[-1].content_end > length:
            return None
        last = ChangelogEntry(older[-1].file, older[-1].node, older[-1].start, length)
        return Changelog(path, YamlFile(text, (root,)), (*older[:-1], last))

    @property
    def text(self) -> TextFile:
        """Return the file's text."""
        return self.file.text

    @property
    def is_list(self) -> bool:
        """Tell whether the file holds a list, as it must; an empty file counts as one."""
        return self.file.root is None or isinstance(self.file.root, SequenceNode)

    @property
    def second_document(self) -> Span:
        """Return the line where a second document starts; the end of the file where it is empty."""
        node = self.file.roots[1]
        offset = self.file.start(node) if node else len(self.text.text)
        above = self.text.text.rfind("\n---", 0, offset) + 1
        return self.text.line_span(self.text.line_of(above))

    @cached_property
    def entries(self) -> tuple[ChangelogEntry, ...]:
        """Return the entries in the order of the file."""
        if self._known is not None:
            return self._known
        root = self.file.root
        items = root.value if isinstance(root, SequenceNode) else []
        starts = [self._dash_line(self.file.start(item)) for item in items]
        ends = (*starts[1:], len(self.text.text))
        return tuple(
            ChangelogEntry(self.file, item, start, end)
            for item, start, end in zip(items, starts, ends, strict=False)
        )

    def _dash_line(self, item_start: int) -> int:
        """Return where the line with an item's dash starts; the dash may stand above the item."""
        text = self.text
        line = text.line_start(text.line_of(item_start))
        if "-" in text.text[line:item_start] or item_start == 0:
            return line
        dash = text.text.rfind("-", 0, item_start)
        return text.line_start(text.line_of(max(0, dash)))

    @cached_property
    def repository(self) -> str | None:
        """Return `owner/name` of the repository that the newest entries link to."""
        recent = self.entries[-_RECENT_LINKS:]
        return most_linked(entry.link_node.value for entry in recent if entry.link_node)
