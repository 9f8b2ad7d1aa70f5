"""A helper that takes options only is given something else.

## What it does

Reports a word in a call of a shell function that the function refuses: a bare word, or an option
that it does not know. What a function takes is read from its own loop over `case "$1"`, in the
script or in the library that it sources.

## Why

Such a function prints `Unknown parameter` and fails, after the server has been started: the node
was booked for nothing.

## Example

```bash
run_benchmark_serving \
    --max-concurrency "$CONC" \
    EP_SIZE \
    --result-dir /workspace/
```

## Remedy

Take the word out, or give it its option.

## Limits

Behind a word whose value is not known nothing is reported.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.ERROR, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield each word that its function refuses."""
    for stray in file.project.stray_arguments(file.path):
        what = "is no option of" if stray.word.startswith("-") else "is no option, and"
        ends = "" if stray.word.startswith("-") else " takes options only"
        yield Finding(
            message=(
                f"`{stray.word}` {what} `{stray.function}`{ends}: the call fails. "
                "Take it out, or give it its option."
            ),
            location=file.at(stray.place, "refused"),
            subject=f"{stray.function} {stray.word}",
            related=(file.at(stray.definition, "the options it takes", stray.definition_path),),
        )
