"""infx-lint: exact, fast review of changes to SemiAnalysisAI/InferenceX.

The names below are the vocabulary of a rule; `rules/` imports nothing else of the package.
They are loaded when they are first used, so that starting the command stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from infx_lint.documents.shell_file import ShellFile, UnreadableShell
    from infx_lint.documents.yaml_file import UnreadableYaml, YamlFile
    from infx_lint.finding import Edit, Finding, Fix, Location, Proof, Severity, Span
    from infx_lint.rule_api import ChangeContext, FileContext, rule

_HOMES = {
    "ChangeContext": "rule_api",
    "Edit": "finding",
    "FileContext": "rule_api",
    "Finding": "finding",
    "Fix": "finding",
    "Location": "finding",
    "Proof": "finding",
    "Severity": "finding",
    "ShellFile": "documents.shell_file",
    "Span": "finding",
    "UnreadableShell": "documents.shell_file",
    "UnreadableYaml": "documents.yaml_file",
    "YamlFile": "documents.yaml_file",
    "rule": "rule_api",
}

__all__ = [
    "ChangeContext",
    "Edit",
    "FileContext",
    "Finding",
    "Fix",
    "Location",
    "Proof",
    "Severity",
    "ShellFile",
    "Span",
    "UnreadableShell",
    "UnreadableYaml",
    "YamlFile",
    "rule",
]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
