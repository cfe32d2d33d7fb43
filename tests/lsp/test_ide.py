"""Editor features as plain values, on findings that small models do not give."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.diagnostics import Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import (
    code_lenses,
    completion,
    hover,
    navigation,
    problems,
    symbols,
    traces,
)
from mutproof.ide import names as naming
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.languages.nusmv.traits import TRAITS
from mutproof.lsp import endings
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.model.sorts import WordSort
from mutproof.model.trace import Choices, Trace
from mutproof.runtime.jobs import JobOutcome
from mutproof.runtime.pool import Ending
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import Phase
from mutproof.workspace.snapshot import Snapshot

QUERIES = Queries()
PAPER = Options(level="paper")


@cache
def elaborated(text: str) -> Elaborated:
    found = QUERIES.elaborated("lustre", SourceText("model.lus", text))
    assert found.program is not None, found.diagnostics
    return found


def names(text: str) -> naming.Names:
    return naming.names(elaborated(text), LANGUAGES["lustre"])


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


def hovered(found: Verdicts, mark: str) -> str:
    return hover.hover(found, names(SMALL), SMALL.index(mark)).markdown


def shown_problems(found: Verdicts) -> list[tuple[str, str]]:
    drafts = problems.verdict_drafts(found)
    return [(p.severity.value, p.message) for p in (draft.worded() for draft in drafts)]


def test_the_hover_of_a_constant_has_its_value():
    text = f"const top : int = 3; const low = 1;\nconst many = {'9' * 41};\n{SMALL}"
    found = verdicts(text, proved())

    def shown(mark: str) -> str:
        return hover.hover(found, names(text), text.index(mark)).markdown

    assert shown("top") == "`top : int = 3` (constant)"
    assert shown("low") == "`low = 1` (constant)"
    assert shown("many") == "`many = …` (constant)"
    listed = {one.label: one.detail for one in completion.completions(names(text), 0)}
    assert [listed[name] for name in ("top", "low", "many")] == ["int = 3", "= 1", "= …"]


def test_the_hover_of_a_killed_mutant_has_its_step_and_no_other_number():
    killed = MutantFinding(GE, MutantStatus.KILLED, ("ok",), k=1, steps={"ok": 2}, how="replay")
    shown = hovered(verdicts(SMALL, proved(), killed), "> b")
    assert "| ok at step 2 | replay |" in shown
    stays = MutantFinding(GE, MutantStatus.SURVIVED, k=1, how="certificate")
    assert "| certificate, k=1 |" in hovered(verdicts(SMALL, proved(), stays), "> b")


@pytest.mark.parametrize(("depth", "steps"), [(1, "1 step"), (4, "4 steps")])
def test_an_unknown_mutant_is_neither_killed_nor_a_survivor(depth, steps):
    finding = MutantFinding(GE, MutantStatus.UNKNOWN, reason="time is up", depth=depth)
    found = verdicts(SMALL, proved(), finding)
    assert shown_problems(found) == [("information", "`>` → `>=` is not decided: time is up")]
    assert f"unknown: time is up (no violation in {steps})" in hovered(found, "> b")
    node = next(lens.title for lens in code_lenses.lenses(found) if lens.span.start == 5)
    assert "1 unknown" in node
    assert "survive" not in node


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


def test_what_a_finished_run_did_not_decide_is_not_shown_any_more():
    """A mutant that survived what was proved says nothing where nothing is proved now."""
    survived = MutantFinding(GE, MutantStatus.SURVIVED)
    before = verdicts(SMALL, proved(), survived).analysed.report
    assert [GE] == list(before.mutants)
    again = reports.started(before, reports.basis(elaborated(SMALL).program, Options(level="all")))
    assert [GE] == list(again.mutants)
    assert {} == reports.finished(again).mutants


@pytest.mark.parametrize("decided", [True, False])
def test_a_worker_out_of_memory_is_said_of_the_file_and_of_its_node(decided):
    text = "out of memory: more than 300 MiB"
    found = verdicts(SMALL, *([proved()] if decided else []), done=False)
    report = endings.after(
        Ending(JobOutcome.EXHAUSTED, text), found.analysed.report, is_cancelled=False
    )
    failed = Verdicts(replace(found.analysed, report=report))
    assert (Phase.FAILED, text) == (report.phase, report.message)
    (node,) = [lens for lens in code_lenses.lenses(failed) if lens.key == "component main"]
    assert node.title.startswith(f"broken off ({text}) · ")
    (broken,) = [p for p in problems.shown((), failed) if p.code == problems.BROKEN_OFF]
    assert text in broken.message
    nothing = reports.failed(reports.FileReport(), text)
    alone = Verdicts(replace(found.analysed, report=nothing))
    assert [f"broken off ({text})"] == [
        lens.title for lens in code_lenses.lenses(alone) if lens.key == "component main"
    ]


def test_what_else_kills_a_mutant_stays_open_with_the_reason_of_a_failed_run():
    killed = MutantFinding(LESS, MutantStatus.KILLED, ("ok",), {"ok": 0}, undecided=("x",))
    report = verdicts(SMALL, proved(), proved("x"), killed, done=False).analysed.report
    assert "no memory" == reports.failed(report, "no memory").mutants[LESS].finding.reason


def test_nothing_is_unneeded_while_a_core_is_not_known():
    assert verdicts(SMALL, proved(core=(X,), must=(X,)), proved("x")).unneeded == ()
    assert verdicts(SMALL, proved(core=(X,)), done=False).unneeded == ()


def test_a_property_lens_counts_core_and_kills():
    killed = MutantFinding(LESS, MutantStatus.KILLED, ("ok",), {"ok": 0})
    found = verdicts(SMALL, proved(core=(X,), must=(X,)), killed)
    at = SMALL.index("ok;")
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


def test_workspace_symbols_match_letters_in_order():
    found = symbols.symbols(names(SMALL), elaborated(SMALL).provenance)
    assert ("unused", "main") in [(s.label, o) for s, o in symbols.flattened(found, "uusd")]


def test_a_chain_of_parameters_and_a_module_that_holds_itself_are_followed():
    links = "".join(f"MODULE m{n}(p)\nVAR next_one : m{n + 1}(p);\n" for n in range(300))
    text = links + "MODULE m300(p)\nDEFINE d := p.x;\nMODULE t\nVAR x : boolean; again : t;\n"
    text += "MODULE main\nVAR s : t; a : m0(s);\n"
    meaning = QUERIES.elaborated("nusmv", SourceText("model.smv", text))
    found = naming.names(meaning, LANGUAGES["nusmv"])
    target = navigation.definition(found, text.index("p.x") + 2)
    assert target is not None
    assert text.index("x : boolean") == target.name.start


# --- traces -------------------------------------------------------------------------------------


def test_values_are_written_as_nusmv_reads_them():
    assert "TRUE" == traces.value_text(True, TRAITS)
    assert "-0sd4_3" == traces.value_text(-3, TRAITS, WordSort(4, True))
    assert "[0ud2_1, 0ud2_0]" == traces.value_text(
        (1, 0), TRAITS, traces.ArraySort(0, 1, WordSort(2))
    )


def test_a_number_of_ten_thousand_digits_is_shortened():
    assert traces.value_text(10**10_000) == "2^33219…"
    assert traces.value_text(-(10**10_000)).startswith("-2^")


def test_a_long_trace_is_cut_and_says_so():
    steps = tuple({"a": number} for number in range(100))
    text = traces.table(Trace(Choices(steps), steps, loop=3), None)
    assert "(70 more steps)" in text
    assert "(then again from step 3)" in text
