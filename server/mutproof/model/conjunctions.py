"""Long conjunctions in steps where few variables differ from known ones.

What is stated of many variables alike is one long body. Where some of them have other values, only
the conjuncts that read these are computed; of the others it is known which are false.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.code import Entries
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.spot import Spot
from mutproof.model.step_values import MISSING, WholeStep

LEAST = 32
"""Bodies of fewer conjuncts are computed as a whole."""

MOST_STEPS = 256
"""In how many steps it is kept which conjuncts are false."""

Fill: TypeAlias = Callable[[Spot, Entries, "Mapping[str, Any] | None"], None]
"""Compute entries of a spot, from some variables or, if none are given, those that hold now."""


@dataclass(frozen=True, slots=True)
class _Conjuncts:
    """Hold the conjuncts of a body: slots and entries, and which of them read a variable."""

    computed: Sequence[tuple[int, Entries]]
    readers: Mapping[str, Sequence[int]]


class Conjunctions:
    """Compute the long conjunctions of one program by their conjuncts; caches only."""

    def __init__(self) -> None:
        self._conjuncts: dict[int, _Conjuncts | None] = {}  # by place
        self._false: Memo[tuple[WholeStep, frozenset[int]]] = Memo(MOST_STEPS)

    def value(
        self, place: int, spot: Spot, step: WholeStep, *, changed: Collection[str], fill: Fill
    ) -> Any:
        """Return the value of the program's body at a place where variables `changed` in a step.

        It is MISSING where the body is to be computed as a whole.
        """
        if place not in self._conjuncts:
            self._conjuncts[place] = _conjuncts(spot)
        found = self._conjuncts[place]
        if found is None:
            return MISSING
        touched = {number for name in changed for number in found.readers.get(name, ())}
        if 2 * len(touched) > len(found.computed):
            return MISSING
        _, false = self._false.get(
            (id(step), place), lambda: (step, _false(found, spot, step, fill))
        )
        if not false <= touched:
            return False
        for number in touched:
            slot, entries = found.computed[number]
            fill(spot, entries, None)
            if not spot.values[slot]:
                return False
        return True


def _conjuncts(spot: Spot) -> _Conjuncts | None:
    """Return the conjuncts of a body; None if they are few, or need more than variables."""
    body, code = spot.body, spot.code
    if body is None or code is None or body.op is not Op.AND or body.sort != BOOL or code.later:
        return None
    if any(direct is None and term.op is not Op.VAR for _, term, _, direct in code.now):
        return None
    conjuncts = [*walk.conjuncts(body)]
    if len(conjuncts) < LEAST:
        return None
    readers: dict[str, list[int]] = {}
    for number, conjunct in enumerate(conjuncts):
        for name in walk.variables(conjunct):
            readers.setdefault(spot.prefix + name, []).append(number)
    return _Conjuncts([(code.slots[one], code.needed(one)) for one in conjuncts], readers)


def _false(conjuncts: _Conjuncts, spot: Spot, step: WholeStep, fill: Fill) -> frozenset[int]:
    """Return which conjuncts are false in a step itself."""
    assert spot.code is not None
    values = [MISSING] * spot.code.size
    fill(Spot(spot.instance, spot.element, spot.body, spot.code, values), spot.code.now, step.now)
    slots = enumerate(slot for slot, _ in conjuncts.computed)
    return frozenset([number for number, slot in slots if not values[slot]])
