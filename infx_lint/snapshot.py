"""A tree at one side of a change: what exists, what it holds, each file parsed once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeVar, cast

from infx_lint.change import TreeEntry
from infx_lint.finding import Side
from infx_lint.paths import RepoPath

Parsed = TypeVar("Parsed")


class ParseCache:
    """Documents by the content they were parsed from: equal files of both sides parse once."""

    def __init__(self, capacity: int = 256) -> None:
        """Keep at most `capacity` documents, the oldest leave first."""
        self._capacity = capacity
        self._documents: dict[tuple[str, str], object] = {}

    def get(self, kind: str, blob: str, parse: Callable[[], object]) -> object:
        """Return the document of a blob, parsed now where it is not known."""
        key = (kind, blob)
        if key not in self._documents:
            if len(self._documents) >= self._capacity:
                self._documents.pop(next(iter(self._documents)))
            self._documents[key] = parse()
        return self._documents[key]


class Snapshot:
    """The files of one side, read when they are asked for."""

    def __init__(
        self,
        side: Side,
        entries: Callable[[], Mapping[RepoPath, TreeEntry]],
        read: Callable[[TreeEntry], bytes],
        cache: ParseCache,
    ) -> None:
        """Describe a tree; `entries` is called at most once, `read` once for each file."""
        self.side = side
        self._list = entries
        self._read = read
        self._cache = cache
        self._content: dict[RepoPath, bytes] = {}

    @cached_property
    def entries(self) -> Mapping[RepoPath, TreeEntry]:
        """Return every file of the tree by its path."""
        return self._list()

    def is_file(self, path: RepoPath) -> bool:
        """Tell whether there is a regular file at `path`."""
        entry = self.entries.get(path)
        return entry is not None and entry.mode.is_regular

    def read(self, path: RepoPath) -> bytes:
        """Return the content of the regular file at `path`."""
        if path not in self._content:
            self._content[path] = self._read(self.entries[path])
        return self._content[path]

    def blob(self, path: RepoPath) -> str:
        """Return the id of the content at `path`, as git would compute it."""
        blob = self.entries[path].blob
        if blob is None:
            import hashlib

            data = self.read(path)
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        return blob

    def parse(
        self, path: RepoPath, parser: Callable[[bytes], Parsed], kind: str | None = None
    ) -> Parsed:
        """Return what `parser` makes of the file at `path`.

        Args:
            path: the file.
            parser: reads its content.
            kind: what is made, where the parser has no name of its own.
        """
        kind = kind or f"{parser.__module__}.{parser.__qualname__}"
        known = self._cache.get(kind, self.blob(path), lambda: parser(self.read(path)))
        return cast("Parsed", known)

    def with_content(self, content: Mapping[RepoPath, bytes]) -> Snapshot:
        """Return this tree with some files replaced, to judge an edit before it is offered."""
        entries = dict(self.entries)
        for path in content:
            entries[path] = TreeEntry(path, entries[path].mode, None)
        edited = Snapshot(self.side, lambda: entries, self._read, self._cache)
        edited._content.update(content)
        return edited
