"""A comment states a value that the code contradicts since this change.

## What it does

Reads the comments of benchmark scripts, of entries of master configs and of recipes as text, and
compares what they claim with what is the case: the image, the topology of the rows, values of
flags, variables and fields, the depth of speculation, concurrencies, names that are not set.
Values of scripts are computed, for every point that the config rows give. The change must have
made the claim false: the comment is new, or it agreed with the base, or the value is new.

## Why

A comment is what the next author believes. A change that moves a value and leaves the comment
makes the reasoning beside it false without a sound, mostly far from the line that changed.

## Example

```bash
# max-num-seqs=4 caps the batch below the highest concurrency.
MAX_NUM_SEQS=$((CONC < 4 ? 4 : CONC))
```

## Remedy

Say in the comment what is the case, or leave the value out of it. Where the comment is right, the
code is wrong.

## Limits

History, conditions, examples, measured results, defaults of tools and other files are no claims.
Nor is anything said about a value that cannot be computed, or about a branch that no row reaches.
Claims about conditions, limits and formulas are not read, except as the value of a name.
"""

from collections.abc import Iterator

from infx_lint import ChangeContext, Finding, Fix, Location, Proof, Severity, rule

MOST_ROWS = 40
MOST_PLACES = 4


@rule(severity=Severity.WARNING)
def check(change: ChangeContext) -> Iterator[Finding]:
    """Yield each comment that the change made stale, with everything in it that is."""
    for stale in change.stale_comments():
        first, *others = stale.claims
        more = f" {len(others) + 1} statements of the comment are stale." if others else ""
        places = dict.fromkeys(place for one in stale.claims for place in one.judgement.places)
        related = [
            Location(place.path, place.span, label="this is the case")
            for place in list(places)[:MOST_PLACES]
        ]
        related += [
            Location(path, span, label="says the same") for path, span in stale.twins[:MOST_PLACES]
        ]
        rows = [
            (one.quote, point, value) for one in stale.claims for point, value in one.judgement.rows
        ]
        left_out = len(rows) - MOST_ROWS
        edits = stale.edits
        yield Finding(
            message=f"The comment says `{first.quote}`, but {first.contradiction}.{more}",
            location=Location(stale.path, stale.span, label="says otherwise"),
            subject=first.quote,
            related=tuple(related),
            proof=Proof(
                title="What the comment says, and what is the case",
                columns=("comment", "where", "value"),
                rows=tuple(rows[:MOST_ROWS]),
                conclusion=f"and {left_out} more" if left_out > 0 else "",
            ),
            fix=Fix("Put the present value into the comment", edits, safe=False) if edits else None,
        )
