"""However findings are placed in a text, few of them are on a screen: the most informative ones."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.diagnostics import Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import problems, telling
from mutproof.ide.problems import Problem
from mutproof.ide.screens import LINES, MOST_ON_A_SCREEN, Screens
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot
from support.lustre_models import sources
from support.profiles import profile

QUERIES, LEVEL = Queries(), Options(level="paper")
BREAKS = ["\n", "\r\n", "\n\n", "\r\n \r\n"]


def on_windows(lines: list[int], height: int) -> int:
    """Return the most of the lines that any `height` consecutive ones have."""
    return max((sum(a <= line < a + height for line in lines) for a in lines), default=0)


@profile(200)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.booleans())), st.integers(1, 20), st.integers(1, 6)
)
def test_screens_have_room_where_no_window_is_full(
    wanted: list[tuple[int, bool]], height: int, most: int
) -> None:
    screens, lines = Screens(height, most), []
    for line, is_forced in wanted:
        crowded = any(
            sum(first <= other < first + height for other in [*lines, line]) > most
            for first in range(line - height + 1, line + 1)
        )
        assert screens.has_room(line) is not crowded
        if is_forced or not crowded:
            screens.add(line)
            lines.append(line)


def lustre(source: random.Random, size: int) -> str:
    """Return equations that are read alone, some with much to change, and their properties."""
    shapes = ["a and b", "(a or b) and not a", "n > 3", "if a then b else n < 2 + m and b"]
    names = [f"x{number}" for number in range(size)]
    equations = [f"{name} = {source.choice(shapes)};" for name in names]
    stated = [f"ok{number} = a or x{number};" for number in range(3)]
    checked = "".join(f"\n--%PROPERTY ok{number};\n" for number in range(3))
    header = f"node m(a, b: bool; n, m: int) returns ({', '.join(names)}, ok0, ok1, ok2: bool); let"
    return " ".join([header, *equations, *stated]) + checked + "tel;"


def nusmv(source: random.Random, size: int) -> str:
    """Return assignments of which each is read alone, and their properties."""
    shapes = ["a & b", "(a | b) & !a", "n > 3", "(n < 2 ? a : b | n = 1)"]
    variables = " ".join(f"x{number} : boolean;" for number in range(size))
    assigned = " ".join(f"next(x{number}) := {source.choice(shapes)};" for number in range(size))
    stated = " ".join(f"INVARSPEC NAME ok{number} := a | x{number} ;" for number in range(3))
    inputs = "MODULE main VAR a : boolean; b : boolean; n : 0..7;"
    return f"{inputs} {variables} ASSIGN {assigned} {stated}"


def broken_up(source: random.Random, text: str) -> str:
    """Return a text with lines of any length and all ends of lines."""
    often = source.choice([0, 0.02, 0.1, 0.5])
    return re.sub(
        " ", lambda _: source.choice(BREAKS) if source.random() < often else " ", text
    ) + source.choice(BREAKS)


def decided(source: random.Random, text: str, suffix: str) -> Verdicts:
    """Return verdicts of any kind on a model, and that no proof needs anything of it."""
    (language,) = [one for one in LANGUAGES if suffix in one.suffixes]
    meaning = QUERIES.elaborated(language.name, SourceText(f"m{suffix}", text))
    program = meaning.program
    assert program is not None, meaning.diagnostics
    listing = QUERIES.listing(language.name, meaning, LEVEL)
    kinds = list(MutantStatus) + [MutantStatus.SURVIVED] * source.choice([0, 20])
    found: list[object] = []
    for one in listing.mutants:
        status, known = source.choice(kinds), None
        if status is MutantStatus.SURVIVED:
            kind = source.choice([None, *EquivalenceStatus])
            known = None if kind is None else Equivalence(kind, "outputs", step=source.randrange(3))
        found.append(MutantFinding(one.mutant, status, ("ok0",), equivalence=known))
    source.shuffle(found)
    proved = PropertyFinding("ok0", program.main, "ok0", PropertyVerdict.PROVED, core=())
    unknown = [
        PropertyFinding(name, program.main, name, PropertyVerdict.UNKNOWN)
        for name in ("ok1", "ok2")
    ]
    report = reports.started(reports.FileReport(), reports.basis(program, LEVEL))
    report = reports.merged(reports.listed(report, listing), (proved, *unknown, *found))
    snapshot = Snapshot(f"file:///m{suffix}", 1, meaning.parsed.source, language, LEVEL)
    return Verdicts(
        snapshot.with_elaborated(meaning).with_report(reports.finished(report)).analysed
    )


models = st.tuples(sources(), st.sampled_from([".lus", ".smv"]), st.integers(3, 50))


def placed(model: tuple[random.Random, str, int]) -> Verdicts:
    source, suffix, size = model
    text = {".lus": lustre, ".smv": nusmv}[suffix](source, size)
    return decided(source, broken_up(source, text), suffix)


def lines_of(found: Verdicts, shown: tuple[Problem, ...]) -> list[int]:
    return [found.analysed.source.position(one.span.start).line for one in shown]


@profile(20)
@given(models)
def test_no_screen_is_crowded_and_what_has_room_is_shown(
    model: tuple[random.Random, str, int],
) -> None:
    found = placed(model)
    shown = problems.shown((), found)
    lines = lines_of(found, shown)
    assert on_windows(lines, LINES) <= MOST_ON_A_SCREEN
    assert problems.shown((), Verdicts(found.analysed)) == shown
    everything = [draft.worded() for draft in problems.verdict_drafts(found)]
    whole = problems.shown((), found, everything=True, most=len(everything))
    assert {(one.span, one.code, one.data) for one in everything} == {
        (one.span, one.code, one.data) for one in whole
    }
    assert len(everything) == len(whole)
    if len(shown) == problems.MAX_PROBLEMS:
        return
    left = [one for one in everything if one.severity is not Severity.WARNING and not one.data]
    left += [one for one in everything if one.code == "unneeded"]
    missing = [one for one in left if one not in shown]
    for one, line in zip(missing, lines_of(found, tuple(missing)), strict=True):
        assert on_windows([*lines, line], LINES) > MOST_ON_A_SCREEN - 1, one
    counting = [one.message for one in shown if one.code == "more-findings"]
    assert [int(message.split()[0]) for message in counting] == [len(missing)] * bool(missing)


@profile(20)
@given(models)
def test_of_each_element_the_most_informative_survivor_that_has_room_is_shown(
    model: tuple[random.Random, str, int],
) -> None:
    found = placed(model)
    mutants = {one.data for one in problems.shown((), found) if one.data in found.by_id}
    shown = [found.by_id[mutant] for mutant in mutants]
    warned = [one.span.start for one in problems.shown((), found) if one.code != "more-findings"]
    everything = telling._candidates(found)
    first = {one.mutant.record.element: one.mutant for one in reversed(list(everything))}
    position = found.analysed.source.position
    for element, best in first.items():
        if best.record.mutant in mutants:
            continue
        others = [one.span.start for one in shown if one.record.element != element]
        line = position(best.span.start).line
        few = [*(position(start).line for start in others), line]
        every = [*(position(start).line for start in warned), line]
        assert (
            best.span.start in others
            or on_windows(few, telling.LINES) > telling.MOST_ON_LINES
            or on_windows(every, LINES) > MOST_ON_A_SCREEN - 1
        )


@profile(20)
@given(models, st.integers(0, 60))
def test_all_errors_are_shown_and_leave_no_room_for_others(
    model: tuple[random.Random, str, int], count: int
) -> None:
    found = placed(model)
    starts = [model[0].randrange(len(found.analysed.source.content)) for _ in range(count)]
    errors = tuple(
        Problem(Span(at, at), Severity.ERROR, "e", str(n)) for n, at in enumerate(starts)
    )
    shown = problems.shown(errors, found)
    assert set(errors) <= set(shown)
    lines = lines_of(found, shown)
    for one, line in zip(shown, lines, strict=True):
        if one.severity is not Severity.ERROR and one.code != "more-findings":
            for first in range(line - LINES + 1, line + 1):
                assert sum(first <= at < first + LINES for at in lines) <= MOST_ON_A_SCREEN


@profile(10)
@given(models)
def test_lines_are_those_where_the_text_is_now(model: tuple[random.Random, str, int]) -> None:
    found = placed(model)
    shown = problems.shown((), found, lines=(lambda _: 1,) * 2)  # all else was deleted
    assert len(shown) <= MOST_ON_A_SCREEN
    survivors = [one for one in shown if one.data in found.by_id]
    assert len(survivors) <= telling.MOST_ON_LINES
