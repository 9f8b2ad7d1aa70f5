"""The context length of an eval never reaches the server.

## What it does

Runs a benchmark script abstractly with `EVAL_ONLY=true` and reports a variable that takes the
context length for evals and is used by no command, and an option that gives the server another
context than the eval is set up for, computed for every config row that starts the script. An
error where the server's is smaller; a warning where it is larger and the script never looks at
eval-only mode.

## Why

A prompt that does not fit is cut off or refused, and the score says nothing about accuracy.

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

A server without any option for its context uses that of the model, which is enough. Contexts that
cannot be computed are not compared.
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
        severity = Severity.ERROR
        if lost.variable:
            message = (
                f"`{lost.variable}` takes the context length of the eval, and no command is "
                "given it. Expand it in the server's command."
            )
            label = "reaches no command"
        else:
            message = (
                f"`{lost.flag}` gives the server {lost.server_context} tokens in eval-only mode, "
                f"and the eval is set up for {lost.eval_context}. "
                "Call `setup_eval_context` and use `$EVAL_MAX_MODEL_LEN` in that mode."
            )
            label = "not the context of the eval"
            if lost.server_context > lost.eval_context:
                severity = Severity.WARNING
        yield Finding(
            message=message,
            severity=severity,
            location=file.at(lost.place, label),
            subject=lost.variable or lost.flag,
            related=tuple(file.at(span, text) for span, text in lost.related),
            proof=lost.proof,
        )
