"""All reachable states of parts around open properties of mutants, where a part has few.

Numbers that grow without end count no further than they make a difference. The states of a part
without failure are an invariant of the whole, which solvers check like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mutproof.analyses.bench.bench import BATCH, Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.context import Context, open_in
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model import saturation, surroundings, terms
from mutproof.model.exploration import ExplorationLimits, ExploredStates, Explorer
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
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
        """Yield what the states of parts prove of claims, those with the same proof together."""
        context = self._context
        alike: dict[Certificate, list[Claim]] = {}
        for claim in claims:
            system = applied(context.system, claim.variant)
            for name in open_in(context, claim):
                stated = context.system.property(name)
                if stated.kind is PropertyKind.INVARIANT and self._left > 0:
                    context.means.check_cancelled()
                    found = self._searched(system, stated)
                    if found is not None:
                        self._left += EACH_PARTS
                        alike.setdefault(found, []).append(claim)
        if alike:
            checker = self._next_checker(len(alike))
            before = checker.calls
            yield OfferedCertificates(claims, [*alike.items()], checker=checker)
            context.calls += checker.calls - before

    @cached_property
    def _loops(self) -> Mapping[str, int]:
        return surroundings.loops(self._context.system)

    def _searched(self, system: TransitionSystem, stated: SystemProperty) -> Certificate | None:
        """Return what proves a property in some part: a larger one where it fails, else smaller."""
        low, high, distance, step = 0, FARTHEST, self._distance, 1
        while low < high and self._left > 0:
            part = surroundings.part(system, stated.term, distance, self._loops)
            found = self._explored(part or system, stated.name)
            self._left -= 1
            if found.invariant is not None and stated.name in found.holding:
                self._distance = distance
                lemmas = () if found.invariant is terms.TRUE else (found.invariant,)
                return Certificate(1, lemmas, (stated.name,))
            if not found.failing:
                high = distance
                distance = max((low + high) // 2, high - step)
            elif part is None:
                return None
            else:
                low = distance + 1
                distance = min((low + high) // 2, distance + step)
            step *= 2
        return None

    def _explored(self, part: TransitionSystem, name: str) -> ExploredStates:
        """Return what the states of a part show, by code that is kept for others like it."""
        explorer = self._explorers.get(
            (name, *part.variables), lambda: Explorer(part, saturation.ends(part))
        )
        known, own = frozenset(explorer.system.constraints), frozenset(part.constraints)
        gone = [c for c in explorer.system.constraints if c not in own]
        new = [c for c in part.constraints if c not in known]
        return explorer.explore((name,), LIMITS, gone, new)

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
