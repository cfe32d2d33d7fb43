"""Visit all states of products where there are few, with all inputs at once.

Where a whole product has too many, parts around what is compared may have few: what they leave out
leaves truth values that the rest reads any value, so that they take all steps of the whole.
What is found is checked like any other proof, on the whole, or replayed.
Source: Kurshan, Computer-Aided Verification of Coordinating Processes, Princeton 1994.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from mutproof.analyses.claims.verdict import Strengthening, Supposed
from mutproof.analyses.equivalence.product import COPY, GOAL, Product
from mutproof.model import terms, walk
from mutproof.model.exploration import ExplorationLimits, ExploredStates, Explorer
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

HOW: Final = "exploration"

MOST_FAILURES = 3
"""How many products may be too large before no more are tried, if they are the most."""

DISTANCES = range(1, 9)
"""How many truth values apart from the change are computed, in the parts that are tried."""

PART = ExplorationLimits(rows=1 << 13, states=1 << 11)
"""How far a part is explored."""

_Kind = tuple[tuple[SystemVariable, ...], Term]


class Pairs:
    """Explore products of one model; keep the compiled code for similar ones. Mutable."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[_Kind, Explorer]] = {}  # the latest by distance; 0: the whole
        self._tried: Counter[int] = Counter()
        self._given_up: Counter[int] = Counter()

    def visit(self, whole: Product) -> Supposed | Choices | None:
        """Return what proves that the sides are the same, or choices by which they are not.

        None where that is not found, as there are too many states or inputs.
        """
        found = self._explored(whole.system, whole.goal, 0)
        if found is None or GOAL in found.failing:
            return None if found is None else found.failing[GOAL]
        return _supposed(found)

    def visit_parts(self, whole: Product) -> Supposed | None:
        """Return what proves of a part of a product that the sides are the same, if one does."""
        for distance, part in _parts(whole):
            found = self._explored(part, whole.goal, distance)
            supposed = None if found is None else _supposed(found)
            if supposed is not None:
                return supposed
        return None

    def _explored(
        self, system: TransitionSystem, goal: Term, distance: int
    ) -> ExploredStates | None:
        """Return what the states of a product or part show; None if too many were too large."""
        if 2 * self._given_up[distance] > max(2 * MOST_FAILURES, self._tried[distance]):
            return None
        explorer = self._of_its_kind(system, goal, distance)
        mine, its = frozenset(system.constraints), frozenset(explorer.system.constraints)
        found = explorer.explore(
            (GOAL,),
            PART if distance else ExplorationLimits(),
            [c for c in explorer.system.constraints if c not in mine],
            [c for c in system.constraints if c not in its],
        )
        self._tried[distance] += 1
        self._given_up[distance] += bool(found.reason)
        return found

    def _of_its_kind(self, system: TransitionSystem, goal: Term, distance: int) -> Explorer:
        """Return an explorer of products with these variables, the latest one if it fits."""
        kind = tuple(system.variables.values()), goal
        known = self._known.get(distance)
        if known is None or known[0] != kind:
            known = self._known[distance] = kind, Explorer(system)
        return known[1]


def _supposed(found: ExploredStates) -> Supposed | None:
    if found.invariant is None or GOAL not in found.holding:
        return None
    reached = () if found.invariant is terms.TRUE else (found.invariant,)
    needed = (Strengthening.INVARIANTS,) if reached else ()
    return Supposed(HOW, Certificate(1, reached, (GOAL,)), needed)


def _parts(whole: Product) -> Iterator[tuple[int, TransitionSystem]]:
    """Yield parts of a product that are less than it, by distance, each another than the last."""
    system = whole.system
    read_by: dict[str, set[str]] = {}
    for constraint, names in zip(system.constraints, system.reads, strict=True):
        if constraint.defines is not None:
            read_by.setdefault(constraint.defines, set()).update(names)
    last: tuple[Constraint, ...] = ()
    for distance in DISTANCES:
        away, left_out = _around(whole, read_by, distance)
        if not left_out:
            return
        stated = {None, *away} - left_out  # None: assertions
        kept = tuple(
            constraint
            for constraint, names in zip(system.constraints, system.reads, strict=True)
            if constraint.defines in stated and names <= away
        )
        if kept != last:
            variables = {n: v for n, v in system.variables.items() if n in away}
            yield distance, replace(system, variables=variables, constraints=kept)
        last = kept


def _around(
    whole: Product, read_by: Mapping[str, AbstractSet[str]], distance: int
) -> tuple[AbstractSet[str], AbstractSet[str]]:
    """Return the variables that are at most some truth values away from what is compared.

    Then those of them whose definitions are left out. Truth values that the change may alter do
    not count. `read_by` gives what the definitions of a variable read.
    """
    altered = {*whole.copied, *(COPY + name for name in whole.copied)}
    away = dict.fromkeys(walk.variables(whole.goal), 0)
    queue, left_out = deque(away), set[str]()
    while queue:
        name = queue.popleft()
        is_counted = name not in altered and whole.system.variables[name].sort == BOOL
        steps = away[name] + is_counted
        if steps > distance and name in read_by:
            left_out.add(name)
            continue
        left_out.discard(name)
        for read in read_by.get(name, ()):
            if steps < away.get(read, steps + 1):
                away[read] = steps
                queue.append(read)
    return away.keys(), left_out
