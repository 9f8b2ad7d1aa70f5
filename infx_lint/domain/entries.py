"""Entries of a master config with all that their comments can speak of.

An entry is what stands below a config key. Its rows are read as they are written, of single-node
and multi-node entries alike; a comment belongs to the key or row below it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from infx_lint.claims.facts import DECODE, PREFILL, WHOLE, Image, Place, Row, Side
from infx_lint.documents.comment_blocks import CommentBlock, comment_blocks
from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import MappingNode, Node, ScalarNode, SequenceNode, lookup
from infx_lint.domain.entry_points import (
    FieldValue,
    PointRow,
    concurrencies_of,
    field_from,
    fields_of,
    point_row_from,
    point_rows_of,
)
from infx_lint.domain.layout import RECIPE_SETTINGS
from infx_lint.finding import Span
from infx_lint.paths import RepoPath

_SCENARIOS = ("seq-len-configs", "fixed-seq-len", "agentic-coding")
_SETTING = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_RECIPE, _RECIPE_FOLDER = "srt-recipe", "srt-recipe-dir"
_LONGEST = 2_000
_MOST_DIGITS = 9


class Setting(NamedTuple):
    """A scalar of a row, or one of `additional-settings`: `PREFILL_NODES=2`."""

    name: str
    value: str
    span: Span


class EntryRow(NamedTuple):
    """A row as it is written; `end_line` is its last line."""

    row: Row
    end_line: int
    settings: tuple[Setting, ...]


class Entry:
    """One entry, unpacked when it is looked at.

    Args:
        path: the master config.
        facts: what `entries_of` wrote down.
    """

    def __init__(self, path: RepoPath, facts: list[Any]) -> None:
        self.path = path
        self.name, self.digest, self.recipes, self._packed = facts

    @cached_property
    def _facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = json.loads(self._packed)
        return facts

    @cached_property
    def image(self) -> Image | None:
        """Return the image, where the entry names one."""
        image = self._facts["image"]
        return Image(image[0], Place(self.path, Span(*image[1]))) if image else None

    @cached_property
    def rows(self) -> tuple[EntryRow, ...]:
        """Return the rows in the order of the file."""
        return tuple(
            EntryRow(
                Row(
                    tuple(Side(*side) for side in sides),
                    tuple(concurrencies),
                    Place(self.path, Span(*span)),
                    lengths,
                ),
                end_line,
                tuple(Setting(name, value, Span(*place)) for name, value, place in settings),
            )
            for sides, concurrencies, span, lengths, end_line, settings in self._facts["rows"]
        )

    @cached_property
    def fields(self) -> tuple[FieldValue, ...]:
        """Return what the entry says outside of rows."""
        return tuple(map(field_from, self._facts["fields"]))

    @cached_property
    def point_rows(self) -> tuple[PointRow, ...]:
        """Return the rows as topologies with their concurrencies."""
        return tuple(map(point_row_from, self._facts["points"]))

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Return the scalars of the entry that stand outside of rows."""
        return tuple(Setting(name, value, Span(*at)) for name, value, at in self._facts["settings"])

    @cached_property
    def comments(self) -> tuple[tuple[CommentBlock, tuple[EntryRow, ...]], ...]:
        """Return the comments, each with the rows that it speaks of."""
        blocks = [
            CommentBlock(text, tuple(map(tuple, places)), column, trailing)
            for text, places, column, trailing in self._facts["comments"]
        ]
        return tuple((block, self._below(block, blocks)) for block in blocks)

    def _below(self, block: CommentBlock, blocks: list[CommentBlock]) -> tuple[EntryRow, ...]:
        """Return the rows below a comment, up to the next one that is no deeper."""
        line = block.first_line
        for row in self.rows:
            if row.row.place.span.line <= line <= row.end_line:
                return (row,)
        starts = [row.row.place.span.line for row in self.rows]
        if not starts or (line < starts[0] and not self._is_heading(block)):
            return self.rows
        later = [
            other.first_line
            for other in blocks
            if other.first_line > line
            and not other.is_trailing
            and other.column <= block.column
            and any(other.last_line + 1 == start for start in starts)
        ]
        end = min(later, default=10**9)
        return tuple(row for row in self.rows if line < row.row.place.span.line < end)

    def _is_heading(self, block: CommentBlock) -> bool:
        return any(block.last_line + 1 == row.row.place.span.line for row in self.rows)


