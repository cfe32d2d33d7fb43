"""One system with all its elements behind literals, in two solvers that stay alive.

Executions from the initial states are in one, paths from any state in the other. A variant is
asked about by assuming the literals of what it keeps. Statements (lemmas and properties) are
behind literals too, so that a set of them can be assumed or doubted.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), with the filter of invariants
done as Houdini (Flanagan and Leino, 2001) over base and step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from mutproof.analyses.bench.group import Group, Model, Side
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.bench.sieve import Bundle, Sieve
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Fails
from mutproof.analyses.claims.variant import freed
from mutproof.base.budget import Budget
from mutproof.model.program import PropertyKind
from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop

MOST_BROKEN = 10
"""How many models may break statements of a certificate before what is left of it is given up."""

Confirm = Callable[[Variant, Choices, str], "Mapping[str, Fails] | None"]
"""Replay an execution of a variant, found in a given way; return violations, None if it is none."""

Found = Callable[[Claim], None]
"""Called when an execution that violates properties of a case was found."""


class Solvers:
    """Ask about variants of one system; mutable, one thread.

    `confirm` replays what looks like a violation. The goals are its invariants by name. If the
    system is a part `within` a whole of which not all constraints are there that decide what is
    asked, `belongs` tells which constraints of variants are.
    """

    def __init__(
        self,
        system: TransitionSystem,
        budget: Budget,
        confirm: Confirm,
        workshop: Workshop,
        *,
        within: TransitionSystem | None = None,
        belongs: Callable[[Constraint], bool] | None = None,
    ) -> None:
        self.workshop = workshop
        self.budget = budget
        self.confirm = confirm
        self._first = system
        self._within = within
        self._belongs = belongs
        effort = Effort(budget.rlimit, budget.timeout_s)
        self.questions = Questions(self._side(initial=True), self._side(initial=False), effort)
        self.adopt(system)

    def _side(self, *, initial: bool) -> Side:
        first, workshop, within = self._first, self.workshop, self._within
        return Side(
            lambda: workshop.unrolling(
                first, initial=initial, labelled=True, guarded=True, within=within
            )
        )

    def adopt(self, system: TransitionSystem) -> None:
        """Switch to a version of the system whose constraints the solvers already hold."""
        self.system = system
        self.goals = self.questions.goals = {
            stated.name: stated.term
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        owners = {owner: place for place, owner in enumerate(system.by_owner) if owner is not None}
        sides = self.questions.base, self.questions.step
        definers, constraints = (self._within or system).definers, system.by_owner
        belongs = self._belongs or partial(_is_read, system)
        self.model = Model(sides, owners, definers, constraints, Slicer(system), belongs)

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return self.questions.calls

    def asked(self, case: Claim) -> bool:
        """Tell whether an invariant of a case is open."""
        return not case.open.isdisjoint(self.goals)

    def sieved(
        self,
        batch: Sequence[Claim],
        bundles: Sequence[Bundle],
        paths: Paths | None,
        found: Found | None,
    ) -> Iterator[Bundle]:
        """Yield what of bundles of certificates holds on cases; see `Bench.passing`."""
        for bundle in bundles:
            self.questions.prepare(bundle.statements(self.questions), bundle.k)
        if not bundles:
            return

        def note(case: Claim, frame: int) -> None:
            if found is not None and self.refuted(case, frame, "certificate"):
                found(case)

        failed = None if found is None else note
        about = dict.fromkeys(s for b in bundles for s in b.statements(self.questions))
        with Group(self.model, batch, about=about) as group:
            for bundle in bundles:
                for case in bundle.cases:
                    case.reason = "no certificate that is known proves it"
                sieve = Sieve(self.questions, group, bundle, paths, failed=failed)
                yield from sieve.passed()

    def search_batch(
        self,
        batch: Sequence[Claim],
        names: frozenset[str],
        until: Mapping[str, int],
        found: Found,
        *,
        divides: bool = True,
    ) -> None:
        """Look for violations of named properties; see `Bench.search`."""
        goals = tuple(self.goals[n] for n in self.goals if n in names)
        depth = max(until[case.variant.name] for case in batch)
        self.questions.base.unrolling.frame(depth - 1)
        for frame in range(depth):
            self.questions.violation(self.questions.base, goals, frame)
        with Group(self.model, batch, asserted=True, sides=(self.questions.base,)) as group:
            self._search_together(group, goals, until, found, divides=divides)

    def _search_together(
        self,
        group: Group,
        goals: tuple[Term, ...],
        until: Mapping[str, int],
        found: Found,
        *,
        divides: bool,
    ) -> None:
        """Ask about cases with the same open properties at once; a model refutes one of them.

        `until` says within how many first states, by variant.
        """
        left = list(group.cases)
        apart: set[str] = set()  # names of cases too hard to ask about together
        while left := [c for c in left if self.asked(c) and c.depth < until[c.variant.name]]:
            first = min(left, key=lambda case: case.depth)
            alike = [
                case
                for case in left
                if case.depth == first.depth
                and case.open == first.open
                and case.variant.name not in apart
            ]
            if first.variant.name in apart:
                alike = [first]
            names = [case.variant.name for case in alike]
            doubted = [self.goals[name] for name in self.goals if name in first.open]
            literals = group.any_of(self.questions.base, names)
            answer = self.questions.ask(
                self.questions.base, literals, goals, doubted, frame=first.depth
            )
            if answer is Answer.UNSAT:
                for case in alike:
                    case.depth += 1
            elif answer is Answer.UNKNOWN and len(alike) > 1:
                if not divides:
                    return
                apart.update(names)
            elif answer is Answer.UNKNOWN:
                first.reason = self.questions.base.solver.reason_unknown
                left.remove(first)
            else:
                chosen = group.true_in_model(self.questions.base, names)
                for case in alike:
                    if case.variant.name in chosen and self.refuted(case, case.depth, "bmc"):
                        found(case)
                    elif case.variant.name in chosen or not chosen:
                        left.remove(case)

    def _filter(self, group: Group, case: Claim, certificate: Certificate) -> Certificate | None:
        """Return the part of a certificate that holds on one variant (by Houdini), or None.

        None once no open goal is left, or after `MOST_BROKEN` models that break statements. What
        fails in a part of what decides it may fail nowhere else, so nothing is concluded from that.
        """
        statements = self.questions.statements(certificate)
        wanted = [self.goals[name] for name in certificate.goals if name in case.open]
        alive = list(statements)
        initially: list[Term] = []  # statements that hold in the first states
        models = 0
        for side, frame in self.questions.places(certificate.k):
            if side is self.questions.step:
                initially = alive
            while alive:
                literals = group.literals(side, case.variant)
                if side is self.questions.step:
                    literals += self.questions.hypotheses(side, alive, frame)
                answer = self.questions.ask(side, literals, statements, alive, frame=frame)
                if answer is Answer.UNSAT:
                    break
                if answer is Answer.UNKNOWN:
                    case.reason = side.solver.reason_unknown
                    return None
                false = [s for s in alive if self.questions.is_false(side, s, frame)]
                if not false:
                    case.reason = "the solver's model decides nothing"
                    return None
                fails = side is self.questions.base and any(s in self.goals.values() for s in false)
                if fails and self._within is None:
                    self.refuted(case, frame, "certificate")
                alive = [s for s in alive if s not in false]
                models += 1
                if models == MOST_BROKEN or not any(goal in alive for goal in wanted):
                    alive = []
        stated = [self.goals[name] for name in case.open if name in self.goals]
        if self._within is None and all(goal in initially for goal in stated):
            case.depth = max(case.depth, certificate.k)
        kept = set(alive)
        goals = tuple(name for name in certificate.goals if self.goals[name] in kept)
        if not goals:
            return None
        goal_terms = {self.goals[name] for name in goals}
        lemmas = tuple(s for s in alive if s not in goal_terms)
        return Certificate(certificate.k, lemmas, goals)

    def surviving(
        self, case: Claim, asked: Sequence[Certificate]
    ) -> list[tuple[Certificate, list[Claim]]]:
        """Return the parts of certificates that hold on one variant and have an open goal there."""
        for certificate in asked:
            self.questions.prepare(self.questions.statements(certificate), certificate.k)
        kept: list[tuple[Certificate, list[Claim]]] = []
        with Group(self.model, [case], asserted=True) as group:
            for certificate in asked:
                left = self._filter(group, case, certificate)
                if left is not None and speaks(left, case):
                    kept.append((left, [case]))
        return kept

    def refuted(self, case: Claim, last: int, how: str) -> bool:
        """Replay the model of the last query; tell whether it refuted an open property."""
        choices = self.chosen(case, last)
        if choices is None:
            case.reason = "the counterexample has irrational values"
            return False
        violated = self.confirm(case.variant, choices, how)
        if violated is None:
            case.reason = "the counterexample could not be replayed"
            return False
        before = len(case.open)
        case.refute(violated)
        if len(case.open) == before:
            case.reason = "the replay of the counterexample violates no property"
            return False
        return True

    def chosen(self, case: Claim, last: int) -> Choices | None:
        """Return what the last model chooses, None if it has irrational values."""
        free = freed(self.system, case.variant)
        try:
            return self.questions.base.unrolling.choices(last, system=self.system, freed=free)
        except NotRepresentableError:
            return None


def _is_read(system: TransitionSystem, constraint: Constraint) -> bool:
    """Tell whether a part that decides what is asked has the variable that a variant defines."""
    return constraint.defines is None or constraint.defines in system.variables


def speaks(certificate: Certificate, case: Claim) -> bool:
    """Tell whether a certificate has a goal that is open in a case."""
    return not case.open.isdisjoint(certificate.goals)
