"""An added changelog entry is refused by the repository's own schema.

## What it does

Checks each entry that the change adds against `ChangelogEntry`, a pydantic model whose fields,
aliases, defaults, bounds and validators are read from the Python source of the linted commit:
missing, unknown and empty fields, wrong types, values that are not allowed, and fields that
contradict each other (`append-only` with the selection of evals).

## Why

The sweep of a pull request starts with this schema. An entry that it refuses runs nothing.

## Example

```yaml
- config-keys: dsr1-fp8-b200-sglang
  descripton:
    - "Update image"
```

## Remedy

Follow the fields of `ChangelogEntry`; the finding shows the line that demands them.

## Limits

Validators are understood as far as they are conditions over fields that raise `ValueError`.
Where the tree has no `ChangelogEntry`, a built-in copy is used and a notice says so. A missing
`pr-link` has a rule of its own.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Severity, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each violation of the schema by an added entry."""
    log = change.changelog
    if log is None:
        return
    if not log.head.is_list:
        yield Finding(
            message="The changelog is no list of entries. Write each as `- config-keys: ...`.",
            location=Location(log.head.path, log.head.text.line_span(1)),
            subject="",
        )
    if len(log.head.file.roots) > 1:
        yield Finding(
            message=(
                "The changelog holds several YAML documents, and the repository's loader takes "
                "one. Remove the `---`."
            ),
            location=Location(log.head.path, log.head.second_document, label="the next document"),
            subject="documents",
        )
    if not log.added:
        return
    schema = change.head.schema("ChangelogEntry")
    for entry in log.added:
        if schema.path is None and entry is log.added[0]:
            yield Finding(
                message="No `ChangelogEntry` was found in this tree. A built-in copy was used.",
                severity=Severity.NOTICE,
                location=Location(log.head.path, entry.span),
                subject="schema",
            )
        if entry.refusal:
            yield Finding(
                message=f"The entry for {entry.name} cannot be loaded: {entry.refusal}. Mend it.",
                location=Location(log.head.path, entry.whole_span),
                subject=entry.subject,
            )
            continue
        told = set()
        for violation in schema.violations(entry.value):
            route = violation.route or violation.fields[:1]
            span = entry.place(route)
            if span in told or (route == ("pr-link",) and entry.lacks_link):
                continue
            told.add(span)
            source = schema.span(str(route[0]) if route else None)
            yield Finding(
                message=f"The entry for {entry.name} is invalid: {schema.explain(violation)}.",
                location=Location(log.head.path, span, label=violation.kind.replace("_", " ")),
                subject=f"{entry.subject}:{'.'.join(map(str, route))}",
                related=(Location(schema.path, source, label="the schema"),) if schema.path else (),
            )
