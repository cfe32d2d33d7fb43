"""Mutants wait some time for hard properties, and are decided without them then."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count

import pytest

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import LEFT, MutantFinding, MutantStatus, PropertyVerdict
from mutproof.analyses.proving import temporal, waiting
from mutproof.analyses.proving.waiting import GIVEN_UP, Waiting
from mutproof.base import budget
from mutproof.base.budget import Budget, Deadline
from mutproof.model.language import Elaborated
from mutproof.solving.account import ACCOUNT
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support import lustre_models, nusmv_mutants
from support.reading import analysed

UNITS = 20_000_000
OPTIONS = Options(cores=False, budget=Budget(UNITS, 600.0), timeout_s=1e-9)
"""The share of the file's time is over at once, so that solver units alone count."""

LUSTRE = """
node main (a, b: bool) returns (same, off: bool);
var w, x, y, z: int;
let
  x = 0 -> if a then pre x + 1 else pre x;
  y = 0 -> if a then pre y + 1 else pre y;
  w = 0 -> if b then pre w + 1 else pre w - 1;
  z = 0 -> if b then pre z + 2 * pre w + 1 else pre z - 2 * pre w + 1;
  same = x = y;
  off = z <> 7;
  --%PROPERTY same;
  --%PROPERTY off;
tel
"""

NUSMV = """
MODULE main
IVAR a : boolean; b : boolean;
VAR x : integer; y : integer; z : integer;
INIT x = 0 & y = 0 & z = 0;
TRANS next(x) = (a ? x + 1 : x);
TRANS next(y) = (a ? y + 1 : y);
TRANS next(z) = (b ? z + 6 : z - 10);
INVARSPEC NAME same := x = y;
LTLSPEC NAME off := G z != 7;
"""
# That `z` is a square, or even in a system of infinitely many states, no engine finds out.

TEXTS = {"lustre": lustre_models.accepted(LUSTRE), "nusmv": nusmv_mutants.accepted(NUSMV)}


KILLED_EARLY = nusmv_mutants.accepted("""
MODULE main
IVAR go : boolean;
VAR n : integer; on : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case on & n < 5 : n + 1; !on & n > 0 : n - 1; TRUE : n; esac;
  init(on) := FALSE;
  next(on) := case !on & n = 0 & go : TRUE; on & n >= 5 : FALSE; TRUE : on; esac;
INVARSPEC NAME low := n >= 0 & n <= 5;
LTLSPEC NAME ends := G (on -> F !on);
""")


KILLED_TWICE = nusmv_mutants.accepted("""
MODULE main
VAR a : integer; n : integer;
ASSIGN
  init(n) := 0;
  next(n) := case n >= 3 : 0; a > 0 : n + 1; TRUE : n + 2; esac;
LTLSPEC NAME once := F n >= 3;
LTLSPEC NAME again := G F n >= 3;
""")


@dataclass
class Run:
    """Analyse a text; `spent` are solver units until the first mutant was told."""

    elaborated: Elaborated
    memory: Memory = field(default_factory=Memory)
    spent: int = -1

    def report(self, options: Options) -> Report:
        before = ACCOUNT.spent

        def emit(event: Event) -> None:
            if isinstance(event, MutantFinding) and self.spent < 0:
                self.spent = ACCOUNT.spent - before

        return analyse(self.elaborated, options, self.memory, emit, cancelled=lambda: False)


def verdicts(found: Report) -> dict[str, PropertyVerdict]:
    return {one.name: one.verdict for one in found.properties}


def reason(found: Report, name: str = "off") -> str:
    (reason,) = (one.reason for one in found.properties if one.name == name)
    return reason


def statuses(found: Report) -> dict[str, tuple[MutantStatus, tuple[str, ...]]]:
    return {one.mutant: (one.status, one.killed_by) for one in found.mutants}


@pytest.mark.parametrize("language", TEXTS)
def test_mutants_of_a_proved_property_do_not_wait_for_a_hard_one(language: str) -> None:
    run = Run(TEXTS[language])
    found = run.report(OPTIONS)
    expected = {"same": PropertyVerdict.PROVED, "off": PropertyVerdict.UNKNOWN}
    assert expected == verdicts(found)
    assert GIVEN_UP in reason(found)
    assert 0 < run.spent < UNITS / 2
    decided = {one.status for one in found.mutants}
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= decided
    assert MutantStatus.UNKNOWN not in decided


@pytest.mark.parametrize("language", TEXTS)
def test_without_the_hard_property_mutants_have_the_same_verdicts(language: str) -> None:
    found = Run(TEXTS[language]).report(OPTIONS)
    alone = Run(TEXTS[language]).report(replace(OPTIONS, properties=("same",)))
    assert statuses(alone) == statuses(found)
    assert all("off" not in (*one.killed_by, *one.covered_by) for one in found.mutants)


