"""A key stands twice in one YAML mapping, or in two master configs.

## What it does

Reports the later copy of a key that a mapping holds more than once, at any depth of any YAML file,
and a config key that two master configs define. Keys are equal if the repository's loader files
them under one name: `8` and `"8"` are not. An error where the values differ, a warning where they
are equal.

## Why

PyYAML keeps the last copy without a word. Edits of the first one then have no effect: a block
stood twice in a master config for 83 versions of it.

## Example

```yaml
dsr1-fp8-b200-sglang:
  image: lmsysorg/sglang:v0.5.8
dsr1-fp8-b200-sglang:
  image: lmsysorg/sglang:v0.5.9
```

## Remedy

Keep one copy. Where both are equal, the fix deletes the later one.

## Limits

Merge keys (`<<`) may stand several times. In the changelog a repeated field mostly means that the
opening line of an entry was lost, so there the two copies are not compared.
"""

from collections.abc import Iterator

from infx_lint import Edit, FileContext, Finding, Fix, Severity, YamlFile, rule

# A field of a changelog entry: the entry's place in the list, then the field.
ENTRY_FIELD = 2


@rule(severity=Severity.ERROR, document=YamlFile)
def check(file: FileContext[YamlFile]) -> Iterator[Finding]:
    """Yield each later copy of a key."""
    split_entries = set()
    for copy in file.document.later_copies():
        first, again = file.document.span(copy.before), file.document.span(copy.key)
        name = f"`{copy.key.value}`"
        if file.path == file.project.layout.changelog and len(copy.route) == ENTRY_FIELD:
            if copy.route[0] not in split_entries:
                yield Finding(
                    message=(
                        f"One entry has two {name}. Either the `- config-keys:` line that opens an "
                        f"entry is missing between them, or one {name} is too many."
                    ),
                    location=file.at(again, "again here"),
                    subject=".".join(copy.route),
                    related=(file.at(first, "first here"),),
                )
            split_entries.add(copy.route[0])
            continue
        where = f"lines {first.line} and {again.line}"
        if first.line == again.line:
            where = f"columns {first.column} and {again.column} of line {first.line}"
        block = file.document.line_block(copy)
        fix = None
        if copy.difference is None:
            verdict = "Both copies are equal. Delete the later one"
            if block:
                fix = Fix("Delete the later copy", (Edit(file.path, block, ""),), safe=True)
        else:
            verdict = f"They differ in {copy.difference}; the loader keeps the last. Keep one"
        yield Finding(
            message=f"{name} stands at {where}. {verdict}.",
            severity=Severity.ERROR if copy.difference else Severity.WARNING,
            location=file.at(again, "again here"),
            subject=".".join(copy.route),
            related=(file.at(first, "first here"),),
            fix=fix,
        )
    for key, other in file.project.keys_shared_by(file.path):
        yield Finding(
            message=(
                f"`{key.name}` is also defined in `{other.path}` at line {other.span.line}; "
                "the loader refuses that. Keep one."
            ),
            location=file.at(key.span, "defined here"),
            subject=f"other-file:{key.name}",
            related=(file.at(other.span, "and here", other.path),),
        )
