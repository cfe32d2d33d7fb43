"""What only temporal logic can say of relational models: how they begin, and what may come next.

A change that takes behaviour away breaks no invariant: what may come next has to be said. These
conjectures come from the execution that shows a gap; that they hold is for others to find out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Final

from mutproof.analyses.suggesting.columns import Rows, StepColumns
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.words import SayableTerms, is_usable
from mutproof.model import sorts, terms, walk
from mutproof.model.evaluate import Execution
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, Program, PropertyKind
from mutproof.model.sorts import BoolSort, SetSort, Value
from mutproof.model.terms import Term

MOST_OF_A_STEP: Final = 5
"""How many conditions of a change are tried, alone and in pairs."""


def conjectures(
    program: Program, words: SayableTerms, elements: tuple[Element, ...], shown: Execution
) -> Iterator[Conjecture]:
    """Yield what holds where an execution of the model shows a gap of elements, shortest first."""
    component = program.component(program.main)
    steps = shown.trace.steps
    for element in elements:
        for target in element.targets:
            if element.kind in {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN}:
                claim = _has(component, target, steps[0].get(target))
                if claim is not None and not isinstance(element.body.sort, SetSort):
                    yield Conjecture(component.name, (), claim, When.FIRST, PropertyKind.LTL)
            if element.kind is ElementKind.NEXT_ASSIGN and len(steps) > 1:
                claim = _has(component, target, steps[-1].get(target))
                if claim is not None:
                    yield from _possible(program, words, element, shown=shown, claim=claim)


def _possible(
    program: Program, words: SayableTerms, element: Element, *, shown: Execution, claim: Term
) -> Iterator[Conjecture]:
    """Yield that something may come next, under fewer and under more conditions."""
    own = [
        part
        for part in walk.subterms(element.body)
        if isinstance(part.sort, BoolSort) and part.op is not Op.CONST and is_usable(part)
    ]
    said = tuple(dict.fromkeys((*own, *(terms.not_(part) for part in own), *words.conditions)))
    rows = Rows()
    StepColumns(program, program.main, said).add(rows, shown)
    bit = 1 << (rows.count - 2)
    apt = [term for term in said if rows.holds.get(term, 0) & bit][:MOST_OF_A_STEP]
    possible = terms.make(Op.EX, sorts.BOOL, (claim,))
    for chosen in chain([()], combinations(apt, 1), combinations(apt, 2)):
        yield Conjecture(program.main, chosen, possible, kind=PropertyKind.CTL)


def _has(component: Component, target: str, value: Value | None) -> Term | None:
    """Return that a variable has a value, None where that cannot be said."""
    known = {variable.name: variable.sort for variable in component.variables}
    if value is None or target not in known or not sorts.is_scalar(known[target]):
        return None
    stream = terms.var(target, known[target])
    if isinstance(stream.sort, BoolSort):
        return stream if value else terms.not_(stream)
    return terms.eq(stream, terms.const(value, stream.sort))
