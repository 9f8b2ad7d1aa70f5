"""An added entry selects a config key and leaves out something that the change does to it.

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
from infx_lint.domain.inventory_table import proof_of


@rule(severity=Severity.NOTICE)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield the entries that leave something out."""
    log = change.changelog
    if log is None or not log.added or len(change.files) == 1:
        return
    for partly in change.undescribed_changes:
        entry, missing = partly.entry, partly.missing
        first = missing[0].sentence
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        verb = "is" if len(missing) == 1 else "are"
        yield Finding(
            message=(
                f"{len(missing)} of {len(partly.items)} changes that the entry for {entry.name} "
                f"stands for {verb} described nowhere: {first}{more}. "
                "Say what they are."
            ),
            location=Location(log.head.path, entry.place(["description"]), label="says less"),
            subject=entry.subject,
            related=tuple(place for item in missing[:4] for place in item.places[:1]),
            proof=proof_of(partly.items, change.coverage),
        )
