"""Tell whether a change is one of words only: the changed definitions are the same functions."""

from __future__ import annotations

from mutproof.analyses.equivalence.simplify import simplified
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.z3_solver import new_solver

SMALL = Effort(2_000_000, 2.0)


def same_function(model: TransitionSystem, changed: TransitionSystem) -> str:
    """Return how definitions that differ were shown to be equal functions; empty if they were not.

    Both systems are over the same names. What follows for executions is checked elsewhere.
    """
    pairs = _pairs(model, changed)
    if pairs is None:
        return ""
    memo: dict[Term, Term] = {}
    left = [pair for pair in pairs if simplified(pair[0], memo) is not simplified(pair[1], memo)]
    if not left:
        return "simplification"
    return "same function" if all(_valid(here, there) for here, there in left) else ""


def _pairs(model: TransitionSystem, changed: TransitionSystem) -> list[tuple[Term, Term]] | None:
    """Return the values that differ, old and new; None where something has no counterpart."""
    old = {(c.kind, c.defines): c.term for c in model.constraints if c.defines is not None}
    new = {(c.kind, c.defines): c.term for c in changed.constraints if c.defines is not None}
    if old.keys() != new.keys():
        return None
    pairs = [(_value(term), _value(new[key])) for key, term in old.items() if new[key] is not term]
    here = dict.fromkeys(c.term for c in model.constraints if c.defines is None)
    there = dict.fromkeys(c.term for c in changed.constraints if c.defines is None)
    lost, gained = [t for t in here if t not in there], [t for t in there if t not in here]
    if lost or gained:
        pairs.append((terms.conjunction(lost), terms.conjunction(gained)))
    return pairs


def _value(definition: Term) -> Term:
    assert definition.op is Op.EQ
    return definition.args[1]


def _valid(here: Term, there: Term) -> bool:
    """Tell whether two terms are equal whatever the values of their variables are."""
    solver = new_solver()
    memo: dict[Term, Formula] = {}

    def leaf(term: Term) -> Formula:
        return solver.constant(f"{term.op.value} {term.payload}", term.sort)

    try:
        equal = solver.translate(terms.eq(here, there), leaf, memo)
        solver.add(solver.negation(equal))
        return solver.check((), SMALL) is Answer.UNSAT
    except SolvingError:
        return False
