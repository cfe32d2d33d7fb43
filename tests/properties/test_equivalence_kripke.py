"""Relational systems are equivalent exactly if their reachable state graphs are the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.verdict import Equivalent, Gap
from mutproof.analyses.equivalence import kripke
from mutproof.analyses.equivalence.inclusion import only_excludes
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.sorts import IntSort
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop
from support import systems as systems_of
from support.explicit import StateSpace, explore
from support.forged import forged
from support.profiles import profile
from support.relational_systems import STATES, systems

EXAMPLES = 60
LIMITS = ComparisonLimits(Budget(timeout_s=60), SpacerProcess())

counted: Counter[str] = Counter()


@st.composite
def pairs(draw: st.DrawFn) -> tuple[TransitionSystem, TransitionSystem]:
    """Return a system, and the same with one constraint weakened, strengthened or removed."""
    system = replace(draw(systems()), relational=True, fairness=(), compassion=())
    places = [n for n, c in enumerate(system.constraints) if c.defines is None]
    place = draw(st.sampled_from(places))
    old = system.constraints[place]
    other = draw(STATES)
    make = draw(st.sampled_from(("or", "and", "gone")))
    constraints = list(system.constraints)
    if make == "gone":
        del constraints[place]
    else:
        join = terms.or_ if make == "or" else terms.and_
        constraints[place] = Constraint(old.kind, join(old.term, other), old.owner)
    return system, replace(system, constraints=tuple(constraints))


def first_difference(model: StateSpace, changed: StateSpace) -> int | None:
    """Return the 0-based step that only one side allows in some execution, None if none is."""
    if set(model.initial) != set(changed.initial):
        return 0
    layer, seen, step = list(model.initial), set(model.initial), 1
    while layer:
        following = []
        for state in layer:
            after = model.successors[state]
            if set(after) != set(changed.successors[state]):
                return step
            following.extend(other for other in after if other not in seen)
            seen.update(after)
        layer, step = following, step + 1
    return None


def believed(choices: Choices, how: str) -> Gap:
    """Believe of every execution that it shows a difference."""
    return forged(Gap, choices, how, shortest=False)


@profile(EXAMPLES)
@given(pairs())
def test_structures_are_compared_as_a_search_does(
    pair: tuple[TransitionSystem, TransitionSystem],
) -> None:
    model, changed = pair
    here, there = explore(model), explore(changed)
    assert here is not None
    assert there is not None
    expected = first_difference(here, there)
    verdict = kripke.compare(model, changed, believed, (), limits=LIMITS)
    counted[type(verdict).__name__] += 1
    if isinstance(verdict, Gap):
        assert expected == verdict.step
        assert verdict.shortest
    elif isinstance(verdict, Equivalent):
        assert expected is None
    assert counted["Undetermined"] <= 1 + 0.05 * sum(counted.values())


def test_what_only_excludes_executions_has_no_other_ones() -> None:
    seen: Counter[tuple[bool, bool]] = Counter()

    @profile(EXAMPLES)
    @given(pairs())
    def check(pair: tuple[TransitionSystem, TransitionSystem]) -> None:
        for model, changed in (pair, pair[::-1]):
            here, there = explore(model), explore(changed)
            assert here is not None
            assert there is not None
            is_part = is_included(there, here)
            shown = only_excludes(model, changed)
            seen[shown, is_part] += 1
            assert is_part or not shown

    check()
    assert min(seen[True, True], seen[False, False]) > EXAMPLES // 6


def is_included(one: StateSpace, other: StateSpace) -> bool:
    """Tell whether each execution of one system is one of the other."""
    stack, seen = list(one.initial), set(one.initial)
    if not seen <= set(other.initial):
        return False
    while stack:
        state = stack.pop()
        after = set(one.successors[state])
        if not after <= set(other.successors[state]):
            return False
        stack.extend(after - seen)
        seen |= after
    return True


def test_other_properties_are_not_compared() -> None:
    system = TransitionSystem({}, (), (), relational=True)
    fair = replace(system, fairness=(terms.TRUE,))

    verdict = kripke.compare(system, fair, believed, (), limits=LIMITS)

    assert not isinstance(verdict, Equivalent)


def test_a_late_difference_of_steps_alone_needs_no_engines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Initial states cannot differ, and it is near enough to be found before engines are asked."""
    asked: list[str] = []

    def step(limit: int) -> tuple[Constraint, ...]:
        n = terms.var("n", IntSort(0, 20))
        following = terms.ite(systems_of.le(n, limit), systems_of.add(n, 1), n)
        return (
            systems_of.define(systems_of.INIT, "n", terms.int_(0)),
            systems_of.define(systems_of.TRANS, "n", following),
        )

    variables = {"n": (IntSort(0, 20), systems_of.STATE)}
    model, changed = (
        replace(systems_of.system(variables, [*step(limit)], {}), relational=True)
        for limit in (6, 7)
    )
    monkeypatch.setattr(portfolio, "prove", lambda *_, **__: asked.append("engines"))
    made = Workshop.unrolling

    def unrolling(self: Workshop, system: TransitionSystem, **how: Any) -> Unrolling:
        asked.append("steps" if len(system.variables) > 1 else "initial states")
        return made(self, system, **how)

    monkeypatch.setattr(Workshop, "unrolling", unrolling)
    verdict = kripke.compare(model, changed, believed, (), limits=LIMITS)

    assert isinstance(verdict, Gap)
    assert 8 == verdict.step
    assert {"steps"} == set(asked)
