"""Master configs: the files that define config keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from infx_lint.documents.yaml_file import YamlFile
from infx_lint.documents.yaml_tree import MappingNode, ScalarNode
from infx_lint.documents.yaml_value import NotConstructibleError, value_of
from infx_lint.finding import Span
from infx_lint.paths import RepoPath


class ConfigKey(NamedTuple):
    """A config key where it is defined."""

    name: str
    path: RepoPath
    span: Span


@dataclass(frozen=True)
class ConfigKeys:
    """All config keys of one tree, in the order in which they are defined."""

    defined: tuple[ConfigKey, ...]

    @cached_property
    def _by_name(self) -> dict[str, ConfigKey]:
        return {key.name: key for key in self.defined}

    def matches(self, selector: str) -> bool:
        """Tell whether a selector of the changelog finds a key.

        As `get_config_keys_from_master` of the linted repository: `*` is any text, everything
        else stands for itself, and the whole key must match.
        """
        if "*" not in selector:
            return selector in self._by_name
        return any(selects(selector, name) for name in self._by_name)

    def nearest(self, selector: str) -> ConfigKey | None:
        """Return the key that a mistyped selector most likely means."""
        from difflib import get_close_matches

        near = get_close_matches(selector.replace("*", ""), self._by_name, n=1, cutoff=0.8)
        return self._by_name[near[0]] if near else None


def selects(selector: str, key: str) -> bool:
    """Tell whether a selector of the changelog means a config key."""
    if "*" not in selector:
        return selector == key
    first, *middle, last = selector.split("*")
    return _matches(key, first, middle, last)


def _matches(name: str, first: str, middle: list[str], last: str) -> bool:
    """Match what stands between the stars from left to right, without going back."""
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for part in middle:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def config_keys_of(file: YamlFile, path: RepoPath) -> tuple[ConfigKey, ...] | None:
    """Return the config keys of a master config in the order of the file, repeated ones too.

    None where the file is no mapping, so that nothing can be said of its keys.
    """
    root = file.root
    if not isinstance(root, MappingNode):
        return None
    return tuple(
        ConfigKey(_name(key), path, file.span(key))
        for key, _ in root.value
        if isinstance(key, ScalarNode)
    )


def _name(key: ScalarNode) -> str:
    """Return a key as the loader names it; keys that are no strings are written as Python does."""
    try:
        return str(value_of(key))
    except NotConstructibleError:
        return str(key.value)
