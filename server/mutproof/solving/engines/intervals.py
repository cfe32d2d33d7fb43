"""Intervals by abstract interpretation: bounds of numeric memories, as lemmas.

The abstract state maps each remembered number to an interval. Starting from the first states,
the step is evaluated over intervals until nothing grows; growing bounds jump to the next
constant of the program (widening with thresholds), then to infinity. The result is a
candidate like any other: it becomes a lemma once it is shown inductive by the solver.

Source: Cousot and Cousot, POPL 1977; thresholds, Blanchet et al., PLDI 2003, section 7.1.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from fractions import Fraction

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import houdini
from mutproof.solving.engine import Engine, Finding, LearntLemmas, Stuck, Task, Worked

Number = int | Fraction

MOST_ROUNDS = 60
"""How often all intervals may be computed; those of few variables as often as costs the same."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Hold the bounds of an interval, `low` and `high`, both inclusive; None is unbounded.

    Truth values are the numbers 0 and 1.
    """

    low: Number | None = None
    high: Number | None = None

    def joined(self, other: Interval) -> Interval:
        """Return the smallest interval that contains both."""
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def only(self) -> Number | None:
        """Return the one number contained, None if there are more."""
        return self.low if self.low == self.high else None


ANY = Interval()
TRUTH = Interval(0, 1)
YES = Interval(1, 1)
NO = Interval(0, 0)


def top(sort: Sort) -> Interval:
    """Return the interval of all values of a sort that has no bounds of its own."""
    return TRUTH if isinstance(sort, sorts.BoolSort) else ANY


def of_sort(sort: Sort) -> Interval:
    """Return the interval of a declared sort, its bounds included."""
    if isinstance(sort, sorts.IntSort):
        return Interval(sort.low, sort.high)
    return top(sort)


def evaluate(root: Term, values: Mapping[str, Interval], memo: dict[Term, Interval]) -> Interval:
    """Return an interval that contains every value of the term."""
    return walk.fold(root, lambda term, args: _combine(term, args, values), memo)


def _combine(term: Term, args: tuple[Interval, ...], values: Mapping[str, Interval]) -> Interval:
    match term.op:
        case Op.CONST:
            payload = term.payload
            if isinstance(payload, bool):
                return YES if payload else NO
            if isinstance(payload, int | Fraction) and not isinstance(term.sort, sorts.WordSort):
                return Interval(payload, payload)
            return top(term.sort)
        case Op.VAR:
            return values.get(str(term.payload), top(term.sort))
        case Op.ITE:
            return _chosen(args[:1], args[1:])
        case Op.CASE:
            return _chosen(args[0:-2:2], args[1::2])
        case Op.TO_REAL:
            return args[0]
        case _ if term.args and isinstance(term.args[0].sort, sorts.WordSort):
            return top(term.sort)
        case Op.ADD:
            return _sum(args)
        case Op.SUB:
            return _sum((args[0], *(_negated(arg) for arg in args[1:])))
        case Op.NEG:
            return _negated(args[0])
        case Op.MUL if len(args) == 2:
            return _product(*args)
        case Op.MOD:
            divisor = args[1].only()
            return Interval(0, abs(int(divisor)) - 1) if divisor else ANY
        case Op.LT | Op.LE | Op.GT | Op.GE:
            return _compared(term.op, *args)
        case Op.EQ | Op.NE:
            return _equal(term, *args)
        case Op.NOT:
            return _inverted(args[0])
        case Op.AND:
            return _all(args)
        case Op.OR:
            return _inverted(_all(tuple(_inverted(arg) for arg in args)))
        case Op.IMPLIES:
            return _inverted(_all((args[0], _inverted(args[1]))))
        case Op.COUNT:
            return Interval(0, len(args))
        case _:
            return top(term.sort)


def _chosen(conditions: tuple[Interval, ...], values: tuple[Interval, ...]) -> Interval:
    result: Interval | None = None
    for condition, value in zip(conditions, values[:-1], strict=True):
        if condition == NO:
            continue
        result = value if result is None else result.joined(value)
        if condition == YES:
            return result
    return values[-1] if result is None else result.joined(values[-1])


def _sum(args: tuple[Interval, ...]) -> Interval:
    low: Number | None = 0
    high: Number | None = 0
    for arg in args:
        low = None if low is None or arg.low is None else low + arg.low
        high = None if high is None or arg.high is None else high + arg.high
    return Interval(low, high)


def _negated(arg: Interval) -> Interval:
    return Interval(None if arg.high is None else -arg.high, None if arg.low is None else -arg.low)


def _product(left: Interval, right: Interval) -> Interval:
    if left.only() == 0 or right.only() == 0:
        return NO
    if left.low is None or left.high is None or right.low is None or right.high is None:
        both = (left.low or -1) >= 0 and (right.low or -1) >= 0
        return Interval(0, None) if both else ANY
    corners = [x * y for x in (left.low, left.high) for y in (right.low, right.high)]
    return Interval(min(corners), max(corners))


def _compared(op: Op, left: Interval, right: Interval) -> Interval:
    if op in {Op.GT, Op.GE}:
        left, right = right, left
    strict = op in {Op.LT, Op.GT}
    if left.high is not None and right.low is not None:
        surely = left.high < right.low or (not strict and left.high == right.low)
        if surely:
            return YES
    if left.low is not None and right.high is not None:
        never = left.low > right.high or (strict and left.low == right.high)
        if never:
            return NO
    return TRUTH


def _equal(term: Term, left: Interval, right: Interval) -> Interval:
    if isinstance(term.args[0].sort, sorts.EnumSort):
        return TRUTH
    same = TRUTH
    if left.only() is not None and left == right:
        same = YES
    elif _compared(Op.LT, left, right) == YES or _compared(Op.GT, left, right) == YES:
        same = NO
    return same if term.op is Op.EQ else _inverted(same)


def _inverted(arg: Interval) -> Interval:
    if arg == YES:
        return NO
    return YES if arg == NO else TRUTH


def _all(args: tuple[Interval, ...]) -> Interval:
    if any(arg == NO for arg in args):
        return NO
    return YES if all(arg == YES for arg in args) else TRUTH


# --- the system ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Definitions:
    order: tuple[tuple[str, Term], ...]  # INVAR definitions in the order of computation
    updates: Mapping[str, Term]
    initial: Mapping[str, Term]


def reachable(system: TransitionSystem) -> dict[str, Interval]:
    """Return intervals that the variables probably keep in every reachable state, or none.

    The first state is treated separately, as values of memories there may not occur later.
    Constraints that define nothing are ignored; callers must check the result.
    """
    definitions = _definitions(system)
    thresholds = _thresholds(system)
    free = {
        name: of_sort(declared.sort)
        for name, declared in system.variables.items()
        if name not in definitions.updates
    }
    memories = {
        name: evaluate(definitions.initial[name], free, {})
        if name in definitions.initial
        else of_sort(system.variables[name].sort)
        for name in definitions.updates
    }
    state = _State(definitions, {**free, **memories})
    first = dict(state.values)
    changed = memories = dict(state.after)
    count = 0
    while state.moved <= MOST_ROUNDS * len(state.values):
        grown: dict[str, Interval] = {}
        for name in state.move(changed):
            joined = memories[name].joined(state.after[name])
            if joined != memories[name]:
                grown[name] = joined if count < 3 else _widened(memories[name], joined, thresholds)
        if not grown:
            state.compute_all()
            return {name: first[name].joined(found) for name, found in state.values.items()}
        memories.update(grown)
        changed = grown
        count += 1
    return {}


class _State:
    """Hold the intervals of all variables in a state, and of memories in the next one; mutable.

    A move to other memories computes only what next memories depend on and what reads a change.
    `moved` counts what moves have computed.
    """

    def __init__(self, definitions: _Definitions, values: dict[str, Interval]) -> None:
        self.values = values
        self.after: dict[str, Interval] = {}
        self.moved = 0
        self._terms = [*definitions.order, *definitions.updates.items()]
        self._defined = len(definitions.order)
        self._readers = _needed_readers(definitions)
        self.compute_all()

    def compute_all(self) -> None:
        """Compute all variables and all next memories."""
        memo: dict[Term, Interval] = {}
        for place in range(len(self._terms)):
            self._compute(place, memo)

    def move(self, memories: Mapping[str, Interval]) -> list[str]:
        """Take other values of memories; return the memories whose next value was computed."""
        memo: dict[Term, Interval] = {}
        waiting: list[int] = []
        queued: set[int] = set()

        def change(name: str) -> None:
            for place in self._readers.get(name, ()):
                if place not in queued:
                    queued.add(place)
                    heapq.heappush(waiting, place)

        for name, interval in memories.items():
            if self.values[name] != interval:
                self.values[name] = interval
                change(name)
        moved: list[str] = []
        while waiting:
            place = heapq.heappop(waiting)
            self.moved += 1
            name = self._terms[place][0]
            if self._compute(place, memo):
                change(name)
            if place >= self._defined:
                moved.append(name)
        return moved

    def _compute(self, place: int, memo: dict[Term, Interval]) -> bool:
        """Compute what stands at a place; tell whether the value of a variable has changed."""
        name, term = self._terms[place]
        found = evaluate(term, self.values, memo)
        if place >= self._defined:
            self.after[name] = found
            return False
        before, self.values[name] = self.values[name], found
        return before != found


def _needed_readers(definitions: _Definitions) -> dict[str, list[int]]:
    """Return which terms read a variable, of those that next memories depend on.

    They are given by their places: definitions in their order, then updates.
    """
    places = {name: place for place, (name, _) in enumerate(definitions.order)}
    readers: dict[str, list[int]] = {}
    stack = [(len(places) + n, term) for n, term in enumerate(definitions.updates.values())]
    done: set[int] = set()
    while stack:
        place, term = stack.pop()
        if place in done:
            continue
        done.add(place)
        for name in walk.variables(term):
            readers.setdefault(name, []).append(place)
            if name in places:
                stack.append((places[name], definitions.order[places[name]][1]))
    return readers


def _widened(old: Interval, new: Interval, thresholds: list[Number]) -> Interval:
    low, high = new.low, new.high
    if low != old.low:
        low = max((t for t in thresholds if low is not None and t <= low), default=None)
    if high != old.high:
        high = min((t for t in thresholds if high is not None and t >= high), default=None)
    return Interval(low, high)


def _thresholds(system: TransitionSystem) -> list[Number]:
    found: set[Number] = {0, 1, -1}
    stated = [c.term for c in system.constraints] + [p.term for p in system.properties]
    for root in stated:
        for term in walk.subterms(root):
            payload = term.payload
            if (
                term.op is Op.CONST
                and isinstance(payload, int | Fraction)
                and not isinstance(payload, bool)
            ):
                found.update((payload, payload + 1, payload - 1))
    return sorted(found)


def _definitions(system: TransitionSystem) -> _Definitions:
    by_kind: dict[ConstraintKind, dict[str, Term]] = {kind: {} for kind in ConstraintKind}
    for constraint in system.constraints:
        if constraint.defines is not None:
            by_kind[constraint.kind][constraint.defines] = constraint.term.args[1]
    invars = by_kind[ConstraintKind.INVAR]
    order: list[tuple[str, Term]] = []
    state: dict[str, bool] = {}
    for root in invars:
        stack = [root]
        while stack:
            name = stack[-1]
            if name not in state:
                state[name] = False
                stack.extend(
                    read
                    for read in sorted(walk.variables(invars[name]))
                    if read in invars and read not in state
                )
            else:
                stack.pop()
                if not state[name]:
                    state[name] = True
                    order.append((name, invars[name]))
    # Order is a hint: what is read too early has an earlier value, see `reachable`.
    return _Definitions(tuple(order), by_kind[ConstraintKind.TRANS], by_kind[ConstraintKind.INIT])


def candidates(system: TransitionSystem) -> list[Term]:
    """Return what the intervals say about memories and declared variables, as terms.

    Variables defined as constants are left out: their definition says as much.
    """
    constant = {
        c.defines
        for c in system.constraints
        if c.kind is ConstraintKind.INVAR and c.defines and c.term.args[1].op is Op.CONST
    }
    found: list[Term] = []
    for name, interval in reachable(system).items():
        if name in constant:
            continue
        declared = system.variables[name]
        variable = terms.var(name, declared.sort)
        if isinstance(declared.sort, sorts.BoolSort):
            if interval.only() is not None:
                found.append(variable if interval == YES else terms.not_(variable))
        elif isinstance(declared.sort, sorts.IntSort | sorts.RealSort):
            for op, bound in ((Op.GE, interval.low), (Op.LE, interval.high)):
                if bound is not None:
                    limit = terms.const(bound, sorts.widened(declared.sort))
                    found.append(terms.compare(op, variable, limit))
    return found


def run(task: Task) -> Iterator[Finding]:
    """Compute intervals once, keep those that are inductive, and report them."""
    found = candidates(task.system)
    task.charge(10_000)
    yield Worked()
    if found:
        kept = yield from houdini.inductive(task, found)
        if kept:
            yield LearntLemmas(tuple(kept), 1)
    yield Stuck("all intervals are reported")


ENGINE = Engine("intervals", "bounds of numbers by abstract interpretation", run, 4_000)
