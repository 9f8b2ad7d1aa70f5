"""An added changelog entry does not stand at the end of the file.

## What it does

Compares `perf-changelog.yaml` with the merge base, entry by entry, and reports entries that the
change adds above an older one. Entries added side by side give one finding.

## Why

The file is append-only, oldest first. Tools take what follows the old text as the change; an
entry above it fails the check of the merge, or is not run at all.

## Example

A new entry at the top of the file, as in changelogs that list the newest first.

## Remedy

Merge the target branch, take its file as it is, and append the entry one empty line below the last
one.

## Limits

The comparison is with the merge base. Entries that reached the target branch meanwhile do not
count, so a branch that is merely behind is fine.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Severity, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each run of added entries that stands above an older entry."""
    log = change.changelog
    if log is None or log.base is None:
        return
    for run in log.misplaced:
        first, count = run.entries[0], len(run.entries)
        what = f"The entry for {first.name} stands" if count == 1 else f"{count} new entries stand"
        older = f"{run.older_below} older entries" if run.older_below > 1 else "an older entry"
        yield Finding(
            message=(
                f"{what} above {older}. Merge the target branch, keep its file as it is, "
                "and append what is new at its end."
            ),
            location=Location(log.head.path, first.span, label="added here"),
            subject=first.subject,
            related=(Location(log.head.path, run.below.span, label="older than that"),),
        )
