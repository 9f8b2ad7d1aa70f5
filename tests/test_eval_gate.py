"""The gate of a sibling, put into a script that lacks it."""

import pytest

from infx_lint.documents.shell_file import ShellFile, parse_shell
from infx_lint.domain.eval_gate import find_gate, gate_edit
from infx_lint.domain.programs import LOAD, role_of
from infx_lint.fixes import apply_edits
from infx_lint.paths import RepoPath
from infx_lint.shell.execution import run
from infx_lint.shell.state import Environment
from tests.harness import FIXTURES, Case, lint_case

PATH = RepoPath("x.sh")
SIBLING = """\
if [ "${EVAL_ONLY}" = "true" ]; then
    # The port of the router.
    run_eval --port "$PORT"
else
    build_replay_cmd "$OUT"
    REPLAY_CMD+=" --metrics"
    aiperf profile
fi
"""
TURNED = """\
if [[ "$EVAL_ONLY" != true ]]; then
    aiperf profile
else
    run_eval
fi
"""


def parse(text: str) -> ShellFile:
    file = parse_shell(text.encode())
    assert isinstance(file, ShellFile)
    return file


def gated(script: str, sibling: str, *, with_evals: bool = True) -> str | None:
    file = parse(script)
    trace = run(PATH, file, Environment(PATH, {"EVAL_ONLY": "true"}), lambda _name: None, role_of)
    load = next(item for item in trace.executions if role_of(item.words) == LOAD)
    gate = find_gate([(RepoPath("sibling.sh"), parse(sibling))], "aiperf")
    assert gate is not None
    edit = gate_edit(PATH, file, load, gate, with_evals=with_evals)
    return apply_edits(file.text, [edit]) if edit else None


def test_what_the_sibling_gates_is_gated():
    replay = 'build_replay_cmd "$OUT"\n# More.\nREPLAY_CMD+=" -x"\naiperf profile a # go\n'
    assert gated(f"serve &\n\n{replay}", SIBLING) == (
        "serve &\n\n"
        'if [ "${EVAL_ONLY}" = "true" ]; then\n'
        '    run_eval --port "$PORT"\n'
        "else\n"
        '    build_replay_cmd "$OUT"\n'
        "    # More.\n"
        '    REPLAY_CMD+=" -x"\n'
        "    aiperf profile a # go\n"
        "fi\n"
    )


def test_the_way_round_of_the_sibling_is_kept():
    assert gated("{\n    aiperf profile\n}\n", TURNED) == (
        "{\n"
        '    if [[ "$EVAL_ONLY" != true ]]; then\n'
        "        aiperf profile\n"
        "    else\n"
        "        run_eval\n"
        "    fi\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("sibling", "condition"),
    [(SIBLING, '[ "${EVAL_ONLY}" != "true" ]'), (TURNED, '[[ "$EVAL_ONLY" != true ]]')],
)
def test_where_evals_run_already_the_load_alone_is_gated(sibling, condition):
    assert gated("aiperf profile\nrun_eval\n", sibling, with_evals=False) == (
        f"if {condition}; then\n    aiperf profile\nfi\nrun_eval\n"
    )


@pytest.mark.parametrize(
    "script",
    [
        "aiperf profile <<EOF\ntext\nEOF\n",
        "aiperf profile 'two\nlines'\n",
        "serve; aiperf profile\n",
        "serve && aiperf profile\n",
    ],
)
def test_no_edit_where_indenting_would_change_something(script):
    assert gated(script, SIBLING) is None


def test_the_offered_fix_mends_the_finding(tmp_path):
    # A fix is offered only after the edited script was linted again.
    case = Case(FIXTURES / "eval-only-not-gated" / "flags-replay-without-gate")
    (item,) = lint_case(case, tmp_path).findings
    assert item.finding.fix is not None
    assert item.finding.fix.title == "Gate it as qwen3.5_fp8_mi355x_sglang.sh does"
    (edit,) = item.finding.fix.edits
    assert edit.text.splitlines()[:3] == [
        'if [ "${EVAL_ONLY}" = "true" ]; then',
        "    run_eval",
        "else",
    ]
