"""Patterns that are compiled when they are first used: most runs find their claims in the cache."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property


class Pattern:
    """A regular expression; its methods are those of a compiled one.

    Args:
        source: the expression.
        flags: as `re.compile` takes them.
    """

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)

    def search(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Return the first match from an offset on."""
        return self._compiled.search(text, at)

    def match(self, text: str) -> re.Match[str] | None:
        """Return a match at the start."""
        return self._compiled.match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return a match of the whole text."""
        return self._compiled.fullmatch(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches."""
        return self._compiled.finditer(text)

    def findall(self, text: str) -> list[str]:
        """Return the text of all matches."""
        return self._compiled.findall(text)

    def sub(self, new: str, text: str) -> str:
        """Return a text with all matches replaced."""
        return self._compiled.sub(new, text)
