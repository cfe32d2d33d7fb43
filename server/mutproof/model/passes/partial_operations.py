"""Operations that are meant for some operands only, and the statement that they get only those.

In Lustre an index may leave its bounds: the last element is read, or nothing is written. A divisor
may be zero: the result is arbitrary. An operation is checked only where its value matters: under
the conditions of the `if`, `and`, `or`, `=>` and `->` around it. Conditions around `pre` and around
calls are ignored, as operands of `pre` are used later, and nodes always run.

`stated` adds variables to the equations that have such operations, so that an index or a divisor
has the same memories and the same calls as there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeAlias

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import flat_names, sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO, is_nonzero
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    Variable,
    VariableKind,
)
from mutproof.model.sorts import ArraySort, IntSort, TupleSort
from mutproof.model.terms import Path, Term

MOST = 200
"""The most operations of a program that are checked."""

_ACCESSES = frozenset({Op.INDEX, Op.ARRAY_UPDATE})


@dataclass(frozen=True, slots=True)
class PartialOperation:
    """Name an operation: the element and path of its index or divisor, and the size of the array.

    The size is 0 where it is a division.
    """

    operator: Op
    element: ElementId
    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class StatingProgram:
    """Hold a program whose properties say that indices are in bounds and divisors not zero.

    `operations` are by component and property; `values` names the variable with the operand.
    """

    program: Program
    operations: Mapping[tuple[str, str], PartialOperation]
    values: Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class _Found:
    operator: Op
    path: Path  # to the index or divisor
    size: int
    operand: Term
    condition: Term  # the operand is as it should be wherever the operation matters


MOST_KEPT = 10_000
_kept: Memo[tuple[_Found, ...]] = Memo(MOST_KEPT)


def stated(program: Program) -> StatingProgram | None:
    """Return a program that states that operands are as they should be; None without operations."""
    operations: dict[tuple[str, str], PartialOperation] = {}
    values: dict[tuple[str, str], str] = {}
    components = []
    for component in program.components:
        elements: list[Element] = []
        added: list[Variable] = []
        properties: list[Property] = []
        for element in component.elements:
            found = _found(element.body) if len(operations) < MOST else ()
            if not found or (element.kind is ElementKind.ASSERT and component.name != program.main):
                elements.append(element)
                continue
            new: list[tuple[str, Term]] = []
            for one in found[: MOST - len(operations)]:
                name, value = flat_names.bound_names(len(operations))
                key = component.name, name
                operations[key] = PartialOperation(one.operator, element.id, one.path, one.size)
                values[key] = value
                new += [(name, one.condition), (value, one.operand)]
                properties.append(Property(name, terms.var(name, sorts.BOOL)))
            added += [Variable(n, sorts.widened(t.sort), VariableKind.LOCAL) for n, t in new]
            elements += _extended(element, new, added)
        components.append(_changed(component, elements, added, properties))
    if not operations:
        return None
    changed = Program(program.traits, tuple(components), program.main, program.functions)
    return StatingProgram(changed, operations, values)


def _changed(
    component: Component,
    elements: list[Element],
    added: list[Variable],
    properties: list[Property],
) -> Component:
    return replace(
        component,
        variables=(*component.variables, *added),
        elements=tuple(elements),
        properties=tuple(properties),
    )


def _extended(
    element: Element, new: list[tuple[str, Term]], added: list[Variable]
) -> Iterator[Element]:
    """Yield an element that also defines `new`; of an assertion, an equation and an assertion."""
    targets, body = element.targets, element.body
    if element.kind is ElementKind.ASSERT:
        targets = (element.owner,)
        added.append(Variable(element.owner, sorts.BOOL, VariableKind.LOCAL))
    own = [body]
    if len(targets) > 1:
        assert isinstance(body.sort, TupleSort)
        own = [
            terms.make(Op.PROJECT, part, (body,), number)
            for number, part in enumerate(body.sort.elements)
        ]
    parts = [*own, *(term for _, term in new)]
    tuple_sort = TupleSort(tuple(part.sort for part in parts))
    yield replace(
        element,
        kind=ElementKind.EQUATION,
        targets=(*targets, *(name for name, _ in new)),
        body=terms.make(Op.TUPLE, tuple_sort, parts),
    )
    if element.kind is ElementKind.ASSERT:
        identity = replace(element.id, name=f"{element.id.name}{flat_names.MARK}")
        yield Element(identity, ElementKind.ASSERT, (), terms.var(element.owner, sorts.BOOL))


# --- operations in a body ---------------------------------------------------------------------

_Around: TypeAlias = "tuple[Op, Term, _Around] | None"
"""The conditions under which a value matters, innermost first: the operator, and its condition."""


def _found(body: Term) -> tuple[_Found, ...]:
    return _kept.get(body, lambda: tuple(_searched(body)))


def _searched(body: Term) -> Iterator[_Found]:
    """Yield the operations of a body whose operand may be wrong, in source order."""
    if not any(map(_is_partial, walk.subterms(body))):
        return
    asked: set[tuple[Term, Term]] = set()
    stack: list[tuple[Path, Term, _Around]] = [((), body, None)]
    while stack:
        path, term, around = stack.pop()
        if _is_partial(term):
            array, operand = term.args[0].sort, term.args[1]
            condition = _where_it_counts(_as_it_should_be(term), around)
            if (operand, condition) not in asked:
                asked.add((operand, condition))
                size = array.size if isinstance(array, ArraySort) else 0
                yield _Found(term.op, (*path, 1), size, operand, condition)
        stack.extend(
            ((*path, index), term.args[index], _inner(term, index, around))
            for index in range(len(term.args) - 1, -1, -1)
        )


def _inner(term: Term, index: int, around: _Around) -> _Around:
    """Return the conditions under which the value of an argument of a term matters."""
    others = [arg for at, arg in enumerate(term.args) if at != index]
    match term.op:
        case Op.ITE if index:
            condition = term.args[0]
            return Op.IMPLIES, condition if index == 1 else terms.not_(condition), around
        case Op.AND:
            return Op.IMPLIES, terms.conjunction(others), around
        case Op.OR:
            return Op.IMPLIES, terms.not_(terms.disjunction(others)), around
        case Op.IMPLIES:
            return Op.IMPLIES, terms.not_(others[0]) if index == 0 else others[0], around
        case Op.ARROW:
            return Op.ARROW, terms.bool_(index == 0), around
        case Op.CONDACT if index == 1:
            return Op.CONDACT, term.args[0], None
        case Op.CONDACT if index > 1:  # only the first step reads a default
            return Op.ARROW, terms.TRUE, (Op.IMPLIES, terms.not_(term.args[0]), around)
        case Op.CALL if around is not None and around[0] is Op.CONDACT:
            return Op.IMPLIES, around[1], None
        case Op.CALL | Op.PRE:
            return None
        case _:
            return around


def _where_it_counts(condition: Term, around: _Around) -> Term:
    while around is not None:
        op, where, around = around
        if op is Op.ARROW:
            first = where is terms.TRUE
            args = (condition, terms.TRUE) if first else (terms.TRUE, condition)
            condition = terms.make(Op.ARROW, sorts.BOOL, args)
        else:
            condition = terms.implies(where, condition)
    return condition


def _as_it_should_be(operation: Term) -> Term:
    array, operand = operation.args[0].sort, operation.args[1]
    if not isinstance(array, ArraySort):
        return terms.ne(operand, terms.const(0, operand.sort))
    low = terms.compare(Op.GE, operand, terms.int_(array.low))
    return terms.and_(low, terms.compare(Op.LE, operand, terms.int_(array.high)))


def _is_partial(term: Term) -> bool:
    """Tell whether a term is an access or a division whose operand is not plainly right.

    It is if it is a constant, or by the sort of its variable.
    """
    if term.op in BY_ZERO:
        return not is_nonzero(term.args[1]) and not _is_within(term.args[1], 1, None)
    if term.op not in _ACCESSES:
        return False
    array, index = term.args[0].sort, term.args[1]
    assert isinstance(array, ArraySort)
    if index.op is Op.CONST:
        return not (isinstance(index.payload, int) and array.low <= index.payload <= array.high)
    return not _is_within(index, array.low, array.high)


def _is_within(operand: Term, least: int, most: int | None) -> bool:
    match operand.sort:
        case IntSort(int(low), int(high)) if operand.op is Op.VAR:
            return least <= low and (most is None or high <= most)
        case _:
            return False
