"""Lemmas that may help to prove the sides of a product equal, and of what kind they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mutproof.analyses.claims.verdict import Strengthening
from mutproof.analyses.equivalence import correspondence, induction
from mutproof.analyses.equivalence.induction import Lemmas
from mutproof.analyses.equivalence.product import Product
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.terms import Term
from mutproof.solving.engine import Task
from mutproof.solving.engines import intervals


class Candidates:
    """Hold the lemmas that may be inductive on a product; each kind is computed on first use.

    `invariants` are terms over the model that may hold on both sides. `renamed`: variables of the
    two sides may correspond under other names.
    """

    def __init__(
        self, task: Task, product: Product, invariants: tuple[Term, ...], *, renamed: bool
    ) -> None:
        self._task = task
        self._system = task.system
        self._product = product
        self._given = invariants
        self._renamed = renamed

    @property
    def all(self) -> tuple[Term, ...]:
        """Return all lemmas, the kinds one after the other."""
        equalities = (*self._equalities, *self._more_equalities)
        return (*equalities, *self._intervals, *self._invariants)

    def kind(self, lemma: Term) -> Strengthening:
        """Return the kind of one of the lemmas."""
        if lemma in self._equalities or lemma in self._more_equalities:
            return Strengthening.EQUALITIES
        return Strengthening.INTERVALS if lemma in self._intervals else Strengthening.INVARIANTS

    def needed(self, lemmas: Sequence[Term]) -> tuple[Strengthening, ...]:
        """Return the kinds of some of the lemmas, in the order of their declaration."""
        kinds = {self.kind(lemma) for lemma in lemmas}
        return tuple(kind for kind in Strengthening if kind in kinds)

    @cached_property
    def _equalities(self) -> tuple[Term, ...]:
        return tuple(self.readable(self._product.equalities()))

    @cached_property
    def _more_equalities(self) -> tuple[Term, ...]:
        return correspondence.same_valued(self._system) if self._renamed else ()

    @cached_property
    def _intervals(self) -> tuple[Term, ...]:
        return tuple(intervals.candidates(self._system))

    @cached_property
    def _invariants(self) -> tuple[Term, ...]:
        both = (side for term in self._given for side in (term, self._product.on_copy(term)))
        return tuple(dict.fromkeys(self.readable(both)))

    def readable(self, found: Iterable[Term]) -> list[Term]:
        """Return the terms all of whose variables the product has."""
        return [t for t in found if induction.readable(self._system, walk.variables(t))]

    def strengthenings(self) -> Iterator[Lemmas]:
        """Yield lemmas to add to the goal: none first, then more and more."""
        none = Lemmas()
        yield none
        task, equalities = self._task, self._equalities
        equal = induction.inductive(task, equalities, none, 1)
        if equal is not none:
            yield equal
        bounds = induction.inductive(task, self._intervals, none, 1)
        if bounds is not none:
            yield induction.inductive(task, equalities, bounds, 1)
        deep = induction.inductive(task, equalities, bounds, 2)
        if len(deep.terms) > len(equal.terms) + len(bounds.terms):
            yield deep
        if self._more_equalities:
            equalities = (*equalities, *self._more_equalities)
            renamed = induction.inductive(task, equalities, bounds, 1)
            if renamed is not bounds:
                yield renamed
        if self._invariants:
            more = (*self._intervals, *equalities, *self._invariants)
            everything = induction.inductive(task, more, none, 1)
            if everything is not none:
                yield everything
