"""Temporal conjectures about relational models: how they begin, and what may come next.

A change that removes behaviour breaks no invariant: only a statement of what may come next notices
it. These conjectures are made from the execution that shows a gap; they are proved elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations
from typing import Final

from mutproof.analyses.suggesting.branches import SaidCase, branches, is_usable, negated, remembers
from mutproof.analyses.suggesting.columns import Rows, StepColumns, stream_of
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.sayable import SayableTerms
from mutproof.model import sorts, terms, walk
from mutproof.model.execution import Execution
from mutproof.model.operators import CONNECTIVES, Op
from mutproof.model.program import Component, Element, ElementKind, Program, PropertyKind
from mutproof.model.sorts import BoolSort, IntSort, SetSort, Value
from mutproof.model.terms import Term

MOST_TOGETHER: Final = 4
"""How many conditions of the change itself are tried together."""

MOST_OF_A_STEP: Final = 6
"""How many conditions of a change are tried, alone and in pairs."""


def conjectures(
    program: Program, words: SayableTerms, elements: tuple[Element, ...], shown: Execution | None
) -> Iterator[Conjecture]:
    """Yield conjectures on initial states and possible successors, in the elements' terms first.

    `shown` is an execution of the model that shows a gap in these elements, if there is one.
    """
    component = program.component(program.main)
    for element in elements:
        target = None
        if element.targets:
            target = stream_of(component, element.targets[0])
            if target is None:
                continue
        said = list(branches(element, target))
        if element.kind in {ElementKind.INIT_ASSIGN, ElementKind.INIT}:
            cases = [one for one in said if not one.restates] or said
            for one in cases if not isinstance(element.body.sort, SetSort) else ():
                yield _initial(component, one)
        for one in said if element.kind is ElementKind.NEXT_ASSIGN else ():
            yield from _chosen(component, one)
        if shown is not None and len(shown.trace.steps) > 1:
            for name in _followed(element):
                claim = _has(component, name, shown.trace.steps[-1].get(name))
                if claim is not None:
                    yield from _possible(program, words, element, shown=shown, claim=claim)


def numbers_of(program: Program) -> frozenset[Value]:
    """Return the numbers that occur in a model, in elements or as bounds."""
    bodies = (element.body for element in program.elements())
    parts = (part for body in bodies for part in walk.subterms(body) if part.op is Op.CONST)
    found = {part.payload for part in parts}
    for component in program.components:
        for variable in component.variables:
            for _, sort in sorts.leaves(variable.sort):
                if isinstance(sort, IntSort):
                    found |= {sort.low, sort.high}
    return frozenset(number for number in found if isinstance(number, int | Fraction))


def has_other_numbers(conjecture: Conjecture, known: frozenset[Value]) -> bool:
    """Tell whether a conjecture has a number that is not among the known ones."""
    said = (*conjecture.conditions, conjecture.claim)
    parts = (part.payload for term in said for part in walk.subterms(term) if part.op is Op.CONST)
    return any(isinstance(number, int | Fraction) and number not in known for number in parts)


def _initial(component: Component, said: SaidCase) -> Conjecture:
    """Return the conjecture that a case holds in initial states."""
    kind = PropertyKind.LTL
    return Conjecture(component.name, said.conditions, said.claim, When.FIRST, kind, said.restates)


def _followed(element: Element) -> Iterator[str]:
    """Yield the variables whose next values an element reads or assigns."""
    if element.kind is ElementKind.NEXT_ASSIGN:
        yield from element.targets
    elif element.kind is ElementKind.TRANS:
        parts = (p for p in walk.subterms(element.body) if p.op is Op.NEXT)
        yield from sorted({name for part in parts for name in walk.variables(part)})


def _chosen(component: Component, branch: SaidCase) -> Iterator[Conjecture]:
    """Yield conjectures that each value an assignment chooses from may come next."""
    if branch.claim.op is not Op.IN or any(map(remembers, branch.conditions)):
        return
    following, values = branch.claim.args
    for value in values.args if following.op is Op.NEXT else ():
        claim = terms.make(Op.EX, sorts.BOOL, (_is(following.args[0], value),))
        yield Conjecture(component.name, branch.conditions, claim, kind=PropertyKind.CTL)


def _is(stream: Term, value: Term) -> Term:
    if isinstance(stream.sort, BoolSort) and value.op is Op.CONST:
        return stream if value.payload else terms.not_(stream)
    return terms.eq(stream, value)


def _possible(
    program: Program, words: SayableTerms, element: Element, *, shown: Execution, claim: Term
) -> Iterator[Conjecture]:
    """Yield conjectures that a claim may hold next, under various sets of conditions."""
    own = [
        part
        for part in walk.subterms(element.body)
        if isinstance(part.sort, BoolSort)
        and part.op not in {Op.CONST, Op.NOT, *CONNECTIVES}
        and is_usable(part)
    ]
    both = (one for part in own for one in (part, negated(part)))
    said = tuple(dict.fromkeys((*both, *words.conditions)))
    rows = Rows()
    StepColumns(program, program.main, said).add(rows, shown)
    bit = 1 << (rows.count - 2)
    apt = [term for term in said if rows.holds.get(term, 0) & bit][:MOST_OF_A_STEP]
    possible = terms.make(Op.EX, sorts.BOOL, (claim,))
    held = {one for part in own for one in (part, negated(part))}
    whole = tuple(term for term in apt if term in held)[:MOST_TOGETHER]
    for chosen in dict.fromkeys(chain([()], combinations(apt, 1), combinations(apt, 2), [whole])):
        yield Conjecture(program.main, chosen, possible, kind=PropertyKind.CTL)


def _has(component: Component, target: str, value: Value | None) -> Term | None:
    """Return the term that a variable has a value, None if there is no such term."""
    stream = stream_of(component, target)
    if value is None or stream is None:
        return None
    return _is(stream, terms.const(value, stream.sort))
