"""Abstract runs: values, guards and commands; the same scripts run under bash agree."""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.domain.programs import EVAL, LOAD, SERVER, role_of
from infx_lint.paths import RepoPath
from infx_lint.shell.execution import run
from infx_lint.shell.loops import MOST_ROUNDS
from infx_lint.shell.state import Environment
from infx_lint.shell.trace import Execution, Trace, flags_of
from infx_lint.shell.value import Array, Field, Many, Table, Unknown, Unset, Value, display
from tests.harness import FIXTURES, LAYOUTS
from tests.oracle import require_sandbox, run_under_bash

SCRIPT = "benchmarks/single_node/agentic/x.sh"


def trace_of(
    text: str,
    environment: Mapping[str, str] | None = None,
    *,
    defaults: bool = True,
    files: Mapping[str, str] | None = None,
) -> Trace:
    def source(name: str) -> tuple[str, ShellFile] | None:
        content = (files or {}).get(name)
        file = parse_shell(content.encode()) if content is not None else None
        return (name, file) if isinstance(file, ShellFile) else None

    file = parse_shell(text.encode())
    assert isinstance(file, ShellFile), file
    return run(SCRIPT, file, Environment(SCRIPT, environment or {}, defaults), source, role_of)


def shown(value: Value | None) -> object:
    match value:
        case None:
            return None
        case Unset():
            return "unset"
        case Unknown():
            return Unknown
        case Array():
            return [display(f.text) if isinstance(f, Field) else Many for f in value.fields]
        case Table():
            return dict(value.items)
        case _:
            return display(value)


def value_of(text: str, name: str = "X", **environment: str) -> object:
    return shown(trace_of(text, environment).variables.get(name))


def words_of(execution: Execution) -> list[str]:
    return [display(w.text) if isinstance(w, Field) else "..." for w in execution.words]


