"""The `pr-link` of an added entry is not a link to a pull request.

## What it does

Reports a `pr-link` that is not `https://github.com/<owner>/<name>/pull/<number>` of the linted
repository: `TBD`, `XXXX`, an empty number, a trailing `/changes` or `/files`, a bare number. The
two forms that the merge tool replaces (`XXX`, `.../pull/XXX`) give only a notice.

## Why

The merge tool of the repository replaces exactly those two forms and stops at every other one. A
placeholder that slips through is published: the step of the curve then links to nothing.

## Example

```yaml
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/xxxx
```

## Remedy

Write the canonical link. Where the number is known (from `--pr`, or because the text holds it),
the fix writes it.

## Limits

Links to an issue or to another repository are the business of `changelog-pr-link-wrong`.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Edit, Finding, Fix, Location, Severity, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each added entry whose link is a placeholder or malformed."""
    log = change.changelog
    if log is None:
        return
    for entry in log.added:
        link = log.link(entry)
        if link is None or not (link.is_tolerated or link.is_malformed):
            continue
        number = change.pull_request or (link.number if link.is_malformed else None)
        wanted = log.canonical_link(number)
        span = entry.place(["pr-link"])
        if link.is_tolerated:
            when = f"Write `{wanted}`" if number else "Write the link once the number is known"
            message = (
                f"`{link.text}` stands in for a link. The repository's merge tool fills it in, "
                f"a plain merge does not. {when}."
            )
        else:
            message = (
                f"`{link.text}` is no link to a pull request, and the merge tool refuses it. "
                f"Write `{wanted}`."
            )
        yield Finding(
            message=message,
            severity=Severity.NOTICE if link.is_tolerated else None,
            location=Location(log.head.path, span, label="not a pull request's address"),
            subject=entry.subject,
            fix=Fix("Write the link", (Edit(log.head.path, span, wanted),), safe=True)
            if number
            else None,
        )
