"""The narrowest sorts that the type rules give terms: ranges of integers, lists of constants.

Source: JKind 4.6, TypeChecker: literals have their singleton range, `if` and `->` join the
ranges of their sides, `pre` keeps a range, arithmetic gives int.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Program
from mutproof.model.sorts import ArraySort, EnumSort, IntSort, RecordSort, Sort, TupleSort
from mutproof.model.terms import Site, Term


class Narrowing:
    """Find the narrow sorts of the terms of a program; keeps what sorts its variables have.

    `records` are the record sorts that variables have or contain, by name.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._enumerations: Mapping[str, EnumSort] = {
            leaf.name: leaf
            for component in program.components
            for variable in component.variables
            for _, leaf in sorts.leaves(variable.sort)
            if isinstance(leaf, EnumSort) and leaf.values
        }
        self.records: dict[str, RecordSort] = {}
        stack = [variable.sort for one in program.components for variable in one.variables]
        while stack:
            match stack.pop():
                case RecordSort(name, fields) as record if name not in self.records:
                    self.records[name] = record
                    stack.extend(field for _, field in fields)
                case ArraySort(element=element):
                    stack.append(element)
                case _:
                    pass

    def sort(self, component: Component, root: Term) -> Sort:
        """Return the narrow sort of a term of a component."""
        return walk.fold(root, lambda term, args: self.combine(component, term, args))

    def combine(self, component: Component, term: Term, args: tuple[Sort, ...]) -> Sort:
        """Return the narrow sort of a term whose arguments have these."""
        match term.op:
            case Op.VAR:
                return component.variable(str(term.payload)).sort
            case Op.CONST if isinstance(term.sort, IntSort) and isinstance(term.payload, int):
                return IntSort(term.payload, term.payload)
            case Op.PRE:
                return args[0]
            case Op.ITE:
                return joined(args[1], args[2])
            case Op.ARROW:
                return joined(args[0], args[1])
            case Op.CALL if isinstance(term.payload, Site):
                callee = self._program.component(term.payload.component)
                outputs = tuple(callee.variable(name).sort for name in term.payload.outputs)
                return outputs[0] if len(outputs) == 1 else TupleSort(outputs)
            case Op.CONDACT:
                held = args[1].elements if isinstance(args[1], TupleSort) else (args[1],)
                parts = tuple(joined(a, b) for a, b in zip(held, args[2:], strict=True))
                return parts[0] if len(parts) == 1 else TupleSort(parts)
            case Op.NEG if isinstance(args[0], IntSort):
                low, high = args[0].low, args[0].high
                return IntSort(None if high is None else -high, None if low is None else -low)
            case _:
                return self._part(term, args)

    def _part(self, term: Term, args: tuple[Sort, ...]) -> Sort:
        first = args[0] if args else None
        match term.op, first, term.sort:
            case Op.TUPLE, _, _:
                return TupleSort(args)
            case Op.PROJECT, TupleSort(elements), _ if isinstance(term.payload, int):
                return elements[term.payload]
            case Op.RECORD, _, RecordSort(name, fields):
                pairs = zip(fields, args, strict=True)
                return RecordSort(name, tuple((field, sort) for (field, _), sort in pairs))
            case Op.FIELD, RecordSort(), _:
                return dict(first.fields)[str(term.payload)]
            case Op.RECORD_UPDATE, RecordSort(name, fields), _:
                changed = str(term.payload)
                return RecordSort(
                    name, tuple((f, args[1] if f == changed else s) for f, s in fields)
                )
            case Op.ARRAY, _, ArraySort(low, high, _):
                element = args[0]
                for other in args[1:]:
                    element = joined(element, other)
                return ArraySort(low, high, element)
            case Op.INDEX, ArraySort(element=element), _:
                return element
            case Op.ARRAY_UPDATE, ArraySort(low, high, element), _:
                return ArraySort(low, high, joined(element, args[2]))
            case _, _, EnumSort(name, ()):
                return self._enumerations.get(name, term.sort)
            case _:
                return term.sort


def joined(left: Sort, right: Sort) -> Sort:
    """Return the narrowest sort that contains the values of both."""
    match left, right:
        case IntSort(), IntSort():
            low = None if left.low is None or right.low is None else min(left.low, right.low)
            high = None if left.high is None or right.high is None else max(left.high, right.high)
            return IntSort(low, high)
        case RecordSort(name, fields), RecordSort():
            pairs = zip(fields, right.fields, strict=True)
            return RecordSort(name, tuple((f, joined(a, b)) for (f, a), (_, b) in pairs))
        case ArraySort(low, high, element), ArraySort():
            return ArraySort(low, high, joined(element, right.element))
        case TupleSort(elements), TupleSort():
            pairs_of = zip(elements, right.elements, strict=True)
            return TupleSort(tuple(joined(a, b) for a, b in pairs_of))
        case EnumSort(values=()), EnumSort():
            return right
        case _:
            return left


def inside(sort: Sort, declared: Sort) -> bool:
    """Tell whether all values of a sort lie in the ranges of a declared one."""
    match sort, declared:
        case _, IntSort(None, None):
            return True
        case IntSort(), IntSort():
            low = declared.low is None or (sort.low is not None and sort.low >= declared.low)
            high = declared.high is None or (sort.high is not None and sort.high <= declared.high)
            return low and high
        case RecordSort(), RecordSort():
            pairs = zip(sort.fields, declared.fields, strict=True)
            return all(inside(a, b) for (_, a), (_, b) in pairs)
        case ArraySort(), ArraySort():
            return inside(sort.element, declared.element)
        case TupleSort(), TupleSort():
            return all(inside(a, b) for a, b in zip(sort.elements, declared.elements, strict=True))
        case _:
            return True
