"""The byte format of changelog entries, as the linted repository's tools demand it.

Source: `parse_changelog` and `validate_raw_change` in its `validate_perf_changelog.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.finding import Span

_OPENING = "- config-keys:"
_BYTES = {"\t": "a tab", "\r": "a carriage return"}


class FormatFault(NamedTuple):
    """One place where added bytes break the format.

    Attributes:
        label: the kind of fault, a few words.
        edit: a span and the text that belongs there, None where that cannot be told.
        refused: whether the repository's tools refuse it.
    """

    entry: ChangelogEntry
    span: Span
    label: str
    message: str
    edit: tuple[Span, str] | None
    refused: bool = True


def find_byte_faults(entry: ChangelogEntry) -> Iterator[FormatFault]:
    """Yield the first tab and carriage return of an entry, and an opening that tools overlook."""
    text = entry.text
    for char, name in _BYTES.items():
        offset = text.text.find(char, entry.start, entry.end)
        if offset >= 0:
            yield FormatFault(
                entry,
                text.span(offset, offset + 1),
                name,
                f"There is {name} in the entry for {entry.name}. "
                "Use blanks to indent, and line feeds alone to end lines.",
                None,
            )
    if entry.field("config-keys") is not None and not entry.content.startswith(_OPENING):
        yield FormatFault(
            entry,
            text.rest_of_line(text.span(entry.start, entry.start)),
            "opening",
            f"The entry for {entry.name} does not open with `{_OPENING}` at the start of its line. "
            "The repository's tools overlook it.",
            None,
        )


def separator_fault(
    above: ChangelogEntry, below: ChangelogEntry, kept: int, wanted: str
) -> FormatFault:
    """Describe a separator that is not one empty line.

    Args:
        above: the entry that the separator follows.
        below: the added entry under it, which the fault is about.
        kept: how many characters of the separator are history and stay.
        wanted: the whole separator as it should be.
    """
    found = above.separator[kept:]
    lines = above.separator.split("\n")[1:-1]
    if not lines:
        what = "is no empty line"
    elif not found:
        what = f"is only `{make_visible(lines[-1])}`, which is old text and must stay"
    elif len(lines) == 1:
        what = f"is `{make_visible(lines[0])}`, which is no empty line"
    else:
        what = f"are {len(lines)} lines instead of one"
    remedy = (
        "Put exactly one empty line there"
        if found or not lines
        else "Blanks make no empty line: add one below it"
    )
    between = below.text.span(above.content_end + kept, below.start)
    return FormatFault(
        below,
        below.span,
        "separator",
        f"Above the entry for {below.name} there {what}. {remedy}.",
        None if found.strip() else (between, wanted[kept:]),
    )


def find_end_fault(entry: ChangelogEntry) -> Iterator[FormatFault]:
    """Yield what is wrong with the end of the file below its last, added entry.

    The repository's tools refuse a missing line feed and an empty line. Blanks they accept, but
    those become history that must never change, and the next author stumbles over them.
    """
    text, end = entry.text, entry.content_end
    if not entry.separator:
        yield FormatFault(
            entry,
            text.span(end, end),
            "end of file",
            "The file does not end with a line feed. Add one.",
            (text.span(end, end), "\n"),
        )
    elif entry.separator != "\n" and not entry.separator.strip():
        lines = entry.separator[1:].split("\n")[:-1]
        one, many = (
            ("a line of blanks", "lines of blanks")
            if any(lines)
            else ("an empty line", "empty lines")
        )
        what = one if len(lines) == 1 else f"{len(lines)} {many}"
        yield FormatFault(
            entry,
            text.line_span(text.line_of(end) + 1),
            "end of file",
            f"The file ends with {what} (`{make_visible(entry.separator[1:])}`). "
            "Remove what is below the last entry.",
            (text.span(end, entry.end), "\n"),
            refused=entry.separator.endswith("\n\n"),
        )


def make_visible(text: str) -> str:
    """Show blanks at the end of a line, tabs, and line ends as signs."""
    stripped = text.rstrip(" \t\r\n")
    signs = {" ": "␠", "\t": "␉", "\r": "␍", "\n": "␊"}
    tail = "".join(signs[char] for char in text[len(stripped) :])
    return stripped.replace("\t", "␉").replace("\r", "␍") + tail
