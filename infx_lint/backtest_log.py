"""The file that a backtest writes, and what it shows meanwhile."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from infx_lint.backtest import read_finished


class BacktestLog:
    """JSON lines in a file that is continued, or on standard output."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._stream: TextIO = sys.stdout
        self._changes = 0
        self._found: Counter[str] = Counter()
        self.failures = 0
        self.finished: set[str] = set()

    def __enter__(self) -> Self:
        if self._file is not None:
            self._stream = self._file.open("a+", encoding="utf-8")
            self._stream.seek(0)
            text = self._stream.read()
            self.finished = read_finished(text.splitlines())
            if text and not text.endswith("\n"):
                self._stream.write("\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._stream.close()

    def write(self, record: dict[str, Any]) -> None:
        """Write the record of one change at once: what is written is never done again."""
        self._stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._stream.flush()
        self._changes += 1
        self._found.update(finding["rule"] for finding in record["findings"])
        self.failures += len(record["failures"])

    def summary(self) -> str:
        """Return what this run did: findings by rule, and failures."""
        lines = [f"{self._changes} changes replayed, {len(self.finished)} known from before"]
        lines += [f"{count:6} {rule}" for rule, count in sorted(self._found.items())]
        lines.append(f"{self.failures:6} failures")
        return "\n".join(lines)


def progress(records: Iterable[Any], *, done: int, total: int) -> Iterator[Any]:
    """Hand records on and show how far they are, on a terminal's standard error only."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("backtest"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("backtest", total=total, completed=done)
        for record in records:
            yield record
            bar.advance(task)
