"""From formulas of Z3 back to terms, for the fragment that invariants are made of.

Symbolic constants are integers to Z3; an order between such a variable and a number becomes
a list of the constants it allows. Words are not covered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import SWAPPED, Op
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.solving.solver import Formula, UnsupportedTermError
from mutproof.solving.z3_context import Z3Context, api, z3consts

_CHAINS = {
    z3consts.Z3_OP_AND: Op.AND,
    z3consts.Z3_OP_OR: Op.OR,
    z3consts.Z3_OP_ADD: Op.ADD,
    z3consts.Z3_OP_SUB: Op.SUB,
    z3consts.Z3_OP_MUL: Op.MUL,
}
_COMPARISONS = {
    z3consts.Z3_OP_LE: Op.LE,
    z3consts.Z3_OP_GE: Op.GE,
    z3consts.Z3_OP_LT: Op.LT,
    z3consts.Z3_OP_GT: Op.GT,
}
_PLAIN: dict[int, tuple[Op, Sort]] = {
    z3consts.Z3_OP_NOT: (Op.NOT, sorts.BOOL),
    z3consts.Z3_OP_IMPLIES: (Op.IMPLIES, sorts.BOOL),
    z3consts.Z3_OP_IFF: (Op.IFF, sorts.BOOL),
    z3consts.Z3_OP_XOR: (Op.XOR, sorts.BOOL),
    z3consts.Z3_OP_DIV: (Op.REAL_DIV, sorts.REAL),
    z3consts.Z3_OP_IDIV: (Op.DIV, sorts.INT),
    z3consts.Z3_OP_MOD: (Op.MOD, sorts.INT),
    z3consts.Z3_OP_TO_REAL: (Op.TO_REAL, sorts.REAL),
    z3consts.Z3_OP_TO_INT: (Op.FLOOR, sorts.INT),
}


@dataclass(frozen=True, slots=True)
class Leaf:
    """Name the variable that a bound variable stands for, and its sort with bounds."""

    name: str
    sort: Sort


def decode(context: Z3Context, root: Formula, bound: Mapping[int, Leaf]) -> Term:
    """Return a formula as a term; `bound` gives its numbered variables.

    Raises:
        UnsupportedTermError: the formula uses something terms do not have.
    """
    raw = context.raw
    reader = _ModelReader(context, bound)
    done: dict[int, Term] = {}
    stack: list[Any] = [root]
    while stack:
        formula = stack[-1]
        key = api.Z3_get_ast_id(raw, formula)
        if key in done:
            stack.pop()
            continue
        arguments = reader.arguments(formula)
        keys = [api.Z3_get_ast_id(raw, argument) for argument in arguments]
        missing = [a for a, k in zip(arguments, keys, strict=True) if k not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        done[key] = reader.combine(formula, [done[k] for k in keys])
    return done[api.Z3_get_ast_id(raw, root)]


def conjuncts(term: Term) -> tuple[Term, ...]:
    """Return the parts of a conjunction, `true` left out."""
    true = {terms.TRUE, terms.not_(terms.FALSE)}
    return tuple(dict.fromkeys(part for part in walk.conjuncts(term) if part not in true))


class _ModelReader:
    def __init__(self, context: Z3Context, bound: Mapping[int, Leaf]) -> None:
        self._context = context
        self._raw = context.raw
        self._bound = bound
        self._declared = {leaf.name: leaf.sort for leaf in bound.values()}

    def arguments(self, formula: Any) -> list[Any]:
        """Return the arguments of an application, nothing for anything else."""
        if api.Z3_get_ast_kind(self._raw, formula) != z3consts.Z3_APP_AST:
            return []
        count = api.Z3_get_app_num_args(self._raw, formula)
        return [api.Z3_get_app_arg(self._raw, formula, index) for index in range(count)]

    def combine(self, formula: Any, args: Sequence[Term]) -> Term:
        """Return one formula as a term, given its arguments as terms."""
        kind = api.Z3_get_ast_kind(self._raw, formula)
        if kind == z3consts.Z3_VAR_AST:
            leaf = self._bound[int(api.Z3_get_index_value(self._raw, formula))]
            return terms.var(leaf.name, leaf.sort)
        if kind == z3consts.Z3_NUMERAL_AST:
            return self._number(formula)
        if kind != z3consts.Z3_APP_AST:
            raise self._unsupported(formula)
        operation = api.Z3_get_decl_kind(self._raw, api.Z3_get_app_decl(self._raw, formula))
        if operation == z3consts.Z3_OP_TRUE:
            return terms.TRUE
        if operation == z3consts.Z3_OP_FALSE:
            return terms.FALSE
        if operation in _COMPARISONS:
            return self._comparison(formula, _COMPARISONS[operation], args)
        if operation == z3consts.Z3_OP_EQ:
            return self._equality(formula, args)
        if operation == z3consts.Z3_OP_DISTINCT and len(args) == 2:
            return terms.not_(self._equality(formula, args))
        if any(isinstance(arg.sort, sorts.EnumSort) for arg in args):
            raise self._unsupported(formula)
        if operation in _CHAINS:
            result = args[0]
            for argument in args[1:]:
                result = terms.make(_CHAINS[operation], result.sort, (result, argument))
            return result
        if operation == z3consts.Z3_OP_UMINUS:
            return terms.arithmetic(Op.NEG, args[0])
        if operation == z3consts.Z3_OP_ITE:
            return terms.ite(*args)
        if operation in _PLAIN:
            op, sort = _PLAIN[operation]
            return terms.make(op, sort, args)
        raise self._unsupported(formula)

    def _unsupported(self, formula: Any) -> UnsupportedTermError:
        return UnsupportedTermError(f"no term for {self._context.text(Formula(formula))[:80]}")

    def _number(self, formula: Any) -> Term:
        sort = api.Z3_get_sort_kind(self._raw, api.Z3_get_sort(self._raw, formula))
        text = str(api.Z3_get_numeral_string(self._raw, formula))
        if sort == z3consts.Z3_INT_SORT:
            return terms.int_(int(text))
        if sort == z3consts.Z3_REAL_SORT:
            return terms.real_(Fraction(text))
        raise self._unsupported(formula)

    def _equality(self, formula: Any, args: Sequence[Term]) -> Term:
        left, right = args
        if left.op is Op.CONST and right.op is not Op.CONST:
            left, right = right, left
        if isinstance(left.sort, sorts.EnumSort) and not isinstance(right.sort, sorts.EnumSort):
            return self._among(formula, left, right, lambda code, number: code == number)
        return terms.eq(left, right)

    def _comparison(self, formula: Any, op: Op, args: Sequence[Term]) -> Term:
        left, right = args
        if isinstance(right.sort, sorts.EnumSort):
            left, right, op = right, left, SWAPPED[op]
        if not isinstance(left.sort, sorts.EnumSort):
            return terms.compare(op, left, right)
        holds = {
            Op.LE: int.__le__,
            Op.GE: int.__ge__,
            Op.LT: int.__lt__,
            Op.GT: int.__gt__,
        }[op]
        return self._among(formula, left, right, holds)

    def _among(self, formula: Any, left: Term, right: Term, holds: Any) -> Term:
        """Return that `left` has a listed value whose comparison with a number is true."""
        declared = self._declared.get(str(left.payload)) if left.op is Op.VAR else None
        if not isinstance(declared, sorts.EnumSort) or right.op is not Op.CONST:
            raise self._unsupported(formula)
        number = right.payload
        return terms.disjunction(
            terms.eq(left, terms.const(value, left.sort))
            for value in declared.values
            if holds(self._context.code(value) if isinstance(value, str) else value, number)
        )
