import io
from itertools import pairwise

import pytest
from rich.cells import cell_len
from rich.console import Console

from infx_lint.change import ChangeSet
from infx_lint.documents.text_file import TextFile
from infx_lint.finding import Finding, Fix, Location, Proof, RuleFailure, Severity, Side, Span
from infx_lint.paths import RepoPath
from infx_lint.placement import Place
from infx_lint.report import Analysed, Report, Reported, State
from infx_lint.report.terminal import print_report

PATH = RepoPath("configs/a.yaml")


def report(*findings, failures=(), state=State.NEW):
    items = tuple(
        Reported(finding, Severity.ERROR, state, Place.INLINE, "0" * 16) for finding in findings
    )
    analysed = Analysed((PATH,), ("some-rule",), (), {"some-rule": 0.001})
    return Report(ChangeSet(None, "HEAD", ()), items, failures, analysed)


def finding(span, *, message="Something is wrong. Mend it.", **options):
    return Finding(
        message, Location(PATH, span, label="here"), "subject", rule="some-rule", **options
    )


def show(shown, text="", *, width=80, stats=False, existing=False):
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, emoji=False, markup=False)
    sources = lambda _: TextFile(text) if text else None  # noqa: E731
    print_report(shown, sources, console, include_existing=existing, stats=stats)
    return out.getvalue()


def caret_lines(output):
    """Return pairs of a source line and what is marked below it, cut to the text's part."""
    lines = output.split("\n")
    return [
        (above.partition("│ ")[2], line.partition("│ ")[2])
        for above, line in pairwise(lines)
        if "^" in line and "│" in line
    ]


def test_whole_output():
    shown = report(
        finding(
            Span(2, 3, 2, 6),
            related=(Location(PATH, Span(1, 1, 1, 4), Side.BASE, "as it was"),),
            proof=Proof("Values", ("conc", "value"), (("4", "8"), ("128", "9")), "Both differ."),
            fix=Fix("Delete it", (), safe=True),
        ),
        failures=(RuleFailure("other-rule", PATH, "ValueError: oops"),),
    )
    assert show(shown, "top:\n  bad: 1\n") == (
        "error[some-rule]: Something is wrong. Mend it.\n"
        " --> configs/a.yaml:2:3\n"
        "  │\n"
        "2 │   bad: 1\n"
        "  │   ^^^ here\n"
        " ::: configs/a.yaml:1:1 (base)\n"
        "  │\n"
        "1 │ top:\n"
        "  │ --- as it was\n"
        "  = Values\n"
        "    conc  value\n"
        "    4     8\n"
        "    128   9\n"
        "    Both differ.\n"
        "  = safe fix: Delete it\n"
        "\n"
        "failure[other-rule]: configs/a.yaml: ValueError: oops\n"
        "The run is incomplete: 1 not analysed. 1 changed file, 1 rules\n"
    )


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ('description: "新增配置" # x', "新增"),
        ("\tkey:\tvalue", "value"),
        ("é: e\u0301tat", "e\u0301tat"),
        ("a: \U0001f600 b", "b"),
        ("plain: text", "text"),
    ],
)
def test_carets_stand_below_the_text(line, marked):
    start = line.index(marked) + 1
    ((above, below),) = caret_lines(
        show(report(finding(Span(1, start, 1, start + len(marked)))), line + "\n")
    )
    before = below.partition("^")[0]
    expanded = marked.replace("\t", "    ")
    cells = cell_len(above.partition(expanded)[0])
    assert len(before) == cells
    assert below.count("^") == cell_len(expanded)


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("start", [1, 60, 400])
@pytest.mark.parametrize("filler", ["x", "中"])
def test_long_lines_are_cut_around_the_place(width, start, filler):
    line = filler * (start - 1) + "BAD" + filler * 400
    output = show(report(finding(Span(1, start, 1, start + 3))), line + "\n", width=width)
    ((above, below),) = caret_lines(output)
    assert "BAD" in above
    assert cell_len(above) + 4 <= width
    assert cell_len(above.partition("BAD")[0]) == len(below.partition("^")[0])
    assert below.count("^") == 3


def test_text_of_a_change_cannot_move_the_cursor_or_style_anything():
    evil = "a\x1b[31mred\x1b[0m\x07\u202eb\n::error::x [bold]c[/bold]"
    output = show(report(finding(Span(1, 1, 1, 2), message=evil)), evil + "\n")
    assert not set("\x1b\x07\u202e") & set(output)
    assert "[bold]c[/bold]" in output
    assert not any(line.startswith("::error") for line in output.split("\n"))


def test_a_place_of_many_lines_shows_the_first():
    output = show(report(finding(Span(1, 1, 9, 2))), "".join(f"line {n}\n" for n in range(1, 10)))
    assert "3 │ line 3\n" in output
    assert "^^^^^^ here … to line 9" in output
    assert "4 │" not in output


def test_missing_source_still_names_the_place():
    assert " --> configs/a.yaml:7:1\n   = here\n" in show(report(finding(Span(7, 1, 7, 2))))


def test_old_findings_are_counted_and_shown_on_demand():
    shown = report(finding(Span(1, 1, 1, 2)), state=State.EXISTING)
    assert show(shown, "a: 1\n") == (
        "Nothing to report (1 changed file, 1 rules; 1 older not shown (--include-existing)).\n"
    )
    assert "error[some-rule] (older): Something" in show(shown, "a: 1\n", existing=True)


def test_stats_name_each_rule():
    assert "some-rule  1.0" in show(report(), stats=True)
