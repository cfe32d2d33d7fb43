"""Properties of infinite paths, decided by a solver, mean what an explicit search says."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving import certify
from mutproof.solving.liveness import (
    LinearFailure,
    LinearProof,
    LinearVerdict,
    Way,
    prove_linear,
)
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Unknown
from support.explicit import explore
from support.oracles import Graph
from support.profiles import profile
from support.relational_systems import BRANCHING, LINEAR, OF_STEPS, stating, systems

BUDGET = Budget(12_000_000, 10.0)
LONGEST_LASSO = 4
SPACER = SpacerProcess()


@pytest.fixture(scope="module", autouse=True)
def _spacer_ends():
    yield
    SPACER.close()


def decided(system: TransitionSystem, name: str = "p0") -> LinearVerdict:
    """Return a verdict; a proof was checked again on the product it names."""
    found = prove_linear(system, name, BUDGET, SPACER)
    if isinstance(found, LinearProof):
        assert certify.Checked(True) == certify.certify(found.system, found.certificate, BUDGET)
        assert found.goal in found.certificate.goals
    return found


def check_path(graph: Graph, trace: Trace) -> list[tuple]:
    """Return the states of a lasso, or of an execution from which a fair path goes on."""
    assert trace.loop == trace.choices.loop
    if trace.loop is None:
        return begun(graph, trace)
    rows = [graph.row(dict(step)) for step in trace.steps]
    assert rows[0] in graph.space.initial
    for row, other in itertools.pairwise([*rows, rows[trace.loop]]):
        assert other in graph.after[row]
    for row, chosen in zip(rows, trace.choices.steps, strict=True):
        assert graph.system.chosen == frozenset(chosen)
        assert chosen.items() <= dict(zip(graph.space.names, row, strict=True)).items()
    return rows


def begun(graph: Graph, trace: Trace) -> list[tuple]:
    """Return the states of an execution that is given by some of its values."""
    paths: list[list[tuple]] = []
    for number, step in enumerate(trace.steps):
        alike = [
            r
            for r in graph.rows
            if step.items() <= dict(zip(graph.space.names, r, strict=True)).items()
        ]
        if number == 0:
            paths = [[row] for row in alike if row in graph.space.initial]
        else:
            paths = [[*p, row] for p in paths for row in alike if row in graph.after[p[-1]]][:64]
    paths = [path for path in paths if path[-1] in graph.fair]
    assert paths
    return paths[0]


def test_random_linear_properties_are_decided_as_an_explicit_search_does() -> None:
    counts: Counter[str] = Counter()

    @profile(40)
    @given(systems(), LINEAR)
    def check(system: TransitionSystem, formula: Term) -> None:
        system = replace(stating(system, PropertyKind.LTL, formula), relational=True)
        space = explore(system)
        assert space is not None
        graph = Graph(system, space)
        found = decided(system)
        counts[type(found).__name__] += 1
        if isinstance(found, LinearFailure):
            rows, loop = check_path(graph, found.trace), found.trace.loop
            if loop is None:
                for path, back in itertools.islice(graph.lassos(LONGEST_LASSO), 60):
                    assert path[: len(rows)] != rows or not graph.holds_on(formula, path, back)
            else:
                assert graph.is_fair(rows[loop:])
                assert not graph.holds_on(formula, rows, loop)
        if isinstance(found, LinearProof):
            for path, loop in itertools.islice(graph.lassos(LONGEST_LASSO), 60):
                assert graph.holds_on(formula, path, loop)

    check()
    assert counts["Unknown"] <= counts.total() // 10
    assert min(counts["LinearFailure"], counts["LinearProof"]) > 5


def test_random_branching_properties_without_choice_are_decided_too() -> None:
    counts: Counter[str] = Counter()

    @profile(60)
    @given(systems(), BRANCHING)
    def check(system: TransitionSystem, formula: Term) -> None:
        system = replace(stating(system, PropertyKind.CTL, formula), relational=True)
        found = decided(system)
        counts[type(found).__name__] += 1
        if isinstance(found, Unknown):
            counts[found.reason[:2]] += 1
            return
        space = explore(system)
        assert space is not None
        graph = Graph(system, space)
        failing = set(space.initial) & graph.fair - graph.satisfying(formula)
        assert isinstance(found, LinearFailure) == bool(failing)
        if isinstance(found, LinearFailure):
            rows = check_path(graph, found.trace)
            assert rows[0] in graph.any_input(failing)

    check()
    other_logic = counts["it"]
    assert counts["Unknown"] - other_logic <= counts.total() // 20
    assert counts["LinearProof"] > 5
    assert counts["LinearFailure"] > 5


def test_what_is_said_of_all_steps_is_decided_as_by_trying_each() -> None:
    counts: Counter[str] = Counter()

    @profile(60)
    @given(systems(), OF_STEPS)
    def check(system: TransitionSystem, formula: Term) -> None:
        system = stating(replace(system, compassion=()), PropertyKind.LTL, formula)
        system = replace(system, relational=True)
        found = decided(system)
        counts[type(found).__name__] += 1
        if isinstance(found, LinearProof):
            counts[found.way.value] += 1
        space = explore(system)
        assert space is not None
        graph = Graph(system, space)
        lasting = {row for row in graph.rows if not graph.fair.isdisjoint(graph.after[row])}
        failing = any(
            other in lasting and not graph.holds_on(formula.args[0], [row, other], 1)
            for row in graph.rows
            for other in graph.after[row]
        )
        if not isinstance(found, Unknown):
            assert isinstance(found, LinearFailure) == failing

    check()
    assert counts["Unknown"] <= counts.total() // 20
    assert counts[Way.INVARIANT.value] > 5
    assert counts["LinearFailure"] > 5


def verdict(model: str, stated: str) -> LinearVerdict:
    source = SourceText("model.smv", f"MODULE main {model} {stated}")
    found = LANGUAGE.elaborate(LANGUAGE.parse(source))
    assert found.program is not None, found.diagnostics
    system = interpretation(found.program).system()
    (name,) = (stated.name for stated in system.properties)
    return decided(system, name)


COUNTER = "VAR n : 0..3; ASSIGN init(n) := 0; next(n) := (n + 1) mod 4;"
DEAD_END = "VAR n : 0..2; INIT n = 0; TRANS n = 0 & next(n) in {0, 1};"
DYING = (
    "VAR b : boolean; k : integer; TRANS next(k) > k + 2 & k < next(k) - 3 & next(k) < 3 & k > -3;"
)
UNBOUNDED = "VAR k : integer; ASSIGN init(k) := 0; next(k) := k >= 5 ? 0 : k + 1;"
CLIMBING = "VAR k : integer; ASSIGN init(k) := 0; next(k) := k + 1;"
WAITING = """
    VAR r : boolean; w : integer;
    ASSIGN init(r) := FALSE; init(w) := 0;
      next(w) := r & w < 4 ? w + 1 : 0;
      next(r) := case !r : {FALSE, TRUE}; w = 4 : FALSE; TRUE : {FALSE, TRUE}; esac;
