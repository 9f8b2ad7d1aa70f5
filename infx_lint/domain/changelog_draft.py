"""Drafts a changelog entry, in the bytes that the linted repository demands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from infx_lint.domain.change_items import Item
from infx_lint.domain.inventory_table import line_of
from infx_lint.domain.pull_request_link import NEWEST_NAME, canonical_link
from infx_lint.finding import Edit, Fix

if TYPE_CHECKING:
    from infx_lint.rule_api import ChangeContext

_MOST_LINES = 12


def entry_for(change: ChangeContext, keys: tuple[str, ...], items: tuple[Item, ...]) -> Fix | None:
    """Return an edit that appends an entry for some keys, None where there is no changelog.

    It is never safe: what a change is for only its author knows.
    """
    log = change.head.changelog
    if log is None or not log.entries:
        return None
    text, last = log.file.text, log.entries[-1]
    kept = last.separator or "\n"
    gap = "" if kept.endswith("\n\n") else "\n"
    if not text.text.endswith("\n"):
        gap = f"\n{gap}"
    link = canonical_link(log.repository or NEWEST_NAME, change.pull_request or "XXX")
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
