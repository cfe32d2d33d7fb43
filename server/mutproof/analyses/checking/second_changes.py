"""Decide graphs that hardly differ from a known one: a second opinion on what changes little.

The first opinion (`solving.graphs.changed`) looks for cycles. Here a path that avoids something
forever is a solution of equations (`model.branching`), on what follows the changed and new states
as long as they avoid it: where these have none, any such path is one of the known graph. That there
is a fair path at all is shown by one, which is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from mutproof.base.digraph import reached
from mutproof.base.lazy import cached_property
from mutproof.model import branching, terms
from mutproof.model.branching import Truth
from mutproof.model.operators import Op
from mutproof.model.state_graphs import FairWalks, NearGraph, Walk
from mutproof.model.terms import Term

Clause: TypeAlias = "tuple[Term, Term | None]"
"""In each state the first is true, or else the second, if any, comes to be on all paths."""


class SecondChanges:
    """Tell of formulas whether they hold in graphs too that hardly differ; caches only.

    `following` are the states of the known graph, `fair` those on fair paths; `where` tells of
    states of any of the graphs whether a term without time is true.
    """

    def __init__(
        self,
        following: Mapping[int, Sequence[int]],
        fair: Mapping[int, Sequence[int]],
        fairness: Sequence[Term],
        where: Callable[[Term, Iterable[int]], Truth],
    ) -> None:
        self._following = following
        self._fair = fair
        self._fairness = fairness
        self._where = where
        self._own: dict[Clause, bool] = {}

    def holds(self, formula: Term, near: NearGraph, *, endless: bool) -> bool:
        """Tell whether a formula surely holds; if it speaks of paths without end, of a fair one.

        Raises:
            NotExplored: a part of it has no value in a state.
        """
        found = clauses(formula)
        return (
            found is not None
            and all(self._is_known(clause) and self._lasts(clause, near) for clause in found)
            and not (endless and self._fairness and self._fair_path(near) is None)
        )

    def _is_known(self, clause: Clause) -> bool:
        """Tell whether a clause is true in all states of the known graph."""
        if clause not in self._own:
            now, target = clause
            truth = self._where(now, self._following)
            broken = [state for state in self._following if not truth[state]]
            lasting: Truth = dict.fromkeys(broken, True)
            if broken and target is not None:
                lasting = self._avoiding(target, self._following)
            self._own[clause] = not any(lasting[state] for state in broken)
        return self._own[clause]

    def _lasts(self, clause: Clause, near: NearGraph) -> bool:
        """Tell whether a clause that is true of the known graph surely is of another."""
        now, target = clause
        if target is None:
            truth = self._where(now, near.new)
            return all(truth[state] for state in near.new)
        follow = near.after(self._following)

        def avoiding(states: Iterable[int]) -> list[int]:
            found = [*states]
            truth = self._where(target, found)
            return [state for state in found if not truth[state]]

        starts = avoiding((*near.changed, *near.new))
        found = reached(starts, lambda state: avoiding(follow(state)))
        graph = {state: [o for o in follow(state) if o in found] for state in reversed(found)}
        return not any(self._avoiding(target, graph).values())

    def _avoiding(self, target: Term, graph: Mapping[int, Sequence[int]]) -> Truth:
        """Return which states of a graph begin a fair path on which something never is true."""
        truth = self._where(target, graph)
        through = {state: not truth[state] for state in graph}
        often = [self._where(term, graph) for term in self._fairness]
        return branching.staying(graph, through, often)

    def _fair_path(self, near: NearGraph) -> Walk | None:
        """Return a fair path from an initial state; None if none is found."""
        follow = near.after(self._following)
        often = [self._true(term, near.new) for term in self._fairness]
        walk = self._walks.found(near, follow, often)
        if walk is None or walk.path[0] not in near.initial:
            return None
        closed = [*walk.path, walk.path[walk.loop]]
        are_steps = all(other in follow(state) for state, other in pairwise(closed))
        loop = walk.path[walk.loop :]
        is_fair = all(self._true(term, loop) for term in self._fairness)
        return walk if are_steps and is_fair else None

    def _true(self, term: Term, states: Iterable[int]) -> list[int]:
        truth = self._where(term, states)
        return [state for state in states if truth[state]]

    @cached_property
    def _walks(self) -> FairWalks:
        return FairWalks(self._fair, [self._true(term, self._fair) for term in self._fairness])


def clauses(formula: Term) -> list[Clause] | None:
    """Return what a formula says of each state of a graph; None if it says something else."""
    found: list[Clause] = []
    stack = [(formula, True, False)]
    while stack:
        term, positive, is_always = stack.pop()
        if term.op is Op.NOT:
            stack.append((term.args[0], not positive, is_always))
        elif term.op is (Op.AND if positive else Op.OR):
            stack += [(arg, positive, is_always) for arg in term.args]
        elif term.op is (Op.AG if positive else Op.EF):
            stack.append((term.args[0], positive, True))
        else:
            clause = _clause(term, positive=positive) if is_always else None
            if clause is None:
                return None
            found.append(clause)
    return found


def _clause(term: Term, *, positive: bool) -> Clause | None:
    """Return `p`, `AF q`, `p | AF q` or `p -> AF q`, which may be written with `!EG !q`."""
    if _is_timeless(term):
        return (term if positive else terms.not_(term)), None
    now: Term = terms.FALSE
    if positive and term.op in {Op.OR, Op.IMPLIES} and len(term.args) == 2:
        first, second = term.args
        if not _is_timeless(first):
            return None
        now = first if term.op is Op.OR else terms.not_(first)
        term = second
    while term.op is Op.NOT:
        term, positive = term.args[0], not positive
    if term.op is not (Op.AF if positive else Op.EG) or not _is_timeless(term.args[0]):
        return None
    return now, term.args[0] if positive else terms.not_(term.args[0])


def _is_timeless(term: Term) -> bool:
    return not branching.speaks_of_branches(term)
