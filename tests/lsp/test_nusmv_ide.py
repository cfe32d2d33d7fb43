"""Editor features on NuSMV texts: modules, instances, parameters, processes; real verdicts."""

from __future__ import annotations

from functools import cache

import pytest

from mutproof.analyses.finding import MutantStatus, PropertyVerdict
from mutproof.base.text import SourceText
from mutproof.ide import (
    code_lenses,
    hover,
    problems,
    traces,
)
from mutproof.ide import names as naming
from mutproof.ide.action import Action, Selection
from mutproof.ide.actions import actions
from mutproof.ide.shown import ShowDiff, ShowText
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.languages.nusmv.traits import TRAITS
from mutproof.model.editing import TextEdit
from mutproof.model.language import Elaborated
from mutproof.model.sorts import WordSort
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

QUERIES = Queries()
MODEL = """\
MODULE cell(step, gate)
VAR
  v : 0..3;
  arr : array 0..1 of boolean;
ASSIGN
  init(v) := 0;
  next(v) := step ? (v + 1) mod 4 : v;
  init(arr[0]) := FALSE;
  arr[1] := gate.open;
DEFINE
  big := v > 2;
INVARSPEC NAME low := v < 4; -- of each cell

MODULE door
VAR
  open : boolean;

MODULE both
VAR
  one : cell(TRUE, way);
  way : door;
  w : unsigned word[3];
ASSIGN
  init(w) := 0ud3_0;
  next(w) := w + 0ud3_1;

MODULE main
VAR
  p : both;
  c : cell(p.one.big, p.way);
  mode : {on, off};
INVARSPEC NAME never := !(c.v = 1 & p.w = 0ud3_4);
"""


@cache
def elaborated(text: str) -> Elaborated:
    return QUERIES.elaborated("nusmv", SourceText("model.smv", text))


def names(text: str = MODEL) -> naming.Names:
    return naming.names(elaborated(text), LANGUAGES["nusmv"])


@cache
def verdicts(text: str, *, mutate: bool = True, operators: tuple[str, ...] = ()) -> Verdicts:
    """Return the verdicts of a text after a real run."""
    meaning = elaborated(text)
    assert meaning.program is not None, meaning.diagnostics
    options = Options(mutate=mutate, operators=operators)
    events: list[object] = []
    analyse(meaning, options, Memory(), events.append, lambda: False)
    language = QUERIES.languages["nusmv"]
    snapshot = Snapshot("file:///m.smv", 1, meaning.parsed.source, language, options)
    report = reports.started(reports.FileReport(), reports.basis(meaning.program, options))
    report = reports.listed(report, QUERIES.listing("nusmv", meaning, options))
    report = reports.finished(reports.merged(report, events))
    return Verdicts(snapshot.with_elaborated(meaning).with_report(report).analysed)


def offset(text: str, mark: str) -> int:
    """Return the offset of the place marked `^` in a mark, or of its first character."""
    before, caret, after = mark.partition("^")
    assert text.count(before + after) == 1, mark
    return text.index(before + after) + (len(before) if caret else 0)


