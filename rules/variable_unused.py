"""A script computes a variable that nothing reads.

## What it does

Reports a variable of a benchmark script that is set and that no command, no exported variable and
no sourced file reads. A condition that only decides over the value of the same variable counts for
nothing.

## Why

A limit that is computed and never handed to the server does not limit anything. And a switch for a
program that is set without `export` is not seen by it.

## Example

```bash
CUDA_GRAPH_MAX_BS="$CONC"
if [ "$CUDA_GRAPH_MAX_BS" -gt 256 ]; then CUDA_GRAPH_MAX_BS=256; fi
python3 -m sglang.launch_server --cuda-graph-max-bs "$CONC"
```

## Remedy

Use the variable, `export` it if a program reads it, or delete it.

## Limits

A name that stands in any text of the script, or of a file that it sources, counts as read; so does
one that a caller may export (`X=${X:-8}`, or what a config row gives).
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.WARNING, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield each variable that reaches nothing."""
    for unused in file.project.unused_variables(file.path):
        *others, last = (file.document.span(item) for item in unused.assignments)
        yield Finding(
            message=(
                f"`{unused.name}` is set, and nothing reads it. Use it, `export` it if a program "
                "reads it, or delete it."
            ),
            location=file.at(last, "never read"),
            subject=unused.name,
            related=tuple(file.at(other, "set here, too") for other in others),
        )
