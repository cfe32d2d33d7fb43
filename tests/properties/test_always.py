"""What always holds is asked about as an invariant: as NuSMV has it, with dead ends apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from mutproof.analyses import strategies
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding import excluding
from mutproof.analyses.deciding.rung import AnyRung
from mutproof.analyses.deciding.rungs import always, cores, diagrams, engines
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.proving import successors
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.bdd.excluded import Excluded
from mutproof.solving.bdd.verdict import Holding, Violated
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options

GATES = """MODULE main
VAR a : boolean; b : boolean; c : boolean;
ASSIGN init(a) := FALSE; init(b) := FALSE; init(c) := TRUE;
  next(a) := {a, !b}; next(c) := {c, !c};
TRANS (b = next(b)) | (!a & b != next(b) & c)
TRANS !(next(a) & next(b))
CTLSPEC AG !(a & b)
LTLSPEC G (c | !c & (a -> !b))
"""


OF_STEPS = """LTLSPEC G (a & !c -> X (c | !c & !b))
LTLSPEC G (b & !c -> X b)
CTLSPEC AG (b & !c -> AX b)
"""

WORDS = """MODULE main
VAR a : unsigned word[8]; b : unsigned word[8];
IVAR i : boolean;
ASSIGN init(a) := 0uh8_0; init(b) := 0uh8_0;
  next(a) := i ? a + 0uh8_1 : a;
TRANS next(b) = (i ? b + 0uh8_1 : b)
CTLSPEC NAME CTL := AG (a = b)
LTLSPEC NAME LTL := G (a = b)
"""

ROUND = """MODULE main
VAR n : 0..20; on : boolean;
ASSIGN init(n) := 0; next(n) := n < 9 & on ? n + 1 : 0;
  init(on) := TRUE; next(on) := {on, n > 3};
LTLSPEC G (on -> n <= 9)
"""

SWAPPED = """MODULE main
VAR a : boolean; b : boolean; c : boolean;
INIT a & b & !c
TRANS a != next(a)
TRANS b != next(b)
TRANS next(c) -> c | a
LTLSPEC G (a = b)
"""


def decided(
    text: str = GATES, tell: Callable[[MutantFinding], None] = lambda _: None, most: int = 8
) -> dict[str, MutantFinding]:
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("test.smv", text)))
    options = Options(cores=False, most_mutants=most)

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            tell(event)

    report = analyse(found, options, Memory(), emit, cancelled=lambda: False)
    return {finding.mutant: finding for finding in report.mutants}


def decided_alone(
    monkeypatch: pytest.MonkeyPatch, rungs: tuple[AnyRung, ...], text: str, most: int = 8
) -> dict[str, MutantFinding]:
    """Return what some rungs decide alone, which is what all do."""
    expected = decided(text, most=most)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": Strategy("default", "", "", rungs)})
    found = decided(text, most=most)
    told = {m: f for m, f in found.items() if f.status is not MutantStatus.UNKNOWN}
    assert [f.status for f in told.values()] == [expected[mutant].status for mutant in told]
    return told


@pytest.mark.parametrize("text", [GATES, GATES + OF_STEPS])
def test_mutants_are_decided_as_by_all_rungs(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = decided_alone(monkeypatch, (always.SEARCHED, always.PROVED), text).values()

    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {f.status for f in told}
    assert {f.how for f in told if f.status is MutantStatus.KILLED} == {always.HOW}


def test_proofs_of_the_model_are_tried_before_executions(monkeypatch: pytest.MonkeyPatch) -> None:
    told = decided_alone(monkeypatch, (always.SEARCHED,), ROUND, 40).values()
    assert MutantStatus.SURVIVED in {finding.status for finding in told}


RATES = """MODULE main
VAR n : 0..20; on : boolean; high : 0..9; other : boolean;
DEFINE steep := n > 6; up := on & !steep | high = 9;
ASSIGN init(n) := 0; next(n) := case up & n < 12 : n + 1; steep : n - 2; TRUE : n; esac;
  init(on) := TRUE; next(on) := {on, n > 3}; init(high) := 0; next(high) := n mod 9;
  next(other) := case on : {TRUE, FALSE}; TRUE : other; esac;
