"""The description of an added entry is that of an older one.

## What it does

Reports an added entry whose description equals that of an older entry for one of the same config
keys, line for line and word for word.

## Why

Entries are written by copying the last one. A description that was not rewritten tells the
readers of the charts that the old change was made again.

## Example

Two entries for one config key, both saying "Update image to v0.5.8".

## Remedy

Say what this change does.

## Limits

Nearly equal descriptions are not reported, nor equal ones for other keys: one sentence can be
true of many configs. A change that consists of the entry alone runs an old sweep again, so there
the old words are right.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Severity, rule


@rule(severity=Severity.WARNING)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each added entry whose description an older entry has."""
    log = change.changelog
    if log is None or len(change.files) == 1:
        return
    for entry in log.added:
        older = log.last_described_as(entry)
        if older is None:
            continue
        yield Finding(
            message=(
                f"The description for {entry.name} repeats that of an older entry "
                f"for {older.name} word for word. Say what this change does."
            ),
            location=Location(log.head.path, entry.place(["description"]), label="copied"),
            subject=entry.subject,
            related=(Location(log.head.path, older.place(["description"]), label="the original"),),
        )
