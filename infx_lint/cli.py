"""The command line: options in, text and exit status out. The only module that exits."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infx_lint import __version__
from infx_lint.config import ConfigError, Settings, find_settings, load_settings
from infx_lint.finding import Severity
from infx_lint.git import GitError, Repository
from infx_lint.printable import printable
from infx_lint.registry import RuleError, all_rules, find_rule, select_rules

if TYPE_CHECKING:
    from infx_lint.report import Report
    from infx_lint.rule_api import ChangeContext, Rule
    from infx_lint.scope import Comparison

WRONG_USE, INCOMPLETE = 2, 3


class _Commands(click.Group):
    """Takes `check` for granted: `infx-lint --staged` is `infx-lint check --staged`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] not in (["--help"], ["--version"], ["-h"]) and (
            not args or args[0] not in self.commands
        ):
            self._refuse_mistyped_command(args)
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def _refuse_mistyped_command(self, args: list[str]) -> None:
        """Refuse a word that is no path but nearly a command: a slip."""
        if args and not args[0].startswith("-") and not Path(args[0]).exists():
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.commands, n=1)
            if near:
                raise click.UsageError(f"no command or path `{args[0]}`; did you mean `{near[0]}`?")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="infx-lint")
def cli() -> None:
    """Review changes to SemiAnalysisAI/InferenceX before anyone else has to.

    Without a command: `check`, what a push of this branch would add.
    """


_REPO = click.option(
    "--repo",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The clone to look at; default: here.",
)
_SELECT = click.option(
    "--select", multiple=True, metavar="RULE", help="Run only this rule; repeatable."
)
_IGNORE = click.option(
    "--ignore", multiple=True, metavar="RULE", help="Leave out a rule; repeatable."
)


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--base", metavar="REV", help="Compare with the merge base of this and the head.")
@click.option("--head", metavar="REV", help="The commit to review; default: the working tree.")
@click.option("--staged", is_flag=True, help="Review what is staged, against HEAD.")
@click.option("--all", "everything", is_flag=True, help="Review every file, as if all were new.")
@click.option(
    "--pr", type=click.IntRange(min=1), metavar="N", help="The number of the pull request."
)
@click.option(
    "--format", "output_format", type=click.Choice(["terminal", "json"]), default="terminal"
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write there instead."
)
@click.option(
    "--fail-on", type=click.Choice(["error", "warning", "notice", "never"]), help="[error]"
)
@click.option(
    "--include-existing", is_flag=True, help="Show old findings too; they never fail a run."
)
@click.option(
    "--config", type=click.Path(path_type=Path), help="Settings; default: infx-lint.toml."
)
@click.option("--stats", is_flag=True, help="Show the time of each rule.")
@_SELECT
@_IGNORE
@_REPO
def check(  # noqa: PLR0913 - one parameter an option
    *,
    paths: tuple[str, ...],
    base: str | None,
    head: str | None,
    staged: bool,
    everything: bool,
    pr: int | None,
    output_format: str,
    output: Path | None,
    fail_on: str | None,
    include_existing: bool,
    config: Path | None,
    stats: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    repo: Path,
) -> None:
    """Review a change: this branch against its upstream, or what the options name."""
    from infx_lint.scope import Request, compare, select_paths

    # The process ends soon: there is nothing that collecting garbage would give back in time.
    gc.disable()
    if staged and (base or head or everything):
        raise click.UsageError(
            "--staged compares the index with HEAD; leave out --base, --head, --all"
        )
    if everything and base:
        raise click.UsageError("--all has no base; leave out --base")
    repository = Repository(repo)
    settings = _settings(repository, config)
    rules = select_rules(select, (*ignore, *settings.off))
    comparison = compare(repository, Request(base, head, staged, everything))
    comparison = select_paths(repository, comparison, paths)
    if settings.source:
        # What changes the outcome of a review must be seen in it.
        change = comparison.change
        named = replace(change, reason=f"{change.reason}, settings of {settings.source.name}")
        comparison = comparison._replace(change=named)
    report = _run(repository, comparison, rules, settings, pr)
    threshold = fail_on or settings.fail_on or "error"
    with _writing(output):
        if output_format == "json":
            from infx_lint.report.json_format import render

            _write(render(report, include_existing=include_existing), output)
        else:
            _print(report, comparison, output, include_existing=include_existing, stats=stats)
    repository.close()
    sys.exit(report.exit_status(None if threshold == "never" else Severity(threshold)))


