"""Likely facts about counters, numbers that nothing bounds, where a property assumes something.

In models of protocols, counters say how many are in each state: what one loses another gains, none
is negative, and of some pairs one is 0. Often that holds only as long as a monitor is true, of
which properties say what it implies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd, lcm
from typing import cast

from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import affine
from mutproof.solving.engine import Task
from mutproof.solving.houdini import Search
from mutproof.solving.sampling import Sample

MOST_COUNTERS = 16
"""Of how many counters of one sort facts are tried: pairs are half of the square of that."""

MOST_GUARDS = 4
"""Under how many conditions, beside none, they are tried."""

MOST_MULTIPLES = 200
"""How many multiples of a step apart values of a counter are at most, for it to be taken as one."""


def candidates(task: Task) -> Search:
    """Return facts about the counters of a system, for each condition that goals assume."""
    by_sort: dict[sorts.Sort, list[Term]] = {}
    for counter in counters(task.system):
        by_sort.setdefault(counter.sort, []).append(counter)
    found: dict[Term, None] = {}
    for own in by_sort.values():
        if len(own) > MOST_COUNTERS:
            continue
        for guard in guards(task.system, task.goals.values()):
            equal = yield from affine.equations(task, guard, own)
            facts = [*equal, *_ranges(own)]
            found.update(dict.fromkeys(terms.implies(guard, fact) for fact in facts))
    return list(found)


def counters(system: TransitionSystem) -> list[Term]:
    """Return the unbounded numbers that are remembered: variables whose values memories take."""
    found: dict[Term, None] = {}
    for constraint in system.constraints:
        if constraint.kind is ConstraintKind.TRANS and constraint.defines is not None:
            declared = system.variables[constraint.defines]
            if _is_unbounded(declared.sort):
                own, taken = terms.var(declared.name, declared.sort), constraint.term.args[1]
                number = taken if taken.op is Op.VAR and taken.sort == own.sort else own
                found[_copied(system, number)] = None
    return list(found)


def _copied(system: TransitionSystem, variable: Term) -> Term:
    """Return what a variable is a copy of, as what nodes return is: its sort is the same."""
    seen = {variable}
    while (equation := system.equations.get(str(variable.payload))) is not None:
        copied = equation.term.args[1]
        if copied.op is not Op.VAR or copied.sort != variable.sort or copied in seen:
            break
        variable = copied
        seen.add(copied)
    return variable


def multiples(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return that counters move by multiples of their steps, as far as states show these.

    Source: Granger, Static analysis of arithmetical congruences, IJCM 30, 1989.
    """
    own = counters(system)
    found: list[Term] = []
    for counter, column in zip(own, states.columns(own), strict=True):
        values = sorted({Fraction(cast("int | Fraction", value)) for value in column})
        step = reduce(_common, (value - values[0] for value in values), Fraction(0))
        if not step or values[-1] - values[0] > step * MOST_MULTIPLES:
            continue
        rest = values[0] % step
        if isinstance(counter.sort, sorts.RealSort):
            times = terms.arithmetic(Op.MUL, terms.real_(1 / step), counter)
            if rest:
                times = terms.arithmetic(Op.SUB, times, terms.real_(rest / step))
            whole = terms.make(Op.FLOOR, sorts.INT, (times,))
            found.append(terms.eq(terms.make(Op.TO_REAL, sorts.REAL, (whole,)), times))
        elif step > 1:
            modulo = terms.arithmetic(Op.MOD, counter, terms.int_(int(step)))
            found.append(terms.eq(modulo, terms.int_(int(rest))))
    return found


def _common(one: Fraction, other: Fraction) -> Fraction:
    """Return the largest number of which two are multiples."""
    over = lcm(one.denominator, other.denominator)
    return Fraction(gcd(int(one * over), int(other * over)), over)


def _is_unbounded(sort: sorts.Sort) -> bool:
    return isinstance(sort, sorts.RealSort) or sort == sorts.INT


def _ranges(own: list[Term]) -> Iterator[Term]:
    """Yield that numbers are not negative, at most 1, or that of two one is not positive."""
    zero, one = (terms.const(value, own[0].sort) for value in (0, 1))
    for number in own:
        yield terms.compare(Op.GE, number, zero)
        yield terms.compare(Op.LE, number, one)
    for left, right in combinations(own, 2):
        yield terms.or_(terms.compare(Op.LE, left, zero), terms.compare(Op.LE, right, zero))


def guards(system: TransitionSystem, goals: Iterable[Term]) -> list[Term]:
    """Return conditions: true, and those under which goals say something, the first of them."""
    found = {terms.TRUE: None}
    stack = [*reversed([*goals])]
    seen = set[Term]()
    while stack and len(found) <= MOST_GUARDS:
        stated = stack.pop()
        if stated in seen:
            continue
        seen.add(stated)
        if stated.op is Op.VAR and stated.payload in system.equations:
            stack.append(system.equations[str(stated.payload)].term.args[1])
        elif stated.op in {Op.AND, Op.OR}:
            stack += reversed(stated.args)
        elif stated.op is Op.IMPLIES:
            found[stated.args[0]] = None
    return list(found)
