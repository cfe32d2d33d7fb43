"""Equivalent survivors, gaps and cores in the editor: as values, and from a server."""

from __future__ import annotations

from dataclasses import replace

import pytest
from clients import started
from lsprotocol import types
from test_ide import (
    GE,
    LESS,
    SMALL,
    UNUSED,
    X,
    elaborated,
    names,
    offered,
    offset,
    proved,
    shown_problems,
    verdicts,
)

from mutproof.analyses.equivalence.finding import Equivalence, EquivalenceStatus
from mutproof.analyses.finding import (
    CoresFinding,
    ModelFault,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
)
from mutproof.base.digest import Digest
from mutproof.base.text import SourceText
from mutproof.ide import code_lenses, hover, problems, survivors
from mutproof.ide.placed import tally
from mutproof.ide.shown import ShowText
from mutproof.ide.verdicts import Verdicts
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices, Trace
from mutproof.runtime import messages
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Progress
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries

EQUIVALENT = Equivalence(
    EquivalenceStatus.EQUIVALENT, "outputs", "k-induction", ("intervals",), k=2
)
UNDETERMINED = Equivalence(
    EquivalenceStatus.UNDETERMINED, "outputs", reason="the budget is used up", depth=7
)


def executed(*values: tuple[int, int, bool]) -> Trace:
    steps = tuple({"a": a, "b": b, "x": x, "ok": True} for a, b, x in values)
    return Trace(Choices(tuple({"a": a, "b": b} for a, b, _ in values)), steps)


GAP = Equivalence(
    EquivalenceStatus.GAP,
    "outputs",
    "bmc",
    step=1,
    shortest=True,
    differing=("x",),
    model=executed((2, 1, True), (3, 3, False)),
    mutant=executed((2, 1, True), (3, 3, True)),
)
ALONE = Equivalence(
    EquivalenceStatus.GAP,
    "all variables",
    "bmc",
    step=1,
    shortest=True,
    allowed="mutant",
    model=executed((2, 1, True)),
    mutant=executed((2, 1, True), (3, 3, False)),
)


def survivor(known: Equivalence | None, mutant: str = GE) -> MutantFinding:
    return MutantFinding(mutant, MutantStatus.SURVIVED, equivalence=known)


def titles(found: Verdicts) -> set[str]:
    return {lens.title for lens in code_lenses.lenses(found)}


def hovered(found: Verdicts, mark: str) -> str:
    return hover.hover(found, names(SMALL), offset(SMALL, mark)).markdown


# --- survivors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "severity", "message"),
    [
        (None, "warning", "`>` → `>=` survives: no proved property notices"),
        (
            EQUIVALENT,
            "hint",
            "`>` → `>=` is equivalent on outputs: k-induction with intervals, k = 2",
        ),
        (
            GAP,
            "warning",
            "`>` → `>=` survives: no proved property notices (first differs at step 1)",
        ),
        (
            ALONE,
            "warning",
            "`>` → `>=` survives: no proved property notices (only the mutant allows step 1)",
        ),
        (
            UNDETERMINED,
            "warning",
            (
                "`>` → `>=` survives: no proved property notices; not known whether it makes a"
                " difference (the budget is used up, no difference in 7 steps)"
            ),
        ),
        (
            replace(UNDETERMINED, depth=0),
            "warning",
            (
                "`>` → `>=` survives: no proved property notices; not known whether it makes a"
                " difference (the budget is used up)"
            ),
        ),
    ],
)
def test_a_survivor_says_what_is_known_of_it(known, severity, message):
    found = verdicts(SMALL, proved(), survivor(known))
    assert shown_problems(found) == [(severity, message)]
    stale = verdicts(SMALL, proved(), survivor(known), stale=True)
    assert shown_problems(stale) == [(severity, f"{message} (stale: the model has changed since)")]


def test_a_difference_is_called_the_first_only_where_none_is_shorter():
    longer = Equivalence(EquivalenceStatus.GAP, "outputs", "simulation", step=9, model=GAP.model)
    assert survivors.difference(longer) == "differs at step 9"


