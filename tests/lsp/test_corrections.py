"""Corrections: what an error says was meant is offered as an edit that removes it."""

from __future__ import annotations

import pytest
from lsprotocol import types

from mutproof.base.diagnostics import has_errors
from mutproof.base.text import SourceText
from mutproof.lsp.documents import Document, changed
from mutproof.lsp.requests import code_action
from mutproof.lsp.view import View
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

NODE = "node main(a : bool; x : int) returns (o : int; p : bool);\n{}let\n  {}\n{}tel;\n"
OTHER = "nod n() returns (); let tel;\n"
BODY = "o = if a then x else 4;\n  p = o = 4 or a;"
MODULE = "MODULE main\nVAR x : boolean;{}\nASSIGN init(x) := TRUE;\n{}\n"
QUERIES = Queries()


def read(language: str, text: str) -> Document:
    source = SourceText("m", text)
    snapshot = Snapshot("file:///m", 1, source, QUERIES.languages[language], Options())
    return Document(snapshot.with_elaborated(QUERIES.elaborated(language, source)))


async def offered(document: Document, only: list[str] | None = None) -> list[types.CodeAction]:
    """Return the corrections at the errors of a text, in which emoji stand before them."""
    view = View(None, document, "utf-16")  # type: ignore[arg-type]
    current = document.snapshot.current
    errors = [
        types.Diagnostic(view.range(d.span, document.since_current), d.message, code=d.code)
        for d in current.diagnostics
    ]
    found = []
    for error in errors:
        context = types.CodeActionContext([error], only)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(""), error.range, context)
        for action in await code_action.on_code_action(view, asked):
            assert [error] == action.diagnostics
            found.append(action)
    return found


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("lustre", NODE.format("", BODY.replace("x else", "xx else"), ""), "Change `xx` to `x`"),
        ("lustre", NODE.format("", BODY.replace("p =", "P ="), ""), "Change `P` to `p`"),
        ("lustre", NODE.format("var y : Bool;\n", f"y = a;{BODY}", ""), "Change `Bool` to `bool`"),
        ("lustre", NODE.format("", BODY.replace("o = 4", "o == 4"), ""), "Change `==` to `=`"),
        ("lustre", NODE.format("", BODY.replace("o = 4", "o != 4"), ""), "Change `!=` to `<>`"),
        ("lustre", NODE.format("", BODY.replace(" or ", " || "), ""), "Change `||` to `or`"),
        ("lustre", f"{OTHER}{NODE.format('', BODY, '')}", "Change `nod` to `node`"),
        ("lustre", NODE.format("", BODY.replace("4;", "4"), ""), "Insert `;`"),
        ("lustre", NODE.format("", BODY[:-1], ""), "Insert `;`"),
        ("lustre", NODE.format("var y : bool\n", f"y = a; {BODY}", ""), "Insert `;`"),
        ("lustre", NODE.format("", BODY, "  --%PROPERTY p\n"), "Insert `;`"),
        ("nusmv", MODULE.format("", "INVARSPEC xx"), "Change `xx` to `x`"),
        ("nusmv", MODULE.format("", "INVARSPEC x | true"), "Change `true` to `TRUE`"),
        ("nusmv", MODULE.format("y : bool;", "INVARSPEC x"), "Change `bool` to `boolean`"),
        ("nusmv", MODULE.format("y : int;", "INVARSPEC x"), "Change `int` to `integer`"),
        ("nusmv", MODULE.format("", "INVARSPEC x == TRUE"), "Change `==` to `=`"),
        ("nusmv", MODULE.format("", "INVARSPEC x and x"), "Change `and` to `&`"),
        ("nusmv", MODULE.format("", "INVARSPC x"), "Change `INVARSPC` to `INVARSPEC`"),
        ("nusmv", MODULE.format("", "INVARSPEC (not x)"), "Change `not` to `!`"),
        ("nusmv", MODULE.format("", "INVARSPEC x && x"), "Change `&&` to `&`"),
        ("nusmv", MODULE.format("", "  next(x) := x\n  next(x) := x;"), "Insert `;`"),
        ("nusmv", MODULE.format("", "  next(x) := x\nINVARSPEC x"), "Insert `;`"),
        ("nusmv", MODULE.format("", "  next(x) = x;"), "Change `=` to `:=`"),
    ],
)  # fmt: skip
async def test_what_was_meant_is_offered_and_removes_the_error(language, text, title):
    document = read(language, f"-- 😀\n{text.replace('if a', 'if (* 😀 *) a')}")
    errors = document.snapshot.current.diagnostics
    (action,) = [one for one in await offered(document) if one.title == title]
    (edited,) = action.edit.document_changes
    source, _ = changed(
        document.snapshot.source,
        [types.TextDocumentContentChangePartial(e.range, e.new_text) for e in edited.edits],
        "utf-16",
    )
    left = QUERIES.elaborated(language, source).diagnostics
    gone = {(d.code, d.message) for d in errors} - {(d.code, d.message) for d in left}
    assert gone
    assert not has_errors(left) or "next(x) := x;\n" in text


@pytest.mark.parametrize(
    ("written", "offer"),
    [
        ("pre (m = idle)", "Change `pre (m = idle)` to `(false -> pre (m = idle))`"),
        ("pre n > 3", "Change `pre n` to `(0 -> pre n)`"),
        ("pre s > 3", "Change `pre s` to `(3 -> pre s)`"),
        ("pre -r > 2.0", "Change `pre -r` to `(0.0 -> pre -r)`"),
        ("pre m = idle", "Change `pre m` to `(idle -> pre m)`"),
        (f"pre ({' + '.join('n' * 9)}) > 3", "Insert `(0 -> ` … `)`"),
    ],
)
async def test_a_first_value_is_offered_where_a_pre_has_none(written: str, offer: str):
    declared = "m : mode; n : int; s : subrange [3, 9] of int; r : real"
    text = (
        f"type mode = enum {{idle, busy}};\nnode main({declared}) returns (p : bool);\n"
        f"let\n  p = not ({written});\ntel;\n"
    )
    (action,) = await offered(read("lustre", text))
    assert offer == action.title
    (edited,) = action.edit.document_changes
    (edit,) = edited.edits
    lines = text.splitlines()
    start, end = edit.range.start.character, edit.range.end.character
    lines[3] = f"{lines[3][:start]}{edit.new_text}{lines[3][end:]}"
    source = SourceText("m", "\n".join(lines))
    assert () == QUERIES.elaborated("lustre", source).diagnostics


async def test_no_semicolon_is_offered_where_it_would_not_do():
    assert [] == await offered(read("lustre", NODE.format("", "o = (x + 1\n  p = a;", "")))
    assert [] == await offered(read("lustre", NODE.format("", "o = x +;\n  p = a;", "")))


async def test_a_correction_is_a_quick_fix():
    document = read("nusmv", MODULE.format("", "INVARSPEC xx"))
    assert [] == await offered(document, ["refactor"])
    for kind in ("quickfix", "quickfix.mutproof"):
        (action,) = await offered(document, [kind])
        assert "quickfix.mutproof" == action.kind