"""
DRAINING = "VAR x : real; INIT x >= 0 & x <= 10; TRANS next(x) = x - 1;"
FAIR_RUN = """
    IVAR run : boolean; VAR k : integer;
    ASSIGN init(k) := 0; next(k) := run ? (k = 3 ? 0 : k + 1) : k;
    JUSTICE run;
"""
FALLING = "VAR k : integer; INIT k >= 0; ASSIGN next(k) := k > 0 ? k - 1 : k;"
RISING = """
    FROZENVAR limit : integer;
    IVAR run : boolean; VAR k : integer;
    ASSIGN init(k) := 0; next(k) := run & k < limit ? k + 1 : k;
    JUSTICE run;
"""
STEPPING = "VAR x : real; TRANS next(x) <= x - 1;"
PAIR = "VAR b : boolean; c : boolean; COMPASSION(b, c);"
WORDS = """
    VAR w : unsigned word[3]; s : {idle, busy};
    ASSIGN init(w) := 0ud3_0; next(w) := w + 0ud3_3;
      init(s) := idle; next(s) := w = 0ud3_1 ? busy : idle;
"""


@pytest.mark.parametrize(
    ("model", "stated"),
    [
        (COUNTER, "LTLSPEC G n < 4"),
        (COUNTER, "LTLSPEC G F n = 3"),
        (COUNTER, "LTLSPEC G (n = 3 -> O [3, 3] n = 0)"),
        (COUNTER, "LTLSPEC F [3, 3] n = 3"),
        (COUNTER, "LTLSPEC G (next(n) = 0 <-> n = 3)"),
        (COUNTER, "LTLSPEC !H [1, 1] TRUE & X H [1, 1] TRUE"),
        (COUNTER, "LTLSPEC (n < 2) U (n = 2)"),
        (COUNTER, "SPEC A [ n < 3 U n = 3 ]"),
        (COUNTER, "SPEC AG (n = 1 -> ABF 2..2 n = 3)"),
        (COUNTER, "SPEC AG (n = 1 -> AX AX n = 3)"),
        (COUNTER, "SPEC A [ n = 0 | n = 1 BU 2..2 n = 2 ]"),
        (COUNTER, "SPEC AG AF n = 0"),
        (COUNTER, "SPEC !EF n > 3"),
        (COUNTER, "SPEC !E [ n < 2 U n = 3 ]"),
        (DEAD_END, "SPEC AG n = 0"),
        (DEAD_END, "LTLSPEC G n = 0"),
        (DYING, "LTLSPEC G F b"),
        (DYING, "SPEC AF b"),
        ("VAR b : boolean; JUSTICE b;", "LTLSPEC G F b"),
        ("VAR b : boolean; JUSTICE FALSE;", "LTLSPEC FALSE"),
        ("VAR b : boolean; INIT b & !b;", "LTLSPEC FALSE"),
        (PAIR, "LTLSPEC G F b -> G F c"),
        (PAIR, "LTLSPEC F G !b | G F c"),
        (UNBOUNDED, "LTLSPEC G (k >= 0 & k <= 5)"),
        (UNBOUNDED, "LTLSPEC G F k = 5"),
        (UNBOUNDED, "SPEC AG AF k = 0"),
        (UNBOUNDED, "LTLSPEC G (k = 2 -> F [0, 3] k = 5)"),
        (CLIMBING, "LTLSPEC F k > 6"),
        (CLIMBING, "LTLSPEC F G k > 3"),
        (CLIMBING, "LTLSPEC G (k > 0 -> O k = 0)"),
        (WAITING, "LTLSPEC G (r -> F !r)"),
        (DRAINING, "LTLSPEC F x < 0"),
        (FAIR_RUN, "LTLSPEC G F k = 0"),
        (FALLING, "LTLSPEC F k = 0"),
        (FALLING, "LTLSPEC F G k = 0"),
        (RISING, "LTLSPEC F k >= limit"),
        (RISING, "SPEC AF k >= limit"),
        (STEPPING, "LTLSPEC F x < 0"),
        (WORDS, "LTLSPEC G F w = 0ud3_1"),
        (WORDS, "LTLSPEC G (s = busy -> Y w = 0ud3_1)"),
        (WORDS, "LTLSPEC G (w = 0ud3_1 -> X s = busy)"),
        (COUNTER, "LTLSPEC G (n = 1 -> X X n = 3)"),
        (DEAD_END, "LTLSPEC G (n = 0 -> X n = 0)"),
        (DEAD_END, "LTLSPEC G X n = 0"),
        (FAIR_RUN, "LTLSPEC G (k = 1 -> X (k = 1 | k = 2)) & G (k = 3 -> X k in {0, 3})"),
    ],
)
def test_what_holds_on_all_paths_is_proved(model: str, stated: str) -> None:
    assert isinstance(verdict(model, stated), LinearProof)


@pytest.mark.parametrize(
    ("model", "stated", "length"),
    [
        (COUNTER, "LTLSPEC F G n = 0", 4),
        (COUNTER, "LTLSPEC G n < 3", 4),
        (COUNTER, "SPEC AF n > 3", 4),
        (COUNTER, "SPEC AG n < 2", 3),
        (DEAD_END, "LTLSPEC F n = 1", 1),
        (PAIR, "LTLSPEC !(F b & G !c)", None),
        (PAIR, "SPEC !EG (b & !c)", 1),
        (UNBOUNDED, "LTLSPEC F G k < 5", 6),
        (UNBOUNDED, "LTLSPEC G (k = 2 -> F [0, 2] k = 5)", 5),
        (FAIR_RUN, "LTLSPEC G (k = 1 -> X k = 2)", None),
        (CLIMBING, "LTLSPEC G (k < 3 -> F FALSE)", 1),
        (CLIMBING, "LTLSPEC G (k = 2 -> k = 2 U FALSE)", 3),
        (WORDS, "LTLSPEC G w < 0ud3_7", 6),
        (WORDS, "LTLSPEC G s = idle", 5),
    ],
)
def test_it_fails_on_a_shortest_execution(model: str, stated: str, length: int | None) -> None:
    found = verdict(model, stated)

    assert isinstance(found, LinearFailure)
    if length is not None:
        assert length == found.trace.length


@pytest.mark.parametrize(
    ("model", "stated"),
    [
        (COUNTER, "SPEC EF n = 3"),
        (COUNTER, "SPEC AF AG n = 3"),
        (COUNTER, "SPEC AG EF n = 3"),
        (COUNTER, "SPEC AF n = 3 | AF n = 2"),
        (COUNTER, "INVARSPEC n < 4"),
    ],
)
def test_what_speaks_of_more_than_paths_is_left_to_others(model: str, stated: str) -> None:
    assert Unknown("it speaks of more than single paths", 0) == verdict(model, stated)


def test_a_path_that_never_returns_is_no_counterexample_to_show() -> None:
    found = prove_linear(system_stating(CLIMBING, "LTLSPEC G F k = 0"), "p", Budget(1_000_000, 2.0))

    assert isinstance(found, Unknown)


@pytest.mark.parametrize("whole", [False, True])
def test_a_whole_path_is_shown_where_that_is_asked(whole: bool) -> None:
    model = "VAR b : boolean; FAIRNESS b"

    found = prove_linear(
        system_stating(model, "LTLSPEC FALSE"), "p", BUDGET, SPACER, to_the_end=whole
    )

    assert isinstance(found, LinearFailure)
    assert whole == (found.choices.loop is not None)


def system_stating(model: str, stated: str) -> TransitionSystem:
    """Return the system of a model whose only property is renamed to `p`."""
    source = SourceText("model.smv", f"MODULE main {model} {stated}")
    found = LANGUAGE.elaborate(LANGUAGE.parse(source))
    assert found.program is not None, found.diagnostics
    system = interpretation(found.program).system()
    (only,) = system.properties
    return replace(system, properties=(replace(only, name="p"),))
