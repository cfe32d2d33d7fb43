"""The bench: one system with all its elements behind literals, to decide variants of it.

Two solvers stay alive: executions from the initial states, and paths from any state. A
variant is decided by assuming the literals of what it keeps. Statements (lemmas and
properties) are behind literals too, so that a set of them can be assumed or doubted.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), with the filter of invariants
done as Houdini (Flanagan and Leino, 2001) over base and step, and with one query for many
variants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from mutproof.analyses.variant import Case, Holds, Variant, freed, support
from mutproof.base.budget import Budget
from mutproof.model import sorts
from mutproof.model.program import ElementId
from mutproof.model.system import SystemVariable, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import (
    Answer,
    Effort,
    Formula,
    NotRepresentableError,
    Solver,
)
from mutproof.solving.unroll import Unrolling, undefined_variables
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import new_solver

BATCH = 24
"""How many variants share one query: more of them make each query slower."""

Confirm = Callable[[Variant, Choices], "dict[str, int] | None"]
"""Replay an execution of a variant; None if it is none, else the violated properties."""


@dataclass
class _Side:
    """Hold one unrolling and the literals of statements in its frames."""

    solver: Solver
    unrolling: Unrolling
    assumed: dict[Term, tuple[Formula, int]] = field(default_factory=dict)
    doubted: dict[tuple[Term, int], Formula] = field(default_factory=dict)
    clauses: dict[tuple[tuple[Term, ...], int], Formula] = field(default_factory=dict)


class Bench:
    """Decide variants of one system; mutable, one thread."""

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
        self._effort = Effort(budget.rlimit, budget.timeout_s)
        self._confirm = confirm
        self._goals = {stated.name: stated.term for stated in system.properties}
        self._undefined = undefined_variables(system)
        self._base = self._side(initial=True)
        self._step = self._side(initial=False)

    def _side(self, *, initial: bool) -> _Side:
        solver = new_solver()
        unrolling = Unrolling(solver, self.system, initial=initial, labelled=True, guarded=True)
        return _Side(solver, unrolling)

    # --- deciding -------------------------------------------------------------------------

    def certify(
        self, cases: Sequence[Case], certificate: Certificate, *, partly: bool = True
    ) -> None:
        """Try one certificate on cases that remove the same elements; note what it proves.

        With `partly`, where it does not hold as a whole, what is left of it is tried; what
        fails in the first states on the way is noted as refuted. What is proved is proved
        again by the checker, which also finds the elements that the proof rests on.
        """
        wanted = [case for case in cases if case.open & set(certificate.goals)]
        self._prepare(certificate)
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            with _Group(self, batch, asserted=True) as group:
                passed = self._sieve(group, certificate)
            self._checker.establish([c for c in batch if c.variant.name in passed], certificate)
            for case in batch:
                if partly and case.variant.name not in passed:
                    self._certify_alone(case, certificate)

    def _certify_alone(self, case: Case, certificate: Certificate) -> None:
        with _Group(self, [case], asserted=True) as group:
            kept = self._filter(group, case, certificate)
        if kept is not None and case.open & set(kept.goals):
            self._checker.establish([case], kept)

    def establish(self, cases: Sequence[Case], certificate: Certificate) -> None:
        """Note what a certificate proves of cases on which it is thought to hold as a whole.

        Cases remove the same elements. The core of the proof says what it rests on.
        """
        if not cases:
            return
        self._prepare(certificate)
        statements = self._statements(certificate)
        with _Group(self, cases) as group:
            owners: set[ElementId] = set()
            passed = self._sieve(group, certificate, owners)
        rests_on = support(self.system, statements, owners)
        for case in cases:
            if case.variant.name in passed:
                own = support(self.system, (), (), case.variant.constraints)
                case.prove(certificate.goals, Holds(certificate, rests_on | own, "certificate"))
            else:
                case.reason = "the certificate could not be checked again"

    def search(self, cases: Sequence[Case], depth: int) -> None:
        """Look for violations of open properties within the first `depth` states."""
        cases = [case for case in cases if case.open and case.depth < depth]
        if not cases:
            return
        self._base.unrolling.frame(depth - 1)
        goals = tuple(self._goals[n] for n in self._goals if any(n in c.open for c in cases))
        for frame in range(depth):
            self._violation(self._base, goals, frame)
        for case in cases:
            with _Group(self, [case], asserted=True) as group:
                self._search_alone(group, case, goals, depth)

    def _search_alone(self, group: _Group, case: Case, goals: tuple[Term, ...], depth: int) -> None:
        while case.open and case.depth < depth:
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
        with _Group(self, cases) as group:
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
        self, group: _Group, certificate: Certificate, owners: set[ElementId] | None = None
    ) -> set[str]:
        """Return the variants on which the whole certificate holds, found by few queries.

        Elements that the proofs rest on are added to `owners`, if the group assumes them.
        """
        statements = self._statements(certificate)
        remaining = [case.variant.name for case in group.cases]
        for side, frame in self._queries(certificate):
            while remaining:
                literals = group.any_of(side, remaining)
                if side is self._step:
                    literals += self._hypotheses(side, statements, frame)
                answer = self._ask(side, literals, statements, statements, frame)
                if answer is Answer.UNSAT:
                    if owners is not None:
                        owners |= group.owners_in_core(side)
                    break
                if answer is Answer.UNKNOWN:
                    return set()
                chosen = set(group.true_in_model(side, remaining))
                remaining = [name for name in remaining if name not in chosen]
        return set(remaining)

    def _queries(self, certificate: Certificate) -> list[tuple[_Side, int]]:
        """Return where a certificate is tested: the first states, then the step."""
        first: list[tuple[_Side, int]] = [(self._base, frame) for frame in range(certificate.k)]
        return [*first, (self._step, certificate.k)]

    def _filter(self, group: _Group, case: Case, certificate: Certificate) -> Certificate | None:
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
        side: _Side,
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

    def _violation(self, side: _Side, statements: tuple[Term, ...], frame: int) -> Formula:
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

    def _hypotheses(self, side: _Side, statements: Sequence[Term], k: int) -> list[Formula]:
        """Return literals that imply that the statements hold in frames 0 .. k - 1."""
        literals = []
        for statement in statements:
            known = side.assumed.get(statement)
            if known is None:
                literal, frames = self._fresh(side, "assume", len(side.assumed)), 0
            else:
                literal, frames = known
            for frame in range(frames, k):
                formula = side.unrolling.term(statement, frame)
                side.solver.add(
                    side.solver.implication(
                        side.solver.conjunction([literal, side.unrolling.guards(frame)[frame]]),
                        formula,
                    )
                )
            side.assumed[statement] = (literal, max(frames, k))
            literals.append(literal)
        return literals

    @staticmethod
    def _fresh(side: _Side, kind: str, number: int) -> Formula:
        return side.solver.constant(f"?{kind}:{number}", sorts.BOOL)

    def _is_false(self, side: _Side, statement: Term, frame: int) -> bool:
        value = side.solver.value(side.unrolling.term(statement, frame), sorts.BOOL)
        return value is False

    # --- counterexamples ----------------------------------------------------------------------

    def _refuted(self, case: Case, last: int, how: str) -> bool:
        """Replay the model of the last query; tell whether it refuted an open property."""
        try:
            choices = self._choices(case.variant, last)
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

    def _choices(self, variant: Variant, last: int) -> Choices:
        side = self._base
        free = freed(self.system, variant)
        variables = [
            declared
            for name, declared in self.system.variables.items()
            if declared.kind is SystemVariableKind.INPUT or name in self._undefined
        ]
        variables += [declared for declared in free if declared not in variables]

        def value(declared: SystemVariable, frame: int) -> sorts.Value:
            return side.solver.value(side.unrolling.variable(declared.name, frame), declared.sort)

        before = {
            name: value(declared, 0)
            for name, declared in self.system.variables.items()
            if declared.kind is SystemVariableKind.STATE
        }
        steps = tuple(
            {declared.name: value(declared, frame) for declared in variables}
            for frame in range(last + 1)
        )
        return Choices(steps, before, side.solver.function_tables())


class _Group:
    """Hold the alternatives of cases that remove the same elements, inside one scope."""

    def __init__(self, bench: Bench, cases: Sequence[Case], *, asserted: bool = False) -> None:
        self._bench = bench
        self._asserted = asserted
        self.cases = tuple(cases)
        self._removed = cases[0].variant.removed
        self._named: dict[tuple[int, str], Formula] = {}
        self._any: dict[int, Formula] = {}

    def __enter__(self) -> Self:
        for side in self._sides():
            unrolling = side.unrolling
            unrolling.push()
            literals = []
            for case in self.cases:
                literal = unrolling.add_alternative(case.variant.name, case.variant.constraints)
                self._named[id(side), case.variant.name] = literal
                literals.append(literal)
            some = side.solver.constant("?some-variant", sorts.BOOL)
            clause = side.solver.implication(some, side.solver.disjunction(literals))
            side.solver.add(clause)
            self._any[id(side)] = some
            if self._asserted:
                for owner in unrolling.owners():
                    if owner not in self._removed:
                        side.solver.add(unrolling.assume(owner))
        return self

    def __exit__(self, *_: object) -> None:
        for side in self._sides():
            side.unrolling.pop()

    def _sides(self) -> tuple[_Side, _Side]:
        return self._bench._base, self._bench._step  # noqa: SLF001 - one class in two parts

    def literals(self, side: _Side, variant: Variant) -> list[Formula]:
        """Return the assumptions of one variant."""
        found = side.unrolling.assumptions(self._removed, [variant.name])
        return found[len(self._kept(side)) :] if self._asserted else found

    def _kept(self, side: _Side) -> list[ElementId]:
        return [owner for owner in side.unrolling.owners() if owner not in self._removed]

    def any_of(self, side: _Side, names: list[str]) -> list[Formula]:
        """Return assumptions under which one of the named variants, at least, is chosen."""
        # No bounds here: a variant may define what another leaves free.
        found = [] if self._asserted else [side.unrolling.assume(o) for o in self._kept(side)]
        wanted = set(names)
        others = [
            side.solver.negation(self._named[id(side), case.variant.name])
            for case in self.cases
            if case.variant.name not in wanted
        ]
        return [*found, *others, self._any[id(side)]]

    def true_in_model(self, side: _Side, names: list[str]) -> list[str]:
        """Return the variants that the last model chooses."""
        return [
            name
            for name in names
            if side.solver.value(self._named[id(side), name], sorts.BOOL) is True
        ]

    def owners_in_core(self, side: _Side) -> set[ElementId]:
        """Return the elements whose literals are in the core of the last query."""
        kept = self._kept(side)
        # `assumptions` lists the literals of the kept elements first, in this order.
        return {kept[index] for index in side.solver.core() if index < len(kept)}
