"""Z3 behind the interface of `solver`: the only module that imports z3.

It calls the C interface directly: building formulas through z3's Python classes takes five
times as long. A context keeps every formula alive until it is dropped itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

import z3.z3core as api
from z3 import z3consts
from z3.z3types import Ast, Z3Exception

from mutproof.model import sorts
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import FunctionTable
from mutproof.solving.solver import (
    UNLIMITED,
    Answer,
    Effort,
    Formula,
    NotRepresentableError,
    Solver,
    SolvingError,
    UnsupportedTermError,
)

__all__ = [
    "SYMBOL_BASE",
    "Context",
    "Z3Exception",
    "Z3Solver",
    "api",
    "new_solver",
    "raw_array",
    "z3consts",
]

SYMBOL_BASE = 1 << 30
"""Symbolic constants are integers from here on, so that none equals an integer of a list."""


def raw_array(items: Sequence[Any]) -> Any:
    """Return formulas as an array of the C interface."""
    return (Ast * len(items))(*items)


class Context:
    """Own a Z3 context: sorts, symbolic constants, and typed wrappers that build formulas."""

    def __init__(self) -> None:
        config = api.Z3_mk_config()
        self.raw: Any = api.Z3_mk_context(config)
        api.Z3_del_config(config)
        self._handler = api.Z3_set_error_handler(self.raw, _ignore_error)
        weakref.finalize(self, api.Z3_del_context, self.raw)
        self.bool_sort: Any = api.Z3_mk_bool_sort(self.raw)
        self.int_sort: Any = api.Z3_mk_int_sort(self.raw)
        self.real_sort: Any = api.Z3_mk_real_sort(self.raw)
        self.true = Formula(api.Z3_mk_true(self.raw))
        self.false = Formula(api.Z3_mk_false(self.raw))
        self._word_sorts: dict[int, Any] = {}
        self._codes: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._functions: dict[tuple[str, int], tuple[Any, tuple[Sort, ...], Sort]] = {}

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
            domain = (api.Sort * len(inputs))(*(self.sort(sort) for sort in inputs))
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
            case sorts.EnumSort():
                return self._names.get(int(text), int(text))
            case _:
                return int(text)

    def text(self, formula: Formula) -> str:
        """Return a formula as SMT-LIB text."""
        return str(api.Z3_ast_to_string(self.raw, formula))

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


def _ignore_error(_context: Any, _code: Any) -> None:
    """Leave errors to the check after every call; the default handler ends the process."""


class Z3Solver(Solver):
    """Decide with one Z3 solver object in a context that may be shared with others."""

    def __init__(self, context: Context | None = None, *, logic: str = "") -> None:
        self.context = context or Context()
        raw = self.context.raw
        if logic:
            symbol = api.Z3_mk_string_symbol(raw, logic)
            self._solver: Any = api.Z3_mk_solver_for_logic(raw, symbol)
        else:
            self._solver = api.Z3_mk_simple_solver(raw)
        api.Z3_solver_inc_ref(raw, self._solver)
        # Bound to the context, which must outlive the solver object.
        self._release = weakref.finalize(self, _release_solver, self.context, self._solver)
        if not logic:
            tuned = self.context.parameters({"relevancy": 0, "arith.solver": 2})
            api.Z3_solver_set_params(raw, self._solver, tuned)
            api.Z3_params_dec_ref(raw, tuned)
        self._effort = UNLIMITED
        self._model: Any = None
        self._assumed: tuple[Formula, ...] = ()
        self._answering: Any = self._solver
        self._reason = ""

    # --- building -----------------------------------------------------------------------------

    def constant(self, name: str, sort: Sort) -> Formula:
        """Return the uninterpreted constant of that name; the same for the same name."""
        return self.context.variable(name, sort)

    def translate(
        self, term: Term, variable: Callable[[Term], Formula], memo: dict[Term, Formula]
    ) -> Formula:
        """Return the term as a formula; `variable` gives the VAR and NEXT_VAR leaves."""
        from mutproof.solving import encode

        try:
            return encode.encode(self.context, term, variable, memo)
        except Z3Exception as error:
            raise UnsupportedTermError(str(error)) from error

    def substitute(
        self, formula: Formula, old: Sequence[Formula], new: Sequence[Formula]
    ) -> Formula:
        """Return the formula with constants `old` replaced by `new`, simultaneously."""
        return self.context.substitute(formula, old, new)

    def literal_value(self, value: Value, sort: Sort) -> Formula:
        """Return a scalar value as a formula."""
        return self.context.constant_value(value, sort)

    def in_domain(self, formula: Formula, sort: Sort) -> Formula | None:
        """Return the statement that the value lies in the bounds of the sort; None if it must."""
        return self.context.in_domain(formula, sort)

    def equal(self, left: Formula, right: Formula) -> Formula:
        """Return the equality of two formulas of one sort."""
        return self.context.call("eq", left, right)

    def negation(self, formula: Formula) -> Formula:
        """Return the negation."""
        return self.context.call("not", formula)

    def implication(self, left: Formula, right: Formula) -> Formula:
        """Return the implication."""
        return self.context.call("implies", left, right)

    def conjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the conjunction of any number of formulas."""
        return self.context.conjunction(formulas)

    def disjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the disjunction of any number of formulas."""
        return self.context.disjunction(formulas)

    # --- asking -------------------------------------------------------------------------------

    def add(self, formula: Formula) -> None:
        """Assert a formula in the innermost scope."""
        self._drop_model()
        api.Z3_solver_assert(self.context.raw, self._solver, formula)

    def push(self) -> None:
        """Open a scope."""
        self._drop_model()
        api.Z3_solver_push(self.context.raw, self._solver)

    def pop(self) -> None:
        """Forget what was asserted since the matching `push`."""
        self._drop_model()
        api.Z3_solver_pop(self.context.raw, self._solver, 1)

    def check(self, assumptions: Sequence[Formula] = (), effort: Effort = UNLIMITED) -> Answer:
        """Answer whether assertions and assumptions (Boolean literals) have a common model."""
        self._drop_model()
        if effort != self._effort:
            self._limit(self._solver, effort)
            self._effort = effort
        self._assumed = tuple(assumptions)
        answer = self._ask(self._solver, assumptions)
        if answer is Answer.UNKNOWN and "incomplete" in self._reason:
            answer = self._ask_afresh(assumptions, effort)
        return answer

    def _ask(self, solver: Any, assumptions: Sequence[Formula]) -> Answer:
        raw = self.context.raw
        self._answering = solver
        try:
            result = api.Z3_solver_check_assumptions(
                raw, solver, len(assumptions), raw_array(assumptions)
            )
        except Z3Exception as error:
            self._reason = str(error)
            return Answer.UNKNOWN
        if result == z3consts.Z3_L_TRUE:
            self._model = api.Z3_solver_get_model(raw, solver)
            api.Z3_model_inc_ref(raw, self._model)
            return Answer.SAT
        if result == z3consts.Z3_L_FALSE:
            return Answer.UNSAT
        self._reason = str(api.Z3_solver_get_reason_unknown(raw, solver))
        return Answer.UNKNOWN

    def _ask_afresh(self, assumptions: Sequence[Formula], effort: Effort) -> Answer:
        """Ask a solver with z3's own settings: better at products, slower at all the rest."""
        raw = self.context.raw
        solver = api.Z3_mk_solver(raw)
        api.Z3_solver_inc_ref(raw, solver)
        weakref.finalize(self, _release_solver, self.context, solver)
        self._limit(solver, effort)
        assertions = api.Z3_solver_get_assertions(raw, self._solver)
        api.Z3_ast_vector_inc_ref(raw, assertions)
        for index in range(api.Z3_ast_vector_size(raw, assertions)):
            api.Z3_solver_assert(raw, solver, api.Z3_ast_vector_get(raw, assertions, index))
        api.Z3_ast_vector_dec_ref(raw, assertions)
        return self._ask(solver, assumptions)

    @property
    def reason_unknown(self) -> str:
        """Return why the last answer was UNKNOWN, in the solver's words."""
        return self._reason

    @property
    def spent(self) -> int:
        """Return the resource units used so far in this context; deterministic."""
        raw = self.context.raw
        statistics = api.Z3_solver_get_statistics(raw, self._solver)
        api.Z3_stats_inc_ref(raw, statistics)
        found = 0
        for index in range(api.Z3_stats_size(raw, statistics)):
            if api.Z3_stats_get_key(raw, statistics, index) == "rlimit count":
                found = int(api.Z3_stats_get_uint_value(raw, statistics, index))
        api.Z3_stats_dec_ref(raw, statistics)
        return found

    def core(self) -> tuple[int, ...]:
        """Return the 0-based positions of the assumptions that the last UNSAT rests on."""
        raw = self.context.raw
        places = {
            api.Z3_get_ast_id(raw, literal): index for index, literal in enumerate(self._assumed)
        }
        vector = api.Z3_solver_get_unsat_core(raw, self._answering)
        api.Z3_ast_vector_inc_ref(raw, vector)
        found = sorted(
            places[api.Z3_get_ast_id(raw, api.Z3_ast_vector_get(raw, vector, index))]
            for index in range(api.Z3_ast_vector_size(raw, vector))
        )
        api.Z3_ast_vector_dec_ref(raw, vector)
        return tuple(found)

    def value(self, formula: Formula, sort: Sort) -> Value:
        """Return the value of a formula in the model of the last SAT."""
        if self._model is None:
            message = "there is no model"
            raise SolvingError(message)
        result = (Ast * 1)()
        api.Z3_model_eval(self.context.raw, self._model, formula, True, result)
        return self.context.to_value(Formula(result[0]), sort)

    def function_tables(self) -> Mapping[tuple[str, int], FunctionTable]:
        """Return the uninterpreted functions of the model of the last SAT."""
        return {
            key: self._table(declaration, inputs, output)
            for key, (declaration, inputs, output) in sorted(
                self.context.functions.items(), key=lambda item: item[0]
            )
        }

    def interrupt(self) -> None:
        """Make a check that runs in another thread answer UNKNOWN soon."""
        api.Z3_solver_interrupt(self.context.raw, self._solver)

    def smtlib(self) -> str:
        """Return declarations and assertions as an SMT-LIB script without a command."""
        return str(api.Z3_solver_to_string(self.context.raw, self._solver))

    # --- private ------------------------------------------------------------------------------

    def _drop_model(self) -> None:
        if self._model is not None:
            api.Z3_model_dec_ref(self.context.raw, self._model)
            self._model = None

    def _limit(self, solver: Any, effort: Effort) -> None:
        milliseconds = max(1, int(effort.timeout_s * 1000)) if effort.timeout_s else 0xFFFFFFFF
        parameters = self.context.parameters({"rlimit": effort.rlimit, "timeout": milliseconds})
        api.Z3_solver_set_params(self.context.raw, solver, parameters)
        api.Z3_params_dec_ref(self.context.raw, parameters)

    def _table(self, declaration: Any, inputs: tuple[Sort, ...], output: Sort) -> FunctionTable:
        raw, context = self.context.raw, self.context
        found = (
            api.Z3_model_get_func_interp(raw, self._model, declaration)
            if inputs and api.Z3_model_has_interp(raw, self._model, declaration)
            else None
        )
        if found is None:
            if inputs:
                return FunctionTable({}, sorts.default_value(output))
            return FunctionTable({}, self.value(context.apply(declaration, ()), output))
        api.Z3_func_interp_inc_ref(raw, found)
        entries: dict[tuple[Value, ...], Value] = {}
        for index in range(api.Z3_func_interp_get_num_entries(raw, found)):
            entry = api.Z3_func_interp_get_entry(raw, found, index)
            api.Z3_func_entry_inc_ref(raw, entry)
            arguments = tuple(
                self.value(Formula(api.Z3_func_entry_get_arg(raw, entry, place)), sort)
                for place, sort in enumerate(inputs)
            )
            entries[arguments] = self.value(
                Formula(api.Z3_func_entry_get_value(raw, entry)), output
            )
            api.Z3_func_entry_dec_ref(raw, entry)
        otherwise = self.value(Formula(api.Z3_func_interp_get_else(raw, found)), output)
        api.Z3_func_interp_dec_ref(raw, found)
        return FunctionTable(entries, otherwise)


def _release_solver(context: Context, solver: Any) -> None:
    api.Z3_solver_dec_ref(context.raw, solver)


def new_solver(*, finite: bool = False) -> Solver:
    """Return an empty solver in a context of its own; `finite` picks a bit-blasting one."""
    return cast("Solver", Z3Solver(logic="QF_FD" if finite else ""))
