"""The oracle itself: what it must record, and what must not disturb it."""

import pytest

from tests.oracle import Outcome, require_sandbox, run_under_bash


@pytest.fixture
def run(tmp_path):
    require_sandbox()

    def run(text: str, seconds: float = 20, **environment: str) -> Outcome:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "script.sh").write_text(text)
        return run_under_bash(tree, "script.sh", environment, tmp_path / "own", seconds)

    return run


def words(outcome: Outcome) -> list[tuple[str, ...]]:
    return [started.words for started in outcome.started]


def test_words_are_exact(run):
    outcome = run("serve 'a b' \"\" c=\"$X\"$'\\n'\n", X="1 2")
    assert words(outcome) == [("serve", "a b", "", "c=1 2\n")]
    assert outcome.status == 0


def test_exported_variables_are_seen(run):
    (started,) = run("export A=1\nB=2\nC=3 serve\n").started
    assert started.environment["A"] == "1"
    assert "B" not in started.environment
    assert started.environment["C"] == "3"


def test_servers_in_the_background_and_loops_that_wait_for_them(run):
    outcome = run(
        "serve &\npid=$!\nuntil curl x; do sleep 1; done\n"
        "while kill -0 $pid; do sleep 1; done\nload\n"
    )
    assert ("load",) in words(outcome)
    assert ("serve",) in words(outcome)


def test_programs_that_are_named_by_a_path(run):
    outcome = run("/opt/venv/bin/aiperf profile\n/opt/other x\n")
    assert words(outcome) == [("/opt/venv/bin/aiperf", "profile"), ("/opt/other", "x")]


def test_errexit_still_ends_a_script(run):
    outcome = run("set -e\nfirst\nfalse\nsecond\n")
    assert words(outcome) == [("first",)]
    assert outcome.status == 1


def test_a_script_that_does_not_end_is_stopped(run):
    outcome = run("while :; do :; done\n", seconds=1)
    assert outcome.status is None


def test_tools_that_compute(run):
    outcome = run('serve $(seq 1 3) "$(basename /a/b.sh .sh)"\n')
    assert words(outcome) == [("serve", "1", "2", "3", "b")]
