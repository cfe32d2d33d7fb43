"""A Z3 context with typed wrappers that build formulas.

It calls the C interface directly: building formulas through z3's Python classes takes five
times as long. A context keeps every formula alive until it is dropped itself.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from mutproof.model import sorts
from mutproof.model.sorts import Sort, Value
from mutproof.solving.account import ACCOUNT, CONTEXT_UNITS
from mutproof.solving.solver import (
    Formula,
    NotRepresentableError,
    UnsupportedTermError,
)
from mutproof.solving.z3_library import Ast, Z3Exception, api, raw_array, without_classes

with without_classes():
    from z3 import z3consts

__all__ = [
    "SYMBOL_BASE",
    "Ast",
    "Z3Context",
    "Z3Exception",
    "api",
    "raw_array",
    "z3consts",
]

SYMBOL_BASE = 1 << 31
"""Symbolic constants are integers from here on, so that none equals an integer of a list."""


class Z3Context:
    """Own a Z3 context: sorts, symbolic constants, and typed wrappers that build formulas.

    `heed` is called before every check, and raises if the answer is not wanted any more.
    """

    def __init__(self, heed: Callable[[], None] | None = None) -> None:
        self.heed = heed
        config = api.Z3_mk_config()
        self.raw: Any = api.Z3_mk_context(config)
        api.Z3_del_config(config)
        ACCOUNT.charge(CONTEXT_UNITS)
        self.counted = 0  # units of this context charged so far
        api.handle_errors(self.raw)
        weakref.finalize(self, api.Z3_del_context, self.raw)
        self.bool_sort: Any = api.Z3_mk_bool_sort(self.raw)
        self.int_sort: Any = api.Z3_mk_int_sort(self.raw)
        self.real_sort: Any = api.Z3_mk_real_sort(self.raw)
        self.true = Formula(api.Z3_mk_true(self.raw))
        self.false = Formula(api.Z3_mk_false(self.raw))
        self._thread = threading.get_ident()
        self._unused: list[Any] = []  # solvers to release in that thread
        self._word_sorts: dict[int, Any] = {}
        self._codes: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._functions: dict[tuple[str, int], tuple[Any, tuple[Sort, ...], Sort]] = {}

    def hold(self, solver: Any, holder: object) -> None:
        """Keep a solver, and this context, as long as `holder` is there."""
        api.Z3_solver_inc_ref(self.raw, solver)
        while self._unused:
            api.Z3_solver_dec_ref(self.raw, self._unused.pop())
        weakref.finalize(holder, self._release, solver)

    def _release(self, solver: Any) -> None:
        # Python's collector may run in any thread, and z3 may be at work in this context.
        if threading.get_ident() == self._thread:
            api.Z3_solver_dec_ref(self.raw, solver)
        else:
            self._unused.append(solver)

    def interrupt(self) -> None:
        """Make a check that runs in another thread answer UNKNOWN soon."""
        api.Z3_interrupt(self.raw)

    def sort(self, sort: Sort) -> Any:
        """Return Z3's sort for a scalar sort.

        Raises:
            UnsupportedTermError: the sort is not scalar.
        """
        match sort:
            case sorts.BoolSort():
                return self.bool_sort
            case sorts.IntSort() | sorts.EnumSort():
                return self.int_sort
            case sorts.RealSort():
                return self.real_sort
            case sorts.WordSort(width, _):
                if width not in self._word_sorts:
                    self._word_sorts[width] = api.Z3_mk_bv_sort(self.raw, width)
                return self._word_sorts[width]
            case _:
                message = f"systems have no values of sort {sorts.describe(sort)}"
                raise UnsupportedTermError(message)

    def numeral(self, value: int | Fraction, raw_sort: Any) -> Formula:
        """Return a number of a raw sort."""
        return Formula(api.Z3_mk_numeral(self.raw, str(value), raw_sort))

    def int_(self, value: int) -> Formula:
        """Return an integer."""
        return self.numeral(value, self.int_sort)

    def code(self, symbol: str) -> int:
        """Return the integer that stands for a symbolic constant in this context."""
        if symbol not in self._codes:
            self._codes[symbol] = SYMBOL_BASE + len(self._codes)
            self._names[self._codes[symbol]] = symbol
        return self._codes[symbol]

    def constant_value(self, value: object, sort: Sort) -> Formula:
        """Return a value as a formula.

        Raises:
            UnsupportedTermError: the value is no scalar.
        """
        if isinstance(value, bool):
            return self.true if value else self.false
        if isinstance(value, str):
            return self.int_(self.code(value))
        if isinstance(value, int | Fraction):
            return self.numeral(value, self.sort(sort))
        message = f"no scalar value: {value!r}"
        raise UnsupportedTermError(message)

    def variable(self, name: str, sort: Sort) -> Formula:
        """Return the constant of that name and sort."""
        symbol = api.Z3_mk_string_symbol(self.raw, name)
        return Formula(api.Z3_mk_const(self.raw, symbol, self.sort(sort)))

    def function(self, key: tuple[str, int], inputs: tuple[Sort, ...], output: Sort) -> Any:
        """Return the declaration of one output of an uninterpreted function."""
        if key not in self._functions:
            symbol = api.Z3_mk_string_symbol(self.raw, f"{key[0]}|{key[1]}")
            domain = raw_array([self.sort(sort) for sort in inputs])
            declaration = api.Z3_mk_func_decl(
                self.raw, symbol, len(inputs), domain, self.sort(output)
            )
            self._functions[key] = (declaration, inputs, output)
        return self._functions[key][0]

    @property
    def functions(self) -> Mapping[tuple[str, int], tuple[Any, tuple[Sort, ...], Sort]]:
        """Return the functions applied so far: declaration, argument sorts, result sort."""
        return self._functions

    def apply(self, declaration: Any, arguments: Sequence[Formula]) -> Formula:
        """Return the application of a declared function."""
        return Formula(api.Z3_mk_app(self.raw, declaration, len(arguments), raw_array(arguments)))

    def call(self, operation: str, *arguments: Any) -> Formula:
        """Return `Z3_mk_<operation>` of the arguments (formulas and plain integers)."""
        return Formula(getattr(api, "Z3_mk_" + operation)(self.raw, *arguments))

    def call_many(self, operation: str, arguments: Sequence[Formula]) -> Formula:
        """Return `Z3_mk_<operation>` of any number of arguments."""
        function = getattr(api, "Z3_mk_" + operation)
        return Formula(function(self.raw, len(arguments), raw_array(arguments)))

    def conjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the conjunction of any number of formulas."""
        if len(formulas) == 1:
            return formulas[0]
        return self.call_many("and", formulas) if formulas else self.true

    def disjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the disjunction of any number of formulas."""
        if len(formulas) == 1:
            return formulas[0]
        return self.call_many("or", formulas) if formulas else self.false

    def substitute(
        self, formula: Formula, old: Sequence[Formula], new: Sequence[Formula]
    ) -> Formula:
        """Return the formula with subformulas replaced simultaneously."""
        count = len(old)
        return Formula(api.Z3_substitute(self.raw, formula, count, raw_array(old), raw_array(new)))

    def for_all(self, constants: Sequence[Formula], body: Formula) -> Formula:
        """Return the statement that a formula holds whatever the values of some constants."""
        if not constants:
            return body
        bound, patterns = raw_array(constants), raw_array(())
        rule = api.Z3_mk_forall_const(self.raw, 0, len(constants), bound, 0, patterns, body)
        return Formula(rule)

    def in_domain(self, formula: Formula, sort: Sort) -> Formula | None:
        """Return the statement that a value lies in the bounds of its sort, None if it must."""
        parts: list[Formula] = []
        if isinstance(sort, sorts.IntSort):
            if sort.low is not None:
                parts.append(self.call("ge", formula, self.int_(sort.low)))
            if sort.high is not None:
                parts.append(self.call("le", formula, self.int_(sort.high)))
        elif isinstance(sort, sorts.EnumSort) and sort.values:
            codes = sorted(
                self.code(value) if isinstance(value, str) else int(value) for value in sort.values
            )
            if codes[-1] - codes[0] == len(codes) - 1:
                parts.append(self.call("ge", formula, self.int_(codes[0])))
                parts.append(self.call("le", formula, self.int_(codes[-1])))
            else:
                parts.append(
                    self.disjunction([self.call("eq", formula, self.int_(c)) for c in codes])
                )
        return self.conjunction(parts) if parts else None

    def to_value(self, formula: Formula, sort: Sort) -> Value:
        """Return a numeral or truth value as the value of a sort.

        Raises:
            NotRepresentableError: the formula is an irrational number or no value.
        """
        if isinstance(sort, sorts.BoolSort):
            truth = api.Z3_get_bool_value(self.raw, formula)
            if truth == z3consts.Z3_L_UNDEF:
                raise NotRepresentableError(self.text(formula))
            return bool(truth == z3consts.Z3_L_TRUE)
        if api.Z3_get_ast_kind(self.raw, formula) != z3consts.Z3_NUMERAL_AST:
            raise NotRepresentableError(self.text(formula))
        text = str(api.Z3_get_numeral_string(self.raw, formula))
        match sort:
            case sorts.RealSort():
                return Fraction(text)
            case sorts.WordSort(width, signed):
                number = int(text)
                return number - (1 << width) if signed and number >> (width - 1) else number
            case sorts.EnumSort(_, values):
                # A sort without listed values has a further constant for each unknown number.
                return self._names.get(int(text), int(text) if values else f"?{text}")
            case _:
                return int(text)

    def text(self, formula: Formula) -> str:
        """Return a formula as SMT-LIB text."""
        return str(api.Z3_ast_to_string(self.raw, formula))

    def smtlib(self, formula: Formula) -> str:
        """Return a formula as the standard writes it; parts that occur often stand once."""
        api.Z3_set_ast_print_mode(self.raw, z3consts.Z3_PRINT_SMTLIB2_COMPLIANT)
        return self.text(formula)

    @property
    def symbols(self) -> Mapping[int, str]:
        """Return the symbolic constants used so far, by the integers that stand for them."""
        return self._names

    def parameters(self, values: Mapping[str, bool | int]) -> Any:
        """Return a parameter set with whole numbers and truth values."""
        raw = api.Z3_mk_params(self.raw)
        api.Z3_params_inc_ref(self.raw, raw)
        for name, value in values.items():
            symbol = api.Z3_mk_string_symbol(self.raw, name)
            if isinstance(value, bool):
                api.Z3_params_set_bool(self.raw, raw, symbol, value)
            else:
                api.Z3_params_set_uint(self.raw, raw, symbol, min(value, 0xFFFFFFFF))
        return raw


def run_script(text: str, timeout_s: float) -> str:
    """Return what a new solver prints for an SMT-LIB script; seconds are for each check."""
    context = Z3Context()
    limit = f"(set-option :timeout {max(1, int(min(timeout_s, 4e6) * 1000))})\n"
    try:
        return str(api.Z3_eval_smtlib2_string(context.raw, limit + text))
    except Z3Exception as error:
        return str(error)  # has what was printed before


def version() -> str:
    """Return the version of Z3."""
    return api.version().removeprefix("Z3 ")