CTLSPEC AG (n <= 7)
LTLSPEC G (high < 9)
CTLSPEC AG (n = 3 -> EX n = 4)
"""


def test_diagrams_decide_backwards_what_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    told = decided_alone(monkeypatch, (always.EXCLUDED,), RATES, 80).values()
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {finding.status for finding in told}


def test_mutants_that_are_the_same_function_are_decided_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[object]()
    real = Excluded.verdict

    def counted(self: Excluded, other: TransitionSystem, **how: Any) -> Holding | Violated:
        asked.append(other)
        return real(self, other, **how)

    monkeypatch.setattr(Excluded, "verdict", counted)
    alone = Strategy("default", "", "", (always.EXCLUDED,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    once, few = decided(RATES, most=80), len(asked)
    monkeypatch.setattr(excluding, "_function", lambda _known, variant: variant.name)
    each = decided(RATES, most=80)

    assert [*map(_told, once.values())] == [*map(_told, each.values())]
    assert 0 < few < len(asked) - few


def _told(finding: MutantFinding) -> tuple[MutantStatus, tuple[str, ...]]:
    return finding.status, finding.killed_by


def test_what_takes_long_is_decided_when_others_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(always, "SOON_S", -1.0)
    told = decided_alone(monkeypatch, (always.EXCLUDED, always.EXCLUDED_LATER), RATES).values()
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {finding.status for finding in told}


def test_killed_mutants_are_told_while_invariants_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Strategy("default", "", "", (always.SEARCHED, engines.ALONE))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    told: list[MutantFinding] = []
    found = decided(f"{GATES}INVARSPEC NAME trivial := c | !c\n", told.append)

    early = {one.mutant for one in told if one.undecided == ("trivial",)}
    killed = {m for m, f in found.items() if f.status is MutantStatus.KILLED}
    assert killed == early & killed != set()


def test_equal_invariants_are_asked_about_once_and_kills_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    happened: list[object] = []
    real = always.lengthened

    def counted(
        system: TransitionSystem, name: str, limits: Budget, *, step: int, longest: int
    ) -> Choices | None:
        happened.append(system.constraints)
        return real(system, name, limits, step=step, longest=longest)

    monkeypatch.setattr(always, "lengthened", counted)
    alone = Strategy("default", "", "", (always.SEARCHED, always.PROVED))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    text = f"{WORDS}INVARSPEC NAME later := a = b\n"
    found = decided(text, lambda _: happened.append("told"), most=2 * always.AT_A_TIME)

    killed = [f for f in found.values() if f.status is MutantStatus.KILLED]
    assert {frozenset(f.killed_by) for f in killed} == {frozenset(("CTL", "LTL"))}
    searched = [one for one in happened if one != "told"]
    assert len(killed) <= len(searched) == len(set(searched))
    assert happened.index("told") < happened.index(searched[-1])


@pytest.mark.parametrize(
    ("steps", "is_always"),
    [
        pytest.param("ASSIGN init(n) := 0; next(n) := n + 1;", True, id="assignments alone"),
        pytest.param("INIT n = 0 TRANS next(n) = n + 1", False, id="a solver tells that all go on"),
    ],
)
def test_an_execution_suffices_where_all_go_on(steps: str, is_always: bool) -> None:
    model = f"MODULE main VAR n : integer; {steps}"
    found = decided(f"{model}\nLTLSPEC NAME late := G n >= 0\nCTLSPEC NAME never := AG n >= -2\n")

    killed = [f for f in found.values() if f.status is MutantStatus.KILLED]
    loops = {f.trace.choices.loop for f in killed if f.trace is not None}
    assert None in loops
    assert loops == {None} or not is_always


@pytest.mark.parametrize(
    ("stated", "is_shortest"), [("c", True), ("n = 3 -> X (n = 1 | c)", False)]
)
def test_a_beginning_is_not_called_shortest_where_a_path_may_return_earlier(
    stated: str, is_shortest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Strategy("default", "", "", (always.SEARCHED,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    model = """MODULE main
