"""What moves no measured number: the table `data/unmeasured.json`, and names of functions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).parent.parent / "data" / "unmeasured.json"


class Unmeasured(NamedTuple):
    """Commands and options by their names, variables and functions by patterns of them.

    Attributes:
        helpers: functions that need not be run to know what a server is given, each with the
            empty text that stands for what it writes. Without them a run takes a fortieth.
    """

    helpers: Mapping[str, str]
    commands: frozenset[str]
    options: frozenset[str]
    variables: re.Pattern[str]
    functions: re.Pattern[str]


@lru_cache(maxsize=1)
def unmeasured() -> Unmeasured:
    """Return the table."""
    table = json.loads(_TABLE.read_bytes())
    return Unmeasured(
        dict.fromkeys(table["helpers"], ""),
        frozenset(table["commands"]),
        frozenset(table["options"]),
        re.compile("|".join(f"(?:{pattern})" for pattern in table["variables"])),
        re.compile("|".join(f"(?:{pattern})" for pattern in table["functions"])),
    )


def is_unmeasured_function(name: str) -> bool:
    """Tell whether a function serves evals, checks, telemetry, waiting or tidying up."""
    return bool(name) and unmeasured().functions.fullmatch(name) is not None
