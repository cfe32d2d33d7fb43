"""All reachable states of parts around open properties of mutants, where a part has few.

Numbers that grow without end count no further than they make a difference. The states of a part
without failure are an invariant of the whole, which solvers check like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from mutproof.analyses.bench.bench import BATCH, Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context, open_in
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model import saturation, surroundings, terms, walk
from mutproof.model.exploration import ExplorationLimits, ExploredStates, Explorer
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.verdict import Certificate

LIMITS = ExplorationLimits(rows=1 << 14, steps=512, states=1 << 11)
"""How far a part is explored."""

FARTHEST = 64
"""How many loops away parts end at most."""

FIRST_PARTS, EACH_PARTS = 48, 8
"""How many parts may be explored until a proof is found, and for each proof that is."""

MOST_CHECKED = 16
"""After how many certificates there are new solvers: these keep the terms of all of them."""

MOST_EXPLORERS = 32
"""For how many parts of the model compiled code is kept."""


class PartStates:
    """Explore parts of mutants, first those of the size that helped last; mutable."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._explorers: Memo[Explorer] = Memo(MOST_EXPLORERS)
        self._distance = 1
        self._left = FIRST_PARTS
        self._checker: Checker | None = None
        self._checked = 0

    def applies(self, claim: Claim) -> bool:
        """Tell whether trying a claim pays: what kills others is found by executions."""
        asked = claim.variant.is_local and not claim.fails
        return asked and self._left > 0 and not self._context.relational

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what the states of parts prove of claims, one offer for each part.

        Proofs that are checked together are found to rest on what some of them need.
        """
        context = self._context
        alike: dict[tuple[str, ...], dict[Certificate, list[Claim]]] = {}
        for claim in claims:
            system = applied(context.system, claim.variant)
            stated = map(context.system.property, open_in(context, claim))
            left = {one.name: one for one in stated if one.kind is PropertyKind.INVARIANT}
            crowded: list[AbstractSet[str]] = []
            while left and self._left > 0:
                context.means.check_cancelled()
                goals = [left.pop(next(iter(left))), *left.values()]
                found = self._searched(system, goals, crowded)
                if found is not None:
                    self._left += EACH_PARTS
                    alike.setdefault(found.goals, {}).setdefault(found, []).append(claim)
                    for name in found.goals:
                        left.pop(name, None)
        for proofs in alike.values():
            checker = self._next_checker(len(proofs))
            before = checker.calls
            proved = [claim for some in proofs.values() for claim in some]
            yield OfferedCertificates(proved, [*proofs.items()], checker=checker)
            context.calls += checker.calls - before

    @cached_property
    def _loops(self) -> Mapping[str, int]:
        return surroundings.loops(self._context.system)

    def _searched(
        self,
        system: TransitionSystem,
        goals: Sequence[SystemProperty],
        crowded: list[AbstractSet[str]],
    ) -> Certificate | None:
        """Return what proves the first goal in some part, and others that the part decides.

        A larger part is tried where it fails, else a smaller one. `crowded` are the variables of
        parts with too many states, where larger ones hardly have fewer.
        """
        low, high, distance, step = 0, FARTHEST, self._distance, 1
        while low < high and self._left > 0:
            part = surroundings.part(system, goals[0].term, distance, self._loops)
            own = (part or system).variables.keys()
            failing = False
            if not any(known <= own for known in crowded):
                found = self._explored(part or system, goals[:1])
                self._left -= 1
                if found.holding and found.invariant is not None:
                    self._distance = distance
                    return self._of_all(part or system, goals, found.invariant)
                failing = bool(found.failing)
                if not failing:
                    crowded.append(own)
            if not failing:
                high = distance
                distance = max((low + high) // 2, high - step)
            elif part is None:
                return None
            else:
                low = distance + 1
                distance = min((low + high) // 2, distance + step)
            step *= 2
        return None

    def _of_all(
        self, part: TransitionSystem, goals: Sequence[SystemProperty], invariant: Term
    ) -> Certificate:
        """Return what the states of a part prove, given that they prove the first goal."""
        own = part.variables.keys()
        others = [goal for goal in goals[1:] if walk.variables(goal.term) <= own]
        names = self._explored(part, [goals[0], *others]).holding if others else ()
        lemmas = () if invariant is terms.TRUE else (invariant,)
        return Certificate(1, lemmas, (goals[0].name, *(n for n in names if n != goals[0].name)))

    def _explored(self, part: TransitionSystem, goals: Sequence[SystemProperty]) -> ExploredStates:
        """Return what the states of a part show, by code that is kept for others like it."""
        names = tuple(goal.name for goal in goals)
        explorer = self._explorers.get(
            (names[0], *part.variables), lambda: Explorer(part, saturation.ends(part))
        )
        known, own = frozenset(explorer.system.constraints), frozenset(part.constraints)
        gone = [c for c in explorer.system.constraints if c not in own]
        new = [c for c in part.constraints if c not in known]
        return explorer.explore(names, LIMITS, gone, new)

    def _next_checker(self, certificates: int) -> Checker:
        """Return the checker, replaced by a new one after many certificates."""
        if self._checker is None or self._checked >= MOST_CHECKED:
            context = self._context
            bench = Bench(context.system, context.means.small, context.replayer.confirm)
            self._checker, self._checked = Checker(bench), 0
        self._checked += certificates
        return self._checker


PARTS = Rung(
    "states of parts",
    Cost.SEARCH,
    PartStates,
    PartStates.decide,
    PartStates.applies,
    at_once=BATCH,
)
