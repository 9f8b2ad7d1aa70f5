"""Facts about blobs, kept on disk between runs.

A blob never changes, so a fact about it never goes stale; it only depends on our own version.
Facts are JSON, never pickles. A cache that cannot be read or written is no error: the fact is
computed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from infx_lint import __version__

ENVIRONMENT_VARIABLE = "INFX_LINT_CACHE_DIR"
_MOST_FILES = 4096


def digest(parts: object) -> str:
    """Return a name for facts that hang on more than one blob."""
    import hashlib

    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def source_version(*folders: Path) -> str:
    """Return what changes with our own source in some folders, for facts that hang on it."""
    stats = sorted(
        (file.name, stat.st_size, stat.st_mtime_ns)
        for folder in folders
        for file in os.scandir(folder)
        if file.name.endswith(".py")
        for stat in (file.stat(),)
    )
    return digest(stats)[:12]


class FactCache:
    """Facts by kind and blob id, one small file each.

    Args:
        folder: where they lie; None for the user's cache folder, or the one that
            `INFX_LINT_CACHE_DIR` names. An empty variable switches the cache off.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder

    @cached_property
    def folder(self) -> Path | None:
        """Return where facts lie, None if nowhere."""
        if self._given is not None:
            return self._given
        named = os.environ.get(ENVIRONMENT_VARIABLE)
        if named is not None:
            return Path(named) if named else None
        from platformdirs import user_cache_path

        return user_cache_path("infx-lint", appauthor=False) / __version__

    def get(self, kind: str, blob: str, compute: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON
        """Return a fact of the kinds that JSON holds, computed now where it is not known."""
        if self.folder is None:
            return compute()
        try:
            return json.loads(self._file(self.folder, kind, blob).read_bytes())["fact"]
        except (OSError, ValueError, LookupError, TypeError):
            fact = compute()
            self.put(kind, blob, fact)
            return fact

    @staticmethod
    def _file(folder: Path, kind: str, blob: str) -> Path:
        return folder / f"{kind}-{blob}.json"

    def put(self, kind: str, blob: str, fact: object) -> None:
        """Write a fact down, in the place of what was known before."""
        if self.folder is None:
            return
        file = self._file(self.folder, kind, blob)
        draft = file.with_suffix(f".{os.getpid()}.tmp")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(json.dumps({"fact": fact}, separators=(",", ":")), encoding="utf-8")
            draft.replace(file)
            self._prune(file.parent)
        except OSError:
            with suppress(OSError):
                draft.unlink()

    @staticmethod
    def _prune(folder: Path) -> None:
        files = list(folder.iterdir())
        if len(files) > _MOST_FILES:
            by_age = sorted(files, key=lambda file: file.stat().st_mtime)
            for file in by_age[: len(files) // 2]:
                file.unlink(missing_ok=True)
