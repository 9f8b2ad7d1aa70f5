"""Files in which rules have found nothing, remembered between runs.

Most rules find nothing in most files. What decides that is the content of the file and of those
that it hangs on, so it holds until one of them changes, or a rule. A finding is never remembered:
it is made anew, with its proof and its fix.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from infx_lint.cache import FactCache, digest, source_version

_KIND = "clean-1"
_PACKAGE = Path(__file__).parent
_SOURCES = tuple(
    _PACKAGE / name for name in (".", "claims", "documents", "domain", "inventory", "shell")
)


class CleanFiles:
    """The rules that found nothing, by the name of what they looked at.

    Args:
        cache: keeps them on disk.
        rules_folder: where the rules lie; what is known ends where one of them changes.
    """

    def __init__(self, cache: FactCache, rules_folder: Path) -> None:
        self._cache = cache
        self._rules_folder = rules_folder
        self._known: dict[str, set[str]] = {}
        self._grown: set[str] = set()

    @cached_property
    def _version(self) -> str:
        return source_version(*_SOURCES, self._rules_folder)

    def _of(self, evidence: str) -> set[str]:
        if evidence not in self._known:
            name = digest([self._version, evidence])
            self._known[evidence] = set(self._cache.get(_KIND, name, list))
        return self._known[evidence]

    def knows(self, rule: str, evidence: str) -> bool:
        """Tell whether a rule is known to find nothing."""
        return rule in self._of(evidence)

    def add(self, rule: str, evidence: str) -> None:
        """Note that a rule found nothing."""
        self._of(evidence).add(rule)
        self._grown.add(evidence)

    def save(self) -> None:
        """Write down what is new."""
        for evidence in self._grown:
            name = digest([self._version, evidence])
            self._cache.put(_KIND, name, sorted(self._known[evidence]))
        self._grown.clear()
