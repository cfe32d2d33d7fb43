"""Decide mutants by the states and steps that the oracle finds: a second opinion on graphs.

The first opinion (`solving.graphs`) computes steps of the lowered system by functions compiled
from its constraints, and labels its states backwards from those that satisfy a formula. This one
shares neither: the oracle, which replays counterexamples, judges the program as it is written, and
formulas are solved as equations (`model.branching`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from mutproof.analyses.checking.second_changes import SecondChanges
from mutproof.analyses.claims.scope import outside
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import branching, terms
from mutproof.model.branching import Truth
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.interpretation import Interpretation
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Property, PropertyKind
from mutproof.model.relational_demands import NotExplored
from mutproof.model.relational_explore import RelationalExplorer
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import BOOL
from mutproof.model.state_graphs import NearGraph, ReachedGraph
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Vacuity, Violated

MOST_KEPT = 100_000
"""Of graphs with how many states together verdicts are kept: those of many mutants are equal."""

_OWN: Hashable = None
"""What stands for the graph of the model itself."""

_NOT_FOUND = (InstantaneousLoop, NotExplored, NumberTooLarge)

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
        self._count = 0
        self._fair: dict[Hashable, _FairPart | None] = {}

    def verdicts(self, bodies: Bodies, goals: Iterable[str]) -> Mapping[str, BddVerdict] | None:
        """Return what holds of some goals with other bodies; None if no states can be found.

        Otherwise there are initial states, and each reachable state has a successor.
        """
        try:
            explorer = self._explorer
            states = None if explorer is None else explorer.states(bodies)
        except _NOT_FOUND:
            return None
        if explorer is None or states is None:
            return None
        self._note_numbers(states.values)
        graph = _OWN
        if not states.is_own:
            graph = frozenset(states.initial), frozenset(states.following.items())
        if graph not in self._fair:
            self._fair[graph] = self._fair_part(states)
            self._count += len(states.following)
        fair = self._fair[graph]
        if fair is None:
            return None
        found: dict[str, BddVerdict] = {}
        for goal in goals:
            stated = self._stated.get(goal)
            if stated is None:
                continue
            key = goal, graph
            if key not in self._solved:
                self._solved[key] = self._verdict(stated, states, fair)
            verdict = self._solved[key]
            if verdict is not None:
                found[goal] = verdict
        return found

    def _note_numbers(self, values: Sequence[Mapping[str, Any]]) -> None:
        """Forget other graphs where their states have other numbers now, or are many."""
        if self._numbered is not values or self._count > MOST_KEPT:
            self._numbered, self._count = values, 0
            self._solved.clear()
            self._fair = {key: part for key, part in self._fair.items() if key is _OWN}

    @cached_property
    def _explorer(self) -> RelationalExplorer | None:
        part = self._part
        return self._meaning.explorer(part.variables, outside(self._meaning.program, part))

    def lasting(self, bodies: Bodies, goals: Iterable[str]) -> Mapping[str, BddVerdict] | None:
        """Return what surely holds with other bodies that hardly change the states of the model.

        None if they do not hardly. Otherwise there are initial states, and each has a successor.
        """
        found: dict[str, BddVerdict] = {}
        try:
            known = self._changes  # before others are numbered
            explorer = self._explorer
            near = None if explorer is None else explorer.near(bodies)
            if near is None or known is None or explorer is None:
                return None
            self._note_numbers(explorer.values)
            self._count += len(near.changed) + len(near.new)
            for goal in goals:
                if self._surely_holds(known, near, goal):
                    found[goal] = Holding()
        except _NOT_FOUND:
            return None
        return found

    def _surely_holds(self, known: SecondChanges, near: NearGraph, goal: str) -> bool:
        stated = self._stated.get(goal)
        formula = None if stated is None else _formula(stated)
        if stated is None or formula is None:
            return False
        key = goal, near.key
        if key not in self._solved:
            endless = stated.kind is not PropertyKind.INVARIANT
            holds = known.holds(formula, near, endless=endless)
            self._solved[key] = Holding() if holds else None
        return self._solved[key] is not None

    @cached_property
    def _changes(self) -> SecondChanges | None:
        explorer = self._explorer
        own = None if explorer is None else explorer.states({})
        fair = None if own is None else self._fair_part(own)
        if explorer is None or own is None or fair is None:
            return None
        return SecondChanges(own.following, fair.following, self._fairness, explorer.where)

    def _fair_part(self, states: ReachedGraph) -> _FairPart | None:
        """Return the states in which fair paths begin; None if it cannot be told."""
        following = states.following
        if not self._fairness:
            return _FairPart(following, ())
        try:
            often = [states.where(term) for term in self._fairness]
        except (NotExplored, NumberTooLarge):
            return None
        fair = branching.fair(following, dict.fromkeys(following, True), often)
        if not all(fair.values()):
            following = {
                number: tuple([other for other in after if fair[other]])
                for number, after in following.items()
                if fair[number]
            }
        return _FairPart(following, often)

    def _verdict(
        self, stated: Property, states: ReachedGraph, fair: _FairPart
    ) -> BddVerdict | None:
        """Return the verdict on a property; None if equations cannot tell.

        With the states and steps of the model, it holds as in the model.
        """
        if states.is_own and stated.name in self._own:
            return self._own[stated.name]
        formula = _formula(stated)
        is_invariant = stated.kind is PropertyKind.INVARIANT
        following = states.following if is_invariant else fair.following
        verdict: BddVerdict | None = None
        if not following:
            verdict = Holding(Vacuity.NO_FAIR_STATE)
        elif formula is None:
            verdict = Holding() if states.is_own else None
        else:
            try:
                justice = () if is_invariant else fair.justice
                truth = branching.solved(formula, following, states.where, justice)
            except (NotExplored, NumberTooLarge):
                return None
            holds = all(truth[number] for number in states.initial if number in following)
            verdict = Holding() if holds else Violated(None)
        if states.is_own and verdict is not None:
            self._own[stated.name] = verdict
        return verdict


@dataclass(frozen=True, slots=True)
class _FairPart:
    """Hold the states in which fair paths begin, with those that follow; what recurs on these."""

    following: Mapping[int, tuple[int, ...]]
    justice: Sequence[Truth]


def _formula(stated: Property) -> Term | None:
    """Return a property as a formula of branching time that is solved here."""
    if stated.kind is PropertyKind.INVARIANT:
        return terms.make(Op.AG, BOOL, (stated.term,))
    if stated.kind is PropertyKind.CTL and branching.is_solvable(stated.term):
        return stated.term
    return branching.on_all_paths(stated.term) if stated.kind in _LINEAR else None
