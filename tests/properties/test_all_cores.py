"""All minimal cores are found, each is one, and what is left open is said to be open."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import CoresFinding, PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.claims.variant import content
from mutproof.analyses.cores import removing
from mutproof.analyses.cores.all_cores import CoreLimits, CoreProof, Exploration
from mutproof.analyses.cores.cores import Cores
from mutproof.analyses.cores.map_solver import Map
from mutproof.analyses.cores.removing import Failed, Removing
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE as NUSMV
from mutproof.model.interpretation import interpretation
from mutproof.model.lower import lower
from mutproof.model.passes.inline import inlined
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices
from mutproof.runtime.messages import CODEC
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.forged import forged
from support.lustre_interpreter import truth
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, program_of, report
from support.lustre_texts import HOLD
from support.profiles import profile

ALL = Options(mutate=False, budget=BUDGET, core_search="all")
Sets = set[frozenset[Any]]


def element(number: int) -> ElementId:
    return ElementId("top", "equation", f"e{number}")


def least(sets: Sets) -> Sets:
    """Return the sets that contain no other."""
    return {one for one in sets if not any(other < one for other in sets)}


# --- the exploration, against cores known beforehand --------------------------------------------


@dataclass
class Oracle:
    """Stand in for reductions of a property whose cores are known; some answers stay open."""

    elements: tuple[ElementId, ...]
    cores: Sets
    source: random.Random
    left_open: float = 0.0
    asked: dict[frozenset[ElementId], Holds | Fails | None] = field(default_factory=dict)

    @property
    def universe(self) -> tuple[ElementId, ...]:
        return self.elements

    def shown(self, element: ElementId) -> str:
        return element.name

    def learn(self, _: str, __: Holds) -> None:
        pass

    def suffices(self, kept: frozenset[ElementId]) -> bool:
        return any(core <= kept for core in self.cores)

    def owners(self, _: Holds, kept: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return what a proof could rest on: enough, with some surplus."""
        core = self.source.choice(sorted((c for c in self.cores if c <= kept), key=sorted))
        return core | {e for e in sorted(kept) if self.source.random() < 0.3}

    def decide(
        self, _: str, gone: frozenset[ElementId], *, in_passing: bool = False
    ) -> Holds | Fails | None:
        del in_passing  # what is known does not change the answer
        kept = frozenset(self.elements) - gone
        if kept not in self.asked:
            unknown = self.source.random() < self.left_open
            known = HOLDS if self.suffices(kept) else FAILS
            self.asked[kept] = None if unknown else known
        return self.asked[kept]

    def broken(self, _: str, __: Fails, removed: tuple[ElementId, ...]) -> tuple[ElementId, ...]:
        left = set(removed)
        for one in removed:
            rest = left - {one}
            if self.source.random() < 0.5 and not self.suffices(frozenset(self.elements) - rest):
                left = rest
        return tuple(e for e in removed if e in left)


HOLDS = forged(Holds, UNCERTIFIED, frozenset(), "test")
FAILS = forged(Fails, Choices(()), 0, "test")


@st.composite
def oracles(draw: st.DrawFn, *, left_open: bool = False) -> Oracle:
    count = draw(st.integers(1, 7))
    elements = tuple(element(number) for number in range(count))
    subsets = st.frozensets(st.sampled_from(elements), max_size=count)
    cores = least(set(draw(st.lists(subsets, min_size=1, max_size=5))))
    share = draw(st.sampled_from([0.1, 0.5])) if left_open else 0.0
    return Oracle(elements, cores, draw(st.randoms(use_true_random=False)), share)


def explored(oracle: Oracle, limits: CoreLimits | None = None) -> CoresFinding:
    everything = frozenset(oracle.elements)
    told: list[CoresFinding] = []
    proof = CoreProof("p", HOLDS, everything)
    found = Exploration(oracle, proof, limits or CoreLimits()).run(told.append)  # type: ignore[arg-type]
    for number, part in enumerate(told, 1):
        assert not part.complete
        assert part.reason
        assert len(part.cores) == number
        assert set(part.cores) <= set(found.cores)
    return found


