"""Find variables of both sides that may carry the same values, whatever they are called.

Variables that have the same values in all sampled states form a class; each of the changed
side is paired with the first of the model in its class.

Source: van Eijk, Sequential equivalence checking without state space traversal, DATE 1998.
"""

from __future__ import annotations

from mutproof.analyses.equivalence.product import COPY
from mutproof.model import sorts, terms
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import sampling


def same_valued(system: TransitionSystem) -> tuple[Term, ...]:
    """Return the equalities between variables of the two sides that hold in all sampled states."""
    states = sampling.sample(system)
    if not states.rows:
        return ()
    variables = [terms.var(name, declared.sort) for name, declared in system.variables.items()]
    classes: dict[tuple[object, ...], list[Term]] = {}
    for variable, column in zip(variables, states.columns(variables), strict=True):
        kind = isinstance(variable.sort, sorts.BoolSort)
        classes.setdefault((kind, variable.sort, *column), []).append(variable)
    found: list[Term] = []
    for members in classes.values():
        here = [v for v in members if not str(v.payload).startswith(COPY)]
        there = [v for v in members if str(v.payload).startswith(COPY)]
        found.extend(terms.eq(here[0], variable) for variable in there if here)
    return tuple(found)
