"""What engines found near to one property is tried near to others that differ by names alone."""

from __future__ import annotations

from dataclasses import replace
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
from mutproof.analyses.cores.lookalikes import Lookalikes, numbered
from mutproof.analyses.cores.nearby import Nearby
from mutproof.model import walk
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.workspace.findings import Report
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


def called(system: TransitionSystem, before: str) -> TransitionSystem:
    """Return a system in which variables, elements and properties have other names."""

    def renamed(term: Term) -> Term:
        return walk.renamed(term, lambda name: before + name)

    def owner(element: ElementId | None) -> ElementId | None:
        return None if element is None else replace(element, name=before + element.name)

    return TransitionSystem(
        {before + n: replace(v, name=before + n) for n, v in system.variables.items()},
        tuple(
            replace(
                one,
                term=renamed(one.term),
                owner=owner(one.owner),
                defines=None if one.defines is None else before + one.defines,
            )
            for one in system.constraints
        ),
        tuple(replace(p, name=before + p.name, term=renamed(p.term)) for p in system.properties),
        relational=system.relational,
    )


def proved(
    system: TransitionSystem, gone: frozenset[int], lookalikes: Lookalikes
) -> tuple[Claim, int]:
    """Return a claim on a system without some elements, and how often engines were asked."""
    universe = tuple(owner for owner in system.by_owner if owner is not None)
    removed = frozenset(owner for place, owner in enumerate(universe) if place in gone)
    (stated,) = system.properties
    case = Claim(Variant("v", removed), {stated.name})
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    asked: list[str] = []
    engines = nearby._Near._proof

    def noted(near: Any, *about: Any) -> Any:
        asked.append(stated.name)
        return engines(near, *about)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "LARGE", 0)
        patched.setattr(nearby._Near, "_proof", noted)
        cone = Cone((stated.name,), universe, frozenset(), system)
        search = Nearby(cone, means, EngineEffort(), lookalikes)
        search.prove([case], {stated.name: [Certificate(1, (), (stated.name,))]})
    return case, len(asked)


@profile(60)
@given(systems(), STATES, st.frozensets(st.integers(0, 4)), st.data())
def test_what_looks_alike_is_proved_alike_and_holds(
    system: TransitionSystem, stated: Term, gone: frozenset[int], data: st.DataObject
) -> None:
    system = replace(owned(system), fairness=(), compassion=())
    system = stating(system, PropertyKind.INVARIANT, stated)
    near = data.draw(st.integers(1, 4))
    other, lookalikes = called(system, data.draw(st.sampled_from(("z", "A_", "n")))), Lookalikes()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "AROUND", near)
        first, _ = proved(system, gone, lookalikes)
        second, asked = proved(other, gone, lookalikes)

    assert asked == 0
    assert bool(first.holds) == bool(second.holds)
    for name, found in second.holds.items():
        whole = applied(other, second.variant)
        space = explore(whole)
        assert space is not None
        assert invariant_holds(whole, space, name)
        assert found.support <= content(whole)


@profile(60)
@given(systems(), STATES, STATES)
def test_names_do_not_count_and_all_else_does(
    system: TransitionSystem, stated: Term, another: Term
) -> None:
    system = stating(owned(system), PropertyKind.INVARIANT, stated)
    shape = numbered(system).shape
    assert shape == numbered(called(system, "x")).shape
    if another is not stated:
        (known,) = system.properties
        changed: SystemProperty = replace(known, term=another)
        if len(walk.variables(another)) != len(walk.variables(stated)):
            assert shape != numbered(replace(system, properties=(changed,))).shape
    fewer = replace(system, constraints=system.constraints[:-1])
    assert shape != numbered(fewer).shape
    wider = {
        name: replace(v, kind=next(k for k in type(v.kind) if k is not v.kind))
        for name, v in system.variables.items()
    }
    assert shape != numbered(replace(system, variables=wider)).shape


def test_engines_are_asked_once_about_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    model = accepted(row(32, "LTLSPEC G (on -> n <= 5);\n"))
    asked: list[str] = []
    engines = nearby._Near._proof

    def noted(near: Any, *about: Any) -> Any:
        asked.append("once")
        return engines(near, *about)

    monkeypatch.setattr(nearby._Near, "_proof", noted)
    found = analysed(model, CORES)
    assert len(asked) <= 4

    asked.clear()
    monkeypatch.setattr(Lookalikes, "is_known", lambda *_: False)
    monkeypatch.setattr(Lookalikes, "certificate", lambda *_: None)
    alone = analysed(model, CORES)
    assert len(asked) > 12
    assert cores(found) == cores(alone)


def cores(report: Report) -> list[object]:
    """Return what the cores of properties are."""
    return [(one.name, one.core, one.must, one.cores) for one in report.properties]
