"""Types as they are written, and the relations between sorts that decide what fits where.

Source: JKind, TypeChecker (assignability, joins), TypeDependencyChecker.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.digraph import depth_first
from mutproof.base.near import near
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.lustre import errors
from mutproof.languages.lustre.dialects import MACHINE_INTEGERS, MEANT_TYPES
from mutproof.languages.lustre.syntax import (
    PlacedChunk,
    TypeDeclaration,
    TypeExpression,
    TypeKind,
)
from mutproof.model import sorts
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.sorts import ArraySort, EnumSort, IntSort, RecordSort, Sort, TupleSort

LEAVES_LIMIT = 65_536
"""How many scalar parts a value may have."""

SORT_DEPTH_LIMIT = 100
"""How deep types may be nested, aliases resolved."""


@dataclass(frozen=True, slots=True)
class ResolvedType:
    """Hold a type's sort, how deep it is nested, and how many scalar parts it has."""

    sort: Sort
    depth: int = 1
    leaves: int = 1


_LOGICAL = frozenset({Op.AND, Op.OR, Op.XOR, Op.IMPLIES})

Report = Callable[[Diagnostic], None]
Table = Mapping[str, "ResolvedType | None"]


def mentioned(type_: TypeExpression) -> Iterator[str]:
    """Yield the names of declared types that a type uses."""
    stack = [type_]
    while stack:
        current = stack.pop()
        if current.kind is TypeKind.NAMED:
            yield current.names[0].name
        stack.extend(current.parts)


def declared(placed: list[PlacedChunk], report: Report) -> dict[str, ResolvedType | None]:
    """Return the types that declarations declare; None for those that are broken."""
    found: dict[str, tuple[TypeDeclaration, int]] = {}
    for part in placed:
        tree = part.chunk.tree
        if not isinstance(tree, TypeDeclaration):
            continue
        name = tree.name.name
        if name in found:
            first, base = found[name]
            report(
                errors.duplicate(
                    "type", name, tree.name.span.shifted(part.base), first.name.span.shifted(base)
                )
            )
            continue
        found[name] = (tree, part.base)
    table: dict[str, ResolvedType | None] = {}
    for name in _ordered(found, table, report):
        tree, base = found[name]
        problems: list[Diagnostic] = []
        table[name] = resolve(tree.type, table, problems.append, name=name)
        for problem in problems:
            report(problem.shifted(base))
    return table


def _ordered(
    found: Mapping[str, tuple[TypeDeclaration, int]],
    table: dict[str, ResolvedType | None],
    report: Report,
) -> list[str]:
    """Order the names so that each type comes after those it uses; report cycles."""

    def cyclic(cycle: list[str]) -> None:
        tree, base = found[cycle[-1]]
        report(errors.cyclic("type", cycle, tree.name.span.shifted(base)))
        table.update(dict.fromkeys(cycle))

    return in_order(found, lambda name: mentioned(found[name][0].type), cyclic)


def in_order(
    declared: Collection[str],
    uses: Callable[[str], Iterable[str]],
    cyclic: Callable[[list[str]], None],
) -> list[str]:
    """Order names so that each comes after the declared ones that it uses.

    Names on cycles are left out, and `cyclic` is told each cycle: its names in order, the first
    once more at the end.
    """
    order: list[str] = []
    on_cycles: set[str] = set()
    following = {name: [one for one in uses(name) if one in declared] for name in declared}
    for found in depth_first(declared, following.__getitem__):
        if len(found) > 1 and found[0] not in on_cycles:
            cyclic(list(found))
            on_cycles.update(found)
        elif len(found) == 1 and found[0] not in on_cycles:
            order.append(found[0])
    return order


def resolve(
    type_: TypeExpression, table: Table, report: Report, *, name: str = ""
) -> ResolvedType | None:
    """Resolve a type; `name` is that of the type it declares.

    None if it is invalid, which is reported unless it was reported elsewhere.
    """
    if type_.depth > SORT_DEPTH_LIMIT:
        report(errors.type_too_large(type_.span))
        return None
    match type_.kind:
        case TypeKind.INT:
            return ResolvedType(sorts.INT)
        case TypeKind.BOOL:
            return ResolvedType(sorts.BOOL)
        case TypeKind.REAL:
            return ResolvedType(sorts.REAL)
        case TypeKind.SUBRANGE:
            low, high = type_.numbers
            if low > high:
                report(errors.empty_subrange(low, high, type_.span))
                return None
            return ResolvedType(IntSort(low, high))
        case TypeKind.ENUM:
            return ResolvedType(EnumSort(name, tuple(value.name for value in type_.names)))
        case TypeKind.NAMED:
            return _named(type_, table, report)
        case TypeKind.ARRAY:
            element = resolve(type_.parts[0], table, report)
            (size,) = type_.numbers
            if size < 1:
                report(errors.empty_array(type_.span))
                return None
            if element is None:
                return None
            return _limited(
                type_,
                ResolvedType(
                    ArraySort(0, size - 1, element.sort), element.depth + 1, element.leaves * size
                ),
                report,
            )
        case TypeKind.STRUCT:
            return _struct(type_, table, report, name)