def commands(trace: Trace) -> list[str]:
    return [" ".join(words_of(item)) for item in trace.executions]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X=1", "1"),
        ("X=a; X+=b", "ab"),
        ("X='a b'; Y=$X; X=[$Y]", "[a b]"),
        ("X=${Y:-8}", "8"),
        ("X=${CONC:-8}", "64"),
        ("Y=; X=${Y:-8}; X+=${Y-9}", "8"),
        ("X=${Y:=5}; X=$X$Y", "55"),
        ("X=${CONC:+yes}${Y:+no}", "yes?"),
        ("Y=; X=${CONC:+yes}${Y:+no}", "yes"),
        ("X=$OUTSIDE", Unknown),
        ("X=${#CONC}", "2"),
        ("Y=a/b/c.sh; X=${Y##*/}", "c.sh"),
        ("Y=a/b/c.sh; X=${Y%/*}", "a/b"),
        ("Y=a.b; X=${Y/./_}", "a_b"),
        ("Y=abcdef; X=${Y:1:3}", "bcd"),
        ("Y=abc; X=${Y^^}", "ABC"),
        ("Y=CONC; X=${!Y}", "64"),
        ("X=$((CONC * 2 + 1))", "129"),
        ("X=$(( ${CONC} > 16 ? 16 : CONC ))", "16"),
        ("X=$(((CONC + 9) / 10 * 10))", "70"),
        ("(( X = CONC + 1 ))", "65"),
        ("let X=CONC+1", "65"),
        ("X=$(echo a b)", "a b"),
        ("X=$(printf '%s-%s' a $CONC)", "a-64"),
        ("X=$(nproc)", Unknown),
        ("X=$(command -v python3)", Unknown),
        ("X=$(basename a/b.sh .sh)$(dirname a/b)", "ba"),
        ('X="$(cd "$(dirname "$0")/.." && pwd)"', "?/benchmarks/single_node"),
        ("X=$([[ $CONC == 64 ]] && printf _yes || printf _no)", "_yes"),
        ("X=$(cat <<EOF\nv=$CONC\nEOF\n)", "v=64"),
        ("X=256; [ $X -gt 128 ] && X=128", "128"),
        ("X=64; [ $X -gt 128 ] && X=128", "64"),
        ("X=1; [ $OUTSIDE -gt 128 ] && X=128", Unknown),
        ("X=1; [ $OUTSIDE -gt 128 ] && X=1", "1"),
        ("if [ $CONC -ge 32 ]; then X=big; else X=small; fi", "big"),
        ('if [ -z "$CONC" ]; then X=1; elif [[ $CONC == 6* ]]; then X=2; else X=3; fi', "2"),
        ("if [[ $CONC =~ ^[1-9][0-9]*$ ]]; then X=number; fi", "number"),
        ("case $CONC in 1|2) X=a ;; 6?) X=b ;; *) X=c ;; esac", "b"),
        ("case $CONC in 64) X=a ;& 1) X+=b ;; *) X=c ;; esac", "ab"),
        ("case $CONC in 64) X=a ;;& 6*) X+=b ;;& 1) X+=c ;; esac", "ab"),
        ("X=1; while (( X < CONC )); do X=$((X * 2)); done", "64"),
        ("X=0; for i in 1 2 3; do X=$((X + i)); done", "6"),
        ("X=0; for ((i = 0; i < 4; i++)); do X=$((X + i)); done", "6"),
        ("X=0; for i in {1..4}; do [ $i = 3 ] && break; X=$i; done", "2"),
        ("X=; for i in 1 2 3; do [ $i = 2 ] && continue; X+=$i; done", "13"),
        ("X=0; for i in $(seq 1 3); do X=$i; done", "3"),
        ("X=0; while read -r line; do X=1; done < file", Unknown),
        (f"X=0; while (( X < {MOST_ROUNDS + 40} )); do X=$((X + 1)); done", Unknown),
        ('X=(a "b c"); X+=(d)', ["a", "b c", "d"]),
        ('Y=(a b); X=("${Y[@]}" c)', ["a", "b", "c"]),
        ("Y=(a b); X=${#Y[@]}${Y[1]}", "2b"),
        ('X=(a); if [ "$OUTSIDE" ]; then X+=(b); fi; X+=(c)', ["a", Many, "c"]),
        ("Y='a b'; X=($Y '' \"\")", ["a", "b", "", ""]),
        ("declare -A X=([a]=1 [b]=2); X[c]=3", {"a": "1", "b": "2", "c": "3"}),
        ("declare -A Y=([a:b]=1); X=${Y[a:b]}", "1"),
        ("X=1; (X=2); X=$X", "1"),
        ("X=1; X=2 | cat", "1"),
        ("X=1; { X=2; }", "2"),
        ("f() { X=$1$#; }; f a b", "a2"),
        ("X=1; f() { local X=2; Y=$X; }; f; X=$X$Y", "12"),
        ("f() { echo out; X=inner; }; X=$(f)", "out"),
        ("f() { if [ $1 = a ]; then return 1; fi; }; if f a; then X=1; else X=2; fi", "2"),
        ("f() { g; }; g() { X=deep; }; f", "deep"),
        ("f() { f; X=1; }; f", "1"),
        ("set -- a b c; shift; X=$1$#", "b2"),
        ("X=1; unset X", "unset"),
        ("printf -v X '%s' hello", "hello"),
        ("read X <<< word", Unknown),
        ("export X=1 Y; X=$X", "1"),
        ("X=1; false || X=2; true && X+=3", "23"),
        ("X=1; ! false && X=2", "2"),
        ('if [ "$OUTSIDE" = a ]; then X=$OUTSIDE; else X=a; fi', "a"),
        ("set -e; X=1; test 1 = 2; X=2", None),
        ("set -o errexit; X=1; false; X=2", None),
        ("if [[ a < b ]]; then X=1; else X=2; fi", "1"),
        ("if [ -v OUTSIDE ]; then X=1; else X=2; fi", Unknown),
        ('if [ "$OUTSIDE/x" = a/x ]; then X=1; else X=2; fi', Unknown),
        ('if [ "$OUTSIDE/x" = a/y ]; then X=1; else X=2; fi', "2"),
        ("set -e; set -- a b; shift; X=$1", "b"),
        ("if echo a | false; then X=1; else X=2; fi", "2"),
        ("if echo a | true; then X=1; else X=2; fi", "1"),
        ('if [ "$OUTSIDE" ]; then set -- a b; else set -- c; fi; X=$#', Unknown),
        ('set -- a b c; X=("${@:2}")', ["b", "c"]),
        ('Y=(a b c d); X=("${Y[@]:1:2}")', ["b", "c"]),
    ],
)
def test_values(text, expected):
    assert value_of(text, CONC="64") == expected


def test_the_reason_of_an_unknown_names_its_cause():
    value = trace_of("X=$OUTSIDE; Y=$((X + 1))").variables["Y"]
    assert isinstance(value, Unknown)
    assert value.reason == "`OUTSIDE` comes from outside of the script"
    assert value.names == {"OUTSIDE", "X", "Y"}


def test_without_defaults_the_environment_may_hold_anything():
    trace = trace_of("X=${Y:-8}", defaults=False)
    assert isinstance(trace.variables["X"], Unknown)


def test_arrays_are_expanded_into_commands():
    trace = trace_of(
        'ARGS=(--a "$CONC")\nif [ "$CONC" -gt 8 ]; then ARGS+=(--b); fi\n'
        'EXTRA=" --c 1 "\nserve "${ARGS[@]}" $EXTRA --d=$CONC "$NONE"\n',
        {"CONC": "64"},
    )
    (serve,) = trace.executions
    assert words_of(serve) == ["serve", "--a", "64", "--b", "--c", "1", "--d=64", "?"]
    flags = {
        flag.name: display(flag.value.text) if isinstance(flag.value, Field) else None
        for flag in flags_of(serve.words)
    }
    assert flags == {"--a": "64", "--b": None, "--c": "1", "--d": "64"}


