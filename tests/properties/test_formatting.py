"""Formatting changes white space only: not the meaning, no comment, and nothing the second time."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from lustre_models import models, moved_text
from nusmv_random import random_text
from profiles import profile

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide.formatting import edits_in
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.model.formatting import Layout
from mutproof.model.program import Program

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.lus")) + sorted((ROOT / "examples").glob("*.smv"))
STYLES = some.builds(Layout, some.sampled_from([1, 2, 3, 4, 8]), some.booleans())
MARKS = [
    *("node f(x : int)", "returns", "var", "let", "tel", "tel.", "--%PROPERTY x", "--%MAIN"),
    *("MODULE main", "VAR", "ASSIGN", "INIT", "PSLSPEC", "DEFINE", "case", "esac", "next(x)"),
    *("x", "a.b", "a[1:0]", "1", "1.5", "0..3", "-", "--", "- -", "/--", "--/", "(*", "*)", "/*"),
    *("(", ")", "[", "]", "{", "}", ";", ":", ":=", ",", ".", "..", "->", "!", "é", '"s', "\t"),
    *("\n", "\r\n", "\n\n\n", "  ", "\f", "\v", "\ufeff", "\r", "-- note \n", "(* a\n  b *)"),
]


def language_of(path: Path) -> str:
    return "lustre" if path.suffix == ".lus" else "nusmv"


def formatted(language: str, text: str, style: Layout | None = None) -> str:
    return edited(text, LANGUAGES[language].format(text, style or Layout()))


def words(text: str) -> str:
    return re.sub(r"\s", "", text)


def check(language: str, text: str, style: Layout) -> str:
    """Return a formatted text after the check that nothing but white space has changed."""
    found = formatted(language, text, style)
    assert words(text) == words(found)
    assert found == formatted(language, found, style)
    return found


def check_meaning(language: str, text: str, style: Layout) -> None:
    front = LANGUAGES[language]
    before, after = (
        front.elaborate(front.parse(SourceText("model", one)))
        for one in (text, check(language, text, style))
    )
    assert before.program is not None
    assert after.program is not None
    assert named(before.program) == named(after.program)
    assert [one.code for one in before.diagnostics] == [one.code for one in after.diagnostics]


def named(program: Program) -> Program:
    """Return a program whose properties are not named by the spaces in their text."""
    components = (
        replace(
            component,
            properties=tuple(replace(one, name="") for one in component.properties),
        )
        for component in program.components
    )
    return replace(program, components=tuple(components))


def shaken(source: random.Random, text: str) -> str:
    """Return the text with other white space; lines of comments stay lines."""

    def other(gap: re.Match[str]) -> str:
        blanks = source.choice([" ", "  ", "\t", "    "])
        return gap.group() + blanks if "\n" in gap.group() else blanks

    return re.sub(r"\s+", other, text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@given(source=some.randoms(use_true_random=False), style=STYLES)
@profile(4)
def test_examples_mean_the_same(path: Path, source: random.Random, style: Layout) -> None:
    text = path.read_text(encoding="utf-8")
    check_meaning(language_of(path), shaken(source, text), style)


@given(model=models(), source=some.randoms(use_true_random=False), style=STYLES)
@profile(25)
def test_lustre_means_the_same(model, source: random.Random, style: Layout) -> None:
    check_meaning("lustre", moved_text(source, model.text), style)


@given(source=some.randoms(use_true_random=False), style=STYLES)
@profile(25)
def test_nusmv_means_the_same(source: random.Random, style: Layout) -> None:
    check_meaning("nusmv", shaken(source, random_text(source)), style)


@pytest.mark.parametrize("language", ["lustre", "nusmv"])
@given(parts=some.lists(some.sampled_from(MARKS)), glue=some.sampled_from(["", " "]), style=STYLES)
@profile(150)
def test_any_text_keeps_its_words(
    language: str, parts: list[str], glue: str, style: Layout
) -> None:
    check(language, glue.join(parts), style)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
@given(source=some.randoms(use_true_random=False), data=some.data())
@profile(4)
def test_lines_are_formatted_as_in_the_whole_text(path: Path, source, data) -> None:
    text = shaken(source, path.read_text(encoding="utf-8"))
    front, count = LANGUAGES[language_of(path)], text.count("\n")
    cut = data.draw(some.integers(0, count))
    model = SourceText("model", text)
    first = edits_in(model, front, Layout(), (0, cut))
    end = model.line_starts[cut + 1] if cut < count else len(text)
    assert all(Span(0, end).covers(edit.span) for edit in first)
    rest = edits_in(model, front, Layout(), (cut + 1, count))
    assert formatted(front.name, text) == formatted(front.name, edited(text, [*first, *rest]))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("lustre", "node f(a:int)returns(o:int);\n", "node f(a : int) returns (o : int);\n"),
        ("lustre", "let\n  o=if(a)then[1]else(2);\n", "let\n  o = if (a) then [1] else (2);\n"),
        ("nusmv", "DEFINE d:=(a)mod b;e:=r[0]in s;\n", "DEFINE d := (a) mod b; e := r[0] in s;\n"),
    ],
)
def test_a_word_after_a_bracket_has_a_space(language: str, text: str, expected: str) -> None:
    assert expected == formatted(language, text)


LUSTRE = """\
node  count ( reset:bool ; const_:int)
   returns(n:int ;up:bool) ;
    var
  m:int;-- the one before
      last_value : int;   -- kept


