"""Fixes of advice: the fixed model keeps all verdicts, and the advice is gone."""

from __future__ import annotations

import random

import pytest

from mutproof.analyses.advising.advice import Advice, AdviceFinding, AdviceStatus
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.span import Span
from mutproof.ide.action import Action, Selection
from mutproof.ide.actions import follow_advice, remove_unneeded
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.workspace import report as reports
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.analysis import Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Analysed
from support.nusmv_random import random_text
from support.reading import accepted_in, analysed, elaborated_in

ALL = META_PROPERTIES.names()


def advised(language: str, text: str, budget: Budget | None = None) -> AdviceFinding:
    """Return the advice on a text."""
    options = Options(mutate=False, cores=False, advise=ALL, budget=budget or Budget())
    found = accepted_in(language, text)
    report = analysed(found, options)
    assert report.advice is not None
    return report.advice


def verdicts(language: str, text: str) -> dict[str, PropertyVerdict]:
    """Return the verdict of each property."""
    options = Options(mutate=False, cores=False)
    found = accepted_in(language, text)
    report = analysed(found, options)
    return {one.name: one.verdict for one in report.properties}


def offers(language: str, text: str, advice: Advice) -> list[Action]:
    """Return the fixes of one piece of advice."""
    found = accepted_in(language, text)
    assert found.program is not None
    basis = reports.basis(found.program, Options())
    report = reports.FileReport(advice=(AdviceFinding((advice,)), basis))
    seen = Verdicts(Analysed(found, LANGUAGES[language], report, basis))
    at = advice_span(found, advice).start
    return list(follow_advice.MAKER.offer(Selection(seen, Span(at, at))))


def fixed(language: str, text: str, name: str, *, budget: Budget | None = None) -> list[str]:
    """Return a text after each fix that advice of a meta-property offers, with all checked."""
    found = []
    before = advised(language, text, budget)
    for advice in before.of(AdviceStatus.FOUND):
        if advice.meta_property != name:
            continue
        for action in offers(language, text, advice):
            after = edited(text, action.edits)
            assert verdicts(language, text) == verdicts(language, after), (action.title, after)
            said = [one.message for one in advised(language, after, budget).advice]
            assert advice.message not in said, after
            found.append(after)
    return found


def model(body: str) -> str:
    """Return a NuSMV model of one module."""
    return f"MODULE main\n{body}"


def test_a_branch_that_is_never_taken_is_removed() -> None:
    text = model("""\
VAR n : 0..3; up : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case
    n > 3 : 1;  -- never
    (up & (n < 3)) : n + 1;
    up & n < 2 : 3;
    TRUE : 0;
  esac;
INVARSPEC NAME bounded := n < 3;
CTLSPEC NAME reaches := EF n = 3;
""")
    (never,) = fixed("nusmv", text, "MP1")
    assert text.replace("    n > 3 : 1;  -- never\n", "") == never or (
        text.replace("n > 3 : 1;  -- never", "-- never") == never
    )
    after = fixed("nusmv", text, "MP2")
    assert text.replace("    up & n < 2 : 3;\n", "") in after


def test_a_choice_whose_branch_is_never_taken_keeps_the_other() -> None:
    text = model("""\
VAR n : 0..3;
DEFINE m := (n < 4 ? n : 0) + 0;
ASSIGN init(n) := 0; next(n) := m = 3 ? 0 : (n > 3 ? 2 : n < 3 ? n + 1 : 1);
INVARSPEC NAME same := m = n;
""")
    assert [text.replace("n > 3 ? 2 : n < 3 ? n + 1 : 1", "(n < 3 ? n + 1 : 1)")] == fixed(
        "nusmv", text, "MP1"
    )
    assert text.replace("n < 4 ? n : 0", "n") in fixed("nusmv", text, "MP2")


def test_conditions_that_overlap_are_told_apart() -> None:
    text = model("""\
VAR n : 0..3; low : boolean;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
  low := case n < 2 : TRUE; n >= 1 : FALSE; esac;
INVARSPEC NAME is_low := low = (n < 2);
""")
    assert [text.replace("n >= 1 :", "!(n < 2) & (n >= 1) :")] == fixed("nusmv", text, "MP3")


def test_variables_that_nothing_reads_are_removed() -> None:
    text = model("""\
VAR a : boolean; b : boolean;
  k : {off, on};
  n : 0..3;
ASSIGN
  init(b) := TRUE;
  next(b) := !b;
  init(k) := case TRUE : off; esac;
  next(n) := n;
INVARSPEC NAME fixed_n := n < 4;
""")
    without_a = text.replace("VAR a : boolean; b", "VAR b")
    assert [without_a] == fixed("nusmv", text, "MP7")
    without_b = text.replace("b : boolean;\n", "\n")
    without_b = without_b.replace("  init(b) := TRUE;\n", "").replace("  next(b) := !b;\n", "")
    without_k = text.replace("  k : {off, on};\n", "")
    without_k = without_k.replace("  init(k) := case TRUE : off; esac;\n", "")
    assert [without_b, without_k] == fixed("nusmv", text, "MP8")


