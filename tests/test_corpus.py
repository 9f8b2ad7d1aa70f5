"""Every version of the changelog and the master configs that a clone holds, on any branch.

Slow, and only where `INFX_CLONE` names a clone: `make corpus INFX_CLONE=../InferenceX`.
"""

import subprocess
from multiprocessing import Pool
from pathlib import Path

import pytest
import yaml

from infx_lint.documents.yaml_file import UnreadableYaml, YamlFile, parse_yaml, repeated_keys
from infx_lint.domain.changelog import Changelog
from infx_lint.paths import RepoPath
from tests.test_yaml_file import independent_repeats

NAMES = ("perf-changelog.yaml", "amd-master.yaml", "nvidia-master.yaml")

pytestmark = pytest.mark.slow


def blobs(clone: Path) -> list[tuple[str, str]]:
    """Return id and name of every distinct version on any branch or pull request."""
    raw = subprocess.run(
        ["git", "log", "--all", "--raw", "--no-abbrev", "-m", "--format=", "--no-renames", "--"]
        + [f":(glob)**/{name}" for name in NAMES],
        cwd=clone,
        capture_output=True,
        check=True,
    ).stdout.decode(errors="surrogateescape")
    found = {}
    for line in raw.splitlines():
        meta, _, path = line.partition("\t")
        blob = meta.split()[3]
        if set(blob) != {"0"}:
            found[blob] = path.rpartition("/")[2]
    return sorted(found.items())


def examine(job: tuple[Path, str, str]) -> str:
    """Return `read` or `unreadable`; raise where anything else happens."""
    clone, blob, name = job
    command = ["git", "cat-file", "blob", blob]
    data = subprocess.run(command, cwd=clone, capture_output=True, check=True).stdout
    file = parse_yaml(data)
    if isinstance(file, UnreadableYaml):
        with pytest.raises((yaml.YAMLError, UnicodeDecodeError)):
            yaml.compose(data, Loader=yaml.CSafeLoader)
        return "unreadable"
    assert isinstance(file, YamlFile), file
    text = data.decode()
    copies = sum(len(pairs) - 1 for _, pairs in repeated_keys(file))
    assert copies == independent_repeats(text, yaml.CSafeLoader), f"{name} {blob}"
    if name == NAMES[0]:
        changelog = Changelog(RepoPath(name), file)
        covered = "".join(entry.content + entry.separator for entry in changelog.entries)
        assert text.endswith(covered)
        for entry in changelog.entries:
            assert entry.span.line >= 1
    return "read"


def test_every_version_is_read_or_reported(clone):
    jobs = [(clone, blob, name) for blob, name in blobs(clone)]
    assert len(jobs) > 1000
    with Pool() as pool:
        verdicts = pool.map(examine, jobs, chunksize=20)
    print(f"{len(jobs)} versions: {verdicts.count('unreadable')} unreadable")
    assert set(verdicts) <= {"read", "unreadable"}