def test_the_score_leaves_equivalent_mutants_out_and_only_these():
    killed = MutantFinding(LESS, MutantStatus.KILLED, ("ok",), {"ok": 0})
    unknown = MutantFinding(GE, MutantStatus.UNKNOWN)
    for finding, score in (
        (survivor(None), 0.5),
        (survivor(EQUIVALENT), 1.0),
        (survivor(GAP), 0.5),
        (survivor(UNDETERMINED), 0.5),
        (unknown, 0.5),
    ):
        placed = verdicts(SMALL, proved(), killed, finding).by_id
        counted = tally([placed[GE], placed[LESS]])
        assert counted.score == score, finding
        assert counted.total == round(1 / score)


def test_a_lens_counts_gaps_equivalent_and_undetermined_apart():
    operators = [m.record.mutant for m in verdicts(SMALL).by_element[X]]
    known = [EQUIVALENT, GAP, GAP, UNDETERMINED, None]
    findings = [survivor(k, name) for k, name in zip(known, operators, strict=False)]
    killed = [MutantFinding(n, MutantStatus.KILLED, ("ok",)) for n in operators[len(known) :]]
    found = verdicts(SMALL, proved(), *findings, *killed)
    total = len(operators) - 1
    text = f"{len(killed)}/{total} killed · 2 gaps · 1 survives · 1 undetermined · 1 equivalent"
    (lens,) = [lens for lens in code_lenses.lenses(found) if text == lens.title]
    labels = [place.label for place in lens.shown.places]
    assert len(labels) == 4
    assert sum(label.endswith(" first differs at step 1") for label in labels) == 2


def test_a_hover_tells_equivalent_from_gap():
    text = hovered(verdicts(SMALL, proved(), survivor(EQUIVALENT)), "> b")
    assert "| survived: equivalent on outputs (k-induction with intervals, k = 2) |" in text
    text = hovered(verdicts(SMALL, proved(), survivor(GAP)), "> b")
    assert "| **survived**: a gap, x: first differs at step 1 |" in text


def test_what_is_known_of_a_mutant_that_is_not_a_survivor_is_not_shown():
    killed = MutantFinding(GE, MutantStatus.KILLED, ("ok",), equivalence=EQUIVALENT)
    found = verdicts(SMALL, proved(), killed)
    assert shown_problems(found) == []
    assert "equivalent" not in hovered(found, "> b")


def test_no_property_is_offered_for_what_no_property_can_kill():
    def stubs(known: Equivalence | None) -> list[str]:
        found = verdicts(SMALL, proved(), survivor(known))
        return [a.title for a in offered(found, "> b") if "stub" in a.title]

    assert stubs(EQUIVALENT) == []
    assert len(stubs(GAP)) == len(stubs(None)) == 1


# --- model beside mutant ------------------------------------------------------------------------


def shown(known: Equivalence, *, stale: bool = False) -> list[ShowText]:
    found = verdicts(SMALL, proved(), survivor(known), stale=stale)
    return [
        action.shown
        for action in offered(found, "> b")
        if action.title == "Show distinguishing trace of `>` → `>=`"
    ]


def test_both_values_are_shown_where_model_and_mutant_differ():
    (text,) = shown(GAP)
    assert text.title == "x: `>` → `>=`, model beside mutant"
    assert text.text.splitlines() == [
        "x: first differs at step 1; compared: outputs",
        "step             0      1",
        "a                2      3",
        "b                1      3",
        "x     model   true  false",
        "      mutant     =   true",
        "ok            true   true",
        "(=: as in the model)",
    ]


def test_a_step_that_one_side_alone_allows_is_shown_once():
    (text,) = shown(ALONE)
    assert text.text.splitlines() == [
        "only the mutant allows step 1; compared: all variables",
        "step             0       1",
        "allowed by    both  mutant",
        "a                2       3",
        "b                1       3",
        "ok            true    true",
        "x             true   false",
    ]


def test_what_differs_late_is_in_the_table():
    left = executed(*[(n, n, False) for n in range(100)])
    right = executed(*[(n, n, n == 99) for n in range(100)])
    late = Equivalence(
        EquivalenceStatus.GAP, "outputs", step=99, differing=("x",), model=left, mutant=right
    )
    lines = survivors.beside(late, elaborated(SMALL).program).splitlines()
    assert lines[1] == "(70 steps before these)"
    assert lines[2].split()[:2] == ["step", "70"]
    assert [line.split()[-1] for line in lines[2:7]] == ["99", "99", "99", "false", "true"]


def test_a_stale_difference_says_so():
    (text,) = shown(GAP, stale=True)
    assert text.text.startswith("stale: the model has changed since\n")


