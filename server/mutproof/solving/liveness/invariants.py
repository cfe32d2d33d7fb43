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
    SystemProperty,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.formulas import always_of, is_of_states, shifted
from mutproof.solving.liveness import product, universal
from mutproof.solving.liveness.product import Goal, Monitor
from mutproof.solving.liveness.verdict import LinearProof, Way
from mutproof.solving.verdict import Certificate, Proved


def _of_steps(formula: Term) -> Term | None:
    """Return a formula with next values for `X`; None if it says more of time than that."""
    if is_of_states(formula):
        return formula
    later: dict[Term, Term] = {}
    for part in walk.subterms(formula):
        if part.op in BRANCHING_TIME or (part.op in LINEAR_TIME and part.op is not Op.X):
            return None
        if part.op is Op.X:
            if part.payload is not None or not is_of_states(part.args[0]):
                return None
            later[part] = shifted(part.args[0])
    return walk.fold(formula, lambda term, args: later.get(term) or terms.rebuilt(term, args))


def as_invariants(
    system: TransitionSystem, names: Collection[str] | None = None
) -> TransitionSystem:
    """Return a system with an invariant in place of each property that says `always p`.

    What proves the invariant is a proof of the property. With `names`, only of these.
    """
    stated, watch = [], Monitor()
    for known in system.properties:
        chosen = names is None or known.name in names
        formula = universal.linear_form(system, known) if chosen else None
        said = None if formula is None else always_of(formula)
        always = None if said is None else _of_steps(said)
        if always is None:
            stated.append(known)
            continue
        if not is_of_states(always):
            kept = watch.variable(f"kept:{known.name}", BOOL)
            watch.begins(kept, terms.TRUE)
            watch.follows(kept, always)
            always = kept
        stated.append(SystemProperty(known.name, always, PropertyKind.INVARIANT))
    return replace(
        system,
        variables={**system.variables, **{one.name: one for one in watch.variables}},
        constraints=(*system.constraints, *watch.constraints),
        properties=tuple(stated),
    )


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
