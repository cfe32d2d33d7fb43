"""Certificates that contain others are checked as strictly as if nothing were known."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import terms
from mutproof.model.sorts import BOOL, INT, IntSort
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving import certify, increments
from mutproof.solving.increments import Increments
from mutproof.solving.verdict import Certificate
from support import systems
from support.profiles import profile
from support.systems import DEFINED, INIT, INPUT, INVAR, STATE, TRANS, define, integer, le

PLACES = 60


def register(*, broken: int | None = None) -> TransitionSystem:
    """Return places, each of which holds what the one before it held; one may hold more."""
    n0 = terms.ite(terms.var("a", BOOL), terms.int_(1), terms.int_(0))
    variables = {"a": (BOOL, INPUT), "n0": (INT, DEFINED)}
    constraints = [define(INVAR, "n0", n0)]
    for place in range(1, PLACES):
        before = integer(f"n{place - 1}")
        value = systems.add(before, 1) if place == broken else before
        variables[f"n{place}"] = (INT, STATE)
        constraints.append(define(INIT, f"n{place}", terms.int_(0)))
        constraints.append(define(TRANS, f"n{place}", value))
    return systems.system(
        variables, constraints, {f"p{n}": le(integer(f"n{n}"), 1) for n in range(PLACES)}
    )


def up_to(place: int) -> tuple[Certificate, frozenset[object]]:
    """Return the proof of the bound of a place, and the elements it rests on."""
    lemmas = tuple(le(integer(f"n{n}"), 1) for n in range(place))
    names = [f"{n}{kind}" for n in range(1, place + 1) for kind in ("0", "'")]
    return Certificate(1, lemmas, (f"p{place}",)), frozenset(
        {systems.owner("n0"), *(systems.owner(f"n{name}") for name in names)}
    )


def test_only_what_is_new_is_shown() -> None:
    known = Increments(register())
    with (
        patch.object(certify, "certify", wraps=certify.certify) as whole,
        patch.object(certify, "follow", wraps=certify.follow) as added,
    ):
        for place in range(40, PLACES):
            certificate, owners = up_to(place)
            assert known.check(certificate, owners=owners).ok  # type: ignore[arg-type]
    assert 1 == whole.call_count
    assert PLACES - 41 == added.call_count
    assert all(len(call.kwargs["part"].constraints) < 10 for call in added.call_args_list)


def timers(*, broken: bool = False) -> TransitionSystem:
    """Return numbers in a row that count to 5 where the one before is above 2."""
    variables = {"a": (BOOL, INPUT)}
    constraints = []
    for place in range(PLACES):
        own = integer(f"n{place}")
        on = terms.not_(le(integer(f"n{place - 1}"), 2)) if place else terms.var("a", BOOL)
        more = terms.and_(on, le(own, 5 if broken and place == 3 else 4))
        variables[f"n{place}"] = (INT, STATE)
        constraints.append(define(INIT, f"n{place}", terms.int_(0)))
        value = terms.ite(more, systems.add(own, 1), terms.int_(0))
        constraints.append(define(TRANS, f"n{place}", value))
    stated = {f"p{n}": le(integer(f"n{n}"), 5) for n in range(PLACES)}
    return systems.system(variables, constraints, stated)


@pytest.mark.parametrize("broken", [False, True])
def test_proofs_are_checked_next_to_what_they_state(*, broken: bool) -> None:
    system = timers(broken=broken)
    owners = frozenset(c.owner for c in system.constraints if c.owner is not None)
    known = Increments(system)
    with patch.object(certify, "certify", wraps=certify.certify) as asked:
        found = [
            known.check(Certificate(1, (), (f"p{place}",)), owners=owners).ok
            for place in range(PLACES)
        ]
    assert found == [not (broken and place == 3) for place in range(PLACES)]
    parts = [call.kwargs.get("part") for call in asked.call_args_list]
    large = [part is None or len(part.constraints) > increments.AROUND for part in parts]
    assert sum(large) == broken


def test_what_lies_next_to_statements_is_tried_no_more_in_vain() -> None:
    known = Increments(timers())
    owners = frozenset(c.owner for c in known.system.constraints if c.owner is not None)
    stated = replace(known.system, properties=(SystemProperty("q", le(integer("n50"), 4)),))
    known.system = stated
    with patch.object(certify, "certify", wraps=certify.certify) as asked:
        for _ in range(2 * increments.IN_VAIN):
            assert not known.check(Certificate(1, (), ("q",)), owners=owners).ok
    assert 5 * increments.IN_VAIN == asked.call_count


def bounded(system: TransitionSystem) -> TransitionSystem:
    """Return the same with other bounds, which follow from those of the proofs."""
    stated = [SystemProperty(f"q{n}", le(integer(f"n{n}"), 7)) for n in range(PLACES)]
    return replace(system, properties=(*system.properties, *stated))


def test_lemmas_that_many_goals_have_are_shown_once() -> None:
    system = bounded(register())
    last, owners = up_to(PLACES - 1)
    lemmas = (*last.lemmas, system.property(*last.goals).term)
    known = Increments(system)
    with patch.object(certify, "certify", wraps=certify.certify) as whole:
        for place in range(30, 40):
            certificate = Certificate(1, lemmas, (f"q{place}",))
            assert known.check(certificate, owners=owners).ok  # type: ignore[arg-type]
    assert increments.OFTEN == whole.call_count
    assert () == whole.call_args.args[1].goals
    # What does not follow does not pass, nor what rests on less.
    weaker = replace(system, properties=(SystemProperty("r", le(integer("n3"), 0)),))
    assert not Increments(weaker).check(Certificate(1, lemmas, ("r",)), owners=owners).ok  # type: ignore[arg-type]
    fewer = owners - {systems.owner("n30'")}
    certificate = Certificate(1, lemmas, ("q50",))
    assert not known.check(certificate, owners=fewer).ok  # type: ignore[arg-type]


@pytest.mark.parametrize("broken", [None, 50])
def test_lemmas_that_contain_those_before_them_are_shown_by_themselves(broken: int | None) -> None:
    """No later proof has the goals of those before it among its lemmas."""
    system = bounded(register(broken=broken))
    known = Increments(system)
    with patch.object(certify, "certify", wraps=certify.certify) as whole:
        for place in range(40, PLACES):
            proof, owners = up_to(place)
            lemmas = (*proof.lemmas, system.property(f"p{place}").term)
            certificate = Certificate(1, lemmas, (f"q{place}",))
            holds = known.check(certificate, owners=owners).ok  # type: ignore[arg-type]
            assert holds == (broken is None or place < broken)
    if broken is None:
        assert 2 == whole.call_count
        assert () == whole.call_args.args[1].goals
    fewer = up_to(50)[1] - {systems.owner("n30'")}
    assert not known.check(Certificate(1, up_to(50)[0].lemmas, ("q50",)), owners=fewer).ok  # type: ignore[arg-type]


@pytest.mark.parametrize("broken", [3, 50])
def test_lemmas_that_do_not_hold_show_nothing(broken: int) -> None:
    system = bounded(register(broken=broken))
    last, owners = up_to(PLACES - 1)
    known = Increments(system)
    for place in range(30, 35):
        certificate = Certificate(1, last.lemmas, (f"q{place}",))
        assert not known.check(certificate, owners=owners).ok  # type: ignore[arg-type]


def test_what_elements_state_of_other_things_is_left_out() -> None:
    system = register()
    certificate, _ = up_to(20)
    everything = frozenset(owner for owner in system.by_owner if owner is not None)
    with patch.object(certify, "certify", wraps=certify.certify) as asked:
        assert Increments(system).check(certificate, owners=everything).ok
    assert [41] == [len(call.kwargs["part"].constraints) for call in asked.call_args_list]


def test_a_proof_by_a_value_that_cannot_be_counts() -> None:
    """No state satisfies the definition of `n`, which has nothing to do with what is proved."""
    system = systems.system(
        {"n": (IntSort(0, 3), DEFINED), "a": (BOOL, INPUT)},
        [define(INVAR, "n", terms.int_(5))],
        {"p": terms.var("a", BOOL)},
    )
    certificate, owners = Certificate(1, (), ("p",)), frozenset({systems.owner("n")})
    assert certify.certify(system, certificate, owners=owners).ok == (
        Increments(system).check(certificate, owners=owners).ok
    )
    assert not Increments(system).check(certificate, owners=frozenset()).ok


@pytest.mark.parametrize("broken", [3, 45, 50])
def test_what_is_new_and_false_is_refused(broken: int) -> None:
    known = Increments(register(broken=broken))
    for place in range(40, PLACES):
        certificate, owners = up_to(place)
        assert (place < broken) == known.check(certificate, owners=owners).ok  # type: ignore[arg-type]


def test_an_element_that_is_left_out_is_missed() -> None:
    known = Increments(register())
    certificate, owners = up_to(45)
    assert known.check(certificate, owners=owners).ok  # type: ignore[arg-type]
    certificate, owners = up_to(50)
    for name in ("n50'", "n500", "n49'", "n30'", "n10"):
        fewer = owners - {systems.owner(name)}
        assert not known.check(certificate, owners=fewer).ok, name  # type: ignore[arg-type]
    # A proof with another k says nothing about this one.
    assert not known.check(Certificate(1, (), ("p50",)), owners=owners).ok  # type: ignore[arg-type]


@profile(40)
@given(systems.systems(), st.data())
def test_a_certificate_passes_just_where_it_does_alone(
    system: TransitionSystem, data: st.DataObject
) -> None:
    everything = sorted(owner for owner in system.by_owner if owner is not None)
    names = [stated.name for stated in system.properties]
    known = Increments(system)
    often, near = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 4))
    with patch.multiple(increments, LEAST=0, OFTEN=often, AROUND=near):
        for _ in range(data.draw(st.integers(2, 5))):
            goals = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
            owners = frozenset(everything) - data.draw(st.sets(st.sampled_from(everything)))
            certificate = Certificate(
                data.draw(st.integers(1, 2)),
                tuple(system.property(goal).term for goal in goals[1:]),
                (goals[0],),
            )
            alone = certify.certify(system, certificate, owners=owners)
            assert alone.ok == known.check(certificate, owners=owners).ok
