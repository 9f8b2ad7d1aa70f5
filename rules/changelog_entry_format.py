"""The bytes of an added changelog entry break the format of the file.

## What it does

Reports, for what the change appends to `perf-changelog.yaml`: not exactly one empty line between
entries, no line feed or an empty line at the end of the file, tabs, carriage returns, and an entry
that does not open with `- config-keys:` at the start of its line. Blanks below the last entry are
a warning. A file that is no UTF-8 or holds NUL bytes is reported too.

## Why

The repository's tools split the file by bytes (`validate_perf_changelog.py`,
`prepare_perf_changelog_merge.py`), not as YAML: text that a YAML parser accepts can still stop a
merge, or merge two entries into one.

## Example

```yaml
  pr-link: https://github.com/SemiAnalysisAI/InferenceX/pull/2183
- config-keys:
    - glm5-fp8-mi355x-sglang
```

## Remedy

Put exactly one empty line, without blanks, above each added entry, and end the file with one line
feed.

## Limits

Older entries are left alone, whatever they look like: their bytes must not change.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Edit, Finding, Fix, Location, Severity, rule


@rule(severity=Severity.ERROR)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each place where added bytes break the format."""
    path, defect = change.changelog_defect or (None, None)
    if path is not None and defect is not None and defect.encoding:
        yield Finding(
            message=f"The changelog holds {defect.reason}. Save it as UTF-8 text.",
            location=Location(path, defect.span),
            subject="encoding",
        )
    log = change.changelog
    if log is None or change.is_whole_tree:
        return
    for fault in log.format_faults:
        edit = Edit(log.head.path, *fault.edit) if fault.edit else None
        yield Finding(
            message=fault.message,
            severity=None if fault.refused else Severity.WARNING,
            location=Location(log.head.path, fault.span, label=fault.label),
            subject=f"{fault.label}:{fault.entry.subject}",
            fix=Fix("Write it as the tools expect", (edit,), safe=True) if edit else None,
        )
