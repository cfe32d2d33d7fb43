"""A cheap first look at survivors, those of one element together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import shortest
from mutproof.analyses.claims.verdict import Gap, KnownSurvivors
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.limits import SHORTENING, Shortening
from mutproof.analyses.equivalence.look import FARTHEST, Look
from mutproof.analyses.equivalence.product import NoProductError, product
from mutproof.analyses.equivalence.sides import ModelAndMutants
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.analyses.equivalence.suppositions import Suppositions
from mutproof.analyses.equivalence.survivor_questions import SurvivorQuestions
from mutproof.analyses.equivalence.together import Together
from mutproof.model import terms

MOST_TOGETHER = 48
"""How many mutants of an element are looked at before the first verdict is reported."""

NEAR = 4
"""In how many first states differences of all mutants of an element are sought together; for those
that may be equivalent, up to FARTHEST as long as that is cheap or finds some."""

DEAR = 500_000
"""The cost from which such a search is not cheap, in solver units."""


class Looks:
    """Look at the mutants of one program; mutable."""

    def __init__(
        self,
        mutants: Mutants,
        sides: ModelAndMutants,
        means: Means,
        *,
        questions: SurvivorQuestions,
        executions: PairedExecutions,
        shortening: Shortening,
    ) -> None:
        self._shortening = shortening
        self._mutants = mutants
        self._sides = sides
        self._means = means
        self._questions = questions
        self._executions = executions
        invariants = questions.invariants
        self._suppositions = Suppositions(
            sides.system, invariants, executions, means, shortening=shortening
        )
        self._looks: dict[str, Look] = {}  # by survivor not yet decided
        self._looked_at: set[str] = set()

    def of(self, mutant: str, known: KnownSurvivors) -> Look:
        """Return the look at a survivor that is decided next.

        Raises:
            NoProductError: model and mutant cannot be compared.
        """
        look = self.ahead(mutant, known)
        self._looks.pop(mutant, None)
        return look

    def ahead(self, mutant: str, known: KnownSurvivors) -> Look:
        """Return the look at a survivor that may be decided later.

        Raises:
            NoProductError: model and mutant cannot be compared.
        """
        if mutant not in self._looked_at:
            self._look_together(self._beside(mutant), known)
        return self._looks.get(mutant) or self._look(mutant, known)

    def _beside(self, mutant: str) -> list[str]:
        """Return a survivor with others of the same element that nobody has looked at."""
        removed = self._mutants.claims[mutant].variant.removed
        others = (
            name
            for name, claim in self._mutants.claims.items()
            if claim.variant.removed == removed and name != mutant and name not in self._looked_at
        )
        return [mutant, *islice(others, MOST_TOGETHER - 1)]

    def _look_together(self, names: Sequence[str], known: KnownSurvivors) -> None:
        """Look at survivors of an element, and ask what can be asked about them together."""
        looks: dict[str, Look] = {}
        for name in names:
            self._looked_at.add(name)
            self._means.check_cancelled()
            with suppress(NoProductError):  # reported when it is decided
                looks[name] = self._look(name, known)
        self._looks.update(looks)
        asked = {
            name: look
            for name, look in looks.items()
            if look.verdict is None and look.whole.goal is not terms.TRUE and look.length > 1
        }
        self._suppositions.suppose({n: look for n, look in asked.items() if look.open})
        asked = {
            name: look for name, look in asked.items() if look.supposed is None and look.length > 1
        }
        self._suppositions.delay({n: look for n, look in asked.items() if look.sighted is not None})
        self._search_together(
            {n: look for n, look in asked.items() if look.explored < look.length - 1}
        )

    def _search_together(self, asked: Mapping[str, Look]) -> None:
        """Search the products of survivors of an element for shortest differences."""
        together = Together(
            {name: look.whole for name, look in asked.items()},
            lambda name, choices, how: asked[name].confirm(choices, how),
            self._shortening.share(self._means.small),
            self._means.check_cancelled,
            explored={name: look.explored for name, look in asked.items()},
        )
        together.search({n: min(look.length - 1, NEAR) for n, look in asked.items()})
        sighted = {n: look for n, look in asked.items() if look.sighted is not None}
        most = {n: look.length - 1 for n, look in sighted.items()}
        before = together.spent
        for depth in range(NEAR + 1, max(most.values(), default=0) + 1):
            if self._shortening.is_over or together.spent - before > SHORTENING:
                break
            together.search({n: min(depth, longest) for n, longest in most.items()})
        self._shortening.charge(together.spent - before)
        left = [n for n in asked if n not in sighted and n not in together.found]
        left = [name for name in left if asked[name].open]
        for depth in range(NEAR + 1, FARTHEST + 1 if left else 0):
            self._means.check_cancelled()
            found, spent = len(together.found), together.spent
            together.search(dict.fromkeys(left, depth))
            if len(together.found) == found and together.spent - spent > DEAR:
                break  # greater depths cost more: rather try proofs
        for name, look in asked.items():
            look.explored = together.depths[name]
            nearest = together.found.get(name)
            if nearest is not None:
                look.sighted = nearest

    def _look(self, mutant: str, known: KnownSurvivors) -> Look:
        """Return what is known of a survivor without asking a solver."""
        variant = self._mutants.claims[mutant].variant
        changed = self._sides.changed(mutant)
        whole = product(self._sides.system, changed, self._sides.compared(mutant))
        differs = partial(self._sides.difference, mutant, whole.compared)
        look = Look(variant, changed, whole, self._questions.whole(variant), differs)
        kept = known.get(mutant)
        if kept is not None:
            if isinstance(kept.verdict, Gap):
                same = kept.whole == look.key
                again = look.confirm(kept.verdict.choices, kept.verdict.how if same else "replay")
                if again is not None:
                    if same:
                        look.verdict = shortest(again) if kept.verdict.shortest else again
                        return look
                    look.sighted = again
            elif kept.whole == look.key:
                look.verdict = kept.verdict
                return look
            else:
                look.part = self._questions.part(whole)
                if kept.part == look.part:
                    look.verdict = kept.verdict
                    return look
        if look.sighted is None:
            look.sighted = look.see(self._executions)
        return look
