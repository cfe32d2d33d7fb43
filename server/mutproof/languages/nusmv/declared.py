"""The sorts of declared variables. Source: NuSMV 2.6 user manual §2.3.1."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, types
from mutproof.languages.nusmv.expressions import ExpressionEvaluator
from mutproof.languages.nusmv.functions import WIDEST_WORD
from mutproof.languages.nusmv.hierarchy import DefineSymbol, ModuleInstance, Symbol, VariableSymbol
from mutproof.languages.nusmv.scope import NameScope
from mutproof.languages.nusmv.syntax import (
    ArrayType,
    BooleanType,
    EnumerationType,
    Expression,
    InstanceType,
    RangeType,
    TypeSyntax,
    UnboundedArrayType,
    WordType,
)
from mutproof.model import sorts
from mutproof.model.sorts import Sort

MOST_ELEMENTS = 65_536


def check_elements(scope: NameScope, symbols: Mapping[str, Symbol]) -> None:
    """Report names with an index, such as `a[0]`, that are elements of a declared array too."""
    for name, symbol in symbols.items():
        root, bracket, _ = name.partition("[")
        array = symbols.get(root) if bracket else None
        sort = None if array is None else _sort_of(scope, array)
        if array is not None and isinstance(sort, sorts.ArraySort):
            own = name[len(root) :]
            if any(leaf == own or leaf.startswith(f"{own}[") for leaf, _ in sorts.leaves(sort)):
                scope.report(errors.declared_twice(name, symbol.span, array.span))


def _sort_of(scope: NameScope, symbol: Symbol) -> Sort | None:
    if isinstance(symbol, DefineSymbol):
        body = scope.defines.get(symbol.name)
        return None if body is None else types.to_sort(body.type)
    return scope.sorts.get(symbol.name)


class Declarations:
    """Evaluate the types of variables in their instances."""

    def __init__(self, scope: NameScope, evaluator: ExpressionEvaluator) -> None:
        self._scope = scope
        self._evaluator = evaluator

    def sort(self, symbol: VariableSymbol) -> Sort | None:
        """Return the sort of a variable, None where its type is wrong.

        Raises:
            Needs: a bound names something that is not settled.
        """
        base = symbol.span.start - symbol.declaration.name.span.start
        return self._sort(symbol.declaration.type, symbol, base)

    def _sort(self, type_: TypeSyntax, symbol: VariableSymbol, base: int) -> Sort | None:
        # Recursion is bounded: array types nest like brackets, which the lexer limits.
        place = type_.span.shifted(base)
        match type_:
            case BooleanType():
                return sorts.BOOL
            case EnumerationType():
                return self._enumeration(type_, symbol.name, base)
            case RangeType(low_bound, high_bound, _):
                bounds = self._bounds(low_bound, high_bound, symbol.scope, base)
                if bounds is None:
                    return None
                low, high = bounds
                if low > high:
                    message = f"empty range type {low}..{high} for {symbol.name}"
                    self._wrong(message, place, "write the smaller bound first")
                    return None
                return sorts.IntSort(low, high)
            case WordType(signed, width_bound, _):
                width = self._constant(width_bound, symbol.scope, base, "the width of a word")
                if width is None:
                    return None
                if not 1 <= width <= WIDEST_WORD:
                    message = f"the width {width} of {symbol.name} is not from the range [1..64]"
                    self._wrong(message, place, "words are at most 64 bits wide")
                    return None
                return sorts.WordSort(width, signed)
            case ArrayType():
                return self._array(type_, symbol, base)
            case UnboundedArrayType():
                advice = "no finite model can be built from it: give bounds, `array 0..7 of …`"
                self._scope.report(errors.unsupported("arrays without bounds are", place, advice))
                return None
            case InstanceType(module):
                return sorts.INT if module == "integer" else sorts.REAL

    def _wrong(self, message: str, place: Span, advice: str) -> None:
        self._scope.report(errors.bad_type(message, place, advice))

    def _constant(
        self, expression: Expression, instance: ModuleInstance, base: int, what: str
    ) -> int | None:
        place = expression.span.shifted(base)
        meaning = self._evaluator.meaning(expression, instance, base)
        operand = self._scope.read(meaning, place)
        if operand is None:
            return None
        value = self._scope.fix(operand.term)
        if value is None:
            self._scope.report(errors.not_constant(what, place))
        return value

    def _bounds(
        self, low: Expression, high: Expression, instance: ModuleInstance, base: int
    ) -> tuple[int, int] | None:
        first = self._constant(low, instance, base, "a bound")
        last = self._constant(high, instance, base, "a bound")
        return None if first is None or last is None else (first, last)

    def _enumeration(self, type_: EnumerationType, name: str, base: int) -> Sort | None:
        values: dict[str | int, None] = {}
        for value, span in type_.values:
            if isinstance(value, bool):
                message = f"invalid enumerative value {str(value).upper()}"
                self._wrong(message, span.shifted(base), "declare the variable as boolean")
                return None
            if value in values:
                message = f"duplicate constant {value} in the type of {name}"
                self._wrong(message, span.shifted(base), "remove one of them")
                return None
            values[value] = None
        return sorts.EnumSort("", tuple(values))

    def _array(self, type_: ArrayType, symbol: VariableSymbol, base: int) -> Sort | None:
        place = type_.span.shifted(base)
        bounds = self._bounds(type_.low, type_.high, symbol.scope, base)
        element_type = type_.element
        unbounded = self._scope.hierarchy.unbounded
        if isinstance(element_type, InstanceType) and element_type.module not in unbounded:
            advice = "declare one instance for each element"
            self._scope.report(errors.unsupported("arrays of modules are", place, advice))
            return None
        element = self._sort(element_type, symbol, base)
        if bounds is None or element is None:
            return None
        low, high = bounds
        if low > high or (high - low + 1) * _size(element) > MOST_ELEMENTS:
            what = "is empty" if low > high else f"has more than {MOST_ELEMENTS} elements"
            self._wrong(f"the array {symbol.name} {what}", place, "mend its bounds")
            return None
        return sorts.ArraySort(low, high, element)


def _size(sort: Sort) -> int:
    count = 1
    while isinstance(sort, sorts.ArraySort):
        count *= sort.size
        sort = sort.element
    return count
