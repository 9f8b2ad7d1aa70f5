"""The values that a benchmark script gives its server, at every point that config rows give it."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple

from infx_lint.claims.facts import Place, Quantity, Reading
from infx_lint.finding import Span
from infx_lint.paths import RepoPath


class ScriptValues(NamedTuple):
    """What the servers of a script are given.

    Attributes:
        points: the points at which one is started.
        is_complete: every point could be run, with everything that the script sources.
        sourced: the files that it sources.
        quantities: flags, what JSON in them holds, and variables.
    """

    points: tuple[str, ...]
    is_complete: bool
    sourced: tuple[RepoPath, ...]
    quantities: tuple[Quantity, ...]


def values_from(facts: list[Any]) -> ScriptValues:
    """Return the values from what `values_of` wrote down."""
    labels, is_complete, sourced, values = facts
    quantities = []
    for name, found in values.items():
        # In the order of the points, each value of a point once.
        readings = sorted(
            (
                (index, value, place)
                for value, place, indices in found
                for index in dict.fromkeys(indices)
            ),
            key=itemgetter(0),
        )
        quantities.append(
            Quantity(
                name,
                tuple(
                    Reading(
                        labels[index],
                        value,
                        Place(RepoPath(place[0]), Span(*place[1])) if place else None,
                    )
                    for index, value, place in readings
                ),
            )
        )
    paths = tuple(map(RepoPath, sourced))
    return ScriptValues(tuple(labels), is_complete, paths, tuple(quantities))
