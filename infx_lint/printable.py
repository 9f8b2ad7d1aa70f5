"""Makes untrusted text safe to print on one line."""

from __future__ import annotations


def printable(text: str) -> str:
    """Show line feeds as `␊` and every other control or invisible character as a sign.

    What comes from a change could otherwise move the cursor, hide text by its direction, or
    start a line that a CI system takes for a command.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else "␊" if char == "\n" else "\ufffd" for char in text
    )
