"""From expressions of the source to typed terms over full names.

The term has the shape of the source: the path of a node is the path of its subterm. Where the
source names a parameter bound to an expression, that expression stands in its place.
Source: NuSMV 2.6 user manual §2.2.
"""

from __future__ import annotations

from fractions import Fraction

from mutproof.base.giving_way import by_steps
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, functions, types
from mutproof.languages.nusmv.hierarchy import InstanceSymbol, ModuleInstance
from mutproof.languages.nusmv.scope import Meaning, NameScope, Needs, Operand, Reference
from mutproof.languages.nusmv.syntax import (
    BRANCHING,
    LINEAR,
    Expression,
    Form,
    SyntaxNode,
    WordLiteral,
)
from mutproof.languages.nusmv.types import Type, TypeFamily
from mutproof.model import sorts, terms
from mutproof.model.constant_operands import constant_int, misplaced
from mutproof.model.operators import Op
from mutproof.model.terms import Term

LARGEST_RANGE = 65_536

_BINARY = {
    Form.CONCAT: Op.CONCAT,
    Form.MULTIPLY: Op.MUL,
    Form.DIVIDE: Op.TRUNC_DIV,
    Form.MODULO: Op.TRUNC_MOD,
    Form.ADD: Op.ADD,
    Form.SUBTRACT: Op.SUB,
    Form.SHIFT_LEFT: Op.SHIFT_LEFT,
    Form.SHIFT_RIGHT: Op.SHIFT_RIGHT,
    Form.UNION: Op.UNION,
    Form.IN: Op.IN,
    Form.EQUAL: Op.EQ,
    Form.NOT_EQUAL: Op.NE,
    Form.LESS: Op.LT,
    Form.LESS_EQUAL: Op.LE,
    Form.GREATER: Op.GT,
    Form.GREATER_EQUAL: Op.GE,
    Form.AND: Op.AND,
    Form.OR: Op.OR,
    Form.XOR: Op.XOR,
    Form.XNOR: Op.XNOR,
    Form.IFF: Op.IFF,
    Form.IMPLIES: Op.IMPLIES,
}
_TEMPORAL: dict[Form, Op] = {
    **{form: Op[form.name] for form in BRANCHING},
    **{form: Op[form.name] for form in LINEAR if form is not Form.ONCE},
    Form.ONCE: Op.O,
}