def test_where_nothing_differs_there_is_nothing_to_show():
    assert shown(EQUIVALENT) == shown(UNDETERMINED) == []


# --- cores --------------------------------------------------------------------------------------


def cored(name: str, *cores: tuple[ElementId, ...], complete: bool = True) -> PropertyFinding:
    must = tuple(e for e in cores[0] if all(e in core for core in cores))
    may = tuple(dict.fromkeys(e for core in cores for e in core if e not in must))
    found = CoresFinding(
        cores, must, may, complete, minimal=True, smallest=complete, reason="time is up"
    )
    return proved(name, core=cores[0], must=must, cores=found)


TWO = SMALL.replace("(ok, x", "(ok, fine, x").replace(
    "  --%PROPERTY ok;", "  fine = x or not x;\n  --%PROPERTY ok;\n  --%PROPERTY fine;"
)


def test_elements_say_whose_must_and_may_they_are():
    found = verdicts(TWO, cored("ok", (X,), (UNUSED,)), cored("fine", (X,)))
    assert any(title.startswith("MUST of fine · MAY of ok · ") for title in titles(found))
    assert any(title.startswith("MAY of ok · ") for title in titles(found))
    assert any("core 1/2 (MUST 0, MAY 2) · " in title for title in titles(found))
    assert any("core 1/2 (MUST 1, MAY 0) · " in title for title in titles(found))


def test_an_incomplete_search_never_says_may():
    found = verdicts(SMALL, cored("ok", (X,), (UNUSED,), complete=False))
    assert not any("MAY of" in title for title in titles(found))
    assert any(title.startswith("core of ok") for title in titles(found))
    assert any("(MUST 0, MAY 2, incomplete)" in title for title in titles(found))
    assert "2 minimal cores (incomplete: time is up)" in hovered(found, "ok;")


def test_what_is_in_some_core_is_not_called_unneeded():
    assert verdicts(SMALL, proved(core=(X,), must=(X,))).unneeded == (UNUSED,)
    assert verdicts(SMALL, cored("ok", (X,), (UNUSED,))).unneeded == ()


def test_a_hover_lists_the_cores():
    at = "ok;"
    text = hovered(verdicts(SMALL, cored("ok", (X,), (X, UNUSED))), at)
    assert "2 minimal cores (complete); bold: in every core." in text
    assert "- **x**\n- **x**, unused" in text


# --- the model as a whole -----------------------------------------------------------------------


def test_a_property_that_could_not_fail_is_no_proof_to_rely_on():
    found = verdicts(SMALL, proved(vacuity="no state can be reached"))
    assert shown_problems(found) == [("warning", "ok holds vacuously: no state can be reached")]
    assert "holds vacuously: no state can be reached" in titles(found)
    assert not any(title.startswith("proved") for title in titles(found))


@pytest.mark.parametrize("fault", [ModelFault.DEAD_END, ModelFault.NO_INITIAL_STATE])
def test_a_fault_of_the_model_warns_at_the_main_component(fault):
    found = verdicts(SMALL, ModelFinding(fault, "after step 1 there is no next state"))
    assert shown_problems(found) == [("warning", "after step 1 there is no next state")]


INDEXED = """\
node main (a : int[2]; i : int) returns (ok : bool);
let
  ok = a[i] = a[i];
  --%PROPERTY ok;
tel;
"""


def test_a_trap_warns_at_its_subterm_and_shows_its_execution():
    events = []
    analyse(elaborated(INDEXED), Options(), Memory(), events.append, lambda: False)
    told = [one for one in events if isinstance(one, ModelFinding)]
    crossed = [messages.CODEC.decode(messages.CODEC.encode(one)) for one in told]
    found = verdicts(INDEXED, *crossed)

    assert told == crossed
    marked = offset(INDEXED, "i] =")
    assert (marked, marked + 1) in [
        (one.span.start, one.span.end)
        for one in problems.verdict_problems(found)
        if one.code == "out-of-bounds"
    ]
    (action,) = [
        a for a in offered(found, "i] =") if a.title == "Show the execution: out-of-bounds"
    ]
    assert isinstance(action.shown, ShowText)
    assert "\ni      " in action.shown.text


# --- when they are told -------------------------------------------------------------------------

