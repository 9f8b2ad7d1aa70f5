"""Where a review can show a finding. Labels each one by the diff; never drops one."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from infx_lint.change import ChangedFile, ChangeSet, Hunk
from infx_lint.finding import Location, Side


class Place(StrEnum):
    """Where a finding can stand in a review.

    `inline` on a line of the diff, `file` on a changed file outside of its hunks, `summary` in
    the review's own text: the file is not part of the change.
    """

    INLINE = "inline"
    FILE = "file"
    SUMMARY = "summary"


def place(
    location: Location, change: ChangeSet, hunks: Callable[[ChangedFile], tuple[Hunk, ...]]
) -> Place:
    """Label one place by the diff of its file."""
    file = change.by_head_path.get(location.path)
    if location.side is Side.BASE or file is None:
        return Place.SUMMARY
    if change.base is None:
        return Place.FILE
    line = location.span.line
    if any(hunk.head_line <= line < hunk.head_line + hunk.head_count for hunk in hunks(file)):
        return Place.INLINE
    return Place.FILE
