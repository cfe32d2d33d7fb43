"""Infinite fair paths.

Source: Emerson & Lei 1986, Efficient model checking in fragments of the propositional
mu-calculus; Kesten, Pnueli & Raviv 1998, Algorithmic verification of linear temporal logic
specifications, for COMPASSION.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial

from mutproof.base.record import dataclass
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import Machine


@dataclass(frozen=True, slots=True)
class Fairness:
    """Hold what holds infinitely often on fair paths.

    Each of `justice` does; and of each pair of `compassion` the second, if the first does.
    """

    justice: tuple[Diagram, ...] = ()
    compassion: tuple[tuple[Diagram, Diagram], ...] = ()

    def fixed(self, manager: Manager, values: Mapping[str, bool]) -> Fairness:
        """Return the constraints for these values of bits that never change."""
        return Fairness(
            tuple(manager.fixed(values, often) for often in self.justice),
            tuple(
                (manager.fixed(values, asked), manager.fixed(values, given))
                for asked, given in self.compassion
            ),
        )


def reaching(machine: Machine, through: Diagram, target: Diagram) -> Diagram:
    """Return the states from which a path through `through` leads to `target` (E[p U q]).

    Raises:
        OutOfTime: the deadline has passed.
    """
    found = target
    layer = target
    while layer != machine.manager.false:
        layer = machine.before(layer) & through & ~found
        found = found | layer
    return found


def hull(machine: Machine, within: Diagram, fairness: Fairness) -> Diagram:
    """Return states from each of which a fair path stays in the set; it has all fair cycles.

    With justice alone these are all states of fair paths in `within`.

    Raises:
        OutOfTime: the deadline has passed.
    """
    narrowings: list[Callable[[Diagram], Diagram]] = [lambda states: _lasting(machine, states)]
    narrowings += [partial(_recurring, machine, often) for often in fairness.justice]
    narrowings += [partial(_answering, machine, pair) for pair in fairness.compassion]
    states, unchanged = within, 0
    # Each of them changes nothing when it is repeated, so that the last need not be asked again.
    for narrowed in itertools.cycle(narrowings):
        fewer = narrowed(states)
        unchanged = unchanged + 1 if fewer == states else 1
        states = fewer
        if unchanged == len(narrowings):
            return states
    raise AssertionError


def _recurring(machine: Machine, often: Diagram, states: Diagram) -> Diagram:
    """Return the states from which a path in the set leads to one that recurs."""
    return reaching(machine, states, states & often)


def _answering(machine: Machine, pair: tuple[Diagram, Diagram], states: Diagram) -> Diagram:
    """Return the states that do not ask, or from which a path in the set leads to the answer."""
    asked, given = pair
    if states & asked == machine.manager.false:
        return states
    return (states & ~asked) | reaching(machine, states, states & given)


def _lasting(machine: Machine, states: Diagram) -> Diagram:
    """Return the states from which a path can stay in the set forever (EG without fairness)."""
    while True:
        fewer = states & machine.before(states)
        if fewer == states:
            return states
        states = fewer


def fair_states(machine: Machine, within: Diagram, fairness: Fairness) -> Diagram:
    """Return the states from which an infinite fair path stays in `within` (EG).

    Raises:
        OutOfTime: the deadline has passed.
    """
    kernel = hull(machine, within, fairness)
    return reaching(machine, within, kernel) if fairness.compassion else kernel
