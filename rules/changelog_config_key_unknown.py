"""An added changelog entry selects a config key that does not exist.

## What it does

Looks up each key of `config-keys` of an added entry among the keys of all master configs of the
head, with the matching of the repository's `process_changelog.py`: `*` stands for any text, every
other character for itself, and the whole key must match.

## Why

An entry triggers the sweeps of the keys it selects. A key that matches nothing stops the set-up
of the sweep with an error.

## Example

```yaml
- config-keys:
    - dsr1-fp8-b20-sglang
```

## Remedy

Correct the key; the finding names the nearest one.

## Limits

Silent where a master config cannot be read.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Location, Severity, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each selected key that matches no master config."""
    log = change.changelog
    if log is None or not log.added or change.is_whole_tree:
        return
    keys = change.head.config_keys
    if keys is None:
        return
    for entry in log.added:
        for key in entry.config_keys:
            if keys.matches(key.value):
                continue
            near = keys.nearest(key.value)
            what = "matches no key of any" if "*" in key.value else "is no key of any"
            hint = f"Did you mean `{near.name}`?" if near else "Add the key, or correct the name."
            yield Finding(
                message=f"`{key.value}` {what} master config. {hint}",
                location=Location(log.head.path, log.head.file.span(key), label="unknown key"),
                subject=key.value,
                related=(Location(near.path, near.span, label="the nearest key"),) if near else (),
            )