class ExpressionEvaluator:
    """Evaluate the expressions of one hierarchy; its only state is that of the scope."""

    def __init__(self, scope: NameScope) -> None:
        self._scope = scope
        self._symbols = scope.hierarchy.symbols
        self._constants = scope.hierarchy.constants

    def operand(
        self, expression: Expression, instance: ModuleInstance, base: int
    ) -> Operand | None:
        """Return the value of an expression in an instance; `base` makes its spans absolute."""
        while True:
            try:
                meaning = self.meaning(expression, instance, base)
                return self._scope.read(meaning, expression.root.token.shifted(base))
            except Needs as needs:
                self._scope.settle(needs.names)

    def reference(self, expression: Expression, instance: ModuleInstance, base: int) -> Meaning:
        """Return what an expression refers to, not yet read."""
        while True:
            try:
                return self.meaning(expression, instance, base)
            except Needs as needs:
                self._scope.settle(needs.names)

    def meaning(self, expression: Expression, instance: ModuleInstance, base: int) -> Meaning:
        """Return the meaning of an expression.

        Raises:
            Needs: names must be settled first.
        """
        needed = []
        for node in by_steps(expression.nodes):
            if node.form is Form.NAME:
                symbol = self._symbols.get(instance.full(str(node.value)))
                if self._scope.unsettled(symbol):
                    needed.append(instance.full(str(node.value)))
        if needed:
            raise Needs(tuple(dict.fromkeys(needed)))
        results: list[Meaning] = []
        numbers: dict[int, Operand] = {}
        for node in by_steps(expression.nodes):
            value = node.value
            if node.form is not Form.NUMBER:
                results.append(self._node(node, expression, results, instance, base=base))
                continue
            assert isinstance(value, int)
            if value not in numbers:  # of which a table may have many, often the same
                numbers[value] = Operand(terms.int_(value), types.INTEGER)
            results.append(numbers[value])
        return results[-1]

    def _node(
        self,
        node: SyntaxNode,
        expression: Expression,
        results: list[Meaning],
        instance: ModuleInstance,
        *,
        base: int,
    ) -> Meaning:
        place = node.token.shifted(base)
        match node.form:
            case Form.NAME:
                return self._name(str(node.value), instance, place)
            case Form.SELF:
                return Reference(instance.path)
            case Form.DOT:
                return self._dot(results[node.args[0]], str(node.value), place)
            case Form.INDEX:
                return self._index(
                    results[node.args[0]],
                    results[node.args[1]],
                    expression.nodes[node.args[1]].token.shifted(base),
                    place,
                )
            case Form.BOOLEAN | Form.REAL | Form.WORD:
                return self._literal(node, place)
        known: list[Operand] = []
        for arg in node.args:
            operand = results[arg]
            if isinstance(operand, Reference):
                spot = expression.nodes[arg].token.shifted(base)
                operand = self._scope.read(operand, spot)
            if operand is not None:
                known.append(operand)
        if len(known) < len(node.args):
            return None
        if node.form is Form.ARRAY:
            return self._array(known, place)
        spots = [expression.nodes[arg].token.shifted(base) for arg in node.args]
        return self._operation(node, known, place, spots)

    # --- names --------------------------------------------------------------------------------

    def _name(self, name: str, instance: ModuleInstance, place: Span) -> Meaning:
        full = instance.full(name)
        if full in self._symbols:
            if name not in self._constants:
                return self._scope.refer(full)
            if isinstance(self._symbols[full], InstanceSymbol):
                return Reference(full, constant=name)
            self._scope.report(errors.ambiguous(name, place))
            return None
        if name in self._constants:
            return Operand(terms.const(name, sorts.SYMBOL), types.SYMBOLIC)
        return Reference(full)

    def _dot(self, left: Meaning, name: str, place: Span) -> Meaning:
        if left is None:
            return None
        if isinstance(left, Operand):
            if left.term.op is Op.CONST and isinstance(left.term.payload, str):
                return self._scope.refer(f"{left.term.payload}.{name}")
            self._scope.report(
                errors.type_error(
                    f"a value of type {left.type} has no part {name!r}",
                    place,
                    "`.` names something of an instance",
                )
            )
            return None
        full = f"{left.path}.{name}" if left.path else name
        if name in self._constants and not isinstance(
            self._symbols.get(full), InstanceSymbol | None
        ):
            self._scope.report(errors.ambiguous(full, place))
            return None
        return self._scope.refer(full)

    def _index(self, left: Meaning, index: Meaning, index_place: Span, place: Span) -> Meaning:
        position = self._scope.read(index, index_place)
        if position is None:
            return None
        value = constant_int(position.term, self._scope.constants)
        if isinstance(left, Reference) and _is_literal(position.term):
            for path in (left.spelled, left.path):
                flat = f"{path}[{value}]"
                if path and self._scope.hierarchy.begins_names(flat):
                    return self._scope.refer(flat)
        array = self._scope.read(left, place)
        if array is None:
            return None
        if array.type.kind is not TypeFamily.ARRAY:
            self._scope.report(
                errors.type_error(
                    "left hand side of index subscripting is not an array",
                    place,
                    "bits of a word are selected by `w[high : low]`",
                )
            )
            return None
        if position.type != types.INTEGER and not position.type.is_word:
            self._scope.report(
                errors.operand("[ ]", str(position.type), index_place, "an index is an integer")
            )
            return None
        element = array.type.element
        assert element is not None
        term = terms.make(Op.INDEX, types.to_sort(element), (array.term, position.term))
        if misplaced(term, lambda _: value) is not None:
            bounds = f"[{array.type.low}, {array.type.high}]"
            self._scope.report(
                errors.type_error(
                    f"array index has value {value} which is outside of allowed range {bounds}",
                    index_place,
                    "use an index within the bounds of the declaration",
                )
            )
            return None
        return Operand(term, element)

    def _literal(self, node: SyntaxNode, place: Span) -> Meaning:
        value = node.value
        if isinstance(value, bool):
            return Operand(terms.bool_(value), types.BOOLEAN)
        if isinstance(value, Fraction):
            if not self._scope.unbounded:
                self._scope.report(
                    errors.literal(
                        "real-constant",
                        "real constants are not supported by NuSMV",
                        place,
                        "declare an `integer` or `real` variable to write nuXmv",
                    )
                )
                return None
            return Operand(terms.real_(value), types.REAL)
        assert isinstance(value, WordLiteral)
        sort = sorts.WordSort(value.width, value.signed)
        return Operand(terms.const(value.value, sort), types.of_sort(sort))

    # --- operators ----------------------------------------------------------------------------

    def _operation(
        self, node: SyntaxNode, args: list[Operand], place: Span, spots: list[Span]
    ) -> Operand | None:
        form = node.form
        if form in _BINARY:
            return self._binary(form, args, place)
        if form in _TEMPORAL:
            return self._temporal(node, args, place)
        match form:
            case Form.NOT | Form.NEGATE:
                result = types.unary(form, args[0].type)
                if result is None:
                    self._mismatch(node, args, place)
                    return None
                op = Op.NOT if form is Form.NOT else Op.NEG
                return _made(op, result, args)
            case Form.NEXT:
                return _made(Op.NEXT, args[0].type, args)
            case Form.IF | Form.CASE:
                return self._choice(node, args, spots)
            case Form.SET:
                return self._set(node, args, place)
            case Form.RANGE:
                return self._range(args, place)
            case Form.SLICE:
                return self._slice(args, place)
            case Form.CALL:
                found = functions.apply(str(node.value), args, self._scope)
                if isinstance(found, Operand):
                    return found
                message, advice = found
                self._scope.report(errors.type_error(message, place, advice))
                return None
            case _:
                message = f"{form} is translated before it is evaluated"
                raise AssertionError(message)

    def _mismatch(self, node: SyntaxNode, args: list[Operand], place: Span) -> None:
        operand_types = tuple(arg.type for arg in args)
        shown = " and ".join(str(type_) for type_ in operand_types)
        advice = types.advice(node.form, operand_types)
        self._scope.report(errors.operand(f'"{node.form.value}"', shown, place, advice))

    def _binary(self, form: Form, args: list[Operand], place: Span) -> Operand | None:
        result = types.binary(form, args[0].type, args[1].type)
        if result is None:
            shown = f"{args[0].type} and {args[1].type}"
            advice = types.advice(form, (args[0].type, args[1].type))
            self._scope.report(errors.operand(f'"{form.value}"', shown, place, advice))
            return None
        op = _BINARY[form]
        if form is Form.DIVIDE and result.kind is TypeFamily.REAL:
            op = Op.REAL_DIV
        made = _made(op, result, args)
        if op in {Op.SHIFT_LEFT, Op.SHIFT_RIGHT} and misplaced(made.term, lambda _: None):
            self._scope.report(
                errors.type_error(
                    f"word shift is out of range [0..{result.width}]",
                    place,
                    "shift by at most the width of the word",
                )
            )
            return None
        return made

    def _temporal(self, node: SyntaxNode, args: list[Operand], place: Span) -> Operand | None:
        if any(arg.type != types.BOOLEAN for arg in args):
            self._mismatch(node, args, place)
            return None
        bounds = node.value if isinstance(node.value, tuple) else None
        if bounds is not None and int(bounds[0]) > int(bounds[1]):
            self._scope.report(
                errors.type_error(
                    f"invalid range {bounds[0]}..{bounds[1]} of a temporal operator",
                    place,
                    "write the smaller bound first",
                )
            )
            return None
        arguments = [arg.term for arg in args]
        term = terms.make(_TEMPORAL[node.form], sorts.BOOL, arguments, bounds)
        return Operand(term, types.BOOLEAN)

    def _choice(self, node: SyntaxNode, args: list[Operand], spots: list[Span]) -> Operand | None:
        if node.form is Form.IF:
            conditions, values, places = args[:1], args[1:], spots[1:]
        else:
            conditions, values, places = args[::2], args[1::2], spots[1::2]
        for condition, place in zip(
            conditions, spots[:: len(spots) // len(conditions)], strict=False
        ):
            if condition.type != types.BOOLEAN:
                sign = '":"' if node.form is Form.CASE else '"?:"'
                advice = "write TRUE: 1 is not a Boolean since NuSMV 2.5.1"
                self._scope.report(
                    errors.operand(f"left operand of {sign}", str(condition.type), place, advice)
                )
                return None
        result: Type | None = values[0].type
        for value, place in zip(values[1:], places[1:], strict=True):
            shared = None if result is None else types.common(result, value.type)
            if shared is None:
                self._mismatch(node, [values[0], value], place)
                return None
            result = shared
        assert result is not None
        return _made(Op.ITE if node.form is Form.IF else Op.CASE, result, args)

    def _set(self, node: SyntaxNode, args: list[Operand], place: Span) -> Operand | None:
        shared: Type | None = args[0].type
        for arg in args[1:]:
            shared = None if shared is None else types.common(shared, arg.type)
        result = None if shared is None else types.as_set(shared)
        if result is None:
            self._mismatch(node, args[:2], place)
            return None
        return _made(Op.SET, result, args)

    def _range(self, args: list[Operand], place: Span) -> Operand | None:
        low = constant_int(args[0].term, self._scope.constants)
        high = constant_int(args[1].term, self._scope.constants)
        assert low is not None
        assert high is not None
        if low > high or high - low >= LARGEST_RANGE:
            what = "empty" if low > high else f"larger than {LARGEST_RANGE} values"
            advice = "compare with the bounds instead: `x >= low & x <= high`"
            self._scope.report(errors.bad_type(f"the range {low}..{high} is {what}", place, advice))
            return None
        members = [terms.int_(value) for value in range(low, high + 1)]
        sort = sorts.SetSort(sorts.INT)
        return Operand(terms.make(Op.SET, sort, members), Type(TypeFamily.INTEGER, is_set=True))

    def _array(self, args: list[Operand], place: Span) -> Operand | None:
        shared: Type | None = args[0].type
        for arg in args[1:]:
            shared = None if shared is None else types.common(shared, arg.type)
        if shared is None or shared.is_set:
            self._scope.report(
                errors.type_error(
                    "the elements of an array need one type", place, "convert them explicitly"
                )
            )
            return None
        result = Type(TypeFamily.ARRAY, low=0, high=len(args) - 1, element=shared)
        return _made(Op.ARRAY, result, args)

    def _slice(self, args: list[Operand], place: Span) -> Operand | None:
        operand = args[0]
        high = self._scope.fix(args[1].term)
        low = self._scope.fix(args[2].term)
        width = operand.type.width
        if not operand.type.is_word:
            self._mismatch_slice(f"{operand.type}", place)
            return None
        if low is None or high is None or not 0 <= low <= high < width:
            self._mismatch_slice(f"{operand.type} with bounds {high}:{low}", place)
            return None
        result = types.word(high - low + 1)
        term = terms.make(Op.BIT_SELECTION, types.to_sort(result), (operand.term,), (high, low))
        return Operand(term, result)

    def _mismatch_slice(self, shown: str, place: Span) -> None:
        advice = "select bits of a word[N] by constants N > high >= low >= 0"
        self._scope.report(errors.operand('"[:]"', shown, place, advice))


def _is_literal(term: Term) -> bool:
    """Tell whether a term is a number that can be an index in a name."""
    return term.op is Op.CONST or (term.op is Op.NEG and term.args[0].op is Op.CONST)


def _made(op: Op, type_: Type, args: list[Operand]) -> Operand:
    return Operand(terms.make(op, types.to_sort(type_), [arg.term for arg in args]), type_)
