"""What a comment is compared with: the values of the script, entry or recipe that it speaks of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from infx_lint.finding import Span
from infx_lint.paths import RepoPath

PREFILL, DECODE, WHOLE = "prefill", "decode", "agg"

# Names for one and the same thing in comments, flags of engines and variables of scripts.
_ALIASES = (
    ("gpu_memory_utilization", "gpu_mem_utilization", "gpu_mem_util", "gpu_memory_util", "gmu"),
    ("mem_fraction_static", "mem_frac", "mem_fraction"),
    (
        "cuda_graph_max_bs",
        "cuda_graph_max_batch_size",
        "cudagraph_max_bs",
        "max_cudagraph_capture_size",
    ),
    ("max_num_seqs", "max_req", "max_seqs"),
    ("max_model_len", "context_length"),
    ("conc", "concurrency"),
)
_GROUPS = {name: group for group in _ALIASES for name in group}


class Place(NamedTuple):
    """Where a value is written."""

    path: RepoPath
    span: Span


class Reading(NamedTuple):
    """A value at one point.

    Attributes:
        point: the point for a reader: `CONC=4`, or a variant of a recipe.
        value: the text, None where it cannot be told.
        place: where it is computed.
    """

    point: str
    value: str | None
    place: Place | None


class Quantity(NamedTuple):
    """A name and its value at each point where it has one."""

    name: str
    readings: tuple[Reading, ...]


class Side(NamedTuple):
    """The workers of one kind in a row; None where that is not written.

    Attributes:
        kind: `prefill`, `decode` or `agg`, which does both.
        gpus: GPUs of one worker.
    """

    kind: str
    workers: int | None = None
    nodes: int | None = None
    tp: int | None = None
    ep: int | None = None
    dp: int | None = None
    gpus: int | None = None
    dp_attention: bool | None = None


class Row(NamedTuple):
    """A row of a search space, or a variant of a recipe."""

    sides: tuple[Side, ...]
    concurrencies: tuple[int, ...]
    place: Place
    lengths: str = ""

    def side(self, kind: str) -> Side | None:
        """Return the workers of a kind."""
        return next((side for side in self.sides if side.kind == kind), None)


class Image(NamedTuple):
    """A container image and where it is named."""

    text: str
    place: Place


class Facts(ABC):
    """The values of what a comment speaks of, each read when it is first asked for.

    To read them may mean to run a script at every point, so what is looked for must first stand
    in its text.
    """

    @property
    @abstractmethod
    def images(self) -> tuple[Image, ...]:
        """Return the images that are used."""

    @property
    @abstractmethod
    def rows(self) -> tuple[Row, ...]:
        """Return the rows."""

    @abstractmethod
    def read_quantities(self) -> Iterator[Quantity]:
        """Yield everything that has a name, a value and points."""

    @property
    def sample(self) -> Facts:
        """Return the facts at a few points only: what agrees there is taken for true."""
        return self

    @property
    def inputs(self) -> Hashable:
        """Return what values are computed from: equal inputs give equal values."""
        return None

    @property
    def parts(self) -> tuple[Facts, ...]:
        """Return the facts of other files that belong to these."""
        return ()

    @property
    def points(self) -> tuple[str, ...]:
        """Return all points, those too at which some name has no value."""
        return ()

    @property
    def knows_all_names(self) -> bool:
        """Tell whether what has no value here is not set at all."""
        return False

    def may_hold(self, text: str) -> bool:
        """Tell whether a normalised text stands anywhere in the code; False only if it does not."""
        return bool(text)

    def mentions(self, name: str) -> bool:
        """Tell whether anything reads or sets a name."""
        return bool(self.lookup(name))

    @cached_property
    def _quantities(self) -> Mapping[str, tuple[Quantity, ...]]:
        """Return all quantities by their normalised names."""
        found: dict[str, list[Quantity]] = {}
        for quantity in self.read_quantities():
            found.setdefault(normalised(quantity.name), []).append(quantity)
        return {name: tuple(quantities) for name, quantities in found.items()}

    @cached_property
    def _holders(self) -> Mapping[str, list[Quantity]]:
        """Return the quantities that have a value at some point, by it."""
        found: dict[str, list[Quantity]] = {}
        for quantities in self._quantities.values():
            for quantity in quantities:
                for value in {reading.value: None for reading in quantity.readings}:
                    if value is not None:
                        found.setdefault(value, []).append(quantity)
        return found

    def named(self, *names: str) -> tuple[Quantity, ...]:
        """Return what has one of some normalised names."""
        found: list[Quantity] = []
        if any(map(self.may_hold, names)):
            for name in names:
                found += self._quantities.get(name, ())
        for part in self.parts:
            found += part.named(*names)
        return tuple(found)

    def lookup(self, name: str) -> tuple[Quantity, ...]:
        """Return what a comment may mean by a name.

        Case, dashes and underscores do not matter, aliases are known, and a tail may be left out
        where only one name goes on.
        """
        return self.named(*same_names(name)) or self._going_on(normalised(name))

    def _going_on(self, start: str) -> tuple[Quantity, ...]:
        if "_" not in start:
            return ()
        found: list[Quantity] = []
        if self.may_hold(f"{start}_"):
            longer = [known for known in self._quantities if known.startswith(f"{start}_")]
            found += self._quantities[longer[0]] if len(longer) == 1 else ()
        for part in self.parts:
            found += part._going_on(start)  # noqa: SLF001 - the same class
        return tuple(found)

    def having(self, value: str) -> tuple[Quantity, ...]:
        """Return what has a value at some point."""
        found: list[Quantity] = []
        if self.may_hold(normalised(value)):
            found += self._holders.get(value, ())
        for part in self.parts:
            found += part.having(value)
        return tuple(found)


def same_names(name: str) -> tuple[str, ...]:
    """Return the normalised names of what a name means."""
    plain = normalised(name)
    return _GROUPS.get(plain, (plain,))


def normalised(name: str) -> str:
    """Return a name without what differs between flags, variables and prose."""
    return name.lower().strip("-").replace("-", "_")
