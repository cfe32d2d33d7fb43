"""Whether a conjecture follows from known properties alone, so that it would add nothing.

The question is asked of a reduced model: of the component, only the equations of its properties are
left, and known properties are assumed in every step. Proofs are checked as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.analyses.suggesting.stating import stating
from mutproof.model import terms, walk
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    Role,
    Variable,
    VariableKind,
    constraint_id,
)
from mutproof.model.roles import roles
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved

_GOAL: Final = "%goal"
_ELSEWHERE: Final = frozenset({Op.NEXT, Op.EX})
"""Operators that make a term refer to another state; their values are arbitrary here."""


def stated(baseline: Baseline, component: str) -> tuple[Term, ...]:
    """Return the invariants that a component states, those proved wherever it occurs."""
    program = baseline.program
    declared = baseline.meaning.declared()
    unproved = {declared[name] for name in declared if name not in baseline.proofs}
    return tuple(
        one.term
        for one in program.component(component).properties
        if (component, one.name) not in unproved and one.kind is PropertyKind.INVARIANT
    )


def follows(
    program: Program,
    known: Sequence[Term],
    others: Sequence[Conjecture],
    conjecture: Conjecture,
    *,
    means: Means,
) -> bool:
    """Tell whether a conjecture is proved from invariants of its component, and from others."""
    logics = {PropertyKind.INVARIANT, PropertyKind.CTL}  # both claim something of all states
    premises = [*known, *(one.term for one in others if one.kind in logics)]
    if conjecture.kind not in logics or not premises:
        return False
    system = interpretation(_question(program, premises, conjecture)).system()
    goal = next(one.name for one in system.properties if one.name.endswith(_GOAL))
    options = means.asking(cores=False)
    found = portfolio.prove(system, means.small, options, goals=(goal,)).verdicts[goal]
    return isinstance(found, Proved) and means.notary.proved(system, found, means.small) is not None


def _question(program: Program, premises: Sequence[Term], conjecture: Conjecture) -> Program:
    """Return a program of one component restricted only by premises, to prove a conjecture."""
    old = program.component(conjecture.component)
    role = roles(program)
    kept = tuple(e for e in old.elements if role[e.id] is Role.SPECIFICATION and e.targets)
    if program.traits.semantics is Semantics.FORWARD:
        alone = _freed(old, kept, VariableKind.INPUT)
        asked = _with(program, _assuming(alone, premises, ElementKind.ASSERT))
        return stating(asked, old.name, {_GOAL: conjecture})
    alone = _freed(old, kept, VariableKind.STATE)
    said = [_pointwise(term) for term in (*premises, conjecture.term)]
    elsewhere = {p.payload: p for t in said for p in walk.subterms(t) if _is_elsewhere(p)}
    values = (Variable(str(n), p.sort, VariableKind.STATE) for n, p in elsewhere.items())
    alone = replace(alone, variables=(*alone.variables, *values))
    assumed = _assuming(alone, said[:-1], ElementKind.INVAR)
    goal = Property(_GOAL, said[-1])
    return _with(program, replace(assumed, properties=(*assumed.properties, goal)))


def _freed(old: Component, kept: tuple[Element, ...], free: VariableKind) -> Component:
    """Return a component that keeps only some elements; all other variables are free."""
    defined = {target for element in kept for target in element.targets}
    variables = tuple(v if v.name in defined else replace(v, kind=free) for v in old.variables)
    return Component(old.name, variables, kept)


def _assuming(component: Component, premises: Sequence[Term], kind: ElementKind) -> Component:
    assumed = tuple(
        Element(constraint_id(component.name, kind, term, 0), kind, (), term)
        for term in dict.fromkeys(premises)
    )
    return replace(component, elements=(*component.elements, *assumed))


def _with(program: Program, component: Component) -> Program:
    components = tuple(component if c.name == component.name else c for c in program.components)
    return Program(program.traits, components, component.name, program.functions)


def _pointwise(term: Term) -> Term:
    """Return a term about single states: its parts about other states become variables."""
    stated = term.args[0] if term.op is Op.AG else term
    replaced = {
        part: terms.var(f"%{part.digest.hex()}", part.sort)
        for part in walk.subterms(stated)
        if part.op in _ELSEWHERE
    }
    return walk.substituted(stated, replaced)


def _is_elsewhere(term: Term) -> bool:
    return term.op is Op.VAR and str(term.payload).startswith("%")