def test_the_value_behind_an_equals_sign_may_be_known_in_part():
    (serve,) = trace_of("serve --dir=/a/$OUTSIDE").executions
    (flag,) = flags_of(serve.words)
    assert isinstance(flag.value, Field)
    assert (flag.name, display(flag.value.text)) == ("--dir", "/a/?")


def test_words_know_where_they_are_written():
    text = 'ARGS=(--a 1)\nserve "${ARGS[@]}" --b\n'
    (serve,) = trace_of(text).executions
    places = [text[w.start : w.end] for w in serve.words if isinstance(w, Field)]
    assert places == ["serve", "--a", "1", "--b"]


@pytest.mark.parametrize(
    ("text", "guards"),
    [
        ("serve", []),
        ('[ "$A" = b ] && serve', ["A = b"]),
        ('[[ "${A:-x}" != "b" ]] && serve', ["A != b"]),
        ('! test "$A" = b || serve', ["A = b"]),
        ('[ -z "$A" ] || serve', ["A != empty"]),
        ('if [ "$A" = b ]; then :; else serve; fi', ["A != b"]),
        ("case $A in b) ;; c) serve ;; esac", ["A != b", "A = c"]),
        ('if [ "$A" = b ]; then exit 0; fi; serve', ["A != b"]),
        ("(( A > 3 )) && serve", ["((A > 3))"]),
        ("if check; then serve; fi", ["check"]),
        ("for i in $LIST; do serve; done", ["the loop of line 1 runs"]),
        ('f() { [ "$A" = b ] && return; serve; }; f', ["A != b"]),
        ('if [ "$A" = b ]; then X=1; fi; serve', []),
        # A script that aborts leaves no choice.
        ('if [ "$A" != b ]; then exit 1; fi; serve', []),
        ('[ -n "$A" ] || { echo missing; exit 2; }; serve', []),
    ],
)
def test_guards(text, guards):
    trace = trace_of(text.replace("(( A > 3 ))", "((A > 3))"), defaults=False)
    (serve,) = [item for item in trace.executions if item.name == "serve"]
    assert [str(guard) for guard in trace.open_guards(serve)] == guards


def test_what_changes_with_every_command_is_never_taken_for_decided():
    text = 'first\n[ "$?" = 0 ] && X=1\nsecond\n[ "$?" = 0 ] && serve\n[ "$1" = a ] && other\n'
    trace = trace_of(text, defaults=False)
    (serve,) = [item for item in trace.executions if item.name == "serve"]
    assert [str(guard) for guard in trace.open_guards(serve)] == ['[ "$?" = 0 ]']
    assert "?" not in trace.variables


def test_conditions_that_were_decided_stay_decided():
    trace = trace_of('[ "$A" = b ] || exit 0\n[ "$A" = b ] && serve\n[ "$A" = c ] && other\n')
    assert commands(trace) == ["serve"]


@pytest.mark.parametrize(
    ("text", "always"),
    [
        ("vllm serve", {SERVER}),
        ('[ "$A" ] && vllm serve', set()),
        ('if [ "$A" ]; then vllm serve a; else vllm serve b; fi', {SERVER}),
        ('[ "$A" ] || exit 1; vllm serve', {SERVER}),
        ('[ "$A" ] || exit 0; vllm serve', set()),
        ("vllm serve & aiperf profile", {SERVER, LOAD}),
        ("(vllm serve)", {SERVER}),
        ("f() { vllm serve; }; f | tee log", {SERVER}),
        ('bash -c "cd x && vllm serve"', {SERVER}),
        ("pkill -f trtllm-serve", set()),
    ],
)
def test_what_runs_on_every_path(text, always):
    assert trace_of(text, defaults=False).always == always


def test_files_are_sourced_by_the_path_of_the_script():
    library = "lib() { serve $1; return; other; }\nPORT=${PORT:-8888}\n"
    for line in (
        'source "$(dirname "$0")/../../benchmark_lib.sh"',
        '. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/../../benchmark_lib.sh"',
        'source "$WORKSPACE/benchmarks/benchmark_lib.sh"',
        "source /workspace/benchmarks/benchmark_lib.sh",
    ):
        trace = trace_of(f"{line}\nlib $PORT\n", files={"benchmarks/benchmark_lib.sh": library})
        assert commands(trace) == ["lib 8888", "serve 8888"], line
        assert trace.executions[1].callers[0].script == SCRIPT
        assert trace.missing == ()


