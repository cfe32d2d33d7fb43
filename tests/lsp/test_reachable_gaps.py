"""However many survive, a screen stays readable, and every survivor can be reached by a click."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import actions, code_lenses, problems
from mutproof.ide.action import Selection
from mutproof.ide.problems import Problem
from mutproof.ide.shown import ShowPlaces
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.model.trace import Choices, Trace
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

EXAMPLES = Path(__file__).parents[2] / "examples"
LEVEL = Options(level="all")
LINES, MOST_ON_LINES, MOST_ENTRIES = 50, 25, 8
OVEN = """\
-- An oven that heats while its door is shut: a clock in digits, keys, and a mode.
node oven(start, clear, shut: bool; digit: int) returns (heats: bool; left, tens, ones: int);
var
  was, before: int;
  mode: int;
  entered: bool;
  ok1, ok2, ok3: bool;
let
  entered = digit >= 0 and digit <= 9;
  was = 0 -> pre mode;
  before = 0 -> pre left;
  mode =
    if was = 0 then (if start and left > 0 then (if shut then 1 else 2) else 0)
    else if was = 1 then (if left = 0 then 0 else if clear or not shut then 2 else 1)
    else if clear then 0
    else if start and shut then 1
    else 2;
  tens = if mode = 1 then before / 10 else if entered then ones / 10 else 0;
  ones = if entered and mode = 0 then digit + 10 * (0 -> pre ones) else 0 -> pre ones;
  left = if was = 1 and before > 0 then before - 1 else if mode = 0 then ones else before;
  heats = mode = 1;
  ok1 = heats => shut;
  ok2 = not heats or mode > 0;
  ok3 = left >= 0 or tens < ones;
  --%PROPERTY ok1;
  --%PROPERTY ok2;
  --%PROPERTY ok3;
tel;
""".replace(" / 10", " div 10")
MODELS = {
    "oven.lus": OVEN,
    **{
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(EXAMPLES.iterdir())
        if path.suffix in {".lus", ".smv"}
    },
}


def survived(name: str, text: str, known: Equivalence | None = None) -> Verdicts:
    """Return the verdicts of a model of which every mutant survives."""
    queries, source = Queries(), SourceText(name, text)
    (language,) = [one for one in LANGUAGES if Path(name).suffix in one.suffixes]
    meaning = queries.elaborated(language.name, source)
    program = meaning.program
    assert program is not None, meaning.diagnostics
    listing = queries.listing(language.name, meaning, LEVEL)
    stated = PropertyFinding("ok", program.main, "ok", PropertyVerdict.PROVED)
    findings = [
        MutantFinding(one.mutant, MutantStatus.SURVIVED, equivalence=known)
        for one in listing.mutants
    ]
    report = reports.started(reports.FileReport(), reports.basis(program, LEVEL))
    report = reports.merged(reports.listed(report, listing), (stated, *findings))
    snapshot = Snapshot(f"file:///{name}", 1, source, language, LEVEL)
    shown = snapshot.with_elaborated(meaning).with_report(reports.finished(report))
    return Verdicts(shown.analysed)


def of_mutants(found: Verdicts) -> tuple[Problem, ...]:
    """Return the survivors that an editor underlines."""
    return tuple(one for one in problems.shown((), found) if "survives" in one.message)


@pytest.mark.parametrize("name", MODELS)
def test_a_screen_is_readable_and_every_element_says_what_survives(name: str) -> None:
    found = survived(name, MODELS[name])
    shown = of_mutants(found)
    lines = [found.analysed.source.position(one.span.start).line for one in shown]
    for first in lines:
        assert sum(first <= line < first + LINES for line in lines) <= MOST_ON_LINES
    listed = {
        place.span
        for lens in code_lenses.lenses(found)
        if lens.key.startswith("element") and " survive" in lens.title
        for place in places(lens.shown)
    }
    assert found.by_element
    assert listed == {mutant.span for mutant in found.mutants}
    for element, mutants in found.by_element.items():
        own = {mutant.record.mutant for mutant in mutants}
        here = [one for one in shown if one.data in own]
        said = [one for one in here if f" more in {found.label(element)}" in one.message]
        left = len(own) - len(here)
        assert [f"; {left} more in {found.label(element)}" in one.message for one in said] == (
            [True] if here and left else []
        )


@pytest.mark.parametrize("name", ["oven.lus", "lift.smv", "demo.lus"])
def test_a_menu_leads_to_all_survivors_of_the_element(name: str) -> None:
    found = survived(name, MODELS[name])
    for one in of_mutants(found):
        selection = Selection(found, one.span, (one.data,))
        menu = actions.menu(selection, lambda _: True, entry_for_more=True)
        assert len(menu.actions) + menu.has_more <= MOST_ENTRIES
        element = found.by_id[one.data].record.element
        count = found.tallies[element].survived
        offered = [a for a in menu.actions if a.title.startswith("Show all ")]
        if count > 1:
            titles = [action.title for action in offered]
            assert f"Show all {count} survivors of {found.label(element)}" in titles
            assert count in {len(places(action.shown)) for action in offered}


def places(shown: object) -> tuple[object, ...]:
    assert isinstance(shown, ShowPlaces)
    return shown.places


def test_a_gap_points_at_the_variable_that_tells_it_first() -> None:
    model = Trace(Choices(({}, {})), ({"heats": True, "left": 1}, {"heats": True, "left": 3}))
    mutant = Trace(Choices(({}, {})), ({"heats": True, "left": 1}, {"heats": True, "left": 2}))
    gap = Equivalence(
        EquivalenceStatus.GAP,
        "outputs",
        step=1,
        differing=("heats", "left"),
        model=model,
        mutant=mutant,
    )
    found = survived("oven.lus", OVEN, gap)
    declared = OVEN.index("left, tens")
    for one in of_mutants(found):
        assert one.related[0].message == "at step 1 left is 3, and 2 in the mutant"
        assert one.related[0].span == Span(declared, declared + len("left"))