def applied(text: str, edits: tuple[TextEdit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def hovered(found: Verdicts, mark: str) -> str:
    text = found.analysed.source.content
    shown = hover.hover(found, names(text), offset(text, mark))
    return "" if shown is None else shown.markdown


def offered(found: Verdicts, mark: str, prefix: str) -> Action:
    at = offset(found.analysed.source.content, mark)
    from_here = actions(Selection(found, naming.Span(at, at)))
    return next(action for action in from_here if action.title.startswith(prefix))


# --- stubs --------------------------------------------------------------------------------------

FRAME = """\
MODULE main
VAR
  x : 0..3;
  b : boolean;
{}
INVARSPEC NAME sane := x < 4
"""
USERS = """\
MODULE user(lock)
VAR
  state : {idle, busy};
ASSIGN
  init(state) := idle;
  next(state) := case lock : idle; TRUE : {idle, busy}; esac;
  next(lock) := state = busy;

MODULE main
VAR
  lock : boolean;
  one : process user(lock);
  two : process user(lock);
ASSIGN
  init(lock) := FALSE;
INVARSPEC NAME sane := lock | !lock
"""


@pytest.mark.parametrize(
    ("text", "mark", "stated"),
    [
        (
            FRAME.format("ASSIGN x := ^b ? 1 : 2;"),
            "x := ^b ? 1",
            ["INVARSPEC NAME x_is_as_stated := x = (b ? 1 : 2);"],
        ),
        (
            FRAME.format("ASSIGN x := ^case b : {1, 2}; TRUE : 0; esac;"),
            "x := ^case",
            ["INVARSPEC NAME x_is_as_stated := x in (case b : {1, 2}; TRUE : 0; esac);"],
        ),
        (
            FRAME.format("ASSIGN init(x) := ^1; -- first\n  next(x) := x;"),
            "init(x) := ^1",
            ["LTLSPEC NAME x_is_as_stated := x = (1);"],
        ),
        (
            FRAME.format("ASSIGN init( x ) := {1, ^2};"),
            "{1, ^2}",
            ["LTLSPEC NAME x_is_as_stated := x in ({1, 2});"],
        ),
        (
            FRAME.format("ASSIGN next(x) := b ? ^1 : (x + 1) mod 4;"),
            "b ? ^1",
            ["INVARSPEC NAME x_is_as_stated := next(x) = (b ? 1 : (x + 1) mod 4);"],
        ),
        (
            FRAME.format("ASSIGN next(x) := b ? {0, ^1} : x;"),
            "{0, ^1}",
            [
                "INVARSPEC NAME x_is_as_stated := next(x) in (b ? {0, 1} : x);",
                (
                    "CTLSPEC NAME x_can_be_all_stated := AG ((0 in (b ? {0, 1} : x) -> EX x = 0)"
                    " & (1 in (b ? {0, 1} : x) -> EX x = 1) & (2 in (b ? {0, 1} : x) -> EX x = 2)"
                    " & (3 in (b ? {0, 1} : x) -> EX x = 3));"
                ),
            ],
        ),
        (
            FRAME.format("DEFINE d := x ^> 1; -- above one"),
            "x ^> 1",
            ["INVARSPEC NAME d_is_as_stated := d = (x > 1);"],
        ),
        (
            FRAME.format("INVAR x = 1 ^-> b"),
            "x = 1 ^->",
            ["INVARSPEC NAME invar_is_as_stated := x = 1 -> b;"],
        ),
        (
            FRAME.format("TRANS next(x) = x ^| b"),
            "= x ^|",
            ["INVARSPEC NAME trans_is_as_stated := next(x) = x | b;"],
        ),
        (
            FRAME.format("INIT x = 1 ^& b;"),
            "x = 1 ^&",
            ["LTLSPEC NAME init_is_as_stated := x = 1 & b;"],
        ),
        (
            MODEL,
            "arr[1] := ^gate.open",
            ["INVARSPEC NAME arr_1_is_as_stated := arr[1] = (gate.open);"],
        ),
        (
            USERS,
            "{idle, ^busy}; esac",
            [
                (
                    "INVARSPEC NAME state_is_as_stated := running ->"
                    " next(state) in (case lock : idle; TRUE : {idle, busy}; esac);"
                ),
            ],
        ),
        (
            USERS,
            "next(lock) := state ^= busy",
            ["INVARSPEC NAME lock_is_as_stated := running -> next(lock) = (state = busy);"],
        ),
    ],
)
def test_a_stub_parses_in_place_is_proved_and_kills_a_survivor(text, mark, stated):
    text = text.replace("^", "")
    before = verdicts(text)
    action = offered(before, mark, "Insert a property stub")
    stubbed = applied(text, action.edits)
    lines = stubbed.splitlines()
    assert stated == [line for line in lines if line not in text.splitlines() and " := " in line]
    assert any(line.startswith("-- TODO stub by mutproof") for line in lines)
    assert () == elaborated(stubbed).diagnostics
    after = verdicts(stubbed)
    added = [prop for prop in after.properties if "_stated" in prop.name]
    assert len(stated) == len(added)
    assert {PropertyVerdict.PROVED} == {prop.verdict for prop in added}
    survivor = action.about
    assert before.by_id[survivor].status is MutantStatus.SURVIVED
    element = before.by_id[survivor].record.element
    survived = {
        name
        for name, mutant in before.by_id.items()
        if mutant.status is MutantStatus.SURVIVED and mutant.record.element == element
    }
    killed = {n for n in survived if after.by_id[n].status is MutantStatus.KILLED}
    assert killed
    others = {n: m.status for n, m in before.by_id.items() if n not in survived}
    assert others == {n: m.status for n, m in after.by_id.items() if n not in survived}


def test_a_stub_has_a_fresh_name_and_stands_in_the_module_of_its_element():
    text = MODEL.replace("never", "v_is_as_stated")
    action = offered(verdicts(text), "next(v) := step ^?", "Insert a property stub for next(v)")
    (edit,) = action.edits
    assert "INVARSPEC NAME v_is_as_stated_2 := next(v) = " in edit.text
    assert text[: edit.span.start].endswith("low := v < 4; -- of each cell\n")


def test_what_a_stub_cannot_notice_is_said():
    action = offered(verdicts(USERS), "{idle, ^busy}; esac", "Insert a property stub")
    assert "not what it takes away" in action.edits[0].text


def test_a_choice_of_all_values_is_stated_as_what_can_come_only():
    text = FRAME.format("ASSIGN\n  init(b) := {TRUE, FALSE};\n  next(b) := {FALSE, TRUE};")
    (edit,) = offered(verdicts(text), "{^FALSE, TRUE}", "Insert a property stub").edits
    assert "CTLSPEC NAME b_can_be_all_stated := AG (" in edit.text
    assert "INVARSPEC" not in edit.text
    assert "takes away" not in edit.text
    with pytest.raises(StopIteration):
        offered(verdicts(text), "{^TRUE, FALSE}", "Insert a property stub")


def test_no_stub_speaks_of_branches_where_the_states_are_infinitely_many():
    text = FRAME.format("  n : integer;\nASSIGN next(x) := n > 0 ? {0, 1} : x;")
    (edit,) = offered(verdicts(text), "{^0, 1}", "Insert a property stub").edits
    assert "INVARSPEC NAME x_is_as_stated := next(x) in (n > 0 ? {0, 1} : x);" in edit.text
    assert "CTLSPEC" not in edit.text


def test_a_choice_of_macros_has_no_stub():
    text = FRAME.format("DEFINE d := {0, 1};\nASSIGN next(x) := d;")
    found = verdicts(text)
    at = offset(text, "{0, ^1}")
    titles = [a.title for a in actions(Selection(found, naming.Span(at, at)))]
    assert any(title.startswith("Suppress") for title in titles)
    assert not any("stub" in title for title in titles)


def test_a_suppressed_mutant_is_no_survivor():
    found = verdicts(MODEL)
    action = offered(found, "next(v) := step ? (v ^+", "Suppress MOR")
    text = applied(MODEL, action.edits)
    assert "  -- mutproof disable next-line MOR: TODO" in text
    ignored = [m for m in verdicts(text).mutants if m.status is MutantStatus.IGNORED]
    assert {"MOR"} == {m.record.operator for m in ignored}
    assert 1 <= len(ignored)


def test_a_mutant_is_shown_and_applied_in_its_module():
    found = verdicts(MODEL)
    shown = offered(found, "v ^> 2", "Show `>` → `>=` as a difference").shown
    assert isinstance(shown, ShowDiff)
    assert shown.left.startswith("MODULE cell(")
    assert "big := v >= 2;" in shown.right
    change = offered(found, "v ^> 2", "Apply the mutant `>` → `>=`")
    assert MODEL.replace("v > 2", "v >= 2") == applied(MODEL, change.edits)


def test_what_no_proof_needs_is_removed_without_a_trace_unless_something_names_it():
    text = FRAME.format("DEFINE d := x > 1;\n  e := d;\nASSIGN\n  next(b) := e;")
    found = verdicts(text)
    messages = [p.message for p in problems.verdict_problems(found) if p.unnecessary]
    assert [
        "no proof needs the definition of d",
        "no proof needs the definition of e",
        "no proof needs the assignment to next(b)",
    ] == messages
    removed = applied(text, offered(found, "next(b) :=", "Remove next(b)").edits)
    assert "next(b)" not in removed
    assert () == elaborated(removed).diagnostics
    with pytest.raises(StopIteration):
        offered(found, "d := x", "Remove")


# --- verdicts -----------------------------------------------------------------------------------


def test_a_property_of_a_module_has_one_lens_and_one_verdict():
    found = verdicts(MODEL)
    assert ["low", "never"] == [prop.name for prop in found.properties]
    assert ["c.low", "p.one.low"] == sorted(f.name for f in found.properties[0].findings)
    titles = [lens.title for lens in code_lenses.lenses(found)]
    assert 1 == sum(title.startswith("proved") for title in titles)
    assert 1 == sum(title.startswith("falsified") for title in titles)


def test_each_module_has_a_score_of_its_own_mutants():
    found = verdicts(MODEL)
    lenses = {lens.span.start: lens.title for lens in code_lenses.lenses(found)}
    assert lenses[offset(MODEL, "MODULE ^cell")].startswith("score ")
    assert lenses[offset(MODEL, "MODULE ^both")].startswith("score ")
    counts = {m.record.element.component for m in found.mutants}
    assert {"cell", "both"} == counts


def test_a_falsified_property_shows_values_as_nusmv_writes_them():
    found = verdicts(MODEL, mutate=False)
    (problem,) = [p for p in problems.verdict_problems(found) if p.code == "falsified"]
    assert "never is falsified after" in problem.message
    text = hovered(found, "NAME ^never")
    assert "FALSE" in text
    assert "0ud3_4" in text
    assert "p.one.arr[0]" in text
    shown = offered(found, "NAME ^never", "Show the trace that falsifies never").shown
    assert isinstance(shown, ShowText)
    assert "true" not in shown.text


def test_a_name_of_a_module_has_its_values_in_every_instance():
    found = verdicts(MODEL, mutate=False)
    text = hovered(found, "  ^v : 0..3")
    assert "`v : 0..3` (state variable)" in text
    assert "- `p.one.v`: 0, 1, 2, 3, " in text
    assert "- `c.v`: 0, 0, 0, 0, " in text
    assert "`step := TRUE or p.one.big` (parameter)" in hovered(found, "cell(^step")
    assert "`big := v > 2` (macro)" in hovered(found, "c : cell(p.one.^big")
    assert "0ud3_0, 0ud3_1, 0ud3_2" in hovered(found, "  ^w : unsigned")


def test_a_lasso_says_where_it_goes_back_to():
    text = FRAME.format("ASSIGN next(x) := x;\nLTLSPEC NAME moves := F x = 3")
    found = verdicts(text, mutate=False)
    shown = offered(found, "NAME ^moves", "Show the trace").shown
    assert isinstance(shown, ShowText)
    assert "(then back to step " in shown.text


def test_a_path_that_a_property_asks_for_is_its_witness():
    text = FRAME.format("ASSIGN init(b) := FALSE;\nCTLSPEC NAME rises := EF b")
    found = verdicts(text, mutate=False)
    shown = offered(found, "NAME ^rises", "Show the witness of rises").shown
    assert isinstance(shown, ShowText)
    assert "TRUE" in shown.text
    assert "In the shown trace: FALSE" in hovered(found, "  ^b : boolean")


def test_values_are_written_as_nusmv_reads_them():
    assert "TRUE" == traces.value_text(True, TRAITS)
    assert "-0sd4_3" == traces.value_text(-3, TRAITS, WordSort(4, True))
    assert "[0ud2_1, 0ud2_0]" == traces.value_text(
        (1, 0), TRAITS, traces.ArraySort(0, 1, WordSort(2))
    )
