"""A YAML file cannot be parsed.

## What it does

Reports a changed YAML file that libyaml refuses, with the place and the reason in words. An
unresolved merge conflict is named as such.

## Why

Nothing can be started from a file that does not parse, and none of the other rules can look at it.

## Example

```yaml
- config-keys:
<<<<<<< HEAD
```

## Remedy

Mend the syntax at the place shown.

## Limits

A changelog that is no UTF-8 text is reported by `changelog-entry-format` instead.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, UnreadableYaml, rule


@rule(severity=Severity.ERROR, document=UnreadableYaml)
def check(file: FileContext[UnreadableYaml]) -> Iterator[Finding]:
    """Yield why the file cannot be parsed."""
    if file.document.encoding and file.path == file.project.layout.changelog:
        return
    reason = file.document.reason
    yield Finding(
        message=f"This cannot be parsed: {reason}. Mend it; nothing else in the file was checked.",
        location=file.at(file.document.span),
        subject="",
    )
