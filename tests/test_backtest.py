import pytest

from infx_lint.backtest import Plan, pull_request_of, replay
from infx_lint.git import Repository, make_repository
from tests.harness import FIXTURES, LAYOUTS, Case
from tests.test_git import Work


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("Update image (#2254)", 2254),
        ('Revert "Update image (#430)" (#459)', 459),
        ("Merge pull request #12 from someone/branch", 12),
        ("Update image (#2254) [skip-sweep]", 2254),
        ("Update image", None),
        ("See #12", None),
    ],
)
def test_number_of_a_merge(subject, number):
    assert pull_request_of(subject) == number


def test_what_was_reviewed_is_the_head_of_the_pull_request(tmp_path):
    """The branch appends at its merge base; the squash lands above what was merged meanwhile."""
    work = Work(tmp_path / "work")
    work.write("perf-changelog.yaml", (LAYOUTS / "b" / "perf-changelog.yaml").read_bytes())
    fork = work.commit("start")
    work.write("pull.txt")
    head = work.commit("on the branch")
    work.git("update-ref", "refs/pull/7/head", head)
    work.git("reset", "-q", "--hard", fork)
    work.write("meanwhile.txt")
    work.commit("meanwhile")
    work.write("pull.txt")
    merged = work.commit("Add it (#7)")
    repository = Repository(work.folder)
    commits = repository.first_parent_commits(fork, merged)
    records = list(replay(Plan(work.folder), commits, jobs=1))
    assert [record["commit"] for record in records] == [commit.sha for commit in commits]
    assert (records[0]["base"], records[0]["head"]) == (fork, commits[0].sha)
    assert (records[1]["base"], records[1]["head"]) == (fork, head)
    assert records[1]["pull_request"] == 7


def test_branch_that_went_on_after_its_merge_is_replayed_as_merged(tmp_path):
    work = Work(tmp_path / "work")
    start = work.commit("start")
    work.write("pull.txt")
    merged = work.commit("Add it (#7)")
    work.write("later.txt")
    work.git("update-ref", "refs/pull/7/head", work.commit("later"))
    commits = Repository(work.folder).first_parent_commits(start, merged)
    (record,) = replay(Plan(work.folder), commits, jobs=1)
    assert (record["base"], record["head"]) == (start, merged)


def test_rules_can_be_chosen(tmp_path):
    case = Case(FIXTURES / "changelog-pr-link-missing" / "flags-no-link")
    (tmp_path / "trees").mkdir()
    folder = tmp_path / "repository"
    folder.mkdir()
    base, head = make_repository(folder, case.trees(tmp_path / "trees"))
    commits = Repository(folder).first_parent_commits(base, head)
    (record,) = replay(Plan(folder, ignore=("changelog-pr-link-missing",)), commits, jobs=1)
    assert record["findings"] == []
