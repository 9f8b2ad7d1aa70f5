"""The `pr-link` of an added entry points to something else.

## What it does

Reports a link of an added entry that is well formed and wrong: its number differs from the pull
request under review (where that is known, from `--pr` or a review), it points to an issue or to
another repository, or older entries of the changelog already use the number.

## Why

Readers of the published charts follow the link to learn why a curve moved. Entries are often
written by copying the one above, link included.

## Example

```yaml
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/issues/998
```

## Remedy

Link the pull request that adds the entry.

## Limits

Without the number of the pull request, a wrong number that no older entry uses cannot be told.
Links to another pull request on purpose (a sweep that is run again, a change that lands a second
time) are reported too: the repository's own validator refuses them.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Edit, Finding, Fix, Location, Severity, rule


@rule(severity=Severity.WARNING)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each added entry whose link leads elsewhere."""
    log = change.changelog
    if log is None:
        return
    for entry in log.added:
        link = log.link(entry)
        if link is None or link.is_tolerated or link.is_malformed:
            continue
        related: tuple[Location, ...] = ()
        if link.is_elsewhere:
            reason = f"`{link.text}` is no pull request of `{log.repositories[0]}`"
        elif change.pull_request:
            if link.number == change.pull_request:
                continue
            reason = f"The link names pull request {link.number}, but this is {change.pull_request}"
        else:
            older = log.first_with_number(link.number)
            if older is None:
                continue
            reason = f"An older entry already links pull request {link.number}"
            place = older.place(["pr-link"])
            related = (Location(log.head.path, place, label="used here before"),)
        span = entry.place(["pr-link"])
        edit = Edit(log.head.path, span, log.canonical_link(change.pull_request))
        yield Finding(
            message=f"{reason}. Link the pull request that adds the entry for {entry.name}.",
            location=Location(log.head.path, span, label="points elsewhere"),
            subject=entry.subject,
            related=related,
            fix=Fix("Link this pull request", (edit,), safe=False) if change.pull_request else None,
        )
