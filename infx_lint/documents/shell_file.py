"""A bash script with the exact span of every node, read by shfmt.

Of four parsers measured on 1,906 real scripts shfmt alone read all of them (with one mask) and
never built a wrong tree in silence. It runs in a process of its own, so it can be stopped.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from infx_lint.documents.text_file import TextFile, TooDemanding, Undecodable, parse_text
from infx_lint.finding import Span

if TYPE_CHECKING:
    from infx_lint.documents.shell_tree import Comment, Statement

MAX_BYTES = 1_000_000
# The deepest real script nests 90 nodes; what interprets a tree recurses over it.
MAX_DEPTH = 200

_ERROR = re.compile(r"(?:<standard input>:)?(\d+):(\d+): (.*)")
# shfmt takes the key of an associative array for arithmetic: `[1:2]` lacks a `?` for it.
_MASKED_ERROR = "ternary operator missing"
# The bytes of a character in UTF-8 but the first: `10xxxxxx`.
_TOP_BITS, _CONTINUATION = 0xC0, 0x80
_SUBSCRIPT = re.compile(r"\[[^][]*\]")

Remember = Callable[[Callable[[], Any]], Any]


class UnreadableShell(NamedTuple):
    """A script that shfmt refuses: where, why, and what bash says of it.

    Attributes:
        bash: the error of `bash -n`; empty where bash accepts the file, None where there is no
            bash to ask.
    """

    span: Span
    reason: str
    bash: str | None

    @property
    def limit(self) -> str | None:
        """Return why this is a limit of ours and no fault of the file, None if it is a fault."""
        return None if self.bash else f"{self.reason} (line {self.span.line})"


class ShellFile(NamedTuple):
    """A parsed script: its text, its statements and its comments in the order of the source."""

    text: TextFile
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...]

    def span(self, node: Any) -> Span:  # noqa: ANN401 - any node
        """Return the place of a node."""
        return self.text.span(node.start, node.end)

    def source(self, node: Any) -> str:  # noqa: ANN401
        """Return the text of a node as it is written."""
        return self.text.text[node.start : node.end]


def parse_shell(
    data: bytes, remember: Remember = lambda read: read()
) -> ShellFile | UnreadableShell | TooDemanding:
    """Parse a script.

    Args:
        data: the content of the file.
        remember: returns what the reader that it is given returns, perhaps from an earlier run;
            a value of the kinds that JSON holds.
    """
    if len(data) > MAX_BYTES:
        return TooDemanding(f"{len(data):,} bytes; the limit is {MAX_BYTES:,}")
    text = parse_text(data)
    if isinstance(text, Undecodable):
        span = Span(text.line, text.column, text.line, text.column + 1)
        return UnreadableShell(span, text.reason, text.reason)
    # Rules name `ShellFile` when they are loaded, so this module must cost nothing then.
    from infx_lint.documents.shell_tree import unpack
    from infx_lint.worker import StoppedError

    try:
        read = remember(lambda: _read(data, text.text))
        if "limit" in read:
            return TooDemanding(read["limit"])
        if "reason" in read:
            line, column = read["line"], read["column"]
            place = text.rest_of_line(Span(line, column, line, column))
            return UnreadableShell(place, read["reason"], read["bash"])
        statements, comments = unpack(read["tree"])
    except StoppedError as error:
        return TooDemanding(str(error))
    return ShellFile(text, statements, comments)


def _read(data: bytes, text: str) -> dict[str, Any]:
    """Run shfmt, once more with subscripts masked where it asks for a ternary operator."""
    import json

    from infx_lint.documents.shell_tree import pack
    from infx_lint.worker import run_program

    status, output, errors = run_program("shfmt", ("-ln", "bash", "--to-json"), data)
    masked = data
    while status and _MASKED_ERROR in errors:
        again = _mask(masked, errors)
        if again == masked:
            break
        masked = again
        status, output, errors = run_program("shfmt", ("-ln", "bash", "--to-json"), masked)
    characters = _characters(data)
    if status:
        found = _ERROR.match(errors)
        line, column, reason = found.groups() if found else (1, 1, errors.strip() or "no answer")
        start = sum(len(part) + 1 for part in data.split(b"\n")[: int(line) - 1])
        byte = min(start + int(column) - 1, len(data))
        return {
            "line": int(line),
            "column": characters[byte] - characters[start] + 1,
            "reason": reason,
            "bash": _ask_bash(data),
        }
    from infx_lint.documents.shfmt_json import Adapter

    try:
        nodes = Adapter(text, characters).file(json.loads(output))
        packed = pack(nodes)
    except RecursionError:
        return {"limit": "commands nested too deep"}
    depth = _depth(packed)
    if depth > MAX_DEPTH:
        return {"limit": f"commands nested {depth} nodes deep; the limit is {MAX_DEPTH}"}
    return {"tree": packed}


def _mask(data: bytes, errors: str) -> bytes:
    """Put `_` for `:` inside of brackets on the line that shfmt stumbles over."""
    found = _ERROR.match(errors)
    if not found:
        return data
    lines = data.split(b"\n")
    at = int(found[1]) - 1
    line = lines[at].decode("latin-1")
    lines[at] = _SUBSCRIPT.sub(lambda key: key[0].replace(":", "_"), line).encode("latin-1")
    return b"\n".join(lines)


def _characters(data: bytes) -> list[int] | range:
    """Return the offset in characters for each offset in bytes, the end included."""
    if data.isascii():
        return range(len(data) + 1)
    return [0, *accumulate(byte & _TOP_BITS != _CONTINUATION for byte in data)]


def _ask_bash(data: bytes) -> str | None:
    """Return what bash says against a script without running any of it."""
    from infx_lint.worker import StoppedError, run_program

    try:
        _, _, errors = run_program("bash", ("--norc", "-n"), data)
    except (FileNotFoundError, StoppedError):
        return None
    # The status is no answer: `[[ a -gte b ]]` is an error, and bash 5.2 ends with 0.
    return next((line for line in errors.splitlines() if "warning:" not in line), "")


def _depth(packed: object) -> int:
    """Return how deep lists are nested in each other."""
    deepest, stack = 0, [(packed, 1)]
    while stack:
        here, depth = stack.pop()
        if isinstance(here, list):
            deepest = max(deepest, depth)
            stack += ((item, depth + 1) for item in here)
    return deepest
