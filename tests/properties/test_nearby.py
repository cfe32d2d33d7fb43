"""What is proved of a cone from what lies near to a property is true of the whole cone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.variant import applied, content
from mutproof.analyses.cores import nearby
from mutproof.analyses.cores.cones import Cone
from mutproof.analyses.cores.effort import EngineEffort
from mutproof.analyses.cores.nearby import Nearby
from mutproof.analyses.cores.removing import Removing
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import BOOL, IntSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.workspace.options import Options
from support.explicit import explore, invariant_holds
from support.lustre_mutants import BUDGET
from support.nusmv_mutants import accepted
from support.nusmv_rows import row
from support.profiles import profile
from support.reading import analysed
from support.relational_alternatives import owned
from support.relational_systems import STATES, stating, systems

CORES = Options(mutate=False, budget=BUDGET, core_search="one")


def cone_of(system: TransitionSystem) -> Cone:
    universe = tuple(owner for owner in system.by_owner if owner is not None)
    return Cone(("p0",), universe, frozenset(), system)


@profile(60)
@given(systems(), STATES, st.lists(STATES, max_size=2), st.integers(1, 4), st.data())
def test_what_is_proved_near_holds_in_the_whole(
    system: TransitionSystem, stated: Term, lemmas: list[Term], near: int, data: st.DataObject
) -> None:
    system = stating(owned(system), PropertyKind.INVARIANT, stated)
    cone = cone_of(system)
    known = Certificate(1, tuple(lemmas), ("p0",))
    gone = data.draw(st.lists(st.frozensets(st.sampled_from(cone.universe)), max_size=4))
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "AROUND", near)
        patched.setattr(nearby, "LARGE", 0)
        search = Nearby(cone, means, EngineEffort())
        cases = [Claim(Variant(f"v{n}", some), {"p0"}) for n, some in enumerate(gone)]
        search.prove(cases, {"p0": [known]})

    for case in cases:
        if (found := case.holds.get("p0")) is not None:
            whole = applied(system, case.variant)
            space = explore(whole)
            assert space is not None
            assert invariant_holds(whole, space, "p0")
            assert found.support <= content(whole)


def test_what_is_defined_elsewhere_may_leave_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearby, "LARGE", 0)
    declared = [("x", IntSort(0, 3)), ("y", BOOL), ("z", BOOL), ("w", BOOL)]
    x, y, z, w = (terms.var(name, sort) for name, sort in declared)
    meant = [
        terms.eq(x, terms.ite(y, terms.int_(2), terms.int_(7))),
        terms.eq(y, terms.TRUE),
        terms.eq(z, y),
        terms.eq(w, z),
    ]
    stated = SystemProperty("p0", terms.compare(Op.LE, x, terms.int_(3)), PropertyKind.INVARIANT)
    system = TransitionSystem(
        {name: SystemVariable(name, sort, SystemVariableKind.DEFINED) for name, sort in declared},
        tuple(
            Constraint(ConstraintKind.INVAR, term, ElementId("main", "define", name), name)
            for (name, _), term in zip(declared, meant, strict=True)
        ),
        (stated,),
    )
    x_owner, _, z_owner, w_owner = (str(owner) for owner in system.by_owner)
    known, proved = Certificate(1, (), ("p0",)), dict[int, list[str]]()
    for near in (0, 1, 2):
        monkeypatch.setattr(nearby, "AROUND", near)
        cases = [
            Claim(Variant(str(owner), frozenset((owner,))), {"p0"})
            for owner in system.by_owner
            if owner is not None
        ]
        means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
        search = Nearby(cone_of(system), means, EngineEffort())
        search.prove(cases, {"p0": [known]})
        assert search.calls > 0
        proved[near] = [case.name for case in cases if case.holds]
    assert {0: [x_owner], 1: [x_owner], 2: [x_owner, z_owner, w_owner]} == proved


def test_a_row_is_not_asked_about_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = "LTLSPEC G (on -> n <= 5);\n"
    asked: list[str] = []
    whole = Removing._prove

    def noted(removing: Removing, variant: Variant, *others: Any) -> Any:
        asked.append(variant.name)
        return whole(removing, variant, *others)

    monkeypatch.setattr(Removing, "_prove", noted)
    first, *_, last = analysed(accepted(row(30, stated)), CORES).properties

    assert ["n", "n"] == [element.name for element in last.core or ()]
    assert ["next"] == [element.kind for element in last.must or ()]
    assert first.core == last.core == first.must
    assert len(asked) < 20, len(asked)
