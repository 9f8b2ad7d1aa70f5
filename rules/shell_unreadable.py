"""A shell script cannot be parsed.

## What it does

Reports a changed script that shfmt refuses, with the place and the reason. An error where
`bash -n` refuses it too; else a notice, and the run counts as incomplete.

## Why

A script that bash refuses starts no benchmark. One that only our parser refuses is not checked by
any other rule for scripts, and that must not look like a clean result.

## Example

```bash
if [ "$EP_SIZE" -gt 1 ]; then
```

## Remedy

Mend the syntax at the place shown. Where bash accepts the script, write the construct another way.

## Limits

bash stops at its first error and names the line where it noticed it, which may be a later one.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, UnreadableShell, rule


@rule(severity=Severity.ERROR, document=UnreadableShell)
def check(file: FileContext[UnreadableShell]) -> Iterator[Finding]:
    """Yield why the script cannot be parsed."""
    script = file.document
    if script.bash:
        message = f"This cannot be parsed: {script.reason}. Mend it; nothing else was checked."
    else:
        message = (
            f"This could not be read: {script.reason}. bash may accept it, but no other rule "
            "looked at the script; write it another way."
        )
    yield Finding(
        message=message,
        severity=Severity.ERROR if script.bash else Severity.NOTICE,
        location=file.at(script.span),
        subject="",
    )
