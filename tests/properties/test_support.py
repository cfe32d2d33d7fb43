"""What a proof rests on is found element by element, and is that of the elements together."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.variant import bounds_digest, support, supported_without
from mutproof.model.system import TransitionSystem
from mutproof.solving.parts import resting_on
from support import relational_systems, systems
from support.profiles import profile


@profile(60)
@given(st.one_of(systems.systems(), relational_systems.systems()), st.data())
def test_support_is_that_of_the_part(system: TransitionSystem, data: st.DataObject) -> None:
    # Constraints of no element (memories, frames) restrict whatever they read.
    system = replace(
        system,
        constraints=tuple(
            replace(found, owner=None, defines=data.draw(st.sampled_from([None, found.defines])))
            if data.draw(st.booleans())
            else found
            for found in system.constraints
        ),
    )
    everything = sorted(owner for owner in system.by_owner if owner is not None)
    stated = [found.term for found in system.properties]
    for _ in range(3):
        owners = [owner for owner in everything if data.draw(st.booleans())]
        statements = [term for term in stated if data.draw(st.booleans())]
        part = resting_on(system, statements, owners)
        expected = {c.digest for c in part.constraints}
        expected |= {bounds_digest(declared) for declared in part.variables.values()}
        assert expected == support(system, statements, owners)
        core = frozenset(owners)
        removed = [frozenset(o for o in everything if data.draw(st.booleans())) for _ in range(3)]
        for gone, rest in supported_without(system, core, removed).items():
            assert rest == support(system, (), core - gone)
