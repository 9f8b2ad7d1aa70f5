"""Atomic changes: what one change did to what a config key runs, a fact each."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from infx_lint.finding import Location


class Scope(StrEnum):
    """Where a change was made, the gravest first: what it means to leave it without an entry."""

    CONFIG = "config"
    SCRIPT = "script"
    RECIPE = "recipe"
    SHARED = "shared"


class Kind(StrEnum):
    """What was changed."""

    KEY = "key"
    IMAGE = "image"
    MODEL = "model"
    RUNNER = "runner"
    FIELD = "field"
    SCENARIO = "scenario"
    POINTS = "points"
    FLAG = "flag"
    ENVIRONMENT = "environment"
    VARIABLE = "variable"
    COMMAND = "command"
    SETTING = "setting"
    GUARD = "guard"
    SCRIPT = "script"
    RECIPE = "recipe"
    FUNCTION = "function"


class Item(NamedTuple):
    """One atomic change.

    Attributes:
        what: its subject: `image`, `--max-num-seqs`, `1024/8192 tp8`.
        before, after: its values, None where there was or is none. Over several points `4 to 32`.
        keys: the config keys whose runs it changes.
        names: other words that mean the subject: the variable that passes it on.
        exempt: why no changelog entry is needed for it; empty where one is.
        places: where it stands, at the head and at the base.
        is_of_new_key: it came with the key that it belongs to.
    """

    kind: Kind
    scope: Scope
    what: str
    before: str | None
    after: str | None
    keys: tuple[str, ...]
    names: tuple[str, ...] = ()
    exempt: str = ""
    places: tuple[Location, ...] = ()
    is_of_new_key: bool = False

    @property
    def sentence(self) -> str:
        """Return the change as a sentence without a subject in front: `` `image`: a -> b ``."""
        if self.kind is Kind.POINTS:
            return self._points
        subject = f"`{self.what}`"
        if self.before is None:
            if self.after in {None, "set", "runs", "written", "added"}:
                return f"{subject}: new"
            return f"{subject}: new, {self.after}"
        if self.after is None:
            return f"{subject}: dropped"
        return f"{subject}: {self.before} -> {self.after}"

    @property
    def _points(self) -> str:
        old, new = _numbers(self.before), _numbers(self.after)
        if self.before is None:
            return f"row {self.what} added, concurrency {self.after}"
        if self.after is None:
            return f"row {self.what} removed, concurrency {self.before}"
        added = ", ".join(one for one in new if one not in old)
        removed = ", ".join(one for one in old if one not in new)
        parts = [f"concurrency {added} added at {self.what}"] if added else []
        parts += [f"concurrency {removed} removed at {self.what}"] if removed else []
        return "; ".join(parts)

    @property
    def identity(self) -> tuple[str | None, ...]:
        """Return what is equal where several keys were changed alike."""
        return (self.kind, self.scope, self.what, self.before, self.after, self.exempt)


def merged(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return items of several keys with equal ones as one, in their order."""
    found: dict[tuple[str | None, ...], Item] = {}
    for item in items:
        known = found.get(item.identity)
        if known is None:
            found[item.identity] = item
            continue
        found[item.identity] = known._replace(
            keys=tuple(dict.fromkeys((*known.keys, *item.keys))),
            names=tuple(dict.fromkeys((*known.names, *item.names))),
            places=tuple(dict.fromkeys((*known.places, *item.places))),
            is_of_new_key=known.is_of_new_key and item.is_of_new_key,
        )
    return tuple(found.values())


def _numbers(text: str | None) -> list[str]:
    return text.split(", ") if text else []
