"""The context length of an eval never reaches the server.

## What it does

Runs a benchmark script abstractly with `EVAL_ONLY=true` and reports a variable that takes the
context length for evals and is used by no command, and a server whose context is fixed by an
option that knows nothing of it.

## Why

Evals have longer prompts than the benchmark. A server with the benchmark's context cuts them off
or refuses them, and the score says nothing about accuracy.

## Example

```bash
setup_eval_context
EVAL_CONTEXT_ARGS="--context-length $EVAL_MAX_MODEL_LEN"
python3 -m sglang.launch_server --model-path "$MODEL"
```

## Remedy

Give the server the context of the eval: expand the variable in its command, or set the variable
that its option uses to `$EVAL_MAX_MODEL_LEN` after `setup_eval_context`.

## Limits

A server without any option for its context uses that of the model, which is enough: not reported.
"""

from collections.abc import Iterator

from infx_lint import FileContext, Finding, Severity, ShellFile, rule


@rule(severity=Severity.ERROR, document=ShellFile)
def check(file: FileContext[ShellFile]) -> Iterator[Finding]:
    """Yield what the eval's context does not reach."""
    script = file.project.benchmark_script(file.path)
    if script is None:
        return
    for lost in script.eval_mode.unwired_contexts():
        if lost.variable:
            message = (
                f"`{lost.variable}` takes the context length of the eval, and no command is "
                "given it. Expand it in the server's command."
            )
            label = "reaches no command"
        elif lost.prepared:
            message = (
                f"`{lost.flag}` fixes the server's context in eval-only mode; what "
                "`EVAL_MAX_MODEL_LEN` holds does not reach it. Use it here in that mode."
            )
            label = "not the context of the eval"
        else:
            message = (
                f"`{lost.flag}` fixes the server's context, and eval-only mode never prepares one "
                "of its own. Call `setup_eval_context` and use `$EVAL_MAX_MODEL_LEN` in that mode."
            )
            label = "the benchmark's context"
        yield Finding(
            message=message,
            location=file.at(lost.place, label),
            subject=lost.variable or lost.flag,
            related=tuple(file.at(span, text) for span, text in lost.related),
        )
