"""The operators of NuSMV that are written like functions.

Source: NuSMV 2.6 user manual §2.2.4 (casts, words, `count`, `abs`, `min`, `max`).
"""

from __future__ import annotations

from mutproof.languages.nusmv import types
from mutproof.languages.nusmv.scope import NameScope, Operand
from mutproof.languages.nusmv.syntax import Form
from mutproof.languages.nusmv.types import TypeFamily
from mutproof.model import semantics, sorts, terms
from mutproof.model.operators import Op

WIDEST_WORD = 64

Problem = tuple[str, str]
"""What is wrong, and what to do."""


def apply(name: str, args: list[Operand], scope: NameScope) -> Operand | Problem:
    """Return the value of a call, or what is wrong with it."""
    first = args[0].type
    match name:
        case "bool":
            if first in {types.BOOLEAN, types.INTEGER} or (first.is_word and first.width == 1):
                return _cast(Op.TO_BOOL, types.BOOLEAN, args)
        case "toint":
            if first in {types.BOOLEAN, types.INTEGER} or first.is_word:
                return _cast(Op.TO_INT, types.INTEGER, args)
        case "floor":
            if first.is_number:
                return _cast(Op.FLOOR, types.INTEGER, args)
        case "word1":
            if first == types.BOOLEAN:
                return _cast(Op.WORD1, types.word(1), args)
        case "signed" | "unsigned":
            if first.is_word:
                op = Op.SIGNED if name == "signed" else Op.UNSIGNED
                return _cast(op, types.word(first.width, signed=name == "signed"), args)
        case "sizeof":
            if first.is_word:
                return Operand(terms.int_(first.width), types.INTEGER)
        case "count":
            if all(arg.type == types.BOOLEAN for arg in args):
                return _cast(Op.COUNT, types.INTEGER, args)
        case "extend" | "resize":
            if first.is_word:
                return _widened(name, args, scope)
        case "uwconst" | "swconst":
            return _word_constant(name, args, scope)
        case "abs" | "min" | "max":
            return _macro(name, args)
        case _:
            return (
                f"{name} works on arrays without bounds, from which no model can be built",
                "declare an array with bounds and index it",
            )
    shown = " and ".join(str(arg.type) for arg in args)
    plural = "types" if len(args) > 1 else "type"
    return f'illegal operand {plural} of "{name}": {shown}', types.advice(
        Form.CALL, tuple(arg.type for arg in args)
    )


def _cast(op: Op, result: types.Type, args: list[Operand]) -> Operand:
    term = terms.make(op, types.to_sort(result), [arg.term for arg in args])
    return Operand(term, result)


def _widened(name: str, args: list[Operand], scope: NameScope) -> Operand | Problem:
    word, count = args[0], scope.fix(args[1].term)
    lowest = 0 if name == "extend" else 1
    if count is None or count < lowest:
        return f"the second operand of {name} must be a constant", f"use a number from {lowest} on"
    width = word.type.width + count if name == "extend" else count
    if width > WIDEST_WORD:
        return f"the result of {name} is {width} bits wide", "words are at most 64 bits wide"
    result = types.word(width, signed=word.type.kind is TypeFamily.SIGNED)
    op = Op.EXTEND if name == "extend" else Op.RESIZE
    return Operand(terms.make(op, types.to_sort(result), (word.term,)), result)


def _word_constant(name: str, args: list[Operand], scope: NameScope) -> Operand | Problem:
    value, width = (scope.fix(arg.term) for arg in args)
    if value is None or width is None:
        return f"the operands of {name} must be constants", "use numbers and DEFINEs"
    if not 1 <= width <= WIDEST_WORD:
        return "width specifier is out of range [1, 64]", "words are at most 64 bits wide"
    sort = sorts.WordSort(width, name == "swconst")
    if name == "swconst":
        # NuSMV keeps the low bits of a value that does not fit.
        value = semantics.wrapped(value, sort)
    if not sorts.contains(sort, value):
        return f"{value} is not representable in {sorts.describe(sort)}", "use a wider word"
    return Operand(terms.const(value, sort), types.of_sort(sort))


def _macro(name: str, args: list[Operand]) -> Operand | Problem:
    """Return the expansion of `abs`, `min` or `max`, as NuSMV's parser does, or a problem."""
    left = args[0]
    right = args[1] if name != "abs" else Operand(terms.int_(0), types.INTEGER)
    form = Form.GREATER_EQUAL if name == "abs" else Form.LESS
    if types.binary(form, left.type, right.type) is None:
        shown = f"{left.type} and {right.type}"
        return f'illegal operand types of "{form.value}" in {name}: {shown}', types.advice(
            form, (left.type, right.type)
        )
    result = types.common(left.type, right.type)
    assert result is not None
    sort = types.to_sort(result)
    if name == "abs":
        condition = terms.compare(Op.GE, left.term, right.term)
        negated = terms.make(Op.NEG, sort, (left.term,))
        return Operand(terms.make(Op.ITE, sort, (condition, left.term, negated)), left.type)
    condition = terms.compare(Op.LT, left.term, right.term)
    chosen = (left.term, right.term) if name == "min" else (right.term, left.term)
    return Operand(terms.make(Op.ITE, sort, (condition, *chosen)), result)
