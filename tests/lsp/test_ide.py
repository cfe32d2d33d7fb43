"""Editor features as plain values, on small Lustre texts."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from mutproof.analyses.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.diagnostics import Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import (
    actions,
    code_lenses,
    completion,
    folding,
    hover,
    inlay_hints,
    navigation,
    problems,
    rename,
    semantic_tokens,
    symbols,
    traces,
)
from mutproof.ide import names as naming
from mutproof.ide.action import Action, Selection
from mutproof.ide.shown import ShowDiff
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices, Trace
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

QUERIES = Queries()
PAPER = Options(level="paper")
MODEL = """\
type mode = enum { off, on };
type pair = struct { low : int; high : int };
const limit = 3;

-- a counter
-- that stops
node count (step : bool) returns (n : int);
let
  n = 0 -> if step and pre n < limit then pre n + 1 else pre n;
tel;

node main (step : bool) returns (ok : bool);
var
  n, unused : int;
  m : mode;
  p : pair;
let
  n = count(step);
  unused = n + 1;
  m = if n > 0 then on else off;
  p = pair { low = n; high = n + 1 };
  ok = n >= 0 and p.low <= 3;
  --%PROPERTY ok;
  --%MAIN;
tel;
"""


@cache
def elaborated(text: str) -> Elaborated:
    found = QUERIES.elaborated("lustre", SourceText("model.lus", text))
    assert found.program is not None, found.diagnostics
    return found


def names(text: str = MODEL) -> naming.Names:
    return naming.names(elaborated(text), LANGUAGES["lustre"])


def offset(text: str, mark: str, *, number: int = 1) -> int:
    """Return the offset of the numbered occurrence of a mark."""
    found = -1
    for _ in range(number):
        found = text.index(mark, found + 1)
    return found


def verdicts(text: str, *events: object, done: bool = True, stale: bool = False) -> Verdicts:
    """Return the verdicts of a text after a run with the given events."""
    meaning = elaborated(text)
    language = QUERIES.languages["lustre"]
    snapshot = Snapshot("file:///m.lus", 1, meaning.parsed.source, language, PAPER)
    basis = reports.basis(meaning.program, PAPER)
    report = reports.started(reports.FileReport(), basis)
    report = reports.listed(report, QUERIES.listing("lustre", meaning, PAPER))
    report = reports.merged(report, events)
    report = reports.finished(report) if done else report
    if stale:
        snapshot = replace(snapshot, options=Options(level="all"))
    analysed = snapshot.with_elaborated(meaning).with_report(report).analysed
    return Verdicts(analysed)


def mutants(text: str, operator: str) -> list[str]:
    listing = QUERIES.listing("lustre", elaborated(text), PAPER)
    return [place.mutant for place in listing.mutants if place.operator == operator]


def proved(name: str = "ok", **more: object) -> PropertyFinding:
    return PropertyFinding(name, "main", name, PropertyVerdict.PROVED, k=1, engine="bmc", **more)


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mark", "number", "declaration"),
    [
        ("count(step)", 1, "count (step"),
        ("on else", 1, "on };"),
        ("limit then", 1, "limit = 3"),
        ("low = n", 1, "low : int"),
        ("low <= 3", 1, "low : int"),
        ("pair {", 1, "pair = struct"),
        ("mode;", 1, "mode = enum"),
    ],
)
def test_a_name_leads_to_its_declaration(mark, number, declaration):
    target = navigation.definition(names(), offset(MODEL, mark, number=number))
    assert offset(MODEL, declaration) == target.name.start


def test_equal_names_of_two_nodes_are_two_names():
    in_count = navigation.references(names(), offset(MODEL, "n = 0"), include_declaration=True)
    in_main = navigation.references(names(), offset(MODEL, "n = count"), include_declaration=True)
    assert not set(in_count) & set(in_main)
    assert [MODEL[span.start : span.end] for span in in_count] == ["n"] * 5
    without = navigation.references(names(), offset(MODEL, "n = 0"), include_declaration=False)
    assert len(without) == 4


def test_the_left_side_of_an_equation_is_a_write():
    found = navigation.highlights(names(), offset(MODEL, "n = count"))
    assert [h.is_write for h in found][:2] == [True, True]
    assert not any(h.is_write for h in found[2:])


def test_a_comment_has_no_names():
    assert navigation.definition(names(), offset(MODEL, "counter") + 1) is None


@pytest.mark.parametrize(
    ("new", "refusal"),
    [
        ("2x", "'2x' is no identifier"),
        ("node", "'node' is a keyword"),
        ("step", "'step' is declared already"),
        ("limit", "'limit' is declared already"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(new, refusal):
    assert rename.rename(names(), offset(MODEL, "n = count"), new).refusal == refusal


def test_renaming_touches_every_use_and_keeps_the_meaning():
    spans = rename.rename(names(), offset(MODEL, "count (step"), "tally").spans
    text = MODEL
    for span in reversed(spans):
        text = f"{text[: span.start]}tally{text[span.end :]}"
    assert len(spans) == 2
    assert "n = tally(step);" in text
    elaborated(text)


def test_completion_offers_what_is_visible():
    labels = {item.label for item in completion.completions(names(), offset(MODEL, "unused = n"))}
    assert {"n", "m", "p", "unused", "step", "count", "limit", "on", "mode", "if"} <= labels
    in_count = {item.label for item in completion.completions(names(), offset(MODEL, "n = 0"))}
    assert "unused" not in in_count


def test_the_outline_nests():
    found = symbols.symbols(names(), elaborated(MODEL).provenance)
    assert [symbol.label for symbol in found] == ["mode", "pair", "limit", "count", "main"]
    main = found[-1]
    assert {"step", "ok", "n", "unused"} <= {child.label for child in main.children}
    assert [child.label for child in main.children if child.is_property] == ["ok"]
    assert all(main.whole.covers(child.whole) for child in main.children)
    assert all(child.whole.covers(child.name) for child in main.children)


def test_workspace_symbols_match_letters_in_order():
    found = symbols.symbols(names(), elaborated(MODEL).provenance)
    assert ("unused", "main") in [(s.label, o) for s, o in symbols.flattened(found, "uusd")]


def test_comments_and_nodes_fold():
    found = folding.folds(elaborated(MODEL), LANGUAGES["lustre"])
    assert (4, 5, folding.FoldKind.COMMENT) in [(f.first, f.last, f.kind) for f in found]
    assert (6, 9, folding.FoldKind.REGION) in [(f.first, f.last, f.kind) for f in found]


def test_colours_tell_inputs_fields_and_properties():
    found = semantic_tokens.semantic_tokens(names(), elaborated(MODEL).provenance)
    kinds = {(MODEL[t.span.start : t.span.end], t.kind.value) for t in found}
    assert {
        ("step", "parameter"), ("low", "property"), ("on", "enumMember"), ("count", "function"),
        ("mode", "type"), ("limit", "variable"),
    } <= kinds  # fmt: skip
    assert [t.span for t in found] == sorted({t.span for t in found})
    stated = [t for t in found if semantic_tokens.Modifier.STATED in t.modifiers]
    assert {MODEL[t.span.start : t.span.end] for t in stated} == {"ok"}


# --- verdicts -----------------------------------------------------------------------------------

SMALL = """\
node main (a, b : int) returns (ok, x : bool);
var
  unused : int;
