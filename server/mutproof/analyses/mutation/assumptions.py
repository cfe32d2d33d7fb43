"""Tell mutants that contradict the assertions of a model from those that survive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mutproof.analyses.deciding.evidence import DeadEnd
from mutproof.analyses.deciding.notary import Checker
from mutproof.analyses.mutation.simulation import Witnesses
from mutproof.analyses.mutation.standing import Standing
from mutproof.analyses.variant import Case, bounds_digest, changes
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

ASSUMED_STEPS = 3
"""A mutant without an execution of this many steps, where the model has one, is stillborn."""
DEEP_STEPS = 16
"""So far is looked for ends of all executions of a survivor, where the model has none."""
LARGEST = 20
"""The most variables of a system whose executions are followed that far: else it costs too much."""
EACH = 5_000
"""The most that one question about it costs, in solver units."""


class Assumptions:
    """Find out whether assertions leave executions to a mutant; keeps what it found.

    Executions in `witnesses` are tried before a solver is asked.
    """

    def __init__(
        self,
        system: TransitionSystem,
        known: dict[Digest, int | None],
        checker: Callable[[], Checker],
        ends: dict[str, DeadEnd],
    ) -> None:
        self.witnesses: Witnesses | None = None
        self._system = system
        self._known = known
        self._checker = checker
        self._ends = ends
        self._standing = Standing(system)
        self._owners: frozenset[ElementId] | None = None
        self._names: frozenset[str] = frozenset()
        self._digests: tuple[Digest, ...] = ()
        self._keys: dict[str, Digest] = {}

    def longest(self, case: Case) -> int | None:
        """Return the length of the longest executions of a case; None if they go on."""
        return self._known[self._key(case)]

    def dead_ends(self, cases: Sequence[Case]) -> list[Case]:
        """Find out how far the executions of cases go; return those of which it was known."""
        found = self._known
        known = [case for case in cases if self._key(case) in found]
        unknown = [case for case in cases if self._key(case) not in found]
        asked = []
        if self.witnesses is not None:
            self.witnesses.prepare(unknown)
        for case in unknown:
            end = self._ends.get(case.variant.name)
            if end is not None and self._stands(case, end):
                found[self._key(case)] = end.length
            elif self._lives(case):
                found[self._key(case)] = None
            else:
                asked.append(case)
        if asked:
            ends = self._checker().dead_end(asked, ASSUMED_STEPS, self._learn, self._lives)
            self._ends.update(ends)
            for case in asked:
                name = case.variant.name
                found[self._key(case)] = ends[name].length if name in ends else None
        return known

    def deep_ends(self, cases: Sequence[Case]) -> None:
        """Find out whether cases that begin have executions of many steps, as far as is cheap."""
        left = [case for case in cases if self._known[self._key(case)] is None]
        if self._system.relational or len(self._system.variables) > LARGEST:
            return
        checker = self._checker()
        questions = checker.bench.questions
        own = questions.effort
        questions.effort = replace(own, rlimit=min(own.rlimit or EACH, EACH))
        try:
            for case in left:
                looked = digest_parts("deep", self._key(case))
                if looked in self._known:
                    continue
                self._known[looked] = None
                if not self._lives(case, DEEP_STEPS):
                    ends = checker.dead_end([case], DEEP_STEPS, self._learn, self._lives)
                    self._ends.update(ends)
                    for end in ends.values():
                        self._known[self._key(case)] = end.length
        finally:
            questions.effort = own

    def _stands(self, case: Case, end: DeadEnd) -> bool:
        """Tell whether what was found of an earlier version of a mutant is true of it today.

        What its end rests on says that it goes no further, its execution that it goes as far.
        """
        if not self._standing.has(case, end.support):
            return False
        if not end.length or end.execution is None or self.witnesses is None:
            return not end.length
        return self.witnesses.runs(case, end.execution)

    def _lives(self, case: Case, steps: int = ASSUMED_STEPS) -> bool:
        return self.witnesses is not None and self.witnesses.live_in(case, steps)

    def _learn(self, case: Case, choices: Choices) -> None:
        if self.witnesses is not None:
            self.witnesses.learn(case, choices)

    def _key(self, case: Case) -> Digest:
        """Return a digest of what decides whether the assertions leave executions to a case."""
        name = case.variant.name
        if name not in self._keys:
            self._keys[name] = self._made_key(case)
        return self._keys[name]

    def _made_key(self, case: Case) -> Digest:
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
            for constraint in case.variant.constraints
        )
        # What elements of that name state may be elsewhere too, or in other instances than before.
        return digest_parts(
            self._digests[0 if inside else 1], case.variant.name, *changes(system, case.variant)
        )

    def may_contradict(self, case: Case) -> bool:
        """Tell whether a mutant changes what an assertion reads."""
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
        return bool(case.variant.removed & self._owners)
