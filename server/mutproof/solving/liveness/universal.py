"""Branching-time formulas that mean the same without their path quantifiers.

A formula of CTL that, with negations moved inwards, has universal quantifiers only is false
wherever the formula without them is false on some path. The converse needs more: here every
choice between temporal parts is decided by the state, `p -> A` and `p | A` with p without time,
and so is the end of an until. Then a state that does not satisfy the formula begins a path that
does not satisfy the rest: the first part that fails, fails at a state of the path so far, and
any path from there can be joined to it. Fair paths can be joined like that too, as whether a
path is fair does not depend on how it begins.

Source: Maidl, The common fragment of CTL and LTL, FOCS 2000, section 3 (deterministic ACTL).
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.base.digraph import reached
from mutproof.model import folding, terms, walk
from mutproof.model.operators import LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import (
    SystemProperty,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bounded_operators import MOST_STEPS, bounds
from mutproof.solving.formulas import is_branching, is_temporal

_DUAL = {
    Op.EX: Op.AX,
    Op.EF: Op.AG,
    Op.EG: Op.AF,
    Op.EBF: Op.ABG,
    Op.EBG: Op.ABF,
}
_STRIPPED = {Op.AX: Op.X, Op.AG: Op.G, Op.AF: Op.F, Op.ABG: Op.G, Op.ABF: Op.F}

_Claim = tuple[Term, bool]


def linear_form(system: TransitionSystem, stated: SystemProperty) -> Term | None:
    """Return a linear-time formula that holds on all fair paths where the property holds.

    None: the property is of another kind, or no such formula is known.
    """
    if stated.kind not in {PropertyKind.LTL, PropertyKind.PSL, PropertyKind.CTL}:
        return None
    if not is_branching(stated):
        return folding.along_paths(stated.term)
    parts = tuple(walk.subterms(stated.term))
    if any(part.op in LINEAR_TIME or part.op is Op.NEXT_VAR for part in parts):
        return None
    # In CTL, a state has any inputs; in LTL, a step of a path has fixed ones.
    formula = None if _reads_inputs(system, stated.term) else _without_quantifiers(stated.term)
    return None if formula is None else folding.along_paths(formula)


def _reads_inputs(system: TransitionSystem, formula: Term) -> bool:
    def reads(name: str) -> Iterable[str]:
        return walk.variables(system.equations[name].term) if name in system.equations else ()

    return any(
        name in system.variables and system.variables[name].kind is SystemVariableKind.INPUT
        for name in reached(walk.variables(formula), reads)
    )


def _without_quantifiers(formula: Term) -> Term | None:
    """Return the formula without path quantifiers; None if it is outside the fragment."""
    timed: dict[Term, bool] = {}
    is_temporal(formula, timed)
    results: dict[_Claim, Term | None] = {}
    stack: list[_Claim] = [(formula, True)]
    while stack:
        claim = stack[-1]
        if claim in results:
            stack.pop()
            continue
        needed = _needed(claim, timed)
        if needed is None or any(results.get(part, terms.TRUE) is None for part in needed):
            results[claim] = None
            continue
        missing = [part for part in needed if part not in results]
        if missing:
            stack.extend(missing)
            continue
        arguments = [found for part in needed if (found := results[part]) is not None]
        results[claim] = _combined(claim, arguments, timed)
    return results[formula, True]


def _needed(claim: _Claim, timed: dict[Term, bool]) -> tuple[_Claim, ...] | None:
    """Return the claims that a claim consists of; None if it is outside the fragment."""
    term, positive = claim
    if not timed[term]:
        return ()
    op = term.op if positive else _DUAL.get(term.op)
    plain = [not timed[arg] for arg in term.args]
    parts = tuple((arg, positive) for arg in term.args)
    match term.op:
        case Op.NOT:
            return ((term.args[0], not positive),)
        case Op.AND | Op.OR:
            is_choice = (term.op is Op.OR) is positive
            return parts if any(plain) or not is_choice else None
        case Op.IMPLIES:
            parts = ((term.args[0], not positive), (term.args[1], positive))
            return parts if any(plain) or not positive else None
        case Op.AU | Op.EU | Op.ABU | Op.EBU:
            universal = (term.op in {Op.AU, Op.ABU}) is positive
            return parts if universal and all(plain) else None
        case _:
            if op not in _STRIPPED:
                return None
            # The operand of `AF` must be about single states; those of `AG` and `AX` need not be.
            return parts if op in {Op.AX, Op.AG, Op.ABG} or all(plain) else None


def _combined(claim: _Claim, args: list[Term], timed: dict[Term, bool]) -> Term | None:
    term, positive = claim
    if not timed[term]:
        return term if positive else terms.not_(term)
    match term.op:
        case Op.NOT:
            return args[0]
        case Op.AND | Op.OR | Op.IMPLIES:
            if term.op is Op.IMPLIES and positive:
                # The left argument is negated already.
                return terms.or_(args[0], args[1])
            is_and = (term.op is Op.AND) is positive
            return terms.and_(*args) if is_and else terms.or_(*args)
        case Op.AU:
            return terms.make(Op.U, BOOL, args)
        case Op.EU:
            return terms.make(Op.V, BOOL, args)
        case Op.ABU | Op.EBU:
            return _bounded_until(term, args)
        case _:
            op = term.op if positive else _DUAL[term.op]
            return terms.make(_STRIPPED[op], BOOL, args, term.payload)


def _bounded_until(term: Term, args: list[Term]) -> Term | None:
    """Return `args[0]` until `args[1]` within the bounds, or its negation; None if too long.

    For the negation, the arguments are negated already.
    """
    low, high = bounds(term)
    if high > MOST_STEPS:
        return None
    left, right = args
    both, either = terms.and_, terms.or_
    if term.op is Op.EBU:
        both, either = either, both
    result = right
    for step in range(high - 1, -1, -1):
        later = both(left, terms.make(Op.X, BOOL, (result,)))
        result = either(right, later) if step >= low else later
    return result
