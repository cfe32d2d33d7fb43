"""Proofs found near to goals are proofs, and rest on no more than they say."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.budget import Budget, Deadline
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL, INT, IntSort
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify, portfolio
from mutproof.solving import local as local_proofs
from mutproof.solving.engine import Each, Task
from mutproof.solving.engines import intervals, k_induction
from mutproof.solving.local import Local, Share
from mutproof.solving.local_part import LocalPart
from mutproof.solving.shares import Shares
from mutproof.solving.solver import Answer, Formula, Solver
from mutproof.solving.verdict import Certificate, Proved
from mutproof.solving.workshop import Workshop
from mutproof.solving.z3_context import Z3Context
from support import explicit, explicit_state, relational_systems, systems
from support.profiles import profile
from support.systems import DEFINED, INIT, INPUT, INVAR, STATE, TRANS, define, integer, le

BUDGET = Budget(rlimit=40_000_000, timeout_s=300)


def found_near(
    system: TransitionSystem, k: int, sizes: tuple[int, ...], *, joint: bool = False
) -> dict[str, Share]:
    """Return what is proved in parts of some sizes, by the names of properties."""
    local = Local(system, Workshop(), lambda solver, assumed: solver.check(assumed))
    names = {stated.term: stated.name for stated in system.properties}
    return {
        names[share.goal]: share
        for shares in local.search(k, list(names), (), sizes, joint=joint)
        for share in shares
    }


def row(cells: int, *, broken: int | None = None) -> TransitionSystem:
    """Return counters in a row: each follows the one before it and stays at most 3."""
    variables = {"start": (BOOL, INPUT)}
    constraints, properties = [], {}
    busy = terms.var("start", BOOL)
    for cell in range(cells):
        n, top = integer(f"n{cell}"), terms.var(f"top{cell}", BOOL)
        variables |= {f"n{cell}": (INT, STATE), f"top{cell}": (BOOL, DEFINED)}
        most = 4 if cell == broken else 3
        up = terms.and_(busy, terms.compare(Op.LT, n, terms.int_(most)))
        constraints += [
            define(INIT, f"n{cell}", terms.int_(0)),
            define(TRANS, f"n{cell}", terms.ite(up, systems.add(n, 1), n)),
            define(INVAR, f"top{cell}", systems.ge(n, 3)),
        ]
        properties[f"bounded{cell}"] = le(n, 3)
        busy = top
    return systems.system(variables, constraints, properties)


def owners(*names: str) -> frozenset[object]:
    return frozenset(systems.owner(name) for name in names)


@profile(25)
@given(systems.systems(), st.integers(1, 2), st.sampled_from([(1,), (2, 4), (1, 1000), (1000,)]))
def test_what_is_proved_in_parts_holds_wherever_its_elements_are(
    system: TransitionSystem, k: int, sizes: tuple[int, ...]
) -> None:
    proved = found_near(system, k, sizes)
    for name, share in proved.items():
        certificate = Certificate(k, share.lemmas, (name,))
        assert certify.certify(system, certificate).ok
        assert certify.certify(system, certificate, owners=share.owners).ok
    with contextlib.suppress(explicit_state.TooLargeError):
        assert proved.keys().isdisjoint(explicit_state.shortest_failures(system))


@profile(40)
@given(
    relational_systems.systems(),
    st.lists(relational_systems.STATES, min_size=1, max_size=3),
    st.integers(1, 2),
    st.sampled_from([(1,), (2, 4), (1, 1000)]),
)
def test_what_is_proved_in_parts_holds_in_systems_that_relate_states(
    system: TransitionSystem, stated: list[terms.Term], k: int, sizes: tuple[int, ...]
) -> None:
    system = relational_systems.stating(system, PropertyKind.INVARIANT, *stated)
    system = replace(system, relational=True)
    space = explicit.explore(system)
    assert space is not None
    for name, share in found_near(system, k, sizes).items():
        certificate = Certificate(k, share.lemmas, (name,))
        assert certify.certify(system, certificate).ok
        assert certify.certify(system, certificate, owners=share.owners).ok
        assert explicit.invariant_holds(system, space, name)


def test_each_cell_of_a_row_is_proved_by_itself() -> None:
    system = row(60)
    proved = found_near(system, 1, (6,))
    assert {f"bounded{cell}" for cell in range(60)} == proved.keys()
    for cell in range(60):
        assert owners(f"n{cell}0", f"n{cell}'") == proved[f"bounded{cell}"].owners
        assert proved[f"bounded{cell}"].lemmas == ()


def register(places: int) -> TransitionSystem:
    """Return places that each take over what was in the one before; they hold 0 or 1."""
    variables = {"s0": (IntSort(0, 1), INPUT)}
    variables |= {f"s{place}": (INT, STATE) for place in range(1, places)}
    constraints = []
    for place in range(1, places):
        constraints += [
            define(INIT, f"s{place}", terms.int_(0)),
            define(TRANS, f"s{place}", integer(f"s{place - 1}")),
        ]
    return systems.system(variables, constraints, {"last": le(integer(f"s{places - 1}"), 1)})


def test_what_a_statement_needs_is_shown_in_the_part_that_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    system = register(200)
    lemmas = [le(integer(f"s{place}"), 1) for place in range(1, 200)]
    parts: list[TransitionSystem] = []
    cut = LocalPart.__init__

    def noted(self: Any, *others: Any, **named: Any) -> None:
        parts.append(others[2])
        cut(self, *others, **named)

    monkeypatch.setattr(LocalPart, "__init__", noted)
    local = Local(system, Workshop(), lambda solver, assumed: solver.check(assumed))
    (goal,) = (stated.term for stated in system.properties)
    ((share,),) = [found for found in local.search(1, [goal], lemmas) if found]
    assert certify.certify(system, Certificate(1, share.lemmas, ("last",)), owners=share.owners).ok
    assert len(parts) < 20


def test_lemmas_that_come_while_goals_are_tried_are_used_at_the_same_depth() -> None:
    system = register(200)
    goals = {stated.name: stated.term for stated in system.properties}
    goals |= {f"at {place}": le(integer(f"s{place}"), 1) for place in range(1, 199)}
    task = Task(system, goals, BUDGET, Deadline.never())
    engine = k_induction.run(task)
    next(engine)
    task.learn([le(integer(f"s{place}"), 1) for place in range(1, 199)], 1)
    task.depth = 3
    used = [
        proof.certificate.k
        for finding in engine
        if isinstance(finding, Each)
        for proof in finding.proofs
        if task.goals.pop(proof.goal, None)
    ]
    assert {1} == set(used)
    assert not task.goals


@pytest.mark.parametrize("joint", [False, True])
def test_one_that_fails_does_not_hide_the_others(*, joint: bool) -> None:
    proved = found_near(row(30, broken=7), 1, (6, 20), joint=joint)
    assert {f"bounded{cell}" for cell in range(30)} - {"bounded7"} == proved.keys()


def test_the_bounds_of_a_definition_that_is_left_out_are_not_taken_for_granted() -> None:
    """Nothing but its definition keeps `d` below 3, and its definition does not."""
    small = IntSort(0, 2)
    d = terms.var("d", small)
    system = systems.system(
        {"i": (INT, INPUT), "d": (small, DEFINED)},
        [define(INVAR, "d", terms.var("i", INT))],
        {"small": le(d, 2)},
    )
    assert not found_near(system, 1, (1,))
    assert not certify.certify(system, Certificate(1, (), ("small",)), owners=()).ok


def test_a_proof_from_too_few_elements_is_rejected() -> None:
    system = row(2)
    certificate = Certificate(1, (), ("bounded1",))
    enough = owners("n10", "n1'")
    assert certify.certify(system, certificate, owners=enough).ok  # type: ignore[arg-type]
    for one in enough:
        assert not certify.certify(system, certificate, owners=enough - {one}).ok  # type: ignore[arg-type]


def pair() -> TransitionSystem:
    """Two counters that move together and a third beside them."""
    x, y, z = integer("x"), integer("y"), integer("z")
    tick = terms.var("tick", BOOL)
    steps = [
        define(TRANS, name, terms.ite(tick, systems.add(integer(name), 1), integer(name)))
        for name in ("x", "y", "z")
    ]
    return systems.system(
        {"tick": (BOOL, INPUT), **dict.fromkeys(("x", "y", "z"), (INT, STATE))},
        [*(define(INIT, name, terms.int_(0)) for name in ("x", "y", "z")), *steps],
        {
            "follows": terms.implies(le(x, 5), le(y, 5)),
            "same": terms.eq(x, y),
            "natural": systems.ge(z, 0),
        },
    )


@pytest.mark.parametrize("lemmas", [(), (systems.ge(integer("x"), 0),)], ids=["none", "one more"])
def test_a_joint_proof_is_divided_into_what_each_goal_needs(
    lemmas: tuple[terms.Term, ...],
) -> None:
    whole = Certificate(1, lemmas, ("follows", "same", "natural"))
    proofs = list(Shares(pair(), BUDGET).divided(whole, whole.goals))
    divided = {proof.goal: proof for proof in proofs}
    assert len(divided) == len(proofs)
    same = pair().property("same").term
    assert ((same,), ("follows",)) == (
        divided["follows"].certificate.lemmas,
        divided["follows"].certificate.goals,
    )
    assert owners("x0", "y0", "x'", "y'") == divided["follows"].owners
    assert () == divided["same"].certificate.lemmas
    assert owners("z0", "z'") == divided["natural"].owners


def test_what_is_no_proof_is_not_divided() -> None:
    wrong = Certificate(1, (), ("follows",))
    assert [] == list(Shares(pair(), BUDGET).divided(wrong, wrong.goals))


def test_the_portfolio_gives_each_property_its_own_certificate() -> None:
    for verdict in portfolio.prove(row(40), BUDGET).verdicts.values():
        assert isinstance(verdict, Proved)
        assert len(verdict.certificate.goals) == 1
        assert verdict.core is not None
        assert len(verdict.core) == 2


def pairs(count: int) -> TransitionSystem:
    """Return pairs of counters in a row; what is said of one follows from the other of its pair."""
    variables = {"start": (BOOL, INPUT)}
    constraints, properties = [], {}
    busy = terms.var("start", BOOL)
    for number in range(count):
        x, y = integer(f"x{number}"), integer(f"y{number}")
        full = systems.ge(x, 5)
        for name, old in ((f"x{number}", x), (f"y{number}", y)):
            variables[name] = (INT, STATE)
            moved = terms.ite(full, terms.int_(0), systems.add(old, 1))
            constraints += [
                define(INIT, name, terms.int_(0)),
                define(TRANS, name, terms.ite(busy, moved, old)),
            ]
        properties[f"small{number}"] = le(y, 5)
        busy = systems.ge(x, 3)
    return systems.system(variables, constraints, properties)


def test_an_invariant_is_searched_near_to_its_goal() -> None:
    options = portfolio.PortfolioOptions(engines=("pdr",))
    for name, verdict in portfolio.prove(pairs(12), BUDGET, options).verdicts.items():
        assert isinstance(verdict, Proved), name
        number = name.removeprefix("small")
        assert verdict.core == owners(f"x{number}0", f"y{number}0", f"x{number}'", f"y{number}'")


def test_what_a_proof_found_near_rests_on_is_looked_for_near() -> None:
    within: list[int] = []
    support_of = certify.support_of

    def noted(system: TransitionSystem, *about: Any, **named: Any) -> Any:
        within.append(len((named.get("part") or system).constraints))
        return support_of(system, *about, **named)

    options = portfolio.PortfolioOptions(engines=("pdr",), together=True)
    with patch.object(certify, "support_of", noted):
        found = portfolio.prove(pairs(24), BUDGET, options).verdicts

    assert all(isinstance(verdict, Proved) for verdict in found.values())
    assert len(within) == 24
    assert max(within) < len(pairs(24).constraints) // 4


def test_each_verdict_is_told_once() -> None:
    heard: list[str] = []
    system = pairs(3)
    portfolio.prove(system, BUDGET, on_verdict=lambda name, _: heard.append(name))
    assert sorted(stated.name for stated in system.properties) == sorted(heard)


def test_a_proof_leaves_no_solver_behind() -> None:
    """A context is large: it must not wait for the garbage collector."""

    def contexts() -> int:
        return sum(issubclass(type(found), Z3Context) for found in gc.get_objects())

    gc.collect()
    before = contexts()
    gc.disable()
    try:
        portfolio.prove(row(3, broken=1), BUDGET)
        portfolio.prove(pairs(1), BUDGET, portfolio.PortfolioOptions(engines=("pdr",)))
        assert before == contexts()
    finally:
        gc.enable()


# --- many statements about the same state -------------------------------------------------------


def ladder(count: int) -> TransitionSystem:
    """Return a row of followers of one counter, with many bounds of each; one bound is wrong."""
    system = row(4)
    properties = {
        f"p{n}": le(integer(f"n{n % 4}"), 2 if n == 7 else 3 + n // 4) for n in range(count)
    }
    return systems.system(
        {name: (v.sort, v.kind) for name, v in system.variables.items()},
        system.constraints,
        properties,
    )


@profile(25)
@given(systems.systems(), st.integers(1, 2), st.sampled_from([(1,), (2, 4), (1000,)]))
def test_what_is_proved_in_batches_holds_wherever_its_elements_are(
    system: TransitionSystem, k: int, sizes: tuple[int, ...]
) -> None:
    alone = found_near(system, k, sizes)
    with patch.object(local_proofs, "MANY", 1), patch.object(local_proofs, "BATCH", 2):
        found = found_near(system, k, sizes)
    joint = found_near(system, k, sizes, joint=True)
    assert alone.keys() == found.keys() == joint.keys()
    for name, share in (*found.items(), *joint.items()):
        certificate = Certificate(k, share.lemmas, (name,))
        assert certify.certify(system, certificate, BUDGET, owners=share.owners).ok


def test_many_bounds_of_the_same_state_are_proved_by_what_each_needs() -> None:
    system = ladder(200)
    asked: list[int] = []

    def ask(solver: Solver, assumed: Sequence[Formula]) -> Answer:
        asked.append(len(assumed))
        return solver.check(assumed)

    local = Local(system, Workshop(), ask)
    terms_of = [stated.term for stated in system.properties]
    found = [share for shares in local.search(1, terms_of, ()) for share in shares]
    assert 199 == len(found)
    assert max(len(share.owners) for share in found) <= 2
    # A question of each property knows of its batch only, not of all others.
    assert sorted(asked)[len(asked) // 2] < len(terms_of) / 2


def test_what_a_goal_joins_is_shown_with_few_questions() -> None:
    asked: list[int] = []

    def ask(solver: Solver, assumed: Sequence[Formula]) -> Answer:
        asked.append(len(assumed))
        return solver.check(assumed)

    system = row(200)
    search = Local(system, Workshop(), ask).search(
        1, [stated.term for stated in system.properties], (), joint=True
    )
    found = [share for shares in search for share in shares]
    assert 200 == len(found)
    assert len(asked) < 100


def test_no_bound_is_kept_of_what_is_defined_as_a_constant() -> None:
    """A table of constants is asserted in every step, and its bounds would be once more."""
    system = systems.system(
        {"n": (INT, STATE), "five": (INT, DEFINED), "most": (INT, DEFINED)},
        [
            define(INIT, "n", terms.int_(0)),
            define(TRANS, "n", integer("five")),
            define(INVAR, "five", terms.int_(5)),
            define(INVAR, "most", systems.add(integer("five"), 1)),
        ],
        {"p": le(integer("n"), 5)},
    )
    about = {name for term in intervals.candidates(system) for name in walk.variables(term)}
    assert {"n", "most"} == about


def test_bounds_pass_through_a_long_row() -> None:
    names = [f"n{place}" for place in range(200)]
    read = [terms.int_(1), *map(integer, names[:-1])]
    constraints = [define(INIT, name, terms.int_(0)) for name in names]
    constraints += [define(TRANS, *one) for one in zip(names, read, strict=True)]
    system = systems.system(dict.fromkeys(names, (INT, STATE)), constraints, {})
    about = {name for term in intervals.candidates(system) for name in walk.variables(term)}
    assert {*names} == about


def ring(cells: int) -> TransitionSystem:
    """Return bits that follow one another while `start` holds, none of which is ever true."""
    bits = [terms.var(f"b{cell}", BOOL) for cell in range(cells)]
    start = terms.var("start", BOOL)
    constraints = []
    for cell in range(cells):
        after = terms.and_(start, bits[(cell + 1) % cells])
        constraints += [define(INIT, f"b{cell}", terms.FALSE), define(TRANS, f"b{cell}", after)]
    variables = {f"b{cell}": (BOOL, STATE) for cell in range(cells)} | {"start": (BOOL, INPUT)}
    properties = {f"p{cell}": terms.not_(bit) for cell, bit in enumerate(bits)}
    return systems.system(variables, constraints, properties)


@pytest.mark.parametrize("together", [False, True])
def test_a_proof_of_several_goals_is_divided_unless_it_is_wanted_whole(*, together: bool) -> None:
    system = ring(3)
    options = portfolio.PortfolioOptions(engines=("reachability",), cores=False, together=together)
    with patch.object(Shares, "divided", autospec=True, side_effect=Shares.divided) as divided:
        verdicts = portfolio.prove(system, BUDGET, options).verdicts.values()
    assert together is not divided.called
    proofs = [found for found in verdicts if isinstance(found, Proved)]
    assert 3 == len(proofs)
    assert (1 if together else 3) == len({found.certificate for found in proofs})
    for found in proofs:
        assert found.core is not None
        assert certify.certify(system, found.certificate, BUDGET, owners=found.core).ok


def test_a_proof_that_cannot_be_checked_whole_is_divided() -> None:
    options = portfolio.PortfolioOptions(engines=("reachability",), together=True)
    with patch.object(portfolio._Run, "_accept_whole", return_value=False):
        verdicts = portfolio.prove(ring(3), BUDGET, options).verdicts
    assert all(isinstance(found, Proved) for found in verdicts.values())