let
  x = a > b;
  unused = a + 1;
  ok = x or a <= b;
  --%PROPERTY ok;
tel;
"""
GE = mutants(SMALL, "g2ge")[0]
LESS = mutants(SMALL, "g2l")[0]
X = ElementId("main", "equation", "x")
UNUSED = ElementId("main", "equation", "unused")


def at_operator(found: Verdicts) -> str:
    at = offset(SMALL, "> b")
    return hover.hover(found, names(SMALL), at).markdown


def shown_problems(found: Verdicts) -> list[tuple[str, str]]:
    return [(p.severity.value, p.message) for p in problems.verdict_problems(found)]


def test_nothing_is_said_about_mutants_that_are_not_decided():
    found = verdicts(SMALL, done=False)
    assert shown_problems(found) == []
    assert "running" in at_operator(found)
    assert "survived" not in at_operator(found)
    titles = {lens.title for lens in code_lenses.lenses(found)}
    assert "proving…" in titles
    assert not any("killed" in title for title in titles)


@pytest.mark.parametrize(("depth", "steps"), [(1, "1 step"), (4, "4 steps")])
def test_an_unknown_mutant_is_neither_killed_nor_a_survivor(depth, steps):
    finding = MutantFinding(GE, MutantStatus.UNKNOWN, reason="time is up", depth=depth)
    found = verdicts(SMALL, proved(), finding)
    assert shown_problems(found) == [("information", "`>` → `>=` is not decided: time is up")]
    assert f"unknown: time is up (no violation in {steps})" in at_operator(found)
    node = next(lens.title for lens in code_lenses.lenses(found) if lens.span.start == 5)
    assert "1 unknown" in node
    assert "survive" not in node


def test_a_stale_verdict_says_so_everywhere():
    found = verdicts(SMALL, proved(), MutantFinding(GE, MutantStatus.SURVIVED), stale=True)
    assert shown_problems(found) == [
        (
            "warning",
            "`>` → `>=` survives: no proved property notices (stale: the model has changed since)",
        )
    ]
    assert "**survived** (stale)" in at_operator(found)
    titles = {lens.title for lens in code_lenses.lenses(found)}
    assert any(title.startswith("stale: proved") for title in titles)
    assert not any(title.startswith(("proved", "MUST", "score")) for title in titles)


@pytest.mark.parametrize(("depth", "steps"), [(1, "1 step"), (7, "7 steps")])
def test_an_unknown_property_is_not_proved(depth, steps):
    finding = PropertyFinding("ok", "main", "ok", PropertyVerdict.UNKNOWN, reason="r", depth=depth)
    found = verdicts(SMALL, finding)
    assert shown_problems(found) == [
        ("information", f"ok is not decided: r; no violation in {steps}")
    ]
    assert f"unknown: r · no violation in {steps}" in {
        lens.title for lens in code_lenses.lenses(found)
    }


def falsified() -> Verdicts:
    steps = ({"a": 1, "b": 2, "x": False, "unused": 2, "ok": False},)
    trace = Trace(Choices(({"a": 1, "b": 2},)), steps)
    finding = PropertyFinding("ok", "main", "ok", PropertyVerdict.FALSIFIED, k=1, trace=trace)
    return verdicts(SMALL, finding)


def test_a_falsified_property_is_an_error_with_its_values():
    found = falsified()
    assert shown_problems(found) == [
        ("error", "ok is falsified after 1 step: a = 1, b = 2, ok = false, x = false, …")
    ]
    text = hover.hover(found, names(SMALL), offset(SMALL, "x = a")).markdown
    assert "In the shown trace: false" in text
    lens = next(lens for lens in code_lenses.lenses(found) if lens.title.startswith("falsified"))
    assert "a           1" in lens.shown.text


def test_what_no_core_contains_is_unneeded_and_can_be_removed():
    found = verdicts(SMALL, proved(core=(X,), must=(X,)))
    (problem,) = problems.verdict_problems(found)
    assert (problem.severity, problem.unnecessary) == (Severity.HINT, True)
    assert problem.span == Span(offset(SMALL, "unused = a"), offset(SMALL, "a + 1;") + 6)
    action = only(found, "unused = a", "Remove")
    text = applied(SMALL, action)
    assert "unused" not in text
    elaborated(text)


def test_nothing_is_unneeded_while_a_core_is_not_known():
    assert verdicts(SMALL, proved(core=(X,), must=(X,)), proved("x")).unneeded == ()
    assert verdicts(SMALL, proved(core=(X,)), done=False).unneeded == ()


def test_a_property_lens_counts_core_and_kills():
    killed = MutantFinding(LESS, MutantStatus.KILLED, ("ok",), {"ok": 0})
    found = verdicts(SMALL, proved(core=(X,), must=(X,)), killed)
    at = offset(SMALL, "ok;", number=1)
    title = next(lens.title for lens in code_lenses.lenses(found) if lens.span.start >= at)
    total = len(found.mutants)
    assert title == f"proved (bmc, k=1) · core 1/2 (MUST 1) · kills 1/{total} so far"


def test_problems_are_capped_and_the_last_one_counts_the_rest():
    many = tuple(
        problems.Problem(Span(n, n + 1), Severity.WARNING, "g2ge", str(n)) for n in range(300)
    )
    error = problems.Problem(Span(400, 401), Severity.ERROR, "falsified", "")
    shown = problems.ranked((*many, error))
    assert len(shown) == 200
    assert shown[0] is error
    assert shown[-1].message.startswith("102 more findings")


def test_hints_in_the_line_count_kills():
    killed = MutantFinding(LESS, MutantStatus.KILLED, ("ok",), {"ok": 0})
    found = verdicts(SMALL, proved(), killed, MutantFinding(GE, MutantStatus.SURVIVED))
    hints = inlay_hints.inlay_hints(found, Span(0, len(SMALL)))
    assert [(h.offset, h.text) for h in hints] == [(offset(SMALL, "> b") + 1, "1/2")]


# --- actions ------------------------------------------------------------------------------------


def offered(found: Verdicts, mark: str) -> list[Action]:
    at = offset(found.analysed.source.content, mark)
    return list(actions.actions(Selection(found, Span(at, at))))


def only(found: Verdicts, mark: str, prefix: str) -> Action:
    (action,) = [a for a in offered(found, mark) if a.title.startswith(prefix)]
    return action


def applied(text: str, action: Action) -> str:
    for edit in sorted(action.edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def survived(text: str = SMALL, operator: str = "g2ge") -> Verdicts:
    findings = [MutantFinding(m, MutantStatus.SURVIVED) for m in mutants(text, operator)]
    return verdicts(text, proved(), *findings)


def test_nothing_is_offered_to_fix_what_is_killed():
    found = verdicts(SMALL, MutantFinding(GE, MutantStatus.KILLED, ("ok",)))
    assert not [a for a in offered(found, "> b") if "stub" in a.title or "Suppress" in a.title]


def test_a_stub_is_stated_as_a_property_under_a_fresh_name():
    text = SMALL.replace("unused", "x_is_as_stated")
    stubbed = applied(text, only(survived(text), "> b", "Insert a property stub"))
    assert "  x_is_as_stated_2 = x = (a > b);\n  --%PROPERTY x_is_as_stated_2;\n" in stubbed
    program = elaborated(stubbed).program
    assert [p.name for p in program.component("main").properties] == ["ok", "x_is_as_stated_2"]


def test_a_stub_without_locals_declares_some():
    text = "node main (a : int) returns (ok : bool; x : bool);\nlet\n  x = a > 1; ok = true;\n"
    text += "  --%PROPERTY ok;\ntel;\n"
    stubbed = applied(text, only(survived(text), "> 1", "Insert a property stub"))
    assert "\nvar\n  x_is_as_stated : bool;\nlet\n" in stubbed
    elaborated(stubbed)


def test_a_stub_for_an_unguarded_pre_leaves_the_first_step_open():
    text = SMALL.replace("x = a > b;", "x = pre a > b;")
    stubbed = applied(text, only(survived(text), "> b", "Insert a property stub"))
    assert "= true -> (x = (pre a > b));" in stubbed


def test_a_second_suppression_joins_the_first():
    once = applied(SMALL, only(survived(), "> b", "Suppress g2ge"))
    found = verdicts(once, proved(), MutantFinding(mutants(once, "g2l")[0], MutantStatus.SURVIVED))
    twice = applied(once, only(found, "> b", "Suppress g2l"))
    assert "  -- mutproof disable next-line g2ge, g2l: TODO" in twice
    assert twice.count("mutproof") == 1
    assert {"g2ge", "g2l"} == {
        verdicts(twice).by_id[mutant].record.operator for mutant in verdicts(twice).suppressed
    }


def test_a_mutant_is_shown_as_a_difference():
    action = only(survived(), "> b", "Show `>` → `>=`")
    assert isinstance(action.shown, ShowDiff)
    assert "x = a > b;" in action.shown.left
    assert "x = a >= b;" in action.shown.right


def test_an_applied_mutant_has_the_meaning_of_the_mutant():
    text = applied(SMALL, only(survived(), "> b", "Apply the mutant `>` → `>=`"))
    assert SMALL.replace("a > b", "a >= b") == text


# --- traces -------------------------------------------------------------------------------------


def test_a_number_of_ten_thousand_digits_is_shortened():
    assert traces.value_text(10**10_000) == "2^33219…"
    assert traces.value_text(-(10**10_000)).startswith("-2^")


def test_a_long_trace_is_cut_and_says_so():
    steps = tuple({"a": number} for number in range(100))
    text = traces.table(Trace(Choices(steps), steps, loop=3), None)
    assert "(70 more steps)" in text
    assert "(then back to step 3)" in text
