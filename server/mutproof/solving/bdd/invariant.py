"""Reachable states as a term, which a solver that knows no diagrams can check.

The set of reachable states holds at first, is kept by every step, and implies every invariant
that holds: it is a certificate of induction with one step.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, Value, WordSort
from mutproof.model.terms import Term
from mutproof.solving.bdd.coding import Coding
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine

LARGEST_INVARIANT = 5000
"""The most nodes of a diagram that is made into a term."""


def reachable_invariant(
    machine: Machine, reachable: Diagram, limit: int = LARGEST_INVARIANT
) -> Term | None:
    """Return a set of states as a term over the variables of the system; None: too large.

    Raises:
        OutOfTime: the deadline has passed.
    """
    if machine.manager.size(reachable) > limit:
        return None
    return terms.conjunction([*bounds(machine), described(machine, reachable)])


def bounds(machine: Machine) -> tuple[Term, ...]:
    """Return that variables have values of theirs: for solvers, a step may lead outside."""
    found = map(_bounds, machine.encoder.codings.values())
    return tuple(bound for bound in found if bound is not terms.TRUE)


def described(machine: Machine, states: Diagram) -> Term:
    """Return a set of states as a term, where variables have values of theirs.

    Raises:
        OutOfTime: the deadline has passed.
    """
    manager = machine.manager
    conditions = {
        bit: (coding, position)
        for coding in machine.encoder.codings.values()
        for position, bit in enumerate(coding.bits)
    }
    tests: dict[str, Term] = {}
    found: dict[Diagram, Term] = {manager.true: terms.TRUE}
    stack = [manager.regular(states)]
    while stack:
        node = stack[-1]
        if node in found:
            stack.pop()
            continue
        manager.tick()
        bit, low, high = manager.branches(node)
        missing = [n for n in map(manager.regular, (low, high)) if n not in found]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if bit not in tests:
            tests[bit] = _test(*conditions[bit])
        branches = [_signed(machine, found, child) for child in (low, high)]
        found[node] = _choice(tests[bit], branches[1], branches[0])
    return _signed(machine, found, states)


def _signed(machine: Machine, found: dict[Diagram, Term], node: Diagram) -> Term:
    regular = machine.manager.regular(node)
    term = found[regular]
    if regular == node:
        return term
    return terms.FALSE if term is terms.TRUE else terms.not_(term)


def _choice(condition: Term, then: Term, otherwise: Term) -> Term:
    if then is terms.TRUE:
        return condition if otherwise is terms.FALSE else terms.or_(condition, otherwise)
    if otherwise is terms.FALSE:
        return terms.and_(condition, then)
    if then is terms.FALSE:
        opposite = terms.not_(condition)
        return opposite if otherwise is terms.TRUE else terms.and_(opposite, otherwise)
    if otherwise is terms.TRUE:
        return terms.or_(terms.not_(condition), then)
    return terms.ite(condition, then, otherwise)


def _bounds(coding: Coding) -> Term:
    """Return that a number or symbol is one of its values."""
    sort = coding.sort
    if isinstance(sort, IntSort) and sort.low is not None and sort.high is not None:
        return _between(terms.var(coding.name, sort), sort.low, sort.high)
    if isinstance(sort, EnumSort):
        return _one_of(terms.var(coding.name, sort), coding.values)
    return terms.TRUE


def _one_of(variable: Term, values: Iterable[Value]) -> Term:
    sort = sorts.widened(variable.sort)
    return terms.disjunction(terms.eq(variable, terms.const(value, sort)) for value in values)


def _between(variable: Term, low: int, high: int) -> Term:
    if low == high:
        return terms.eq(variable, terms.int_(low))
    return terms.and_(
        terms.compare(Op.GE, variable, terms.int_(low)),
        terms.compare(Op.LE, variable, terms.int_(high)),
    )


def _test(coding: Coding, position: int) -> Term:
    """Return a term: the bit of a variable at a position (0 is the highest) is set."""
    variable = terms.var(coding.name, coding.sort)
    if isinstance(coding.sort, BoolSort):
        return variable
    weight = len(coding.bits) - 1 - position
    if isinstance(coding.sort, WordSort):
        one = WordSort(1)
        selected = terms.make(Op.BIT_SELECTION, one, (variable,), (weight, weight))
        return terms.eq(selected, terms.const(1, one))
    chosen = [value for code, value in enumerate(coding.values) if code >> weight & 1]
    if isinstance(coding.sort, IntSort):
        return terms.disjunction(_between(variable, low, high) for low, high in _runs(chosen))
    return _one_of(variable, chosen)


def _runs(values: list[Value]) -> list[tuple[int, int]]:
    """Return maximal ranges (inclusive) of consecutive integers, from sorted ones."""
    found: list[tuple[int, int]] = []
    for value in values:
        assert isinstance(value, int)
        if found and found[-1][1] == value - 1:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return found
