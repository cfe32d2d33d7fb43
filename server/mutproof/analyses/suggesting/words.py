"""The conditions and claims of which properties are made, from terms of the model.

Constants are those of the text, and zero. Of expressions, only those that the model compares or
assigns are used: a property that nobody would have written is no help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, islice
from typing import Final

from mutproof.analyses.suggesting import relations
from mutproof.analyses.suggesting.branches import SaidCase, branches, is_usable, negated
from mutproof.analyses.suggesting.columns import leaf_name, scalar_parts, variable_of
from mutproof.analyses.suggesting.definitions import restating
from mutproof.analyses.suggesting.relations import ARITHMETIC, CHOICES, COMPARED
from mutproof.analyses.suggesting.sayable import SayableTerms
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, Program, Role, VariableKind
from mutproof.model.roles import roles
from mutproof.model.sorts import (
    BoolSort,
    EnumSort,
    IntSort,
    RealSort,
    Sort,
)
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

MOST_CONSTANTS: Final = 12
"""How many constants of each sort are used, the first ones in the text."""

MOST_CONDITIONS: Final = 240
MOST_CLAIMS: Final = 120
"""The most claims about one variable."""

LARGEST: Final = 5
"""The most nodes of an expression that is used as it is."""

MOST_RELATED: Final = 24
"""The most nodes of an expression whose variables count as related."""

AT_FIRST: Final = frozenset({ElementKind.INIT, ElementKind.INIT_ASSIGN})
"""Kinds of elements that say something of first states only."""

_ORDER: Final = {
    VariableKind.OUTPUT: 0,
    VariableKind.INPUT: 0,
    VariableKind.STATE: 0,
    VariableKind.FROZEN: 0,
    VariableKind.LOCAL: 1,
    VariableKind.DEFINE: 1,
}


def sayable(
    program: Program, name: str, subjects: Iterable[str], changed: Iterable[Element] = ()
) -> SayableTerms:
    """Return the terms of a component; claims are about `subjects`, parts of its variables.

    `changed` are elements of the component that say something without being about a variable.
    """
    component = program.component(name)
    words = _Words(program, component)
    known = restating(program, name)
    distinct = known.implying.distinct
    conditions = tuple(islice(distinct(words.conditions()), MOST_CONDITIONS))
    claims: dict[Term, None] = {}
    last_resorts: dict[Term, None] = {}
    changed = set(changed)
    wanted = {variable_of(component, name) for name in subjects}
    for stream in words.streams:
        if _base(stream) in wanted:
            claims.update(dict.fromkeys(islice(distinct(words.claims(stream)), MOST_CLAIMS)))
            last_resorts.update(dict.fromkeys(_likenesses(words, stream)))
    hidden = frozenset(v.name for v in component.variables if _ORDER[v.kind])
    relational = program.traits.semantics is Semantics.RELATIONAL
    said = [
        one
        for element in words.spoken
        if element.kind not in AT_FIRST
        and (
            element in changed or any(variable_of(component, t) in wanted for t in element.targets)
        )
        for one in words.branches(element)
    ]
    return SayableTerms(
        name,
        tuple(dict.fromkeys((*(c for b in said for c in b.conditions), *conditions))),
        tuple(claims),
        hidden,
        relational,
        tuple(said),
        frozenset(words.familiar()),
        frozenset(relations.measures(component, words.spoken)),
        frozenset(relations.compared(words.spoken)),
        tuple(last_resorts),
        known,
        relations.causes(component, words.spoken),
        frozenset(relations.paired(component, words.spoken)),
    )


def _base(stream: Term) -> str:
    while stream.op is not Op.VAR:
        stream = stream.args[0]
    return str(stream.payload)


class _Words:
    def __init__(self, program: Program, component: Component) -> None:
        relational = program.traits.semantics is Semantics.RELATIONAL
        stated = {  # variables that stand for properties
            str(stated.term.payload)
            for stated in component.properties
            if stated.term.op is Op.VAR and not relational
        }
        role = roles(program)
        self.spoken = [e for e in component.elements if role.get(e.id) is not Role.SPECIFICATION]
        known = {target for element in self.spoken for target in element.targets}
        free = {v.name for v in component.variables} - {
            target for element in component.elements for target in element.targets
        }
        variables = [
            v for v in component.variables if v.name in known | free and v.name not in stated - free
        ]
        variables.sort(key=lambda v: _ORDER[v.kind])
        self.streams = [
            stream for v in variables for stream in scalar_parts(terms.var(v.name, v.sort), v.sort)
        ]
        self._streams = {leaf_name(stream): stream for stream in self.streams}
        self._component = component
        self._bodies = [element.body for element in self.spoken]
        self._assigned = {
            element.targets[0]: element.body for element in self.spoken if len(element.targets) == 1
        }
        self._values = {v.name: v.sort for v in component.variables}
        self._kinds = {v.name: v.kind for v in component.variables}
        self._related = frozenset(self._found_related())
        self._constants = self._found_constants()
        self._remembered = self._found_remembered()

    def _found_constants(self) -> dict[Sort, list[Term]]:
        found: dict[Sort, dict[Term, None]] = {}
        for body in self._bodies:
            for part in walk.subterms(body):
                if part.op is Op.CONST and isinstance(part.sort, IntSort | RealSort):
                    found.setdefault(part.sort, {})[part] = None
        return {
            sort: [terms.const(0, sort), *(c for c in known if c.payload != 0)][:MOST_CONSTANTS]
            for sort, known in {sorts.INT: {}, sorts.REAL: {}, **found}.items()
        }

    def _found_related(self) -> Iterator[frozenset[str]]:
        """Yield pairs of variables that some expression compares, adds, or may equate."""
        for element in self.spoken:
            for part in walk.subterms(element.body):
                if part.op in COMPARED | ARITHMETIC and walk.size(part) <= MOST_RELATED:
                    yield from map(frozenset, combinations(sorted(walk.variables(part)), 2))
                values = (part, *part.args) if part is element.body else part.args
                for value in values if part.op in CHOICES else ():
                    if value.op in {Op.VAR, Op.PRE, Op.INDEX, Op.FIELD}:
                        own = {variable_of(self._component, t) for t in element.targets}
                        yield from (frozenset({o, *walk.variables(value)}) for o in own)

    def related(self, left: Term, right: Term) -> bool:
        """Tell whether the model itself has two streams in one expression."""
        return frozenset({_base(left), _base(right)}) in self._related

    def familiar(self) -> Iterator[Term]:
        """Yield what can be read in the equations, and the opposite of conditions."""
        for body in self._bodies:
            for part in walk.subterms(body):
                yield part
                if isinstance(part.sort, BoolSort):
                    yield negated(part)

    def branches(self, element: Element) -> Iterator[SaidCase]:
        """Yield what an element of the component says itself."""
        target = self._streams.get(element.targets[0]) if element.targets else None
        if target is not None or not element.targets:
            yield from branches(element, target)

    def _found_remembered(self) -> list[Term]:
        """Return the streams whose previous values the model reads."""
        read: set[str] = set()
        for body in self._bodies:
            for part in walk.subterms(body):
                if part.op is Op.PRE:
                    read |= walk.variables(part)
        return [stream for stream in self.streams if _base(stream) in read]

    def is_state(self, stream: Term) -> bool:
        """Tell whether an assignment may speak of the next value of a stream."""
        return self._kinds[_base(stream)] is VariableKind.STATE

    # --- conditions -----------------------------------------------------------------------

    def conditions(self) -> Iterator[Term]:
        """Yield conditions; those of the model itself come first."""
        for stream in self.streams:
            if isinstance(stream.sort, BoolSort):
                yield stream
                yield terms.not_(stream)
        for body in self._bodies:
            for part in walk.subterms(body):
                if part.op in COMPARED and isinstance(part.sort, BoolSort) and is_usable(part):
                    yield part
                    yield negated(part)
        for stream in self._remembered:
            before = _previous(stream)
            if isinstance(stream.sort, BoolSort):
                yield before
                yield terms.not_(before)
        for stream in self.streams:
            yield from self._compared(stream)
        for number, left in enumerate(self.streams):
            for right in self.streams[number + 1 :]:
                numeric = isinstance(left.sort, IntSort | RealSort)
                if numeric and left.sort == right.sort and self.related(left, right):
                    yield from _relations(left, right)
        for stream in self._remembered:
            yield from self._compared(_previous(stream), stream)

    def _compared(self, stream: Term, declared: Term | None = None) -> Iterator[Term]:
        sort = stream.sort
        if isinstance(sort, IntSort | RealSort):
            for constant in self._constants[sort]:
                yield from _relations(stream, constant)
        for value in self._listed(declared or stream):
            yield terms.eq(stream, value)
            yield terms.ne(stream, value)

    def _listed(self, stream: Term) -> Iterator[Term]:
        """Yield the constants of an enumeration's declaration."""
        if not isinstance(stream.sort, EnumSort) or stream.op is not Op.VAR:
            return
        declared = self._values[str(stream.payload)]
        if isinstance(declared, EnumSort):
            for value in declared.values:
                yield terms.const(value, stream.sort)

    # --- claims ---------------------------------------------------------------------------

    def claims(self, stream: Term) -> Iterator[Term]:
        """Yield what may be claimed of a stream, equalities first."""
        sort = stream.sort
        if isinstance(sort, BoolSort):
            yield stream
            yield terms.not_(stream)
        yield from (terms.eq(stream, value) for value in self._listed(stream))
        others = [
            o
            for o in self.streams
            if o is not stream and o.sort == sort and self.related(stream, o)
        ]
        if not isinstance(sort, BoolSort):
            yield from (terms.eq(stream, other) for other in others)
        numeric = isinstance(sort, IntSort | RealSort)
        constants = self._constants[sort] if numeric else []
        yield from (terms.eq(stream, constant) for constant in constants)
        for part in self._branches(stream):
            yield terms.eq(stream, part)
        if self.is_state(stream):
            yield from self._following(stream, constants)
        if stream in self._remembered:
            before = _previous(stream)
            yield terms.eq(stream, before)
            if numeric:
                yield terms.compare(Op.GE, stream, before)
                yield terms.compare(Op.LE, stream, before)
        if numeric:
            for bound in (*constants, *others):
                for op in (Op.GE, Op.LE, Op.GT, Op.LT):
                    yield terms.compare(op, stream, bound)
            yield from (terms.ne(stream, constant) for constant in constants)

    def _following(self, stream: Term, constants: Iterable[Term]) -> Iterator[Term]:
        """Yield claims about the next value of a stream."""
        after = terms.make(Op.NEXT, stream.sort, (stream,))
        if isinstance(stream.sort, BoolSort):
            yield after
            yield terms.not_(after)
        yield terms.eq(after, stream)
        yield from (terms.eq(after, value) for value in (*self._listed(stream), *constants))
        yield from (terms.eq(after, part) for part in self._branches(stream))
        if not isinstance(stream.sort, BoolSort):
            yield terms.ne(after, stream)
        yield from (terms.ne(after, value) for value in self._listed(stream))
        if isinstance(stream.sort, IntSort):
            yield terms.compare(Op.GE, after, stream)
            yield terms.compare(Op.LE, after, stream)

    def _branches(self, stream: Term) -> Iterator[Term]:
        """Yield the proper parts of its equation that a stream may be equal to."""
        body = self._assigned.get(_base(stream))
        if body is None or stream.op is not Op.VAR or isinstance(stream.sort, BoolSort):
            return  # Booleans are described case by case
        for part in walk.subterms(body):
            leaf = part.op in {Op.VAR, Op.CONST}
            if part is body or leaf or part.sort != stream.sort or not is_usable(part):
                continue
            if part.op in {Op.ITE, Op.CASE}:
                continue  # its cases are parts of their own
            if walk.size(part) <= LARGEST:
                yield part


def _likenesses(words: _Words, stream: Term) -> Iterator[Term]:
    """Yield claims that two Boolean values are always equal, or always differ.

    Such claims are the last resort: readers would wonder why. That a value changes reads worse than
    what it becomes.
    """
    if isinstance(stream.sort, BoolSort):
        after = terms.make(Op.NEXT, stream.sort, (stream,))
        yield (
            terms.ne(after, stream)
            if words.is_state(stream)
            else terms.ne(stream, _previous(stream))
        )
    for other in words.streams if isinstance(stream.sort, BoolSort) else ():
        if other is not stream and other.sort == stream.sort and words.related(stream, other):
            yield terms.eq(stream, other)
            yield terms.ne(stream, other)


def _previous(stream: Term) -> Term:
    return terms.make(Op.PRE, stream.sort, (stream,))


def _relations(left: Term, right: Term) -> Iterator[Term]:
    if isinstance(left.sort, IntSort | RealSort):
        yield terms.compare(Op.GT, left, right)
        yield terms.compare(Op.LT, left, right)
        yield terms.eq(left, right)
        yield terms.compare(Op.GE, left, right)
        yield terms.compare(Op.LE, left, right)
    yield terms.ne(left, right)
