"""Tables that were written read every text as new ones do; `--update` writes those of languages."""

from __future__ import annotations

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
from mutproof.base.lalr import Tables
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.languages.lustre.parse import STARTS as LUSTRE
from mutproof.languages.nusmv.parse import STARTS as NUSMV
from support.profiles import profile

GRAMMARS = Path(__file__).parents[2] / "grammars"
STARTS = {"lustre": LUSTRE, "nusmv": NUSMV}
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


def made(text: str | None = None) -> Grammar:
    return Grammar(GRAMMAR, start=["start"], builder=Builder(), made=text)


def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have any attempt to build tables fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(lark.Lark, "__init__", refuse)


def test_written_tables_read_all_texts_as_built_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    written = grammar.written_tables(GRAMMAR, ["start"])
    expected = answers(made())
    no_tables(monkeypatch)
    assert answers(made(written)) == expected
    assert len({repr(answer) for answer in expected}) > 20


def test_tables_of_another_grammar_are_not_used() -> None:
    written = grammar.written_tables(GRAMMAR, ["start"])
    changed = GRAMMAR.replace('"(" item*', '"(" NAME')
    other = Grammar(changed, start=["start"], builder=Builder(), made=written)
    other.parse("start", tokens("a(n)"))
    with pytest.raises(UnexpectedTokenError):
        made(written).parse("start", tokens("a(n)"))


@pytest.mark.parametrize("name", STARTS)
def test_a_language_has_the_tables_of_its_grammar(name: str, update: bool) -> None:
    expected = grammar.written_tables(grammar.load_text(f"{name}.lark"), STARTS[name])
    if update:
        (GRAMMARS / f"{name}.tables").write_text(expected, encoding="utf-8")
    assert expected == grammar.load_text(f"{name}.tables")
    key, _, tables = expected.partition("\n")
    assert f"{key}\n{Tables.read(tables).written()}" == expected


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
