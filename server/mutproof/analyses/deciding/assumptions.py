"""Tell mutants that contradict the assertions of a model from those that survive."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mutproof.analyses.bench.executions import Witnesses
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import DeadEnd
from mutproof.analyses.claims.standing import Standing
from mutproof.analyses.claims.variant import applied, bounds_digest, changes
from mutproof.analyses.proving.dead_ends import goes_on
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import implied

ASSUMED_STEPS = 3
"""A mutant without an execution of this many steps, where the model has one, is stillborn."""
DEEP_STEPS = 16
"""How many steps are searched for an end of all executions of a survivor, if the model has none."""
FEWER_STEPS = (DEEP_STEPS, DEEP_STEPS // 2, DEEP_STEPS // 4)
"""How many steps are asked about in turn, until that is not too hard."""
LARGEST = 20
MOST_VARIABLES = 200
"""The most variables that assertions read, and that a system has, for that search: beyond, it costs
too much."""
EACH = 5_000
"""The most that one question of that search costs, in solver units."""


class Assumptions:
    """Find out whether a mutant has executions that satisfy the assertions; caches answers.

    Known executions are tried before a solver is asked.
    """

    def __init__(
        self,
        system: TransitionSystem,
        known: dict[Digest, int | None],
        ends: dict[str, DeadEnd],
        checker: Callable[[], Checker],
        *,
        witnesses: Callable[[], Witnesses | None],
        means: Means,
    ) -> None:
        self.short: frozenset[str] = frozenset()  # survivors not followed for DEEP_STEPS
        self._find_witnesses = witnesses
        self._means = means
        self._system = system
        self.known = known
        self._checker = checker
        self._ends = ends
        self._owners: frozenset[ElementId] | None = None
        self._names: frozenset[str] = frozenset()
        self._digests: tuple[Digest, ...] = ()
        self._keys: dict[str, Digest] = {}

    @cached_property
    def witnesses(self) -> Witnesses | None:
        """Return executions that satisfy the assertions; None for relational systems."""
        return self._find_witnesses()

    @cached_property
    def _standing(self) -> Standing:
        return Standing(self._system)

    def longest(self, claim: Claim) -> int | None:
        """Return the length of the longest executions of a claim; None if they go on."""
        return self.known[self.key(claim)]

    def dead_ends(self, claims: Sequence[Claim]) -> list[Claim]:
        """Find out how long executions of claims are; return the claims that were known before."""
        found = self.known
        known = [claim for claim in claims if self.key(claim) in found]
        unknown = [claim for claim in claims if self.key(claim) not in found]
        asked = []
        if self.witnesses is not None:
            self.witnesses.prepare(unknown)
        for claim in unknown:
            end = self._ends.get(claim.name)
            if end is not None and self._stands(claim, end):
                found[self.key(claim)] = end.length
            elif self._lives(claim):
                found[self.key(claim)] = None
            else:
                asked.append(claim)
        if asked:
            ends = self._checker().dead_end(asked, ASSUMED_STEPS, self._learn, self._lives)
            self._ends.update(ends)
            for claim in asked:
                name = claim.name
                found[self.key(claim)] = ends[name].length if name in ends else None
        return known

    def deep_ends(self, claims: Sequence[Claim]) -> None:
        """Find out, where that is cheap, whether the executions of claims end after many steps."""
        left = [claim for claim in claims if self.known[self.key(claim)] is None]
        if self._system.relational:
            return
        if len(self._names) > LARGEST or len(self._system.variables) > MOST_VARIABLES:
            self.short |= {claim.name for claim in left if claim.variant.removed}
            return
        for claim in left:
            looked = digest_parts("deep", self.key(claim))
            if looked not in self.known:
                self.known[looked] = self._followed(claim)
            if self.known[looked] is not None and claim.variant.removed:
                self.short |= {claim.name}

    def _followed(self, claim: Claim) -> int | None:
        """Search deeply for the end of a claim; return for how many steps, None if that is told.

        Its end is no evidence for later versions: they may be too hard for as many units.
        """
        if self._lives(claim, DEEP_STEPS):
            return None
        for steps in FEWER_STEPS:
            ends = self._checker().dead_end([claim], steps, self._learn, self._lives, most=EACH)
            for end in ends.values():
                self.known[self.key(claim)] = end.length
            if ends or self._lives(claim, DEEP_STEPS):
                return None
        changed = applied(self._system, claim.variant)
        return None if goes_on(changed, self._means) else ASSUMED_STEPS

    def _stands(self, claim: Claim, end: DeadEnd) -> bool:
        """Tell whether the end found for an earlier version of a mutant is its end today.

        Its support shows that no execution goes further, its execution that one goes as far.
        """
        if not self._standing.has(claim.variant, end.support):
            return False
        if not end.length or end.execution is None or self.witnesses is None:
            return not end.length
        return self.witnesses.runs(claim, end.execution)

    def _lives(self, claim: Claim, steps: int = ASSUMED_STEPS) -> bool:
        return self.witnesses is not None and self.witnesses.live_in(claim, steps)

    def _learn(self, claim: Claim, choices: Choices) -> None:
        if self.witnesses is not None:
            self.witnesses.learn(claim, choices)

    def key(self, claim: Claim) -> Digest:
        """Return a digest of what the length of a claim's executions depends on."""
        name = claim.name
        if name not in self._keys:
            self._keys[name] = self._made_key(claim)
        return self._keys[name]

    def _made_key(self, claim: Claim) -> Digest:
        system = self._system
        if not self._digests:
            stated = [c.term for c in system.constraints if c.defines is None]
            self._names = slicing.cone_of_terms(system, stated)
            names = self._names
            kept = [c.digest for c in system.constraints if c.defines is None or c.defines in names]
            kept += [bounds_digest(v) for v in system.variables.values() if v.name in names]
            self._digests = (digest_parts(*sorted(kept)), system.digest)
        inside = all(
            walk.variables(constraint.term) <= self._names
            for constraint in claim.variant.constraints
        )
        # The name alone does not tell in which instances the element states something today.
        return digest_parts(
            self._digests[0 if inside else 1], claim.name, *changes(system, claim.variant)
        )

    def may_contradict(self, claim: Claim) -> bool:
        """Tell whether a mutant changes what an assertion reads.

        A system of its own may state any other way what a definition in place says.
        """
        variant = claim.variant
        if self._system.relational and self._system.never_blocks:
            whole = variant.constraints if variant.system is None else variant.system.constraints
            if all(constraint.never_blocks for constraint in whole):
                return False
        if variant.system is not None and self._system.relational:
            return any(c.defines is None for c in variant.system.constraints)
        if self._owners is None:
            known = implied.implied(self._system)
            self._owners = None if known is None else known.owners
        if self._owners is None:
            system = self._system
            stated = [c.term for c in system.constraints if c.defines is None]
            names = slicing.cone_of_terms(system, stated)
            owners = {
                c.owner
                for c in system.constraints
                if c.owner is not None and (c.defines is None or c.defines in names)
            }
            self._owners = frozenset(owners) if stated else frozenset()
        return bool(variant.removed & self._owners)
