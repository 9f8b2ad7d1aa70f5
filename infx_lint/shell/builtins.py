"""The builtins of bash, as far as they change variables, options or output."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from infx_lint.documents import shell_tree as tree
from infx_lint.shell.expansion import Expander
from infx_lint.shell.parameters import REPOSITORY, working_directory
from infx_lint.shell.state import State
from infx_lint.shell.value import (
    UNSET,
    Array,
    Field,
    Fields,
    Many,
    Mixed,
    Text,
    Unknown,
    concatenate,
    names_in,
)

Builtin: TypeAlias = Callable[[Fields, State, Expander, "Text | None"], None]

_NAME = re.compile(r"[A-Za-z_]\w*")
_FORMAT = re.compile(r"%s|%d|%%|\\n|\\t")


def _texts(words: Fields) -> list[str]:
    """Return the known words."""
    return [w.text for w in words if isinstance(w, Field) and isinstance(w.text, str)]


def _as_text(word: Field | Many) -> Text:
    return word.text if isinstance(word, Field) else Unknown(word.reason, word.names)


def _write(state: State, text: Text) -> None:
    if state.output is not None:
        state.output = [*state.output, text]


def _succeed(_words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True


def _fail(_words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = False


def _nothing_known(
    _words: Fields, state: State, _expander: Expander, _heredoc: Text | None
) -> None:
    state.status = Unknown("how a builtin ends")


def _tell(_words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = Unknown("how a builtin ends")
    _write(state, Unknown("what a builtin tells of the machine"))


def _echo(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    if state.output is None:
        return
    end: Text = "\n"
    while (
        words and isinstance(words[0], Field) and words[0].text in {"-n", "-e", "-E", "-ne", "-en"}
    ):
        if "n" in str(words[0].text):
            end = ""
        words = words[1:]
    pieces: list[Text] = []
    for word in words:
        if pieces:
            pieces.append(" ")
        pieces.append(_as_text(word))
    _write(state, concatenate((*pieces, end)))


def _printf(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    target = None
    if words and isinstance(words[0], Field) and words[0].text == "-v" and len(words) > 1:
        target = _as_text(words[1])
        words = words[2:]
    text = _formatted(words)
    if target is None:
        _write(state, text)
    elif isinstance(target, str) and _NAME.fullmatch(target):
        state.variables[target] = text


def _formatted(words: Fields) -> Text:
    form = _as_text(words[0]) if words else ""
    arguments = list(words[1:])
    if not isinstance(form, str) or "%" in _FORMAT.sub("", form):
        return Unknown("what `printf` writes")
    if len(arguments) > form.count("%s") + form.count("%d"):
        # The format is used again for what is left.
        return Unknown("what `printf` writes")
    pieces: list[Text] = []
    position = 0
    for found in _FORMAT.finditer(form):
        pieces.append(form[position : found.start()])
        position = found.end()
        match found[0]:
            case "%%":
                pieces.append("%")
            case "\\n":
                pieces.append("\n")
            case "\\t":
                pieces.append("\t")
            case _:
                pieces.append(_as_text(arguments.pop(0)) if arguments else "")
    return concatenate((*pieces, form[position:]))


def _set(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    texts = _texts(words)
    for position, text in enumerate(texts):
        if text == "--":
            state.positional = words[position + 1 :]
            return
        if text == "-o" or (text.startswith("-") and text.endswith("o")):
            if "errexit" in texts[position + 1 : position + 2]:
                state.errexit = True
            if "e" in text:
                state.errexit = True
        elif text == "+o":
            if "errexit" in texts[position + 1 : position + 2]:
                state.errexit = False
        elif text.startswith("-"):
            state.errexit = state.errexit or "e" in text
        elif text.startswith("+"):
            state.errexit = state.errexit and "e" not in text


def _shift(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    texts = _texts(words)
    count = int(texts[0]) if texts and texts[0].isdigit() else 1
    if words and not texts:
        state.positional = (Many("a shift by an unknown number"),)
        state.status = Unknown("how `shift` ends")
        return
    for _ in range(count):
        if not state.positional:
            state.status = False
            return
        if isinstance(state.positional[0], Many):
            # It may stand for any number of words: it stays.
            break
        state.positional = state.positional[1:]
    state.status = True


def _unset(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    texts = _texts(words)
    for text in texts:
        if text == "-f":
            gone = set(texts)
            state.functions = {n: f for n, f in state.functions.items() if n not in gone}
            return
        if _NAME.fullmatch(text):
            state.variables[text] = UNSET
            state.exported -= {text}


def _read(words: Fields, state: State, _expander: Expander, heredoc: Text | None) -> None:
    names = frozenset() if heredoc is None else names_in(heredoc)
    value = Unknown("what `read` takes in", names)
    for name in _read_names(_texts(words)):
        state.variables[name] = (
            Array((Many(value.reason, names),)) if "-a" in _texts(words) else value
        )
    state.status = Unknown("whether there is something left to read")


def _read_names(texts: list[str]) -> Iterator[str]:
    skip = False
    for text in texts:
        if skip:
            skip = False
        elif text in {"-d", "-p", "-t", "-n", "-N", "-u", "-i"}:
            skip = True
        elif not text.startswith("-") and _NAME.fullmatch(text):
            yield text


def _mapfile(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    for name in _read_names(_texts(words)):
        state.variables[name] = Array((Many("the lines of a file"),))
    state.status = True


def _cd(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    text = _as_text(words[-1]) if words else Unknown("the home folder")
    if isinstance(text, Mixed) and text.pieces[0] == REPOSITORY and len(text.pieces) == 2:  # noqa: PLR2004
        state.directory = posixpath.normpath(str(text.pieces[1]).lstrip("/"))
        return
    if isinstance(text, str) and not text.startswith(("/", "-", "~")):
        state.directory = posixpath.normpath(posixpath.join(state.directory or "", text))
    else:
        state.directory = text if isinstance(text, str) and text.startswith("/") else None


def _pwd(_words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    _write(state, concatenate((working_directory(state), "\n")))


def _getopts(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    for name in (*_texts(words)[1:2], "OPTARG", "OPTIND"):
        state.variables[name] = Unknown("an option of the command line")
    state.status = Unknown("whether there is an option left")


def _dirname(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    _path_part(words, state, lambda path: posixpath.dirname(path) or ".", "dirname")


def _basename(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    if len(words) > 1:
        suffix = _as_text(words[1])
        if not isinstance(suffix, str):
            suffix = ""
        _path_part(
            words[:1], state, lambda p: posixpath.basename(p).removesuffix(suffix), "basename"
        )
        return
    _path_part(words, state, posixpath.basename, "basename")


def _path_part(words: Fields, state: State, part: Callable[[str], str], name: str) -> None:
    state.status = True
    text = _as_text(words[-1]) if words else ""
    known = isinstance(text, str)
    _write(state, f"{part(text)}\n" if known else Unknown(f"what `{name}` writes", names_in(text)))  # type: ignore[arg-type]


def _seq(words: Fields, state: State, _expander: Expander, _heredoc: Text | None) -> None:
    state.status = True
    texts = _texts(words)
    if len(texts) != len(words) or not all(re.fullmatch(r"-?\d{1,6}", text) for text in texts):
        _write(state, Unknown("what `seq` writes"))
        return
    numbers = [int(text) for text in texts]
    first, step, last = 1, 1, numbers[-1] if numbers else 0
    if len(numbers) > 1:
        first = numbers[0]
    if len(numbers) > 2:  # noqa: PLR2004 - FIRST STEP LAST
        step = numbers[1] or 1
    items = range(first, last + (1 if step > 0 else -1), step)
    if len(items) > 1024:  # noqa: PLR2004
        _write(state, Unknown("what `seq` writes"))
        return
    _write(state, "".join(f"{item}\n" for item in items))


def _cat(words: Fields, state: State, _expander: Expander, heredoc: Text | None) -> None:
    state.status = True
    if not words and heredoc is not None:
        _write(state, heredoc)
    else:
        _write(state, Unknown("what a file holds"))


def assigned_by_builtin(node: tree.SimpleCommand) -> Iterator[str]:
    """Yield the variables that a builtin sets by name, told from its literal words alone."""
    name = node.words[0].literal
    texts = [word.literal or "" for word in node.words[1:]]
    if name in {"read", "mapfile", "readarray"}:
        yield from _read_names(texts)
    elif name == "printf" and texts[:1] == ["-v"]:
        yield from texts[1:2]
    elif name == "unset":
        yield from (text for text in texts if _NAME.fullmatch(text))
    elif name == "getopts":
        yield from (*texts[1:2], "OPTARG", "OPTIND")


# `dirname`, `basename`, `seq` and `cat` are programs; scripts compute with them as with builtins.
BUILTINS: dict[str, Builtin] = {
    ":": _succeed,
    "true": _succeed,
    "false": _fail,
    "echo": _echo,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "unset": _unset,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "cd": _cd,
    "pushd": _cd,
    "popd": _cd,
    "pwd": _pwd,
    "getopts": _getopts,
    "dirname": _dirname,
    "basename": _basename,
    "seq": _seq,
    "cat": _cat,
    "shopt": _succeed,
    "trap": _succeed,
    "ulimit": _tell,
    "umask": _tell,
    "hash": _succeed,
    "disown": _succeed,
    "jobs": _tell,
    "wait": _nothing_known,
    "kill": _nothing_known,
    "command": _tell,
    "type": _tell,
    "builtin": _tell,
    "times": _tell,
}
