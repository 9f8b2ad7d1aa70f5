"""What the authors of a change say to the linter in its messages."""

from __future__ import annotations

import re
from collections.abc import Iterable

_SKIP = "[skip-sweep]"


def waiver_of(rule: str, messages: Iterable[str]) -> str | None:
    """Return the reason that a message gives for a finding: `infx-lint: allow[rule] reason`.

    Without a reason it is no waiver.
    """
    pattern = re.compile(rf"infx-lint:\s*allow\[{re.escape(rule)}\][ \t:]*(\S[^\n]*)")
    for message in messages:
        found = pattern.search(message)
        if found:
            return found[1].strip()
    return None


def skips_sweep(messages: Iterable[str]) -> bool:
    """Tell whether the title of a commit asks for no sweep."""
    return any(_SKIP in message.partition("\n")[0] for message in messages)
