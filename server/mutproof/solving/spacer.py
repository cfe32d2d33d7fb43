"""One question to Spacer: an inductive invariant over the remembered variables, or a failure.

The unknown relation ranges over what one state passes to the next: STATE variables, and
others whose next value a constraint reads. Inputs and defined variables are bound in each
rule. The invariant comes back as terms; it is a claim until `certify` has checked it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.system import (
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving import decode
from mutproof.solving.solver import Answer, Formula, SolvingError
from mutproof.solving.z3_context import Z3Context
from mutproof.solving.z3_fixedpoint import FixedPoint
from mutproof.solving.z3_solver import Z3Solver


@dataclass(frozen=True, slots=True)
class SpacerAnswer:
    """Hold Spacer's answer: UNSAT with an invariant, SAT for a reachable failure, UNKNOWN.

    `cpu_s` is the time that a child process took for it.
    """

    answer: Answer
    invariant: tuple[Term, ...] = ()
    reason: str = ""
    cpu_s: float = 0.0


def ask(
    system: TransitionSystem,
    goals: Sequence[str],
    lemmas: Sequence[Term],
    *,
    rlimit: int,
    cpu_s: float,
    timeout_s: float,
) -> SpacerAnswer:
    """Ask whether the conjunction of goals can fail, given lemmas that hold in every state.

    The query may take `cpu_s` of this process's time, and `timeout_s` on the clock.
    """
    try:
        return _ask(system, goals, lemmas, rlimit=rlimit, cpu_s=cpu_s, timeout_s=timeout_s)
    except SolvingError as error:
        return SpacerAnswer(Answer.UNKNOWN, (), str(error))


def _ask(
    system: TransitionSystem,
    goals: Sequence[str],
    lemmas: Sequence[Term],
    *,
    rlimit: int,
    cpu_s: float,
    timeout_s: float,
) -> SpacerAnswer:
    context = Z3Context()
    rules = _HornClauses(context, system)
    passed = rules.passed
    fixed = FixedPoint(context, [declared.sort for declared in passed])
    now = fixed.state([rules.constants[declared.name, 0] for declared in passed])
    then = fixed.state([rules.constants[declared.name, 1] for declared in passed])
    always = rules.in_every_state(lemmas)
    stated = context.conjunction([rules.translate(system.property(name).term) for name in goals])
    everything = list(rules.constants.values())
    fixed.add_rule(context.conjunction(rules.initial()), now, everything)
    step = [now, *always, *rules.step()]
    fixed.add_rule(context.conjunction(step), then, everything)
    failure = [now, *always, context.call("not", stated)]
    fixed.add_rule(context.conjunction(failure), fixed.bad(), everything)
    answer = fixed.query(rlimit=rlimit, cpu_s=cpu_s, timeout_s=timeout_s)
    if answer is not Answer.UNSAT:
        return SpacerAnswer(answer, (), fixed.reason_unknown)
    formula, places = fixed.invariant()
    leaves = {
        place: decode.Leaf(declared.name, declared.sort)
        for place, declared in zip(places, passed, strict=True)
    }
    invariant = decode.decode(context, formula, leaves)
    domains = tuple(_domain(declared) for declared in passed)
    return SpacerAnswer(Answer.UNSAT, decode.conjuncts(terms.conjunction([invariant, *domains])))


def _domain(declared: SystemVariable) -> Term:
    """Return that a symbolic variable is one of its constants; Spacer takes it as an integer."""
    if not isinstance(declared.sort, sorts.EnumSort) or not declared.sort.values:
        return terms.TRUE
    variable = terms.var(declared.name, declared.sort)
    return terms.disjunction(
        terms.eq(variable, terms.const(value, variable.sort)) for value in declared.sort.values
    )


class _HornClauses:
    """Translate a system to Horn clauses over two states; hold the constants of both."""

    def __init__(self, context: Z3Context, system: TransitionSystem) -> None:
        self._context = context
        self._system = system
        self._builder = Z3Solver(context)
        self._memo: dict[Term, Formula] = {}
        self.constants: dict[tuple[str, int], Formula] = {
            (declared.name, state): context.variable(f"{declared.name}@{state}", declared.sort)
            for state in (0, 1)
            for declared in system.variables.values()
        }
        handed_on = _read_next(system)
        self.passed: tuple[SystemVariable, ...] = tuple(
            declared
            for declared in system.variables.values()
            if declared.kind is SystemVariableKind.STATE or declared.name in handed_on
        )
        self._defined = {c.defines for c in system.constraints if c.kind is not ConstraintKind.INIT}

    def translate(self, term: Term) -> Formula:
        """Return a term over the first of the two states."""
        return self._builder.translate(
            term,
            lambda leaf: self.constants[str(leaf.payload), int(leaf.op is Op.NEXT_VAR)],
            self._memo,
        )

    def _of_kind(self, kind: ConstraintKind) -> list[Formula]:
        return [self.translate(c.term) for c in self._system.constraints if c.kind is kind]

    def _bounds(self, declared: SystemVariable, state: int) -> list[Formula]:
        found = self._context.in_domain(self.constants[declared.name, state], declared.sort)
        return [] if found is None else [found]

    def initial(self) -> list[Formula]:
        """Return what holds in a first state; definitions are left to the other rules."""
        found = self._of_kind(ConstraintKind.INIT)
        for declared in self._system.variables.values():
            if declared.kind is SystemVariableKind.STATE or declared.name not in self._defined:
                found += self._bounds(declared, 0)
        return found + self._of_kind(ConstraintKind.INVAR)

    def in_every_state(self, lemmas: Sequence[Term]) -> list[Formula]:
        """Return what holds in every state: definitions, assertions, bounds, lemmas."""
        found = self._of_kind(ConstraintKind.INVAR)
        for declared in self._system.variables.values():
            if declared.name not in self._defined:
                found += self._bounds(declared, 0)
        return found + [self.translate(lemma) for lemma in lemmas]

    def step(self) -> list[Formula]:
        """Return what relates a state and the next."""
        return self._of_kind(ConstraintKind.TRANS)


def _read_next(system: TransitionSystem) -> frozenset[str]:
    return frozenset(
        str(part.payload)
        for constraint in system.constraints
        for part in walk.subterms(constraint.term)
        if part.op is Op.NEXT_VAR
    )
