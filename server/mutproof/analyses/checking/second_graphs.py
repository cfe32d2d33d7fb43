"""Decide mutants by the states and steps that the oracle finds: a second opinion on graphs.

The first opinion (`solving.graphs`) computes steps of the lowered system by functions compiled
from its constraints, and labels its states backwards from those that satisfy a formula. This one
shares neither: the oracle, which replays counterexamples, judges the program as it is written, and
formulas are solved as equations (`model.branching`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from mutproof.analyses.claims.scope import outside
from mutproof.base.lazy import cached_property
from mutproof.model import branching, terms
from mutproof.model.branching import Truth
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.interpretation import Interpretation
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Property, PropertyKind
from mutproof.model.relational_demands import NotExplored
from mutproof.model.relational_explore import ReachedGraph, RelationalExplorer
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated

MOST_KEPT = 1_000
"""How many verdicts on graphs are kept: those of many mutants are equal."""

_LINEAR = frozenset({PropertyKind.LTL, PropertyKind.PSL})


class SecondGraphs:
    """Decide proved properties of a model on its mutants; caches only.

    Of the program only what the system of a `part` has is looked at.
    """

    def __init__(self, meaning: Interpretation, part: TransitionSystem) -> None:
        self._meaning = meaning
        self._part = part
        program = meaning.program
        stated = program.component(program.main).properties
        self._stated = {one.name: one for one in stated}
        self._fairness = program.component(program.main).fairness
        self._own: dict[str, BddVerdict] = {}
        self._numbered: Sequence[Mapping[str, Any]] = ()
        self._solved: dict[Hashable, BddVerdict | None] = {}
        self._recurring: dict[Hashable, Sequence[Truth] | None] = {}

    def verdicts(self, bodies: Bodies, goals: Iterable[str]) -> Mapping[str, BddVerdict] | None:
        """Return what holds of some goals with other bodies; None if no states can be found.

        Otherwise there are initial states, and each reachable state begins a fair path.
        """
        try:
            explorer = self._explorer
            states = None if explorer is None else explorer.states(bodies)
        except (InstantaneousLoop, NotExplored, NumberTooLarge):
            return None
        if explorer is None or states is None:
            return None
        if explorer.is_full:
            del self._explorer
        if self._numbered is not states.values or len(self._solved) > MOST_KEPT:
            self._numbered = states.values
            self._solved.clear()
            self._recurring.clear()
        graph = frozenset(states.initial), frozenset(states.following.items())
        if graph not in self._recurring:
            self._recurring[graph] = self._justice(states)
        justice = self._recurring[graph]
        if justice is None:
            return None
        found: dict[str, BddVerdict] = {}
        for goal in goals:
            stated = self._stated.get(goal)
            if stated is None:
                continue
            key = states.is_own, goal, graph
            if key not in self._solved:
                self._solved[key] = self._verdict(stated, states, justice)
            verdict = self._solved[key]
            if verdict is not None:
                found[goal] = verdict
        return found

    @cached_property
    def _explorer(self) -> RelationalExplorer | None:
        part = self._part
        return self._meaning.explorer(part.variables, outside(self._meaning.program, part))

    def _justice(self, states: ReachedGraph) -> Sequence[Truth] | None:
        """Return where each condition of fairness is true; None if a state begins no fair path."""
        if not self._fairness:
            return ()
        try:
            found = [states.where(term) for term in self._fairness]
        except (NotExplored, NumberTooLarge):
            return None
        everywhere = dict.fromkeys(states.following, True)
        fair = branching.fair(states.following, everywhere, found)
        return found if all(fair.values()) else None

    def _verdict(
        self, stated: Property, states: ReachedGraph, justice: Sequence[Truth]
    ) -> BddVerdict | None:
        """Return the verdict on a property; None if equations cannot tell.

        With the states and steps of the model, it holds as in the model.
        """
        if states.is_own and stated.name in self._own:
            return self._own[stated.name]
        formula = _formula(stated)
        verdict: BddVerdict | None = None
        if formula is None:
            verdict = Holding() if states.is_own else None
        else:
            try:
                truth = branching.solved(formula, states.following, states.where, justice)
            except (NotExplored, NumberTooLarge):
                return None
            holds = all(truth[number] for number in states.initial)
            verdict = Holding() if holds else Violated(None)
        if states.is_own and verdict is not None:
            self._own[stated.name] = verdict
        return verdict


def _formula(stated: Property) -> Term | None:
    """Return a property as a formula of branching time that is solved here."""
    if stated.kind is PropertyKind.INVARIANT:
        return terms.make(Op.AG, BOOL, (stated.term,))
    if stated.kind is PropertyKind.CTL and branching.is_solvable(stated.term):
        return stated.term
    return branching.on_all_paths(stated.term) if stated.kind in _LINEAR else None
