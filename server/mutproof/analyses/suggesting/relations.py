"""How a model relates its variables and numbers: what depends on what, and what is compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import Final

from mutproof.analyses.suggesting.columns import variable_of
from mutproof.model import walk
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.program import Component, Element
from mutproof.model.sorts import IntSort, RealSort, Value
from mutproof.model.terms import Term

COMPARED: Final = COMPARISONS | {Op.EQ, Op.NE}
ARITHMETIC: Final = frozenset({Op.ADD, Op.SUB, Op.MUL})
CHOICES: Final = frozenset({Op.ITE, Op.CASE, Op.ARROW, Op.VAR, Op.PRE, Op.INDEX, Op.FIELD})


def causes(component: Component, spoken: Iterable[Element]) -> Mapping[str, frozenset[str]]:
    """Return the variables that each one depends on, directly or not."""
    found: dict[str, set[str]] = {}
    for element in spoken:
        for target in element.targets:
            found.setdefault(variable_of(component, target), set()).update(
                walk.variables(element.body)
            )
    for middle, known in found.items():
        for causes in found.values():
            causes |= known if middle in causes else set()
    return {name: frozenset(causes) for name, causes in found.items()}


def measures(component: Component, spoken: Iterable[Element]) -> Iterator[tuple[str, Value]]:
    """Yield variables with the numbers that they are compared with, added to, or given."""
    for element in spoken:
        own = {variable_of(component, target) for target in element.targets}
        for part in walk.subterms(element.body):
            inner = [*walk.subterms(part)] if part.op in COMPARED | ARITHMETIC else []
            numbers = [one.payload for one in inner if one.op is Op.CONST]
            values = (part, *part.args) if part is element.body else part.args
            given = values if part.op in CHOICES or part is element.body else ()
            numbers += [one.payload for one in given if one.op is Op.CONST]
            beside = own if given or part.op in ARITHMETIC else set()
            yield from product((*walk.variables(part), *beside), numbers)


def paired(component: Component, spoken: Iterable[Element]) -> Iterator[frozenset[str]]:
    """Yield the pairs of numeric variables that the model compares, computes with, or assigns."""
    for element in spoken:
        own = {variable_of(component, target) for target in element.targets}
        for part in walk.subterms(element.body):
            if part.op in COMPARED | ARITHMETIC:
                yield from map(frozenset, combinations(sorted(_numbers_in(part)), 2))
        for name in _numbers_in(element.body):
            yield from (frozenset({name, one}) for one in own)


def _numbers_in(term: Term) -> set[str]:
    """Return the variables that a number or comparison is computed from, without conditions."""
    found: set[str] = set()
    waiting = [term]
    while waiting:
        part = waiting.pop()
        if part.op is Op.VAR:
            found.add(str(part.payload))
        waiting.extend(one for one in part.args if isinstance(one.sort, IntSort | RealSort))
    return found


def compared(spoken: Iterable[Element]) -> Iterator[tuple[str, Value]]:
    """Yield variables with the numbers that stand in a comparison with them."""
    for element in spoken:
        for part in walk.subterms(element.body):
            inner = walk.subterms(part) if part.op in COMPARED else ()
            numbers = [one.payload for one in inner if one.op is Op.CONST]
            yield from product(walk.variables(part), numbers)
