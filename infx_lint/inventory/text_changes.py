"""What a change did to shell files that no single-node row starts, by what they say.

Multi-node scripts, and all scripts before December 2025, are picked by their names: they cannot be
run at the points of a row here, so their text is compared (`script_text`). Helpers of multi-node
scripts belong to every key of their engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from infx_lint.change import ChangedFile
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.unmeasured import is_unmeasured_function, unmeasured
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.items import Item, Kind, Scope
from infx_lint.inventory.script_text import Said, said_in

if TYPE_CHECKING:
    from infx_lint.domain.entries import Entry
    from infx_lint.domain.project import Project
    from infx_lint.paths import RepoPath

_KINDS = {
    "variable": Kind.VARIABLE,
    "flag": Kind.FLAG,
    "command": Kind.COMMAND,
    "guard": Kind.GUARD,
}
# Parts of a script's name that no field of a config key bears.
_PLACES = frozenset({"docker", "slurm", "mtp"})
_ENGINES = ("sglang", "vllm", "atom", "tilert", "trt")


def text_changes(base: Project, head: Project, files: tuple[ChangedFile, ...]) -> Iterator[Item]:
    """Yield the atomic changes of scripts that config keys are served by through their names."""
    for file in files:
        if not (file.head and file.base and _is_compared(head, file)):
            continue
        keys = keys_served(head, file.head.path)
        old, new = base.document(file.base.path), head.document(file.head.path)
        if keys and isinstance(old, ShellFile) and isinstance(new, ShellFile):
            yield from _items((file.base.path, file.head.path), said_in(old), said_in(new), keys)


def keys_served(project: Project, path: RepoPath) -> tuple[str, ...]:
    """Return the config keys that a shell file serves by its name, or as a helper of theirs."""
    layout = project.layout
    if layout.is_multinode_helper(path):
        engine = next((name for name in _ENGINES if name in _stem(path).split("_")), None)
        return tuple(
            entry.name
            for entry in project.entries
            if _field(entry, "multinode") == "true"
            and not entry.recipes
            and _field(entry, "framework").partition("-")[0] in ({engine} if engine else _ENGINES)
        )
    if not layout.is_named_script(path):
        return ()
    return tuple(entry.name for entry in project.entries if _is_served(entry, _stem(path)))


def _is_compared(head: Project, file: ChangedFile) -> bool:
    entry = file.head
    if entry is None or file.base is None or not entry.mode.is_regular:
        return False
    layout = head.layout
    if not (layout.is_named_script(entry.path) or layout.is_multinode_helper(entry.path)):
        return False
    return entry.blob is None or entry.blob != file.base.blob


def _is_served(entry: Entry, stem: str) -> bool:
    prefix = _field(entry, "model-prefix").partition("_")[0]
    gpu = _field(entry, "runner").removeprefix("cluster:").partition("-")[0]
    start = f"{prefix}_{_field(entry, 'precision')}_{gpu}"
    if not prefix or not (f"{stem}_").startswith(f"{start}_"):
        return False
    words = set(stem[len(start) :].strip("_").split("_")) - _PLACES - {""}
    framework = _field(entry, "framework")
    return words <= {framework, framework.partition("-")[0]} if words else framework != "trt"


def _stem(path: RepoPath) -> str:
    return path.name.removesuffix(".sh")


def _field(entry: Entry, route: str) -> str:
    return next((field.value for field in entry.fields if field.route == route), "")


def _items(
    paths: tuple[RepoPath, RepoPath],
    old: dict[Said, dict[str, Span]],
    new: dict[Said, dict[str, Span]],
    keys: tuple[str, ...],
) -> Iterator[Item]:
    for said in dict.fromkeys((*new, *old)):
        before, after = old.get(said, {}), new.get(said, {})
        gone = [value for value in before if value not in after]
        come = [value for value in after if value not in before]
        if not gone and not come:
            continue
        name = said.name.partition(" of ")[0]
        places = [Location(paths[1], after[value], Side.HEAD) for value in come[:1]]
        places += [Location(paths[0], before[value], Side.BASE) for value in gone[:1]]
        kind = _KINDS[said.kind]
        yield Item(
            kind,
            Scope.SCRIPT,
            said.name,
            ", ".join(gone) or (", ".join(before) if before else None),
            ", ".join(come) or (", ".join(after) if after else None),
            keys,
            (name,),
            _exemption(said, name),
            tuple(places),
        )


def _exemption(said: Said, name: str) -> str:
    if said.kind == "guard":
        return "guard"
    table = unmeasured()
    if (said.kind == "variable" and table.variables.fullmatch(name)) or name in table.options:
        return "unmeasured"
    if said.kind == "command" and name.partition(" ")[0].rpartition("/")[2] in table.commands:
        return "unmeasured"
    return "eval, check or telemetry" if is_unmeasured_function(said.function) else ""
