"""A description claims what the config keys that it selects contradict.

## What it does

Reads the descriptions of added entries and reports an image that no selected key runs, and
concurrencies, degrees of parallelism and values of options that none of them has, neither before
the change nor after it.

## Why

The description is published beside the numbers. Entries are written early and not read again: the
image moves once more, a row is widened, and the text still tells of the first attempt.

## Example

"Update vLLM image to vllm/vllm-openai:v0.20.0" where the key runs `v0.21.0`.

## Remedy

Say what the change does, or do what it says.

## Limits

Only statements in plain words are read. With several keys a statement is wrong only where all of
them contradict it.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Proof, Severity, rule


@rule(severity=Severity.WARNING)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each statement that is not the case."""
    log = change.changelog
    if log is None or not log.added or change.is_whole_tree:
        return
    for wrong in change.contradicted_descriptions:
        yield Finding(
            message=(
                f"The description for {wrong.entry.name} says `{wrong.said}`, but {wrong.actual}."
            ),
            location=Location(log.head.path, wrong.place, label="not the case"),
            subject=f"{wrong.entry.subject} {wrong.said}",
            related=wrong.related,
            proof=Proof("what the config keys have", ("where", "value"), wrong.rows),
        )