@profile(200)
@given(oracles())
def test_all_cores_are_found_once_smallest_first(oracle: Oracle) -> None:
    found = explored(oracle)

    assert found.complete
    assert found.minimal
    assert found.reason == ""
    assert oracle.cores == {frozenset(core) for core in found.cores}
    assert len(oracle.cores) == len(found.cores)
    assert sorted(map(len, found.cores)) == [len(core) for core in found.cores]
    must = frozenset.intersection(*oracle.cores)
    assert must == set(found.must)
    assert frozenset.union(*oracle.cores) - must == set(found.may)


@profile(200)
@given(oracles(left_open=True))
def test_what_stays_open_is_never_claimed(oracle: Oracle) -> None:
    found = explored(oracle)

    assert found.cores
    assert all(oracle.suffices(frozenset(core)) for core in found.cores)
    assert set(found.must) <= frozenset.intersection(*oracle.cores)
    if found.minimal:
        assert {frozenset(core) for core in found.cores} <= oracle.cores
    if found.smallest:
        assert min(map(len, oracle.cores)) == len(found.cores[0])
    if found.complete:
        assert oracle.cores == {frozenset(core) for core in found.cores}
    else:
        assert found.reason


@profile(100)
@given(oracles())
def test_a_search_for_a_smallest_core_finds_one(oracle: Oracle) -> None:
    found = explored(oracle, CoreLimits(smallest=True))

    assert found.smallest
    assert min(map(len, oracle.cores)) == len(found.cores[0])


@profile(100)
@given(oracles(), st.integers(1, 3))
def test_a_limit_is_kept_and_said(oracle: Oracle, most: int) -> None:
    found = explored(oracle, CoreLimits(cores=most))

    assert len(found.cores) <= most
    assert {frozenset(core) for core in found.cores} <= oracle.cores
    if len(oracle.cores) > most:
        assert not found.complete
        assert "as many cores as asked for" in found.reason


@profile(100)
@given(st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=5))
def test_the_map_gives_largest_sets_that_contain_no_core(cores: list[frozenset[int]]) -> None:
    elements = [element(number) for number in range(6)]
    chart = Map(elements)
    for core in cores:
        chart.block_supersets(element(number) for number in core)
    seeds: Sets = set()
    while (seed := chart.largest()) is not None:
        seeds.add(frozenset(elements) - seed)
        chart.block_without(frozenset(elements) - seed)
        if seed == frozenset(elements):
            break

    hitting = {
        frozenset(map(element, chosen))
        for size in range(7)
        for chosen in combinations(range(6), size)
        if all(not core.isdisjoint(chosen) for core in cores)
    }
    assert least(hitting) == seeds


# --- real models --------------------------------------------------------------------------------


@profile(8)
@given(models(finite=True, size=3))
def test_the_cores_are_those_of_trying_all_subsets(model: Model) -> None:
    found = accepted(model.text)
    program = program_of(found)
    if not truth(program).exact:
        return
    system = lower(program)
    elements = [e.id for e in program.elements() if e.id in system.by_owner]
    for stated in report(found, ALL).properties:
        if stated.cores is None or "." in stated.name or len(elements) > 7:
            continue
        owner = system.property(stated.name).owner
        sets: Sets = set()
        for kept in subsets_of([e for e in elements if e != owner]):
            gone = {e: None for e in program.elements() if e.id not in {*kept, owner}}
            seen = truth(program, gone)
            if not seen.exact:
                break
            if stated.name not in seen.violated:
                sets.add(frozenset(kept))
        else:
            assert not stated.cores.complete or least(sets) == set(
                map(frozenset, stated.cores.cores)
            )
            assert all(frozenset(core) in sets for core in stated.cores.cores)


def subsets_of(elements: list[ElementId]) -> list[tuple[ElementId, ...]]:
    return [kept for size in range(len(elements) + 1) for kept in combinations(elements, size)]


