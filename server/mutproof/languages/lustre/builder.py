"""From rules of the grammar to the tree: one method per rule of `grammars/lustre.lark`.

Methods receive the parts of a rule in order; optional parts that are absent are None.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from mutproof.base.grammar import Terminal
from mutproof.base.span import Span
from mutproof.languages.lustre.syntax import (
    BINARY_OPERATORS,
    DEPTH_LIMIT,
    RIGHT_ASSOCIATIVE,
    Assertion,
    ConstantDeclaration,
    CorePragma,
    Equation,
    Expression,
    Identifier,
    MainPragma,
    PropertyStatement,
    RealizablePragma,
    Shape,
    Signature,
    TypeDeclaration,
    TypeExpression,
    TypeKind,
    VariableGroup,
)

Parts: TypeAlias = list[Any]

DIGITS_LIMIT = 4000
"""How many digits a number may have; Python refuses to read much more."""


class TooDeepError(Exception):
    """Tell that an expression is deeper than `DEPTH_LIMIT`, and where it begins."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


class NumberTooLongError(Exception):
    """Tell that a number has more than `DIGITS_LIMIT` digits, and where it stands."""

    def __init__(self, token: Terminal) -> None:
        super().__init__(token)
        self.span = Span(token.start, token.end)


def _identifier(token: Terminal) -> Identifier:
    return Identifier(token.text, token.start, token.end)


def _number(token: Terminal) -> int:
    if len(token.text) > DIGITS_LIMIT:
        raise NumberTooLongError(token)
    return int(token.text)


def _leaf(kind: Shape, token: Terminal) -> Expression:
    _, text, start, end = token
    return Expression(kind, text, (), (), start, end, start, end, start, end, 1)


def _compound(
    kind: Shape,
    text: str,
    args: tuple[Expression, ...],
    bounds: tuple[int, int],
    *,
    token: tuple[int, int],
    names: tuple[Identifier, ...] = (),
) -> Expression:
    depth = 1
    for arg in args:
        depth = max(depth, arg.depth)
    start, end = bounds
    if depth >= DEPTH_LIMIT:
        raise TooDeepError(start)
    return Expression(
        kind, text, args, names, start, end, token[0], token[1], start, end, depth + 1
    )


def _first_token(base: Expression) -> tuple[int, int]:
    """Return the range of the first token of an expression that begins with `base`."""
    if base.outer_start < base.start:
        return base.outer_start, base.outer_start + 1
    return base.token_start, base.token_end


def _joined(left: Expression, operator: Terminal, right: Expression) -> Expression:
    depth = max(left.depth, right.depth)
    if depth >= DEPTH_LIMIT:
        raise TooDeepError(left.outer_start)
    start, end = left.outer_start, right.outer_end
    return Expression(
        Shape.BINARY,
        operator.text,
        (left, right),
        (),
        start,
        end,
        operator.start,
        operator.end,
        start,
        end,
        depth + 1,
    )


