"""Sets of states as terms that test one variable after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.saturation import NumberEnds
from mutproof.model.sorts import BoolSort, IntSort, Value
from mutproof.model.system import SystemVariable
from mutproof.model.terms import Term

NO_ENDS: Mapping[str, NumberEnds] = MappingProxyType({})


def states(
    variables: Sequence[SystemVariable],
    valuations: Iterable[tuple[Value, ...]],
    ends: Mapping[str, NumberEnds] = NO_ENDS,
) -> Term:
    """Return the disjunction of valuations as a term; equal parts are shared.

    Numbers at their `ends` stand for all beyond them.
    """
    nodes: dict[tuple[Value, ...], Term] = dict.fromkeys(valuations, terms.TRUE)
    for variable in reversed(variables):
        branches: dict[tuple[Value, ...], dict[Term, list[Value]]] = {}
        for valuation, child in nodes.items():
            children = branches.setdefault(valuation[:-1], {})
            children.setdefault(child, []).append(valuation[-1])
        nodes = {
            prefix: _branch(variable, found, ends.get(variable.name))
            for prefix, found in branches.items()
        }
    return nodes.get((), terms.FALSE)


def has_value(variable: SystemVariable, values: Sequence[Value]) -> Term:
    """Return the condition that a variable has one of some values."""
    read = terms.var(variable.name, variable.sort)
    if isinstance(variable.sort, BoolSort):
        if len(values) > 1:
            return terms.TRUE
        return read if values[0] else terms.not_(read)
    return terms.disjunction(terms.eq(read, terms.const(value, variable.sort)) for value in values)


def bounded(variable: SystemVariable, domain: Sequence[Value]) -> Term:
    """Return the condition that a variable has one of the values of its sort, the `domain`."""
    sort, read = variable.sort, terms.var(variable.name, variable.sort)
    if not isinstance(sort, IntSort) or sort.low is None or sort.high is None:
        return has_value(variable, domain)
    low, high = terms.int_(sort.low), terms.int_(sort.high)
    return terms.and_(terms.compare(Op.LE, low, read), terms.compare(Op.LE, read, high))


def _branch(
    variable: SystemVariable, children: Mapping[Term, Sequence[Value]], ends: NumberEnds | None
) -> Term:
    def tested(values: Sequence[Value]) -> Term:
        if ends is None:
            return has_value(variable, values)
        return terms.disjunction(ends.stated(variable, value) for value in values)

    return terms.disjunction(
        terms.conjunction([tested(values), child]) for child, values in children.items()
    )
