"""One command is given the same option twice.

## What it does

Reports an option that stands twice on the command line of a server, of a load generator or of a
function that takes options, after variables and arrays are expanded; in an eval-only run and in a
throughput run.

## Why

The program takes the last one without a word. What stands first looks as if it counted.

## Example

```bash
EVAL_CONTEXT_ARGS="--context-length $EVAL_MAX_MODEL_LEN"
python3 -m sglang.launch_server --context-length 9216 $EVAL_CONTEXT_ARGS
```

## Remedy

Keep one of the two.

## Limits

Options that may be in a part of the command line which is not known are not reported.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.WARNING, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield each option that a command is given twice."""
    for repeated in file.project.repeated_flags(file.path):
        first, second = repeated.values
        values = f"`{first}` and `{second}`"
        if first == second:
            values = "values that only the run knows" if "?" in first else "the same value"
        yield Finding(
            message=(
                f"`{repeated.flag}` is given twice in {repeated.mode}, with {values}: "
                "the last one counts. Keep one."
            ),
            location=file.at(repeated.places[1], "again here"),
            subject=f"{repeated.command} {repeated.flag}",
            related=(file.at(repeated.places[0], "first here"),),
        )
