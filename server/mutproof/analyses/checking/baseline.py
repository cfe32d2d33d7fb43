"""What is proved of the model, and which mutants inherit it as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from mutproof.analyses.checking.notary import carried
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, Program
from mutproof.model.system import TransitionSystem

HOW = "core"
"""The `how` of properties that hold on a mutant because no proof rests on what it changes."""

SAME_STEPS = "same-steps"
"""The same because the mutant takes the steps of the model from all states that this reaches."""

Shared: TypeAlias = tuple[dict[str, Holds], frozenset[str]]
"""Proofs that many claims have in common, and the names of what they prove."""


@dataclass(frozen=True)
class Baseline:
    """Hold what is proved of the unmutated program: certificates and what they rest on.

    `lasts` tells whether its executions always go on, None where that is not known.
    """

    meaning: Interpretation
    system: TransitionSystem
    proofs: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]  # elements that each proof rests on, not minimal
    lasts: bool | None = None

    @property
    def program(self) -> Program:
        """Return the unmutated program."""
        return self.meaning.program

    @cached_property
    def inherited(self) -> Inherited:
        """Return which proofs hold on mutants as they are."""
        return Inherited(self, frozenset(self.proofs))


MOST_CARRIED: Final = 20_000
"""How many proofs of models are known as proofs of mutants: later versions have most of them."""

_carried: Memo[Holds] = Memo(MOST_CARRIED)


def _inherited(holds: Holds) -> Holds:
    """Return a proof of the model as one of mutants: of each the very same in later versions."""
    if holds.proof is not None:
        return carried(holds, HOW)  # equal evidence may have other proofs
    return _carried.get(holds, lambda: carried(holds, HOW))


class Inherited:
    """Tell which proofs of a model hold on a mutant whatever its change is; caches only.

    A proof that rests on some elements also proves every mutant of any other element. `goals` are
    the names of the properties that are proved.
    """

    def __init__(self, baseline: Baseline, goals: frozenset[str]) -> None:
        self._goals = goals
        self._proofs = {n: _inherited(holds) for n, holds in baseline.proofs.items()}
        self._resting: dict[ElementId, set[str]] = {}
        for name in self._proofs:
            for element in baseline.cores[name]:
                self._resting.setdefault(element, set()).add(name)
        self._by_changed: dict[frozenset[ElementId], Shared] = {}
        self._by_resting: dict[frozenset[str], Shared] = {}

    def outside(self, changed: frozenset[ElementId]) -> Shared:
        """Return the proofs that do not rest on some elements.

        Mutants of one element share them, and those of all elements that no proof rests on.
        """
        found = self._by_changed.get(changed)
        if found is None:
            resting = frozenset[str]().union(*(self._resting.get(one, ()) for one in changed))
            if resting not in self._by_resting:
                left = {n: holds for n, holds in self._proofs.items() if n not in resting}
                names = frozenset(left) if resting else self._goals
                self._by_resting[resting] = left, names
            found = self._by_changed[changed] = self._by_resting[resting]
        return found

    def concerns(self, changed: frozenset[ElementId]) -> bool:
        """Tell whether some proof rests on one of some elements."""
        return not self._resting.keys().isdisjoint(changed)

    def concerned(self, claims: Iterable[Claim]) -> int:
        """Return how many mutants change an element that some proof rests on."""
        changed = Counter(claim.variant.removed for claim in claims)
        every = len(self._proofs)
        return sum(n for owners, n in changed.items() if len(self.outside(owners)[0]) < every)
