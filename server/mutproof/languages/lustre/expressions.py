"""From expressions to typed terms: one pass over each, children first, without recursion.

The term has the shape of the expression: parentheses make no term, operators stay binary.
Beside the term runs the narrow sort that JKind's type rules speak of (a literal has its own
value as range); terms themselves have widened sorts.

Source: JKind, TypeChecker, DivisionChecker, ConstantArrayAccessBounded.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, cast

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.lustre import errors, guards, types
from mutproof.languages.lustre.environment import Callee, Environment
from mutproof.languages.lustre.syntax import (
    BINARY_OPERATORS,
    PREFIX_OPERATORS,
    Expression,
    Identifier,
    Shape,
)
from mutproof.model import constants, sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.passes import operands
from mutproof.model.sorts import ArraySort, IntSort, RecordSort, Sort, TupleSort
from mutproof.model.terms import Site, Term


class Typed(NamedTuple):
    """Hold a term and the narrow sort of its values."""

    term: Term
    sort: Sort


@dataclass(frozen=True, slots=True)
class UndefinedName:
    """Hold an undefined name, and the kind of thing it should have named."""

    noun: str
    name: Identifier


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """Hold the meaning of an expression, None if it has none, and its diagnostics.

    `undefined` is separate from the diagnostics, as similar names are known to callers only.
    """

    typed: Typed | None
    diagnostics: tuple[Diagnostic, ...]
    undefined: tuple[UndefinedName, ...]
    called: tuple[Identifier, ...]


_DIVISIONS = frozenset({Op.REAL_DIV, Op.DIV, Op.MOD})


def elaborate(root: Expression, environment: Environment) -> Meaning:
    """Elaborate an expression in an environment."""
    elaborator = _Elaborator(environment)
    typed = elaborator.run(root)
    warnings = guards.warnings(root, environment.is_constant, elaborator.remembered)
    return Meaning(
        typed,
        tuple(sorted((*elaborator.diagnostics, *warnings), key=lambda found: found.span.start)),
        tuple(elaborator.undefined),
        tuple(elaborator.called),
    )


class _Elaborator:
    """Hold what is found while one expression is elaborated."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._constants: dict[Term, sorts.Value | None] = {}
        self._site = 0
        self._pres: dict[Term, int] = {}
        self.remembered: dict[int, Sort] = {}  # sorts of `pre`, by where they begin
        self.diagnostics: list[Diagnostic] = []
        self.undefined: list[UndefinedName] = []
        self.called: list[Identifier] = []

    def run(self, root: Expression) -> Typed | None:
        order = self._preorder(root)
        self._site = len(self.called)
        done: list[Typed | None] = []
        for expression in reversed(order):
            count = len(expression.args)
            if count == 0:
                args: list[Typed | None] = []
            else:
                args = done[: -count - 1 : -1]
                del done[-count:]
            done.append(_RULES[expression.kind](self, expression, args))
        return done[0]

    def _preorder(self, root: Expression) -> list[Expression]:
        """Return all subexpressions, parents first; collect the calls of nodes on the way."""
        order: list[Expression] = []
        stack = [root]
        callees = self._environment.callees
        while stack:
            expression = stack.pop()
            order.append(expression)
            if expression.kind is Shape.CALL:
                callee = callees.get(expression.text)
                if callee is None or not callee.is_function:
                    token = expression.token
                    self.called.append(Identifier(expression.text, token.start, token.end))
            stack.extend(reversed(expression.args))
        return order

    # --- leaves

    def name(self, expression: Expression, _: list[Typed | None]) -> Typed | None:
        value = self._environment.values.get(expression.text)
        if value is None:
            if not self._environment.lenient:
                self._undefined("variable", expression.text, expression.token)
            return None
        if value.term is None or value.sort is None:
            return None
        return Typed(operands.written_again(value.term, self._pres), value.sort)

    def integer(self, expression: Expression, _: list[Typed | None]) -> Typed:
        number = int(expression.text)
        return Typed(terms.int_(number), IntSort(number, number))

    def decimal(self, expression: Expression, _: list[Typed | None]) -> Typed:
        return Typed(terms.real_(Fraction(expression.text)), sorts.REAL)

    def truth(self, expression: Expression, _: list[Typed | None]) -> Typed:
        return Typed(terms.bool_(expression.text == "true"), sorts.BOOL)

    # --- operators

    def prefix(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        operand = args[0]
        if operand is None:
            return None
        term, sort = operand
        op = PREFIX_OPERATORS[expression.text]
        match op, sort:
            case Op.PRE, _:
                self.remembered[expression.start] = sort
                return Typed(operands.occurrence(term, self._pres), sort)
            case (Op.NOT, sorts.BoolSort()) | (Op.NEG, sorts.RealSort()):
                return Typed(terms.make(op, term.sort, (term,)), sort)
            case Op.NEG, IntSort(low, high):
                negated = IntSort(None if high is None else -high, None if low is None else -low)
                return Typed(terms.arithmetic(op, term), negated)
            case _:
                self._report(errors.operand(expression.text, sort, expression.token))
                return None

    def binary(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        left, right = args
        if left is None or right is None:
            return None
        op = BINARY_OPERATORS[expression.text][0]
        sort = types.binary(op, left.sort, right.sort)
        if sort is None:
            self._report(errors.operands(expression.text, left.sort, right.sort, expression.token))
            return None
        divisor = constants.evaluate(right.term, self._constants) if op in _DIVISIONS else None
        if told := errors.divisor(divisor, expression.text, expression.args[1].span):
            self._report(told)
            if divisor == 0 and not self._environment.constant:
                return None
        result = left.term.sort if op is Op.ARROW else sorts.widened(sort)
        return Typed(terms.make(op, result, (left.term, right.term)), sort)

    def conditional(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        condition, then, otherwise = args
        fits = self._expect(sorts.BOOL, condition, expression.args[0])
        if then is None or otherwise is None:
            return None
        sort = types.joined(then.sort, otherwise.sort)
        if sort is None:
            self._report(errors.unlike(then.sort, otherwise.sort, expression.args[2].span))
            return None
        if not fits or condition is None:
            return None
        return Typed(terms.ite(condition.term, then.term, otherwise.term), sort)

    def cast(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        operand = args[0]
        if operand is None:
            return None
        if expression.text == "real":
            if not self._expect(sorts.INT, operand, expression.args[0]):
                return None
            return Typed(terms.make(Op.TO_REAL, sorts.REAL, (operand.term,)), sorts.REAL)
        if not self._expect(sorts.REAL, operand, expression.args[0]):
            return None
        return Typed(terms.make(Op.FLOOR, sorts.INT, (operand.term,)), sorts.INT)

    # --- calls

    def call(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        environment = self._environment
        callee = environment.callees.get(expression.text)
        number = -1
        if callee is None or not callee.is_function:
            self._site -= 1
            number = self._site
        if callee is None:
            if expression.text not in environment.callees:
                self._undefined("node", expression.text, expression.token)
            return None
        if callee.inputs is None:
            return None
        if len(callee.inputs) != len(args):
            self._report(
                errors.wrong_count("argument", len(callee.inputs), len(args), expression.token)
            )
            return None
        fits = True
        for wanted, given, arg in zip(callee.inputs, args, expression.args, strict=True):
            if wanted is None or not self._expect(wanted, given, arg):
                fits = False
        outputs = [sort for sort in callee.outputs if sort is not None]
        if not fits or len(outputs) != len(callee.outputs):
            return None
        given_terms = [given.term for given in args if given is not None]
        sort = outputs[0] if len(outputs) == 1 else TupleSort(tuple(outputs))
        if callee.is_function:
            return Typed(_application(callee, outputs, given_terms), sort)
        site = Site(callee.name, number, callee.output_names)
        return Typed(terms.make(Op.CALL, sorts.widened(sort), given_terms, site), sort)

    def condact(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        clock, call, *defaults = args
        fits = self._expect(sorts.BOOL, clock, expression.args[0])
        target = expression.args[1]
        if target.kind is not Shape.CALL or (call is not None and call.term.op is not Op.CALL):
            self._report(errors.condact_of(target.span))
            return None
        if call is None:
            return None
        outputs = call.sort.elements if isinstance(call.sort, TupleSort) else (call.sort,)
        if len(outputs) != len(defaults):
            self._report(
                errors.wrong_count("default", len(outputs), len(defaults), expression.token)
            )
            return None
        for wanted, given, arg in zip(outputs, defaults, expression.args[2:], strict=True):
            fits = self._expect(wanted, given, arg) and fits
        if not fits:
            return None
        parts = [cast("Typed", part).term for part in args]
        return Typed(terms.make(Op.CONDACT, call.term.sort, parts), call.sort)

    # --- records, arrays, tuples

    def field(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        record = args[0]
        if record is None:
            return None
        sort = self._field(record.sort, expression.names[0])
        if sort is None:
            return None
        term = terms.make(Op.FIELD, sorts.widened(sort), (record.term,), expression.text)
        return Typed(term, sort)

    def record_update(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        record, value = args
        if record is None:
            return None
        sort = self._field(record.sort, expression.names[0])
        if sort is None or not self._expect(sort, value, expression.args[1]) or value is None:
            return None
        pair = (record.term, value.term)
        term = terms.make(Op.RECORD_UPDATE, record.term.sort, pair, expression.text)
        return Typed(term, record.sort)

    def index(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        array, index = args
        if array is None or index is None or not self._indexed(array, index, expression):
            return None
        assert isinstance(array.sort, ArraySort)
        element = array.sort.element
        term = terms.make(Op.INDEX, sorts.widened(element), (array.term, index.term))
        return Typed(term, element)

    def array_update(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        array, index, value = args
        if array is None or index is None or not self._indexed(array, index, expression):
            return None
        assert isinstance(array.sort, ArraySort)
        if not self._expect(array.sort.element, value, expression.args[2]) or value is None:
            return None
        parts = (array.term, index.term, value.term)
        return Typed(terms.make(Op.ARRAY_UPDATE, array.term.sort, parts), array.sort)

    def record(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        table = self._environment.types
        resolved = table.get(expression.text)
        if resolved is None:
            if expression.text not in table:
                self._undefined("type", expression.text, expression.token)
            return None
        sort = resolved.sort
        if not isinstance(sort, RecordSort):
            self._report(errors.mismatch("a record type", sort, expression.token))
            return None
        given: dict[str, Term] = {}
        fits = True
        seen: dict[str, Span] = {}
        fields = dict(sort.fields)
        for name, value, arg in zip(expression.names, args, expression.args, strict=True):
            if name.name in seen:
                self._report(errors.duplicate("field", name.name, name.span, seen[name.name]))
                fits = False
                continue
            seen[name.name] = name.span
            wanted = fields[name.name] if name.name in fields else self._field(sort, name)
            if wanted is None or not self._expect(wanted, value, arg) or value is None:
                fits = False
            else:
                given[name.name] = value.term
        for field, _ in sort.fields:
            if field not in seen:
                self._report(errors.missing_field(field, expression.text, expression.token))
                fits = False
        if not fits:
            return None
        parts = [given[name] for name, _ in sort.fields]
        return Typed(terms.make(Op.RECORD, sorts.widened(sort), parts), sort)

    def array(self, expression: Expression, args: list[Typed | None]) -> Typed | None:
        if any(arg is None for arg in args):
            return None
        elements = cast("list[Typed]", args)
        common = elements[0].sort
        for element, arg in zip(elements[1:], expression.args[1:], strict=True):
            wider = types.joined(common, element.sort)
            if wider is None:
                self._report(errors.unlike(common, element.sort, arg.span))
                return None
            common = wider
        sort = ArraySort(0, len(elements) - 1, common)
        parts = [element.term for element in elements]
        return Typed(terms.make(Op.ARRAY, sorts.widened(sort), parts), sort)

    def tuple(self, _: Expression, args: list[Typed | None]) -> Typed | None:
        if any(arg is None for arg in args):
            return None
        elements = cast("list[Typed]", args)
        sort = TupleSort(tuple(element.sort for element in elements))
        parts = [element.term for element in elements]
        return Typed(terms.make(Op.TUPLE, sorts.widened(sort), parts), sort)

    # --- checks

    def _report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    def _undefined(self, noun: str, name: str, span: Span) -> None:
        self.undefined.append(UndefinedName(noun, Identifier(name, span.start, span.end)))

    def _expect(self, wanted: Sort, given: Typed | None, where: Expression) -> bool:
        """Tell whether a value has a sort; report if not, unless its sort is unknown."""
        if given is None:
            return False
        if types.assignable(wanted, given.sort):
            return True
        self._report(errors.mismatch(wanted, given.sort, where.span))
        return False

    def _field(self, sort: Sort, name: Identifier) -> Sort | None:
        if isinstance(sort, RecordSort):
            for field, part in sort.fields:
                if field == name.name:
                    return part
        self._report(errors.no_field(name.name, sort, name.span))
        return None

    def _indexed(self, array: Typed, index: Typed, expression: Expression) -> bool:
        if not isinstance(array.sort, ArraySort):
            self._report(errors.mismatch("an array", array.sort, expression.args[0].span))
            return False
        if not self._expect(sorts.INT, index, expression.args[1]):
            return False
        # JKind checks the bounds of constant indices only.
        varies = bool(walk.variables(index.term))
        position = None if varies else constants.evaluate(index.term, self._constants)
        if isinstance(position, int) and not 0 <= position < array.sort.size:
            self._report(
                errors.index_out_of_bounds(position, array.sort.size, expression.args[1].span)
            )
            return False
        return True


def _application(callee: Callee, outputs: list[Sort], given: list[Term]) -> Term:
    """Return the term of a function call: one application for every output."""
    parts = [
        terms.make(Op.APPLY, sorts.widened(sort), given, (callee.name, position))
        for position, sort in enumerate(outputs)
    ]
    if len(parts) == 1:
        return parts[0]
    return terms.make(Op.TUPLE, TupleSort(tuple(part.sort for part in parts)), parts)


_RULES = {
    Shape.NAME: _Elaborator.name,
    Shape.INTEGER: _Elaborator.integer,
    Shape.DECIMAL: _Elaborator.decimal,
    Shape.TRUTH: _Elaborator.truth,
    Shape.PREFIX: _Elaborator.prefix,
    Shape.BINARY: _Elaborator.binary,
    Shape.CONDITIONAL: _Elaborator.conditional,
    Shape.CAST: _Elaborator.cast,
    Shape.CALL: _Elaborator.call,
    Shape.CONDACT: _Elaborator.condact,
    Shape.FIELD: _Elaborator.field,
    Shape.RECORD_UPDATE: _Elaborator.record_update,
    Shape.INDEX: _Elaborator.index,
    Shape.ARRAY_UPDATE: _Elaborator.array_update,
    Shape.RECORD: _Elaborator.record,
    Shape.ARRAY: _Elaborator.array,
    Shape.TUPLE: _Elaborator.tuple,
}
