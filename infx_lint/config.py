"""The settings file, `infx-lint.toml`: unknown keys and values are refused with their line.

pydantic is imported only where there is a file to check.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from infx_lint.finding import Severity

FILE_NAMES = ("infx-lint.toml", ".github/infx-lint.toml")


class ConfigError(Exception):
    """Settings that cannot be used: the message names file, line and remedy."""


class Settings(NamedTuple):
    """What the settings change.

    Attributes:
        severities: levels by rule id.
        off: rules that do not run.
        fail_on: the lowest level that fails a run; None leaves it to the command line.
        source: the file, None where there is none.
    """

    severities: Mapping[str, Severity] = MappingProxyType({})
    off: tuple[str, ...] = ()
    fail_on: str | None = None
    source: Path | None = None


def find_settings(folder: Path) -> Path | None:
    """Return the settings file of a repository's top folder."""
    return next((folder / name for name in FILE_NAMES if (folder / name).is_file()), None)


def load_settings(file: Path, rule_ids: tuple[str, ...]) -> Settings:
    """Read a settings file.

    Raises:
        ConfigError: it cannot be read, is no TOML, or holds a key or value that means nothing.
    """
    import tomllib

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ConfigError(f"{file}: {reason}; name a readable file with --config") from None
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError
        raise ConfigError(f"{file}: {error}") from None
    return _validate(data, file, text, rule_ids)


def _validate(
    data: dict[str, object], file: Path, text: str, rule_ids: tuple[str, ...]
) -> Settings:
    from typing import Literal

    from pydantic import BaseModel, ConfigDict, Field, ValidationError

    class Model(BaseModel):
        model_config = ConfigDict(extra="forbid")
        fail_on: Literal["error", "warning", "notice", "never"] | None = Field(
            None, alias="fail-on"
        )
        rules: dict[str, Literal["error", "warning", "notice", "off"]] = Field(default_factory=dict)

    try:
        model = Model.model_validate(data)
    except ValidationError as error:
        problem = error.errors()[0]
        key = str(problem["loc"][-1])
        if problem["type"] == "extra_forbidden":
            hint = _hint(key, ("fail-on", "rules"))
            raise ConfigError(
                f"{_place(file, text, key)}: unknown setting `{key}`; {hint}"
            ) from None
        raise ConfigError(f"{_place(file, text, key)}: `{key}`: {problem['msg']}") from None
    for name in model.rules:
        if name not in rule_ids:
            hint = _hint(name, rule_ids)
            raise ConfigError(f"{_place(file, text, name)}: there is no rule `{name}`; {hint}")
    return Settings(
        severities={name: Severity(level) for name, level in model.rules.items() if level != "off"},
        off=tuple(name for name, level in model.rules.items() if level == "off"),
        fail_on=model.fail_on,
        source=file,
    )


def _place(file: Path, text: str, key: str) -> str:
    """Return file and line of the first line that sets a key."""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.replace('"', "").replace("'", "").lstrip(" [").startswith(key):
            return f"{file}:{number}"
    return str(file)


def _hint(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"did you mean `{near[0]}`?" if near else f"known are {', '.join(sorted(known))}"
