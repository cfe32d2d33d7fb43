"""Temporal formulas: whether they are of branching time, of time at all, or an invariant."""

from __future__ import annotations

from mutproof.model import terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty
from mutproof.model.terms import Term


def is_branching(stated: SystemProperty) -> bool:
    """Tell whether a property is one of states (branching time), not of paths."""
    if stated.kind is PropertyKind.PSL:
        return not BRANCHING_TIME.isdisjoint(walk.operators(stated.term))
    return stated.kind is PropertyKind.CTL


def is_temporal(formula: Term, memo: dict[Term, bool]) -> bool:
    """Tell whether a formula has a temporal operator; `memo` is read and extended."""
    return walk.fold(
        formula,
        lambda term, args: term.op in LINEAR_TIME or term.op in BRANCHING_TIME or any(args),
        memo,
    )


def invariant_of(formula: Term, op: Op = Op.G) -> Term | None:
    """Return p of a formula that says `G p`, where p speaks of single states; None for any other.

    `G p & G q` says so of `p & q`; with another operator than `G`, `AG p & AG q`.
    """
    stated = always_of(formula, op)
    return stated if stated is not None and is_of_states(stated) else None


def always_of(formula: Term, op: Op = Op.G) -> Term | None:
    """Return p of a formula that says `G p`, whatever p speaks of; None for any other."""
    found = []
    for part in walk.conjuncts(formula):
        if part.op is not op or part.payload is not None:
            return None
        found.append(part.args[0])
    return terms.conjunction(found)


def shifted(formula: Term) -> Term:
    """Return a formula without time about the next values of its variables."""

    def combine(part: Term, args: tuple[Term, ...]) -> Term:
        if part.op is Op.VAR:
            return terms.next_var(str(part.payload), part.sort)
        return terms.rebuilt(part, args)

    return walk.fold(formula, combine)


def is_of_states(formula: Term) -> bool:
    """Tell whether a formula speaks of single states: not of paths, nor of next values."""
    timed = BRANCHING_TIME | LINEAR_TIME | {Op.NEXT_VAR}
    return timed.isdisjoint(walk.operators(formula))
