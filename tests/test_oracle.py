"""The oracle itself: what it must record, and what must not disturb it."""

import socket

import pytest

from tests.oracle import Outcome, require_sandbox, run_under_bash


@pytest.fixture
def run(tmp_path):
    require_sandbox()

    def run(text: str, seconds: float = 20, *, watch=(), outputs=None, **given: str) -> Outcome:
        tree = tmp_path / "tree"
        tree.mkdir()
        (tree / "script.sh").write_text(text)
        own = tmp_path / "own"
        return run_under_bash(tree, "script.sh", given, own, seconds, watch=watch, outputs=outputs)

    return run


def words(outcome: Outcome) -> list[tuple[str, ...]]:
    return [started.words for started in outcome.started]


def test_words_are_exact(run):
    outcome = run("serve 'a b' \"\" c=\"$X\"$'\\n'\n", X="1 2")
    assert words(outcome) == [("serve", "a b", "", "c=1 2\n")]
    assert outcome.status == 0


def test_exported_variables_are_seen(run):
    (started,) = run("export A=$'1\\n2' E\nB=2\nf() { :; }\nexport -f f\nC=3 serve\n").started
    assert started.environment == {"A": "1\n2", "C": "3"}


def test_what_the_script_does_to_the_shell_hides_nothing(run):
    outcome = run("set -euf\nexport name=1 words=2\nIFS=,\nserve a,b\n")
    (started,) = outcome.started
    assert started == (("serve", "a,b"), {"name": "1", "words": "2"})


def test_servers_in_the_background_and_loops_that_wait_for_them(run):
    outcome = run(
        "serve > log &\npid=$!\n"
        "while [ ! -f log ]; do kill -0 $pid || exit 1; sleep 1; done\n"
        "until curl x; do sleep 1; done\nkill -0 $pid || exit 1\nload\nkill $pid\n"
        "if kill -0 $pid; then exit 1; fi\n"
        "while kill -0 $$; do sleep 1; done\nend\n"
    )
    assert outcome.status == 0
    assert {("serve",), ("load",), ("end",)} <= set(words(outcome))


def test_programs_that_are_named_by_a_path(run):
    outcome = run("/opt/venv/bin/aiperf profile\n/opt/other x\n")
    assert words(outcome) == [("/opt/venv/bin/aiperf", "profile"), ("/opt/other", "x")]


def test_a_file_that_is_missing_is_no_program(run):
    outcome = run("if ! cat /models/config.json; then serve small; fi\n")
    assert words(outcome) == [("serve", "small")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("env A=1 serve x > log 2>&1", ("serve", "x")),
        ("exec vllm serve x > log 2>&1", ("vllm", "serve", "x")),
        ("exec serve x", ("serve", "x")),
    ],
)
def test_programs_that_the_handler_of_bash_does_not_see(run, line, expected):
    assert words(run(f"{line}\n")) == [expected]


def test_a_venv_is_there_once_it_was_made(run):
    outcome = run('uv venv --python 3.11 /tmp/v\n[ -x /tmp/v/bin/hf ] && "/tmp/v/bin/hf" a\n')
    assert words(outcome)[1:] == [("/tmp/v/bin/hf", "a")]  # noqa: S108 - the sandbox's


def test_functions_are_watched(run):
    outcome = run(
        'f() { g inner; }\ng() ( : )\nf 1 "x y" ""\nf 2\nX=$(g 3 && f 4)\ntrap "f end" EXIT\n',
        watch=("f", "g"),
    )
    assert outcome.functions == (
        *(("f", "1", "x y", ""), ("g", "inner"), ("f", "2"), ("g", "inner")),
        *(("g", "3"), ("f", "4"), ("g", "inner"), ("f", "end"), ("g", "inner")),
    )
    assert words(outcome) == []


@pytest.mark.parametrize("watch", [(), ("f", "g")])
def test_watching_disturbs_nothing(run, watch):
    outcome = run(
        "set -euo pipefail\nf() { return 3; }\ng() { f; serve not-reached; }\n"
        'f || serve status $?\n! true | (exit 4) | f\nserve "${PIPESTATUS[@]}"\n'
        ': last\nserve "$_"\nif g; then :; fi\nfalse\nserve never\n',
        watch=watch,
    )
    assert words(outcome) == [
        *(("serve", "status", "3"), ("serve", "0", "4", "3"), ("serve", "last")),
        ("serve", "not-reached"),
    ]
    assert outcome.status == 1
    assert len(outcome.functions) == (4 if watch else 0)


def test_errexit_still_ends_a_script(run):
    outcome = run("set -e\nfirst\nfalse\nsecond\n")
    assert words(outcome) == [("first",)]
    assert outcome.status == 1


def test_a_script_that_does_not_end_is_stopped(run):
    outcome = run("serve\nwhile :; do :; done\n", seconds=1)
    assert outcome.status is None
    assert words(outcome) == [("serve",)]


def test_tools_that_compute(run):
    outcome = run(
        "serve $(seq 1 2) $(basename /a/b.sh .sh) $(echo 1 2 | awk '{ print $2 }' | tail -n 1)\n"
    )
    assert words(outcome) == [("serve", "1", "2", "b", "2")]


def test_what_programs_print(run):
    outcome = run('serve "$(nvidia-smi -L)"\n', outputs={"nvidia-smi": "GPU 0\n"})
    assert words(outcome) == [("nvidia-smi", "-L"), ("serve", "GPU 0")]


def test_a_script_reaches_nothing_outside(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        outcome = run(
            "touch /usr/x 2> /dev/null && serve usr\n"
            '[ ! -e "$HOST" ] || serve host\n'
            '(: < "/dev/tcp/127.0.0.1/$PORT") 2> /dev/null && serve network\n'
            "touch here\n",
            HOST=str(tmp_path),
            PORT=port,
        )
    assert words(outcome) == []
    assert (tmp_path / "tree" / "here").is_file()
