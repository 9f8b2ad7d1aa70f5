"""What the programs of a benchmark script do: servers, load, evals."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from infx_lint.shell.value import Field, Fields, Many, Mixed, Text

LOAD, EVAL, SERVER = "load", "eval", "server"

_TABLE = Path(__file__).parent.parent / "data" / "programs.json"

# These are given a command as a text.
_SHELLS = frozenset({"bash", "sh", "eval"})
# These name a program without starting it.
_LOOKERS = frozenset({"pgrep", "pkill", "killall", "grep", "which", "command", "type", "tee", "ls"})


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, tuple[str, ...]], ...]:
    table = json.loads(_TABLE.read_bytes())
    return tuple(
        (role, tuple(row["words"])) for role in (LOAD, EVAL, SERVER) for row in table[role]
    )


def role_of(words: Fields) -> str | None:
    """Return what a command does: `load`, `eval`, `server`, None for anything else."""
    return _role([_last_part(word) for word in words], words)


def _role(parts: list[str], words: Fields) -> str | None:
    if parts and parts[0] in _LOOKERS:
        return None
    for role, pattern in _patterns():
        if _stands_in(pattern, parts):
            return role
    if parts and parts[0] in _SHELLS:
        for word in words[1:]:
            if isinstance(word, Field) and isinstance(word.text, str) and " " in word.text:
                return _role_of_text(word.text)
    return None


@lru_cache(maxsize=256)
def _role_of_text(text: str) -> str | None:
    """Return what a command text does; it is only parsed where it names one of the programs."""
    if not any(all(word in text for word in pattern) for _, pattern in _patterns()):
        return None
    from infx_lint.documents.shell_words import commands_in

    roles = (
        _role([word.rpartition("/")[2] for word in command], ())
        for command in commands_in(text) or ()
    )
    return next((role for role in roles if role), None)


def _stands_in(pattern: Iterable[str], parts: list[str]) -> bool:
    position = 0
    for word in pattern:
        try:
            position = parts.index(word, position) + 1
        except ValueError:
            return False
    return True


def _last_part(word: Field | Many) -> str:
    if isinstance(word, Many):
        return ""
    return _end(word.text).rpartition("/")[2]


def _end(text: Text) -> str:
    if isinstance(text, str):
        return text
    last = text.pieces[-1] if isinstance(text, Mixed) else ""
    return last if isinstance(last, str) else ""
