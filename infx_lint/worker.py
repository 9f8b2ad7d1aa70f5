"""Runs a reader of untrusted text in a process of its own, which can be stopped.

Some parsers can be made to hang, or to bring the whole process down (libcst's native parser
overflows its stack on deeply nested source). What they read comes from pull requests.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from functools import lru_cache
from importlib import import_module
from typing import Any

SECONDS = 5.0
# A parser that is a program reads the longest real script in 0.3 s; a busy machine takes longer.
PROGRAM_SECONDS = 15.0


class StoppedError(Exception):
    """The reader did not answer: a limit of ours, no fact about the text that could be kept."""


def read_confined(reader: str, data: bytes, *arguments: str) -> Any:  # noqa: ANN401 - JSON
    """Return what a reader makes of `data`: a value of the kinds that JSON holds.

    Args:
        reader: `module:function`; it is given the bytes and the arguments.
        data: the untrusted text.
        arguments: further arguments of the reader.

    Raises:
        StoppedError: it took too long, or broke.
    """
    # -P: nothing is ever imported from the current folder, which may be anybody's checkout.
    command = (sys.executable, "-P", "-m", __name__, reader, *arguments)
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise StoppedError(f"reading it takes more than {SECONDS:g} seconds") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        reason = last[0] if last and done.returncode > 0 else "the parser crashed on it"
        raise StoppedError(reason)
    return json.loads(done.stdout)


def run_program(name: str, arguments: tuple[str, ...], data: bytes) -> tuple[int, bytes, str]:
    """Run a parser that is a program of its own on `data` and return status, output and errors.

    Raises:
        FileNotFoundError: there is no such program; it says how to get it.
        StoppedError: it took too long.
    """
    program = find_program(name)
    if program is None:
        raise FileNotFoundError(
            f"{name} is not installed; reinstall infx-lint (pip install infx-lint)"
        )
    try:
        done = subprocess.run(
            (program, *arguments),
            input=data,
            capture_output=True,
            timeout=PROGRAM_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise StoppedError(f"reading it takes more than {PROGRAM_SECONDS:g} seconds") from None
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


@lru_cache
def find_program(name: str) -> str | None:
    """Return the path of a program: installed beside this package, else on the search path."""
    import shutil

    beside = shutil.which(name, path=sysconfig.get_path("scripts"))
    return beside or shutil.which(name)


def main() -> None:
    """Answer one request: the reader's name and arguments as options, the text as input."""
    module, _, function = sys.argv[1].partition(":")
    reader = getattr(import_module(module), function)
    json.dump(reader(sys.stdin.buffer.read(), *sys.argv[2:]), sys.stdout)


if __name__ == "__main__":
    main()
