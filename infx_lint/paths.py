"""Paths inside the linted repository: the only path logic of the project."""

from __future__ import annotations

import os
from typing import Self


class RepoPath(str):
    """A path relative to the repository's root, with `/` between its parts and no leading `./`.

    Git allows any bytes but NUL; bytes that are no UTF-8 are kept as surrogate escapes
    (PEP 383), so that `os.fsencode` gives back what git said.
    """

    __slots__ = ()

    @classmethod
    def from_git(cls, raw: bytes) -> Self:
        """Make a path from the bytes that git prints with `-z`."""
        return cls(os.fsdecode(raw))

    @property
    def name(self) -> str:
        """Return the last part."""
        return self.rpartition("/")[2]

    @property
    def parent(self) -> RepoPath:
        """Return the folder, the empty path for the root."""
        return RepoPath(self.rpartition("/")[0])

    @property
    def suffix(self) -> str:
        """Return the ending with its dot, in lower case, or the empty string."""
        dot = self.name.rfind(".")
        return self.name[dot:].lower() if dot > 0 else ""

    def __truediv__(self, part: str) -> RepoPath:
        return RepoPath(f"{self}/{part}" if self else part)

    def is_within(self, folder: str) -> bool:
        """Tell whether this is `folder` or lies below it; everything lies below the empty path."""
        return not folder or self == folder or self.startswith(f"{folder}/")

    def display(self) -> str:
        """Return the path as one printable line: control characters and stray bytes escaped."""
        if self.isprintable() and self.isascii():
            return str(self)
        return "".join(
            char
            if char.isprintable()
            else char.encode("unicode_escape", "backslashreplace").decode()
            for char in self
        )
