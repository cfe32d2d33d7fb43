"""Linear equations between numbers that hold in all reachable states.

The affine hull of states is widened by states that solvers find outside, first states and then
successors of states inside, until there are none: once for each dimension at most.

Source: Karr, Affine relationships among variables of a program, Acta Informatica 1976; Reps, Sagiv
and Yorsh, Symbolic implementation of the best transformer, VMCAI 2004.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import lcm
from typing import cast

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from mutproof.solving.engine import FIRST_LIMIT, Finding, Task, Worked
from mutproof.solving.houdini import Search
from mutproof.solving.solver import Answer, SolvingError

Point = tuple[Fraction, ...]


class AffineHull:
    """Hold the affine hull of points of one dimension; mutable, empty at first."""

    def __init__(self) -> None:
        self._origin: Point | None = None
        self._directions: dict[int, Point] = {}  # by the coordinate where only this one is not 0

    def join(self, point: Point) -> None:
        """Add a point."""
        if self._origin is None:
            self._origin = point
            return
        direction = tuple(here - there for here, there in zip(point, self._origin, strict=True))
        for place, known in self._directions.items():
            direction = _less(direction, direction[place], known)
        if not any(direction):
            return
        place = next(place for place, value in enumerate(direction) if value)
        direction = tuple(value / direction[place] for value in direction)
        for other, known in self._directions.items():
            self._directions[other] = _less(known, known[place], direction)
        self._directions[place] = direction

    def equations(self, numbers: Sequence[Term]) -> list[Term]:
        """Return the equations of numbers, all of one sort, that describe it: false if empty."""
        if self._origin is None:
            return [terms.FALSE]
        found: list[Term] = []
        for free in range(len(numbers)):
            if free in self._directions:
                continue
            factors = [Fraction(0)] * len(numbers)
            factors[free] = Fraction(1)
            for place, direction in self._directions.items():
                factors[place] = -direction[free]
            total = sum(
                (f * value for f, value in zip(factors, self._origin, strict=True)), Fraction(0)
            )
            found.append(_equation(factors, total, numbers))
        return found


def _less(point: Point, factor: Fraction, other: Point) -> Point:
    return tuple(one - factor * two for one, two in zip(point, other, strict=True))


def _equation(factors: Sequence[Fraction], total: Fraction, numbers: Sequence[Term]) -> Term:
    """Return that numbers times factors have a total, as an equation of sums."""
    scale = lcm(total.denominator, *(factor.denominator for factor in factors))
    sides: tuple[list[Term], list[Term]] = [], []  # with positive factors, with negative ones
    for factor, number in zip(factors, numbers, strict=True):
        if factor:
            times = int(abs(factor * scale))
            size = terms.const(times, number.sort)
            sides[factor < 0].append(
                number if times == 1 else terms.arithmetic(Op.MUL, size, number)
            )
    rest, sort = int(total * scale), numbers[0].sort
    if not sides[1]:
        sides[1].append(terms.const(rest, sort))
    elif rest:
        sides[rest > 0].append(terms.const(abs(rest), sort))
    left, right = (reduce(partial(terms.arithmetic, Op.ADD), side) for side in sides)
    return terms.eq(left, right)


def _widened(
    task: Task, hull: AffineHull, guard: Term, numbers: Sequence[Term], *, initial: bool
) -> Generator[Finding, None, bool]:
    """Join first states, or successors of states inside, until none is outside.

    Returns whether that is so; it is not if a limit was reached, or no equation is left.
    """
    unrolling = task.workshop.unrolling(task.system, initial=initial)
    solver = unrolling.solver
    frame = 0 if initial else 1
    for number in range(frame + 1):
        unrolling.frame(number)
        for lemma in task.lemmas:
            solver.add(unrolling.term(lemma, number))
    solver.add(unrolling.term(guard, frame))
    values = [unrolling.term(number, frame) for number in numbers]
    while found := hull.equations(numbers):
        inside = terms.conjunction(found)
        solver.push()
        if not initial:
            solver.add(unrolling.term(terms.implies(guard, inside), 0))
        solver.add(solver.negation(unrolling.term(inside, frame)))
        answer = task.check(solver, (), FIRST_LIMIT)
        if answer is Answer.SAT:
            pairs = zip(values, numbers, strict=True)
            point = [cast("int | Fraction", solver.value(v, n.sort)) for v, n in pairs]
            hull.join(tuple(map(Fraction, point)))
        solver.pop()
        yield Worked()
        if answer is not Answer.SAT:
            return answer is Answer.UNSAT
    return False


def equations(task: Task, guard: Term, numbers: Sequence[Term]) -> Search:
    """Find the equations between numbers, all of one sort, in all reachable states with a guard.

    Returns none where the limits do not suffice, or where none are inductive.
    """
    hull = AffineHull()
    try:
        for initial in (True, False):
            complete = yield from _widened(task, hull, guard, numbers, initial=initial)
            if not complete:
                return []
    except SolvingError:
        return []
    return hull.equations(numbers)
