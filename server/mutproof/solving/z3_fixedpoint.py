"""Z3's fixed-point engine (Spacer): constrained Horn clauses over one unknown relation.

It reaches z3 through `z3_solver` only.

Source: Komuravelli, Gurfinkel and Chaki, SMT-Based Model Checking for Recursive Programs,
CAV 2014.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from mutproof.model.sorts import Sort
from mutproof.solving.solver import Answer, Formula, SolvingError
from mutproof.solving.watch import Watch, within_cpu
from mutproof.solving.z3_context import Z3Context, Z3Exception, api, raw_array, z3consts


class FixedPoint:
    """Hold rules over a relation `state`, and ask whether `bad` can be derived."""

    def __init__(self, context: Z3Context, arguments: Sequence[Sort]) -> None:
        self.context = context
        raw = context.raw
        self._fixedpoint: Any = api.Z3_mk_fixedpoint(raw)
        api.Z3_fixedpoint_inc_ref(raw, self._fixedpoint)
        weakref.finalize(self, _release, context, self._fixedpoint)
        self._state = self._relation("state", arguments)
        self._bad = self._relation("bad", ())
        self.reason_unknown = ""

    def _relation(self, name: str, arguments: Sequence[Sort]) -> Any:
        raw = self.context.raw
        symbol = api.Z3_mk_string_symbol(raw, name)
        domain = raw_array([self.context.sort(sort) for sort in arguments])
        declaration = api.Z3_mk_func_decl(
            raw, symbol, len(arguments), domain, self.context.bool_sort
        )
        api.Z3_fixedpoint_register_relation(raw, self._fixedpoint, declaration)
        return declaration

    def state(self, arguments: Sequence[Formula]) -> Formula:
        """Return the statement that a state is reachable."""
        return self.context.apply(self._state, arguments)

    def bad(self) -> Formula:
        """Return the statement that something bad is reachable."""
        return self.context.apply(self._bad, ())

    def add_rule(self, body: Formula, head: Formula, constants: Sequence[Formula]) -> None:
        """Add `for all constants: body => head`."""
        raw = self.context.raw
        rule = self.context.for_all(constants, self.context.call("implies", body, head))
        api.Z3_fixedpoint_add_rule(raw, self._fixedpoint, rule, None)

    def query(self, *, rlimit: int, cpu_s: float, timeout_s: float) -> Answer:
        """Answer whether `bad` can be derived (SAT), cannot (UNSAT), or is not known.

        It may take `cpu_s` of this process's own time, and `timeout_s` on the clock.
        """
        raw = self.context.raw
        values: dict[str, bool | int] = {
            "timeout": max(1, int(min(timeout_s, 4e6) * 1000)),
            "xform.slice": False,
            "xform.inline_eager": False,
            "xform.inline_linear": False,
        }
        if rlimit:
            values["rlimit"] = rlimit
        parameters = self.context.parameters(values)
        engine = api.Z3_mk_string_symbol(raw, "engine")
        spacer = api.Z3_mk_string_symbol(raw, "spacer")
        api.Z3_params_set_symbol(raw, parameters, engine, spacer)
        try:
            api.Z3_fixedpoint_set_params(raw, self._fixedpoint, parameters)
            relations = raw_array([self._bad])
            with Watch(within_cpu(cpu_s), self.context.interrupt):
                result = api.Z3_fixedpoint_query_relations(raw, self._fixedpoint, 1, relations)
        except Z3Exception as error:
            self.reason_unknown = str(error)
            return Answer.UNKNOWN
        finally:
            api.Z3_params_dec_ref(raw, parameters)
        if result == z3consts.Z3_L_TRUE:
            return Answer.SAT
        if result == z3consts.Z3_L_FALSE:
            return Answer.UNSAT
        self.reason_unknown = str(api.Z3_fixedpoint_get_reason_unknown(raw, self._fixedpoint))
        return Answer.UNKNOWN

    def invariant(self) -> tuple[Formula, list[int]]:
        """Return an inductive invariant after UNSAT.

        The formula's bound variables are numbered; the list gives the number that stands for
        each argument of `state`.

        Raises:
            SolvingError: the answer has another form than `for all x: state(x) = formula`.
        """
        raw = self.context.raw
        answer = api.Z3_fixedpoint_get_answer(raw, self._fixedpoint)
        stack = [answer]
        while stack:
            found = stack.pop()
            if api.Z3_get_ast_kind(raw, found) == z3consts.Z3_QUANTIFIER_AST:
                stack.append(api.Z3_get_quantifier_body(raw, found))
                continue
            if api.Z3_get_ast_kind(raw, found) != z3consts.Z3_APP_AST:
                continue
            kind = api.Z3_get_decl_kind(raw, api.Z3_get_app_decl(raw, found))
            arguments = [
                api.Z3_get_app_arg(raw, found, index)
                for index in range(api.Z3_get_app_num_args(raw, found))
            ]
            if kind == z3consts.Z3_OP_AND:
                stack.extend(reversed(arguments))
            elif kind in {z3consts.Z3_OP_EQ, z3consts.Z3_OP_IFF}:
                for left, right in (arguments, arguments[::-1]):
                    places = self._arguments_of_state(left)
                    if places is not None:
                        return Formula(right), places
            else:
                places = self._arguments_of_state(found)
                if places is not None:
                    return self.context.true, places
        message = f"no invariant in {self.context.text(Formula(answer))[:200]}"
        raise SolvingError(message)

    def _arguments_of_state(self, formula: Any) -> list[int] | None:
        raw = self.context.raw
        if api.Z3_get_ast_kind(raw, formula) != z3consts.Z3_APP_AST:
            return None
        declaration = api.Z3_get_app_decl(raw, formula)
        if not api.Z3_is_eq_func_decl(raw, declaration, self._state):
            return None
        places = []
        for index in range(api.Z3_get_app_num_args(raw, formula)):
            argument = api.Z3_get_app_arg(raw, formula, index)
            if api.Z3_get_ast_kind(raw, argument) != z3consts.Z3_VAR_AST:
                message = "an argument of the invariant is no variable"
                raise SolvingError(message)
            places.append(int(api.Z3_get_index_value(raw, argument)))
        return places


def _release(context: Z3Context, fixedpoint: Any) -> None:
    api.Z3_fixedpoint_dec_ref(context.raw, fixedpoint)
