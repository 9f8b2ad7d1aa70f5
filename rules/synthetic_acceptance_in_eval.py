"""Simulated acceptance is on while `EVAL_ONLY` is `true`.

## What it does

Runs a benchmark script abstractly with `EVAL_ONLY=true` and reports a server that is started with
simulated acceptance of draft tokens: `SGLANG_SIMULATE_ACC_LEN` in its environment, or synthetic
rejection sampling in its options.

## Why

With simulated acceptance the server returns draft tokens that the model would have refused. The
accuracy of such a run means nothing.

## Example

```bash
export SGLANG_SIMULATE_ACC_LEN=2.49
python3 -m sglang.launch_server --model-path "$MODEL"
```

## Remedy

Set it only where `EVAL_ONLY` is not `true`.

## Limits

What may be set under a condition that is not known is not reported.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.ERROR, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield what switches simulated acceptance on in eval-only mode."""
    script = file.project.benchmark_script(file.path)
    if script is None:
        return
    for simulated in script.eval_mode.simulated_acceptances():
        yield Finding(
            message=(
                f"`{simulated.name}` simulates acceptance in eval-only mode too, so the score "
                "means nothing. Set it only where `EVAL_ONLY` is not `true`."
            ),
            location=file.at(simulated.place, "on in eval-only mode"),
            subject=simulated.name,
            related=(file.at(simulated.server, "this server"),),
        )
