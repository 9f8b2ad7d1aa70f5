"""Command text that lives inside of strings: `bash -c "..."`, `eval "$COMMAND"`, `run:` blocks.

bashlex reads it, in a process that can be stopped: it hangs on `A='${'`. It stumbles over
arithmetic and may look into single quotes, so both are masked at equal length before. What it
cannot read is `Unknown` to the caller, never an empty answer. (bashlex is GPLv3+; this module
alone imports it.)
"""

from __future__ import annotations

import re
from typing import Any

from infx_lint.worker import StoppedError, read_confined

_ARITHMETIC = re.compile(r"\$?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)")
_SINGLE_QUOTED = re.compile(r"(?<!\\)'([^']*)'")
_LONGEST = 100_000


def commands_in(text: str) -> tuple[tuple[str, ...], ...] | None:
    """Return the words of every simple command in a text, None if it cannot be read.

    Words are as they are written, without their quotes; expansions stay as they stand.
    """
    if len(text) > _LONGEST:
        return None
    try:
        found = read_confined(f"{__name__}:read", text.encode("utf-8", "replace"))
    except StoppedError:
        return None
    return None if found is None else tuple(tuple(words) for words in found)


def mask(text: str) -> str:
    """Blank out what bashlex misreads, keeping every offset."""
    text = _SINGLE_QUOTED.sub(lambda found: "'" + "x" * len(found[1]) + "'", text)
    return _ARITHMETIC.sub(lambda found: "0" * len(found[0]), text)


def read(data: bytes) -> list[list[str]] | None:
    """Read a text in this process; the confined side of `commands_in`."""
    import bashlex  # type: ignore[import-untyped]
    import bashlex.errors  # type: ignore[import-untyped]

    text = data.decode("utf-8", "replace")
    try:
        trees = bashlex.parse(mask(text))
    except (
        bashlex.errors.ParsingError,
        NotImplementedError,
        ValueError,
        AttributeError,
        TypeError,
    ):
        return None
    found: list[list[str]] = []
    for node in trees:
        _collect(node, text, found)
    return found


def _collect(node: Any, text: str, found: list[list[str]]) -> None:  # noqa: ANN401 - untyped library
    if node.kind == "command":
        words = [
            _unquote(text[part.pos[0] : part.pos[1]]) for part in node.parts if part.kind == "word"
        ]
        if words:
            found.append(words)
    for child in (*getattr(node, "parts", ()), *getattr(node, "list", ())):
        _collect(child, text, found)
    command = getattr(node, "command", None)
    if command is not None:
        _collect(command, text, found)


def _unquote(word: str) -> str:
    return word.replace('"', "").replace("'", "").replace("\\\n", "").replace("\\", "")
