"""Any text is read without a crash, and reading it piecewise is the same as reading it anew."""

from __future__ import annotations

import lark
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark

from mutproof.base import grammar
from mutproof.languages.lustre import declarations, parse, scope
from mutproof.model.language import Elaborated
from support.reading import elaborated_in

PROFILE = settings(
    max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)

FILE = """\
type color = enum {RED, GREEN};
type point = struct {x: int; y: real};
const N = 3;
function f(x: int) returns (y: real);
node counter(reset: bool) returns (n: int);
var before: int;
let
  before = 0 -> pre n; (* a comment; *)
  n = if reset then 0 else before + 1;
tel;
node main(reset: bool; p: point) returns (ok: bool);
var
  n, m: int; q: point;
let
  n = counter(reset); -- the count
  m = condact(reset, counter(false), N);
  q = p{x := n}; ok = n >= 0 and f(m) <= q.y or m = n;
  assert p.x > 0;
  --%PROPERTY ok;
  --%IVC n, m;
  --%MAIN;
tel;
"""

PIECES = (
    *"(){}[];,.:=+-*/<>^#!\"'@|& \n\t0é",
    *("--", "(*", "*)", "/*", "*/", "--%PROPERTY ", "--%MAIN", "--%IVC ", ":=", "->", "=>"),
    *(" node ", " let ", " tel ", " var ", " const ", " type ", " function ", " returns "),
    *(" if ", " then ", " else ", " not ", " pre ", " and ", " struct ", " enum ", " assert "),
    *(" x", " n", " ok", " counter", "1.5", "12", " true", " condact", " subrange ", " of int"),
)


def forget() -> None:
    for memo in (parse._chunks, declarations._meanings, declarations._resolved):
        memo._values.clear()


def summary(found: Elaborated) -> tuple[object, ...]:
    places = {
        (str(identity), path): value.place(path)
        for identity, value in found.provenance.elements.items()
        for path in value.terms
    }
    provenance = found.provenance
    return (
        found.diagnostics,
        None if found.program is None else found.program.digest,
        places,
        provenance.components,
        provenance.component_bodies,
        provenance.variables,
        provenance.properties,
        scope.symbols(found.parsed.tree, found.parsed.source.content),
    )


def check_sound(text: str) -> None:
    found = elaborated_in("lustre", text)
    for diagnostic in found.diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
    for use in scope.symbols(found.parsed.tree, text).uses:
        span, declared = use.span, use.declared.name
        assert text[span.start : span.end] == text[declared.start : declared.end]


@PROFILE
@given(st.text())
@example("\x00")
@example("node")
@example("--%MAIN")
@example("node n() returns (); let --%MAIN")
@example("﻿node n() returns (); let tel")
@example("\r\n;\r")
def test_any_text_is_read(text: str) -> None:
    check_sound(text)


@PROFILE
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_run_of_tokens_is_read(pieces: list[str]) -> None:
    check_sound("".join(pieces))
    check_sound("node n(x: int) returns (ok: bool); let ok = " + "".join(pieces))


@st.composite
def edits(draw: st.DrawFn) -> list[str]:
    """Draw a history of texts, each an edit of the one before."""
    text = FILE
    history = [text]
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        length = draw(st.sampled_from([0, 0, 1, 2, 5, 30]))
        new = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=2)))
        text = text[:start] + new + text[start + length :]
        history.append(text)
    return history


@PROFILE
@given(edits())
def test_reading_after_edits_is_reading_anew(history: list[str]) -> None:
    forget()
    for text in history:
        check_sound(text)
    after_edits = summary(elaborated_in("lustre", history[-1]))
    forget()
    anew = summary(elaborated_in("lustre", history[-1]))

    assert anew == after_edits


@settings(PROFILE, max_examples=40)
@given(from_lark(lark.Lark(grammar.load_text("lustre.lark"), start="statement", lexer="basic")))
def test_what_the_grammar_generates_is_read(text: str) -> None:
    check_sound(f"node n() returns ();\nlet\n{text}\ntel;")


def test_deep_nesting_gives_one_diagnostic() -> None:
    for opening, closing in (("(", ")"), ("[", "]"), ("not ", ""), ("- ", ""), ("if a then ", "")):
        text = f"node n(a: bool) returns (b: bool); let b = {opening * 50_000}a{closing * 50_000};"
        found = [d.code for d in elaborated_in("lustre", text + "tel").diagnostics]
        assert found in (["nesting-too-deep"], ["syntax"])


def test_a_chain_of_thousands_of_operators_is_read_and_located() -> None:
    def chain(length: int) -> str:
        return f"node n(a: bool) returns (b: bool); let b = {' or '.join(['a'] * length)}; tel"

    assert ["nesting-too-deep"] == [
        d.code for d in elaborated_in("lustre", chain(5_000)).diagnostics
    ]
    text = chain(3_500)
    found = elaborated_in("lustre", text)
    assert () == found.diagnostics
    ((element, places),) = found.provenance.elements.items()
    paths = list(places.terms)
    assert {places.terms[path] for path in paths} == {places.terms[path] for path in paths[::-1]}
    assert text.index("a or") == found.provenance.text(element, max(paths, key=len)).start


def test_noise_is_reported_briefly() -> None:
    noise = "node n() returns (); let " + "x = ) ; " * 50_000
    codes = [diagnostic.code for diagnostic in elaborated_in("lustre", noise).diagnostics]

    assert codes.count("too-many-errors") == 1
    assert len(codes) <= parse.ERROR_LIMIT + 5
