"""Sentences of the linted repository that give a rule its authority.

Policies change and even turn round. A rule that enforces one names where it stands and a phrase
of it; the sentence is looked up in the base tree, and where it does not stand the rule is silent.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from infx_lint.documents.text_file import TextFile, parse_text
from infx_lint.finding import Location
from infx_lint.paths import RepoPath
from infx_lint.snapshot import Snapshot


class Policy(NamedTuple):
    """A phrase, and the names of the documents that may hold it."""

    phrase: str
    documents: tuple[str, ...] = ("AGENTS.md", "CONTRIBUTING.md")

    def find(self, tree: Snapshot, root: RepoPath) -> Location | None:
        """Return where the sentence stands, or None. Only its words matter, in any case."""
        wanted = re.findall(r"\w+", self.phrase.casefold())
        for folder in dict.fromkeys((root, RepoPath(""))):
            for name in self.documents:
                path = folder / name
                if not tree.is_file(path):
                    continue
                text = tree.parse(path, parse_text)
                if isinstance(text, TextFile) and (place := _find_words(text, wanted)):
                    start, end = place
                    return Location(path, text.span(start, end), tree.side, "the written policy")
        return None


def _find_words(text: TextFile, wanted: list[str]) -> tuple[int, int] | None:
    """Find words one after the other, whatever lies between them: line breaks, emphasis."""
    haystack = list(re.finditer(r"\w+", text.text))
    names = [match[0].casefold() for match in haystack]
    for first in range(len(names) - len(wanted) + 1):
        if names[first : first + len(wanted)] == wanted:
            return haystack[first].start(), haystack[first + len(wanted) - 1].end()
    return None