@pytest.mark.parametrize("language", TEXTS)
def test_another_worker_leaves_hard_properties_to_the_first(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "VAIN", 0.0)
    monkeypatch.setattr(waiting, "VAIN_S", 0.0)
    whole = Options(cores=False, budget=Budget(UNITS // 10, 600.0))
    soon = replace(whole, stage="soon", share=(1, 2))
    found, first = Run(TEXTS[language]).report(soon), Run(TEXTS[language]).report(whole)
    assert {"same": PropertyVerdict.PROVED, "off": PropertyVerdict.UNKNOWN} == verdicts(found)
    assert LEFT == reason(found) != reason(first)
    assert 0 < len(found.mutants) < len(first.mutants)
    assert statuses(found).items() <= statuses(first).items()


def test_a_worker_leaves_nothing_before_a_property_is_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(waiting, "VAIN_S", 0.0)
    run = Run(TEXTS["lustre"])
    options = Options(cores=False, budget=Budget(UNITS // 10, 600.0), stage="soon", share=(1, 2))
    alone = run.report(replace(options, properties=("off",)))
    assert reason(alone).startswith("out of solver units")


@pytest.mark.parametrize("changed", [{"mutate": False}, {"timeout_s": float("inf")}])
def test_nothing_is_given_up_where_no_mutant_waits_or_time_has_no_end(
    changed: dict[str, object],
) -> None:
    options = replace(OPTIONS, budget=Budget(UNITS // 10, 600.0), **changed)  # type: ignore[arg-type]
    found = Run(TEXTS["lustre"]).report(options)
    assert reason(found).startswith("out of solver units")


def test_the_only_property_is_not_given_up() -> None:
    brief = Budget(UNITS // 10, 600.0)
    found = Run(TEXTS["lustre"]).report(replace(OPTIONS, budget=brief, properties=("off",)))
    assert reason(found).startswith("out of solver units")


def test_decided_mutants_do_not_wait_so_that_the_hard_property_has_its_time() -> None:
    run = Run(TEXTS["lustre"])
    options = replace(OPTIONS, budget=Budget(UNITS // 10, 600.0))
    first, second = run.report(options), run.report(options)
    assert GIVEN_UP in reason(first)
    assert reason(second).startswith("out of solver units")
    assert statuses(first) == statuses(second)


def test_a_property_that_is_proved_later_counts_for_all_mutants() -> None:
    text = LUSTRE.replace("- 2 * pre w + 1", "+ 10").replace(
        "+ 2 * pre w + 1", "+ 6"
    )  # engines find out that it grows
    run = Run(lustre_models.accepted(text))
    brief = run.report(replace(OPTIONS, budget=Budget(20_000, 600.0)))
    assert PropertyVerdict.UNKNOWN is verdicts(brief)["off"]
    later = run.report(OPTIONS)
    cold = Run(run.elaborated).report(replace(OPTIONS, timeout_s=float("inf")))
    assert PropertyVerdict.PROVED is verdicts(later)["off"]
    assert statuses(cold) == statuses(later)
    assert any("off" in one.killed_by for one in later.mutants)


def test_mutants_told_to_be_killed_early_name_no_reason_for_what_is_still_tried() -> None:
    early: list[MutantFinding] = []

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding) and event.undecided:
            early.append(event)

    options = Options(cores=False, budget=Budget(UNITS, 600.0))
    with suppress(Cancelled):
        analyse(KILLED_EARLY, options, Memory(), emit, cancelled=lambda: len(early) > 2)
    assert [("", MutantStatus.KILLED)] * 3 == [(one.reason, one.status) for one in early[:3]]


def test_what_else_kills_mutants_without_diagrams_is_sought_once_all_are_told() -> None:
    told: list[MutantFinding] = []

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            told.append(event)

    options = Options(cores=False, budget=Budget(UNITS // 10, 600.0))
    found = analyse(KILLED_TWICE, options, Memory(), emit, cancelled=lambda: False)
    decided = {one.mutant for one in found.mutants if one.status is not MutantStatus.UNKNOWN}
    first: dict[str, MutantFinding] = {}
    again: list[MutantFinding] = []
    for one in told:
        if first.setdefault(one.mutant, one) is not one:
            again.append(one)
            assert decided <= first.keys()
    assert any({"once", "again"} == {*one.killed_by} for one in again)
    assert all(len(first[one.mutant].killed_by) == 1 for one in again)
    assert all(MutantStatus.KILLED is first[one.mutant].status is one.status for one in again)


def test_only_what_is_open_while_others_are_proved_is_given_up() -> None:
    proved: dict[str, str] = {}
    waiting = Waiting(Deadline.after(0.0), proved, Budget(100, 5.0))
    assert not waiting.given_up(1_000, 1_000.0)
    assert Budget(7, 60.0) == waiting.limited(Budget(7, 60.0))
    proved["same"] = "by induction"
    assert GIVEN_UP == waiting.given_up(100, 0.0)
    assert GIVEN_UP == waiting.given_up(0, 5.0)
    assert not waiting.given_up(99, 4.9)
    assert Budget(7, 5.0) == waiting.limited(Budget(7, 60.0))
    assert not Waiting(Deadline.never(), proved, Budget(100, 5.0)).given_up(1_000, 1_000.0)


def test_small_parts_take_no_longer_than_mutants_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def near(_: object, names: object, means: Means, *_more: object) -> dict[str, object]:
        asked.append(means.budget.timeout_s)
        return {}

    monkeypatch.setattr(temporal, "near_answers", near)
    elaborated = TEXTS["nusmv"]
    report = analysed(elaborated, OPTIONS)
    assert PropertyVerdict.PROVED in {one.verdict for one in report.properties}
    assert asked
    assert max(asked) <= OPTIONS.budget.timeout_s / 10


class Hurried:
    """A clock that goes on by an hour whenever it is read, while nearly no work is done."""

    thread_time = staticmethod(time.thread_time)

    def __init__(self) -> None:
        self._hours = count(1)

    def monotonic(self) -> float:
        return 3_600.0 * next(self._hours)


def test_a_busy_machine_does_not_leave_open_what_diagrams_decide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """
        MODULE main
        VAR n : 0..5;
        INIT n = 0;
        TRANS next(n) = n + 1 | next(n) = 0;
        CTLSPEC NAME back := AG EX n = 0;
        """
    monkeypatch.setattr(budget, "time", Hurried())
    found = Run(nusmv_mutants.accepted(text)).report(Options(cores=False, mutate=False))
    assert {"back": PropertyVerdict.PROVED} == verdicts(found)
