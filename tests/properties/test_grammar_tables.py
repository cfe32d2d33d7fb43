"""Tables that were kept on disk read every text as new ones do; without the seal they are not."""

from __future__ import annotations

import json
import marshal
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import lark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base import grammar
from mutproof.base.grammar import Grammar, Terminal, UnexpectedTokenError
from mutproof.base.store import Store
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from support.profiles import profile

GRAMMAR = """
start: "a" item* [end]
item: NAME "," -> named
    | "(" item* ")" -> grouped
end: "."
NAME: "n"
_COMMA: ","
"""


class Builder:
    """Build nested tuples."""

    def __getattr__(self, name: str) -> object:
        if name not in {"start", "named", "grouped", "end"}:
            raise AttributeError(name)
        return lambda children: (str(name), *map(str, children))


def tokens(text: str) -> list[Terminal]:
    kinds = {"a": "A", "n": "NAME", ",": "COMMA", "(": "LPAR", ")": "RPAR", ".": "DOT"}
    return [Terminal(kinds[c], c, place, place + 1) for place, c in enumerate(text)]


def answers(grammar: Grammar) -> list[object]:
    """Return what the parser makes of all texts of up to five tokens after the first."""
    texts = ["a"]
    for text in texts:
        if len(text) < 6:
            texts += [text + follower for follower in "n,()."]
    found: list[object] = []
    for text in texts:
        try:
            found.append(grammar.parse("start", tokens(text)))
        except UnexpectedTokenError as error:
            found.append((error.token, error.expected))
    return found


def made() -> Grammar:
    return Grammar(GRAMMAR, start=["start"], builder=Builder())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have any attempt to build tables fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(lark.Lark, "__init__", refuse)


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_kept_tables_read_all_texts_as_new_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(made())
    assert len(kept(folder)) == 1
    no_tables(monkeypatch)
    assert answers(made()) == expected
    assert len({repr(answer) for answer in expected}) > 20


def test_another_grammar_has_other_tables(folder: Path) -> None:
    made()
    changed = GRAMMAR.replace('"(" item*', '"(" NAME')
    for _ in range(2):
        other = Grammar(changed, start=["start"], builder=Builder())
        assert len(kept(folder)) == 2
        other.parse("start", tokens("a(n)"))
        with pytest.raises(UnexpectedTokenError):
            made().parse("start", tokens("a(n)"))


@pytest.mark.parametrize("damage", [b"", b"cut", b"turned"])
def test_damaged_tables_are_built_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    expected = answers(made())
    [path] = kept(folder)
    data = path.read_bytes()
    middle = len(data) // 2
    turned = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    path.write_bytes({b"": b"", b"cut": data[:middle], b"turned": turned}[damage])
    assert answers(made()) == expected
    no_tables(monkeypatch)
    assert answers(made()) == expected


@pytest.mark.parametrize("content", [b"", marshal.dumps(7), marshal.dumps((1, 2))])
def test_what_is_no_table_is_built_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    expected = answers(made())
    assert kept(folder)
    monkeypatch.setattr(Store, "get", lambda *_: content)
    assert answers(made()) == expected


def test_what_is_read_back_is_data_and_runs_nothing(folder: Path) -> None:
    made()
    [path] = kept(folder)
    content = zlib.decompress(path.read_bytes()[:-32])
    rules, states, starts = marshal.loads(content)
    assert {"start", "named", "grouped", "end"} <= {row[2] for row in rules}
    assert {"start"} == starts.keys()
    assert json.loads(json.dumps(states)).keys() == {str(key) for key in states}


# --- against lark -------------------------------------------------------------------------------

SHAPES = """
start: [_list] ["x" one] [two] kept*
_list: one ("," one)*
?one: NAME | "(" _list ")" | "[" [NAME] ["." NAME] "]" -> boxed | "-" one
two: ";" NAME+
!kept: "!" NAME?
NAME: "n"
"""


class Plain:
    """Build nested tuples of everything."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("_") or name.isupper():
            raise AttributeError(name)
        return lambda children: (str(name), *children)


class Spelt(lark.lexer.Lexer):
    """Hand lark the tokens it is given."""

    __future_interface__ = 1

    def __init__(self, _: object) -> None:
        pass

    def lex(self, lexer_state: Any, _: object) -> Iterator[Any]:
        return iter(lexer_state.text)


LETTERS = {
    "n": "NAME",
    ",": "COMMA",
    "x": "X",
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    ".": "DOT",
    "-": "MINUS",
    ";": "SEMICOLON",
    "!": "BANG",
}


@given(st.text(alphabet=[*LETTERS, *"n,nnn"], max_size=12))
@profile(200)
def test_texts_are_parsed_as_lark_parses_them(text: str) -> None:
    spelt = [Terminal(LETTERS[c], c, place, place + 1) for place, c in enumerate(text)]
    found: object
    try:
        found = ours().parse("start", spelt)
    except UnexpectedTokenError as error:
        found = error.token, error.expected
    expected: object
    try:
        expected = larks().parse([Named(*terminal) for terminal in spelt], "start")  # type: ignore[arg-type]
    except lark.exceptions.UnexpectedToken as error:
        token = error.token if isinstance(error.token, Terminal) else None
        expected = token, frozenset(error.accepts or error.expected)
    assert expected == found


class Named(Terminal):
    """A token from which lark can copy a place."""

    start_pos = line = column = end_line = end_column = end_pos = None


@cache
def ours() -> Grammar:
    return Grammar(SHAPES, start=["start"], builder=Plain())


@cache
def larks() -> lark.Lark:
    options: dict[str, Any] = {"lexer": Spelt, "transformer": Plain(), "parser": "lalr"}
    return lark.Lark(SHAPES, start="start", maybe_placeholders=True, **options)


def test_nothing_is_kept_where_there_is_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", "")
    monkeypatch.chdir(tmp_path)
    expected = answers(made())
    assert kept(tmp_path) == []
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", str(blocked))
    assert answers(made()) == expected
    assert kept(tmp_path) == [blocked]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lustre", "node n(a: bool) returns (b: bool); let b = a; tel"),
        ("nusmv", "MODULE main VAR a : boolean;"),
    ],
)
def test_a_prepared_language_has_its_tables(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    language = LANGUAGES[name]
    language.prepare()
    monkeypatch.setattr(grammar, "_tables", lambda *_: pytest.fail("tables are made again"))
    assert not language.parse(SourceText("model", text)).diagnostics
