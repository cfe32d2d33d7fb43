"""What is supposed of survivors agrees with a search through all pairs of executions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from unittest import mock

import pytest
from hypothesis import given

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.observation import Observation, Scope, observation
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.claims.verdict import (
    Equivalent,
    Gap,
    KnownSurvivors,
    Supposed,
    Undetermined,
)
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence import pairs, simulation, survivors
from mutproof.analyses.equivalence.decide import Comparison, decide
from mutproof.analyses.equivalence.limits import SHORTENING_IN_ALL, ComparisonLimits, Shortening
from mutproof.analyses.equivalence.look import Look
from mutproof.analyses.equivalence.pairs import Pairs
from mutproof.analyses.equivalence.product import GOAL, product, unprimed
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.analyses.equivalence.suppositions import Suppositions
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.equivalence.unchanged import Same, Unchanged, unchanged
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.budget import Budget
from mutproof.model import exploration, terms
from mutproof.model.evaluator import Evaluator
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import Lowering
from mutproof.model.program import Program
from mutproof.model.trace import Choices
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.workspace.enumeration import enumerate_mutants
from support.explicit_product import apart
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import bodies, options, program_of
from support.profiles import profile

EXAMPLES = 12
LOOKED_AT = 8
BUDGET = Budget(timeout_s=60)


def means() -> Means:
    return Means(BUDGET, SpacerProcess(), Benches(), lambda: None)


class Group:
    """Look at mutants of one program as survivors are looked at."""

    def __init__(self, program: Program, mutants: tuple[Mutant, ...], scope: Scope) -> None:
        self.program = program
        self.mutants = mutants
        meaning = interpretation(program)
        self.baseline = Baseline(meaning, meaning.system(), {}, {})
        self.load = Mutants(self.baseline, mutants).lowered(lambda: None)
        self.system = self.load.system
        self.executions = PairedExecutions(self.system)
        self.observation: Observation = observation(Lowering(program), scope)

    def differs(self, mutant: Mutant) -> Callable[[Choices, str], tuple[Gap, Difference] | None]:
        changed = bodies(self.program, mutant)
        compared = self.observation.variables
        here, there = Evaluator(self.program), Evaluator(self.program)
        return lambda choices, how: Notary().gap(
            here.run, lambda c: there.run(c, changed), compared, choices, how=how
        )

    def look(self, mutant: Mutant) -> Look | None:
        """Return a look at a mutant that only gives definitions another meaning."""
        variant = self.load.claims[mutant.id].variant
        changed = applied(self.system, variant)
        if unchanged(self.system, changed) is None:
            return None
        whole = product(self.system, changed, self.observation)
        look = Look(variant, changed, whole, b"", self.differs(mutant))
        look.sighted = look.see(self.executions)
        return look

    def looks(self) -> dict[str, Look]:
        found = {mutant.id: self.look(mutant) for mutant in self.mutants}
        return {
            name: look
            for name, look in found.items()
            if look is not None and look.whole.goal is not terms.TRUE
        }

    def apart(self, name: str) -> tuple[int | None, bool]:
        (mutant,) = (mutant for mutant in self.mutants if mutant.id == name)
        everything = self.observation.scope is Scope.ALL
        seen = apart(self.program, bodies(self.program, mutant), everything=everything)
        return seen.step, seen.exact


def suppositions(together: Group) -> Suppositions:
    known = together.system, (), together.executions, means()
    return Suppositions(*known, shortening=Shortening())


def group(text: str, source: random.Random) -> Group:
    found = accepted(text)
    everything = enumerate_mutants(found, options("paper"))
    chosen = source.sample(everything, min(LOOKED_AT, len(everything)))
    return Group(program_of(found), tuple(chosen), source.choice(tuple(Scope)))


def check_look(together: Group, name: str, look: Look) -> None:
    """Compare what is said of a survivor with the search."""
    step, exact = together.apart(name)
    assert step is None or look.explored <= step
    if look.sighted is not None and exact:
        assert step is not None
        assert step < len(look.sighted.choices.steps)
    if look.supposed is not None:
        question = Comparison(look.whole, look.confirm, supposed=look.supposed)
        verdict = decide(question, ComparisonLimits(BUDGET))
        if step is not None:
            assert isinstance(verdict, Gap)
            assert step <= verdict.step
        elif isinstance(verdict, Equivalent):
            assert look.supposed.how == verdict.how


def check_supposed(model: Model, source: random.Random) -> None:
    """Compare what is supposed of mutants of a model with the search."""
    together = group(model.text, source)
    looks = together.looks()
    suppositions(together).suppose(looks)
    for name, look in looks.items():
        check_look(together, name, look)


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_what_is_supposed_is_so_and_what_was_explored_shows_no_difference(
    model: Model, source: random.Random
) -> None:
    check_supposed(model, source)


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_before_a_difference_that_was_seen_as_many_states_show_none_as_is_said(
    model: Model, source: random.Random
) -> None:
    together = group(model.text, source)
    sighted = {n: look for n, look in together.looks().items() if look.sighted is not None}
    suppositions(together).delay(sighted)
    for name, look in sighted.items():
        check_look(together, name, look)


def test_a_change_that_first_shows_when_it_was_seen_is_seen_first() -> None:
    found = accepted(
        "node top(up: bool) returns (n: int; high, p: bool);\n"
        "let\n  n = 0 -> if up and pre n < 9 then pre n + 1 else 0;\n"
        "  high = n > 5;\n  p = n >= 0;\n  --%PROPERTY p;\ntel;"
    )
    mutants = tuple(
        m for m in enumerate_mutants(found, options("paper")) if "high" in str(m.element)
    )
    together = Group(program_of(found), mutants, Scope.OUTPUTS)
    climbs = Choices(tuple({"up": True} for _ in range(10)))
    looks = together.looks()
    for look in looks.values():
        look.sighted = look.confirm(climbs, "simulation")
    sighted = {name: look for name, look in looks.items() if look.sighted is not None}
    suppositions(together).delay(sighted)
    lengths = [look.length - 1 for look in sighted.values()]
    assert lengths == [look.explored for look in sighted.values()]
    assert max(lengths) > 4


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_so_it_is_where_no_product_is_visited_and_hardly_any_execution_known(
    model: Model, source: random.Random
) -> None:
    nothing = exploration.ExplorationLimits(0, 0)
    with (
        mock.patch.object(pairs, "ExplorationLimits", return_value=nothing),
        mock.patch.object(pairs, "PART", nothing),
        mock.patch.object(simulation, "RUNS", 1),
        mock.patch.object(simulation, "FAR_RUNS", 1),
        mock.patch.object(simulation, "STEPS", 1),
        mock.patch.object(simulation, "LONGER_RUNS", 1),
        mock.patch.object(simulation, "LONGER_STEPS", 1),
    ):
        check_supposed(model, source)


@profile(EXAMPLES)
@given(models(finite=True, size=3), sources())
def test_pairs_are_visited_until_they_differ(model: Model, source: random.Random) -> None:
    together = group(model.text, source)
    visits = Pairs()
    for name, look in together.looks().items():
        found = visits.visit(look.whole)
        step, exact = together.apart(name)
        if isinstance(found, Supposed):
            assert step is None
            assert certify.certify(look.whole.system, found.certificate, BUDGET).ok
        elif found is not None:
            confirmed = look.confirm(unprimed(found), "exploration")
            assert confirmed is not None
            assert not exact or step == confirmed.step


def verdicts(
    text: str, element: str, known: KnownSurvivors | None = None
) -> Mapping[str, Equivalence]:
    """Return the verdicts on the mutants of an element, by what they change."""
    kept = {} if known is None else known
    found = accepted(text)
    mutants = tuple(
        mutant
        for mutant in enumerate_mutants(found, options("default"))
        if mutant.element.name == element
    )
    meaning = interpretation(program_of(found))
    baseline = Baseline(meaning, meaning.system(), {}, {})
    decided = Survivors(baseline, mutants, Scope.OUTPUTS, means())
    return {mutant.summary: decided.decide(mutant.id, kept) for mutant in mutants}


SATURATED = """\
node top(a: int) returns (o: bool);
var n: int; full: bool;
let
  n = 0 -> if a > 3 and pre n < 7 then pre n + 1 else pre n;
  full = n >= 8;
  o = full;
