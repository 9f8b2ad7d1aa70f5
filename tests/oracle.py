"""Runs a script under bash for real, every program stubbed, and tells what was started.

It is what abstract runs are compared with. bubblewrap gives it a root of its own, read-only but for
the copied tree, and no network; there is no program in it but those that scripts compute with.
"""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

# Harmless, and scripts compute values with them.
TOOLS = (
    *("dirname", "basename", "cat", "seq", "mkdir", "tr", "cut", "sed", "awk", "grep", "head"),
    *("tail", "sort", "wc", "date", "mktemp", "expr", "tee", "cp", "mv", "touch", "ls", "find"),
    "paste",
)
# Stubs that scripts look for before they start them.
EXPECTED = ("/opt/aiperf/bin/aiperf", "/opt/aiperf/bin/hf", "/opt/aiperf/bin/python")
# Stubs from the first round on: of `exec` too, bash's handler learns nothing.
NAMES = ("python", "python3", "vllm", "sglang", "trtllm-serve", "hf", "curl")
MOST_ROUNDS = 12
# What bash and the sandbox set themselves.
OWN_VARIABLES = frozenset({"BASH_ENV", "OLDPWD", "PATH", "PWD", "SHLVL", "_"})
PRELUDE = r"""
command_not_found_handle() { exec /tmp/oracle/stub "$@"; }
# A stubbed server is gone at once; it must look alive until it is killed, and not for ever.
declare -A __polls=()
kill() {
  local - __pid
  set +eux
  if [ "${1-}" = -0 ]; then
    __pid=${@: -1}
    [ -n "$__pid" ] || return 1
    __pid=x${__pid#-}
    __polls[$__pid]=$((${__polls[$__pid]:-0} + 1))
    [ "${__polls[$__pid]}" -le 50 ]
    return
  fi
  for __pid; do __polls[x${__pid#-}]=50; done
}
wait() { return 0; }
tail() { case " $* " in *" -f "*|*" -F "*) ;; *) builtin command tail "$@" ;; esac; }
command() {
  [ "$1" = -v ] || { builtin command "$@"; return; }
  # What a script looks for is there from then on.
  [ -e "/tools/$2" ] || builtin command -p cp /tmp/oracle/stub "/tools/$2"
  echo "/tools/$2"
}
"""
# The trap also speaks when a function is entered, before its first command, with its arguments.
WATCH = r"""
__depth=0
__watch() {
  local - __last=$__depth
  set +eux
  __depth=$((${#FUNCNAME[@]} - 1))
  [ "$__depth" -gt "$__last" ] || return 0
  case '%s' in *" ${FUNCNAME[1]} "*)
    printf '%%s\0' "$(($# + 1))" 0 "${FUNCNAME[1]}" "$@" \
      > "/tmp/oracle/log/$EPOCHREALTIME-$BASHPID-function" ;;
  esac
  return 0
}
set -o functrace
trap '__argument=$_; __watch "$@"; : "$__argument"' DEBUG
"""
# -p: a stub reads no prelude and no functions. A record has a file of its own, for programs in the
# background write at the same time. A venv is more than its making: scripts look for what is in it.
STUB = r"""#!/bin/bash -p
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0
words=("$0" "$@")
[ "$0" != /tmp/oracle/stub ] || words=("$@")
mapfile -d '' -t variables < /proc/self/environ
printf '%s\0' "${#words[@]}" "${#variables[@]}" "${words[@]}" "${variables[@]}" \
  > "/tmp/oracle/log/$EPOCHREALTIME-$BASHPID"
[ ! -f "/tmp/oracle/outputs/${words[0]##*/}" ] || /bin/cat "/tmp/oracle/outputs/${words[0]##*/}"
case "${words[*]}" in uv\ venv\ *|*/uv\ venv\ *|*\ -m\ venv\ *)
  while [ "$1" != venv ]; do shift; done
  shift
  while [ $# -gt 0 ]; do
    case $1 in --python|--prompt|-p) shift ;; -*) ;; *) break ;; esac
    shift
  done
  /bin/mkdir -p "${1:-.venv}/bin"
  for name in python python3 pip aiperf hf; do
    /bin/cp /tmp/oracle/stub "${1:-.venv}/bin/$name"
  done 2> /dev/null
esac
# Who writes into a stub must not find it gone already.
[ ! -p /dev/stdin ] || /bin/sleep 0.05
"""
# What `env` starts, bash never sees, and what it says may go into a log.
ENV = r"""#!/bin/bash -p
for word; do
  case $word in *=*|-*) ;; *) break ;; esac
done
case ${word-} in ""|*[=/]*|-*) ;; *)
  [ -e "/tools/$word" ] || /bin/cp /tmp/oracle/stub "/tools/$word" ;;
esac
exec /usr/bin/env "$@"
"""
# bash's own words alone: a file that `cat` misses is no program.
MISSING = re.compile(r": line \d+: (/[^ :]+): No such file or directory$", re.MULTILINE)
MISSING_NAME = re.compile(
    r"(?: exec: ([\w.+-]+): not found|^env: \W([\w.+-]+)\W: No such file or directory)$",
    re.MULTILINE,
)