def entries_of(file: YamlFile) -> list[list[Any]]:
    """Return the entries of a master config as lists that JSON holds; `Entry` reads them."""
    root = file.root
    if not isinstance(root, MappingNode):
        return []
    blocks = list(comment_blocks(file.text, file.comments()))
    pairs = [(key, value) for key, value in root.value if isinstance(key, ScalarNode)]
    found, end = [], 0
    for key, value in pairs:
        first, last = file.span(key).line, max(file.span(key).line, file.span(value).end_line)
        own = [
            block
            for block in blocks
            if end < block.first_line <= last
            and not (block.first_line > first and block.column == 1)
        ]
        start = min([first, *(block.first_line for block in own)])
        text = "\n".join(map(file.text.line, range(start, last + 1)))
        found.append(_entry(file, key, value, own, text))
        # What stands at the margin below an entry belongs to the next key.
        end = last
    return found


def _entry(
    file: YamlFile, key: ScalarNode, value: Node, blocks: list[CommentBlock], text: str
) -> list[Any]:
    rows = list(_rows(file, value))
    settings = [
        setting
        for name, node in _pairs(value)
        if name not in {"scenarios", *_SCENARIOS}
        for setting in _settings(file, node, name)
    ]
    image = lookup(value, "image")
    folder = lookup(value, _RECIPE_FOLDER)
    recipes = []
    for row in rows:
        for setting in row[-1]:
            if setting[0] == _RECIPE and isinstance(folder, ScalarNode):
                setting[1] = f"{folder.value}/{setting[1]}"
            if setting[0] in RECIPE_SETTINGS:
                recipes.append(setting[1])
    packed = {
        "image": [image.value, file.span(image)] if isinstance(image, ScalarNode) else None,
        "rows": rows,
        "fields": fields_of(file, value),
        "points": point_rows_of(file, value),
        "settings": settings,
        "comments": [list(block) for block in blocks],
    }
    # Names alone, for a digest of what is written and not of where.
    digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return [str(key.value), digest, list(dict.fromkeys(recipes)), json.dumps(packed)]


def _rows(file: YamlFile, entry: Node) -> Iterator[list[Any]]:
    for above in (entry, lookup(entry, "scenarios")):
        for name, configs in _pairs(above):
            if name not in _SCENARIOS or not isinstance(configs, SequenceNode):
                continue
            for config in configs.value:
                lengths = [lookup(config, length) for length in ("isl", "osl")]
                texts = [node.value for node in lengths if isinstance(node, ScalarNode)]
                label = "/".join(texts)
                space = lookup(config, "search-space")
                shared = [
                    setting
                    for key, node in _pairs(config)
                    if key != "search-space"
                    for setting in _settings(file, node, key)
                ]
                for row in space.value if isinstance(space, SequenceNode) else ():
                    yield _row(file, row, label, shared)


def _row(file: YamlFile, row: Node, lengths: str, shared: list[Any]) -> list[Any]:
    span = file.span(row)
    sides = [
        _side(lookup(row, name), kind)
        for name, kind in (("prefill", PREFILL), ("decode", DECODE))
        if isinstance(lookup(row, name), MappingNode)
    ] or [_side(row, WHOLE)]
    settings = [setting for name, node in _pairs(row) for setting in _settings(file, node, name)]
    nodes = {name: value for name, value, _ in settings}
    for side in sides:
        count = nodes.get(f"{side[0].upper()}_NODES", "")
        side[2] = int(count) if count.isdecimal() else None
    concurrencies = concurrencies_of(row)
    return [sides, concurrencies, span, lengths, span.end_line, [*settings, *shared]]


def _side(node: Node | None, kind: str) -> list[Any]:
    tp, ep = _int(lookup(node, "tp")), _int(lookup(node, "ep"))
    attention = lookup(node, "dp-attn")
    has_attention = isinstance(attention, ScalarNode) and attention.value.lower() in {"true", "yes"}
    workers = _int(lookup(node, "num-worker"))
    return [kind, workers, None, tp, ep or 1, None, None, has_attention]


def _settings(file: YamlFile, node: Node, name: str) -> Iterator[list[Any]]:
    """Yield every named scalar at and below a node: name, value, span."""
    pending: list[tuple[str, Node]] = [(name, node)]
    while pending:
        key, value = pending.pop()
        if isinstance(value, MappingNode):
            pending += _pairs(value)
        elif isinstance(value, SequenceNode):
            pending += [("", item) for item in value.value if isinstance(item, ScalarNode)]
        elif isinstance(value, ScalarNode) and len(value.value) <= _LONGEST:
            setting = _SETTING.fullmatch(value.value)
            if key:
                yield [key, value.value, file.span(value)]
            elif setting:
                yield [setting[1], setting[2], file.span(value)]


def _pairs(node: Node | None) -> list[tuple[str, Node]]:
    pairs = node.value if isinstance(node, MappingNode) else ()
    return [(key.value, value) for key, value in pairs if isinstance(key, ScalarNode)]


def _int(node: Node | None) -> int | None:
    text = node.value if isinstance(node, ScalarNode) else ""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