MASKED = """\
node main (a, b : int) returns (ok : bool; y : int);
var
  big : bool;
let
  big = a > b;
  y = if big then a else b;
  ok = y >= b;
  --%PROPERTY ok;
tel;
"""


def test_survivors_are_told_at_once_and_refined_after_all_else():
    meaning = Queries().elaborated("lustre", SourceText("masked.lus", MASKED))
    events: list[object] = []
    analyse(meaning, Options(equivalence="outputs"), Memory(), events.append, lambda: False)
    told = [e for e in events if isinstance(e, MutantFinding)]
    first = {e.mutant: e for e in reversed(told)}
    last = {e.mutant: e for e in told}
    survived = [e for e in first.values() if e.status is MutantStatus.SURVIVED]
    assert survived
    assert all(e.equivalence is None for e in first.values())
    assert all(last[e.mutant].equivalence is not None for e in survived)
    refined = [events.index(e) for e in told if e.equivalence is not None]
    before = [
        index
        for index, e in enumerate(events)
        if isinstance(e, PropertyFinding | MutantFinding)
        and getattr(e, "equivalence", None) is None
    ]
    assert max(before) < min(refined)


@pytest.mark.parametrize("patience", [0, 1, 2, 5])
def test_a_run_given_up_among_survivors_spoils_nothing_for_the_next(patience):
    meaning = Queries().elaborated("lustre", SourceText("masked.lus", MASKED))
    options, memory = Options(equivalence="outputs"), Memory()
    asked = [0]

    def emit(event: object) -> None:
        if isinstance(event, Progress) and event.stage == "equivalence":
            asked[0] += 1

    def cancelled() -> bool:
        asked[0] += asked[0] > 0
        return asked[0] > patience + 1

    with pytest.raises(Cancelled):
        analyse(meaning, options, memory, emit, cancelled)
    known = [
        {m.mutant: (m.status, m.equivalence.status if m.equivalence else None) for m in found}
        for found in (
            analyse(meaning, options, kept, lambda _: None, lambda: False).mutants
            for kept in (memory, Memory())
        )
    ]
    assert known[0] == known[1]


def test_a_survivor_keeps_what_is_known_only_while_the_same_is_asked():
    one, other = Digest(b"1"), Digest(b"2")
    report = reports.merged(reports.started(reports.FileReport(), one), [survivor(GAP)])
    again = reports.merged(reports.started(report, one), [survivor(None)])
    assert again.mutants[GE].finding.equivalence == GAP
    changed = reports.merged(reports.started(report, other), [survivor(None)])
    assert changed.mutants[GE].finding.equivalence is None
    killed = MutantFinding(GE, MutantStatus.KILLED, ("ok",))
    assert reports.merged(report, [killed]).mutants[GE].finding.equivalence is None


# --- a server -----------------------------------------------------------------------------------

URI = "file:///work/masked.lus"


async def test_an_editor_sees_hints_warnings_and_both_executions():
    async with started() as client:
        client.open(URI, MASKED)
        await client.done(URI)
        assert client.counts[-1]["equivalent"] > 0
        at_operator = [d for d in client.shown(URI) if d.range.start == types.Position(4, 10)]
        by_operator = {d.code: d for d in at_operator}
        ge = by_operator["g2ge"]
        assert ge.severity == types.DiagnosticSeverity.Hint
        assert ge.message.startswith("`>` → `>=` is equivalent on outputs: ")
        gaps = [d for d in client.shown(URI) if "first differs at step 0" in d.message]
        assert gaps
        assert all(d.severity == types.DiagnosticSeverity.Warning for d in gaps)
        place = gaps[0].range.start
        actions = await client.actions(URI, place.line, place.character)
        found = [a for a in actions if a.title.startswith("Show distinguishing trace of ")]
        command = str(found[0].command)  # the client's library reads it as text
        assert "mutproof.showText" in command
        assert "model beside mutant" in command
        assert "first differs at step 0; compared: outputs" in command


async def test_a_setting_leaves_survivors_as_they_are():
    async with started(equivalence="off") as client:
        client.open(URI, MASKED)
        await client.done(URI)
        told = [d for d in client.shown(URI) if d.data and d.code == "g2ge"]
        assert [(d.severity, d.message) for d in told] == [
            (
                types.DiagnosticSeverity.Warning,
                "`>` → `>=` survives: no proved property notices",
            )
        ]
