"""A change of what is measured has no changelog entry.

## What it does

Takes the inventory of the change: what it did to what each config key runs. Reports config keys
that no added entry selects, though their image, rows, script or recipe changed. An error for
master configs, a warning for scripts and recipes, a notice for shared shell files.

## Why

An entry is what starts the sweep. Without one the new state is never measured, and the charts go
on showing the old numbers under the new configuration.

## Example

`image` of one key is bumped in `nvidia-master.yaml`, and `perf-changelog.yaml` is not touched.

## Remedy

Append the entry; the fix writes it, with the keys and a line for each change. Where none is
wanted, say so in a commit message of the change or in the pull request's body:
`infx-lint: allow[changelog-entry-missing] the reason`.

## Limits

The ledger decides, not the title: the last entry that stays in the changelog and selects the key
vouches for what the key ran when it was added, so a change that takes back another one needs no
entry. Neither do removals, moves, runner pools, metadata that reaches no command, checks, evals,
telemetry and sources of weights. `[skip-sweep]` in a message makes every finding a notice.
Programs in Python are not looked at.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Severity, rule

LEVELS = {
    "config": Severity.ERROR,
    "script": Severity.WARNING,
    "recipe": Severity.WARNING,
    "shared": Severity.NOTICE,
}


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield the changes that want an entry."""
    missing = change.missing_entries
    if not missing or change.is_waived("changelog-entry-missing"):
        return
    for one in missing:
        if one.keys:
            is_one = len(one.keys) == 1
            changes = f"{'changes' if is_one else 'change'} ({one.summary})"
            if one.is_new:
                changes = "is new" if is_one else "are new"
            message = (
                f"{one.names} {changes}, and no added changelog entry selects "
                f"{'it' if is_one else 'them'}. Append one, so that "
                f"{'it is' if is_one else 'they are'} measured."
            )
        else:
            message = (
                f"{one.summary}. Many config keys share that, and no changelog entry tells of it. "
                "If it can move a number, append an entry for the keys concerned."
            )
        place, *others = one.places
        yield Finding(
            message=message,
            severity=Severity.NOTICE if change.skips_sweep else LEVELS[one.scope],
            location=place._replace(label="changed here"),
            subject=one.keys[0] if one.keys else one.items[0].what,
            related=tuple(others[:3]),
            proof=one.proof,
            fix=change.draft_entry(one),
        )
