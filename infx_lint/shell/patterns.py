"""Patterns and regular expressions of bash, as far as they can be matched in bounded time.

Both come from scripts that nobody has checked: what might cost more than a glance is `None`.
"""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

LONGEST = 1000
_MOST_QUANTIFIERS = 4
# POSIX classes, extended globs and collating elements mean other things to `fnmatch`.
_FOREIGN = re.compile(r"\[[:.=]|[?*+@!]\(")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    if len(pattern) > LONGEST or _FOREIGN.search(pattern):
        return None
    return re.compile(translate(pattern))


def matches(text: str, pattern: str) -> bool | None:
    """Tell whether the whole of a text matches a glob; quoted stretches are escaped before."""
    if len(text) > LONGEST:
        return None
    compiled = _compiled(pattern)
    return None if compiled is None else compiled.match(text) is not None


def quote(text: str) -> str:
    """Return a glob that stands for exactly a text."""
    return re.sub(r"([*?[])", r"[\1]", text)


def search(text: str, expression: str) -> bool | None:
    """Tell whether an extended regular expression is found in a text."""
    if len(text) > LONGEST or len(expression) > LONGEST:
        return None
    # Groups and alternatives can make matching exponential; real scripts test numbers and names.
    outside = re.sub(r"\[[^]]*\]", "x", expression)
    if re.search(r"[()|{}\\]|\[[:.=]", outside) or "[:" in expression:
        return None
    if len(re.findall(r"[*+?]", outside)) > _MOST_QUANTIFIERS:
        return None
    try:
        return re.search(expression.replace("$", r"\Z"), text) is not None
    except re.error:
        return None


def without(text: str, pattern: str, operator: str) -> str | None:
    """Return a text without what `#`, `##`, `%` or `%%` removes."""
    if len(text) > LONGEST:
        return None
    lengths = range(len(text) + 1)
    for length in lengths if len(operator) == 1 else reversed(lengths):
        part = text[:length] if operator[0] == "#" else text[len(text) - length :]
        found = matches(part, pattern)
        if found is None:
            return None
        if found:
            return text[length:] if operator[0] == "#" else text[: len(text) - length]
    return text
