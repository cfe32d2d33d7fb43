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
    hovered,
    proved,
    shown_problems,
    verdicts,
)

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import (
    CoresFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
)
from mutproof.base.digest import Digest
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import actions, code_lenses, survivors
from mutproof.ide.action import Selection
from mutproof.ide.placed import tally
from mutproof.model.trace import Choices, Trace
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Progress
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from support.reading import analysed

EQUIVALENT = Equivalence(
    EquivalenceStatus.EQUIVALENT, "outputs", "k-induction", ("intervals",), k=2
)
UNDETERMINED = Equivalence(
    EquivalenceStatus.UNDETERMINED, "outputs", reason="the budget is used up", depth=7
)

UNKNOWN_WORTH = "; not known whether it makes a difference"


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


# --- survivors ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (ALONE, " (only the mutant allows step 1)"),
        (
            replace(ALONE, allowed="model", restricts=True, model=ALONE.mutant),
            ", and no property of all executions can (a restriction: only the model allows step 1)",
        ),
        (UNDETERMINED, f"{UNKNOWN_WORTH} (the budget is used up, no difference in 7 steps)"),
        (replace(UNDETERMINED, depth=0), f"{UNKNOWN_WORTH} (the budget is used up)"),
    ],
)
def test_a_survivor_says_what_is_known_of_it(known, message):
    message = f"`>` → `>=` survives: no proved property notices{message}"
    found = verdicts(SMALL, proved(), survivor(known))
    assert shown_problems(found) == [("warning", message)]
    stale = verdicts(SMALL, proved(), survivor(known), stale=True)
    assert shown_problems(stale) == [("warning", f"{message} (stale: the model has changed since)")]
    at = SMALL.index("> b")
    titles = [action.title for action in actions.actions(Selection(found, Span(at, at)))]
    is_gap = known.status is EquivalenceStatus.GAP
    assert is_gap == ("Show distinguishing trace of `>` → `>=`" in titles)


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


def test_what_is_known_of_a_mutant_that_is_not_a_survivor_is_not_shown():
    killed = MutantFinding(GE, MutantStatus.KILLED, ("ok",), equivalence=EQUIVALENT)
    found = verdicts(SMALL, proved(), killed)
    assert shown_problems(found) == []
    assert "equivalent" not in hovered(found, "> b")


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


# --- cores --------------------------------------------------------------------------------------


def test_an_incomplete_search_never_says_may():
    cores = CoresFinding(
        ((X,), (UNUSED,)), (), (X, UNUSED), complete=False, minimal=True, smallest=False, reason="r"
    )
    found = verdicts(SMALL, proved("ok", core=(X,), must=(), cores=cores))
    titles = [lens.title for lens in code_lenses.lenses(found)]
    assert not any("MAY of" in title for title in titles)
    assert any(title.startswith("core of ok") for title in titles)
    assert any("(MUST 0, MAY 2, incomplete)" in title for title in titles)
    assert "2 minimal cores (incomplete: r)" in hovered(found, "ok;")


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
    analyse(
        meaning, Options(equivalence="outputs"), Memory(), events.append, cancelled=lambda: False
    )
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
        analyse(meaning, options, memory, emit, cancelled=cancelled)
    known = [
        {m.mutant: (m.status, m.equivalence.status if m.equivalence else None) for m in found}
        for found in (analysed(meaning, options, kept).mutants for kept in (memory, Memory()))
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
