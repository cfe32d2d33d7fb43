"""Random executions of a system, in which many values are constants of it or next to one."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mutproof.model import semantics, sorts
from mutproof.model.simulate import Simulator
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, RealSort, Sort, Value, WordSort
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.model.trace import Choices


def interesting_values(system: TransitionSystem) -> dict[type[Sort], list[Value]]:
    """Return constants of the system and their neighbours, by kind of sort."""
    integers: set[int] = {0, 1, -1, 2}
    reals: set[Fraction] = {Fraction(0), Fraction(1), Fraction(-1)}
    for term in system.constants:
        if isinstance(term.sort, IntSort) and isinstance(term.payload, int):
            integers.update((term.payload - 1, term.payload, term.payload + 1))
        elif isinstance(term.sort, RealSort) and isinstance(term.payload, Fraction):
            half = Fraction(1, 2)
            reals.update((term.payload, term.payload - half, term.payload + half))
    return {IntSort: [*sorted(integers)], RealSort: [*sorted(reals)]}


def random_value(
    sort: Sort, source: random.Random, interesting: Mapping[Any, list[Value]]
) -> Value:
    """Return a random value of a scalar sort, mostly one of the interesting ones."""
    match sort:
        case BoolSort():
            return source.random() < 0.5
        case IntSort(low, high):
            candidates = interesting[IntSort]
            if low is not None and high is not None:
                return source.randint(low, high)
            return source.choice(candidates) if source.random() < 0.8 else source.randint(-99, 99)
        case RealSort():
            if source.random() < 0.8:
                return source.choice(interesting[RealSort])
            return Fraction(source.randint(-400, 400), 4)
        case EnumSort(_, values) if values:
            return source.choice(values)
        case WordSort():
            return semantics.wrapped(source.getrandbits(sort.width), sort)
        case _:
            return sorts.default_value(sort)


def random_choices(
    simulator: Simulator, source: random.Random, steps: int, stay: float = 0.3
) -> Choices:
    """Return random choices of that many steps; an input stays with probability `stay`."""
    interesting = interesting_values(simulator.system)
    free = {name: simulator.system.variables[name].sort for name in simulator.free}
    chosen = random_steps(free, source, interesting, steps=steps, stay=stay)
    return Choices(tuple(chosen), random_before(simulator, source, interesting))


def random_steps(
    free: Mapping[str, Sort],
    source: random.Random,
    interesting: Mapping[Any, list[Value]],
    *,
    steps: int,
    stay: float,
) -> list[dict[str, Value]]:
    """Return random values of variables at each step; one stays with probability `stay`."""
    chosen: list[dict[str, Value]] = []
    for step in range(steps):
        row: dict[str, Value] = {}
        for name, sort in free.items():
            if step and source.random() < stay:
                row[name] = chosen[-1][name]
            else:
                row[name] = random_value(sort, source, interesting)
        chosen.append(row)
    return chosen


SHARES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
STAYS = (0.0, 0.5, 0.8, 0.95)


def uneven_steps(
    free: Mapping[str, Sort],
    source: random.Random,
    interesting: Mapping[Any, list[Value]],
    *,
    steps: int,
) -> list[dict[str, Value]]:
    """Return random values at each step, for each variable by a probability of its own to stay.

    A Boolean has a probability of its own to be true, too: so some are rarely true or false, and
    do not hide what others do.

    Source: Groce, Zhang, Eide, Chen and Regehr, Swarm Testing, ISSTA 2012.
    """
    shares = {name: (source.choice(SHARES), source.choice(STAYS)) for name in free}
    chosen: list[dict[str, Value]] = []
    for step in range(steps):
        row: dict[str, Value] = {}
        for name, sort in free.items():
            share, stay = shares[name]
            if step and source.random() < stay:
                row[name] = chosen[-1][name]
            elif isinstance(sort, BoolSort):
                row[name] = source.random() < share
            else:
                row[name] = random_value(sort, source, interesting)
        chosen.append(row)
    return chosen


def random_before(
    simulator: Simulator, source: random.Random, interesting: Mapping[Any, list[Value]]
) -> dict[str, Value]:
    """Return random values of the memories of a system before its first step."""
    variables = simulator.system.variables
    return {
        item.name: random_value(variables[item.name].sort, source, interesting)
        for item in simulator.updates
        if variables[item.name].kind is SystemVariableKind.STATE
    }
