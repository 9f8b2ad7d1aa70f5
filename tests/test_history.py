"""Reverts as they happen: of one change or several, also after files moved."""

import pytest

from infx_lint.git import Repository
from infx_lint.history import GitHistory
from infx_lint.paths import RepoPath
from infx_lint.scope import Request, compare
from tests.test_git import Work

LOG = RepoPath("perf-changelog.yaml")
ENTRIES = [f"- config-keys: [key-{number}]\n" for number in range(3)]


@pytest.fixture
def work(tmp_path):
    """A history in which two changes each bring an entry and a value, and the config moves."""
    work = Work(tmp_path / "work")
    for number, folder in enumerate((".github/configs", ".github/configs", "configs")):
        work.write(LOG, "\n".join(ENTRIES[: number + 1]).encode())
        if number == 2:
            work.git("mv", ".github/configs", "configs")
        work.write(f"{folder}/amd-master.yaml", b"image: v%d\n" % number + b"same: 1\n" * 20)
        work.commit(f"change {number}")
    return work


def is_exact(work: Work, texts: tuple[str, ...]) -> bool:
    repository = Repository(work.folder)
    change = compare(repository, Request("HEAD~1", "HEAD")).change
    return GitHistory(repository, change).is_exact_revert(LOG, LOG, texts)


def test_of_the_last_change(work):
    work.write(LOG, "\n".join(ENTRIES[:2]).encode())
    work.write("configs/amd-master.yaml", b"image: v1\n" + b"same: 1\n" * 20)
    work.commit()
    assert is_exact(work, (ENTRIES[2].strip(),))


def test_of_two_changes_across_a_move(work):
    work.write(LOG, ENTRIES[0].encode())
    work.write("configs/amd-master.yaml", b"image: v0\n" + b"same: 1\n" * 20)
    work.commit()
    # Both removed entries are named; the value in between cancels out.
    assert is_exact(work, (ENTRIES[1].strip(), ENTRIES[2].strip()))


@pytest.mark.parametrize(
    ("log", "config"),
    [
        (ENTRIES[:2], b"image: v2\n"),  # the entry is gone, what it announced is still there
        (ENTRIES[:2], b"image: v9\n"),
        (ENTRIES[1:], b"image: v1\n"),  # another entry is gone
    ],
)
def test_anything_else_is_no_revert(work, log, config):
    work.write(LOG, "\n".join(log).encode())
    work.write("configs/amd-master.yaml", config + b"same: 1\n" * 20)
    work.commit()
    gone = (ENTRIES[2] if log == ENTRIES[:2] else ENTRIES[0]).strip()
    assert not is_exact(work, (gone,))
