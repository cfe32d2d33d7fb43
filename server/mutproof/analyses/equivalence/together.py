"""Shortest differences for many mutants at once: those of one element share their products.

The products of a model with mutants of one element differ in what that element says on the
changed side, and hardly in anything else. So one solver holds what they have in common, and the
rest behind a literal for each mutant; for every length one question is asked about all of them.

Source: DESIGN.md, section 5 (shortest distinguishing traces).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from mutproof.analyses.bench.bench import BATCH, Bench
from mutproof.analyses.checking.notary import failing
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Fails
from mutproof.analyses.claims.verdict import Gap
from mutproof.analyses.equivalence.product import GOAL, Product, unprimed
from mutproof.base.budget import Budget
from mutproof.model import slice as slicing
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, ConstraintKind, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import completion
from mutproof.solving.solver import SolvingError

CHANGED: Final = ElementId("", "changed", "")
"""The owner of all constraints in which the products of an element's mutants differ."""

Confirm = Callable[[str, Choices, str], "Gap | None"]
"""Replay choices, given how they were found, on both sides; None if they show no difference."""


class Together:
    """Search the products of mutants of one element for shortest differences; mutable.

    `found` are the replayed differences; `depths` give the number of first states of all
    executions in which there is none. `explored` gives those that are known in advance. Unless it
    `divides` mutants that together are too hard, these are given up.
    """

    def __init__(
        self,
        products: Mapping[str, Product],
        confirm: Confirm,
        budget: Budget,
        check_cancelled: Callable[[], None] = lambda: None,
        *,
        explored: Mapping[str, int] = MappingProxyType({}),
        divides: bool = True,
    ) -> None:
        self.found: dict[str, Gap] = {}
        self.depths: dict[str, int] = dict.fromkeys(products, 0) | dict(explored)
        alike: dict[Term, dict[str, TransitionSystem]] = {}
        for mutant, product in products.items():
            alike.setdefault(product.goal, {})[mutant] = product.system
        self._searches: list[_Search] = []
        for systems in alike.values():
            common = _common(systems)
            if common is not None:
                search = _Search(
                    *common, systems, confirm, budget=budget, check_cancelled=check_cancelled
                )
                search.divides = divides
                search.begin(self.depths)
                self._searches.append(search)

    @property
    def spent(self) -> int:
        """Return what the searches have cost so far, in solver units."""
        return sum(search.spent for search in self._searches)

    def search(self, limits: Mapping[str, int]) -> None:
        """Look for differences of mutants, within the number of first states given for each."""
        for search in self._searches:
            with suppress(SolvingError):  # mutants left open are decided alone
                search.run(limits)
            self.found |= search.found
            self.depths |= search.depths()


def _common(
    systems: Mapping[str, TransitionSystem],
) -> tuple[TransitionSystem, dict[str, tuple[Constraint, ...]]] | None:
    """Return what systems share, as a system, and the other constraints of each, or None.

    None if the same variable is declared differently, or constraints that differ define none.
    """
    variables: dict[str, SystemVariable] = {}
    for system in systems.values():
        for name, declared in system.variables.items():
            if variables.setdefault(name, declared) != declared:
                return None
    everywhere = frozenset.intersection(*(frozenset(s.constraints) for s in systems.values()))
    rest = {
        mutant: tuple(replace(c, owner=CHANGED) for c in system.constraints if c not in everywhere)
        for mutant, system in systems.items()
    }
    stated: dict[tuple[ConstraintKind, str], Constraint] = {}
    for constraint in (c for own in rest.values() for c in own):
        if constraint.defines is None:
            return None
        stated.setdefault((constraint.kind, constraint.defines), constraint)
    first = next(iter(systems.values()))
    shared = [c for c in first.constraints if c in everywhere]
    own = dict.fromkeys(c for constraints in rest.values() for c in constraints)
    whole = TransitionSystem(variables, (*shared, *own), first.properties)
    part = slicing.cone(whole, (GOAL,))
    if completion.restricts_more(whole, part):
        part = whole
    kept = frozenset(part.constraints)
    once = tuple(c for c in (*shared, *stated.values()) if c in kept)
    system = TransitionSystem(part.variables, once, first.properties)
    return system, {m: tuple(c for c in own if c in kept) for m, own in rest.items()}


def _restricted(choices: Choices, names: Container[str]) -> Choices:
    """Return choices without variables that only other mutants have."""
    return Choices(
        tuple({n: v for n, v in step.items() if n in names} for step in choices.steps),
        {n: v for n, v in choices.before.items() if n in names},
        choices.functions,
        choices.loop,
    )


class _Search:
    """Search products that differ only in constraints of the owner `CHANGED`; mutable."""

    def __init__(
        self,
        system: TransitionSystem,
        rest: Mapping[str, Sequence[Constraint]],
        systems: Mapping[str, TransitionSystem],
        confirm: Confirm,
        *,
        budget: Budget,
        check_cancelled: Callable[[], None],
    ) -> None:
        self._check_cancelled = check_cancelled
        self.divides = True
        self.found: dict[str, Gap] = {}
        self._systems = systems
        self._confirm = confirm
        self._bench = Bench(system, budget, self._confirmed)
        self._cases = [
            Claim(Variant(mutant, frozenset({CHANGED}), tuple(own)), {GOAL})
            for mutant, own in rest.items()
        ]

    def begin(self, explored: Mapping[str, int]) -> None:
        """Take it that there is no difference in so many first states of each."""
        for case in self._cases:
            case.depth = explored[case.variant.name]

    def run(self, limits: Mapping[str, int]) -> None:
        """Look for differences; the shortest ones first."""
        cases = [case for case in self._cases if case.variant.name in limits]
        most = max((limits[case.variant.name] for case in cases), default=0)
        depth = 0
        while depth < most:
            # Frames beyond the depth asked about make every question slower.
            depth = min(most, max(depth + 1, depth * 3 // 2))
            for start in range(0, len(cases), BATCH):
                self._check_cancelled()
                batch = cases[start : start + BATCH]
                self._bench.search(batch, depth, self._spread, limits, divides=self.divides)

    @property
    def spent(self) -> int:
        """Return what the search has cost so far, in solver units."""
        try:
            return self._bench.questions.base.solver.spent
        except SolvingError:
            return 0  # no solver was asked

    def depths(self) -> dict[str, int]:
        """Return in how many first states there is no difference, by mutant."""
        return {case.variant.name: case.depth for case in self._cases}

    def _spread(self, refuted: Claim) -> None:
        """Try a difference on the other mutants for which none shorter is possible."""
        choices = self.found[refuted.variant.name].choices
        for case in self._cases:
            if case.open and case.depth == refuted.depth:
                violated = self._confirmed(case.variant, choices, "bmc")
                if violated:
                    case.refute(violated)

    def _confirmed(
        self, variant: Variant, choices: Choices, how: str
    ) -> Mapping[str, Fails] | None:
        own = _restricted(choices, self._systems[variant.name].variables)
        found = self._confirm(variant.name, unprimed(own), how)
        if found is None:
            return None
        self.found[variant.name] = found
        return failing(found, GOAL)
