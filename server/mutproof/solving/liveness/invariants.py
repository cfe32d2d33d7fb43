"""Properties of paths that say `always p`, as invariants: p may speak of this state and the next.

Where p speaks of both, a variable beside the system tells whether the last step satisfied it: it
restricts nothing, and is true in the first state. It looks at all steps of infinite paths, so its
invariance proves the property. Where all executions go on, the converse holds too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.formulas import is_of_states
from mutproof.solving.liveness import product, universal
from mutproof.solving.liveness.product import Goal
from mutproof.solving.liveness.verdict import LinearProof, Way
from mutproof.solving.verdict import Certificate, Proved

PREFIX = "?kept:"
"""How the names of variables begin that tell whether the last step satisfied a property."""


def always_of(formula: Term) -> Term | None:
    """Return p of a formula that says `always p`, None for any other.

    What p says of the next state, by `X`, is said of next values; nothing else of it is of time.
    """
    found = []
    for part in walk.conjuncts(formula):
        if part.op is not Op.G or part.payload is not None:
            return None
        found.append(part.args[0])
    return _of_steps(terms.conjunction(found))


def _of_steps(formula: Term) -> Term | None:
    """Return a formula with next values for `X`; None if it speaks of more than one step."""
    if is_of_states(formula):
        return formula
    shifted: dict[Term, Term] = {}
    for part in walk.subterms(formula):
        if part.op in BRANCHING_TIME or (part.op in LINEAR_TIME and part.op is not Op.X):
            return None
        if part.op is Op.X:
            if part.payload is not None or not is_of_states(part.args[0]):
                return None
            shifted[part] = _next(part.args[0])
    return walk.fold(formula, lambda term, args: shifted.get(term) or terms.rebuilt(term, args))


def _next(formula: Term) -> Term:
    """Return a formula about the next values of its variables."""

    def combine(part: Term, args: tuple[Term, ...]) -> Term:
        if part.op is Op.VAR:
            return terms.next_var(str(part.payload), part.sort)
        return terms.rebuilt(part, args)

    return walk.fold(formula, combine)


def as_invariants(
    system: TransitionSystem, names: Collection[str] | None = None
) -> TransitionSystem:
    """Return a system with an invariant in place of each property that says `always p`.

    What proves the invariant is a proof of the property. With `names`, only of these.
    """
    stated = []
    variables, constraints = dict(system.variables), [*system.constraints]
    for known in system.properties:
        chosen = names is None or known.name in names
        formula = universal.linear_form(system, known) if chosen else None
        always = None if formula is None else always_of(formula)
        if always is None:
            stated.append(known)
            continue
        if not is_of_states(always):
            watched = PREFIX + known.name
            variables[watched] = SystemVariable(
                watched, BOOL, SystemVariableKind.STATE, shown=False
            )
            always = _watching(watched, always, constraints)
        stated.append(SystemProperty(known.name, always, PropertyKind.INVARIANT))
    return replace(
        system,
        variables=variables,
        constraints=tuple(constraints),
        properties=tuple(stated),
    )


def _watching(name: str, condition: Term, constraints: list[Constraint]) -> Term:
    """Return the variable that is true where the last step satisfied a condition; define it."""
    kept = terms.var(name, BOOL)
    begins = terms.eq(kept, terms.TRUE)
    follows = terms.eq(terms.next_var(name, BOOL), condition)
    constraints.append(Constraint(ConstraintKind.INIT, begins, defines=name))
    constraints.append(Constraint(ConstraintKind.TRANS, follows, defines=name))
    return kept


def goal(system: TransitionSystem, name: str) -> Goal | None:
    """Return the goal that a property is an invariant; None if it does not say `always p`.

    Raises:
        KeyError: the system has no property of that name.
    """
    alone = as_invariants(replace(system, properties=(system.property(name),)))
    if alone.property(name).kind is not PropertyKind.INVARIANT:
        return None
    whole = replace(alone, constraints=(*alone.constraints, *product.bounds(system)))
    return Goal(slicing.cone(whole, (name,)), whole)


def always_proved(system: TransitionSystem, name: str, found: Proved) -> LinearProof:
    """Turn a proof of an invariant of `as_invariants` into a proof of the property."""
    certificate = with_goals(system, found.certificate, (name,))
    return LinearProof(system, name, certificate, found.core, Way.INVARIANT)


def with_goals(
    system: TransitionSystem, certificate: Certificate, goals: Sequence[str]
) -> Certificate:
    """Return a certificate with fewer goals; the others become lemmas."""
    others = [system.property(goal).term for goal in certificate.goals if goal not in goals]
    return replace(certificate, lemmas=(*certificate.lemmas, *others), goals=tuple(goals))


def within(system: TransitionSystem, certificate: Certificate) -> Certificate:
    """Return a certificate without lemmas about variables that a system does not have."""
    names = system.variables.keys()
    lemmas = tuple(one for one in certificate.lemmas if walk.variables(one) <= names)
    return certificate if lemmas == certificate.lemmas else replace(certificate, lemmas=lemmas)
