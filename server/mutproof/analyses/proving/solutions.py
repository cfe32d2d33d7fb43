"""Whether the equations of instantaneous loops have one solution, several, or none.

With several, values are open, and provers take the worst; with none, executions are excluded, and
properties may hold for lack of them. Users should know of both, whatever the properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.proving.doubled import OTHER, doubled
from mutproof.base.digraph import reached
from mutproof.base.record import dataclass
from mutproof.model import flat_names, terms, walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind
from mutproof.model.sorts import Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

STEPS = 4
"""How many first steps are searched for second solutions, and for inputs without one."""

ATTEMPTS = 12
"""How many values of a loop are collected to find inputs for which none of them is a solution."""


@dataclass(frozen=True, slots=True)
class Several:
    """Say that two executions differ at their last step only, and there only in loops.

    `values` are the two values of a variable of a loop.
    """

    name: str
    values: tuple[Value, Value]
    trace: Trace


@dataclass(frozen=True, slots=True)
class Unsolved:
    """Say that no values solve the loops in the step after an execution, with these inputs."""

    step: int
    inputs: Mapping[str, Value]


def open_values(system: TransitionSystem) -> tuple[str, ...]:
    """Return the variables of a Lustre system that only circular equations restrict, in order.

    Variables of calls that are equal count too: one variable stands for all of them.
    """
    if system.relational:
        return ()
    shared = {
        name
        for name, equation in system.equations.items()
        if _stands_for_calls(equation.term.args[1])
    }
    return tuple(
        name
        for name, declared in system.variables.items()
        if declared.kind is SystemVariableKind.DEFINED
        and declared.shown  # named in the source
        and (name in system.chosen or name in shared)
    )


def _stands_for_calls(term: Term) -> bool:
    return term.op is Op.VAR and flat_names.is_common(str(term.payload))


def circular(system: TransitionSystem) -> tuple[Constraint, ...]:
    """Return the equations that restrict the `open_values` of a system."""
    names = frozenset(open_values(system))
    return tuple(
        c
        for c in system.constraints
        if c.defines is None
        and c.owner is not None
        and c.owner.kind == ElementKind.EQUATION.value
        and not names.isdisjoint(walk.variables(c.term))
    )


def is_unique(system: TransitionSystem, means: Means) -> bool:
    """Tell whether it is proved that in every state loops have at most one solution."""
    solver = new_solver()
    unrolling = Unrolling(solver, _doubled(system), initial=False)
    unrolling.frame(0)
    solver.add(solver.negation(unrolling.term(_same(system), 0)))
    return solver.check((), _effort(means)) is Answer.UNSAT


def several(system: TransitionSystem, meaning: Interpretation, means: Means) -> Several | None:
    """Return a shortest execution whose last step has a second solution of loops, if found."""
    solver = new_solver()
    unrolling = Unrolling(solver, _doubled(system), initial=True)
    for step in range(STEPS):
        means.check_cancelled()
        unrolling.frame(step)
        solver.push()
        solver.add(solver.negation(unrolling.term(_same(system), step)))
        answer = solver.check((), _effort(means))
        if answer is Answer.UNKNOWN:
            return None
        if answer is Answer.SAT:
            with suppress(NotRepresentableError):
                return _confirmed(system, meaning, unrolling, step)
            return None
        solver.pop()
    return None


def _confirmed(
    system: TransitionSystem, meaning: Interpretation, unrolling: Unrolling, step: int
) -> Several | None:
    """Replay two solutions; None if the evaluator does not confirm that they differ."""
    choices = unrolling.choices(step, system=system)
    values = unrolling.valuation(step)
    other = {name: values[OTHER + name] for name in open_values(system)}
    last = dict(choices.steps[-1])
    changed = replace(choices, steps=(*choices.steps[:-1], {**last, **other}))
    one, two = meaning.run(choices), meaning.run(changed)
    if one is None or two is None or not one.assumed or not two.assumed:
        return None
    for name in open_values(system):
        here, there = one.trace.steps[-1].get(name), two.trace.steps[-1].get(name)
        if here is not None and there is not None and here != there:
            return Several(name, (here, there), one.trace)
    return None


def _effort(means: Means) -> Effort:
    return Effort(means.middle.rlimit, means.middle.timeout_s)


# --- another solution -------------------------------------------------------------------------


def _doubled(system: TransitionSystem) -> TransitionSystem:
    """Return a system with second values for loops and for what depends on them in a step."""
    copied = _dependent(system)
    constraints = (
        c
        for c in system.constraints
        if c.kind is ConstraintKind.INVAR and not copied.isdisjoint(walk.variables(c.term))
    )
    return doubled(system, copied, constraints)


def _dependent(system: TransitionSystem) -> frozenset[str]:
    """Return the open variables of loops and all that depends on them in the same step."""
    readers: dict[str, list[str]] = {}
    for defined, equation in system.equations.items():
        for name in walk.variables(equation.term.args[1]):
            readers.setdefault(name, []).append(defined)
    return frozenset(reached(open_values(system), lambda name: readers.get(name, ())))


def _same(system: TransitionSystem) -> Term:
    """Return the condition that both solutions are equal, in the nodes that run."""
    clocks = _clocks(system)
    return terms.conjunction(
        terms.implies(
            clocks.get(name, terms.TRUE),
            terms.eq(
                terms.var(name, system.variables[name].sort),
                terms.var(OTHER + name, system.variables[name].sort),
            ),
        )
        for name in open_values(system)
        if not flat_names.is_common(name)
    )


def _clocks(system: TransitionSystem) -> dict[str, Term]:
    """Return the clocks of the variables of loops in nodes that do not run in every step."""
    found: dict[str, Term] = {}
    for constraint in circular(system):
        guard = constraint.term.args[0] if constraint.term.op is Op.IMPLIES else terms.TRUE
        if guard.op is Op.VAR and str(guard.payload).endswith(flat_names.CLOCK):
            for name in open_values(system):
                if name.startswith(f"{constraint.instance}."):
                    found[name] = guard
    return found


# --- no solution ------------------------------------------------------------------------------


def unsolved(system: TransitionSystem, means: Means) -> Unsolved | None:
    """Return a shortest execution after which some inputs leave loops no solution, if found.

    Values that solve loops for some inputs are collected; inputs that none of them solves are
    examined in turn.
    """
    search = _Search(system, means)
    for step in range(STEPS):
        found = search.at(step)
        if found is not None or search.stopped:
            return found
    return None


class _Search:
    """Look for states and inputs for which loops have no solution; mutable."""

    def __init__(self, system: TransitionSystem, means: Means) -> None:
        self._means = means
        self._names = open_values(system)
        self._dependent = _dependent(system)
        bodies = {
            c.defines: c.term.args[1]
            for c in system.constraints
            if c.kind is ConstraintKind.INVAR
            and c.defines is not None
            and c.defines in self._dependent
        }
        self._expanded = _Expanded(bodies)
        loops = circular(system)
        self._loops = terms.conjunction(self._expanded.term(c.term) for c in loops)
        touching = [
            c
            for c in system.constraints
            if c.defines is None and not self._dependent.isdisjoint(walk.variables(c.term))
        ]
        self._touching = [c.term for c in touching if c.kind is ConstraintKind.INVAR]
        left = tuple(c for c in system.constraints if c not in touching)
        self._system = system
        self._solver = new_solver()
        self._unrolling = Unrolling(
            self._solver, TransitionSystem(system.variables, left, ()), initial=True
        )
        self.stopped = Op.APPLY in walk.operators(self._loops)

    def at(self, step: int) -> Unsolved | None:
        """Return inputs of a step for which there is no solution; all steps before have one."""
        if self.stopped:
            return None
        solver, unrolling = self._solver, self._unrolling
        unrolling.frame(step)
        for term in self._touching if step else ():
            solver.add(unrolling.term(term, step - 1))
        solver.push()
        found = None
        for _ in range(ATTEMPTS):
            self._means.check_cancelled()
            answer = solver.check((), _effort(self._means))
            if answer is not Answer.SAT:
                self.stopped = answer is Answer.UNKNOWN
                break
            try:
                values = unrolling.valuation(step)
            except NotRepresentableError:
                self.stopped = True
                break
            solution = self._solution(values)
            if solution is None:
                found = None if self.stopped else self._told(step, values)
                break
            fails = terms.not_(self._replaced(self._loops, solution))
            solver.add(unrolling.term(fails, step))
        solver.pop()
        return found

    def _solution(self, values: Mapping[str, Value]) -> Mapping[str, Value] | None:
        """Return values that solve the loops, given all others; None if none, or if `stopped`."""
        given = {name: v for name, v in values.items() if name not in self._dependent}
        question = self._replaced(self._loops, given)
        solver = new_solver()
        variables = {name: self._system.variables[name] for name in self._names}
        alone = Unrolling(solver, TransitionSystem(variables, (), ()), initial=False)
        alone.frame(0)
        solver.add(alone.term(question, 0))
        answer = solver.check((), _effort(self._means))
        if answer is Answer.SAT:
            with suppress(NotRepresentableError):
                return alone.valuation(0)
        self.stopped = answer is not Answer.UNSAT
        return None

    def _replaced(self, term: Term, values: Mapping[str, Value]) -> Term:
        variables = self._system.variables
        mapping = {
            terms.var(name, variables[name].sort): terms.const(value, variables[name].sort)
            for name, value in values.items()
        }
        return walk.substituted(term, mapping)

    def _told(self, step: int, values: Mapping[str, Value]) -> Unsolved:
        inputs = {
            name: values[name]
            for name, declared in self._system.variables.items()
            if declared.kind is SystemVariableKind.INPUT
        }
        return Unsolved(step, inputs)


class _Expanded:
    """Replace variables by their definitions in the same step; memoizes."""

    def __init__(self, bodies: Mapping[str, Term]) -> None:
        self._bodies = bodies
        self._known: dict[Term, Term] = {}

    def term(self, root: Term) -> Term:
        """Return a term in which no variable that has a body is left."""

        def body(term: Term) -> Term | None:
            return self._bodies.get(str(term.payload)) if term.op is Op.VAR else None

        def parts(term: Term) -> tuple[Term, ...]:
            found = body(term)
            return term.args if found is None else (found,)

        def combine(term: Term, found: tuple[Term, ...]) -> Term:
            return terms.rebuilt(term, found) if body(term) is None else found[0]

        return walk.fold_parts(root, parts, combine, self._known)
