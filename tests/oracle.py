"""Runs a script under bash for real, every program stubbed, and tells what was started.

It is what abstract runs are compared with. bubblewrap gives it a root of its own, read-only but for
the copied tree, and no network; there is no program in it but those that scripts compute with.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

# Harmless, and scripts compute values with them.
TOOLS = (
    *("dirname", "basename", "cat", "seq", "mkdir", "tr", "cut", "sed", "awk", "grep", "head"),
    *("sort", "wc", "date", "mktemp", "expr", "tee", "cp", "mv", "touch", "ls", "find"),
    *("paste", "env"),
)
# Stubs that scripts look for before they start them.
EXPECTED = ("/opt/aiperf/bin/aiperf", "/opt/aiperf/bin/hf", "/opt/aiperf/bin/python")
MOST_ROUNDS = 12
RECORD = r"""
__record() {
  local names=() name
  for name in $(compgen -e); do names+=("$name=${!name}"); done
  # A file for each program: those in the background write at the same time.
  printf '%s\0' "$#" "$@" "${names[@]}" > "/tmp/oracle/log/$EPOCHREALTIME-$BASHPID"
}
"""
PRELUDE = (
    RECORD
    + r"""
command_not_found_handle() { __record "$@"; }
# A stubbed server is gone at once; it must look alive for a while, and not for ever.
kill() { [ "$1" = -0 ] || return 0; __alive=$(( ${__alive:-0} + 1 )); (( __alive % 3 )); }
wait() { return 0; }
tail() { case " $* " in *" -f "*|*" -F "*) ;; *) command tail "$@" ;; esac; }
command() {
  [ "$1" = -v ] || { builtin command "$@"; return; }
  # What a script looks for is there from then on.
  [ -e "/tools/$2" ] || builtin command -p cp /tmp/oracle/stub "/tools/$2"
  echo "/tools/$2"
}
"""
)
STUB = f'#!/bin/bash\nunset BASH_ENV\n{RECORD}__record "$0" "$@"\n'
MISSING = re.compile(r": (/[^ :]+): No such file or directory")


class Started(NamedTuple):
    """A program that was started: its words, and the variables that it saw."""

    words: tuple[str, ...]
    environment: Mapping[str, str]


class Outcome(NamedTuple):
    """Everything that was started, in order, the exit status, and what was said."""

    started: tuple[Started, ...]
    status: int | None
    errors: str


@cache
def _works() -> bool:
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def require_sandbox() -> None:
    """Skip where there is no sandbox; fail where the machine is meant to have one."""
    if not shutil.which("bwrap"):
        message = "bubblewrap (bwrap) is not installed"
        if os.environ.get("INFX_SHARED"):
            pytest.fail(message)
        pytest.skip(message)
    if not _works():
        pytest.skip("bubblewrap may not make namespaces on this machine")


def run_under_bash(
    tree: Path, script: str, environment: Mapping[str, str], folder: Path, seconds: float = 20
) -> Outcome:
    """Run a script of a tree and return what it started.

    Args:
        tree: a folder that is mounted, writable, at `/workspace`.
        script: its path in the tree.
        environment: all that it is given.
        folder: an empty one for what the oracle itself writes.
        seconds: how long it may take.
    """
    stubs, oracle, tools = folder / "stubs", folder / "oracle", folder / "tools"
    for path in (stubs, oracle, tools):
        path.mkdir(parents=True)
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    (oracle / "prelude").write_text(PRELUDE)
    for stub in (stubs / "stub", oracle / "stub"):
        stub.write_text(STUB)
        stub.chmod(0o755)
    missing = set(EXPECTED)
    for _ in range(MOST_ROUNDS):
        shutil.rmtree(oracle / "log", ignore_errors=True)
        (oracle / "log").mkdir()
        status, errors = _once(tree, script, environment, folder, missing, seconds)
        found_missing = set(MISSING.findall(errors)) - missing
        # Programs that are named by a path get a stub there, and the script another start.
        if not found_missing:
            break
        missing |= found_missing
    return Outcome(tuple(_read(oracle / "log")), status, errors)


def _once(  # noqa: PLR0913, PLR0917 - what `run_under_bash` is given, and what is missing
    tree: Path,
    script: str,
    environment: Mapping[str, str],
    folder: Path,
    missing: set[str],
    seconds: float,
) -> tuple[int | None, str]:
    command = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    for path in ("/usr", "/bin", "/lib", "/lib64", "/sbin"):
        if os.path.lexists(path):
            command += ["--ro-bind", path, path]
    command += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - the sandbox's
    command += ["--bind", str(folder / "oracle"), "/tmp/oracle"]  # noqa: S108
    command += ["--bind", str(folder / "tools"), "/tools", "--bind", str(tree), "/workspace"]
    for path in sorted(missing):
        if not path.startswith(
            ("/usr/", "/bin/", "/lib", "/workspace/", "/tools/", "/dev/", "/proc/")
        ):
            command += ["--ro-bind", str(folder / "stubs" / "stub"), path]
    given = {"PATH": "/tools", "BASH_ENV": "/tmp/oracle/prelude", **environment}  # noqa: S108
    for name, value in given.items():
        command += ["--setenv", name, value]
    # What is still in the background gets the time to say that it was started.
    rest = '/bin/bash "$0"; status=$?; /usr/bin/sleep 0.2; exit $status'
    command += ["--chdir", "/workspace", "/bin/bash", "-c", rest, script]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired as error:
        return None, str(error.stderr or "")
    return done.returncode, done.stdout + done.stderr


def _read(log: Path) -> Iterator[Started]:
    for file in sorted(log.iterdir()):
        count, *fields = file.read_bytes().decode(errors="replace").split("\0")[:-1]
        environment = dict(item.split("=", 1) for item in fields[int(count) :])
        name, *words = fields[: int(count)]
        yield Started((name.removeprefix("/tools/"), *words), environment)
