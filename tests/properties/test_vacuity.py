"""What holds only because nothing happens is said to do so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, MutantStatus, PropertyVerdict
from mutproof.analyses.proving import premises, proofs, temporal
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.interpretation import interpretation
from mutproof.model.slice import Slicer
from mutproof.model.system import SystemProperty
from mutproof.solving.bdd.verdict import Vacuity
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Proved, Refuted
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.reading import accepted_in, analysed, elaborated_in

IDLE = "its premise never holds"


def report(
    language: str,
    text: str,
    *,
    mutate: bool = False,
    operators: tuple[str, ...] = (),
    memory: Memory | None = None,
) -> Report:
    found = accepted_in(language, text)
    options = Options(mutate=mutate, cores=False, operators=operators)
    return analysed(found, options, memory)


def lustre(body: str) -> Report:
    return report(
        "lustre", f"node top(a: int) returns (p: bool);\nlet\n{body}\n--%PROPERTY p;\ntel;"
    )


def smv(body: str) -> Report:
    return report("nusmv", f"MODULE main\n{body}\n")


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(lustre("p = a > 5 => a > 4;"), "", id="a premise that holds"),
        pytest.param(lustre("assert a < 3; p = a > 5 => a > 9;"), IDLE, id="one that never does"),
        pytest.param(
            lustre("p = true -> pre a > 2 => pre a > 1;"), "", id="one that holds a step later"
        ),
        pytest.param(
            lustre("p = true -> (pre (a > 2 and a < 2) => a > 7);"),
            IDLE,
            id="of an implication after the first step",
        ),
        pytest.param(
            lustre("p = true -> (pre a > 2 => pre a > 1);"),
            "",
            id="of an implication after the first step, whose premise holds at times",
        ),
        pytest.param(
            lustre("p = true -> (true -> (a > 2 and a < 3 => a > 7));"),
            IDLE,
            id="of an implication after two arrows",
        ),
        pytest.param(
            smv("VAR x : 0..3; ASSIGN next(x) := x; init(x) := 1; INVARSPEC x = 2 -> x = 3"),
            IDLE,
            id="of an INVARSPEC",
        ),
        pytest.param(
            smv(
                "VAR x : 0..3; ASSIGN next(x) := x; init(x) := 1;"
                "INVARSPEC x = 1 ? TRUE : (x > 1 -> x = 3)"
            ),
            IDLE,
            id="of an INVARSPEC that asks nothing elsewhere",
        ),
        pytest.param(
            smv("VAR x : 0..3; ASSIGN next(x) := x; init(x) := 1; CTLSPEC AG (x = 2 -> AF x = 3)"),
            IDLE,
            id="of a CTL formula",
        ),
        pytest.param(
            smv("VAR x : 0..3; ASSIGN next(x) := x; LTLSPEC G (x = 2 -> X x = 2)"),
            "",
            id="of an LTL formula, that holds",
        ),
        pytest.param(
            smv("VAR b : boolean; FAIRNESS b & !b\nCTLSPEC EF b"),
            "no reachable state begins an infinite fair path",
            id="no fair path",
        ),
    ],
)
def test_a_proved_property_says_why_it_could_not_fail(found: Report, expected: str) -> None:
    (finding,) = found.properties

    assert PropertyVerdict.PROVED is finding.verdict
    assert expected == finding.vacuity


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        pytest.param(lustre("assert a > 2; p = a > 1;"), None, id="assertions that can hold"),
        pytest.param(
            lustre("assert a > 2 and a < 2; p = a > 1;"),
            ModelFault.NO_INITIAL_STATE,
            id="assertions that contradict each other at once",
        ),
        pytest.param(
            lustre("assert true -> a > 2 and a < 2; p = a > 1;"),
            ModelFault.DEAD_END,
            id="assertions that contradict each other later",
        ),
        pytest.param(
            smv("VAR b : boolean; INIT b & !b\nINVARSPEC b"),
            ModelFault.NO_INITIAL_STATE,
            id="no first state",
        ),
        pytest.param(
            smv("VAR x : 0..6; INIT x = 0\nTRANS next(x) = x + 1\nINVARSPEC x < 7"),
            ModelFault.DEAD_END,
            id="a state without successor, far away",
        ),
        pytest.param(
            smv("VAR x : 0..6; ASSIGN init(x) := 0; next(x) := (x + 1) mod 7; INVARSPEC x < 7"),
            None,
            id="a model without end",
        ),
    ],
)
def test_a_model_that_ends_is_reported(found: Report, fault: ModelFault | None) -> None:
    wrong = [one.fault for one in found.model if one.fault is not ModelFault.NO_DEAD_END]
    assert ([] if fault is None else [fault]) == wrong


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (
            lustre("assert true -> a > 2 and a < 2; p = a > 1;"),
            "the assertions contradict each other: no execution has more than 1 step",
        ),
        (
            smv("VAR b : boolean; INIT b\nTRANS b & !b\nINVARSPEC b"),
            "the constraints contradict each other: no execution has more than 1 state",
        ),
        (
            smv("VAR x : 0..1; INIT x = 0\nTRANS next(x) = x + 1\nINVARSPEC x < 2"),
            "the constraints contradict each other: no execution has more than 2 states",
        ),
        (
            smv("VAR x : 0..3; INIT x = 0\nTRANS x != 3\nINVARSPEC x < 4"),
            "a state after 1 step has no successor: CTL and LTL do not see it",
        ),
    ],
    ids=["steps", "a state", "states", "a step"],
)
def test_how_far_executions_go_is_said_in_words_of_the_language(
    found: Report, expected: str
) -> None:
    assert [expected] == [finding.message for finding in found.model]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        pytest.param(
            "lustre",
            "node top(a: int) returns (p: bool);\nvar c: int;\n"
            "let\nc = 1 -> pre c + 1; assert c > 0;\np = c > 0;\n--%PROPERTY p;\ntel;",
            {
                "contradicts the assertions: no execution has a first step",
                "contradicts the assertions: no execution has more than 1 step",
            },
            id="lustre",
        ),
        pytest.param(
            "nusmv",
            "MODULE main\nVAR x : integer;\nASSIGN init(x) := 1; next(x) := x + 1;\n"
            "INVAR x > 0\nINVARSPEC x > 0\n",
            {
                "contradicts the constraints: no execution has a first state",
                "contradicts the constraints: no execution has more than 1 state",
            },
            id="nusmv",
        ),
    ],
)
def test_a_mutant_that_ends_is_told_in_words_of_its_language(
    language: str, text: str, expected: set[str]
) -> None:
    found = report(language, text, mutate=True)

    assert expected == {m.reason for m in found.mutants if m.status is MutantStatus.STILLBORN}


COUNTER = "VAR x : integer; y : boolean; ASSIGN init(x) := 0; next(x) := x + 1;"
NO_PATH = "no reachable state begins an infinite fair path"


@pytest.mark.parametrize(
    ("fairness", "expected"),
    [
        ("FAIRNESS y & !y", [NO_PATH, NO_PATH]),
        ("FAIRNESS x < 5", [NO_PATH, NO_PATH]),
        # Branching time knows justice only.
        ("COMPASSION (TRUE, y & !y)", [NO_PATH, ""]),
        ("FAIRNESS y\nFAIRNESS !y", ["", ""]),
        ("", ["", ""]),
    ],
)
def test_solvers_too_say_that_no_path_is_fair(fairness: str, expected: list[str]) -> None:
    found = smv(f"{COUNTER}\n{fairness}\nLTLSPEC G x >= 0\nCTLSPEC AG x >= 0")

    verdicts = [finding.verdict for finding in found.properties]
    assert [PropertyVerdict.PROVED] * 2 == verdicts
    assert expected == [finding.vacuity for finding in found.properties]


def test_a_mutant_of_which_no_path_is_fair_is_stillborn() -> None:
    text = f"MODULE main\n{COUNTER} next(y) := !y;\nFAIRNESS y\nLTLSPEC G F !y\n"

    found = report("nusmv", text, mutate=True, operators=("SA0",))

    assert [""] == [finding.vacuity for finding in found.properties]
    assert [(MutantStatus.STILLBORN, NO_PATH)] == [(m.status, m.reason) for m in found.mutants]


ROUND = """MODULE main
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;
FAIRNESS x = 2
INVARSPEC {}
INVARSPEC x < 4
{}
"""


def statuses(found: Report) -> list[tuple[str, MutantStatus, tuple[str, ...]]]:
    return [(m.mutant, m.status, m.killed_by) for m in found.mutants]


@pytest.mark.parametrize("temporal", ["CTLSPEC AF x = 2", "LTLSPEC F x = 2", "CTLSPEC EF x = 2"])
def test_invariants_kill_what_has_no_fair_path(temporal: str) -> None:
    """An invariant ignores fairness, so it fails whatever else is stated."""
    memory = Memory()

    def run(stated: str, rest: str = temporal, comment: str = "") -> Report:
        text = ROUND.format(stated, rest) + comment
        return report("nusmv", text, mutate=True, operators=("MOR",), memory=memory)

    bare = report("nusmv", ROUND.format("next(x) != x", ""), mutate=True, operators=("MOR",))
    killed = run("next(x) != x")
    again = run("next(x) != x", comment="-- the same\n")
    weaker = run("next(x) <= 3")

    assert 4 == bare.statistics.killed
    assert statuses(bare) == statuses(killed) == statuses(again)
    assert 0 == again.statistics.decided
    assert 0 == again.statistics.solver_calls
    # What nothing violates is stillborn where no path is fair.
    gone = {m.mutant for m in weaker.mutants if m.reason == NO_PATH}
    assert gone == {m.mutant for m in killed.mutants if m.status is MutantStatus.KILLED}
    assert {MutantStatus.STILLBORN} == {m.status for m in weaker.mutants}


def test_nothing_takes_part_that_holds_in_no_execution() -> None:
    found = lustre("assert a > 2 and a < 2; p = a > 1;")

    (finding,) = found.properties

    assert PropertyVerdict.PROVED is finding.verdict
    assert "constraints on the first state" in finding.vacuity


@pytest.mark.parametrize(
    "found",
    [
        lustre("assert a > 2 and a < 2; p = pre a > 1;"),
        smv("VAR b : boolean; INIT b & !b\nINVARSPEC b"),
        smv("VAR x : integer; INIT x > 2 & x < 2\nINVARSPEC x = 0"),
    ],
    ids=["lustre", "finite", "infinite"],
)
def test_no_execution_is_searched_for_where_none_begins(found: Report) -> None:
    assert ["initiation"] == [finding.engine for finding in found.properties]


def test_what_refuses_a_model_leaves_its_properties_unknown() -> None:
    found = smv(
        "VAR x : 0..100000; y : 0..100000; z : 0..100000;\n"
        "ASSIGN next(z) := x + y > 200001 ? x : z + 1;\nINVARSPEC z >= 0"
    )

    assert [ModelFault.REFUSED] == [finding.fault for finding in found.model]
    assert [PropertyVerdict.UNKNOWN] == [finding.verdict for finding in found.properties]


def test_a_suppressed_mutant_of_what_is_no_model_is_ignored() -> None:
    text = """MODULE main