def test_a_file_that_is_not_there_is_named():
    trace = trace_of("source nowhere.sh\nserve\n")
    assert trace.missing == ("source nowhere.sh",)
    assert commands(trace) == ["serve"]


@pytest.mark.parametrize(
    "text",
    [
        "for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do :; done; done; done",
        "f() { g; g; }; g() { h; h; }; h() { i; i; }; i() { f; f; }; f",
        "while :; do x=$((x + 1)); done",
        'x=(a); for i in {1..30}; do x+=("${x[@]}"); done',
        "source a.sh",
    ],
)
def test_hostile_scripts_end(text):
    started = time.monotonic()
    trace = trace_of(text, files={"a.sh": "source a.sh\nsource a.sh\n"})
    assert trace.incomplete or trace.executions == ()
    # A limit against hanging, far from any measured time.
    assert time.monotonic() - started < 30


# Compared with bash ------------------------------------------------------------------------------

SCRIPTS = sorted(
    path
    for path in FIXTURES.glob("*/*/after/benchmarks/single_node/*/*.sh")
    if "continuation-broken" not in path.parts
)
POINTS = (
    {"CONC": "1", "TP": "8", "EP_SIZE": "1", "DP_ATTENTION": "false"},
    {"CONC": "64", "TP": "4", "EP_SIZE": "8", "DP_ATTENTION": "true"},
)
GIVEN = {
    "MODEL": "org/Model",
    "MODEL_PATH": "/models/m",
    "RESULT_DIR": "/workspace",
    "ISL": "8192",
    "OSL": "1024",
    "PORT": "8888",
    "RUN_EVAL": "true",
    "TOKENS": "3",
    "KV_OFFLOADING": "none",
    "TOTAL_CPU_DRAM_GB": "1000",
    "RANDOM_RANGE_RATIO": "0.8",
    "RESULT_FILENAME": "result",
    "MAX_MODEL_LEN": "9472",
    "MODEL_PREFIX": "dsv4",
    "PRECISION": "fp4",
    "SPEC_DECODING": "mtp",
    "DURATION": "1800",
    "AIPERF_VENV": "/opt/aiperf",
    "SIMULATE": "",
    "EXTRA_ARGS": "",
}


def compare_with_bash(
    tree: Path, script: str, environment: Mapping[str, str], folder: Path
) -> dict[str, int]:
    """Compare what is started of each role; return how many words are known and unknown."""

    def source(name: str) -> tuple[str, ShellFile] | None:
        path = tree / name
        file = parse_shell(path.read_bytes()) if path.is_file() else None
        return (name, file) if isinstance(file, ShellFile) else None

    found = source(script)
    assert found is not None
    given = Environment(RepoPath(script), environment, defaults=True)
    trace = run(script, found[1], given, source, role_of)
    outcome = run_under_bash(tree, script, environment, folder)
    counts = {"known": 0, "unknown": 0, "words": 0, "ended": int(outcome.status == 0)}
    for role in (LOAD, SERVER, EVAL):
        real = [
            started.words
            for started in outcome.started
            if role_of(tuple(Field(word, "", 0, 0) for word in started.words)) == role
        ]
        ours = [
            item
            for item in trace.executions
            if role_of(item.words) == role and not item.is_function
        ]
        # "Always" is said of runs that do not abort; stubs make some abort.
        if role in trace.always and role != EVAL and outcome.status == 0:
            assert real, f"{script}: {role} is said to run always, and did not"
        assert not real or ours, f"{script}: {role} runs, and is said not to"
        for words, execution in zip(real, ours, strict=False):
            if len(real) == len(ours):
                agree_on_words(script, words, execution, counts)
    return counts


def agree_on_words(
    script: str, real: tuple[str, ...], execution: Execution, counts: dict[str, int]
) -> None:
    gap = any(isinstance(word, Many) for word in execution.words)
    for position, word in enumerate(execution.words):
        counts["words"] += 1
        if isinstance(word, Field) and isinstance(word.text, str):
            counts["known"] += 1
            where = real if gap else real[position : position + 1]
            assert word.text in where, f"{script}: {word.text!r} is not among {where}"
        else:
            counts["unknown"] += 1
            if gap:
                continue


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: "/".join(path.parts[-6:-4]))
def test_fixtures_agree_with_bash(path, tmp_path):
    require_sandbox()
    case = path.parents[4]
    script = path.relative_to(case / "after").as_posix()
    for point, eval_only in zip(POINTS, ("true", "false"), strict=True):
        tree = tmp_path / eval_only / "tree"
        for layer in (LAYOUTS / "b", case / "after"):
            shutil.copytree(layer, tree, dirs_exist_ok=True)
        environment = {**GIVEN, **point, "EVAL_ONLY": eval_only}
        counts = compare_with_bash(tree, script, environment, tmp_path / eval_only / "own")
        assert counts["unknown"] * 4 <= counts["words"] + 8
