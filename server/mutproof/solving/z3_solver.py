"""Z3 behind the interface of `solver`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from mutproof.model import sorts
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import FunctionTable
from mutproof.solving.account import ACCOUNT, CHECK_UNITS
from mutproof.solving.solver import (
    SPENT,
    UNLIMITED,
    Answer,
    Effort,
    Formula,
    Solver,
    SolvingError,
    UnsupportedTermError,
)
from mutproof.solving.z3_context import Ast, Z3Context, Z3Exception, api, raw_array, z3consts

FINITE = "QF_FD"
"""The logic whose solver turns Booleans and words into bits, for a SAT solver."""

LEAST_BIT_UNITS = 4_000_000
"""The units that each question to it may cost at least: making bits is not to be stopped."""

FIRST_UNITS, EACH_ASSUMED = 1_000_000, 5_000
"""The units a question may cost before it is put to a new solver, and for each assumption, which is
a decision of its own. With the first number only, of 500 equations, of which the states of parts
prove mutants, the first solver mostly gave up shortly before its answer: 78 s, not 53."""

FRESH_UNITS = 4_000_000
"""The units there at first."""


class Z3Solver(Solver):
    """Decide with one Z3 solver object in a context that may be shared with others."""

    def __init__(self, context: Z3Context | None = None, *, logic: str = "") -> None:
        self.context = context or Z3Context()
        raw = self.context.raw
        if logic:
            symbol = api.Z3_mk_string_symbol(raw, logic)
            self._solver: Any = api.Z3_mk_solver_for_logic(raw, symbol)
        else:
            self._solver = api.Z3_mk_simple_solver(raw)
        self.context.hold(self._solver, self)
        if not logic:
            tuned = self.context.parameters({"relevancy": 0, "arith.solver": 2})
            api.Z3_solver_set_params(raw, self._solver, tuned)
            api.Z3_params_dec_ref(raw, tuned)
        self._by_bits = logic == FINITE
        self._relaxed = not logic
        if self._relaxed:
            self._ignore_integrality(ignored=True)
        self._effort = UNLIMITED
        self._satisfied = False  # the last answer was SAT, and nothing has changed since
        self._model: Any = None  # of that answer, made when a value is asked for
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

    def for_all(self, constants: Sequence[Formula], body: Formula) -> Formula:
        """Return the statement that a formula holds whatever the values of some constants."""
        return self.context.for_all(constants, body)

    # --- asking -------------------------------------------------------------------------------

    def add(self, formula: Formula) -> None:
        """Assert a formula in the innermost scope."""
        self._drop_model()
        api.Z3_solver_assert(self.context.raw, self._solver, formula)

    def push(self) -> None:
        """Open a scope."""
        self._drop_model()
        try:
            api.Z3_solver_push(self.context.raw, self._solver)
        except Z3Exception as error:
            raise self._stopped(error) from error

    def pop(self) -> None:
        """Forget what was asserted since the matching `push`."""
        self._drop_model()
        api.Z3_solver_pop(self.context.raw, self._solver, 1)

    def check(self, assumptions: Sequence[Formula] = (), effort: Effort = UNLIMITED) -> Answer:
        """Answer whether assertions and assumptions (Boolean literals) have a common model."""
        self._drop_model()
        self._heed()
        self._assumed = tuple(assumptions)
        begun = time.monotonic()
        if self._by_bits and 0 < effort.rlimit < LEAST_BIT_UNITS:
            effort = replace(effort, rlimit=LEAST_BIT_UNITS)
        least = FIRST_UNITS + EACH_ASSUMED * len(assumptions)
        at_once = self._by_bits or 0 < effort.rlimit <= least
        first = effort if at_once else replace(effort, rlimit=least)
        answer = self._ask_within(first)
        try:
            return answer if answer is not Answer.UNKNOWN else self._again(first, effort, begun)
        finally:
            self._charge()
            if 0 < effort.timeout_s <= time.monotonic() - begun:
                ACCOUNT.note_late()

    def _again(self, first: Effort, effort: Effort, begun: float) -> Answer:
        """Ask again what a first attempt left open, in another way or with more effort."""
        assumptions, answer = self._assumed, Answer.UNKNOWN
        if "incomplete" in self._reason:
            return self._ask_afresh(assumptions, effort)
        if self._by_bits and self._reason not in SPENT:
            # What was stopped while it made bits cannot go on.
            left = self._left(effort, begun)
            return self._ask_afresh(assumptions, left) if left else answer
        if self._reason not in SPENT or first is effort:
            return answer
        if left := self._left(effort, begun):
            more = min(effort.rlimit or FRESH_UNITS, FRESH_UNITS)
            answer = self._ask_afresh(assumptions, replace(left, rlimit=more))
        if answer is Answer.UNKNOWN and (left := self._left(effort, begun)):
            answer = self._ask_within(left)
        return answer

    def _charge(self) -> None:
        """Charge what the context spent since the last charge."""
        spent = self.spent
        ACCOUNT.charge(CHECK_UNITS + spent - self.context.counted)
        self.context.counted = spent

    def _left(self, effort: Effort, begun: float) -> Effort | None:
        """Return the effort with the seconds left; None if no time is left.

        Calls `heed` first: an interruption gives the same reason as spent units.
        """
        self._heed()
        if not effort.timeout_s:
            return effort
        seconds = effort.timeout_s - (time.monotonic() - begun)
        return replace(effort, timeout_s=seconds) if seconds > 0 else None

    def _heed(self) -> None:
        if self.context.heed is not None:
            self.context.heed()

    def _ask_within(self, effort: Effort) -> Answer:
        """Ask, first whether there is a model where integers may be fractions.

        That is refuted without cuts and branches. Z3 says incomplete where it finds such a model
        only, and is asked again.
        """
        if effort != self._effort:
            self._limit(self._solver, effort)
            self._effort = effort
        answer = self._ask(self._solver, self._assumed)
        if self._relaxed and answer is Answer.UNKNOWN and "incomplete" in self._reason:
            self._ignore_integrality(ignored=False)
            answer = self._ask(self._solver, self._assumed)
        return answer

    def _ignore_integrality(self, *, ignored: bool) -> None:
        self._relaxed = ignored
        parameters = self.context.parameters({"arith.ignore_int": ignored})
        api.Z3_solver_set_params(self.context.raw, self._solver, parameters)
        api.Z3_params_dec_ref(self.context.raw, parameters)

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
            self._satisfied = True
            return Answer.SAT
        if result == z3consts.Z3_L_FALSE:
            return Answer.UNSAT
        self._reason = str(api.Z3_solver_get_reason_unknown(raw, solver))
        return Answer.UNKNOWN

    def _ask_afresh(self, assumptions: Sequence[Formula], effort: Effort) -> Answer:
        """Ask a new solver with z3's default settings: better at products, slower otherwise."""
        raw = self.context.raw
        solver = api.Z3_mk_solver(raw)
        self.context.hold(solver, self)
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
        for index in reversed(range(api.Z3_stats_size(raw, statistics))):  # the last entry
            if api.Z3_stats_get_key(raw, statistics, index) == "rlimit count":
                found = int(api.Z3_stats_get_uint_value(raw, statistics, index))
                break
        api.Z3_stats_dec_ref(raw, statistics)
        return found

    def core(self) -> tuple[int, ...]:
        """Return the 0-based positions of the assumptions that the last UNSAT rests on."""
        raw = self.context.raw
        # Formulas are unique in their context, so addresses identify them.
        places = {literal: position for position, literal in enumerate(self._assumed)}
        vector = api.Z3_solver_get_unsat_core(raw, self._answering)
        api.Z3_ast_vector_inc_ref(raw, vector)
        found = sorted(
            places[api.Z3_ast_vector_get(raw, vector, index)]
            for index in range(api.Z3_ast_vector_size(raw, vector))
        )
        api.Z3_ast_vector_dec_ref(raw, vector)
        return tuple(found)

    def value(self, formula: Formula, sort: Sort) -> Value:
        """Return the value of a formula in the model of the last SAT."""
        model, result = self._found_model(), (Ast * 1)()
        try:
            api.Z3_model_eval(self.context.raw, model, formula, True, result)
        except Z3Exception as error:
            raise self._stopped(error) from error
        return self.context.to_value(Formula(result[0]), sort)

    def function_tables(self) -> Mapping[tuple[str, int], FunctionTable]:
        """Return the uninterpreted functions of the model of the last SAT."""
        return {
            key: self._table(declaration, inputs, output)
            for key, (declaration, inputs, output) in sorted(
                self.context.functions.items(), key=lambda item: item[0]
            )
        }

    # --- private ------------------------------------------------------------------------------

    def _stopped(self, error: Z3Exception) -> SolvingError:
        """Return the error to raise if the solver cannot go on; raise `heed`'s if interrupted.

        An interruption lasts until the next check and also affects other calls. A solver used
        meanwhile may have lost assertions, so it is not used again.
        """
        if self.context.heed is not None:
            self.context.heed()  # raises if the answer is no longer wanted
        return SolvingError(str(error))

    def _found_model(self) -> Any:
        """Return the model of the last answer; making it can cost more than the answer did."""
        if self._model is None:
            if not self._satisfied:
                message = "there is no model"
                raise SolvingError(message)
            raw = self.context.raw
            try:
                self._model = api.Z3_solver_get_model(raw, self._answering)
            except Z3Exception as error:
                raise self._stopped(error) from error
            api.Z3_model_inc_ref(raw, self._model)
        return self._model

    def _drop_model(self) -> None:
        self._satisfied = False
        if self._model is not None:
            api.Z3_model_dec_ref(self.context.raw, self._model)
            self._model = None

    def _limit(self, solver: Any, effort: Effort) -> None:
        milliseconds = (
            max(1, int(min(effort.timeout_s, 4e6) * 1000)) if effort.timeout_s else 0xFFFFFFFF
        )
        parameters = self.context.parameters({"rlimit": effort.rlimit, "timeout": milliseconds})
        api.Z3_solver_set_params(self.context.raw, solver, parameters)
        api.Z3_params_dec_ref(self.context.raw, parameters)

    def _table(self, declaration: Any, inputs: tuple[Sort, ...], output: Sort) -> FunctionTable:
        raw, context = self.context.raw, self.context
        found = (
            api.Z3_model_get_func_interp(raw, self._found_model(), declaration)
            if inputs and api.Z3_model_has_interp(raw, self._found_model(), declaration)
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


def new_solver() -> Solver:
    """Return an empty solver in a context of its own."""
    return cast("Solver", Z3Solver())
