"""An added entry leaves out something that the change does.

## What it does

Compares the inventory of the change with the descriptions of the added entries that select each
key. Reports, once for an entry, what none of them names: an option, a variable, an image, points
of the search space. The proof lists every change and the entry that describes it.

## Why

The description is what readers of the charts see. A flag that came along unnoticed is taken for
noise in the numbers.

## Example

An entry says "Switch the MoE backend to triton"; the change also raises `--max-num-seqs` and adds
concurrency 64.

## Remedy

Add a line for each change that the proof shows without an entry.

## Limits

A change counts as described when the text has its name, in whatever spelling, its new or old
value, or for images, models, points and scripts a word for it, in English or Chinese. What a new
config key consists of needs no description beyond that of the key. Checks, evals, telemetry,
removals and shared files are left out.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Severity, rule


@rule(severity=Severity.NOTICE)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield the entries that leave something out."""
    log = change.changelog
    if log is None or not log.added or len(change.files) == 1:
        return
    for partly in change.undescribed_changes:
        verb = "is" if len(partly.missing) == 1 else "are"
        yield Finding(
            message=(
                f"{len(partly.missing)} of {len(partly.items)} changes that the entry for "
                f"{partly.entry.name} stands for {verb} described nowhere: {partly.summary}. "
                "Say what they are."
            ),
            location=Location(
                log.head.path, partly.entry.place(["description"]), label="says less"
            ),
            subject=partly.entry.subject,
            related=partly.places[:4],
            proof=partly.proof,
        )
