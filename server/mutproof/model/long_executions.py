"""Long random executions in which assertions hold, so that timers and counters run out.

A value that breaks an assertion is drawn again; without that, most executions of a model whose
inputs have asserted ranges end in their first step. Knows no solver: what it finds is a candidate.

Source: Selman, Kautz and Cohen 1994, Noise strategies for improving local search (which value is
drawn again); Groce, Zhang, Eide, Chen and Regehr, Swarm Testing, ISSTA 2012 (shares of inputs).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import cycle, islice
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.compile import Row
from mutproof.model.sampling import interesting_values, random_before, random_value
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import Simulator
from mutproof.model.sorts import BoolSort, IntSort, RealSort, Sort, Value, contains
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

REPAIRS = 60
"""How many values of a step are drawn again before the execution ends there."""

LEAST_LIMIT = 50
"""Integer constants from here on are taken for limits of timers."""

MOST_STEPS = 4_000

STAYS = (0.9, 0.97, 0.99)
"""The probability that an input keeps its value in a step, in the first executions."""

LIVELY = (0.5, 0.3)
"""The share and the stay of inputs where some timers reach their limits, in the last executions."""

CORNERS = 4
"""How many executions have numbers at different ends of what assertions allow at first."""

PULSES = 8
"""Up to how many single steps have an input that is not as usual, in executions of few pulses."""

AT_LIMITS = 8
"""How many executions are lively at limits of timers, each with other usual values of Booleans."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Hold how inputs behave: of each the probabilities to be true and to keep its value.

    Where a number was one of `at` a step earlier, all are lively. Numbers begin at the least or
    greatest value that assertions allow by turns, as bits of `corner` say; None: some of them.
    In so many `pulses`, among the first quarter of the steps, a Boolean is what it rarely is.
    """

    usual: Mapping[str, tuple[float, float]]
    at: frozenset[int] = frozenset()
    corner: int | None = None
    pulses: int = 0


Drawing: TypeAlias = Callable[[Simulator, random.Random], Iterator[Habits]]
"""Give habits of the inputs of a system for some executions, one after the other."""


def timer_steps(system: TransitionSystem) -> int:
    """Return in how many steps the slowest timer runs out, by its constants; 0 if none has any."""
    steps = [limit + limit // 4 for limit in _limits(system)]
    return max((step for step in steps if step <= MOST_STEPS), default=0)


def variety(simulator: Simulator, source: random.Random) -> Iterator[Habits]:
    """Yield habits for executions that differ in more than what is drawn.

    After some in which all inputs change at times, nothing changes, so that timers run out; where
    constants look like limits of timers, inputs then change only where one is reached.
    """
    variables = simulator.system.variables
    booleans = [n for n in simulator.free if isinstance(variables[n].sort, BoolSort)]
    numbers = any(isinstance(variables[n].sort, IntSort | RealSort) for n in simulator.free)
    limits = _limits(simulator.system)
    everything = frozenset(booleans)
    bases = [frozenset[str](), everything]
    bases += [frozenset((name,)) for name in booleans]
    bases += [everything - {name} for name in booleans]

    for stay in STAYS:
        yield Habits(dict.fromkeys(simulator.free, (0.5, stay)))
    for base in dict.fromkeys(bases[:2]):
        for corner in range(CORNERS if numbers and simulator.checks else 1):
            yield Habits(_calm(simulator, base), corner=corner)
    for base in islice(cycle(dict.fromkeys(bases)), AT_LIMITS if limits else 0):
        heeded = [limit - source.randrange(2) for limit in limits if source.random() < 0.5]
        yield Habits(_calm(simulator, base), frozenset(heeded or limits))


def pulsing(simulator: Simulator, _source: random.Random) -> Iterator[Habits]:
    """Yield habits for executions with few pulses, one number of them after the other.

    So counters stop at each small value, and what follows them comes to rest. Where inputs change
    at random, they hardly do.
    """
    booleans = _booleans(simulator)
    bases = dict.fromkeys((frozenset[str](), booleans)) if booleans else ()
    for pulses in range(1, PULSES + 1):
        for base in bases:
            yield Habits(_calm(simulator, base), pulses=pulses)


def _booleans(simulator: Simulator) -> frozenset[str]:
    variables = simulator.system.variables
    return frozenset(n for n in simulator.free if isinstance(variables[n].sort, BoolSort))


def _calm(simulator: Simulator, base: AbstractSet[str]) -> Mapping[str, tuple[float, float]]:
    """Return habits of inputs that stay as they are; of the Booleans, those in `base` are true."""
    booleans = _booleans(simulator)
    return {
        name: (float(name in base), 0.0) if name in booleans else (0.5, 1.0)
        for name in simulator.free
    }


def _limits(system: TransitionSystem) -> list[int]:
    return [
        abs(term.payload)
        for term in system.constants
        if isinstance(term.sort, IntSort)
        and isinstance(term.payload, int)
        and abs(term.payload) >= LEAST_LIMIT
    ]


def abiding(
    simulator: Simulator, source: random.Random, steps: int, own: Habits
) -> tuple[Choices, list[Row]]:
    """Return choices, and their rows, of a random execution of at most so many steps.

    All assertions hold in it. It ends earlier where no values are found that satisfy them.
    """
    system, free = simulator.system, simulator.free
    interesting = interesting_values(system)
    before = random_before(simulator, source, interesting)
    pulses: dict[int, str] = {}
    if own.pulses:
        early, booleans = range(1, max(steps // 4, own.pulses + 1)), sorted(_booleans(simulator))
        pulses = {step: source.choice(booleans) for step in source.sample(early, own.pulses)}
    guards = _guards(simulator)
    numbers = [n for n, v in enumerate(system.variables.values()) if isinstance(v.sort, IntSort)]
    chosen: list[Mapping[str, Value]] = []
    rows: list[Row] = []

    def drawn(name: str, share: float) -> Value:
        sort: Sort = system.variables[name].sort
        if isinstance(sort, BoolSort):
            return source.random() < share
        return random_value(sort, source, interesting)

    try:
        for step in range(steps):
            last = chosen[-1] if chosen else None
            lively = bool(own.at and rows) and any(rows[-1][place] in own.at for place in numbers)
            given: dict[str, Value] = {}
            for name in free:
                share, stay = LIVELY if lively else own.usual[name]
                stays = last is not None and source.random() < stay
                given[name] = last[name] if last is not None and stays else drawn(name, share)
            if step in pulses:
                given[pulses[step]] = not given[pulses[step]]
            row = simulator.row(rows[-1] if rows else None, given, before, {})
            for _ in range(REPAIRS):
                broken = [n for n, holds in enumerate(simulator.checks) if not holds(row, row, {})]
                names = guards[source.choice(broken)] if broken else ()
                if not names:
                    break
                name = source.choice(names)
                sort = system.variables[name].sort
                given[name] = random_value(sort, source, interesting)
                row = simulator.row(rows[-1] if rows else None, given, before, {})
            if not simulator.assumed(row, {}):
                break
            if not rows and simulator.checks:
                row = _stretched(simulator, source, given, before, corner=own.corner) or row
            chosen.append(given)
            rows.append(row)
    except NumberTooLarge:
        pass
    return Choices(tuple(chosen), before), rows


def _stretched(
    simulator: Simulator,
    source: random.Random,
    given: dict[str, Value],
    before: Mapping[str, Value],
    *,
    corner: int | None,
) -> Row | None:
    """Move numbers to the least or greatest constants that assertions allow at first.

    Returns the first row that results, None if `given` stays as it was.
    """
    found: Row | None = None
    interesting = interesting_values(simulator.system)
    sorts = {name: simulator.system.variables[name].sort for name in simulator.free}
    numbers = [name for name, sort in sorts.items() if isinstance(sort, IntSort | RealSort)]
    for place, name in enumerate(numbers):
        if corner is None and source.random() < 0.3:
            continue
        up = source.random() < 0.5 if corner is None else corner >> place % 2 & 1
        values = interesting[type(sorts[name])]
        for value in reversed(values) if up else values:
            row = None
            if contains(sorts[name], value):
                row = simulator.row(None, {**given, name: value}, before, {})
            if row is not None and simulator.assumed(row, {}):
                given[name] = value
                found = row
                break
    return found


def _guards(simulator: Simulator) -> list[Sequence[str]]:
    """Return the free variables that decide each assertion in the same step."""
    free = frozenset(simulator.free)
    found: list[Sequence[str]] = []
    for term in simulator.check_terms:
        read = walk.variables(term)
        needed = simulator.needed(read, 1).definitions
        read = read.union(*(walk.variables(simulator.defined[item.name]) for item in needed))
        found.append(sorted(read & free))
    return found
