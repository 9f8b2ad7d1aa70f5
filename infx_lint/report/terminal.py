"""`--format terminal`: findings with the source they speak of, for people.

Widths are those of a terminal's cells, so that carets stand right below Chinese text and tabs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from infx_lint.documents.text_file import TextFile
from infx_lint.finding import Fix, Location, Proof, Severity, Side
from infx_lint.printable import printable
from infx_lint.report import Report, Reported, State

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Sources = Callable[[Location], TextFile | None]

TAB = 4
_STYLES = {
    Severity.ERROR: "bold red",
    Severity.WARNING: "bold yellow",
    Severity.NOTICE: "bold blue",
}
_MOST_LINES = 3


def print_report(
    report: Report, sources: Sources, console: Console, *, include_existing: bool, stats: bool
) -> None:
    """Write a report to a terminal, or to whatever stands behind the console.

    Args:
        report: what to show.
        sources: gives the text of a place's file, or None where it cannot be shown.
        console: knows width and colours.
        include_existing: whether to show findings that the change did not cause.
        stats: whether to end with the time of each rule.
    """
    for item in report.shown(include_existing=include_existing):
        for line in _finding(item, sources, console.width):
            console.print(line, soft_wrap=True)
        console.print()
    for failure in report.failures:
        where = f"{failure.path.display()}: " if failure.path else ""
        console.print(
            _text(
                "failure", "bold magenta", f"[{failure.rule}]", "", f": {where}{failure.summary}"
            ),
            soft_wrap=True,
        )
    console.print(_text(*summary(report, include_existing=include_existing)), soft_wrap=True)
    if stats:
        _print_stats(report, console)


def summary(report: Report, *, include_existing: bool) -> tuple[str, str]:
    """Return the closing line and its style."""
    counts = [
        f"{report.count(severity)} {severity.value}{'s' if report.count(severity) != 1 else ''}"
        for severity in Severity
        if report.count(severity)
    ]
    files, rules = len(report.analysed.files), len(report.analysed.rules)
    looked_at = f"{files} changed file{'s' if files != 1 else ''}, {rules} rules"
    old = sum(item.state is State.EXISTING for item in report.findings)
    hidden = "" if include_existing or not old else f"; {old} older not shown (--include-existing)"
    if report.failures:
        return f"The run is incomplete: {len(report.failures)} not analysed. {looked_at}", "magenta"
    if counts:
        return f"Found {', '.join(counts)} ({looked_at}{hidden}).", "bold"
    if old and include_existing:
        return f"Nothing new, {old} older ({looked_at}).", "green"
    return f"Nothing to report ({looked_at}{hidden}).", "green"


def _text(*parts: str) -> Text:
    """Make a text of alternating contents and styles; markup in them means nothing."""
    from rich.text import Text

    text = Text()
    for content, style in zip(parts[::2], (*parts[1::2], ""), strict=False):
        text.append(printable(content), style)
    return text


def _finding(item: Reported, sources: Sources, width: int) -> Iterator[Text]:
    finding = item.finding
    style = _STYLES[item.severity]
    known = " (older)" if item.state is State.EXISTING else ""
    yield _text(
        item.severity.value,
        style,
        f"[{finding.rule}]",
        style,
        f"{known}: {finding.message}",
        "bold",
    )
    places = (finding.location, *finding.related)
    gutter = max(len(str(place.span.end_line)) for place in places)
    for place in places:
        yield from _place(place, sources(place), gutter, width, primary=place is finding.location)
    if finding.proof:
        yield from _proof(finding.proof, gutter)
    if finding.fix:
        yield from _fix(finding.fix, gutter)


def _place(
    place: Location, text: TextFile | None, gutter: int, width: int, *, primary: bool
) -> Iterator[Text]:
    arrow = "-->" if primary else ":::"
    side = " (base)" if place.side is Side.BASE else ""
    where = f"{place.path.display()}:{place.span.line}:{place.span.column}"
    yield _text(" " * gutter + f"{arrow} ", "cyan", where, "", side, "dim")
    if text is None:
        if place.label:
            yield _text(" " * gutter + "  = ", "cyan", place.label)
        return
    bar = " " * gutter + " │"
    yield _text(bar, "cyan")
    span = place.span
    last = min(span.end_line, span.line + _MOST_LINES - 1)
    for number in range(span.line, last + 1):
        line = text.line(number)
        start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
        end = span.end_column - 1 if number == span.end_line else len(line)
        shown, before, marked = _excerpt(line, start, end, max(20, width - gutter - 4))
        yield _text(f"{number:>{gutter}} │ ", "cyan", shown)
        if number == last:
            more = f" … to line {span.end_line}" if last < span.end_line else ""
            label = f" {place.label}" if place.label else ""
            carets = ("^" if primary else "-") * max(1, marked)
            style = "bold red" if primary else "cyan"
            yield _text(f"{bar} ", "cyan", " " * before + carets + label + more, style)


def _excerpt(line: str, start: int, end: int, width: int) -> tuple[str, int, int]:
    """Cut a line to a width around a stretch of it.

    Returns:
        The text to show, the cells before the stretch and the cells of the stretch itself.
    """
    before, marked, after = (_expand(part) for part in (line[:start], line[start:end], line[end:]))
    if _cells(before) + _cells(marked) > width:
        keep = max(8, width - min(_cells(marked), width // 2) - 2)
        if _cells(before) > keep:
            before = "…" + _last_cells(before, keep)
    room = width - _cells(before)
    shown = _first_cells(before + marked + after, width)
    return shown, _cells(before), min(_cells(marked), max(1, room))


def _expand(text: str) -> str:
    return printable(text.replace("\t", " " * TAB).replace("\r", "␍"))


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _first_cells(text: str, width: int) -> str:
    if _cells(text) <= width:
        return text
    from rich.cells import set_cell_size

    return set_cell_size(text, width - 1).rstrip() + "…"


def _last_cells(text: str, width: int) -> str:
    while _cells(text) > width:
        text = text[max(1, (_cells(text) - width) // 2) :]
    return text


def _proof(proof: Proof, gutter: int) -> Iterator[Text]:
    pad = " " * gutter
    yield _text(f"{pad} = ", "cyan", proof.title, "bold")
    table = [proof.columns, *proof.rows]
    widths = [max(_cells(row[i]) for row in table) for i in range(len(proof.columns) - 1)]
    for index, row in enumerate(table):
        cells = [
            cell + " " * (size - _cells(cell)) for cell, size in zip(row, widths, strict=False)
        ]
        style = "dim" if index == 0 else ""
        yield _text(f"{pad}   " + "  ".join([*cells, row[-1]]), style)
    if proof.conclusion:
        yield _text(f"{pad}   {proof.conclusion}")


def _fix(fix: Fix, gutter: int) -> Iterator[Text]:
    how = "safe fix" if fix.safe else "fix"
    yield _text(" " * gutter + " = ", "cyan", f"{how}: ", "bold green", fix.title)


def _print_stats(report: Report, console: Console) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("rule")
    table.add_column("ms", justify="right")
    table.add_column("findings", justify="right")
    found = [item.finding.rule for item in report.findings]
    for rule, seconds in sorted(report.analysed.seconds.items(), key=lambda pair: -pair[1]):
        silent = rule in report.analysed.without_authority
        count = "silent: its policy does not stand" if silent else str(found.count(rule))
        table.add_row(rule, f"{seconds * 1000:.1f}", count)
    console.print(table)