def test_macros_that_nothing_reads_are_removed() -> None:
    text = model("""\
VAR n : 0..3;
DEFINE
  low := n < 2;
  lower := low & n < 1;
  k := 1;
ASSIGN
  init(n) := 0;
  next(n) := k;
INVARSPEC NAME bounded := n < 3;
""")
    without = text.replace("  lower := low & n < 1;\n", "")
    assert [without] == fixed("nusmv", text, "unread-macro")
    assert [without.replace("  low := n < 2;\n", "")] == fixed("nusmv", without, "unread-macro")


def lustre(body: str, local: str = "") -> str:
    """Return a Lustre node with two properties."""
    return f"""\
node main(a : bool; n : int) returns (ok, more : bool);
var x : int; {local}
let
{body}  ok = x >= 0;
  more = x < 100 -> a;
  --%PROPERTY ok;
  --%PROPERTY more;
tel;
"""


def test_choices_and_operands_of_lustre() -> None:
    text = lustre("  x = if n > 0 and n < 0 then 1 else 2 + 3;\n")
    assert [text.replace("if n > 0 and n < 0 then 1 else 2 + 3", "2 + 3")] == fixed(
        "lustre", text, "MP1"
    )
    text = lustre("  x = 1 + (if n > 0 or n < 1 then 1 else 2);\n")
    assert [text.replace("if n > 0 or n < 1 then 1 else 2", "1")] == fixed("lustre", text, "MP2")
    text = lustre("  x = 1;\n  b = a and (n * n < 0);\n", "b : bool;")
    text = text.replace("-> a", "-> b or true")
    assert text.replace("n * n < 0", "false") in fixed("lustre", text, "constant-operand")
    text = lustre("  x = 0 -> if n > 0 then 0 else 0;\n")
    assert text.replace("0 -> if n > 0 then 0 else 0", "if n > 0 then 0 else 0") in fixed(
        "lustre", text, "idle-arrow"
    )
    text = lustre("  x = 1;\n  b = a;\n", "b : bool;")
    assert [text.replace("  b = a;\n", "").replace("var x : int; b : bool;", "var x : int; ")] == [
        one.replace("var x : int;\n", "var x : int; \n") for one in fixed("lustre", text, "MP8")
    ]


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        ("c = kept(if t then a else b)", "MP2"),
        ("c = if t then a else kept(b)", "MP2"),
        ("c = kept(a and (a or not a))", "constant-operand"),
        ("c = kept(a -> (a and t))", "idle-arrow"),
    ],
)
def test_no_fix_changes_which_calls_there_are(call: str, asked: str) -> None:
    text = f"""\
node kept(x : bool) returns (y : bool);
let
  y = pre x;
  --%PROPERTY y;
tel;
node main(a, b : bool) returns (p : bool);
var c, d, t : bool;
let
  t = b or true;
  {call};
  d = kept(a);
  p = c = d;
  --%PROPERTY p;
  --%MAIN;
tel;
"""
    found = [one for one in advised("lustre", text).advice if one.meta_property == asked]

    assert found
    assert [] == [offer for one in found for offer in offers("lustre", text, one)]


def removals(text: str, where: str) -> list[str]:
    """Return what is offered to be removed at a place of a Lustre text, with all cores known."""
    found = accepted_in("lustre", text)
    options = Options(level="paper")
    assert found.program is not None
    basis = reports.basis(found.program, options)
    events: list[Event] = []
    analyse(found, options, Memory(), events.append, cancelled=lambda: False)
    report = reports.started(reports.FileReport(), basis)
    report = reports.listed(report, Queries().listing("lustre", found, options))
    report = reports.merged(report, events)
    seen = Verdicts(Analysed(found, LANGUAGES["lustre"], reports.finished(report), basis))
    at = text.index(where)
    return [one.title for one in remove_unneeded.MAKER.offer(Selection(seen, Span(at, at)))]


@pytest.mark.parametrize(("stated", "offered"), [("", 1), ("  --%PROPERTY y;\n", 0)])
def test_no_call_is_removed_of_what_has_properties(stated: str, offered: int) -> None:
    text = f"""\
node tried(x : bool) returns (y : bool);
let
  y = x or not x;
{stated}tel;
node main(a : bool) returns (p : bool);
var c : bool;
let
  c = tried(a);
  p = a or not a;
  --%PROPERTY p;
  --%MAIN;
tel;
"""
    assert offered == len(removals(text, "c = tried"))


