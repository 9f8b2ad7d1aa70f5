"""Which config keys a change leaves without a changelog entry: the ledger test.

The last entry that stays in the changelog and selects a key vouches for what the key ran when that
entry was added. If it runs the same now, nothing is missing, whatever was done and undone between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.domain.master_config import selects
from infx_lint.finding import Location, Proof
from infx_lint.inventory.compare import Inventory
from infx_lint.inventory.coverage import Coverage
from infx_lint.inventory.items import Item, Scope
from infx_lint.inventory.table import names_of, proof_of

SameAsThen = Callable[[ChangelogEntry, str, frozenset[Scope]], bool]


class Missing(NamedTuple):
    """Config keys that were changed alike, without an entry.

    Attributes:
        keys: the keys; empty for shared files.
        items: the changes that want an entry, in the order of the inventory.
    """

    scope: Scope
    keys: tuple[str, ...]
    items: tuple[Item, ...]

    @property
    def names(self) -> str:
        """Return the keys for a message."""
        return names_of(self.keys)

    @property
    def is_new(self) -> bool:
        """Tell whether the keys came with the change."""
        return all(item.is_of_new_key for item in self.items)

    @property
    def summary(self) -> str:
        """Return the first change, and how many more there are."""
        more = f", and {len(self.items) - 1} more" if len(self.items) > 1 else ""
        return f"{self.items[0].sentence}{more}"

    @property
    def places(self) -> tuple[Location, ...]:
        """Return where the changes stand."""
        return tuple(place for item in self.items for place in item.places)

    @property
    def proof(self) -> Proof:
        """Return the changes as a table."""
        return proof_of(self.items)


def missing_entries(
    inventory: Inventory,
    coverage: Coverage,
    kept: Iterable[ChangelogEntry],
    same_as_then: SameAsThen,
) -> tuple[Missing, ...]:
    """Return what wants an entry and has none.

    Args:
        inventory: what was changed.
        coverage: the entries that the change adds.
        kept: the older entries that are still there, in their order.
        same_as_then: tells whether a key runs what it ran when an entry was added, as far as some
            scopes go.
    """
    wanting = [item for item in inventory.items if not item.exempt]
    by_key: dict[str, tuple[Item, ...]] = {}
    for item in wanting:
        for key in item.keys:
            if not coverage.selecting(key):
                by_key[key] = (*by_key.get(key, ()), item)
    older = tuple(reversed(tuple(kept))) if by_key else ()
    groups: dict[tuple[Item, ...], list[str]] = {}
    for key, items in by_key.items():
        entry = _last(older, inventory.renamed.get(key, key), key)
        scopes = frozenset(item.scope for item in items)
        if entry is None or not same_as_then(entry, key, scopes):
            groups.setdefault(items, []).append(key)
    found = tuple(Missing(items[0].scope, tuple(keys), items) for items, keys in groups.items())
    if found or coverage.has_entries:
        # Libraries and launchers change along with what needs them.
        return found
    shared = tuple(item for item in wanting if item.scope is Scope.SHARED)
    return (Missing(Scope.SHARED, (), shared),) if shared else ()


def _last(newest_first: tuple[ChangelogEntry, ...], *names: str) -> ChangelogEntry | None:
    for entry in newest_first:
        if entry.is_of_evals_only:
            # It vouches for no measurement.
            continue
        if any(selects(node.value, name) for node in entry.config_keys for name in names):
            return entry
    return None