VAR n : 0..3; c : boolean; w : unsigned word[32];
ASSIGN init(n) := 0; next(n) := (n + 1) mod 4; init(c) := TRUE; next(c) := c; next(w) := w;
"""
    found = decided(f"{model}LTLSPEC G (w = 0ud32_7 | n < 2 | ({stated}))\n")

    killed = [one for one in found.values() if one.status is MutantStatus.KILLED]
    assert {one.how for one in killed if any(one.steps.values())} == {"bmc"}
    assert {one.shortest for one in killed if any(one.steps.values())} == {is_shortest}


def test_whether_a_mutant_goes_on_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[Digest] = Counter()
    real = successors.stays

    def counted(system: TransitionSystem, means: Means, changing: frozenset[str]) -> bool:
        asked[system.attributed] += 1
        return real(system, means, changing)

    monkeypatch.setattr(successors, "stays", counted)
    alone = Strategy("default", "", "", (always.SEARCHED, always.PROVED))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    decided(SWAPPED)

    assert {1} == set(asked.values())


def test_where_many_mutants_may_end_no_other_is_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: set[Digest] = set()

    def counted(system: TransitionSystem, _: Means, __: frozenset[str]) -> bool:
        asked.add(system.attributed)
        return False

    monkeypatch.setattr(successors, "stays", counted)
    alone = Strategy("default", "", "", (always.SEARCHED, always.PROVED))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    decided(SWAPPED)
    every = len(asked)
    asked.clear()
    monkeypatch.setattr(always, "BLOCKING", 2)
    decided(SWAPPED)
    assert every > len(asked) == 2


def test_mutants_of_assignments_alone_inherit_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = Strategy("default", "", "", (cores.CORES,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    assigned = "init(a) := TRUE; next(a) := a; init(b) := TRUE; next(b) := {TRUE, !b};"
    found = decided(f"MODULE main\nVAR a : boolean; b : boolean;\nASSIGN {assigned}\nINVARSPEC a\n")
    survived = {m for m, f in found.items() if f.status is MutantStatus.SURVIVED}
    expected = {m for m, f in found.items() if not f.covered_by}
    assert expected == survived != set()


def test_mutants_inherit_what_solvers_prove_of_a_part_of_a_cone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """MODULE main
VAR a : unsigned word[16]; b : unsigned word[16];
IVAR i : boolean;
ASSIGN init(a) := 0ud16_1; next(a) := i ? b : a; init(b) := 0ud16_2; next(b) := i ? a : b;
LTLSPEC G (i & a = 0ud16_3 -> X b = 0ud16_3)
"""
    expected = decided(text, most=100)
    alone = Strategy("default", "", "", (cores.CORES,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    found = decided(text, most=100)
    survived = {m: f.status for m, f in found.items() if f.status is MutantStatus.SURVIVED}
    assert any(found[mutant].covered_by for mutant in survived)
    assert survived == {mutant: expected[mutant].status for mutant in survived}


def test_a_kept_proof_of_paths_rests_on_what_its_elements_are_called_today() -> None:
    declared = "MODULE main VAR a : unsigned word[16]; b : unsigned word[16]; IVAR i : boolean;"
    one, other = "TRANS next(a) = (i ? b : a)", "TRANS next(b) = (i ? a : b)"
    spec = "LTLSPEC G (i & a = 0ud16_3 -> X b = 0ud16_3)"
    before, after = (" ".join((declared, *each, spec)) for each in ((one, other), (other, one)))
    memory, reports = Memory(), []
    for text, known in ((before, memory), (after, memory), (after, Memory())):
        found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("test.smv", text)))
        options = Options(most_mutants=100)
        reports.append(analyse(found, options, known, lambda _: None, cancelled=lambda: False))
    _, kept, cold = reports

    assert kept.properties[0].seconds == 0.0
    assert cold.properties[0].core == kept.properties[0].core
    assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {m.status for m in kept.mutants}
    assert {m.mutant: m.status for m in cold.mutants} == {m.mutant: m.status for m in kept.mutants}


@pytest.mark.parametrize(
    ("text", "changing", "expected"),
    [
        pytest.param("TRANS x = next(x) | y", "", True, id="all stay"),
        pytest.param("TRANS x != next(x)", "", False, id="none stays"),
        pytest.param("TRANS x != next(x)", "x", True, id="one value follows"),
        pytest.param("TRANS x != next(x) & next(d)", "x", False, id="a definition is read"),
        pytest.param("TRANS x != next(x)\nINVAR !x", "x", False, id="an invariant ends it"),
        pytest.param("INIT x & !x\nTRANS x = next(x)", "", False, id="there is no beginning"),
        pytest.param("TRANS x & (y -> next(y) & !y)", "y", False, id="a state ends"),
    ],
)
def test_states_are_followed_by_others_alike(text: str, changing: str, expected: bool) -> None:
    declared = "MODULE main\nVAR x : boolean; y : boolean;\nDEFINE d := x;\n"
    found = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("test", f"{declared}{text}\n")))
    assert found.program is not None, found.diagnostics
    system = interpretation(found.program).system()
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
    assert successors.stays(system, means, frozenset(changing)) is expected


REGISTERS = """MODULE main
VAR a : unsigned word[4]; b : unsigned word[4]; load : boolean; up : boolean;
ASSIGN init(a) := 0ud4_0; init(b) := 0ud4_0;
  next(a) := case load : b; up & a < 0ud4_9 : a + 0ud4_1; TRUE : a; esac;
  next(b) := case load : a; up & b < 0ud4_9 : b + 0ud4_1; TRUE : b; esac;
LTLSPEC G (a <= 0ud4_9 & b <= 0ud4_9)
LTLSPEC G (load & a = 0ud4_3 -> X b = 0ud4_3)
"""


def test_solvers_come_first_where_diagrams_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    check_family = diagrams.check_family

    def noted(system: TransitionSystem, alternatives: dict[str, Any], *about: Any, **more: Any):
        tried.append(len(alternatives))
        return check_family(system, alternatives, *about, **more)

    monkeypatch.setattr(diagrams, "check_family", noted)
    without_graphs = strategies.STRATEGIES["default"].without("graphs of few states")
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": without_graphs})
    expected, often = decided(REGISTERS, most=100), sum(tried)
    tried.clear()
    monkeypatch.setattr(diagrams, "EACH_S", -1.0)
    found = decided(REGISTERS, most=100)

    assert {m: f.status for m, f in found.items()} == {m: f.status for m, f in expected.items()}
    assert 0 < sum(tried) < often
