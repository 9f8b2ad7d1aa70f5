"""Which changelog entries speak of a change: they select its config key, and their text names it.

A name may be spelled as a flag, a variable or in words (`--max-num-seqs`, `MAX_NUM_SEQS`, "max num
seqs"), so texts are compared without case, dashes and blanks. Numbers and tags speak for
themselves in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from infx_lint.claims.facts import same_names
from infx_lint.domain.changelog import ChangelogEntry
from infx_lint.domain.master_config import selects
from infx_lint.finding import Location, Proof
from infx_lint.inventory.items import Item, Kind
from infx_lint.inventory.table import described_proof

# Words that stand for a kind of change, in English and Chinese.
_WORDS: dict[Kind, str] = {
    Kind.IMAGE: r"image|container|docker|nightly|镜像|容器",
    Kind.MODEL: r"model|weights|checkpoint|模型|权重",
    Kind.RUNNER: r"runner|cluster|pool|节点|集群",
    Kind.SCENARIO: r"agentic|agentx|scenario|sequence|seq|isl|osl|\d+k\d+k|场景|序列",
    Kind.POINTS: r"conc|concurrency|concurrencies|conc-list|search[- ]space|sweeps?|points?"
    r"|rows?|arms?|topolog\w*|并发|搜索空间|扫描",
    Kind.SCRIPT: r"scripts?|recipes?|add|adds|new|config\w*|benchmark\w*|脚本|新增|添加",
    Kind.RECIPE: r"recipes?|variants?|配方",
    Kind.KEY: r".",
}
# Parts of names that say nothing alone.
_FILLERS = frozenset(
    {"enable", "disable", "use", "no", "set", "with", "vllm", "sglang", "rocm", "trtllm", "env"}
)
_LEAST_VALUE = 3
_VERSION = re.compile(r"\d+(?:\.\d+)+\w*|[0-9a-f]{8,40}|\d{8}")
_PLAIN_VALUE = re.compile(
    r"(?:true|false|none|set|runs|written|added|required|\d{1,2})", re.IGNORECASE
)


class Coverage:
    """What the added entries of a change speak of."""

    def __init__(self, added: tuple[ChangelogEntry, ...]) -> None:
        self._texts = tuple((entry, _Text(" \n ".join(entry.descriptions))) for entry in added)

    @property
    def has_entries(self) -> bool:
        """Tell whether the change adds any entry."""
        return bool(self._texts)

    def selecting(self, key: str) -> tuple[ChangelogEntry, ...]:
        """Return the entries that select a config key, wildcards as the repository reads them."""
        return tuple(entry for entry, _ in self._texts if _selects(entry, key))

    def describing(self, item: Item) -> ChangelogEntry | None:
        """Return an entry that selects a key of an item and names what was changed."""
        for entry, text in self._texts:
            if any(_selects(entry, key) for key in item.keys) and text.names(item):
                return entry
        return None


class Undescribed(NamedTuple):
    """An added entry that leaves something out.

    Attributes:
        items: all changes of the keys that it selects, with the entry that describes each.
        missing: those that no added entry names.
    """

    entry: ChangelogEntry
    items: tuple[tuple[Item, ChangelogEntry | None], ...]
    missing: tuple[Item, ...]

    @property
    def summary(self) -> str:
        """Return the first change that is left out, and how many more there are."""
        more = f" and {len(self.missing) - 1} more" if len(self.missing) > 1 else ""
        return f"{self.missing[0].sentence}{more}"

    @property
    def places(self) -> tuple[Location, ...]:
        """Return where what is left out stands."""
        return tuple(place for item in self.missing for place in item.places[:1])

    @property
    def proof(self) -> Proof:
        """Return all changes as a table, with who describes each."""
        return described_proof(self.items)


def undescribed(
    items: Iterable[Item], added: Iterable[ChangelogEntry], coverage: Coverage
) -> tuple[Undescribed, ...]:
    """Return the added entries that leave out something of what they stand for.

    What two entries leave out is told at the first of them.
    """
    found, told = [], set[Item]()
    wanting = [item for item in items if not item.exempt and item.keys and not item.is_of_new_key]
    for entry in added:
        own = tuple(item for item in wanting if any(_selects(entry, key) for key in item.keys))
        described = tuple((item, coverage.describing(item)) for item in own)
        missing = tuple(item for item, by in described if by is None and item not in told)
        if missing:
            told.update(missing)
            found.append(Undescribed(entry, described, missing))
    return tuple(found)


def _selects(entry: ChangelogEntry, key: str) -> bool:
    return any(selects(node.value, key) for node in entry.config_keys)


class _Text:
    def __init__(self, text: str) -> None:
        self._raw = text.lower()
        self._plain = f"_{_plain(text)}_"
        self._parts = frozenset(part for part in self._plain.split("_") if part)
        self._numbers = frozenset(re.findall(r"(?<![\d.])\d+(?![\d.]*\d)", text))

    def names(self, item: Item) -> bool:
        """Tell whether the text names what an item is about, or its values."""
        words = _WORDS.get(item.kind)
        if words and re.search(_whole(words), self._raw):
            return True
        if item.kind is Kind.POINTS and self._names_points(item):
            return True
        names = item.names or (item.what,)
        return any(map(self._names, names)) or any(
            self._holds(value) for value in (item.before, item.after) if value
        )

    def _names(self, name: str) -> bool:
        for one in same_names(name):
            plain = _plain(one)
            if plain and f"_{plain}_" in self._plain:
                return True
        parts = [part for part in _plain(name).split("_") if part not in _FILLERS]
        return len("".join(parts)) >= _LEAST_VALUE and all(map(self._has_part, parts))

    def _has_part(self, part: str) -> bool:
        return part in self._parts or f"{part}s" in self._parts or part.rstrip("s") in self._parts

    def _holds(self, value: str) -> bool:
        """Tell whether the text holds a value that hardly means anything else."""
        if _PLAIN_VALUE.fullmatch(value):
            return False
        if any(version in self._raw for version in _VERSION.findall(value.lower())):
            return True
        if value.isdecimal():
            return value in self._numbers
        return len(value) >= _LEAST_VALUE and f"_{_plain(value)}_" in self._plain

    def _names_points(self, item: Item) -> bool:
        old = set((item.before or "").split(", ")) - {""}
        new = set((item.after or "").split(", ")) - {""}
        changed = old ^ new
        return bool(changed) and len(changed & self._numbers) * 2 >= len(changed)


def _whole(words: str) -> str:
    """Return a pattern of whole words; Chinese ones stand without blanks."""
    return rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])"


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "_", text.lower()).strip("_.")
