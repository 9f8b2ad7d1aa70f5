"""An assignment is dead: another one follows before anything reads it.

## What it does

Reports a variable that is set twice in a row, with nothing but other assignments between that do
not read it.

## Why

The first value never counts. Mostly it is a leftover of a merge or of tuning, and a reader takes
it for the value that was measured.

## Example

```bash
export AIPERF_HTTP_TCP_USER_TIMEOUT=60
export AIPERF_HTTP_TCP_USER_TIMEOUT=900000
```

## Remedy

Keep one of the two.

## Limits

Assignments with a command between them are not reported, for it may read the variable.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.WARNING, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield each assignment that nothing can see."""
    script = file.document
    for pair in file.project.overwritten_assignments(file.path):
        dead, kept = script.span(pair.dead), script.span(pair.kept)
        same = script.source(pair.dead) == script.source(pair.kept)
        verdict = "to the same value" if same else f"and line {kept.line} sets it again"
        yield Finding(
            message=(
                f"`{pair.dead.name}` is set twice {verdict} before anything reads it. Keep one."
                if same
                else f"`{pair.dead.name}` is set here, {verdict} before anything reads it. "
                "Keep one."
            ),
            location=file.at(dead, "never read"),
            subject=pair.dead.name,
            related=(file.at(kept, "this one counts"),),
        )
