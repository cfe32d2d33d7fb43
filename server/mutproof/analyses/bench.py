"""The bench: one system with all its elements behind literals, to decide variants of it.

Two solvers stay alive: executions from the initial states, and paths from any state. A
variant is decided by assuming the literals of what it keeps. Statements (lemmas and
properties) are behind literals too, so that a set of them can be assumed or doubted.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), with the filter of invariants
done as Houdini (Flanagan and Leino, 2001) over base and step, and with one query for many
variants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mutproof.analyses.group import Group, Model, Side
from mutproof.analyses.variant import Case, Holds, Variant, freed, support
from mutproof.base.budget import Budget
from mutproof.model import sorts
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import (
    Answer,
    Effort,
    Formula,
    NotRepresentableError,
)
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import new_solver

MOST_EDITS = 32
"""How many edited elements a bench carries before it is made anew."""

MOST_CALLS = 100_000
"""How many questions a bench is asked before it is made anew: solvers keep all their formulas."""

BATCH = 24
"""How many variants share one query: more of them make each query slower."""


FEW = 300
"""Where a query on more variants than these is too hard, each half of them is asked alone."""


class Steps(Protocol):
    """Tell by evaluation on which cases a certificate breaks; what it does not tell is asked."""

    def left(
        self, certificate: Certificate, cases: Iterable[Case], *, newest: bool = False
    ) -> list[Case]:
        """Return the cases on which no known path, or not the `newest`, breaks a certificate."""

    def learn(self, certificate: Certificate, statements: Sequence[Term], choices: Choices) -> None:
        """Keep a path of k + 1 states; `choices.before` is its first state, not an initial one."""


Confirm = Callable[[Variant, Choices], "dict[str, int] | None"]
"""Replay an execution of a variant; None if it is none, else the violated properties."""


@dataclass(frozen=True, slots=True)
class _Sieve:
    """Hold what a certificate is tried with; `owners` collects what its proofs rest on."""

    certificate: Certificate
    statements: tuple[Term, ...]
    group: Group
    owners: set[ElementId]
    steps: Steps | None


class Bench:
    """Decide variants of one system; mutable, one thread.

    A bench stays when its system changes a little: what an edited element says now is added
    behind a new literal, and the old one is no longer assumed (`rebase`).
    """

    def __init__(
        self,
        system: TransitionSystem,
        budget: Budget,
        confirm: Confirm,
        checker: Bench | None = None,
    ) -> None:
        self.system = system
        self._checker = self if checker is None else checker
        self.calls = 0
        self._edits = 0
        self.budget = budget
        self._effort = Effort(budget.rlimit, budget.timeout_s)
        self._confirm = confirm
        self._base = self._side(initial=True)
        self._step = self._side(initial=False)
        self._in_solver = dict(system.by_owner)
        self._free_at_start = system.chosen
        self._near: dict[tuple[Certificate, bool], set[ElementId]] = {}
        self._adopt(system)

    def _adopt(self, system: TransitionSystem) -> None:
        self.system = system
        self._goals = {
            stated.name: stated.term
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        definers = {
            c.defines: c.owner
            for c in system.constraints
            if c.defines is not None and c.kind is ConstraintKind.INVAR
        }
        owners = tuple(owner for owner in system.by_owner if owner is not None)
        self._model = Model((self._base, self._step), owners, definers)

    def rebase(self, system: TransitionSystem, confirm: Confirm) -> bool:
        """Go over to another version of the system, if the solvers can be kept.

        They can where the new version declares nothing new, remembers nothing else, and only
        few elements have changed since the solvers were made.
        """
        if self.calls > MOST_CALLS:
            return False
        first = self._base.unrolling.system
        if any(first.variables.get(name) != v for name, v in system.variables.items()):
            return False
        if (self._free_at_start & set(system.variables)) - system.chosen:
            return False
        known = set(first.by_owner.get(None, ()))
        held = {(c.kind, c.defines): c for c in system.by_owner.get(None, ())}
        if not set(held.values()) == set(system.by_owner.get(None, ())) <= known:
            return False
        if any(held.get((c.kind, c.defines), c) != c for c in known):
            return False
        if any(c.defines is None and c not in held.values() for c in known):
            return False
        changed = [
            owner
            for owner, constraints in system.by_owner.items()
            if owner is not None and self._in_solver.get(owner) != constraints
        ]
        if len(self._base.edits) + len(changed) > MOST_EDITS:
            return False
        for owner in changed:
            constraints = system.by_owner[owner]
            for side in (self._base, self._step):
                literal = side.unrolling.add_alternative(f"edit {self._edits}", constraints)
                side.edits[owner] = literal
            self._in_solver[owner] = constraints
            self._edits += 1
        self._adopt(system)
        self._confirm = confirm
        return True

    def _side(self, *, initial: bool) -> Side:
        solver = new_solver()
        unrolling = Unrolling(solver, self.system, initial=initial, labelled=True, guarded=True)
        return Side(solver, unrolling)

    # --- deciding -------------------------------------------------------------------------

    def certify(
        self,
        cases: Sequence[Case],
        certificates: Sequence[Certificate],
        *,
        partly: bool = True,
        steps: Steps | None = None,
    ) -> None:
        """Try certificates on cases that remove the same elements; note what they prove.

        With `partly`, where one does not hold as a whole, what is left of it is tried; what
        fails in the first states on the way is noted as refuted. What is proved is proved
        again by the checker, which also finds the elements that the proof rests on.
        """
        wanted = [case for case in cases if any(_speaks(c, case) for c in certificates)]
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            spoken = [(c, [case for case in batch if _speaks(c, case)]) for c in certificates]
            self._checker.establish(batch, spoken, steps)
        if partly:
            for case in wanted:
                self._certify_alone(case, certificates)

    def _certify_alone(self, case: Case, certificates: Sequence[Certificate]) -> None:
        asked = [certificate for certificate in certificates if _speaks(certificate, case)]
        if not asked:
            return
        for certificate in asked:
            self._prepare(certificate)
        kept: list[tuple[Certificate, list[Case]]] = []
        with Group(self._model, [case], asserted=True) as group:
            for certificate in asked:
                left = self._filter(group, case, certificate)
                if left is not None and _speaks(left, case):
                    kept.append((left, [case]))
        self._checker.establish([case], kept)

    def establish(
        self,
        batch: Sequence[Case],
        proofs: Sequence[tuple[Certificate, list[Case]]],
        steps: Steps | None = None,
    ) -> None:
        """Note what certificates prove of cases on which they are thought to hold as a whole.

        Cases remove the same elements. The core of each proof says what it rests on. `steps`
        tell in advance on which cases a certificate breaks, and learn from those it breaks on.
        """
        proofs = [(certificate, cases) for certificate, cases in proofs if cases]
        for certificate, _ in proofs:
            self._prepare(certificate)
        if not proofs:
            return
        with Group(self._model, batch) as group:
            for certificate, asked in proofs:
                cases = [case for case in asked if _speaks(certificate, case)]
                if steps is not None:
                    cases = steps.left(certificate, cases)
                owners: set[ElementId] = set()
                passed = self._sieve(group, certificate, cases, owners, steps)
                rests_on = support(self.system, self._statements(certificate), owners)
                for case in cases:
                    if case.variant.name in passed:
                        own = support(self.system, (), (), case.variant.constraints)
                        evidence = Holds(certificate, rests_on | own, "certificate")
                        case.prove(certificate.goals, evidence)
                    else:
                        case.reason = "the certificate could not be checked again"

    def search(self, cases: Sequence[Case], depth: int) -> None:
        """Look for violations of open properties within the first `depth` states."""
        cases = [case for case in cases if self._asked(case) and case.depth < depth]
        if not cases:
            return
        self._base.unrolling.frame(depth - 1)
        goals = tuple(self._goals[n] for n in self._goals if any(n in c.open for c in cases))
        for frame in range(depth):
            self._violation(self._base, goals, frame)
        for case in cases:
            with Group(self._model, [case], asserted=True, sides=(self._base,)) as group:
                self._search_alone(group, case, goals, depth)

    def _asked(self, case: Case) -> bool:
        """Tell whether an invariant of a case is open."""
        return not case.open.isdisjoint(self._goals)

    def _search_alone(self, group: Group, case: Case, goals: tuple[Term, ...], depth: int) -> None:
        while self._asked(case) and case.depth < depth:
            doubted = [self._goals[name] for name in self._goals if name in case.open]
            literals = group.literals(self._base, case.variant)
            answer = self._ask(self._base, literals, goals, doubted, case.depth)
            if answer is Answer.UNSAT:
                case.depth += 1
            elif answer is Answer.UNKNOWN:
                case.reason = self._base.solver.reason_unknown
                return
            elif not self._refuted(case, case.depth, "bmc"):
                return

    def dead_end(self, cases: Sequence[Case], steps: int) -> dict[str, int]:
        """Return, for variants without any execution of `steps` states, the longest there is.

        Cases remove the same elements. What the solver cannot tell is left out.
        """
        self._base.unrolling.frame(steps - 1)
        found: dict[str, int] = {}
        with Group(self._model, cases, sides=(self._base,)) as group:
            for case in cases:
                literals = group.literals(self._base, case.variant)
                lengths = [steps, *range(1, steps)]
                for length in lengths:
                    self.calls += 1
                    guards = self._base.unrolling.guards(length - 1)
                    answer = self._base.solver.check([*literals, *guards], self._effort)
                    if answer is Answer.UNSAT:
                        found[case.variant.name] = length - 1
                        if length < steps:
                            break
                    elif length == steps:
                        break
        return found

    # --- certificates -----------------------------------------------------------------------

    def _statements(self, certificate: Certificate) -> tuple[Term, ...]:
        goals = tuple(self._goals[name] for name in certificate.goals)
        return tuple(dict.fromkeys((*certificate.lemmas, *goals)))

    def _prepare(self, certificate: Certificate) -> None:
        """Make frames and literals outside any scope, so that they stay."""
        statements = self._statements(certificate)
        self._base.unrolling.frame(certificate.k - 1)
        self._step.unrolling.frame(certificate.k)
        for frame in range(certificate.k):
            self._violation(self._base, statements, frame)
        self._violation(self._step, statements, certificate.k)
        self._hypotheses(self._step, statements, certificate.k)

    def _sieve(
        self,
        group: Group,
        certificate: Certificate,
        cases: Sequence[Case],
        owners: set[ElementId],
        steps: Steps | None,
    ) -> set[str]:
        """Return the variants on which the whole certificate holds, found by few queries.

        Elements that the proofs rest on are added to `owners`.
        """
        sieve = _Sieve(certificate, self._statements(certificate), group, owners, steps)
        remaining = list(cases)
        for side, frame in self._queries(certificate):
            remaining = self._pass(sieve, side, frame, remaining)
        return {case.variant.name for case in remaining}

    def _pass(self, sieve: _Sieve, side: Side, frame: int, cases: list[Case]) -> list[Case]:
        """Return the variants that get through one query of a certificate, in order.

        What proofs by the certificate rested on before is assumed first: it is less to look at.
        """
        passed: set[str] = set()
        heap = [cases] if cases else []
        while heap:
            asked = heap.pop()
            names = [case.variant.name for case in asked]
            near = None
            answer = self._ask_any(sieve, side, frame, names, near)
            if answer is Answer.SAT:
                chosen = sieve.group.true_in_model(side, names)
                if near is not None:
                    answer = self._ask_any(sieve, side, frame, chosen, None)
                    if answer is Answer.UNSAT:
                        passed.update(chosen)
                    elif answer is Answer.SAT:
                        # Others that the first model chose have their turn again.
                        chosen = sieve.group.true_in_model(side, chosen)
                asked = [case for case in asked if case.variant.name not in chosen]
                if answer is Answer.SAT and side is self._step:
                    asked = self._not_broken(sieve, frame, asked)
                if asked:
                    heap.append(asked)
            elif answer is Answer.UNSAT:
                passed.update(names)
            elif len(asked) > FEW:
                half = len(asked) // 2
                heap += [asked[:half], asked[half:]]
        return [case for case in cases if case.variant.name in passed]

    def _not_broken(self, sieve: _Sieve, frame: int, cases: list[Case]) -> list[Case]:
        """Return the cases on which the path of the last model does not break a certificate."""
        path = self._path(frame) if sieve.steps is not None else None
        if sieve.steps is None or path is None:
            return cases
        sieve.steps.learn(sieve.certificate, sieve.statements, path)
        return sieve.steps.left(sieve.certificate, cases, newest=True)

    def _ask_any(
        self,
        sieve: _Sieve,
        side: Side,
        frame: int,
        names: Sequence[str],
        near: set[ElementId] | None,
    ) -> Answer:
        """Ask whether one of some variants breaks a certificate; note what a proof rests on."""
        literals = sieve.group.any_of(side, names, near)
        if side is self._step:
            literals += self._hypotheses(side, sieve.statements, frame)
        answer = self._ask(side, literals, sieve.statements, sieve.statements, frame)
        if answer is Answer.UNSAT:
            found = sieve.group.owners_in_core(side)
            sieve.owners.update(found)
            self._near.setdefault((sieve.certificate, side is self._step), set()).update(found)
        return answer

    def _path(self, last: int) -> Choices | None:
        """Return the path of the last model of the step, None if it has irrational values."""
        try:
            return self._step.unrolling.choices(last)
        except NotRepresentableError:
            return None

    def _queries(self, certificate: Certificate) -> list[tuple[Side, int]]:
        """Return where a certificate is tested: the first states, then the step."""
        first: list[tuple[Side, int]] = [(self._base, frame) for frame in range(certificate.k)]
        return [*first, (self._step, certificate.k)]

    def _filter(self, group: Group, case: Case, certificate: Certificate) -> Certificate | None:
        """Return what is left of a certificate on one variant, found as Houdini does."""
        statements = self._statements(certificate)
        alive = list(statements)
        for side, frame in self._queries(certificate):
            while alive:
                literals = group.literals(side, case.variant)
                if side is self._step:
                    literals += self._hypotheses(side, alive, frame)
                answer = self._ask(side, literals, statements, alive, frame)
                if answer is Answer.UNSAT:
                    break
                if answer is Answer.UNKNOWN:
                    case.reason = side.solver.reason_unknown
                    return None
                false = [s for s in alive if self._is_false(side, s, frame)]
                if not false:
                    case.reason = "the solver's model decides nothing"
                    return None
                if side is self._base and any(s in self._goals.values() for s in false):
                    self._refuted(case, frame, "certificate")
                alive = [s for s in alive if s not in false]
        case.depth = max(case.depth, certificate.k)
        kept = set(alive)
        goals = tuple(name for name in certificate.goals if self._goals[name] in kept)
        if not goals:
            return None
        goal_terms = {self._goals[name] for name in goals}
        lemmas = tuple(s for s in alive if s not in goal_terms)
        return Certificate(certificate.k, lemmas, goals)

    # --- queries ----------------------------------------------------------------------------

    def _ask(
        self,
        side: Side,
        literals: list[Formula],
        statements: tuple[Term, ...],
        doubted: Sequence[Term],
        frame: int,
    ) -> Answer:
        """Ask for a model in which one of the doubted statements is false in a frame."""
        clause = self._violation(side, statements, frame)
        wanted = set(doubted)
        assumptions = [*literals, *side.unrolling.guards(frame), clause]
        assumptions += [
            side.solver.negation(side.doubted[s, frame]) for s in statements if s not in wanted
        ]
        self.calls += 1
        return side.solver.check(assumptions, self._effort)

    def _violation(self, side: Side, statements: tuple[Term, ...], frame: int) -> Formula:
        """Return a literal that implies that one of the statements is false in a frame."""
        key = (statements, frame)
        if key not in side.clauses:
            literals = []
            for statement in statements:
                if (statement, frame) not in side.doubted:
                    literal = self._fresh(side, "doubt", len(side.doubted))
                    side.doubted[statement, frame] = literal
                    false = side.solver.negation(side.unrolling.term(statement, frame))
                    side.solver.add(side.solver.implication(literal, false))
                literals.append(side.doubted[statement, frame])
            clause = self._fresh(side, "violation", len(side.clauses))
            side.solver.add(side.solver.implication(clause, side.solver.disjunction(literals)))
            side.clauses[key] = clause
        return side.clauses[key]

    def _hypotheses(self, side: Side, statements: Sequence[Term], k: int) -> list[Formula]:
        """Return literals that imply that the statements hold in frames 0 .. k - 1."""
        # One literal for each frame: a shallower question must not assume what a deeper one did.
        literals = []
        for statement in statements:
            for frame in range(k):
                if (statement, frame) not in side.assumed:
                    literal = self._fresh(side, "assume", len(side.assumed))
                    formula = side.unrolling.term(statement, frame)
                    side.solver.add(side.solver.implication(literal, formula))
                    side.assumed[statement, frame] = literal
                literals.append(side.assumed[statement, frame])
        return literals

    @staticmethod
    def _fresh(side: Side, kind: str, number: int) -> Formula:
        return side.solver.constant(f"?{kind}:{number}", sorts.BOOL)

    def _is_false(self, side: Side, statement: Term, frame: int) -> bool:
        value = side.solver.value(side.unrolling.term(statement, frame), sorts.BOOL)
        return value is False

    # --- counterexamples ----------------------------------------------------------------------

    def _refuted(self, case: Case, last: int, how: str) -> bool:
        """Replay the model of the last query; tell whether it refuted an open property."""
        try:
            choices = self._base.unrolling.choices(
                last, system=self.system, freed=freed(self.system, case.variant)
            )
        except NotRepresentableError:
            case.reason = "the counterexample has irrational values"
            return False
        violated = self._confirm(case.variant, choices)
        if violated is None:
            case.reason = "the counterexample could not be replayed"
            return False
        before = len(case.open)
        case.refute(violated, choices, how)
        if len(case.open) == before:
            case.reason = "the replay of the counterexample violates no property"
            return False
        return True


def _speaks(certificate: Certificate, case: Case) -> bool:
    """Tell whether a certificate has a goal that is open in a case."""
    return not case.open.isdisjoint(certificate.goals)
