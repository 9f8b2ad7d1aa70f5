"""Scripts of the linted repository, by the thousand: read, run abstractly, compared with bash.

Slow, and only where `INFX_CLONE` names a clone: `make corpus INFX_CLONE=../InferenceX`.
`INFX_FUZZ_SECONDS` says for how long mutated scripts are tried, a minute if it is not set.
"""

import json
import os
import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from multiprocessing import Pool
from pathlib import Path

import pytest

from infx_lint.documents.shell_file import ShellFile, UnreadableShell, parse_shell
from infx_lint.documents.text_file import TooDemanding
from infx_lint.domain.programs import EVAL, LOAD, SERVER, role_of
from infx_lint.shell.assignments import overwritten_assignments
from infx_lint.shell.continuations import broken_continuations
from infx_lint.shell.execution import run
from infx_lint.shell.state import Environment
from infx_lint.shell.trace import Trace, flags_of
from infx_lint.shell.value import Field, Many
from tests.oracle import require_sandbox
from tests.test_execution import GIVEN, POINTS, compare_with_bash

pytestmark = pytest.mark.slow

OLDER_VERSIONS = 1600
# A file never takes longer, cold, while both cores are busy.
LONGEST_SECONDS = 20
EVAL_RUN = {"EVAL_ONLY": "true", "RUN_EVAL": "true"}