let (* begin
   here *)
m=0->pre  n ;
      n = if reset then-1
          else m+1 ;
  -- a comment of the body
     up=n>=- -m and not(reset);--%PROPERTY up ;
     tel;"""

LUSTRE_FORMATTED = """\
node count(reset : bool; const_ : int)
   returns (n : int; up : bool);
var
  m : int;          -- the one before
  last_value : int; -- kept

let (* begin
   here *)
  m = 0 -> pre n;
  n = if reset then -1
      else m + 1;
  -- a comment of the body
  up = n >= - -m and not(reset); --%PROPERTY up;
tel;
"""

NUSMV = """\
MODULE  main( a,b )
VAR x:0 .. 3;w : word [ 8 ];
 y:{on,off} ; -- a switch
ASSIGN
init( x ):=0;
  next(x):=case
    x<3&!( y=on ):x+1;
      TRUE:- 1;
    esac;
  DEFINE low:=w[3 : 0]=0ud4_1 ;

  -- what must hold
 LTLSPEC   NAME p:=G(x=3->F  y=on)
   PSLSPEC always ( x=1 -> next! (x=2) );
"""

NUSMV_FORMATTED = """\
MODULE main(a, b)
VAR x : 0..3; w : word[8];
  y : {on, off}; -- a switch
ASSIGN
  init(x) := 0;
  next(x) := case
    x < 3 & !(y = on) : x + 1;
      TRUE : -1;
    esac;
DEFINE low := w[3:0] = 0ud4_1;

-- what must hold
LTLSPEC NAME p := G(x = 3 -> F y = on)
PSLSPEC always ( x=1 -> next! (x=2) );
"""


def test_lustre_looks_like_this() -> None:
    assert LUSTRE_FORMATTED == formatted("lustre", LUSTRE)


def test_nusmv_looks_like_this() -> None:
    assert NUSMV_FORMATTED == formatted("nusmv", NUSMV)


def test_lines_end_as_they_did() -> None:
    found = formatted("lustre", LUSTRE.replace("\n", "\r\n"))
    assert LUSTRE_FORMATTED.replace("\n", "\r\n") == found


def test_an_open_comment_stays_as_it_is() -> None:
    assert formatted("lustre", "x=1; (* open") == "x=1; (* open"


def test_a_constraint_is_the_same_element_whatever_its_spaces() -> None:
    text = (
        "MODULE main\nVAR a : boolean;\nINIT  a|!a\nTRANS next(a)=a\nINVARSPEC NAME p := a | !a\n"
    )
    front = LANGUAGES["nusmv"]
    before, after = (
        front.elaborate(front.parse(SourceText("model", one))).program
        for one in (text, formatted("nusmv", text))
    )
    assert before is not None
    assert after is not None
    assert before.by_id.keys() == after.by_id.keys()
    assert formatted("nusmv", text) != text