class Builder:
    """Build the tree; has no state."""

    # --- declarations

    def typedef(self, parts: Parts) -> TypeDeclaration:
        """Build `type name = type;`."""
        return TypeDeclaration(_identifier(parts[1]), parts[3])

    def constant(self, parts: Parts) -> ConstantDeclaration:
        """Build `const name: type = value;`."""
        return ConstantDeclaration(_identifier(parts[1]), parts[3], parts[5])

    def header(self, parts: Parts) -> Signature:
        """Build the header of a node or function."""
        return Signature(_identifier(parts[1]), parts[3] or (), parts[7] or ())

    function = header

    def locals(self, parts: Parts) -> VariableGroup:
        """Build one group of local variables."""
        group: VariableGroup = parts[1]
        return group

    def groups(self, parts: Parts) -> tuple[VariableGroup, ...]:
        """Build the groups of a parameter list."""
        return tuple(part for part in parts if isinstance(part, VariableGroup))

    def group(self, parts: Parts) -> VariableGroup:
        """Build `a, b: type`."""
        return VariableGroup(parts[0], parts[2])

    def identifiers(self, parts: Parts) -> tuple[Identifier, ...]:
        """Build `a, b`."""
        return tuple(_identifier(token) for token in parts[::2])

    # --- types

    def struct(self, parts: Parts) -> TypeExpression:
        """Build `struct {a: t; b: t}`."""
        fields: list[tuple[Identifier, TypeExpression]] = [
            part for part in parts if isinstance(part, tuple) and not isinstance(part, Terminal)
        ]
        return TypeExpression(
            TypeKind.STRUCT,
            parts[0].start,
            parts[-1].end,
            names=tuple(name for name, _ in fields),
            parts=tuple(part for _, part in fields),
            depth=1 + max(part.depth for _, part in fields),
        )

    def field_type(self, parts: Parts) -> tuple[Identifier, TypeExpression]:
        """Build `a: t`."""
        return _identifier(parts[0]), parts[2]

    def enumeration(self, parts: Parts) -> TypeExpression:
        """Build `enum {A, B}`."""
        return TypeExpression(TypeKind.ENUM, parts[0].start, parts[3].end, names=parts[2])

    def simple_type(self, parts: Parts) -> TypeExpression:
        """Build `int`, `bool` or `real`."""
        token = parts[0]
        return TypeExpression(TypeKind(token.text), token.start, token.end)

    def named_type(self, parts: Parts) -> TypeExpression:
        """Build the use of a declared type."""
        name = _identifier(parts[0])
        return TypeExpression(TypeKind.NAMED, name.start, name.end, names=(name,))

    def subrange(self, parts: Parts) -> TypeExpression:
        """Build `subrange [low, high] of int`."""
        return TypeExpression(
            TypeKind.SUBRANGE, parts[0].start, parts[7].end, numbers=(parts[2], parts[4])
        )

    def bound(self, parts: Parts) -> int:
        """Build a bound of a subrange."""
        return _number(parts[1]) if parts[0] is None else -_number(parts[1])

    def array_type(self, parts: Parts) -> TypeExpression:
        """Build `t[3]`."""
        element: TypeExpression = parts[0]
        if element.depth >= DEPTH_LIMIT:
            raise TooDeepError(element.start)
        return TypeExpression(
            TypeKind.ARRAY,
            element.start,
            parts[3].end,
            parts=(element,),
            numbers=(_number(parts[2]),),
            depth=element.depth + 1,
        )

    # --- statements

    def equation(self, parts: Parts) -> Equation:
        """Build `a, b = body;`."""
        targets: tuple[Identifier, ...] = parts[0]
        return Equation(targets, Span(targets[0].start, targets[-1].end), parts[2])

    def tuple_equation(self, parts: Parts) -> Equation:
        """Build `(a, b) = body;`."""
        return Equation(parts[1], Span(parts[0].start, parts[2].end), parts[4])

    def empty_equation(self, parts: Parts) -> Equation:
        """Build `() = body;`."""
        return Equation((), Span(parts[0].start, parts[1].end), parts[3])

    def assertion(self, parts: Parts) -> Assertion:
        """Build `assert body;`."""
        return Assertion(Span(parts[0].start, parts[0].end), parts[1])

    def property(self, parts: Parts) -> PropertyStatement:
        """Build `--%PROPERTY part;`."""
        part: Expression = parts[1]
        names = []
        inner = part
        while inner.args:
            is_field = inner.kind is Shape.FIELD
            names.append(f".{inner.text}" if is_field else f"[{int(inner.args[1].text)}]")
            inner = inner.args[0]
        return PropertyStatement(inner.text + "".join(reversed(names)), part)

    def main(self, parts: Parts) -> MainPragma:
        """Build `--%MAIN;`."""
        return MainPragma(Span(parts[0].start, parts[0].end))

    def realizable(self, parts: Parts) -> RealizablePragma:
        """Build `--%REALIZABLE a, b;`."""
        return RealizablePragma(parts[1] or ())

    def core_candidates(self, parts: Parts) -> CorePragma:
        """Build `--%IVC a, b;`."""
        return CorePragma(parts[1] or ())

    # --- expressions

    def name(self, parts: Parts) -> Expression:
        """Build the use of a variable or constant."""
        return _leaf(Shape.NAME, parts[0])

    def integer(self, parts: Parts) -> Expression:
        """Build an integer literal."""
        _number(parts[0])
        return _leaf(Shape.INTEGER, parts[0])

    def decimal(self, parts: Parts) -> Expression:
        """Build a real literal."""
        token: Terminal = parts[0]
        mantissa, _, exponent = token.text.replace("E", "e").partition("e")
        if len(mantissa) > DIGITS_LIMIT or abs(int((exponent or "0")[:9])) > DIGITS_LIMIT:
            raise NumberTooLongError(token)
        return _leaf(Shape.DECIMAL, token)

    def truth(self, parts: Parts) -> Expression:
        """Build `true` or `false`."""
        return _leaf(Shape.TRUTH, parts[0])

    def parenthesised(self, parts: Parts) -> Expression:
        """Build `(e)`: the expression itself, which now knows its parentheses."""
        inner: Expression = parts[1]
        return Expression(*inner[:8], parts[0].start, parts[2].end, inner.depth)

    def binary(self, parts: Parts) -> Expression:
        """Build a run of operands by the precedence of the operators between them."""
        if len(parts) == 3:
            return _joined(*parts)
        operands: list[Expression] = [parts[0]]
        pending: list[tuple[int, Terminal]] = []
        for index in range(1, len(parts), 2):
            operator: Terminal = parts[index]
            level = BINARY_OPERATORS[operator.text][1]
            while pending and (
                pending[-1][0] > level
                or (pending[-1][0] == level and level not in RIGHT_ASSOCIATIVE)
            ):
                right = operands.pop()
                operands.append(_joined(operands.pop(), pending.pop()[1], right))
            pending.append((level, operator))
            operands.append(parts[index + 1])
        while pending:
            right = operands.pop()
            operands.append(_joined(operands.pop(), pending.pop()[1], right))
        return operands[0]

    def prefix(self, parts: Parts) -> Expression:
        """Build `not e`, `pre e` or `-e`."""
        operator, operand = parts
        return _compound(
            Shape.PREFIX,
            operator.text,
            (operand,),
            (operator.start, operand.outer_end),
            token=(operator.start, operator.end),
        )

    def conditional(self, parts: Parts) -> Expression:
        """Build `if c then a else b`."""
        word, condition, _, then, _, otherwise = parts
        return _compound(
            Shape.CONDITIONAL,
            "if",
            (condition, then, otherwise),
            (word.start, otherwise.outer_end),
            token=(word.start, word.end),
        )

    def cast(self, parts: Parts) -> Expression:
        """Build `real(e)` or `floor(e)`."""
        word = parts[0]
        whole, token = (word.start, parts[3].end), (word.start, word.end)
        return _compound(Shape.CAST, word.text, (parts[2],), whole, token=token)

    def call(self, parts: Parts) -> Expression:
        """Build `f(a, b)`."""
        callee, _, args, closing = parts
        return _compound(
            Shape.CALL,
            callee.text,
            args or (),
            (callee.start, closing.end),
            token=(callee.start, callee.end),
        )

    def condact(self, parts: Parts) -> Expression:
        """Build `condact(clock, call, defaults)`."""
        word = parts[0]
        return _compound(
            Shape.CONDACT,
            word.text,
            (parts[2], *parts[4]),
            (word.start, parts[5].end),
            token=(word.start, word.end),
        )

    def expressions(self, parts: Parts) -> tuple[Expression, ...]:
        """Build `a, b`."""
        return tuple(parts[::2])

    def field(self, parts: Parts) -> Expression:
        """Build `r.f`."""
        base, _, name = parts
        return _compound(
            Shape.FIELD,
            name.text,
            (base,),
            (base.outer_start, name.end),
            token=_first_token(base),
            names=(_identifier(name),),
        )

    def record_update(self, parts: Parts) -> Expression:
        """Build `r {f := e}`."""
        base, _, name, _, value, closing = parts
        return _compound(
            Shape.RECORD_UPDATE,
            name.text,
            (base, value),
            (base.outer_start, closing.end),
            token=_first_token(base),
            names=(_identifier(name),),
        )

    def named_record_update(self, parts: Parts) -> Expression:
        """Build `x {f := e}`."""
        return self.record_update([_leaf(Shape.NAME, parts[0]), *parts[1:]])

    def index(self, parts: Parts) -> Expression:
        """Build `a[i]`."""
        base, _, index, closing = parts
        return _compound(
            Shape.INDEX,
            "[",
            (base, index),
            (base.outer_start, closing.end),
            token=_first_token(base),
        )

    def array_update(self, parts: Parts) -> Expression:
        """Build `a[i := e]`."""
        base, _, index, _, value, closing = parts
        return _compound(
            Shape.ARRAY_UPDATE,
            "[",
            (base, index, value),
            (base.outer_start, closing.end),
            token=_first_token(base),
        )

    def record(self, parts: Parts) -> Expression:
        """Build `r {f = e; g = e}`."""
        word, closing = parts[0], parts[-1]
        values: list[tuple[Identifier, Expression]] = [
            part for part in parts[2:-1] if part is not None and not isinstance(part, Terminal)
        ]
        return _compound(
            Shape.RECORD,
            word.text,
            tuple(value for _, value in values),
            (word.start, closing.end),
            token=(word.start, word.end),
            names=tuple(name for name, _ in values),
        )

    def field_value(self, parts: Parts) -> tuple[Identifier, Expression]:
        """Build `f = e`."""
        return _identifier(parts[0]), parts[2]

    def array(self, parts: Parts) -> Expression:
        """Build `[a, b]`."""
        opening, elements, closing = parts
        return _compound(
            Shape.ARRAY,
            "[",
            elements,
            (opening.start, closing.end),
            token=(opening.start, opening.end),
        )

    def tuple(self, parts: Parts) -> Expression:
        """Build `(a, b)`."""
        opening, first, _, rest, closing = parts
        return _compound(
            Shape.TUPLE,
            "(",
            (first, *rest),
            (opening.start, closing.end),
            token=(opening.start, opening.end),
        )
