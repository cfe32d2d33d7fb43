"""Compare relational systems: the same initial states, the same steps from reachable ones.

Then both have the same executions and the same branching, over all variables, so that no property
of any logic can tell them apart. Each half is an invariant: for the initial states, of a system of
arbitrary states; for the steps, of the model with a second, arbitrary state that stands for a
successor.

Source: Kripke equivalence in the fourth paper (equivalence of mutants of NuSMV models); Clarke,
Grumberg and Peled, Model Checking, 1999, section 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mutproof.analyses.checking.notary import unchanged
from mutproof.analyses.claims.verdict import Equivalent, Undetermined, Verdict
from mutproof.analyses.equivalence.decide import Comparison, Confirm, decide
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.analyses.equivalence.product import COPY, GOAL, Product
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.relational import remembering
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True)
class _Parts:
    """Hold the constraints of two systems: those of both, and those of one only."""

    shared: tuple[Constraint, ...]
    model: tuple[Constraint, ...]
    changed: tuple[Constraint, ...]


def compare(
    model: TransitionSystem,
    changed: TransitionSystem,
    confirm: Confirm,
    invariants: tuple[Term, ...],
    *,
    limits: ComparisonLimits,
    viewed: bool = False,
) -> Verdict:
    """Return whether two relational systems have the same reachable structure.

    `confirm` replays the states of an execution that one of them may not have. `viewed`: what
    is a variable of one of them only is compared by others.
    """
    model, changed = remembering(model, changed), remembering(changed, model)
    alike = model.variables.keys() == changed.variables.keys()
    model, changed = _defining(model, changed), _defining(changed, model)
    reason = _incomparable(model, changed)
    if reason:
        return Undetermined(reason, 0)
    found = _compared(model, changed, confirm, invariants, limits=limits)
    if isinstance(found, Equivalent) and not (alike or viewed):
        return Undetermined("the mutant has other variables", 0)
    return found


def _defining(system: TransitionSystem, other: TransitionSystem) -> TransitionSystem:
    """Return a system with the definitions of variables that only another has."""
    defined = (
        variable
        for name, variable in other.variables.items()
        if name not in system.variables and variable.kind is SystemVariableKind.DEFINED
    )
    added = {variable.name: variable for variable in defined}
    if not added:
        return system
    own = (c for c in other.constraints if c.defines in added)
    variables = {**system.variables, **added}
    return replace(system, variables=variables, constraints=(*system.constraints, *own))


def _compared(
    model: TransitionSystem,
    changed: TransitionSystem,
    confirm: Confirm,
    invariants: tuple[Term, ...],
    *,
    limits: ComparisonLimits,
) -> Verdict:
    """Return whether two systems with the same variables have the same reachable structure."""
    parts = _parts(model, changed)
    same = unchanged(model, changed)
    if same is not None:
        return same
    first = Comparison(_first(model, parts), confirm, executed=_initial)
    begun = decide(first, limits)
    if not isinstance(begun, Equivalent):
        return begun
    steps = Comparison(_steps(model, parts), confirm, invariants, executed=_followed, lag=1)
    return decide(steps, limits)


def _incomparable(model: TransitionSystem, changed: TransitionSystem) -> str:
    """Return why the states of two systems cannot be compared; empty if they can."""
    if not _same_variables(model.variables, changed.variables):
        return "the mutant has other variables"
    if model.properties != changed.properties or model.fairness != changed.fairness:
        return "the mutant changes what properties or fairness constraints say"
    if model.compassion != changed.compassion:
        return "the mutant changes what fairness constraints say"
    return ""


def _same_variables(
    here: Mapping[str, SystemVariable], there: Mapping[str, SystemVariable]
) -> bool:
    return here.keys() == there.keys() and all(here[n].sort == there[n].sort for n in here)


def _parts(model: TransitionSystem, changed: TransitionSystem) -> _Parts:
    here = dict.fromkeys((c.kind, c.term) for c in model.constraints)
    there = dict.fromkeys((c.kind, c.term) for c in changed.constraints)
    return _Parts(
        tuple(c for c in model.constraints if (c.kind, c.term) in there),
        tuple(c for c in model.constraints if (c.kind, c.term) not in there),
        tuple(c for c in changed.constraints if (c.kind, c.term) not in here),
    )


def _agree(parts: _Parts, moved: Callable[[Iterable[Constraint]], Term]) -> Term:
    """Return the condition that both sides allow the same, where the shared constraints hold."""
    model, changed = moved(parts.model), moved(parts.changed)
    if model is changed:
        return terms.TRUE
    return terms.implies(moved(parts.shared), terms.make(Op.IFF, BOOL, (model, changed)))


def _first(model: TransitionSystem, parts: _Parts) -> Product:
    """Return a system of arbitrary states, with the goal that both sides agree on initial ones."""

    def moved(constraints: Iterable[Constraint]) -> Term:
        return terms.conjunction(c.term for c in constraints if c.kind is not ConstraintKind.TRANS)

    variables = {
        name: _free(declared, name, SystemVariableKind.INPUT)
        for name, declared in model.variables.items()
    }
    goal = SystemProperty(GOAL, _agree(parts, moved))
    return Product(TransitionSystem(variables, (), (goal,), relational=True), (), ())


def _steps(model: TransitionSystem, parts: _Parts) -> Product:
    """Return the model with a free next state; the goal: both sides allow the step, or neither."""
    memo: dict[Term, Term] = {}
    shift_memo: dict[Term, Term] = {}

    def followed(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op is Op.NEXT_VAR:
            return terms.var(COPY + str(term.payload), term.sort)
        return terms.rebuilt(term, args)

    def moved(constraints: Iterable[Constraint]) -> Term:
        found = []
        for constraint in constraints:
            if constraint.kind is ConstraintKind.TRANS:
                found.append(walk.fold(constraint.term, followed, memo))
            elif constraint.kind is ConstraintKind.INVAR:
                found.append(walk.renamed(constraint.term, lambda n: COPY + n, shift_memo))
        return terms.conjunction(found)

    variables = dict(model.variables)
    for name, declared in model.variables.items():
        variables[COPY + name] = _free(declared, COPY + name, SystemVariableKind.INPUT)
    goal = SystemProperty(GOAL, _agree(parts, moved))
    system = replace(model, variables=variables, properties=(goal,))
    return Product(system, (), ())


def _free(declared: SystemVariable, name: str, kind: SystemVariableKind) -> SystemVariable:
    """Return a variable without definition; it is bounded only if it had no definition before."""
    defined = declared.kind is SystemVariableKind.DEFINED
    sort = sorts.widened(declared.sort) if defined else declared.sort
    return SystemVariable(name, sort, kind, shown=False)


def _initial(choices: Choices) -> Choices:
    """Return an execution of one state: the initial state on which the sides differ."""
    return Choices((choices.steps[-1],), {}, choices.functions)


def _followed(choices: Choices) -> Choices:
    """Return the execution, followed by the next state that its last step chose."""
    plain = [
        {name: value for name, value in step.items() if not name.startswith(COPY)}
        for step in choices.steps
    ]
    last: dict[str, Value] = {
        name.removeprefix(COPY): value
        for name, value in choices.steps[-1].items()
        if name.startswith(COPY)
    }
    return Choices((*plain, last), {}, choices.functions)
