"""Algorithm 1 of the first paper: one solver, in which the changed element is exchanged.

All other elements stay asserted while the mutants of an element are pushed and popped. A mutant
is searched for violations up to the depth of the proofs; the lemmas of the proofs that are
still invariants are kept; with them the properties are proved by induction; what is not proved
is searched deeper, and at last unknown.

The published tool tests lemmas in fewer first states than their proofs are deep, and so takes
some for invariants that are none. Here lemmas and properties are one certificate: of depth k, it
is tested in k first states.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), and its section 5.2 for the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import combined, freed
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.order import groups
from mutproof.analyses.deciding.rung import (
    Candidate,
    Cost,
    OfferedCertificates,
    OfferedExecution,
    Rung,
)
from mutproof.model import sorts
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, Effort, Formula, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import new_solver

KILL_DEPTH = 10
"""The number of first states in which a mutant that is not proved is searched."""


class Exchange:
    """Hold a system in two solvers, executions and paths from any state; mutable.

    Frames and translated formulas stay; elements and mutants come and go.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._system = context.system
        proofs, small = context.baseline.proofs, context.means.small
        self._effort = Effort(small.rlimit, small.timeout_s)
        certificate = combined({name: h for name, h in proofs.items() if h.certificate.k})
        self._k = certificate.k
        self._lemmas = certificate.lemmas
        self._goals = {
            stated.name: stated.term
            for stated in self._system.properties
            if stated.kind is PropertyKind.INVARIANT and stated.name in proofs
        }
        self._base = self._side(initial=True)
        self._step = self._side(initial=False)
        self._base.frame(max(KILL_DEPTH, self._k) - 1)
        self._step.frame(self._k)
        self._removed: frozenset[ElementId] = frozenset()
        self._checker = Checker(Bench(self._system, small, context.replayer.confirm))

    def _side(self, *, initial: bool) -> Unrolling:
        return Unrolling(new_solver(), self._system, initial=initial, labelled=True, guarded=True)

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Run the algorithm on mutants, element by element."""
        for group in groups(claims):
            self._removed = group[0].variant.removed
            with _Scope((self._base, self._step), self._keep):
                for claim in group:
                    self._context.means.check_cancelled()
                    yield from self._decide(claim)

    def _keep(self, side: Unrolling) -> None:
        for owner in side.owners():
            if owner not in self._removed:
                side.solver.add(side.assume(owner))

    def _decide(self, claim: Claim) -> Iterator[Candidate]:
        """Run the algorithm on one mutant, whose elements the solvers leave out now."""

        def exchange(side: Unrolling) -> None:
            side.solver.add(side.add_alternative(claim.name, claim.variant.constraints))
            for bounds in self._bounds(side, claim):
                side.solver.add(bounds)

        with _Scope((self._base, self._step), exchange):
            if not (yield from self._search(claim, self._k)):
                return
            proved = self._induction(claim)
            if proved is not None:
                asked = self._checker.calls
                yield OfferedCertificates([claim], [(proved, [claim])], checker=self._checker)
                self._context.calls += self._checker.calls - asked
            yield from self._search(claim, KILL_DEPTH)

    def _bounds(self, side: Unrolling, claim: Claim) -> list[Formula]:
        """Return literals that bound what a mutant leaves undefined to its declared sort."""
        bounds = [side.assume_bounds(found.name) for found in freed(self._system, claim.variant)]
        return [literal for literal in bounds if literal is not None]

    def _search(self, claim: Claim, depth: int) -> Generator[Candidate, None, bool]:
        """Search the first states for violations; return whether all questions had answers."""
        while claim.depth < depth and (doubted := self._open_goals(claim)):
            with self._asked(self._base, doubted, claim.depth) as answer:
                if answer is Answer.UNSAT:
                    claim.depth += 1
                elif answer is Answer.UNKNOWN:
                    claim.reason = self._base.solver.reason_unknown
                    return False
                elif not (yield from self._refuted(claim, claim.depth)):
                    return False
        return True

    def _open_goals(self, claim: Claim) -> list[Term]:
        return [term for name, term in self._goals.items() if name in claim.open]

    def _induction(self, claim: Claim) -> Certificate | None:
        """Return a certificate of the open properties and lemmas inductive together, or None."""
        goals = self._open_goals(claim)
        if not goals:
            return None
        # The search has shown that the properties hold in these states.
        lemmas: list[Term] | None = [term for term in self._lemmas if term not in goals]
        for frame in range(self._k):
            lemmas = self._filtered(claim, self._base, lemmas or [], frame)
            if lemmas is None:
                return None
        left = self._filtered(claim, self._step, [*(lemmas or ()), *goals], self._k)
        if left is None:
            return None
        names = [name for name in self._goals if name in claim.open and self._goals[name] in left]
        if not names:
            claim.reason = "no property that is open is inductive on the mutant"
            return None
        proved = {self._goals[name] for name in names}
        kept = tuple(term for term in left if term not in proved)
        return Certificate(self._k, kept, tuple(names))

    def _filtered(
        self, claim: Claim, side: Unrolling, statements: list[Term], frame: int
    ) -> list[Term] | None:
        """Drop statements that can be false in a frame; None if a question had no answer."""
        alive = statements
        while alive:
            hypotheses = []
            if side is self._step:
                hypotheses = [side.term(term, n) for term in alive for n in range(frame)]
            with self._asked(side, alive, frame, hypotheses) as answer:
                if answer is Answer.UNSAT:
                    return alive
                if answer is Answer.UNKNOWN:
                    claim.reason = side.solver.reason_unknown
                    return None
                true = [term for term in alive if not _is_false(side, term, frame)]
            if len(true) == len(alive):
                claim.reason = "the solver's model decides nothing"
                return None
            alive = true
        return alive

    @contextmanager
    def _asked(
        self,
        side: Unrolling,
        doubted: Sequence[Term],
        frame: int,
        hypotheses: Sequence[Formula] = (),
    ) -> Iterator[Answer]:
        """Ask for a model in which some statement is false in a frame, valid inside the block."""
        solver = side.solver
        self._context.calls += 1
        solver.push()
        for formula in hypotheses:
            solver.add(formula)
        everything = solver.conjunction([side.term(term, frame) for term in doubted])
        solver.add(solver.negation(everything))
        try:
            yield solver.check(side.guards(frame), self._effort)
        finally:
            solver.pop()

    def _refuted(self, claim: Claim, last: int) -> Generator[Candidate, None, bool]:
        """Offer the solver's model as an execution; return whether it refutes an open property."""
        try:
            choices = self._base.choices(last, freed=freed(self._system, claim.variant))
        except NotRepresentableError:
            claim.reason = "the counterexample has irrational values"
            return False
        before = len(claim.open)
        reason = "the counterexample could not be replayed"
        yield OfferedExecution(claim, choices, "bmc", reason)
        if len(claim.open) == before:
            claim.reason = reason
        return len(claim.open) < before


def _is_false(side: Unrolling, term: Term, frame: int) -> bool:
    return side.solver.value(side.term(term, frame), sorts.BOOL) is False


class _Scope:
    """Push a scope on each side and state something in it; pop it at the end."""

    def __init__(self, sides: tuple[Unrolling, ...], say: Callable[[Unrolling], None]) -> None:
        self._sides = sides
        self._say = say

    def __enter__(self) -> None:
        for side in self._sides:
            side.push()
            self._say(side)

    def __exit__(self, *_: object) -> None:
        for side in self._sides:
            side.pop()


EXCHANGED = Rung(
    "exchanged elements",
    Cost.QUESTION,
    Exchange,
    Exchange.decide,
    lambda _, claim: claim.variant.is_local,
    by_element=True,
)
