"""Finds the rules: one file each, loaded by path.

The installed copy is read first, then the checkout's folder. The current directory is never
looked at: the linter runs inside checkouts of other people's pull requests.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from infx_lint.rule_api import Rule

FILE_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+\.py")
_PACKAGE = Path(__file__).parent


class RuleError(Exception):
    """A rule file that breaks the conventions, or a rule that does not exist."""


def rules_folder() -> Path:
    """Return the folder that the rules are read from."""
    installed = _PACKAGE / "_rules"
    return installed if installed.is_dir() else _PACKAGE.parent / "rules"


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Load every rule, sorted by id."""
    files = sorted(rules_folder().glob("*.py"))
    if not files:
        raise RuleError(f"no rules in {rules_folder()}; reinstall infx-lint")
    return tuple(load_rule(file) for file in files)


def load_rule(file: Path) -> Rule:
    """Load one rule file.

    Raises:
        RuleError: the name is no `snake_case` of two words or more, there is not exactly one
            rule in it, or its docstring does not open with a summary line.
    """
    if not FILE_NAME.fullmatch(file.name):
        raise RuleError(f"{file.name}: a rule file is named for the mistake, as `key_repeated.py`")
    name = f"infx_lint._rules.{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RuleError(f"{file}: cannot be loaded")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, Rule)]
    if len(found) != 1:
        raise RuleError(f"{file.name}: holds {len(found)} rules; decorate exactly one function")
    if not found[0].summary.endswith("."):
        raise RuleError(f"{file.name}: the docstring must open with one sentence")
    return found[0]


def find_rule(rule_id: str) -> Rule:
    """Return a rule by its id; raise `RuleError` that names the nearest one."""
    by_id = {rule.id: rule for rule in all_rules()}
    if rule_id in by_id:
        return by_id[rule_id]
    from difflib import get_close_matches

    near = get_close_matches(rule_id, by_id, n=1)
    hint = f"did you mean `{near[0]}`?" if near else "`infx-lint rules` lists them all"
    raise RuleError(f"there is no rule `{rule_id}`; {hint}")


def select_rules(select: tuple[str, ...], ignore: tuple[str, ...]) -> tuple[Rule, ...]:
    """Return the rules to run; every named one must exist."""
    chosen = {find_rule(name).id for name in select} or {rule.id for rule in all_rules()}
    chosen -= {find_rule(name).id for name in ignore}
    return tuple(rule for rule in all_rules() if rule.id in chosen)