def _named(type_: TypeExpression, table: Table, report: Report) -> ResolvedType | None:
    used = type_.names[0].name
    if used in table:
        return table[used]
    if used in MACHINE_INTEGERS:
        report(
            errors.unsupported_dialect(
                f"the type `{used}`", "Kind 2 and SCADE", type_.span, "use `int` or a subrange"
            )
        )
    else:
        meant = MEANT_TYPES.get(used.lower())
        close = near(used, (*table, "bool", "int", "real")) if meant is None else [meant]
        report(errors.undefined("type", used, type_.span, close))
    return None


def _struct(type_: TypeExpression, table: Table, report: Report, name: str) -> ResolvedType | None:
    fields: dict[str, ResolvedType] = {}
    broken = False
    first: dict[str, Span] = {}
    for field, part in zip(type_.names, type_.parts, strict=True):
        resolved = resolve(part, table, report)
        if field.name in first:
            report(errors.duplicate("field", field.name, field.span, first[field.name]))
            broken = True
        first[field.name] = field.span
        if resolved is None:
            broken = True
        else:
            fields[field.name] = resolved
    if broken:
        return None
    sort = RecordSort(name, tuple((field, part.sort) for field, part in fields.items()))
    depth = 1 + max(part.depth for part in fields.values())
    leaves = sum(part.leaves for part in fields.values())
    return _limited(type_, ResolvedType(sort, depth, leaves), report)


def _limited(type_: TypeExpression, resolved: ResolvedType, report: Report) -> ResolvedType | None:
    if resolved.depth > SORT_DEPTH_LIMIT or resolved.leaves > LEAVES_LIMIT:
        report(errors.type_too_large(type_.span))
        return None
    return resolved


def assignable(expected: Sort, actual: Sort) -> bool:
    """Tell whether a value known to be of sort `actual` may stand where `expected` is asked for."""
    match expected, actual:
        case IntSort(low, high), IntSort(least, greatest):
            return (low is None or (least is not None and low <= least)) and (
                high is None or (greatest is not None and greatest <= high)
            )
        case ArraySort(), ArraySort():
            return expected.size == actual.size and assignable(expected.element, actual.element)
        case TupleSort(wanted), TupleSort(given):
            return len(wanted) == len(given) and all(
                assignable(one, other) for one, other in zip(wanted, given, strict=True)
            )
        case RecordSort(), RecordSort():
            return expected.name == actual.name
        case _:
            return expected == actual


def joined(first: Sort, second: Sort) -> Sort | None:
    """Return the narrowest sort that takes both, None if there is none."""
    match first, second:
        case IntSort(), IntSort():
            if None in {first.low, first.high, second.low, second.high}:
                return sorts.INT
            assert first.low is not None
            assert first.high is not None
            assert second.low is not None
            assert second.high is not None
            return IntSort(min(first.low, second.low), max(first.high, second.high))
        case ArraySort(), ArraySort():
            element = joined(first.element, second.element)
            if element is None or first.size != second.size:
                return None
            return ArraySort(first.low, first.high, element)
        case TupleSort(one), TupleSort(other):
            if len(one) != len(other):
                return None
            elements = [joined(left, right) for left, right in zip(one, other, strict=True)]
            found = tuple(element for element in elements if element is not None)
            return TupleSort(found) if len(found) == len(one) else None
        case RecordSort(), RecordSort():
            return first if first.name == second.name else None
        case _:
            return first if first == second else None


def binary(op: Op, left: Sort, right: Sort) -> Sort | None:
    """Return the narrow sort of a binary operation; None if it is ill-typed."""
    if op in _LOGICAL:
        return sorts.BOOL if left == right == sorts.BOOL else None
    if op is Op.ARROW:
        return joined(left, right)
    if op in {Op.EQ, Op.NE}:
        return sorts.BOOL if joined(left, right) is not None else None
    numbers: Sort | None = None
    if isinstance(left, IntSort) and isinstance(right, IntSort):
        numbers = None if op is Op.REAL_DIV else sorts.INT
    elif left == right == sorts.REAL:
        numbers = None if op in {Op.DIV, Op.MOD} else sorts.REAL
    if op in COMPARISONS:
        return None if numbers is None else sorts.BOOL
    return numbers


def constrained(sort: Sort) -> bool:
    """Tell whether a sort contains a subrange or an enumeration."""
    match sort:
        case IntSort(low, high):
            return low is not None or high is not None
        case EnumSort():
            return True
        case ArraySort():
            return constrained(sort.element)
        case RecordSort(_, fields):
            return any(constrained(field) for _, field in fields)
        case _:
            return False
