"""Sentences of the linted repository that give a rule its authority.

Policies change and even turn round. A rule that enforces one names where it stands and a phrase
of it; the sentence is looked up in the base tree, and where it does not stand the rule is silent.
"""

from __future__ import annotations

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
        """Return where the sentence stands, or None. Case and line breaks do not matter."""
        wanted = self.phrase.casefold().split()
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
    """Find words one after the other, whatever space lies between them."""
    # Case folding may lengthen a text (ß); lower-casing each character keeps the offsets.
    haystack = "".join(char.lower()[0] for char in text.text)
    start = haystack.find(wanted[0])
    while start >= 0:
        end = start
        for word in wanted:
            while end < len(haystack) and haystack[end].isspace():
                end += 1
            if not haystack.startswith(word, end):
                break
            end += len(word)
        else:
            return start, end
        start = haystack.find(wanted[0], start + 1)
    return None
