"""Load is generated, or no eval is run, while `EVAL_ONLY` is `true`.

## What it does

Runs an agentic benchmark script abstractly with `EVAL_ONLY=true`, together with the library that
it sources, and reports a call that generates load then, or that `run_eval` is not reached. Helpers
that return at once in that mode count as gated: their own first guard decides.

## Why

An evals-only sweep starts the script to get a score. Without the gate it measures throughput for
half an hour on eight GPUs and yields none.

## Example

```bash
build_replay_cmd "$RESULT_DIR"
run_agentic_replay_and_write_outputs "$RESULT_DIR"
```

## Remedy

Put the load under the gate of the sibling scripts: `run_eval` where `EVAL_ONLY` is `true`, the
replay otherwise. The fix does that in the words of the closest sibling.

## Limits

Load that is reached under a condition which is not known is not reported.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Fix, Severity, ShellFile, rule


@rule(severity=Severity.ERROR, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield the load that eval-only mode does not stop, or the place where no eval is run."""
    if not file.project.layout.is_agentic_script(file.path):
        return
    script = file.project.benchmark_script(file.path)
    if script is None:
        return
    for ungated in script.eval_mode.ungated():
        if not script.rows:
            # No config starts it.
            return
        evals = "" if ungated.has_evals else ", and `run_eval` is not reached"
        message = (
            f"With `EVAL_ONLY=true` this still generates load{evals}. "
            "Gate it as the sibling scripts do."
            if ungated.is_load
            else "With `EVAL_ONLY=true` the script ends without `run_eval`. Call it in that mode."
        )
        gate = ungated.gate
        related = [file.at(place.span, place.label, place.path) for place in ungated.steps]
        fix = None
        if gate:
            related.append(file.at(gate.span, "the gate of a sibling", gate.path))
            edit = ungated.edit
            fix = Fix(f"Gate it as {gate.path.name} does", (edit,), safe=False) if edit else None
        yield Finding(
            message=message,
            location=file.at(ungated.place, "runs in eval-only mode" if ungated.is_load else ""),
            subject=ungated.command,
            related=tuple(related),
            proof=ungated.proof,
            fix=fix,
        )
