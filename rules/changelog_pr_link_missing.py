"""An added changelog entry has no `pr-link`.

## What it does

Reports an entry of `perf-changelog.yaml` that the change adds and that has no `pr-link`, or one
without a value. Whether the field is required is read from `ChangelogEntry` in the linted commit.

## Why

The published charts link each step of a curve to the pull request that caused it. An entry
without a link is refused by the schema, so the sweep of the pull request does not start.

## Example

```yaml
- config-keys:
    - dsr1-fp8-b200-sglang
  description:
    - "Update SGLang image to v0.5.9"
```

## Remedy

Add `pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/<number>` as the last field, or
`pull/XXX` while the number is unknown: the merge tool fills that in.

## Limits

None known.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Edit, Finding, Fix, Location, Severity, Span, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each added entry that lacks its link."""
    log = change.changelog
    if log is None or not log.added:
        return
    schema = change.head.schema("ChangelogEntry")
    if not schema.is_required("pr-link"):
        return
    link = log.canonical_link(change.pull_request)
    for entry in log.added:
        if not entry.lacks_link:
            continue
        line = f"pr-link: {link}"
        if entry.field("pr-link") is None:
            end = entry.whole_span
            at = Span(end.end_line, end.end_column, end.end_line, end.end_column)
            edit = Edit(log.head.path, at, f"\n{entry.indent}{line}")
        else:
            key = entry.place(["pr-link"])
            edit = Edit(log.head.path, log.head.text.rest_of_line(key), line)
        source = schema.span("pr-link")
        yield Finding(
            message=f"The entry for {entry.name} has no `pr-link`. Add `{line}`.",
            location=Location(log.head.path, entry.place(["pr-link"]), label="no `pr-link`"),
            subject=entry.subject,
            related=(Location(schema.path, source, label="required here"),) if schema.path else (),
            fix=Fix("Insert the link", (edit,), safe=change.pull_request is not None),
        )
