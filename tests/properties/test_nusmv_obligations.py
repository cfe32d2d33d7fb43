"""The conditions under which terms have values are those of a direct three-valued evaluation."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.model import obligations, semantics, terms, walk
from mutproof.model.obligations import Obligations
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from support.nusmv_terms import elaborated

TEXT = """\
MODULE main
VAR
  a : boolean;
  x : 0..2;
  y : -1..1;
ASSIGN
  next(x) := {};
"""
PROFILE = settings(
    max_examples=50, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
DOMAINS = {"a": (False, True), "x": (0, 1, 2), "y": (-1, 0, 1)}

numbers = st.deferred(
    lambda: (
        st.sampled_from(["x", "y", "0", "1", "2"])
        | st.tuples(numbers, st.sampled_from(["+", "-", "*", "/", "mod"]), numbers).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
        | st.tuples(truths, numbers, numbers).map(lambda p: f"({p[0]} ? {p[1]} : {p[2]})")
        | st.tuples(truths, numbers, truths, numbers).map(
            lambda p: f"case {p[0]} : {p[1]}; {p[2]} : {p[3]}; esac"
        )
    )
)
truths = st.deferred(
    lambda: (
        st.sampled_from(["a", "TRUE", "x = 0", "y != 0"])
        | st.tuples(numbers, st.sampled_from(["=", "<", ">="]), numbers).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
        | st.tuples(truths, st.sampled_from(["&", "|", "->"]), truths).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        )
    )
)


def value(term: Term, valuation: dict[str, Any]) -> Any:
    """Return the value of a term, None where it has none, as NuSMV's decision diagrams do."""

    def combine(part: Term, args: tuple[Any, ...]) -> Any:
        if part.op is Op.VAR:
            return valuation[str(part.payload)]
        masks = {Op.AND: (False, False), Op.OR: (True, True), Op.IMPLIES: (False, True)}
        if part.op in masks:
            for arg, mask in zip(args, masks[part.op], strict=True):
                if arg is not None and arg == mask:
                    return part.op is not Op.AND
        if part.op is Op.ITE:
            return None if args[0] is None else args[1] if args[0] else args[2]
        if part.op is Op.CASE:
            for condition, branch in zip(args[::2], args[1::2], strict=True):
                if condition is None or condition:
                    return None if condition is None else branch
            return None
        if None in args:
            return None
        try:
            return semantics.apply(part, args)
        except semantics.DivisionByZero:
            return None

    return walk.fold(term, combine)


@PROFILE
@given(numbers)
def test_obligations_are_met_where_all_values_exist_and_fit(text: str) -> None:
    found = elaborated(TEXT.replace("{}", text))
    plain = elaborated(
        TEXT.replace("{}", f"{text} in {{0}} ? 0 : 0")
        .replace("ASSIGN", "DEFINE")
        .replace("next(x) :=", "unused :=")
    )
    assert plain.program is not None
    body = plain.program.component("main").elements[0].body.args[0].args[0]
    results = [
        value(body, dict(zip(DOMAINS, valuation, strict=True)))
        for valuation in product(*DOMAINS.values())
    ]

    fits = all(result is not None and 0 <= result <= 2 for result in results)

    assert fits == (found.program is not None), (results, found.diagnostics)


@PROFILE
@given(truths)
def test_trying_all_values_decides_validity(text: str) -> None:
    found = elaborated(f"MODULE main\nVAR a : boolean; x : 0..2; y : -1..1;\nDEFINE d := {text};")
    assert found.program is not None
    component = found.program.component("main")
    body = component.elements[0].body
    results = [
        value(body, dict(zip(DOMAINS, valuation, strict=True)))
        for valuation in product(*DOMAINS.values())
    ]
    if None in results or any(part.op is Op.CASE for part in walk.subterms(body)):
        return

    decided = obligations.decide(body, Obligations(component).scalars)

    assert all(results) == decided
    assert decided or terms.TRUE is not body
