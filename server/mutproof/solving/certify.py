"""Check proofs again, in a solver that took no part in finding them.

Source: k-induction, Sheeran, Singh and Stålmarck, FMCAD 2000, section 2; strengthening by
lemmas, Kahsai and Tinelli, PDMC 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.parts import resting_on
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop


@dataclass(frozen=True, slots=True)
class Checked:
    """Say whether a certificate proves its goals and, where it does not, why.

    It is `undecided` where a solver answered that it does not know.
    """

    ok: bool
    reason: str = ""
    undecided: bool = False


class Check(Protocol):
    """Tell whether a certificate proves its goals, as `certify` does."""

    def __call__(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        budget: Budget | None = None,
        *,
        owners: Iterable[ElementId] | None = None,
        workshop: Workshop | None = None,
    ) -> Checked:
        """Return whether the certificate proves its goals in the system, and why not."""
        ...


@dataclass(frozen=True, slots=True)
class Support:
    """Hold what one checked certificate rests on."""

    owners: frozenset[ElementId]
    lemmas: tuple[Term, ...]


def statements(system: TransitionSystem, certificate: Certificate) -> tuple[Term, ...]:
    """Return the conjuncts of a certificate: its lemmas, then the terms of its goals.

    Raises:
        KeyError: a goal is no property of the system.
    """
    goals = tuple(system.property(name).term for name in certificate.goals)
    return certificate.lemmas + goals


def certify(
    system: TransitionSystem,
    certificate: Certificate,
    budget: Budget | None = None,
    *,
    owners: Iterable[ElementId] | None = None,
    part: TransitionSystem | None = None,
    workshop: Workshop | None = None,
) -> Checked:
    """Tell whether a certificate proves its goals of the system, in fresh solvers.

    With `owners`, only these elements are taken from the system: it then proves its goals of
    all systems that have them. With `part`, only these constraints are.
    """
    if certificate.k < 1:
        return Checked(False, "k is less than 1")
    try:
        conjuncts = statements(system, certificate)
    except KeyError as error:
        return Checked(False, f"no property {error}")
    if part is None:
        part = system if owners is None else resting_on(system, conjuncts, owners)
    check = _Check(workshop or Workshop(), part, system, _effort(budget))
    return check.both(certificate.k, conjuncts)


def follow(
    system: TransitionSystem,
    k: int,
    supposed: Sequence[Term],
    wanted: Sequence[Term],
    *,
    part: TransitionSystem,
    budget: Budget | None = None,
    workshop: Workshop | None = None,
) -> Checked:
    """Tell whether statements hold where they held before, in fresh solvers.

    That is: in each of the first k states if in all states before it, and after k states. The
    `supposed` ones, which were shown alike, hold in all of these states. Only the constraints of
    `part` are taken from the system.
    """
    check = _Check(workshop or Workshop(), part, system, _effort(budget))
    return check.both(k, wanted, supposed)


def _effort(budget: Budget | None) -> Effort:
    limits = budget or Budget()
    return Effort(limits.rlimit, limits.timeout_s)


@dataclass(frozen=True, slots=True)
class _Check:
    workshop: Workshop
    system: TransitionSystem
    within: TransitionSystem
    effort: Effort

    def both(self, k: int, wanted: Sequence[Term], supposed: Sequence[Term] = ()) -> Checked:
        """Tell whether base and step of some conjuncts hold where the supposed ones do."""
        try:
            for initial in (True, False):
                checked = self._part(k, wanted, supposed, initial=initial)
                if not checked.ok:
                    return checked
        except SolvingError as error:
            return Checked(False, str(error))
        return Checked(True)

    def _part(
        self, k: int, wanted: Sequence[Term], supposed: Sequence[Term], *, initial: bool
    ) -> Checked:
        """Tell whether the base (`initial`) or the step holds."""
        unrolling = self.workshop.unrolling(self.system, initial=initial, within=self.within)
        solver = unrolling.solver
        for number in range(k if initial else k + 1):
            # Frame by frame: with later frames added, states without successor would be excluded.
            unrolling.frame(number)
            if supposed:
                solver.add(solver.conjunction([unrolling.term(t, number) for t in supposed]))
            last = number == (k - 1 if initial else k)
            if initial or last:
                if not last:
                    solver.push()
                claimed = solver.conjunction([unrolling.term(term, number) for term in wanted])
                solver.add(solver.negation(claimed))
                answer = solver.check((), self.effort)
                if answer is not Answer.UNSAT:
                    part = f"initiation at step {number}" if initial else "consecution"
                    undecided = answer is Answer.UNKNOWN
                    why = f"unknown: {solver.reason_unknown}" if undecided else "fails"
                    return Checked(False, f"{part}: {why}", undecided)
                if last:
                    break
                solver.pop()
            solver.add(solver.conjunction([unrolling.term(term, number) for term in wanted]))
        return Checked(True)

    def support(self, certificate: Certificate) -> Support | None:
        """Return what suffices for a certificate; see `support_of`."""
        kept = self._needed_lemmas(certificate)
        if kept is None:
            return None
        owners: set[ElementId] = set()
        conjuncts = statements(self.within, Certificate(certificate.k, kept, certificate.goals))
        for initial in (True, False):
            unrolling = self._unrolling(initial=initial, labelled=True)
            solver = unrolling.solver
            names = unrolling.owners()
            literals = [unrolling.assume(name) for name in names]
            for number in range(certificate.k if initial else certificate.k + 1):
                unrolling.frame(number)
                everything = solver.conjunction([unrolling.term(t, number) for t in conjuncts])
                if initial or number == certificate.k:
                    solver.push()
                    solver.add(solver.negation(everything))
                    if solver.check(literals, self.effort) is not Answer.UNSAT:
                        return None
                    owners.update(names[index] for index in solver.core())
                    solver.pop()
                solver.add(everything)
        return Support(frozenset(owners), kept)

    def _needed_lemmas(self, certificate: Certificate) -> tuple[Term, ...] | None:
        """Return the lemmas that goals, or other needed lemmas, need in the step; None if unknown.

        The base of any subset follows from the base of the whole.
        """
        if not certificate.lemmas:
            return ()
        k = certificate.k
        unrolling = self._unrolling(initial=False)
        solver = unrolling.solver
        unrolling.frame(k)
        goals = [self.within.property(name).term for name in certificate.goals]
        from mutproof.model.sorts import BOOL

        literals: list[Formula] = []
        for index, lemma in enumerate(certificate.lemmas):
            literal = solver.constant(f"?lemma:{index}", BOOL)
            literals.append(literal)
            for number in range(k):
                solver.add(solver.implication(literal, unrolling.term(lemma, number)))
        for goal in goals:
            for number in range(k):
                solver.add(unrolling.term(goal, number))
        needed: set[int] = set()
        open_statements = list(goals)
        while open_statements:
            statement = solver.conjunction([unrolling.term(t, k) for t in open_statements])
            solver.push()
            solver.add(solver.negation(statement))
            # Lemmas that are needed already come last; cores are not minimal, but tend to be small.
            answer = solver.check(literals, self.effort)
            found = solver.core() if answer is Answer.UNSAT else ()
            solver.pop()
            if answer is not Answer.UNSAT:
                return None
            fresh = [index for index in found if index not in needed]
            needed.update(fresh)
            open_statements = [certificate.lemmas[index] for index in fresh]
        return tuple(certificate.lemmas[index] for index in sorted(needed))

    def _unrolling(self, *, initial: bool, labelled: bool = False) -> Unrolling:
        return self.workshop.unrolling(
            self.system, initial=initial, labelled=labelled, within=self.within
        )


def support_of(
    system: TransitionSystem,
    certificate: Certificate,
    budget: Budget | None = None,
    *,
    part: TransitionSystem | None = None,
    workshop: Workshop | None = None,
) -> Support | None:
    """Return elements and lemmas that suffice for a certificate; None if it does not check.

    With `part`, only these constraints are taken from the system. Lemmas that nothing needs are
    dropped first; the rest of the certificate is still k-inductive. The elements are those in the
    unsatisfiable cores of base and step: enough, not always fewest. Nor does it check if an
    interruption ends a question.
    """
    try:
        about = _Check(workshop or Workshop(), part or system, system, _effort(budget))
        return about.support(certificate)
    except SolvingError:
        return None
