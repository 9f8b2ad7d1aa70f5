"""How long a review takes, as ratios in one run: to its floor, and to its peers.

    python benchmarks/check_speed.py CLONE [SAMPLE]

The sample is spread evenly over the last 200 first-parent changes of the clone. For each change,
in turn and several times, the best of each counts:

* floor: start Python, `git diff`, compose every changed YAML file with libyaml;
* review: `infx-lint --base PARENT --head COMMIT`, with a warm cache of facts;
* peers: yamllint on the same YAML files and shellcheck on the same scripts, with default rules.

Then a change that touches five scripts and the shared library, with a cold cache and a warm one,
to shellcheck on the same files. Needs shellcheck (Debian: `apt-get install shellcheck`).
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from infx_lint.documents.by_path import parser_for
from infx_lint.git import Repository

CHANGES = 200
ROUNDS = 3
BUDGET_FLOOR, BUDGET_PEERS, BUDGET_MEMORY, BUDGET_SCRIPTS = 2.0, 0.12, 120, 0.5
LIBRARY, SCRIPTS = "benchmarks/benchmark_lib.sh", "benchmarks/single_node/agentic/*.sh"

# An installed package has its bytecode; a checkout gets it on its first run, unless told not to.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}

FLOOR = """
import subprocess, sys
base, head, *paths = sys.argv[1:]
subprocess.run(["git", "diff", base, head], check=True, stdout=subprocess.PIPE)
if paths:
    import yaml
    for path in paths:
        blob = subprocess.run(
            ["git", "cat-file", "blob", f"{head}:{path}"], check=True, stdout=subprocess.PIPE
        ).stdout
        try:
            list(yaml.compose_all(blob, Loader=yaml.CSafeLoader))
        except yaml.YAMLError:
            pass
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One change: seconds of each, and the review's peak memory in MB; peers may have no file."""

    commit: str
    files: int
    floor: float
    review: float
    peers: float | None
    memory: float


def run(command: list[str], folder: Path) -> tuple[float, float]:
    """Return wall time in seconds and peak memory in MB of a process."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.perf_counter() - started, usage.ru_maxrss / 1024


def measure(repository: Repository, base: str, head: str, folder: Path) -> Row:
    """Time one change."""
    files = [
        file.head
        for file in repository.changed_files(base, head)
        if file.head and file.head.mode.is_regular and parser_for(file.head.path)
    ]
    for entry in files:
        target = folder / entry.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(repository.read(entry))
    paths = [str(entry.path) for entry in files if entry.path.suffix in {".yaml", ".yml"}]
    scripts = [str(entry.path) for entry in files if entry.path.suffix == ".sh"]
    floor = [sys.executable, "-c", FLOOR, base, head, *paths]
    review = [sys.executable, "-m", "infx_lint", "--base", base, "--head", head]
    yamllint = [sys.executable, "-m", "yamllint", *paths]
    shellcheck = ["shellcheck", *scripts]
    run(review, repository.root)  # warms the cache
    floors, reviews, lints = [], [], []
    for round_number in range(ROUNDS):
        floors.append(run(floor, repository.root))
        reviews.append(run(review, repository.root))
        if not round_number:
            lints += [run(yamllint, folder)] if paths else []
            lints += [run(shellcheck, folder)] if scripts else []
    return Row(
        head,
        len(files),
        min(floors)[0],
        min(reviews)[0],
        sum(seconds for seconds, _ in lints) if lints else None,
        max(memory for _, memory in reviews),
    )


def measure_scripts(clone: Path) -> tuple[float, float]:
    """Return what a change of five scripts and the library costs, cold and warm, to shellcheck."""
    with tempfile.TemporaryDirectory() as name:
        folder, cache = Path(name) / "clone", Path(name) / "cache"
        subprocess.run(["git", "clone", "--quiet", "--shared", clone, folder], check=True)
        touched = [folder / LIBRARY, *sorted(folder.glob(SCRIPTS))[-5:]]
        for path in touched:
            path.write_text(f"{path.read_text()}# touched\n")
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
        subprocess.run(["git", *identity, "commit", "-qam", "touch"], cwd=folder, check=True)
        review = [sys.executable, "-m", "infx_lint", "--base", "HEAD^", "--head", "HEAD"]
        colds, warms, checks = [], [], []
        ENVIRONMENT["INFX_LINT_CACHE_DIR"] = str(cache)
        for _ in range(ROUNDS):
            shutil.rmtree(cache, ignore_errors=True)
            colds.append(run(review, folder)[0])
            warms.append(run(review, folder)[0])
            checks.append(run(["shellcheck", *map(str, touched)], folder)[0])
        return min(colds) / min(checks), min(warms) / min(checks)


def main() -> int:
    """Print a table and the medians; return 1 where a budget is broken."""
    if not shutil.which("shellcheck"):
        print("shellcheck is not installed (Debian: apt-get install shellcheck)")
        return 2
    clone = Path(sys.argv[1])
    sample = int(sys.argv[2]) if len(sys.argv) > 2 else 40  # noqa: PLR2004
    repository = Repository(clone)
    head = repository.resolve("HEAD")
    commits = repository.first_parent_commits(repository.resolve(f"HEAD~{CHANGES}"), head)
    chosen = commits[:: max(1, len(commits) // sample)][:sample]
    rows = []
    print(f"{'commit':12} {'files':>5} {'floor':>7} {'review':>7} {'peers':>8} {'MB':>5}")
    for commit in chosen:
        with tempfile.TemporaryDirectory() as folder:
            row = measure(repository, commit.parent, commit.sha, Path(folder))
        rows.append(row)
        lint = f"{row.peers:8.3f}" if row.peers else f"{'-':>8}"
        print(
            f"{row.commit[:12]} {row.files:5} {row.floor:7.3f} {row.review:7.3f} {lint} "
            f"{row.memory:5.0f}",
            flush=True,
        )
    repository.close()
    to_floor = statistics.median(row.review for row in rows) / statistics.median(
        row.floor for row in rows
    )
    with_peers = [row for row in rows if row.peers]
    to_peers = statistics.median(row.review for row in with_peers) / statistics.median(
        row.peers for row in with_peers if row.peers
    )
    cold, warm = measure_scripts(clone)
    memory = max(row.memory for row in rows)
    print(f"\n{len(rows)} changes, medians")
    print(f"review / floor     {to_floor:6.2f}   budget {BUDGET_FLOOR}")
    print(f"review / peers     {to_peers:6.3f}   budget {BUDGET_PEERS}")
    print(f"peak memory        {memory:6.0f}   budget {BUDGET_MEMORY} MB")
    print("\nfive scripts and the library, to shellcheck")
    print(f"warm cache         {warm:6.3f}   budget {BUDGET_SCRIPTS}")
    print(f"cold cache         {cold:6.3f}")
    kept = to_floor <= BUDGET_FLOOR and to_peers <= BUDGET_PEERS and memory <= BUDGET_MEMORY
    return 0 if kept and warm <= BUDGET_SCRIPTS else 1


if __name__ == "__main__":
    sys.exit(main())