def git(clone: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


@cache
def blob(clone: Path, name: str) -> ShellFile | UnreadableShell | TooDemanding:
    return parse_shell(git(clone, "cat-file", "blob", name))


@cache
def scripts_of(clone: Path, commit: str) -> Mapping[str, str]:
    """Return the blob of every script of a tree by its path."""
    lines = git(clone, "ls-tree", "-r", "-z", commit).decode(errors="surrogateescape").split("\0")
    found = {}
    for line in lines[:-1]:
        meta, _, path = line.partition("\t")
        mode, _, name = meta.split()
        if path.endswith((".sh", ".slurm")) and mode.startswith("100"):
            found[path] = name
    return found


def older_versions(clone: Path) -> list[tuple[str, str, str]]:
    """Return commit, path and blob of versions spread over the whole history."""
    raw = git(clone, "log", "--raw", "--no-abbrev", "-m", "--format=%x00%H", "--no-renames", "--")
    known = set(scripts_of(clone, "HEAD").values())
    found: dict[str, tuple[str, str, str]] = {}
    for part in raw.decode(errors="surrogateescape").split("\0")[1:]:
        commit, _, lines = part.partition("\n")
        for line in lines.splitlines():
            meta, _, path = line.partition("\t")
            if line.startswith(":") and path.endswith((".sh", ".slurm")):
                name = meta.split()[3]
                if set(name) != {"0"} and name not in known:
                    found[name] = (commit, path, name)
    versions = sorted(found.values(), key=lambda item: item[2])
    return versions[:: max(1, len(versions) // OLDER_VERSIONS)][:OLDER_VERSIONS]


def run_version(
    clone: Path, commit: str, path: str, name: str, environment: Environment
) -> Trace | None:
    file = blob(clone, name)
    if not isinstance(file, ShellFile):
        return None
    scripts = scripts_of(clone, commit)

    def source(wanted: str) -> tuple[str, ShellFile] | None:
        found = blob(clone, scripts[wanted]) if wanted in scripts else None
        return (wanted, found) if isinstance(found, ShellFile) else None

    return run(path, file, environment, source, role_of)


def analyse(job: tuple[Path, str, str, str]) -> tuple[str, float]:
    """Return what became of a version, and the seconds that it took."""
    clone, commit, path, name = job
    started = time.monotonic()
    file = blob(clone, name)
    if isinstance(file, UnreadableShell):
        assert file.bash, f"bash accepts {path} of {commit}: {file}"
        return "refused", time.monotonic() - started
    assert isinstance(file, ShellFile), f"{path} of {commit}: {file}"
    for variables in ({}, EVAL_RUN):
        trace = run_version(clone, commit, path, name, Environment(path, variables))
        assert trace is not None
        assert trace.incomplete is None, f"{path} of {commit}: {trace.incomplete}"
    return "analysed", time.monotonic() - started


def test_every_script_is_analysed_or_refused_as_bash_does(clone):
    newest = [(clone, "HEAD", path, name) for path, name in scripts_of(clone, "HEAD").items()]
    older = [(clone, *version) for version in older_versions(clone)]
    with Pool(2) as pool:
        verdicts = pool.map(analyse, [*newest, *older], chunksize=8)
    counts = Counter(verdict for verdict, _ in verdicts)
    slowest = max(seconds for _, seconds in verdicts)
    print(f"{len(newest)} + {len(older)} scripts: {dict(counts)}, slowest {slowest:.1f} s")
    assert len(older) == OLDER_VERSIONS
    assert counts["analysed"] + counts["refused"] == len(newest) + OLDER_VERSIONS
    assert slowest < LONGEST_SECONDS


def mutants(clone: Path, source: random.Random) -> Iterator[bytes]:
    """Yield scripts with pieces deleted, repeated, swapped and put in, without end."""
    names = sorted(set(scripts_of(clone, "HEAD").values()))
    tokens = b"$( ${ }} )) (( `` ' \" <<EOF\n ;; esac fi done \\\n & | [[ ]] ${a[@]} {1..9}".split(
        b" "
    )
    while True:
        text = git(clone, "cat-file", "blob", source.choice(names))[:6000]
        for _ in range(source.randint(1, 8)):
            at, length = source.randrange(len(text) + 1), source.randrange(1, 60)
            piece = text[at : at + length]
            match source.randrange(4):
                case 0:
                    text = text[:at] + text[at + length :]
                case 1:
                    text = text[:at] + piece * source.choice((2, 3, 40)) + text[at:]
                case 2:
                    text = text[:at] + source.choice(tokens) + text[at:]
                case _:
                    other = source.randrange(len(text) + 1)
                    text = text[:other] + piece + text[other:]
        yield text


def test_mutated_scripts_neither_hang_nor_crash(clone):
    seconds = float(os.environ.get("INFX_FUZZ_SECONDS", "60"))
    started = time.monotonic()
    counts: Counter[str] = Counter()
    slowest = 0.0
    for text in mutants(clone, random.Random(started)):
        begun = time.monotonic()
        if begun - started > seconds:
            break
        file = parse_shell(text)
        counts[type(file).__name__] += 1
        if isinstance(file, ShellFile):
            for variables in ({}, EVAL_RUN):
                environment = Environment("benchmarks/x.sh", variables, defaults=True)
                trace = run("benchmarks/x.sh", file, environment, lambda _name: None, role_of)
                counts["incomplete"] += trace.incomplete is not None
            list(broken_continuations(file))
            list(overwritten_assignments(file))
        slowest = max(slowest, time.monotonic() - begun)
    print(f"{dict(counts)} in {seconds:.0f} s, slowest {slowest:.1f} s")
    assert counts["ShellFile"]
    assert counts["UnreadableShell"]
    assert slowest < LONGEST_SECONDS


def test_gates_agree_with_runs_under_bash(clone, cases):
    counts: Counter[str] = Counter()
    for line in (cases / "gates.jsonl").read_text().splitlines():
        case = json.loads(line)
        environment = Environment(case["path"], EVAL_RUN)
        trace = run_version(clone, case["commit"], case["path"], case["blob"], environment)
        assert trace is not None
        for role, field in ((LOAD, "load_under_eval_only"), (EVAL, "run_eval_under_eval_only")):
            runs = any(role_of(item.words) == role for item in trace.executions)
            verdict = "unknown" if runs and role not in trace.always else str(runs)
            counts["unknown" if verdict == "unknown" else "known"] += 1
            assert verdict in {"unknown", str(case[field])}, f"{case}: {role} {verdict}"
    print(dict(counts))
    assert counts["unknown"] * 10 <= counts.total()


def test_flags_agree_with_runs_under_bash(clone, cases):
    given = {
        "KV_OFFLOADING": "none",
        "ISL": "8192",
        "OSL": "1024",
        "PORT": "8888",
        "EVAL_ONLY": "false",
        "RUN_EVAL": "true",
        "MAX_MODEL_LEN": "9472",
        "MODEL": "org/Model",
        "MODEL_PATH": "/models/m",
        "RESULT_DIR": "/workspace/out",
    }
    counts: Counter[str] = Counter()
    for line in (cases / "flags.jsonl").read_text().splitlines():
        case = json.loads(line)
        for point in case["points"]:
            # The cases were run from a tree that is mounted at /workspace.
            name = f"/workspace/{case['path']}"
            environment = Environment(name, {**given, **point["point"]}, defaults=True)
            trace = run_version(clone, case["commit"], case["path"], case["blob"], environment)
            assert trace is not None
            server = next(item for item in trace.executions if role_of(item.words) == SERVER)
            gap = any(isinstance(word, Many) for word in server.words)
            ours = {flag.name: flag for flag in flags_of(server.words)}
            for flag, expected in point["flags"].items():
                kind = "number" if str(expected).replace(".", "", 1).isdigit() else "other"
                if flag not in ours:
                    assert gap, f"{case['path']} {point['point']}: {flag} is missing"
                    counts[f"{kind} unknown"] += 1
                    continue
                value = ours[flag].value
                if value is None:
                    known: object = True
                else:
                    known = value.text if isinstance(value, Field) else None
                if known is True or isinstance(known, str):
                    assert known == expected, f"{case['path']} {point['point']}: {flag} {known}"
                    counts[f"{kind} known"] += 1
                else:
                    counts[f"{kind} unknown"] += 1
    print(dict(counts))
    assert counts["number known"] >= 0.85 * (counts["number known"] + counts["number unknown"])


def test_newest_scripts_agree_with_bash(clone, tmp_path):
    require_sandbox()
    tree = tmp_path / "tree"
    tree.mkdir()
    archive = git(clone, "archive", "HEAD", "benchmarks", "utils", "runners")
    subprocess.run(["tar", "-x", "-C", tree], input=archive, check=True)
    paths = [
        path
        for path in scripts_of(clone, "HEAD")
        if "single_node" in path and "deprecated" not in path and "speedbench" not in path
    ]
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for number, path in enumerate(sorted(paths)):
        for at, point in enumerate(POINTS):
            for eval_only in ("true", "false"):
                environment = {**GIVEN, **point, "EVAL_ONLY": eval_only}
                own = tmp_path / f"{number}-{at}-{eval_only}"
                try:
                    counts.update(compare_with_bash(tree, path, environment, own))
                except AssertionError as error:
                    wrong.append(f"EVAL_ONLY={eval_only} {point}: {error}")
    print(f"{len(paths)} scripts: {dict(counts)}")
    assert wrong == []
    assert counts["known"] > 0.8 * counts["words"]
    assert counts["ended"] > 0.5 * 4 * len(paths)