@profile(20)
@given(models(finite=True, size=3))
def test_a_program_by_node_instances_means_the_same(model: Model) -> None:
    program = program_of(accepted(model.text))
    split = inlined(program)
    whole, parts = truth(program), truth(split.program)

    assert {e.id for e in program.elements()} >= set(split.origins.values())
    if whole.exact and parts.exact:
        # Nodes under a clock stay, and so does what is stated in them.
        stated = {p.name for p in split.program.component(program.main).properties}
        assert {n: s for n, s in whole.violated.items() if n in stated} == {
            n: s for n, s in parts.violated.items() if n in stated
        }


def check_cores(text: str, stated: str, options: Options, *expected: str) -> CoresFinding:
    """Compare the cores of a property, each written as its elements' names."""
    finding = next(p for p in report(accepted(text), options).properties if p.name == stated)
    assert finding.cores is not None
    shown = [" ".join(e.name.split("#")[0] for e in core) for core in finding.cores.cores]
    assert list(expected) == shown
    return finding.cores


def test_two_ways_to_prove_a_property_are_two_cores() -> None:
    found = check_cores(HOLD, "p", ALL, "y u w", "y v w assert")

    assert ["y", "w"] == [e.name for e in found.must]
    assert found.complete


def test_equal_calls_are_one_call_whatever_is_removed() -> None:
    text = HOLD.replace("w = hold(a or a) or v", "w = hold(a) or v")

    found = check_cores(text, "p", ALL, "u w", "y v w assert")
    assert ["w"] == [e.name for e in found.must]


def test_no_question_is_decided_twice() -> None:
    asked: list[tuple[str, frozenset[ElementId]]] = []
    decide = Removing.decide

    def counted(self: Removing, variant: Variant, name: str, known: Any) -> Holds | Fails | None:
        asked.append((name, variant.removed))
        return decide(self, variant, name, known)

    with patch.object(Removing, "decide", counted):
        check_cores(HOLD, "p", ALL, "y u w", "y v w assert")
    assert len(set(asked)) == len(asked)


def test_what_failed_without_some_elements_is_not_tried_without_more() -> None:
    one, two = frozenset({element(1)}), frozenset({element(1), element(2)})
    certificate, failed = Certificate(1, (), ("p",)), Failed()
    failed.note(Claim(Variant("v", two), {"p"}, depth=3), ())
    failed.note(Claim(Variant("v", one), {"p"}, depth=1), (certificate,))

    assert [3, 3, 0] == [failed.depth("p", s) for s in (one, two, two | {element(3)})]
    assert failed.depth("q", one) == 0
    assert failed.without([certificate], two) == []
    assert failed.without([certificate], frozenset({element(2)})) == [certificate]


def test_all_cores_are_found_where_no_search_is_cheap() -> None:
    with patch.object(removing, "CHEAP_UNITS", 1):
        assert check_cores(HOLD, "p", ALL, "y u w", "y v w assert").complete


BY_INSTANCE = Options(mutate=False, budget=BUDGET, core_search="all", granularity="instance")


def test_a_core_by_instances_names_the_equation_of_one_call_and_its_argument() -> None:
    first = "u hold@u.x w hold@w.x hold@u.y hold@w.y"
    second = "v hold@v.x w hold@w.x assert hold@v.y hold@w.y"
    check_cores(HOLD, "p", BY_INSTANCE, first, second)


def test_equal_calls_are_one_instance() -> None:
    text = HOLD.replace("w = hold(a or a) or v", "w = hold(a) or v")

    check_cores(text, "p", BY_INSTANCE, "u w", "hold@u.x v hold@v.x w assert hold@u.y hold@v.y")


def test_candidates_of_the_source_restrict_what_a_core_can_hold() -> None:
    check_cores(HOLD.replace("--%PROPERTY p;", "--%PROPERTY p; --%IVC u, v;"), "p", ALL, "u", "v")


