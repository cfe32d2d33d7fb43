"""A search through all pairs of executions of a model and a mutant on the same choices.

It rests on the second interpreter; what both sides ask for by the same name has one answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mutproof.model.program import Bodies, Program, VariableKind
from mutproof.model.sorts import Sort, Value
from support.lustre_interpreter import Interpreter, Key, State, _Replayed, _Step

MOST_PAIRS = 200


@dataclass(frozen=True)
class Apart:
    """Hold the first 0-based step at which the sides can differ, None if they never do.

    `exact` tells that all pairs of executions were visited.
    """

    step: int | None
    exact: bool


@dataclass(frozen=True)
class _Pair:
    here: State
    there: State
    first: Mapping[Key, Value]  # memories that were asked for, by either side

    @property
    def key(self) -> frozenset[tuple[Any, ...]]:
        sides = (("here", self.here), ("there", self.there), ("first", self.first))
        return frozenset((name, key, value) for name, side in sides for key, value in side.items())


def _shared(key: Key) -> Key:
    """Return a name for what is asked that does not depend on the side."""
    if key[0] == "variable":
        return ("first", key[1], *key[4:])
    if key[0] == "term":
        return ("first", key[1], key[3].id, key[4], *key[5:])
    return key


class _Answers:
    """Answer both sides of one step alike."""

    def __init__(self, way: _Replayed, first: Mapping[Key, Value]) -> None:
        self.way = way
        self.first = dict(first)
        self.now: dict[Key, Value] = {}

    def ask(self, key: Key, sort: Sort) -> Value:
        name = _shared(key)
        known = self.first if name[0] == "first" else self.now
        if name not in known:
            known[name] = self.way.ask(key, sort)
        return known[name]


def apart(program: Program, bodies: Bodies, *, everything: bool) -> Apart:
    """Return when a program with other bodies can differ from the program first."""
    here, there = Interpreter(program), Interpreter(program, bodies)
    layer = [_Pair(here.start(), there.start(), {})]
    seen: set[frozenset[tuple[Any, ...]]] = set()
    exact, step = True, 0
    while layer:
        following: list[_Pair] = []
        for pair in layer:
            way = _Replayed()
            while True:
                answers = _Answers(way, pair.first)
                left = here.step(pair.here, answers.ask)
                right = there.step(pair.there, answers.ask)
                allowed = left.assumed()
                if allowed != right.assumed():
                    return Apart(step, exact)
                if allowed:
                    if _differ(left, right, everything=everything):
                        return Apart(step, exact)
                    after = _Pair(left.after(), right.after(), answers.first)
                    if after.key not in seen:
                        seen.add(after.key)
                        following.append(after)
                if not way.advance():
                    break
            exact = exact and way.exact
            if len(seen) > MOST_PAIRS:
                return Apart(None, exact=False)
        layer = following
        step += 1
    return Apart(None, exact)


def _differ(left: _Step, right: _Step, *, everything: bool) -> bool:
    others = {place.prefix: place for place in right.machine.places}
    for place in left.machine.places:
        other = others.get(place.prefix)
        if other is None or (place.parent is not None and not everything):
            continue
        if left.runs(place) != right.runs(other):
            return True
        if not left.runs(place):
            continue
        for variable in place.component.variables:
            looked_at = (
                variable.kind is VariableKind.OUTPUT
                if not everything
                else place.parent is not None or variable.kind is not VariableKind.INPUT
            )
            if looked_at and left.variable(place, variable.name) != right.variable(
                other, variable.name
            ):
                return True
    return False