@pytest.mark.parametrize(("listed", "offered"), [("", 1), ("  --%IVC b;\n", 0)])
def test_only_what_cores_are_asked_about_is_said_to_be_unneeded(listed: str, offered: int) -> None:
    text = f"""\
node main(a : bool) returns (b : bool; p : bool);
var c : bool;
let
  c = not a;
  b = a;
  assert a;
  p = a;
{listed}  --%PROPERTY p;
  --%MAIN;
tel;
"""
    assert offered == len(removals(text, "c = not a"))
    assert removals(text, "assert") == []


REFUSED = {
    "a macro": """\
VAR p : boolean;
DEFINE d := case p : FALSE; TRUE : TRUE; esac;
INVAR d;
""",
    "a variable": """\
VAR p : boolean; n : 0..1;
ASSIGN n := case p : 1; TRUE : 0; esac;
INVAR n = 0;
""",
    "a constraint": """\
VAR p : boolean;
INIT !p;
TRANS case next(p) : FALSE; TRUE : TRUE; esac;
""",
    "a next value that reads another": """\
VAR p : boolean; q : boolean;
INIT !p & !q;
ASSIGN next(q) := case next(p) : TRUE; TRUE : q; esac;
TRANS !next(q);
""",
    "a next value that reads an input": """\
IVAR i : boolean;
VAR n : 0..1;
ASSIGN init(n) := 0; next(n) := case i : 1; TRUE : 0; esac;
TRANS next(n) = 0;
""",
    "an initial value": """\
FROZENVAR f : boolean;
VAR n : 0..1;
ASSIGN init(n) := case f : 1; TRUE : 0; esac; next(n) := n;
INIT n = 0;
""",
}
"""Models that have advice only because of the element that it is about."""


@pytest.mark.parametrize("name", REFUSED)
def test_no_fix_where_the_element_itself_makes_the_advice_true(name: str) -> None:
    text = model(REFUSED[name])
    found = [one for one in advised("nusmv", text).advice if one.meta_property == "MP1"]
    assert [AdviceStatus.FOUND] == [one.status for one in found]
    assert [] == offers("nusmv", text, found[0])


def test_no_fix_that_leaves_a_text_that_is_refused() -> None:
    text = model("""\
VAR n : 0..3; last : {off, on}; other : {off, stop};
ASSIGN
  init(n) := 0;
  next(n) := case n = 3 : 0; n = 2 : 0; TRUE : n + 1; esac;
DEFINE is_on := other = on;
INVARSPEC NAME never := !is_on;
""")
    found = {one.message: one for one in advised("nusmv", text).advice}
    assert [] == offers("nusmv", text, found["`n = 3` is never true"])
    (unused,) = [one for message, one in found.items() if "nothing assigns `last`" in message]
    assert [] == offers("nusmv", text, unused)  # it declares `on`


def test_no_fix_where_an_assertion_rests_on_the_equation() -> None:
    text = lustre("  x = if a then -1 else 0;\n  assert x >= 0;\n")
    (found,) = [one for one in advised("lustre", text).advice if one.meta_property == "MP1"]
    assert [] == offers("lustre", text, found)


def test_no_fix_where_another_mention_would_be_left_or_some_instance_differs() -> None:
    text = """\
MODULE sub(up)
VAR n : 0..1; unread : boolean;
ASSIGN init(n) := 0; next(n) := case up : 1; TRUE : n; esac;
MODULE main
VAR a : sub(TRUE); b : sub(FALSE); given : boolean; c : other(given);
INVARSPEC NAME one := a.n = 0 | b.n = 0;
MODULE other(unused)
VAR z : boolean;
INVARSPEC z | !z
"""
    found = advised("nusmv", text).advice
    about = {one.message: offers("nusmv", text, one) for one in found}
    (partly,) = [actions for message, actions in about.items() if "`up` is never true" in message]
    assert [] == partly
    (given,) = [actions for message, actions in about.items() if "`given`" in message]
    assert [] == given
    (unread,) = [actions for message, actions in about.items() if "`unread`" in message]
    assert 1 == len(unread)


@pytest.mark.parametrize("seed", range(40))
def test_fixes_of_random_models_keep_all_verdicts(seed: int) -> None:
    source = random.Random(seed)
    text = random_text(source)
    found = elaborated_in("nusmv", text)
    if found.program is None:
        return
    before = verdicts("nusmv", text)
    for advice in advised("nusmv", text, Budget(1_000_000, 4.0)).of(AdviceStatus.FOUND):
        for action in offers("nusmv", text, advice):
            after = edited(text, action.edits)
            assert before == verdicts("nusmv", after), (action.title, text, after)