tel;
"""


def test_a_change_that_no_reachable_state_shows_is_none() -> None:
    found = verdicts(SATURATED, "full")["`>=` → `>`"]
    assert EquivalenceStatus.EQUIVALENT is found.status
    assert "signal equalities" in found.strengthening


def test_a_change_that_is_none_in_what_assertions_allow_may_change_what_they_allow() -> None:
    text = "node top(a: int) returns (o: int);\nvar x: bool; let x = a > 3; assert x; o = a; tel;"
    found = verdicts(text, "x")["`>` → `>=`"]
    assert EquivalenceStatus.GAP is found.status
    assert (0, True, "mutant") == (found.step, found.shortest, found.allowed)


def test_all_states_of_a_small_product_are_visited() -> None:
    text = (
        "node top(a: bool) returns (o: bool);\n"
        "var x, y: bool; let x = false -> pre a; y = false -> pre a; o = x and y; tel;"
    )
    found = verdicts(text, "o")
    both = [found["`and` → its left operand"], found["`and` → its right operand"]]
    assert ["exploration", "exploration"] == [verdict.how for verdict in both]
    assert {EquivalenceStatus.EQUIVALENT} == {verdict.status for verdict in both}


def test_what_the_whole_alone_excludes_is_supposed_of_the_whole() -> None:
    text = (
        "node top(a, b: bool) returns (o: bool);\nlet o = a -> pre o; assert b; assert not b; tel;"
    )
    found = verdicts(text, "o")
    assert {EquivalenceStatus.EQUIVALENT} == {verdict.status for verdict in found.values()}
    assert {"exploration"} == {verdict.how for verdict in found.values()}


def test_a_proof_by_assertions_about_other_variables_rests_on_these() -> None:
    text = (
        "node top(a, b, c: bool) returns (o: bool);\nlet o = a -> pre o; assert b; assert {}; tel;"
    )
    known: KnownSurvivors = {}
    contradiction = verdicts(text.format("not b"), "o", known)
    assert {EquivalenceStatus.EQUIVALENT} == {one.status for one in contradiction.values()}
    after = verdicts(text.format("c"), "o", known)
    assert EquivalenceStatus.GAP in {one.status for one in after.values()}
    assert {name: one.status for name, one in after.items()} == {
        name: one.status for name, one in verdicts(text.format("c"), "o").items()
    }


def only(text: str, element: str, summary: str) -> tuple[Group, Look]:
    found = accepted(text)
    (mutant,) = (
        m
        for m in enumerate_mutants(found, options("default"))
        if (m.element.name, m.summary) == (element, summary)
    )
    together = Group(program_of(found), (mutant,), Scope.OUTPUTS)
    (look,) = together.looks().values()
    return together, look


def test_a_certificate_that_proves_nothing_is_not_believed() -> None:
    text = SATURATED.replace("8", "6")
    _, look = only(text, "full", "`>=` → `>`")
    equal = look.whole.equalities()
    for lemmas in ((), equal, (*equal, terms.FALSE)):
        supposed = Supposed("a guess", Certificate(1, lemmas, (GOAL,)))
        verdict = decide(
            Comparison(look.whole, look.confirm, supposed=supposed), ComparisonLimits(BUDGET)
        )
        assert isinstance(verdict, Gap)
        assert (6, True) == (verdict.step, verdict.shortest)


@pytest.mark.parametrize("limit", [8, 5])
def test_the_first_state_that_shows_a_change_is_found(limit: int) -> None:
    together, look = only(SATURATED.replace("8", "6"), "full", "`>=` → `>`")
    statement = unchanged(together.system, look.changed)
    assert statement is not None
    prover = Unchanged(together.system, (), means())
    both = {"it": statement, "same": statement}
    found, less = prover.explore(both, {"it": limit, "same": 3}, BUDGET).values()

    assert (min(limit, 6), None) == (found.depth, less.choices)
    assert 3 == less.depth
    assert (limit > 6) == (found.choices is not None)
    assert {} == prover.prove({"it": statement})
    if found.choices is not None:
        assert look.confirm(found.choices, "bmc") is not None


def test_changes_that_say_the_same_share_a_proof_that_holds_of_products() -> None:
    together, look = only(SATURATED, "full", "`>=` → `>`")
    statement = unchanged(together.system, look.changed)
    assert statement is not None
    prover = Unchanged(together.system, (), means())
    found = prover.prove({"one": statement, "other": statement})

    assert {"one", "other"} == found.keys()
    for same in found.values():
        assert isinstance(same, Same)
        assert statement in same.lemmas
        lemmas = (*same.lemmas, *look.whole.equalities())
        certificate = Certificate(same.k, lemmas, (GOAL,))
        assert certify.certify(look.whole.system, certificate, BUDGET).ok


IN_TURN = """\
node top(go: bool) returns (high: bool);
var n: int;
let
  n = 0 -> if go then pre n + 1 else pre n;
  high = n > 5;
