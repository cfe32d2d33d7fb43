"""Verdicts on NuSMV mutants are those of an explicit search in the mutated text."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import has_errors
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.explicit import StateSpace, explore, invariant_holds
from support.nusmv_mutants import accepted, elaborated, mutants_of, mutated_text
from support.oracles import Graph
from support.reading import analysed

COUNTER = """
MODULE main
VAR n : 0..4; up : boolean;
DEFINE top := n = 4;
ASSIGN
  init(n) := {0, 1};
  next(n) := case top : 0; up : n + 1; TRUE : n; esac;
INVARSPEC NAME bounded := n <= 4 & (n >= 0 | top)
INVARSPEC NAME step := top -> next(n) = 0
CTLSPEC NAME returns := AG (top -> AX n = 0)
CTLSPEC NAME reaches := EF top
"""

CONSTRAINTS = """
MODULE main
VAR a : boolean; b : boolean; m : {red, green, blue};
INIT m = red
INVAR a | b
TRANS m = red -> next(m) = green
TRANS m = green -> next(m) in {green, blue}
TRANS m = blue -> next(m) = red & next(a)
FAIRNESS m = blue
INVARSPEC NAME some := a | b
CTLSPEC NAME again := AG AF m = red
CTLSPEC NAME goes := AG (m = red -> EX m = green)
"""

INSTANCES = """
MODULE cell(other, bound)
VAR v : 0..2;
ASSIGN
  init(v) := 0;
  next(v) := case other.v < bound : bound; v > 0 : v - 1; TRUE : v; esac;
DEFINE high := v = bound;
MODULE main
VAR left : cell(right, 1); right : cell(left, 2);
INVARSPEC NAME apart := !(left.v = 2)
CTLSPEC NAME both := AG (left.high | right.high | left.v = 0)
CTLSPEC NAME can := EF (left.high & right.high)
"""

CHOICES = """
MODULE main
IVAR press : boolean;
FROZENVAR mode : {slow, fast};
VAR x : 0..3; y : 0..3;
DEFINE either := mode = fast ? {1, 2} : 1;
DEFINE pair := {0, 3};
ASSIGN
  init(x) := 0;
  next(x) := press ? either : x;
  y := x = 1 ? pair : 0;
TRANS next(x) != x -> press
INVARSPEC NAME small := x < 4 & y in {0, 3}
CTLSPEC NAME stays := EG x = 0
CTLSPEC NAME slow_is_slow := AG (mode = slow & x = 0 -> AX x <= 1)
"""

ENDS = """
MODULE main
VAR s : {start, work, done}; k : 0..2;
ASSIGN
  init(s) := start; init(k) := 0;
  next(s) := case s = start : work; s = work & k = 2 : done; TRUE : s; esac;
TRANS next(k) = (k < 2 ? k + 1 : 2)
INVAR s = done -> k = 2
INVARSPEC NAME late := s = done -> k = 2
CTLSPEC NAME ends := AF s = done
"""

PROCESSES = """
MODULE user(turn, me)
VAR at : {idle, trying, inside};
ASSIGN
  init(at) := idle;
  next(at) := case at = idle : {idle, trying}; at = trying & turn = me : inside;
    at = inside : idle; TRUE : at; esac;
  next(turn) := case at = inside : me = 0 ? 1 : 0; TRUE : turn; esac;
FAIRNESS running
MODULE main
VAR turn : 0..1; p : process user(turn, 0); q : process user(turn, 1);
ASSIGN init(turn) := 0;
INVARSPEC NAME alone := !(p.at = inside & q.at = inside)
CTLSPEC NAME gives := AG (p.at = inside -> AF turn = 1)
CTLSPEC NAME possible := AG EF q.at = inside
"""

MIXED = """
MODULE main
VAR m : {none, 1, 2}; w : unsigned word[2]; t : array 0..1 of boolean;
DEFINE one := 1; least := m = one;
ASSIGN
  init(m) := none; init(w) := 0ud2_0; init(t[0]) := TRUE; init(t[1]) := FALSE;
  next(m) := case m = none : one; least : 2; TRUE : none; esac;
  next(w) := w + 0ud2_1;
  next(t[0]) := t[1]; next(t[1]) := t[0];