class Started(NamedTuple):
    """A program that was started: its words, and the variables that it saw."""

    words: tuple[str, ...]
    environment: Mapping[str, str]


class Outcome(NamedTuple):
    """What was started, in order, the exit status (None: out of time), and what was said.

    A function is its name and its arguments; only those that were watched are here.
    """

    started: tuple[Started, ...]
    status: int | None
    errors: str
    functions: tuple[tuple[str, ...], ...] = ()


@cache
def sandbox_available() -> bool:
    """Return whether bubblewrap is here and may make namespaces."""
    command = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    return bool(shutil.which("bwrap")) and (
        subprocess.run(command, capture_output=True, check=False).returncode == 0
    )


def require_sandbox() -> None:
    """Skip where there is no sandbox; fail where the machine is meant to have one."""
    if not shutil.which("bwrap"):
        message = "bubblewrap (bwrap) is not installed"
        if os.environ.get("INFX_SHARED"):
            pytest.fail(message)
        pytest.skip(message)
    if not sandbox_available():
        pytest.skip("bubblewrap may not make namespaces on this machine")


def run_under_bash(  # noqa: PLR0913 - each is a plain fact of the run
    tree: Path,
    script: str,
    environment: Mapping[str, str],
    folder: Path,
    seconds: float = 20,
    *,
    watch: Collection[str] = (),
    outputs: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a script of a tree and return what it started.

    Args:
        tree: a folder that is mounted, writable, at `/workspace`.
        script: its path in the tree.
        environment: all that it is given.
        folder: an empty one for what the oracle itself writes.
        seconds: how long it may take, all rounds together.
        watch: names of shell functions whose calls are told as well.
        outputs: what programs print, by name; others print nothing.
    """
    stubs, oracle, tools = folder / "stubs", folder / "oracle", folder / "tools"
    for path in (stubs, oracle, tools):
        path.mkdir(parents=True)
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            # Debian's awk is a link into /etc, which the sandbox does not have.
            (tools / tool).symlink_to(Path(found).resolve())
    (oracle / "prelude").write_text(PRELUDE + (WATCH % f" {' '.join(watch)} " if watch else ""))
    _write(tools / "env", ENV)
    for stub in (stubs / "stub", oracle / "stub", *(tools / name for name in NAMES)):
        _write(stub, STUB)
    (oracle / "outputs").mkdir()
    for name, text in (outputs or {}).items():
        (oracle / "outputs" / name).write_text(text)
    missing = set(EXPECTED)
    end = time.monotonic() + seconds
    for _ in range(MOST_ROUNDS):
        shutil.rmtree(oracle / "log", ignore_errors=True)
        (oracle / "log").mkdir()
        command = _command(tree, script, environment, folder, missing)
        status, errors = _once(command, end - time.monotonic())
        # Programs that the handler does not see get a stub, and the script another start.
        paths = set(MISSING.findall(errors)) - missing
        names = {one or other for one, other in MISSING_NAME.findall(errors)}
        names = {name for name in names if not (tools / name).exists()}
        if status is None or not (paths or names):
            break
        missing |= paths
        for name in names:
            _write(tools / name, STUB)
    records = list(_read(oracle / "log"))
    return Outcome(
        tuple(record for name, record in records if not name.endswith("-function")),
        status,
        errors,
        tuple(record.words for name, record in records if name.endswith("-function")),
    )


def _write(path: Path, program: str) -> None:
    path.write_text(program)
    path.chmod(0o755)


def _command(
    tree: Path, script: str, environment: Mapping[str, str], folder: Path, missing: set[str]
) -> list[str]:
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
    return [*command, "--chdir", "/workspace", "/bin/bash", "-pc", rest, script]


def _once(command: list[str], seconds: float) -> tuple[int | None, str]:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=max(seconds, 0),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b"").decode(errors="replace")
    return done.returncode, done.stdout.decode(errors="replace")


def _read(log: Path) -> Iterator[tuple[str, Started]]:
    for file in sorted(log.iterdir()):
        fields = file.read_bytes().decode(errors="surrogateescape").split("\0")[:-1]
        # The end of the script may have cut a record short.
        if len(fields) < 2 or len(fields) != 2 + int(fields[0]) + int(fields[1]):
            continue
        count = 2 + int(fields[0])
        name, *words = fields[2:count]
        variables = dict(item.partition("=")[::2] for item in fields[count:])
        environment = {
            key: value
            for key, value in variables.items()
            if key not in OWN_VARIABLES and not key.startswith("BASH_FUNC_")
        }
        yield file.name, Started((name.removeprefix("/tools/"), *words), environment)
