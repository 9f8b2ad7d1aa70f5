"""Drafts a changelog entry, in the bytes that the linted repository demands."""

from __future__ import annotations

import json

from infx_lint.domain.changelog import Changelog
from infx_lint.domain.pull_request_link import NEWEST_NAME, canonical_link
from infx_lint.finding import Edit, Fix
from infx_lint.inventory.items import Item
from infx_lint.inventory.table import line_of

_MOST_LINES = 12


def draft_entry(
    log: Changelog, number: int | None, keys: tuple[str, ...], items: tuple[Item, ...]
) -> Fix | None:
    """Return an edit that appends an entry, None where there is no older one to follow.

    It is never safe: what a change is for only its author knows.

    Args:
        log: the changelog of the head.
        number: of the pull request; the tolerated placeholder stands in for an unknown one.
        keys: what to select.
        items: what to describe, a line each.
    """
    if not log.entries:
        return None
    text, last = log.file.text, log.entries[-1]
    kept = last.separator or "\n"
    gap = "" if kept.endswith("\n\n") else "\n"
    if not text.text.endswith("\n"):
        gap = f"\n{gap}"
    link = canonical_link(log.repository or NEWEST_NAME, number or "XXX")
    lines = [line_of(item) for item in items[:_MOST_LINES]]
    entry = "".join(
        (
            "- config-keys:\n",
            *(f"    - {key}\n" for key in keys),
            "  description:\n",
            *(f"    - {json.dumps(line, ensure_ascii=False)}\n" for line in lines),
            f"  pr-link: {link}\n",
        )
    )
    end = text.span(len(text.text), len(text.text))
    return Fix("Append an entry", (Edit(log.path, end, f"{gap}{entry}"),), safe=False)
