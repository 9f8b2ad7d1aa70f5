"""What a change did to shell files that many config keys run through: libraries and launchers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from infx_lint.change import ChangedFile, TreeEntry
from infx_lint.documents.shell_file import ShellFile
from infx_lint.domain.unmeasured import is_unmeasured_function
from infx_lint.finding import Location, Side, Span
from infx_lint.inventory.items import Item, Kind, Scope
from infx_lint.inventory.script_text import Said, is_unmeasured, said_in
from infx_lint.inventory.text_changes import keys_served

if TYPE_CHECKING:
    from infx_lint.domain.project import Project

_MOST_PARTS = 4


def shared_changes(base: Project, head: Project, files: tuple[ChangedFile, ...]) -> Iterator[Item]:
    """Yield an item for each function of a shared shell file that says something else."""
    for file in files:
        if not (file.head and file.base and _is_shared(head, file.head)):
            continue
        if file.head.blob is not None and file.head.blob == file.base.blob:
            continue
        old, new = base.document(file.base.path), head.document(file.head.path)
        if not (isinstance(old, ShellFile) and isinstance(new, ShellFile)):
            continue
        is_launcher = head.layout.is_launcher(file.head.path)
        for item in _functions(file.head, file.base, said_in(old), said_in(new)):
            # What a launcher does besides picking a script, its container and its machines, moves
            # a number by accident only.
            yield item._replace(exempt=item.exempt or "launcher") if is_launcher else item


def _is_shared(head: Project, entry: TreeEntry) -> bool:
    return (
        entry.mode.is_regular
        and head.layout.is_shared_shell(entry.path)
        and not keys_served(head, entry.path)
    )


def _functions(
    head: TreeEntry,
    base: TreeEntry,
    old: dict[Said, dict[str, Span]],
    new: dict[Said, dict[str, Span]],
) -> Iterator[Item]:
    changed: dict[str, list[Said]] = {}
    for said in dict.fromkeys((*new, *old)):
        if set(old.get(said, ())) != set(new.get(said, ())) and not is_unmeasured(said):
            changed.setdefault(said.function, []).append(said)
    for function, parts in changed.items():
        names = tuple(dict.fromkeys(part.name.partition(" of ")[0] for part in parts))
        shown = ", ".join(names[:_MOST_PARTS]) + (", …" if len(names) > _MOST_PARTS else "")
        places = []
        for said in parts[:2]:
            for side, path, values in (
                (Side.HEAD, head.path, new.get(said, {})),
                (Side.BASE, base.path, old.get(said, {})),
            ):
                places += [Location(path, span, side) for span in list(values.values())[:1]]
        what = f"{head.path.name}: {function}" if function else head.path.name
        yield Item(
            Kind.FUNCTION,
            Scope.SHARED,
            what,
            "as it was",
            f"changed in {shown}",
            (),
            (function, *names) if function else names,
            "eval, check or telemetry" if is_unmeasured_function(function) else "",
            tuple(places),
        )