INVARSPEC NAME flips := t[0] xor t[1]
INVARSPEC NAME ones := m = one -> !least | t[0] != t[1]
CTLSPEC NAME two := AG (m = 1 -> AX m = 2)
CTLSPEC NAME wraps := AG AF w = 0ud2_0
"""

FAIR = """
MODULE main
VAR x : 0..3; b : boolean;
ASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : 0; init(b) := TRUE; next(b) := x < 3;
FAIRNESS x = 2
INVARSPEC NAME moves := next(x) != x
INVARSPEC NAME small := x < 4
CTLSPEC NAME comes := AG AF x = 2
"""

BLOCKS = """
MODULE main
VAR a : boolean; b : boolean; n : 0..3;
ASSIGN init(n) := 0; next(n) := n < 2 ? n + 1 : n;
TRANS next(a) = !a | b
INVARSPEC NAME small := n <= 2
"""

AHEAD = """
MODULE main
VAR a : boolean; b : boolean; c : boolean;
DEFINE d := a & !c; f := c | d;
ASSIGN init(a) := FALSE; next(a) := a | c; next(b) := d & f;
JUSTICE f
INVARSPEC NAME keeps := next(d) -> a | c
CTLSPEC NAME comes := AF a
"""

TEXTS = {
    "ahead": AHEAD,
    "fair": FAIR,
    "processes": PROCESSES,
    "mixed": MIXED,
    "counter": COUNTER,
    "constraints": CONSTRAINTS,
    "instances": INSTANCES,
    "choices": CHOICES,
    "ends": ENDS,
}


def report(text: str) -> Report:
    options = Options(level="default", cores=False, budget=Budget(timeout_s=60))
    return analysed(accepted(text), options)


def failing(system: TransitionSystem, space: StateSpace) -> set[str]:
    """Return the properties that an explicit search finds false."""
    graph = Graph(system, space)
    begin = {row for row in space.initial if row in graph.fair}
    found = set()
    for stated in system.properties:
        if stated.kind is PropertyKind.INVARIANT:
            if not invariant_holds(system, space, stated.name):
                found.add(stated.name)
        elif begin - graph.satisfying(stated.term):
            found.add(stated.name)
    return found


def is_dead(system: TransitionSystem, space: StateSpace) -> bool:
    """Tell whether there is no first state, or a state without successor."""
    graph = Graph(system, space)
    goes_on = graph.any_input({row for row in space.reachable if space.successors[row]})
    return not space.initial or len(goes_on) < len(space.reachable)


def is_unfair(system: TransitionSystem, space: StateSpace) -> bool:
    """Tell whether no fair path begins, so that no temporal property can fail."""
    is_temporal = any(p.kind is not PropertyKind.INVARIANT for p in system.properties)
    return is_temporal and not Graph(system, space).fair & set(space.initial)


@pytest.mark.parametrize("name", TEXTS)
def test_all_properties_of_the_model_are_proved(name: str) -> None:
    verdicts = {f.name: f.verdict for f in report(TEXTS[name]).properties}

    assert set(verdicts.values()) == {PropertyVerdict.PROVED}, verdicts


@pytest.mark.parametrize("name", TEXTS)
def test_mutants_are_killed_by_what_fails_in_their_text(name: str) -> None:
    text = TEXTS[name]
    found = accepted(text)
    mutants = {mutant.id: mutant for mutant in mutants_of(found, "default")}
    counted = dict.fromkeys(MutantStatus, 0)

    for finding in report(text).mutants:
        counted[finding.status] += 1
        mutant = mutants[finding.mutant]
        changed = mutated_text(found, mutant)
        assert finding.status is not MutantStatus.UNKNOWN, (changed, finding.reason)
        check(finding, changed)

    assert len(mutants) == sum(counted.values())
    assert counted[MutantStatus.KILLED] > 0, counted
    assert counted[MutantStatus.SURVIVED] > 0, counted


def check(finding: MutantFinding, changed: str) -> None:
    meant = elaborated(changed)
    if meant.program is None or has_errors(meant.diagnostics):
        assert finding.status is MutantStatus.STILLBORN, (changed, meant.diagnostics)
        return
    system = interpretation(meant.program).system()
    space = explore(system, limit=5_000)
    assert space is not None
    if is_dead(system, space):
        # A failure that some execution shows counts even where others come to an end.
        assert finding.status in {MutantStatus.STILLBORN, MutantStatus.KILLED}, changed
        return
    assert set(finding.killed_by) == failing(system, space), (changed, finding)
    assert set(finding.killed_by) <= set(finding.covered_by), (changed, finding)
    spared = MutantStatus.STILLBORN if is_unfair(system, space) else MutantStatus.SURVIVED
    status = MutantStatus.KILLED if finding.killed_by else spared
    assert finding.status is status, (changed, finding)


def test_the_mutants_of_a_run_are_those_that_are_enumerated() -> None:
    found = accepted(COUNTER)

    listed = [mutant.id for mutant in enumerate_mutants(found, Options())]

    assert listed == [finding.mutant for finding in report(COUNTER).mutants]


def test_survivors_are_told_before_everything_is_decided() -> None:
    text = (Path(__file__).parents[2] / "examples" / "mutex.smv").read_text(encoding="utf-8")
    told: dict[str, MutantStatus] = {}  # in the order in which they are heard of first

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            told.setdefault(event.mutant, event.status)

    chosen = Options(level="default", cores=False)
    analyse(accepted(text), chosen, Memory(), emit, cancelled=lambda: False)
    statuses = [status for status in told.values() if status is not MutantStatus.STILLBORN]
    assert MutantStatus.KILLED in statuses[statuses.index(MutantStatus.SURVIVED) :]


def test_load_of_the_machine_does_not_hide_states_without_successor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = elaborated(BLOCKS)
    assert found.program is not None
    options = Options(operators=("EN", "LOR"), budget=Budget(timeout_s=1_000_000), cores=False)

    def statuses() -> dict[str, MutantStatus]:
        report = analysed(found, options)
        return {finding.mutant: finding.status for finding in report.mutants}

    usual = statuses()
    fast = SimpleNamespace(monotonic=lambda: time.monotonic() * 2000, thread_time=time.thread_time)
    monkeypatch.setattr("mutproof.base.budget.time", fast)

    assert {MutantStatus.STILLBORN, MutantStatus.SURVIVED} <= set(usual.values())
    assert usual == statuses()
