"""Suppose that survivors are equivalent, and seek proofs, before their products are searched.

A survivor whose changed values never showed in executions is likely equivalent. Cheapest first:
where the product has few states, all are visited; else the model alone may prove that old and new
values are equal. Each supposition has a certificate that is still to be checked on the product.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.verdict import Strengthening, Supposed
from mutproof.analyses.equivalence.limits import LOOKED_FOR, Shortening
from mutproof.analyses.equivalence.look import Look
from mutproof.analyses.equivalence.pairs import HOW, Pairs
from mutproof.analyses.equivalence.product import GOAL, asserted, unprimed
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.analyses.equivalence.unchanged import Same, Unchanged, unchanged
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.verdict import Certificate

DEAR = 500_000
"""What may be spent, before proofs are tried, on seeking executions that show a change, in solver
units."""


class Suppositions:
    """Suppose verdicts on survivors of one model; mutable."""

    def __init__(
        self,
        system: TransitionSystem,
        invariants: tuple[Term, ...],
        executions: PairedExecutions,
        means: Means,
        *,
        shortening: Shortening,
    ) -> None:
        self._shortening = shortening
        self._system = system
        self._executions = executions
        self._means = means
        self._pairs = Pairs()
        self._unchanged = Unchanged(system, invariants, means)

    def suppose(self, looks: Mapping[str, Look]) -> None:
        """Record an equivalence to be checked, or a difference, for survivors that have neither."""
        for look in looks.values():
            self._means.check_cancelled()
            self._visit(look)
            if look.open:
                was_quiet = look.quiet
                look.sighted = look.see(self._executions, far=True)
                look.quiet = look.quiet and was_quiet
        quiet = {
            name: term
            for name, look in looks.items()
            if look.open and look.quiet and (term := self._unchanged_in(look)) is not None
        }
        self._explore(quiet, looks)
        self._prove({n: t for n, t in quiet.items() if looks[n].open and looks[n].quiet}, looks)

    def delay(self, looks: Mapping[str, Look]) -> None:
        """Record for how many first states the changed elements have the model's values.

        Where these are all the states before a difference that was seen, that one is shortest.
        """
        stated = {n: t for n, look in looks.items() if (t := self._unchanged_in(look)) is not None}
        if not stated or self._shortening.is_over:
            return
        most = {name: looks[name].length - 1 for name in stated}
        before = self._unchanged.spent
        budget = self._shortening.share(self._dear)
        for name, explored in self._unchanged.explore(stated, most, budget).items():
            looks[name].explored = max(looks[name].explored, explored.depth)
        self._shortening.charge(self._unchanged.spent - before)

    def _visit(self, look: Look) -> None:
        """Visit all states of a product or its parts, if they are few; record the outcome."""
        found = self._pairs.visit(look.whole) or self._pairs.visit_parts(look.whole)
        if isinstance(found, Supposed):
            look.supposed = found
        elif found is not None:
            look.sighted = look.confirm(unprimed(found), HOW)
            if look.sighted is not None:  # states are visited breadth first
                look.explored = len(found.steps) - 1

    def _explore(self, statements: Mapping[str, Term], looks: Mapping[str, Look]) -> None:
        """Record for how many first states the changed elements have the model's values."""
        if not statements:
            return
        most = dict.fromkeys(statements, LOOKED_FOR)
        found = self._unchanged.explore(statements, most, self._dear)
        for name, explored in found.items():
            looks[name].explored = max(looks[name].explored, explored.depth)
            if explored.choices is not None:
                looks[name].quiet = False
                self._executions.add(explored.choices)
        for name in found:
            if looks[name].open and not looks[name].quiet:
                looks[name].sighted = looks[name].see(self._executions)
                looks[name].quiet = False  # the execution may not have been kept

    def _prove(self, statements: Mapping[str, Term], looks: Mapping[str, Look]) -> None:
        """Prove on the model that changed elements compute the model's values."""
        for name, same in self._unchanged.prove(statements).items():
            looks[name].supposed = _of_product(same, looks[name])

    def _unchanged_in(self, look: Look) -> Term | None:
        """Return the statement that changed elements have the model's values in a state.

        None if that does not imply equivalence: assertions that depend on changed elements may
        allow more executions than the model's.
        """
        if not self._asserted.isdisjoint(look.whole.copied):
            return None
        return unchanged(self._system, look.changed)

    @property
    def _dear(self) -> Budget:
        small = self._means.small
        return Budget(min(DEAR, small.rlimit or DEAR), small.timeout_s)

    @cached_property
    def _asserted(self) -> frozenset[str]:
        """Return the variables that assertions read."""
        return asserted(self._system)


def _of_product(same: Same, look: Look) -> Supposed:
    """Return a proof about the model as one about a product, by equality of both copies."""
    lemmas = (*same.lemmas, *look.whole.equalities())
    needed = [Strengthening.EQUALITIES]
    if len(same.lemmas) > 1:
        needed.append(Strengthening.INVARIANTS)
    return Supposed(same.engine, Certificate(same.k, lemmas, (GOAL,)), tuple(needed))
