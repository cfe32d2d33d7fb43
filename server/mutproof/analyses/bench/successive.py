"""Executions in which properties fail one after the other, as soon as they can.

In a row of memories, a change moves on by one in each step. Where it is known when properties will
fail, no values are computed but those on the way, so that such an execution takes as many values
as it has steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace

from mutproof.model.compile import Row
from mutproof.model.late_values import LateValues, TooMuch
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation

DEEP = 8
"""Where a property can fail so many steps after another one, it is tried first whether they do so
one after the other."""


def is_deep(variation: Variation, goals: AbstractSet[str]) -> bool:
    """Tell whether some goal can fail only many steps after another one."""
    soonest = variation.soonest
    if soonest is None or not variation.is_ordered:
        return False
    steps = [soonest[goal] for goal in goals]
    return max(steps) - min(steps) >= DEEP


def in_turn(
    variation: Variation,
    rows: Sequence[Row],
    choices: Choices,
    goals: AbstractSet[str],
    *,
    start: int,
    every: bool,
) -> tuple[dict[str, int], Choices] | None:
    """Return when goals fail, and choices up to there, if they do one after the other.

    After the nearest of them has failed, each of the others fails as soon as it can. None if they
    do not, or if `every` goal is wanted and the execution ends before.
    """
    soonest, functions = variation.soonest, choices.functions
    assert soonest is not None
    nearest = min(goals, key=lambda goal: (soonest[goal], goal))
    reach = variation.deciding(frozenset((nearest,)))
    changed: list[Row] = []
    near = noted(variation.rows(rows, choices, start, reach), changed)
    first = variation.violations(near, functions, (nearest,), start)
    if not first:
        return None
    by = {goal: first[nearest] + soonest[goal] - soonest[nearest] for goal in goals}
    reached = {goal: step for goal, step in by.items() if step < len(rows)}
    if every and len(reached) < len(goals):
        return None
    with suppress(TooMuch):
        failing = _on_demand(variation, rows, choices, reached, start=start)
        if failing is not None:
            begun = variation.choices(changed, choices, 1)
            until = replace(begun, steps=choices.steps[: max(reached.values()) + 1])
            return (failing, until) if len(failing) == len(reached) else None
    changed.clear()
    found = noted(variation.rows_until(rows, choices, start, reached), changed)
    violated = variation.violations(found, functions, reached, start)
    if len(violated) < len(reached):
        return None
    return violated, variation.choices(changed, choices, max(violated.values()) + 1)


def _on_demand(
    variation: Variation,
    rows: Sequence[Row],
    choices: Choices,
    by: Mapping[str, int],
    *,
    start: int,
) -> dict[str, int] | None:
    """Return when goals fail that do so by some steps; None if all that differs is to be run."""
    simulator, last = variation.simulator, max(by.values())
    if not simulator.checked.isdisjoint(variation.reached):
        return None
    if not all(name in step for step in choices.steps[: last + 1] for name in variation.freed):
        return None
    if not all(simulator.assumed(row, choices.functions) for row in rows[: last + 1]):
        return None
    values = LateValues(variation, rows, choices, start)
    found: dict[str, int] = {}
    for goal in sorted(by, key=lambda goal: (by[goal], goal)):
        step = values.first_failure(goal, by[goal])
        if step is None:
            break
        found[goal] = step
    return found


def noted(rows: Iterable[Row], noted: list[Row]) -> Iterator[Row]:
    """Yield rows that are noted as they are made."""
    for row in rows:
        noted.append(row)
        yield row
