"""Cores for a limited effort: what each proof rests on, and less where that is cheap.

Source of the first step: Ghassabani, Gacek and Whalen, FSE 2016 (IVC_UC); what is left out after
it is tried one by one, largest pieces first, while effort is left. Effort is counted in units of
solvers, so that the same is found on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import EFFORT_ENDED, CoresFinding
from mutproof.analyses.claims.reduction import (
    KEPT,
    REFINED,
    KnownReductions,
    OpenReduction,
    ReductionQuestion,
)
from mutproof.analyses.cores.all_cores import CoreProof
from mutproof.analyses.cores.cones import Cone, Cones
from mutproof.analyses.cores.effort import LEAST_UNITS
from mutproof.analyses.cores.lookalikes import Lookalikes
from mutproof.analyses.cores.reductions import Reductions
from mutproof.analyses.cores.removals import Removals
from mutproof.analyses.cores.removing import Removing
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.solving.account import ACCOUNT

SHARE = 0.3
"""The part of the effort of proofs that is spent on their cores."""

LEAST_EFFORT, EACH_CONE = 1_000_000, 200_000
"""The solver units that may be spent in any case on small cores of a file (a tenth of a second),
and on those of one cone: those of at most FEW elements, in cones of at most FEW_CONSTRAINTS."""

LAYOUT_UNITS = 500
"""What it costs to lay out a constraint of a cone in solvers, as solver units: in large cones that
takes longer than the first questions."""

FEW, FEW_CONSTRAINTS = 8, 300
"""How many elements a small core has at most, and how many constraints decide its cone: to lay out
more in solvers takes more than LEAST_UNITS."""

_QUESTIONS = 20
"""A question of many has a twentieth of a budget: see `Means.small`."""


class _SpentError(Exception):
    """Say that the effort for a cone is used up."""


class Refinement:
    """Reduce the cores of proofs, for a share of the effort that the proofs took."""

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        means: Means,
        evidence: KnownReductions,
        *,
        proved_for: int,
    ) -> None:
        self._meaning = meaning
        self._cones = Cones(meaning, system)
        self._means = means
        self._evidence = evidence
        self._kept = _KeptQuestions(evidence)
        self._left = int(SHARE * proved_for)
        self._lookalikes = Lookalikes()
        self.solver_calls = 0

    def of(self, proofs: Iterable[CoreProof]) -> Iterator[tuple[str, CoresFinding]]:
        """Yield a core of each proved property, those of one cone in a row."""
        known = {proof.name: proof for proof in proofs}
        waiting, least = len(known), max(self._left, LEAST_EFFORT)
        for outline in self._cones.outlines(known):
            laid_out = LAYOUT_UNITS * len(outline.deciding)
            own = self._left * len(outline.names) // waiting - laid_out
            waiting -= len(outline.names)
            own_proofs = [known[name] for name in outline.names]
            cores = [self._cones.known_core(outline, p.holds, p.rests_on) for p in own_proofs]
            is_small = 0 < max(map(len, cores)) <= FEW
            if is_small and len(outline.deciding) <= FEW_CONSTRAINTS:
                own = max(own, min(least, EACH_CONE))
            if own < LEAST_UNITS and not self._kept.speak_of(outline.names):
                # Nothing would be asked or looked up, so the cone is not cut.
                for proof, core in zip(own_proofs, cores, strict=True):
                    yield proof.name, _finding(core, (), is_minimal=False)
                continue
            before = ACCOUNT.spent
            yield from self._cone(self._cones.cut(outline), own_proofs, own)
            spent = ACCOUNT.spent - before
            self._left -= min(self._left, spent + laid_out if spent else 0)
            least = max(0, least - spent)

    def _cone(
        self, cone: Cone, proofs: Sequence[CoreProof], effort: int
    ) -> Iterator[tuple[str, CoresFinding]]:
        until = ACCOUNT.spent

        def heed() -> None:
            self._means.check_cancelled()
            if ACCOUNT.spent >= until:
                raise _SpentError

        budget = Budget(_QUESTIONS * max(LEAST_UNITS, effort), self._means.budget.timeout_s)
        means = replace(self._means, budget=budget, check_cancelled=heed)
        runs = self._evidence.runs
        removing = Removing(
            self._meaning, cone, means, runs=runs, by_engines=False, lookalikes=self._lookalikes
        )
        reductions = Reductions(cone, removing, self._evidence, Removals())
        seen = _Known(reductions, self._kept)
        searches = [_Search(reductions, seen, proof) for proof in proofs]
        if effort < LEAST_UNITS or all(seen.is_refined(proof.name) for proof in proofs):
            effort = 0  # too little, or the same was spent in vain
        until += effort
        for search in searches:
            # Of the whole cone, single elements are left out for all properties at once.
            if len(searches) == 1 or not search.is_whole:
                _unless_spent(search.shorten, heed)
        _unless_spent(
            lambda: reductions.try_single(
                {
                    search.name: search.core
                    for search in searches
                    if cone.system.property(search.name).kind is PropertyKind.INVARIANT
                }
            ),
            heed,
        )
        for search in searches:
            _unless_spent(search.run)
            if effort:
                seen.note_refined(search.name)
            yield search.name, search.found()
        self.solver_calls += removing.solver_calls


def _unless_spent(work: Callable[[], None], heed: Callable[[], None] = lambda: None) -> None:
    """Do some work, or as much of it as there is effort for; none if `heed` says so."""
    with suppress(_SpentError):
        heed()
        work()


class _KeptQuestions:
    """Find what is known of properties with only some elements kept; looks at each answer once."""

    def __init__(self, evidence: KnownReductions) -> None:
        self._evidence = evidence
        self._looked_at = 0
        self._of: dict[tuple[str, Digest], list[frozenset[ElementId]]] = {}
        self._names: set[str] = set()

    def of(self, name: str, said: Digest) -> Sequence[frozenset[ElementId]]:
        """Return the kept elements of the questions about a property that says this, in order."""
        self._look()
        return self._of.get((name, said), ())

    def speak_of(self, names: Iterable[str]) -> bool:
        """Tell whether any answer is about one of these properties."""
        self._look()
        return not self._names.isdisjoint(names)

    def _look(self) -> None:
        for (asked, kind, elements), digest in islice(self._evidence, self._looked_at, None):
            self._names.add(asked)
            if kind == KEPT:
                self._of.setdefault((asked, digest), []).append(elements)
        self._looked_at = len(self._evidence)  # answers are replaced or added, never removed


class _Known:
    """Look up what is known of the cores of properties of a cone, without solving."""

    def __init__(self, reductions: Reductions, questions: _KeptQuestions) -> None:
        self._reductions = reductions
        self._questions = questions
        self._cone = reductions.cone
        self._all = frozenset(reductions.universe)

    def smallest(self, name: str, enough: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return the fewest elements that are known to suffice for a proof, as `enough` do."""
        for kept, found in self._of_kept(name):
            if isinstance(found, Holds):
                enough = min(enough, self._reductions.owners(found, kept), key=len)
        return enough

    def needed(self, name: str, core: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return elements of a core without which its others are known not to suffice."""
        broken = [kept for kept, found in self._of_kept(name) if isinstance(found, Fails)]
        return frozenset(e for e in core if any(core - {e} <= kept for kept in broken))

    def _of_kept(
        self, name: str
    ) -> Iterator[tuple[frozenset[ElementId], Holds | Fails | OpenReduction | None]]:
        """Yield the known answers on a property with only some elements of the cone kept."""
        reductions, said = self._reductions, self._cone.system.said[name]
        for elements in tuple(self._questions.of(name, said)):
            kept = elements - self._cone.given
            if kept <= self._all:
                variant = reductions.removing.variant("reduced", self._all - kept)
                yield kept, reductions.known((name, KEPT, elements), variant)

    def is_refined(self, name: str) -> bool:
        """Tell whether the core of a property was made smaller for a limited effort before."""
        return self._reductions.evidence.get(self._refined(name)) == self._as_refined()

    def note_refined(self, name: str) -> None:
        """Take note of that: with the same effort again, no more would be found."""
        self._reductions.evidence[self._refined(name)] = self._as_refined()

    def _refined(self, name: str) -> tuple[ReductionQuestion, Digest]:
        return (name, REFINED, frozenset()), self._cone.system.said[name]

    def _as_refined(self) -> OpenReduction:
        return OpenReduction(self._cone.system.attributed, Budget(0, 0.0))


class _Search:
    """Look for a minimal core of one property; used once."""

    def __init__(self, reductions: Reductions, seen: _Known, proof: CoreProof) -> None:
        self.name = proof.name
        self._reductions = reductions
        self._known = seen
        self._all = frozenset(reductions.universe)
        reductions.learn(proof.name, proof.holds)
        known = reductions.owners(proof.holds, self._all)
        first = min(known, proof.rests_on & self._all, key=len)
        self.core = seen.smallest(proof.name, first)
        self._certified = proof.holds.certificate is not UNCERTIFIED
        self._must: set[ElementId] = set()

    @property
    def is_whole(self) -> bool:
        """Tell whether no element of the cone is left out."""
        return self.core == self._all

    def shorten(self) -> None:
        """Leave out single elements, as long as a known proof does without one of them."""
        while self._certified:
            rest = self._reductions.shortened(self.name, self.core)
            if len(rest) == len(self.core):
                return
            self.core = rest

    def run(self) -> None:
        """Use what is known of removals, then leave out pieces as far as that can be decided."""
        was_whole = self.is_whole
        for element in self._ordered(self.core):
            alone = self._reductions.without(self.name, element)
            if isinstance(alone, Fails):
                self._must.add(element)
            elif isinstance(alone, Holds):
                rest = self._reductions.owners(alone, self._all - {element})
                if len(rest) < len(self.core):
                    self.core = rest
        if was_whole and not self.is_whole:
            self.shorten()
        if self._certified:
            self._leave_out(self._ordered(self.core - self._must))

    def _leave_out(self, elements: Sequence[ElementId]) -> None:
        """Try to leave out pieces of the core, largest first."""
        pieces = [elements]
        while pieces:
            piece = [e for e in pieces.pop() if e in self.core]
            if not piece:
                continue
            rest = self.core.difference(piece)
            found = self._reductions.decide(self.name, self._all - rest)
            if isinstance(found, Holds):
                self.core = self._reductions.owners(found, rest)
            elif len(piece) > 1:
                middle = len(piece) // 2
                pieces += [piece[:middle], piece[middle:]]

    def found(self) -> CoresFinding:
        """Return the core, what is known to be in every one, and what is open."""
        must = self._ordered(frozenset(self._must) & self.core)
        is_minimal = len(must) == len(self.core) or (
            self.core <= self._must | self._known.needed(self.name, self.core)
        )
        return _finding(self._ordered(self.core), must, is_minimal=is_minimal)

    def _ordered(self, elements: frozenset[ElementId]) -> tuple[ElementId, ...]:
        return tuple(e for e in self._reductions.universe if e in elements)


def _finding(
    core: tuple[ElementId, ...], must: tuple[ElementId, ...], *, is_minimal: bool
) -> CoresFinding:
    """Return a core of which some elements are known to be in every one."""
    # Every core contains MUST, so a core of MUST alone is the only one.
    complete = len(must) == len(core)
    others = tuple(e for e in core if e not in must)
    why = "" if complete else EFFORT_ENDED
    return CoresFinding((core,), must, others, complete, complete or is_minimal, complete, why)
