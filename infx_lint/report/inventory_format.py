"""The inventory of a change for people, programs and Markdown. JSON: `inventory.schema.json`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from infx_lint.inventory.table import describer, names_of
from infx_lint.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

    from infx_lint.finding import Location
    from infx_lint.inventory.items import Item
    from infx_lint.rule_api import ChangeContext

VERSION = 1
COLUMNS = ("what", "before", "after", "config keys", "described by")


def to_json(change: ChangeContext) -> dict[str, Any]:
    """Return the inventory as the JSON values that the schema describes."""
    return {
        "version": VERSION,
        "base": change.change.base,
        "head": str(change.change.head),
        "items": [_item(change, item) for item in change.inventory.items],
    }


def render_json(change: ChangeContext) -> str:
    """Return the inventory as JSON text."""
    return json.dumps(to_json(change), indent=2) + "\n"


def render_markdown(change: ChangeContext) -> str:
    """Return the inventory as a table in Markdown, one paragraph where there is nothing."""
    items = change.inventory.items
    if not items:
        return "Nothing that is measured changes.\n"
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    lines += [f"| {' | '.join(map(_escaped, _cells(change, item)))} |" for item in items]
    return "\n".join(lines) + "\n"


def print_inventory(change: ChangeContext, console: Console) -> None:
    """Write the inventory to a terminal: a sentence for each change, below the keys concerned."""
    from rich.text import Text

    groups: dict[str, list[Item]] = {}
    for item in change.inventory.items:
        groups.setdefault(names_of(item.keys, quote="") or "shared by many keys", []).append(item)
    for keys, items in groups.items():
        console.print(Text(printable(keys), "bold"), soft_wrap=True)
        for item in items:
            line = Text(f"  {printable(item.sentence)}", "dim" if item.exempt else "")
            line.append(f"  ({printable(_describer(change, item))})", "dim")
            console.print(line, soft_wrap=True)
        console.print()
    count = len(change.inventory.items)
    console.print(f"{count} atomic change{'s' if count != 1 else ''}.")


def _cells(change: ChangeContext, item: Item) -> tuple[str, ...]:
    return (
        item.what,
        "-" if item.before is None else item.before,
        "-" if item.after is None else item.after,
        names_of(item.keys, quote="") or "shared",
        _describer(change, item),
    )


def _describer(change: ChangeContext, item: Item) -> str:
    entry = change.coverage.describing(item)
    if entry is None and item.exempt:
        return f"none needed: {item.exempt}"
    if entry is None and any(change.coverage.selecting(key) for key in item.keys):
        return "no entry says so"
    return describer(entry)


def _escaped(text: str) -> str:
    plain = " ".join(printable(text).split()).replace("\\", "\\\\")
    return plain.replace("|", "\\|").replace("<", "&lt;").replace("`", "\\`")


def _item(change: ChangeContext, item: Item) -> dict[str, Any]:
    entry = change.coverage.describing(item)
    return {
        "kind": item.kind.value,
        "scope": item.scope.value,
        "what": item.what,
        "before": item.before,
        "after": item.after,
        "keys": list(item.keys),
        "exempt": item.exempt or None,
        "described_by": None if entry is None else {"line": entry.span.line},
        "selected": any(change.coverage.selecting(key) for key in item.keys),
        "places": [_place(place) for place in item.places],
    }


def _place(place: Location) -> dict[str, Any]:
    return {
        "path": place.path.display(),
        "side": place.side.value,
        "line": place.span.line,
        "column": place.span.column,
        "end_line": place.span.end_line,
        "end_column": place.span.end_column,
    }
