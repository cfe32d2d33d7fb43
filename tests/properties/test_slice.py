"""The cone of a property decides it: what is left out cannot change its value."""

from __future__ import annotations

import random

from hypothesis import given

from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.lower import lower
from mutproof.model.simulate import Simulator
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import program_of
from support.profiles import profile


@profile(80)
@given(models(), sources())
def test_a_property_has_the_same_values_in_its_cone(model: Model, source: random.Random) -> None:
    system = lower(program_of(accepted(model.text)))
    choices = choices_of(source, system)
    whole = Simulator(system)
    rows = whole.run(choices)
    for stated in system.properties:
        cone = slicing.cone(system, [stated.name])
        assert (stated,) == cone.properties
        part = Simulator(cone)
        for row, small in zip(rows, part.run(choices), strict=True):
            named = whole.named(row)
            assert {name: named[name] for name in part.names} == part.named(small)


@profile(80)
@given(models())
def test_a_cone_reads_nothing_it_does_not_declare(model: Model) -> None:
    system = lower(program_of(accepted(model.text)))
    for stated in system.properties:
        cone = slicing.cone(system, [stated.name])
        for constraint in cone.constraints:
            assert walk.variables(constraint.term) <= set(cone.variables)
        assert cone.digest == slicing.cone(cone, [stated.name]).digest


@profile(40)
@given(models())
def test_the_elements_that_matter_are_those_of_the_cone_and_of_all_that_restricts(
    model: Model,
) -> None:
    system = lower(program_of(accepted(model.text)))
    slicer = slicing.Slicer(system)
    for stated in system.properties:
        owners = slicer.owners([stated.term])
        apart = {c.defines for c in system.constraints if c.owner not in {None, *owners}}
        assert {c.owner for c in slicer.cone([stated.name]).constraints} <= {None, *owners}
        assert None not in apart


@profile(40)
@given(models())
def test_the_cone_of_more_properties_is_no_smaller(model: Model) -> None:
    system = lower(program_of(accepted(model.text)))
    names = [stated.name for stated in system.properties]
    everything = set(slicing.cone(system, names).constraints)
    for name in names:
        assert set(slicing.cone(system, [name]).constraints) <= everything


def test_an_assertion_belongs_to_the_cone_of_what_it_restricts() -> None:
    system = lower(
        program_of(
            accepted(
                """
                node top(a, b, c: bool) returns (d, e: bool; p: bool);
                let
                  d = a and b;
                  e = c;
                  p = a;
                  assert d;
                  assert e;
                  --%PROPERTY p;
                tel;
                """
            )
        )
    )
    cone = slicing.cone(system, ["p"])

    assert {"a", "b", "d", "p"} == set(cone.variables)
    assert 1 == sum(1 for constraint in cone.constraints if constraint.defines is None)


@profile(40)
@given(models())
def test_what_a_proof_rests_on_is_what_its_elements_state_about_its_statements(
    model: Model,
) -> None:
    system = lower(program_of(accepted(model.text)))
    slicer = slicing.Slicer(system)
    owners = sorted(owner for owner in system.by_owner if owner is not None)
    for stated in system.properties:
        deciding = {system.constraints[n] for n in slicer.deciding([stated.term])}
        assert deciding == set(slicer.resting([stated.term], owners).constraints)
        some = frozenset(owners[::2])
        part = slicer.resting([stated.term], some)
        stating = {c for c in deciding if c.owner is None or c.owner in some}
        assert set(part.constraints) <= stating
        unread = stating.difference(part.constraints)
        assert part.variables.keys().isdisjoint(c.defines or "" for c in unread)
        assert all(c.defines is not None for c in unread)
        read = [walk.variables(term) for term in (stated.term, *(c.term for c in part.constraints))]
        assert frozenset().union(*read) == part.variables.keys()


@profile(80)
@given(models(), sources())
def test_what_depends_on_some_elements_alone_is_told(model: Model, source: random.Random) -> None:
    system = lower(program_of(accepted(model.text)))
    slicer = slicing.Slicer(system)
    terms = [found.term for found in (*system.properties, *system.constraints)]
    for stated in system.properties:
        owners = slicer.owners([stated.term])
        some = frozenset(source.sample(sorted(owners), len(owners) // 2))
        for among in (owners, some):
            is_within = slicer.within(among)
            for term in terms:
                assert is_within(term) == (slicer.owners([term]) <= among)
