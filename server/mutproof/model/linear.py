"""Linear-time formulas on lassos, exactly, and on how paths begin: what is true at each step.

The truth of a formula along a lasso is a wave: some first steps, then steps that repeat. Every
operator makes a wave of waves with the same period; those of the past only begin to repeat
later. Path quantifiers are read as if the lasso were the only path.
Source: NuSMV 2.6 user manual §2.4.3, §2.4.4, and what the 2.6.0 binary does with bounds.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model import semantics, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term

FARTHEST_PAST = 100_000
"""How many steps the bound of a past operator may look back."""

MOST_KEPT = 256
"""Of how many formulas is kept where they speak of time."""

States = Callable[[Term], Sequence[Any]]
"""The value of a term without time in each state of a lasso."""

_EXISTENTIAL = frozenset({Op.EX, Op.EF, Op.EG, Op.EU, Op.EBF, Op.EBG, Op.EBU})
_ALONG_PATH = {
    Op.EX: Op.X,
    Op.AX: Op.X,
    Op.EF: Op.F,
    Op.AF: Op.F,
    Op.EBF: Op.F,
    Op.ABF: Op.F,
    Op.EG: Op.G,
    Op.AG: Op.G,
    Op.EBG: Op.G,
    Op.ABG: Op.G,
    Op.EU: Op.U,
    Op.AU: Op.U,
    Op.EBU: Op.U,
    Op.ABU: Op.U,
}

_MONOTONE = frozenset({Op.AND, Op.OR}) | BRANCHING_TIME | LINEAR_TIME


class TooFar(Exception):  # noqa: N818 - the caller decides what it means
    """Say that a past operator looks back farther than `FARTHEST_PAST`."""


@dataclass(frozen=True, slots=True)
class Wave:
    """Hold a value for each step; after the last, those from step `loop` (0-based) repeat."""

    values: Sequence[Any]
    loop: int

    @property
    def period(self) -> int:
        """Return the number of steps that repeat."""
        return len(self.values) - self.loop

    def place(self, step: int) -> int:
        """Return where the value of a step, however late, is in `values`."""
        if step < len(self.values):
            return step
        return self.loop + (step - self.loop) % self.period

    def unrolled(self, length: int) -> list[Any]:
        """Return the values of the first `length` steps."""
        found = list(self.values[:length])
        repeated = self.values[self.loop :]
        while len(found) < length:
            found.extend(repeated)
        return found[:length]


@lru_cache(maxsize=MOST_KEPT)
def is_linear(formula: Term) -> bool:
    """Tell whether a formula fails as a whole where it is false along one fair path.

    So do formulas without path quantifiers, and those in which the quantifiers say "on all
    paths" once negations are moved inwards.
    """
    operators = walk.operators(formula)
    if not operators & BRANCHING_TIME:
        return True
    if operators & LINEAR_TIME:
        return False
    temporal = _temporal(formula)
    seen: set[tuple[Term, bool]] = set()
    stack = [(formula, True)]
    while stack:
        claim = stack.pop()
        term, positive = claim
        if claim in seen or not temporal[term]:
            continue
        seen.add(claim)
        if term.op in BRANCHING_TIME:
            if (term.op in _EXISTENTIAL) is positive:
                return False
            stack.extend((arg, positive) for arg in term.args)
        elif term.op is Op.NOT:
            stack.append((term.args[0], not positive))
        elif term.op in {Op.AND, Op.OR}:
            stack.extend((arg, positive) for arg in term.args)
        elif term.op is Op.IMPLIES:
            stack.extend([(term.args[0], not positive), (term.args[1], positive)])
        else:
            stack.extend((arg, sign) for arg in term.args for sign in (True, False))
    return True


def holds(formula: Term, states: States, loop: int) -> bool:
    """Tell whether a formula is true at the first state of a lasso.

    `loop` is the 0-based state to which the last one returns.

    Raises:
        TooFar: the formula looks back too far to be evaluated.
    """
    temporal = _temporal(formula)
    waves: dict[Term, Wave] = {}
    parts = walk.conjuncts(formula) if temporal[formula] else (formula,)

    def combine(term: Term, args: tuple[Wave, ...]) -> Wave:
        return _combined(term, args) if temporal[term] else Wave(states(term), loop)

    below = _parts(temporal)
    return all(walk.fold_parts(part, below, combine, waves).values[0] for part in parts)


def is_refuted(formula: Term, states: States) -> bool:
    """Tell whether a formula is false on every infinite path that begins with these states.

    Nothing but constants is known in later states: what is perhaps true is followed beside what is
    surely true.

    Raises:
        TooFar: the formula looks back too far to be evaluated.
    """
    temporal = _temporal(formula)

    def combine(term: Term, args: tuple[tuple[Wave, Wave], ...]) -> tuple[Wave, Wave]:
        if term.op is Op.CONST:
            always = Wave([term.payload], 0)
            return always, always
        if not temporal[term]:
            values = states(term)
            surely = Wave([*(value is True for value in values), False], len(values))
            return surely, Wave([*(value is not False for value in values), True], len(values))
        if term.op in _MONOTONE:
            return _combined(term, [s for s, _ in args]), _combined(term, [p for _, p in args])
        if any(arg.sort != BOOL for arg in term.args):
            return Wave([False], 0), Wave([True], 0)
        cases = [_combined(term, one) for one in itertools.product(*args)]
        surely = _pointwise(lambda *values: all(values), cases)
        return surely, _pointwise(lambda *values: any(values), cases)

    return not walk.fold_parts(formula, _parts(temporal), combine)[1].values[0]


def first_refuted(
    formula: Term, states: Callable[[Term, int], Sequence[Any]], length: int
) -> int | None:
    """Return the first 0-based step after which a formula is false however a path goes on.

    `states` gives the value of a term without time in the states up to a step. None: it may be
    true after all `length` steps, or looks back too far to be evaluated.
    """

    def is_false(last: int) -> bool:
        return is_refuted(formula, lambda term: states(term, last))

    try:
        if not length or not is_false(length - 1):
            return None
        return bisect_left(range(length), True, key=is_false)
    except TooFar:
        return None


def timeless(formula: Term) -> tuple[Term, ...]:
    """Return the parts of a formula without time whose values along a path decide it."""
    temporal = _temporal(formula)
    found: dict[Term, None] = {}
    stack, seen = [formula], {formula}
    while stack:
        term = stack.pop()
        if not temporal[term]:
            found[term] = None
            continue
        stack += [arg for arg in term.args if arg not in seen]
        seen.update(term.args)
    return tuple(found)


def of_each_state(formula: Term) -> Term | None:
    """Return the term without time that a formula claims of all states of a path and no more."""
    if _ALONG_PATH.get(formula.op, formula.op) is not Op.G or formula.payload is not None:
        return None
    return None if _temporal(formula)[formula.args[0]] else formula.args[0]


def _parts(temporal: Mapping[Term, bool]) -> Callable[[Term], Sequence[Term]]:
    """Return what gives the parts of a term that are evaluated by themselves."""
    return lambda term: term.args if temporal[term] else ()


@lru_cache(maxsize=MOST_KEPT)
def _temporal(formula: Term) -> dict[Term, bool]:
    memo: dict[Term, bool] = {}
    time = BRANCHING_TIME | LINEAR_TIME
    walk.fold(formula, lambda term, args: term.op in time or any(args), memo)
    return memo


def _combined(term: Term, args: Sequence[Wave]) -> Wave:
    op = _ALONG_PATH.get(term.op, term.op)
    if op not in LINEAR_TIME:
        return _pointwise(semantics.function(term), args)
    if term.payload is not None:
        assert isinstance(term.payload, tuple)
        low, high = term.payload
        assert isinstance(low, int)
        assert isinstance(high, int)
        return _bounded(op, args, low, high)
    match op:
        case Op.X:
            wave = args[0]
            steps = range(1, len(wave.values) + 1)
            return Wave([wave.values[wave.place(step)] for step in steps], wave.loop)
        case Op.F:
            return _until(None, args[0])
        case Op.G:
            return _not(_until(None, _not(args[0])))
        case Op.U:
            return _until(args[0], args[1])
        case Op.V:
            return _not(_until(_not(args[0]), _not(args[1])))
        case Op.Y | Op.Z:
            return Wave([op is Op.Z, *args[0].values], args[0].loop + 1)
        case Op.O:
            return _since(None, args[0])
        case Op.H:
            return _not(_since(None, _not(args[0])))
        case Op.S:
            return _since(args[0], args[1])
        case _:
            return _not(_since(_not(args[0]), _not(args[1])))


def _bounded(op: Op, args: Sequence[Wave], low: int, high: int) -> Wave:
    match op:
        case Op.F:
            return _within(None, args[0], low, high)
        case Op.G:
            return _not(_within(None, _not(args[0]), low, high))
        case Op.U:
            return _within(args[0], args[1], low, high)
        case Op.O:
            return _before(args[0], low, high)
        case Op.H:
            # It is false at the first `high` steps: there are too few to look back to.
            failed = _before(_not(args[0]), low, high)
            values = [
                step >= high and not value
                for step, value in enumerate(failed.unrolled(len(failed.values)))
            ]
            return Wave(values, failed.loop)
        case _:
            message = f"{op} takes no bounds"
            raise NotImplementedError(message)


def _pointwise(function: Callable[..., Any], waves: Sequence[Wave]) -> Wave:
    loop = max(wave.loop for wave in waves)
    length = loop + waves[0].period
    if all(len(wave.values) == length for wave in waves):
        return Wave([*map(function, *(wave.values for wave in waves))], loop)
    rows = zip(*(wave.unrolled(length) for wave in waves), strict=True)
    return Wave([function(*row) for row in rows], loop)


def _not(wave: Wave) -> Wave:
    return Wave([not value for value in wave.values], wave.loop)


def _until(through: Wave | None, target: Wave) -> Wave:
    """Return where `through U target` holds; `through` is true if None."""
    if through is None:
        return _finally(target)
    both = _pointwise(lambda left, right: (left, right), [through, target])
    length = len(both.values)
    found = [False] * length
    # The second pass starts from what the first found at the start of the loop.
    for _ in range(2):
        later = found[both.loop]
        for step in range(length - 1, -1, -1):
            go_on, arrived = both.values[step]
            later = bool(arrived or (go_on and later))
            found[step] = later
    return Wave(found, both.loop)


def _finally(target: Wave) -> Wave:
    """Return where a wave is true at this or a later step."""
    later = any(target.values[target.loop :])
    found = [later] * len(target.values)
    for step in range(target.loop - 1, -1, -1):
        later = found[step] = bool(later or target.values[step])
    return Wave(found, target.loop)


def _distances(wave: Wave) -> list[int | None]:
    """Return for each step how many steps later the wave is first true; None for never."""
    length = len(wave.values)
    found: list[int | None] = [None] * length
    for _ in range(2):
        later = found[wave.loop]
        for step in range(length - 1, -1, -1):
            if wave.values[step]:
                later = 0
            elif later is not None:
                later += 1
            found[step] = later
    return found


def _within(through: Wave | None, target: Wave, low: int, high: int) -> Wave:
    """Return where `through U [low, high] target` holds; `through` is true if None."""
    if through is None:
        through = Wave([True] * len(target.values), target.loop)
    both = _pointwise(lambda left, right: (left, right), [through, target])
    broken = _distances(Wave([not left for left, _ in both.values], both.loop))
    ahead = _distances(Wave([right for _, right in both.values], both.loop))
    found = []
    for step in range(len(both.values)):
        end, limit = ahead[both.place(step + low)], broken[step]
        last = high if limit is None else min(high, limit)
        found.append(end is not None and low + end <= last)
    return Wave(found, both.loop)


def _since(through: Wave | None, target: Wave) -> Wave:
    """Return where `through S target` holds; `through` is true if None.

    A round of the loop maps the value monotonically, so that a second round changes nothing.
    """
    if through is None:
        through = Wave([True] * len(target.values), target.loop)
    both = _pointwise(lambda left, right: (left, right), [through, target])
    found = []
    before = False
    for kept, arrived in both.unrolled(both.loop + 2 * both.period):
        before = bool(arrived or (kept and before))
        found.append(before)
    return Wave(found, both.loop + both.period)


def _before(wave: Wave, low: int, high: int) -> Wave:
    """Return where the wave was true at some step low..high steps before."""
    if high > FARTHEST_PAST:
        raise TooFar
    values = wave.unrolled(wave.loop + high + wave.period)
    found = []
    latest = -1
    for step in range(len(values)):
        if step >= low and values[step - low]:
            latest = step - low
        found.append(latest >= 0 and latest >= step - high)
    return Wave(found, wave.loop + high)