tel;
"""


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Leave all survivors undetermined; return what was to be spent on each."""
    spent: list[int] = []

    def undetermined(question: Comparison, limits: ComparisonLimits) -> Undetermined:
        spent.append(limits.budget.rlimit)
        return Undetermined("not tried", 0)

    monkeypatch.setattr(survivors, "decide", undetermined)
    return spent


def test_the_more_survivors_stay_undetermined_the_less_is_spent_on_each(
    patience: list[int],
) -> None:
    found = verdicts(IN_TURN, "n")
    assert {EquivalenceStatus.UNDETERMINED} == {verdict.status for verdict in found.values()}
    first = patience[0]
    assert [first, first // 2, first // 4, first // 8, first // 16, first // 16] == patience[:6]


def test_what_was_left_open_in_haste_is_asked_again_with_more_patience(
    patience: list[int],
) -> None:
    found = accepted(IN_TURN)
    mutants = tuple(
        mutant
        for mutant in enumerate_mutants(found, options("default"))
        if mutant.element.name == "n"
    )[:6]
    meaning = interpretation(program_of(found))
    baseline = Baseline(meaning, meaning.system(), {}, {})
    known: KnownSurvivors = {}
    for order, asked in (((0, 1, 2), 3), ((0, 1, 2), 0), ((2, 0, 1), 1), ((2, 0, 1), 0)):
        patience.clear()
        decided = Survivors(baseline, mutants, Scope.OUTPUTS, means())
        for number in order:
            decided.decide(mutants[number].id, known)
        assert asked == len(patience)


def test_no_more_is_spent_on_shorter_differences_than_there_is_for_a_model() -> None:
    together, look = only(IN_TURN, "high", "`>` → `>=`")
    late = Choices((*({"go": False} for _ in range(20)), *({"go": True} for _ in range(9))))
    look.sighted = look.confirm(late, "simulation")
    assert look.sighted is not None
    question = Comparison(look.whole, look.confirm, sighted=look.sighted)

    over = ComparisonLimits(BUDGET)
    over.shortening.charge(SHORTENING_IN_ALL)
    kept, shortened = (decide(question, limits) for limits in (over, ComparisonLimits(BUDGET)))
    assert isinstance(kept, Gap)
    assert isinstance(shortened, Gap)
    assert (24, False) == (kept.step, kept.shortest)
    assert (5, True) == (shortened.step, shortened.shortest)

    mine = Shortening()
    mine.charge(SHORTENING_IN_ALL)
    known = together.system, (), together.executions, means()
    Suppositions(*known, shortening=mine).delay({"it": look})
    assert 0 == look.explored
    suppositions(together).delay({"it": look})
    assert 5 == look.explored
