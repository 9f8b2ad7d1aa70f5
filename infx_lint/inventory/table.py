"""The inventory as a table: what changed, before, after, for which keys, who describes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.finding import Proof
from infx_lint.inventory.items import Item, Kind

COLUMNS = ("what", "before", "after", "config keys", "described by")
_MOST_ROWS = 20
_LONGEST = 70


def proof_of(items: tuple[Item, ...]) -> Proof:
    """Return some items as a proof."""
    return _proof(COLUMNS[:4], [_row(item) for item in items])


def described_proof(items: tuple[tuple[Item, ChangelogEntry | None], ...]) -> Proof:
    """Return some items as a proof, with the entry that describes each."""
    return _proof(COLUMNS, [(*_row(item), describer(entry)) for item, entry in items])


def _proof(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Proof:
    left = len(rows) - _MOST_ROWS
    conclusion = f"and {left} more" if left > 0 else ""
    return Proof("what the change does", columns, tuple(rows[:_MOST_ROWS]), conclusion)


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