def test_candidates_of_called_nodes_add_to_those_of_the_main_one() -> None:
    inner = HOLD.replace("tel;", "--%IVC y; tel;", 1)
    both = inner.replace("--%PROPERTY p;", "--%PROPERTY p; --%IVC w;")
    unused = "node unused(b: bool) returns (z: bool); let z = b; --%IVC z; tel;\n"

    check_cores(inner, "p", ALL, "y")
    check_cores(both, "p", ALL, "y w")
    check_cores(unused + HOLD, "p", ALL, "y u w", "y v w assert")
    check_cores(both, "p", BY_INSTANCE, "w hold@u.y hold@w.y", "w hold@v.y hold@w.y")


@pytest.mark.parametrize("search", ["smallest", "all"])
def test_an_element_that_no_proof_needs_is_in_no_core(search: str) -> None:
    options = Options(mutate=False, budget=BUDGET, core_search=search)

    check_cores(HOLD, "q", options, "w")


def test_contradicting_assertions_are_a_core_of_their_own() -> None:
    text = (
        "node top(a, b: bool) returns (x, p: bool);\n"
        "let x = b; p = x or not b; assert a; assert not a; --%PROPERTY p;\ntel;"
    )
    meaning = interpretation(program_of(accepted(text)))
    system = meaning.system()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    # An analysis reports the contradiction instead.
    everything = frozenset(e for e in system.by_owner if e is not None)
    holds = forged(Holds, Certificate(1, (), ("p",)), content(system), "test")
    cores = Cores(meaning, system, means, KnownReductions())
    ((_, found),) = cores.of([CoreProof("p", holds, everything)], CoreLimits())

    assert found.complete
    assert [["x"], ["assert", "assert"]] == [
        [e.name.split("#")[0] for e in core] for core in found.cores
    ]


def test_cores_cross_to_another_process_as_they_are() -> None:
    one, two, three = map(element, range(3))
    cores = CoresFinding(((one,), (two, three)), (), (one,), False, True, True, "out of time")
    finding = PropertyFinding("p", "top", "p", PropertyVerdict.PROVED, cores=cores)

    assert finding == CODEC.decode(CODEC.encode(finding))


STAYS = """\
MODULE main
VAR a : boolean; b : boolean;
ASSIGN
  init(a) := TRUE; next(a) := a;
  init(b) := TRUE; next(b) := b;
INVARSPEC NAME safe := {};
"""


def test_a_property_that_says_something_else_has_other_cores() -> None:
    memory = Memory()

    def cores(said: str) -> list[list[str]]:
        text = SourceText("stays.smv", STAYS.format(said))
        found = report(NUSMV.elaborate(NUSMV.parse(text)), ALL, memory).properties[0].cores
        assert found is not None
        assert found.complete
        return [[f"{e.kind} {e.name}" for e in core] for core in found.cores]

    first, second = ["init a", "next a"], ["init b", "next b"]
    assert [first, second] == cores("a | b")
    assert [first + second] == cores("a & b")
    assert [first] == cores("a")


OTHER_REASON = """\
node top(i: bool) returns (a, b, c, p: bool);
let
  a = true -> pre a;
  b = true -> pre c and (pre b or pre c);
  c = true -> pre b;
  p = a or b;
  --%PROPERTY p;
tel;
"""


@pytest.mark.parametrize(("units", "size"), [(None, 1), (0, 3), (10**9, 1)])
def test_effort_of_engines_only_limits_what_is_decided(units: int | None, size: int) -> None:
    meaning = interpretation(program_of(accepted(OTHER_REASON)))
    system = meaning.system()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    everything = frozenset(e for e in system.by_owner if e is not None)
    holds = forged(Holds, Certificate(1, (), ("p",)), content(system), "test")
    cores = Cores(meaning, system, means, KnownReductions())
    limits = CoreLimits(cores=1, engine_units=units)
    ((_, found),) = cores.of([CoreProof("p", holds, everything)], limits)

    assert (size, size == 1) == (len(found.cores[0]), found.minimal)
    assert found.must == ()
