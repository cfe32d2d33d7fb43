"""The conjuncts of a term."""

from __future__ import annotations

from mutproof.model.operators import Op
from mutproof.model.terms import Term


def conjuncts(root: Term) -> list[Term]:
    """Return the terms whose conjunction a term is, in order."""
    found: list[Term] = []
    stack = [root]
    while stack:
        term = stack.pop()
        if term.op is Op.AND:
            stack.extend(reversed(term.args))
        else:
            found.append(term)
    return found
