"""Decide a graph by another one that is known and has nearly the same states and steps.

What lasts forever in the known graph goes on to hold where nothing changes. So a cycle of fair
paths that avoids something is sought forward from changed and new states alone: any other one is in
the known graph too. States that are reached no more do no harm: what follows a state is all that
formulas speak of.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.digraph import cyclic_components
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.state_graphs import MOST_CHANGED, MOST_NEW, FairWalks, NearGraph
from mutproof.model.terms import Term
from mutproof.solving.formulas import is_temporal
from mutproof.solving.graphs.labels import Graph, States
from mutproof.solving.graphs.plan import NotFew

MOST_FORWARD = 10_000
"""How many states may be visited from the changed ones for one formula."""

MOST_KEPT = 256
"""Of how many graphs is kept what was told."""


@dataclass(frozen=True, slots=True)
class Lasting:
    """Hold a formula of all states: `now` is true in each, if all of `ahead` lie ahead of all."""

    now: Term
    ahead: tuple[Term, ...]


def lasting(formula: Term) -> Lasting | None:
    """Return a formula in this form, if it is true where more states have what lies ahead."""
    timed: dict[Term, bool] = {}
    ahead: dict[Term, None] = {}
    everywhere: list[Term] = []
    stack = [(formula, True, False)]
    while stack:
        term, positive, inside = stack.pop()
        match term.op:
            case Op.NOT if is_temporal(term, timed):
                stack.append((term.args[0], not positive, inside))
            case Op.AND if positive:
                stack += [(arg, True, inside) for arg in term.args]
            case Op.AG if positive:
                stack.append((term.args[0], True, True))
            case Op.EF if not positive:
                stack.append((term.args[0], False, True))
            case _ if inside:
                now = _now(term, timed, ahead)[not positive]
                if now is None:
                    return None
                everywhere.append(now)
            case _:
                return None
    return Lasting(terms.conjunction(everywhere), tuple(ahead))


_Sides: TypeAlias = "tuple[Term | None, Term | None]"
"""What makes a formula true, and what makes it false, without time; None if neither is known."""


def _now(root: Term, timed: dict[Term, bool], ahead: dict[Term, None]) -> _Sides:
    """Return a formula with all that lies ahead as true, None if that might make it false."""

    def combine(term: Term, args: tuple[_Sides, ...]) -> _Sides:
        if not is_temporal(term, timed):
            return term, terms.not_(term)
        match term.op:
            case Op.NOT:
                return args[0][::-1]
            case Op.AF if not timed[term.args[0]]:
                ahead[term.args[0]] = None
                return terms.TRUE, None
            case Op.EG if not timed[term.args[0]]:
                ahead[terms.not_(term.args[0])] = None
                return None, terms.TRUE
            case Op.AND:
                return _joined(args, 0, Op.AND), _joined(args, 1, Op.OR)
            case Op.OR:
                return _joined(args, 0, Op.OR), _joined(args, 1, Op.AND)
            case Op.IMPLIES:
                turned = (args[0][::-1], args[1])
                return _joined(turned, 0, Op.OR), _joined(turned, 1, Op.AND)
            case _:
                return None, None

    return walk.fold(root, combine)


def _joined(sides: Sequence[_Sides], side: int, op: Op) -> Term | None:
    found = [one[side] for one in sides]
    known = [term for term in found if term is not None]
    return terms.make(op, BOOL, known) if len(known) == len(found) else None


def near_graph(
    initial: Sequence[int],
    sources: Collection[int],
    graph: Graph,
    follow: Callable[[int], tuple[int, ...]],
    *,
    deadline: Deadline,
) -> NearGraph:
    """Return how a graph differs from a known one, which has all steps but those from `sources`.

    Raises:
        NotFew: it has too many other steps or states, or executions that end.
    """
    if len(sources) > MOST_CHANGED:
        raise NotFew
    changed = {state: after for state in sources if (after := follow(state)) != graph[state]}
    new: dict[int, tuple[int, ...]] = {}
    left = [*initial, *(other for after in changed.values() for other in after)]
    while left:
        state = left.pop()
        if state in graph or state in new:
            continue
        if len(new) >= MOST_NEW or (not len(new) % 64 and deadline.passed()):
            raise NotFew
        new[state] = follow(state)
        left += new[state]
    if not all((*changed.values(), *new.values())):
        raise NotFew
    return NearGraph(initial, changed, new)


class Compared:
    """Hold what is known of a graph to decide others that hardly differ from it; caches only.

    `satisfying` returns those of some states in which a term without time holds, also of states
    that the graph has not; each of `justice` recurs on fair paths, which have the states of the
    `fair` part alone.
    """

    def __init__(
        self,
        graph: Graph,
        fair: Graph,
        justice: Sequence[Term],
        satisfying: Callable[[Term, States], States],
    ) -> None:
        self._graph = graph
        self._fair = fair
        self._justice = justice
        self._holds = satisfying
        self._everywhere: dict[Term, bool] = {}
        self._formulas: dict[Term, Lasting | None] = {}
        self._told: dict[object, dict[tuple[Term, bool], bool]] = {}

    def holds(self, formula: Term, other: NearGraph, *, endless: bool) -> bool:
        """Tell whether a formula surely holds in a graph, as it does in the known one.

        Where it speaks of paths without end, one of them must be fair.
        """
        if formula not in self._formulas:
            self._formulas[formula] = lasting(formula)
        stated = self._formulas[formula]
        if stated is None:
            return False
        if len(self._told) > MOST_KEPT:
            self._told.clear()
        told = self._told.setdefault(other.key, {})
        if (formula, endless) not in told:
            told[formula, endless] = self._lasts(stated, other) and (
                not endless or self._goes_on(other)
            )
        return told[formula, endless]

    def _goes_on(self, other: NearGraph) -> bool:
        """Tell whether a graph surely has a fair path from an initial state."""
        if not self._justice:
            return bool(other.initial)
        new = frozenset(other.new)
        often = [self._holds(term, new) for term in self._justice]
        return self._walks.found(other, other.after(self._graph), often) is not None

    def _lasts(self, stated: Lasting, other: NearGraph) -> bool:
        """Tell whether a formula that holds in the known graph surely does in another."""
        now = stated.now
        if now not in self._everywhere:
            states = self._graph.keys()
            self._everywhere[now] = len(self._holds(now, states)) == len(states)
        new = frozenset(other.new)
        return (
            self._everywhere[now]
            and len(self._holds(now, new)) == len(new)
            and all(self._comes(target, other) for target in stated.ahead)
        )

    def _comes(self, target: Term, other: NearGraph) -> bool:
        """Tell whether no fair path from what has changed avoids something forever."""
        starts = other.changed.keys() | other.new.keys()
        after = other.after(self._graph)
        avoiding: dict[int, list[int]] = {}
        layer = starts - self._holds(target, starts)
        while layer:
            for state in layer:
                avoiding[state] = [*after(state)]
            ahead = {one for state in layer for one in avoiding[state]}
            left = ahead - self._holds(target, ahead)
            for state in layer:
                avoiding[state] = [one for one in avoiding[state] if one in left]
            layer = left - avoiding.keys()
            if len(avoiding) + len(layer) > MOST_FORWARD:
                return False
        often = [self._holds(term, frozenset(avoiding)) for term in self._justice]
        return all(
            any(map(frozenset(part).isdisjoint, often)) for part in cyclic_components(avoiding)
        )

    @cached_property
    def _walks(self) -> FairWalks:
        states = self._fair.keys()
        return FairWalks(self._fair, [self._holds(term, states) for term in self._justice])
