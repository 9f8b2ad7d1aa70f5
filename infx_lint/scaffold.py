"""`infx-lint new`: the files that a new rule starts from."""

from __future__ import annotations

from pathlib import Path

from infx_lint.registry import FILE_NAME, RuleError, rules_folder
from infx_lint.rule_docs import HEADINGS

_TEMPLATE = '''"""One sentence that says what is wrong.

{sections}
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, YamlFile, rule


@rule(severity=Severity.WARNING, document=YamlFile)
def check(file: FileContext[YamlFile]) -> Iterator[Finding]:
    """Yield each place where it is wrong."""
    if file.document.root is None:
        yield Finding(
            message="What is wrong here. What to do about it.",
            location=file.at(file.document.text.line_span(1)),
            subject="what it is about, never a line number",
        )
'''


def write_rule(rule_id: str) -> tuple[Path, ...]:
    """Write a rule file and two fixtures for it, and return what was written.

    Raises:
        RuleError: the name does not fit, the rule exists, or this is no checkout.
    """
    folder = rules_folder()
    file = folder / f"{rule_id.replace('-', '_')}.py"
    if not FILE_NAME.fullmatch(file.name) or "_" in rule_id:
        raise RuleError(f"`{rule_id}`: name the mistake in two words or more, as `key-repeated`")
    if folder.name != "rules":
        raise RuleError("new rules are written in a checkout: git clone the project first")
    if file.exists():
        raise RuleError(f"{file} exists already")
    fixtures = folder.parent / "fixtures" / rule_id
    written = {
        file: _TEMPLATE.format(
            sections="\n\n".join(f"## {heading}\n\nTo be written." for heading in HEADINGS)
        ),
        fixtures / "flags-the-mistake" / "after" / "configs" / "example.yaml": "",
        fixtures / "flags-the-mistake" / "expected.txt": "",
        fixtures / "allows-the-right-way" / "after" / "configs" / "example.yaml": "key: value\n",
        fixtures / "allows-the-right-way" / "expected.txt": "",
    }
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tuple(written)
