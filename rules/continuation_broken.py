r"""A line continuation ends early, so its rest runs as a command.

## What it does

Reports a command whose next line can only be the rest of it: an option, or more names of a list
of variables, that stand on a line of their own. Reports blanks behind a backslash, too.

## Why

bash ends the command at the line without a backslash and runs the next one as a command of its
own: the server starts without its last options, or a list of required variables loses its end.

## Example

```bash
check_env_vars \
    MODEL \
    CONC
    EP_SIZE
```

## Remedy

Put ` \` at the end of the line before, or take the blanks behind the backslash away.

## Limits

Words in lower case on the next line may be a command; they are not reported.
"""

from collections.abc import Iterator

from infx_lint import Edit, FileContext, Finding, Fix, Severity, ShellFile, rule


@rule(severity=Severity.ERROR, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield each continuation that ends early."""
    for broken in file.project.broken_continuations(file.path):
        rest = " ".join(file.document.source(broken.rest).split()) if broken.rest else ""
        shown = f"`{rest[:60].removesuffix(' ' + chr(92))}`" if rest else "what follows"
        if broken.blanks:
            message = (
                f"Blanks stand behind this backslash, so the command ends here and {shown} runs "
                "as one of its own. Take them away."
            )
            fix = Fix("Take the blanks away", (Edit(file.path, broken.end, ""),), safe=True)
        else:
            message = (
                f"The command ends here, and {shown} runs as one of its own. "
                "Put a backslash at the end of this line."
            )
            fix = Fix("Insert the backslash", (Edit(file.path, broken.end, " \\"),), safe=True)
        related = ()
        if broken.rest:
            related = (file.at(file.document.span(broken.rest), "runs as a command"),)
        yield Finding(
            message=message,
            location=file.at(broken.end, "the command ends here"),
            subject=rest or "end",
            related=related,
            fix=fix,
        )
