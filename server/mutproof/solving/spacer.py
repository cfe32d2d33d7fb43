"""One question to Spacer: an inductive invariant over the remembered variables, or a failure.

The unknown relation ranges over what one state passes to the next: STATE variables, and
others whose next value a constraint reads. Inputs and defined variables are bound in each
rule. Where states are related, fewer may do: those that the next step or the goals read, if each
rule says all of the state that it enters. The invariant comes back as terms; it is a claim until
`certify` has checked it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.base.digraph import reached
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
    stated_terms = [system.property(name).term for name in goals]
    rules = _HornClauses(context, system, stated_terms)
    passed = rules.passed
    fixed = FixedPoint(context, [declared.sort for declared in passed])
    now = fixed.state([rules.constants[declared.name, 0] for declared in passed])
    then = fixed.state([rules.constants[declared.name, 1] for declared in passed])
    left = [now, *rules.now(lemmas)]
    stated = context.conjunction([rules.translate(term) for term in stated_terms])
    everything = list(rules.constants.values())
    fixed.add_rule(context.conjunction(rules.initial(lemmas)), now, everything)
    fixed.add_rule(context.conjunction([*left, *rules.step(lemmas)]), then, everything)
    failure = [*left, context.call("not", stated)]
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
    """Translate a system to Horn clauses over two states; hold the constants of both.

    Each rule says all of the state that it leaves or, where fewer variables are `passed` then, all
    of the state that it enters.
    """

    def __init__(self, context: Z3Context, system: TransitionSystem, goals: Sequence[Term]) -> None:
        self._context = context
        self._system = system
        self._builder = Z3Solver(context)
        self._memos: tuple[dict[Term, Formula], ...] = ({}, {})
        self.constants: dict[tuple[str, int], Formula] = {
            (declared.name, state): context.variable(f"{declared.name}@{state}", declared.sort)
            for state in (0, 1)
            for declared in system.variables.values()
        }
        self._defined = {c.defines for c in system.constraints if c.kind is not ConstraintKind.INIT}
        variables = system.variables
        state = SystemVariableKind.STATE
        handed_on = _read_next(system)
        handed_on.update(name for name, declared in variables.items() if declared.kind is state)
        self._left = _read_now(system, goals) if system.relational else handed_on
        needed = {name for name in self._left if variables[name].kind is state}
        self._enters = len(needed) < len(handed_on)
        if self._enters:
            handed_on = needed
        self.passed: tuple[SystemVariable, ...] = tuple(
            declared for name, declared in variables.items() if name in handed_on
        )

    def translate(self, term: Term, state: int = 0) -> Formula:
        """Return a term over the two states, or a term without next values over one of them."""
        return self._builder.translate(
            term,
            lambda leaf: self.constants[str(leaf.payload), state or int(leaf.op is Op.NEXT_VAR)],
            self._memos[state],
        )

    def _of_kind(self, kind: ConstraintKind, state: int = 0) -> list[Formula]:
        return [self.translate(c.term, state) for c in self._system.constraints if c.kind is kind]

    def _bounds(self, declared: SystemVariable, state: int) -> list[Formula]:
        found = self._context.in_domain(self.constants[declared.name, state], declared.sort)
        return [] if found is None else [found]

    def initial(self, lemmas: Sequence[Term]) -> list[Formula]:
        """Return what holds in a first state; definitions are left to the other rules."""
        found = self._of_kind(ConstraintKind.INIT)
        for declared in self._system.variables.values():
            if declared.kind is SystemVariableKind.STATE or declared.name not in self._defined:
                found += self._bounds(declared, 0)
        found += self._of_kind(ConstraintKind.INVAR)
        return found + [self.translate(lemma) for lemma in lemmas if self._enters]

    def now(self, lemmas: Sequence[Term]) -> list[Formula]:
        """Return what rules say of the state that they leave."""
        return self._what_reads() if self._enters else self._always(lemmas, 0)

    def step(self, lemmas: Sequence[Term]) -> list[Formula]:
        """Return what relates a state and the next, and what rules say of the one they enter."""
        found = self._of_kind(ConstraintKind.TRANS)
        return found + self._always(lemmas, 1) if self._enters else found

    def _always(self, lemmas: Sequence[Term], state: int) -> list[Formula]:
        """Return what holds in every state: definitions, assertions, bounds, lemmas."""
        found = self._of_kind(ConstraintKind.INVAR, state)
        for declared in self._system.variables.values():
            if declared.name not in self._defined:
                found += self._bounds(declared, state)
        return found + [self.translate(lemma, state) for lemma in lemmas]

    def _what_reads(self) -> list[Formula]:
        """Return what holds of inputs and definitions of a state that is left."""
        left = self._left - {declared.name for declared in self.passed}
        found: list[Formula] = []
        for name in sorted(left - self._defined):
            found += self._bounds(self._system.variables[name], 0)
        for constraint, names in zip(self._system.constraints, self._system.reads, strict=True):
            if constraint.kind is ConstraintKind.INVAR and names <= self._left and names & left:
                found.append(self.translate(constraint.term))
        return found


def _read_now(system: TransitionSystem, goals: Sequence[Term]) -> set[str]:
    """Return what goals and the next state read, also through definitions that are no states."""
    steps = [c.term for c in system.constraints if c.kind is ConstraintKind.TRANS]
    parts = (part for root in (*goals, *steps) for part in walk.subterms(root))

    def read(name: str) -> Iterable[str]:
        equation = system.equations.get(name)
        if equation is None or system.variables[name].kind is SystemVariableKind.STATE:
            return ()
        return walk.variables(equation.term)

    return set(reached((str(part.payload) for part in parts if part.op is Op.VAR), read))


def _read_next(system: TransitionSystem) -> set[str]:
    return {
        str(part.payload)
        for constraint in system.constraints
        for part in walk.subterms(constraint.term)
        if part.op is Op.NEXT_VAR
    }