VAR x : 0..100000; y : 0..100000; z : 0..100000; b : boolean;
ASSIGN
  next(z) := x + y > 200001 ? x : z + 1;
  next(b) := !b; -- mutproof disable EN: for a test
INVARSPEC z >= 0
"""
    found = report("nusmv", text, mutate=True, operators=("EN",))

    assert [ModelFault.REFUSED] == [fault.fault for fault in found.model]
    assert [MutantStatus.IGNORED, MutantStatus.UNKNOWN] == sorted(
        (m.status for m in found.mutants), key=str
    )
    assert (1, 1) == (found.statistics.ignored, found.statistics.unknown)


def stated(body: str, declared: str = "") -> Report:
    text = f"node top(a: int; x: bool) returns (p: bool);\n{declared}\nlet\n{body}\n"
    return report("lustre", f"{text}--%PROPERTY p;\ntel;")


@pytest.mark.parametrize(
    ("found", "fault", "said"),
    [
        pytest.param(
            stated("c = 0 -> pre c + 1; assert c < 3; p = c < 9;", "var c: int;"),
            ModelFault.DEAD_END,
            "no execution has more than 3 steps",
            id="all executions end after as many steps as are always looked at",
        ),
        pytest.param(
            stated("c = 0 -> pre c + 1; assert c < 17; p = c < 99;", "var c: int;"),
            ModelFault.DEAD_END,
            "no execution has more than 17 steps",
            id="all executions end later",
        ),
        pytest.param(
            stated("c = x -> pre x; assert not (false -> c); p = a > 0 or a < 1;", "var c: bool;"),
            ModelFault.DEAD_END,
            "no input satisfies the assertions",
            id="some executions end",
        ),
        pytest.param(
            stated("assert a > 2; p = a > 1;"),
            ModelFault.NO_DEAD_END,
            "always let executions go on",
            id="inputs can always be chosen",
        ),
        pytest.param(
            stated(
                "c = 0 -> pre c + (if x then 1 else 0); assert c < 17; p = c < 99;", "var c: int;"
            ),
            ModelFault.NO_DEAD_END,
            "always let executions go on",
            id="inputs can be chosen so that a counter stays",
        ),
        pytest.param(
            stated(
                "c = a -> pre c + a; assert x and c < 9; p = c < 99;",
                "var c: int;",
            ),
            ModelFault.NO_DEAD_END,
            "always let executions go on",
            id="inputs can be chosen each in its own way",
        ),
        pytest.param(
            stated("c = 0 -> pre c + 1; assert c < 999; p = c < 9999;", "var c: int;"),
            ModelFault.PERHAPS_DEAD_END,
            "allow 100 steps",
            id="an end is too far",
        ),
        pytest.param(
            smv("VAR x : 0..9; INIT x = 0 TRANS next(x) = x + 1 INVARSPEC x < 99"),
            ModelFault.DEAD_END,
            "after 9 steps has no successor",
            id="states without a successor, by diagrams",
        ),
        pytest.param(
            smv("VAR x : 0..9; INIT x = 0 TRANS next(x) = x INVARSPEC x < 99"),
            ModelFault.NO_DEAD_END,
            "always let executions go on",
            id="no state without a successor",
        ),
        pytest.param(
            smv("VAR x : integer; INIT x = 0 TRANS next(x) = x + 1 INVAR x < 7 INVARSPEC x < 99"),
            ModelFault.DEAD_END,
            "no execution has more than 7 states",
            id="states without a successor, where there are no diagrams",
        ),
    ],
)
def test_ends_of_executions_are_searched_for(found: Report, fault: ModelFault, said: str) -> None:
    (finding,) = found.model

    assert fault is finding.fault
    assert said in finding.message


def test_a_mutant_whose_executions_all_end_later_is_stillborn() -> None:
    text = """
