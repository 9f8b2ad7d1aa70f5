"""Pages about rules, made from their docstrings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infx_lint.rule_api import Rule

if TYPE_CHECKING:
    from rich.table import Table

HEADINGS = ("What it does", "Why", "Example", "Remedy", "Limits")


def rule_page(rule: Rule) -> str:
    """Return the page of a rule as Markdown."""
    summary, _, rest = rule.page.partition("\n")
    policy = (
        f"\n\nOnly where {' or '.join(rule.policy.documents)} says: “{rule.policy.phrase}”"
        if rule.policy
        else ""
    )
    return f"# {rule.id}\n\n**{rule.severity.value}** · {summary}{policy}\n\n{rest.strip()}\n"


def rules_index(rules: tuple[Rule, ...]) -> str:
    """Return the text of `rules/README.md`."""
    rows = "\n".join(
        f"| [`{rule.id}`]({rule.id.replace('-', '_')}.py) | {rule.severity} | {rule.summary} |"
        for rule in rules
    )
    return (
        "# Rules\n\n"
        "Made from the docstrings by `pytest --bless`; `infx-lint explain RULE` shows a page.\n\n"
        "| rule | default | what it reports |\n| --- | --- | --- |\n"
        f"{rows}\n"
    )


def rules_table(rules: tuple[Rule, ...]) -> Table:
    """Return the list of rules for a terminal."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("rule", style="bold", no_wrap=True)
    table.add_column("default")
    table.add_column("what it reports")
    for rule in rules:
        table.add_row(rule.id, rule.severity.value, rule.summary)
    return table
