"""From the JSON of `shfmt --to-json` to the typed nodes of `shell_tree`.

The shape of that JSON is no contract: shfmt's version is pinned exactly, and
`tests/test_shell_file.py` holds every shape used here. Facts about it (3.14.1): `Type` stands only
on fields of interface type, zero values are left out, offsets are bytes, and an `elif` or `else`
is an `Else` without a `Cond` of its own or with one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from infx_lint.documents import shell_tree as tree

Json = dict[str, Any]


class Adapter:
    """Builds nodes for one file.

    Args:
        text: the original text, which every literal is taken from.
        characters: the offset in characters for each offset in bytes.
    """

    def __init__(self, text: str, characters: Sequence[int]) -> None:
        self._text = text
        self._characters = characters
        self._comments: list[tree.Comment] = []

    def file(self, json: Json) -> tuple[tuple[tree.Statement, ...], tuple[tree.Comment, ...]]:
        """Return the statements and, sorted, the comments of a file."""
        statements = self._statements(json, "Stmts", "Last")
        return statements, tuple(sorted(set(self._comments)))

    def _at(self, position: Json) -> int:
        return self._characters[position["Offset"]]

    def _ends(self, json: Json) -> tuple[int, int]:
        return self._at(json["Pos"]), self._at(json["End"])

    def _note(self, comments: list[Json] | None) -> None:
        for comment in comments or ():
            start, end = self._ends(comment)
            self._comments.append(tree.Comment(start, end, self._text[start + 1 : end]))

    def _statements(self, json: Json, field: str, last: str) -> tuple[tree.Statement, ...]:
        self._note(json.get(last))
        return tuple(map(self._statement, json.get(field) or ()))

    def _statement(self, json: Json) -> tree.Statement:
        self._note(json.get("Comments"))
        command = json.get("Cmd")
        return tree.Statement(
            *self._ends(json),
            command=self._command(command) if command else None,
            negated=bool(json.get("Negated")),
            background=bool(json.get("Background") or json.get("Coprocess")),
            redirects=tuple(map(self._redirect, json.get("Redirs") or ())),
        )

    def _command(self, json: Json) -> tree.Command:
        build = self._COMMANDS.get(json["Type"])
        if build is None:
            return tree.Opaque(*self._ends(json), json["Type"])
        return build(self, json)

    def _call(self, json: Json) -> tree.Command:
        return tree.SimpleCommand(
            *self._ends(json),
            tuple(map(self._assignment, json.get("Assigns") or ())),
            tuple(map(self._word, json.get("Args") or ())),
        )

    def _declaration(self, json: Json) -> tree.Command:
        options, assignments = [], []
        for argument in json.get("Args") or ():
            if "Name" in argument:
                assignments.append(self._assignment(argument))
            else:
                options.append(self._word(argument["Value"]))
        return tree.Declaration(
            *self._ends(json), json["Variant"]["Value"], tuple(options), tuple(assignments)
        )

    def _if(self, json: Json) -> tree.Command:
        branches: list[tree.Branch] = []
        otherwise = None
        clause: Json | None = json
        while clause is not None:
            self._note(clause.get("Last"))
            if clause.get("Cond"):
                condition = self._statements(clause, "Cond", "CondLast")
                branches.append(
                    tree.Branch(condition, self._statements(clause, "Then", "ThenLast"))
                )
            else:
                otherwise = self._statements(clause, "Then", "ThenLast")
            clause = clause.get("Else")
        return tree.If(*self._ends(json), tuple(branches), otherwise)

    def _case(self, json: Json) -> tree.Command:
        self._note(json.get("Last"))
        items = []
        for item in json.get("Items") or ():
            self._note(item.get("Comments"))
            patterns = tuple(map(self._word, item["Patterns"]))
            items.append(
                tree.CaseItem(patterns, self._statements(item, "Stmts", "Last"), item["Op"])
            )
        return tree.Case(*self._ends(json), self._word(json["Word"]), tuple(items))

    def _for(self, json: Json) -> tree.Command:
        loop, body = json["Loop"], self._statements(json, "Do", "DoLast")
        if loop["Type"] == "CStyleLoop":
            first, condition, step = (
                self._expression(loop[field]) if loop.get(field) else None
                for field in ("Init", "Cond", "Post")
            )
            return tree.ArithmeticFor(*self._ends(json), first, condition, step, body)
        if json.get("Select"):
            return tree.Opaque(*self._ends(json), "select")
        words = tuple(map(self._word, loop.get("Items") or ()))
        return tree.For(
            *self._ends(json),
            loop["Name"]["Value"],
            words if words or loop.get("InPos", {}).get("Line") else None,
            body,
        )

    def _while(self, json: Json) -> tree.Command:
        return tree.While(
            *self._ends(json),
            bool(json.get("Until")),
            self._statements(json, "Cond", "CondLast"),
            self._statements(json, "Do", "DoLast"),
        )

    def _block(self, json: Json) -> tree.Command:
        return tree.Group(*self._ends(json), False, self._statements(json, "Stmts", "Last"))

    def _subshell(self, json: Json) -> tree.Command:
        return tree.Group(*self._ends(json), True, self._statements(json, "Stmts", "Last"))

    def _list(self, json: Json) -> tree.Command:
        left, right = self._statement(json["X"]), self._statement(json["Y"])
        return tree.List(*self._ends(json), json["Op"], left, right)

    def _function(self, json: Json) -> tree.Command:
        name = (json.get("Name") or {}).get("Value")
        if not name:
            return tree.Opaque(*self._ends(json), "function")
        return tree.Function(*self._ends(json), name, self._statement(json["Body"]))

    def _test(self, json: Json) -> tree.Command:
        return tree.Test(*self._ends(json), self._condition(json["X"]))

    def _arithmetic_command(self, json: Json) -> tree.Command:
        return tree.ArithmeticCommand(*self._ends(json), (self._expression(json["X"]),))

    def _let(self, json: Json) -> tree.Command:
        return tree.ArithmeticCommand(
            *self._ends(json), tuple(map(self._expression, json["Exprs"]))
        )

    def _time(self, json: Json) -> tree.Command:
        statement = json.get("Stmt")
        body = (self._statement(statement),) if statement else ()
        return tree.Group(*self._ends(json), False, body)

    _COMMANDS: dict[str, Callable[[Adapter, Json], tree.Command]] = {  # noqa: RUF012 - never changed
        "CallExpr": _call,
        "DeclClause": _declaration,
        "IfClause": _if,
        "CaseClause": _case,
        "ForClause": _for,
        "WhileClause": _while,
        "Block": _block,
        "Subshell": _subshell,
        "BinaryCmd": _list,
        "FuncDecl": _function,
        "TestClause": _test,
        "ArithmCmd": _arithmetic_command,
        "LetClause": _let,
        "TimeClause": _time,
    }

    def _condition(self, json: Json) -> tree.Condition:
        ends = self._ends(json)
        match json["Type"]:
            case "ParenTest":
                return self._condition(json["X"])
            case "UnaryTest" if json["Op"] == "!":
                return tree.TestNot(*ends, self._condition(json["X"]))
            case "UnaryTest":
                return tree.TestUnary(*ends, json["Op"], self._word(json["X"]))
            case "BinaryTest" if json["Op"] in {"&&", "||"}:
                left, right = self._condition(json["X"]), self._condition(json["Y"])
                return tree.TestBoth(*ends, json["Op"], left, right)
            case "BinaryTest":
                left_word, right_word = self._word(json["X"]), self._word(json["Y"])
                return tree.TestBinary(*ends, json["Op"], left_word, right_word)
            case _:
                return tree.TestWord(*ends, self._word(json))

    def _redirect(self, json: Json) -> tree.Redirect:
        target, heredoc = json.get("Word"), json.get("Hdoc")
        return tree.Redirect(
            *self._ends(json),
            json["Op"],
            (json.get("N") or {}).get("Value", ""),
            self._word(target) if target else None,
            self._word(heredoc, verbatim=True) if heredoc else None,
        )

    def _assignment(self, json: Json) -> tree.Assignment:
        value, index, array = json.get("Value"), json.get("Index"), json.get("Array")
        return tree.Assignment(
            *self._ends(json),
            json["Name"]["Value"],
            self._expression(index) if index else None,
            bool(json.get("Append")),
            self._word(value) if value else None,
            tuple(self._element(element) for element in array.get("Elems") or ())
            if array
            else None,
            bool(json.get("Naked")),
        )

    def _element(self, json: Json) -> tree.Element:
        self._note(json.get("Comments"))
        index, value = json.get("Index"), json.get("Value")
        at = self._at(json["End"])
        return tree.Element(
            self._expression(index) if index else None,
            self._word(value) if value else tree.Word(at, at, ()),
        )

    def _word(self, json: Json, *, verbatim: bool = False) -> tree.Word:
        """Build a word; the literals of a here-document are taken from shfmt, which unindents."""
        parts = json.get("Parts") or ()
        if not parts:
            position = json.get("Pos") or {}
            at = self._characters[position.get("Offset", 0)]
            return tree.Word(at, at, ())
        return tree.Word(*self._ends(json), tuple(self._part(part, verbatim) for part in parts))

    def _part(self, json: Json, verbatim: bool = False) -> tree.Part:  # noqa: FBT001, FBT002 - one line a kind
        start, end = self._ends(json)
        match json["Type"]:
            case "Lit":
                text = json.get("Value", "") if verbatim else self._text[start:end]
                return tree.Literal(start, end, text.replace("\\\n", ""))
            case "SglQuoted":
                ansi = bool(json.get("Dollar"))
                inner = self._text[start + 1 + ansi : end - 1]
                return tree.SingleQuoted(start, end, inner, ansi)
            case "DblQuoted":
                parts = json.get("Parts") or ()
                return tree.DoubleQuoted(start, end, tuple(map(self._part, parts)))
            case "ParamExp":
                return self._parameter(json)
            case "ArithmExp":
                return tree.Arithmetic(start, end, self._expression(json["X"]))
            case "CmdSubst":
                body = self._statements(json, "Stmts", "Last")
                return tree.CommandSubstitution(start, end, body)
            case "ProcSubst":
                body = self._statements(json, "Stmts", "Last")
                return tree.ProcessSubstitution(start, end, json["Op"], body)
            case _:
                return tree.ExtendedGlob(start, end, self._text[start:end])

    def _parameter(self, json: Json) -> tree.Parameter:
        operator = ""
        arguments: tuple[tree.Word | tree.Expression | None, ...] = ()
        if json.get("Length") or json.get("Width"):
            operator = "length"
        elif "Slice" in json:
            operator = "slice"
            offset, length = (json["Slice"].get(field) for field in ("Offset", "Length"))
            arguments = tuple(
                self._expression(field) if field else None for field in (offset, length)
            )
        elif "Repl" in json:
            operator = "//" if json["Repl"].get("All") else "/"
            original, replacement = (json["Repl"].get(field) for field in ("Orig", "With"))
            arguments = tuple(
                self._word(field) if field else None for field in (original, replacement)
            )
        elif json.get("Names"):
            operator = "names"
        elif "Exp" in json:
            operator = json["Exp"]["Op"]
            word = json["Exp"].get("Word")
            arguments = (self._word(word) if word else None,)
        index = json.get("Index")
        return tree.Parameter(
            *self._ends(json),
            (json.get("Param") or {}).get("Value", ""),
            self._expression(index) if index else None,
            bool(json.get("Excl")) and operator != "names",
            operator,
            arguments,
        )

    def _expression(self, json: Json) -> tree.Expression:
        """Keep the text of an arithmetic expression, cut where something in it is expanded."""
        start, end = self._ends(json)
        parts: list[tree.Part] = []
        at = start
        for part in self._expansions(json):
            if part.start > at:
                parts.append(tree.Literal(at, part.start, self._text[at : part.start]))
            parts.append(part)
            at = part.end
        if end > at:
            parts.append(tree.Literal(at, end, self._text[at:end]))
        return tree.Expression(start, end, tuple(parts))

    def _expansions(self, json: Json) -> list[tree.Part]:
        """Return what is expanded in an arithmetic tree, in the order of the source."""
        if json.get("Type", "Word") == "Word":
            parts = json.get("Parts") or ()
            return [self._part(part) for part in parts if part["Type"] != "Lit"]
        found = []
        for field in ("X", "Y"):
            if field in json:
                found += self._expansions(json[field])
        return sorted(found, key=lambda part: part.start)
