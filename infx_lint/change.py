"""What differs between two trees: pure data, made by `git.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from infx_lint.paths import RepoPath


class FileMode(StrEnum):
    """The kinds of entries that a git tree holds."""

    FILE = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"

    @property
    def is_regular(self) -> bool:
        """Tell whether the entry has content of its own (links and submodules have none)."""
        return self in (FileMode.FILE, FileMode.EXECUTABLE)


class TreeEntry(NamedTuple):
    """One file of one side. `blob` is None where the content stands only in the working tree."""

    path: RepoPath
    mode: FileMode
    blob: str | None


class ChangeKind(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    DELETED = "deleted"
    RENAMED = "renamed"
    MODIFIED = "modified"
    MODE_CHANGED = "mode-changed"


class ChangedFile(NamedTuple):
    """A file that differs between base and head; a rename is one file with two paths."""

    base: TreeEntry | None
    head: TreeEntry | None

    @property
    def path(self) -> RepoPath:
        """Return the path at the head, or at the base where the file was deleted."""
        entry = self.head or self.base
        if entry is None:
            raise ValueError("a changed file has at least one side")
        return entry.path

    @property
    def kind(self) -> ChangeKind:
        """Return what happened to the file."""
        if self.base is None:
            return ChangeKind.ADDED
        if self.head is None:
            return ChangeKind.DELETED
        if self.base.path != self.head.path:
            return ChangeKind.RENAMED
        if self.base.blob is not None and self.base.blob == self.head.blob:
            return ChangeKind.MODE_CHANGED
        return ChangeKind.MODIFIED


class Endpoint(StrEnum):
    """What stands at the head of a change where it is no commit."""

    WORKTREE = "worktree"
    INDEX = "index"


class Hunk(NamedTuple):
    """A region of a diff, context lines included: first line and number of lines on each side."""

    base_line: int
    base_count: int
    head_line: int
    head_count: int


@dataclass(frozen=True)
class ChangeSet:
    """The files that differ between a base commit and a head.

    Attributes:
        base: the commit's full id, or None where the whole tree counts as new (`--all`).
        head: a commit's full id, or what stands in its place.
        files: sorted by path.
        reason: one line that says what is compared and why, for the top of the output.
    """

    base: str | None
    head: str | Endpoint
    files: tuple[ChangedFile, ...]
    reason: str = ""

    @cached_property
    def by_head_path(self) -> Mapping[RepoPath, ChangedFile]:
        """Return the files that exist at the head, by their path there."""
        return {file.head.path: file for file in self.files if file.head}