node top(i: bool) returns (c: int; p: bool);
let
  c = 0 -> if pre c >= 3 then 0 else pre c + 1;
  assert c < 10 or i and not i;
  p = c >= 0;
  --%PROPERTY p;
tel;
"""
    found = report("lustre", text, mutate=True, operators=("ifelse", "ifthen"))

    assert [
        (MutantStatus.STILLBORN, True),
        (MutantStatus.SURVIVED, False),
    ] == sorted(
        ((f.status, "no execution has more than 10 steps" in f.reason) for f in found.mutants),
        key=str,
    )


DEEP = """\
MODULE main
VAR n : 0..200; m : 0..200;
ASSIGN
  init(n) := 0; next(n) := n < 150 ? n + 1 : n;
  init(m) := 0; next(m) := m < 150 ? m + 1 : m;
"""


def test_premises_of_finite_models_are_decided_together_by_reachability() -> None:
    program = elaborated_in("nusmv", DEEP).program
    assert program is not None
    system = interpretation(program).system()
    n, m = (terms.var(name, system.variables[name].sort) for name in "nm")
    asked = {
        "late": terms.eq(n, terms.const(140, n.sort)),
        "never": terms.eq(m, terms.const(160, m.sort)),
    }
    goals = tuple(SystemProperty(name, terms.not_(term)) for name, term in asked.items())
    means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)

    found = premises.ever_hold(Slicer(replace(system, properties=goals)), asked, means)

    (late, _), (never, rests_on) = found["late"], found["never"]
    assert isinstance(late, Refuted)
    assert (140, "reachability") == (late.step, late.engine)
    assert isinstance(never, Proved)
    assert never.engine == "reachability"
    assert rests_on


ROW = """\
MODULE cell(before)
VAR n : 0..7;
ASSIGN init(n) := 0; next(n) := before & n < 5 ? n + 1 : before ? n : 0;
DEFINE on := n >= 3;
LTLSPEC G (on -> n <= 5)
LTLSPEC G (on -> X n != 1)
MODULE main
VAR go : boolean; first : cell(go); second : cell(first.on);
"""


def test_what_always_holds_is_proved_as_an_invariant_where_paths_never_end() -> None:
    def how(text: str) -> list[tuple[str, str]]:
        return [(f.engine, f.vacuity) for f in report("nusmv", text).properties]

    assert [("invariant", "")] * 4 == how(ROW)
    assert [("bdd", "")] * 4 == how(f"{ROW}FAIRNESS go\n")


def test_what_always_holds_is_proved_as_an_invariant_where_paths_may_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decide = temporal.decide

    def not_soon(*arguments: Any, means: Means, **options: Any) -> None:
        if means.budget is not proofs.BRIEF:
            decide(*arguments, means=means, **options)

    monkeypatch.setattr(temporal, "decide", not_soon)

    def found(text: str) -> dict[str, tuple[PropertyVerdict, str, str]]:
        stated = report("nusmv", text).properties
        return {f.name: (f.verdict, f.engine, f.vacuity) for f in stated}

    proved, below, five = PropertyVerdict.PROVED, "G first.n < 5", "LTLSPEC G first.n < 5\n"
    some = found(f"{ROW}TRANS first.n < 5 | go\n{five}")
    assert PropertyVerdict.FALSIFIED == some.pop(below)[0]
    assert [(proved, "invariant", "")] * 4 == [*some.values()]
    none = found(f"{ROW}TRANS second.n < 3\nTRANS next(go) & first.n < 4\n")
    assert [(proved, "invariant", Vacuity.NO_FAIR_STATE.value)] * 4 == [*none.values()]
    # No path goes on from where the property is false.
    verdict, engine, vacuity = found(f"{ROW}TRANS first.n < 5\n{five}")[below]
    assert (proved, "") == (verdict, vacuity)
    assert engine != "invariant"


def test_premises_that_diagrams_have_reached_are_not_asked_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def ever_hold(*arguments: Any) -> dict[str, Any]:
        asked.extend(arguments[1])
        return {}

    monkeypatch.setattr(premises, "ever_hold", ever_hold)
    report("nusmv", f"{ROW}FAIRNESS go\n")

    assert [] == asked


def test_ends_of_executions_are_sought_again_where_a_constraint_replaces_an_assignment() -> None:
    text = "MODULE main\nVAR x : boolean;\nASSIGN init(x) := TRUE;\nINVARSPEC NAME p := x\n"
    constrained = text.replace("ASSIGN init(x) := TRUE", "INIT x = TRUE")
    memory = Memory()

    found = [report("nusmv", t, memory=memory).model for t in (text, constrained, text)]

    assert [[], [ModelFault.NO_DEAD_END], []] == [[one.fault for one in each] for each in found]