def _settings(repository: Repository, config: Path | None) -> Settings:
    """Load the settings that the user named, or those at the top of the working tree."""
    file = config or (None if repository.is_bare else find_settings(repository.root))
    return load_settings(file, tuple(rule.id for rule in all_rules())) if file else Settings()


def _run(
    repository: Repository,
    comparison: Comparison,
    rules: tuple[Rule, ...],
    settings: Settings,
    pull_request: int | None,
) -> Report:
    from infx_lint.cache import FactCache
    from infx_lint.engine import Job, run
    from infx_lint.history import GitHistory

    return run(
        Job(
            comparison=comparison,
            rules=rules,
            history=GitHistory(repository, comparison.change),
            cache=FactCache(),
            severities=settings.severities,
            pull_request=pull_request,
        )
    )


def _print(
    report: Report,
    comparison: Comparison,
    output: Path | None,
    *,
    include_existing: bool,
    stats: bool,
) -> None:
    """Print for people. Where there is nothing to show, rich is not even loaded."""
    reason = printable(f"infx-lint: {report.change.reason}")
    if not report.shown(include_existing=include_existing) and not report.failures and not stats:
        from infx_lint.report.terminal import summary

        _write(f"{reason}\n{summary(report, include_existing=include_existing)[0]}\n", output)
        return
    from io import StringIO

    from rich.console import Console

    from infx_lint.report.terminal import print_report

    text = StringIO()
    console = Console(file=text if output else None, highlight=False, emoji=False, markup=False)
    console.print(reason, style="dim", soft_wrap=True)
    console.print()
    print_report(report, comparison.source, console, include_existing=include_existing, stats=stats)
    if output:
        _write(text.getvalue(), output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


@contextmanager
def _writing(output: Path | None) -> Iterator[None]:
    """Say in one line why the output cannot be written: a full disk, a folder that is missing."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        target = output or "standard output"
        raise click.UsageError(f"cannot write {target}: {error.strerror}") from None


@cli.command("inventory")
@click.option("--base", metavar="REV", help="Compare with the merge base of this and the head.")
@click.option("--head", metavar="REV", help="The commit to look at; default: the working tree.")
@click.option("--staged", is_flag=True, help="Look at what is staged, against HEAD.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["terminal", "json", "markdown"]),
    default="terminal",
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write there instead."
)
@_REPO
def show_inventory(  # noqa: PLR0913 - one parameter an option
    *,
    base: str | None,
    head: str | None,
    staged: bool,
    output_format: str,
    output: Path | None,
    repo: Path,
) -> None:
    """Show what a change does to what each config key runs, and who describes it."""
    from infx_lint.cache import FactCache
    from infx_lint.domain.project import Project
    from infx_lint.history import GitHistory
    from infx_lint.report import inventory_format
    from infx_lint.rule_api import ChangeContext
    from infx_lint.scope import Request, compare

    if staged and (base or head):
        raise click.UsageError("--staged compares the index with HEAD; leave out --base, --head")
    repository = Repository(repo)
    comparison = compare(repository, Request(base, head, staged))
    cache = FactCache()
    change = ChangeContext(
        comparison.change,
        Project(comparison.base, cache),
        Project(comparison.head, cache),
        GitHistory(repository, comparison.change),
    )
    with _writing(output):
        if output_format == "json":
            _write(inventory_format.render_json(change), output)
        elif output_format == "markdown":
            _write(inventory_format.render_markdown(change), output)
        else:
            _print_inventory(change, output)
    repository.close()


def _print_inventory(change: ChangeContext, output: Path | None) -> None:
    from io import StringIO

    from rich.console import Console

    from infx_lint.report.inventory_format import print_inventory

    text = StringIO()
    console = Console(file=text if output else None, highlight=False, emoji=False, markup=False)
    console.print(printable(f"infx-lint: {change.change.reason}"), style="dim", soft_wrap=True)
    print_inventory(change, console)
    if output:
        _write(text.getvalue(), output)


@cli.command("rules")
def list_rules() -> None:
    """List all rules."""
    from rich.console import Console

    from infx_lint.rule_docs import rules_table

    Console(highlight=False).print(rules_table(all_rules()))


@cli.command()
@click.argument("rule_id", metavar="RULE")
def explain(rule_id: str) -> None:
    """Show the page of a rule."""
    from rich.console import Console
    from rich.markdown import Markdown

    from infx_lint.rule_docs import rule_page

    Console().print(Markdown(rule_page(find_rule(rule_id))))


@cli.command()
def demo() -> None:
    """Review an embedded example change, through the whole pipeline."""
    from infx_lint.demo import demo_repository
    from infx_lint.scope import Request, compare

    with demo_repository() as (folder, base, head):
        repository = Repository(folder)
        comparison = compare(repository, Request(base, head))
        report = _run(repository, comparison, all_rules(), Settings(), None)
        _print(report, comparison, None, include_existing=False, stats=False)
        repository.close()


@cli.command()
@click.argument("rule_id", metavar="RULE")
def new(rule_id: str) -> None:
    """Write the files of a new rule, in a checkout of infx-lint."""
    from infx_lint.scaffold import write_rule

    for path in write_rule(rule_id):
        click.echo(path)


@cli.command()
@click.argument("revisions", metavar="REV..REV")
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes to work with.")
@click.option(
    "--jsonl", type=click.Path(path_type=Path, dir_okay=False), help="Write there, and resume."
)
@_SELECT
@_IGNORE
@_REPO
def backtest(  # noqa: PLR0913 - one parameter an option
    *,
    revisions: str,
    jobs: int,
    jsonl: Path | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    repo: Path,
) -> None:
    """Replay merged history: each first-parent change as if it were under review.

    Writes one JSON line for each change. A file given with --jsonl is continued, not overwritten.
    """
    from infx_lint.backtest import Plan, replay
    from infx_lint.backtest_log import BacktestLog, progress

    since, dots, until = revisions.partition("..")
    if not (since and dots and until) or until.startswith("."):
        raise click.UsageError(f"`{revisions}` is no range; write it as OLD..NEW")
    select_rules(select, ignore)
    repository = Repository(repo)
    commits = repository.first_parent_commits(repository.resolve(since), repository.resolve(until))
    with BacktestLog(jsonl) as log:
        waiting = [commit for commit in commits if commit.sha not in log.finished]
        plan = Plan(repo.resolve(), select, ignore)
        for record in progress(
            replay(plan, waiting, jobs), done=len(commits) - len(waiting), total=len(commits)
        ):
            log.write(record)
    click.echo(log.summary(), err=True)
    sys.exit(INCOMPLETE if log.failures else 0)


def main() -> None:
    """Run the command line; wrong use ends with one line that names the remedy."""
    try:
        cli(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except BrokenPipeError:
        # The reader (`head`, a pager) has seen enough; Python must not complain at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except click.ClickException as error:
        _fail(error.format_message(), "infx-lint --help", error.exit_code)
    except (ConfigError, RuleError) as error:
        _fail(str(error), None, WRONG_USE)
    except GitError as error:
        _fail(str(error), error.remedy, INCOMPLETE if error.incomplete else WRONG_USE)


def _fail(message: str, remedy: str | None, status: int) -> None:
    text = printable(" ".join(message.splitlines()))
    remedy = printable(remedy) if remedy else None
    click.echo(f"infx-lint: {text}" + (f" (try: {remedy})" if remedy else ""), err=True)
    sys.exit(status)
