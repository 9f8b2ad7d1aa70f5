"""The inventory as a table: what changed, before, after, for which keys, who describes it."""

from __future__ import annotations

from collections.abc import Iterable

from infx_lint.domain.change_items import Item, Kind
from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.domain.coverage import Coverage
from infx_lint.finding import Proof

COLUMNS = ("what", "before", "after", "config keys", "described by")
_MOST_ROWS = 20
_LONGEST = 70


def proof_of(items: tuple[Item, ...], coverage: Coverage | None = None) -> Proof:
    """Return the inventory of some items as a proof."""
    shown = items[:_MOST_ROWS]
    rows = [_row(item) for item in shown]
    left = len(items) - len(shown)
    columns: tuple[str, ...] = COLUMNS[:4]
    if coverage is not None:
        columns = COLUMNS
        rows = [
            (*row, describer(coverage.describing(item)))
            for row, item in zip(rows, shown, strict=True)
        ]
    return Proof("what the change does", columns, tuple(rows), f"and {left} more" if left else "")


def describer(entry: ChangelogEntry | None) -> str:
    """Return where an entry stands, for the table."""
    return f"entry at line {entry.span.line}" if entry else "-"


def names_of(keys: Iterable[str], most: int = 3, quote: str = "`") -> str:
    """Return config keys for a reader: `` `a`, `b` and 3 more ``."""
    quoted = [f"{quote}{key}{quote}" for key in keys]
    if not quoted:
        return ""
    if len(quoted) > most:
        return f"{', '.join(quoted[:most])} and {len(quoted) - most} more"
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def _row(item: Item) -> tuple[str, ...]:
    return item.what, _cell(item.before), _cell(item.after), names_of(item.keys, quote="")


def _cell(value: str | None) -> str:
    text = "-" if value is None else " ".join(value.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def line_of(item: Item) -> str:
    """Return an item as a line of a description."""
    text = item.sentence.replace("`", "")
    return text[:1].upper() + text[1:] if item.kind is Kind.POINTS else text
