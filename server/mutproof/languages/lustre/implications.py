"""Find the `->` of properties and assertions that was meant as an implication.

`p -> q` is p at the first step, and q at all others. It is suspicious where p and q have no
memory, and speak of different variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementKind, Property
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term

_OF_STEPS = frozenset({Op.PRE, Op.ARROW, Op.CALL, Op.CONDACT})


def suspicious(elements: Iterable[Element], properties: Iterable[Property]) -> Iterator[Element]:
    """Yield elements that state something by a `->` that looks like an implication."""
    stated = {str(one.term.payload) for one in properties if one.term.op is Op.VAR}
    for element in elements:
        states = element.kind is ElementKind.ASSERT or not stated.isdisjoint(element.targets)
        if states and _looks_like_one(element.body):
            yield element


def _looks_like_one(body: Term) -> bool:
    if body.op is not Op.ARROW or body.sort != BOOL:
        return False
    if any(part.op in _OF_STEPS for side in body.args for part in walk.subterms(side)):
        return False
    first, later = (frozenset(walk.variables(side)) for side in body.args)
    return bool(first and later) and first.isdisjoint(later)
