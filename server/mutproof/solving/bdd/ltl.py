"""Linear time: a formula fails where a fair path of system and tableau together denies it.

Source: Clarke, Grumberg & Hamaguchi 1997; Kesten, Pnueli & Raviv 1998.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.base.record import dataclass
from mutproof.model import terms
from mutproof.model.terms import Term
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.fairness import Fairness, hull, reaching
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.tableau import tableau


@dataclass(frozen=True, slots=True)
class Denial:
    """Hold the paths that deny a formula.

    `machine` is the product; `start` are its initial states that begin such a path, none where
    the formula holds; all of these paths end in `kernel` and are fair by `fairness`.
    """

    machine: Machine
    start: Diagram
    kernel: Diagram
    reachable: Diagram
    fairness: Fairness

    def cycles(self) -> Cycles:
        """Return the fair lassos that deny the formula."""
        return Cycles(self.machine, self.kernel, self.fairness)

    def fixed(self, values: Mapping[str, bool]) -> Denial:
        """Return the same for these values of bits that never change."""
        manager = self.machine.manager
        return Denial(
            self.machine.fixed(values),
            manager.fixed(values, self.start),
            manager.fixed(values, self.kernel),
            manager.fixed(values, self.reachable),
            self.fairness.fixed(manager, values),
        )


def denial(
    machine: Machine, reachable: Diagram, fairness: Fairness, formula: Term, *, prefix: str
) -> Denial:
    """Return the fair paths from initial states on which a formula does not hold.

    Raises:
        NotFinite: a part of the formula has no diagram.
        OutOfTime: the deadline has passed.
    """
    manager = machine.manager
    denied = tableau(machine.encoder, terms.not_(formula), prefix)
    assert denied.truth is not None
    initial = manager.conjunction((denied.truth, *denied.initial))
    product = machine.extended(denied.bits, initial, denied.steps, reachable)
    # The product's invariant has the machine's reachable states with any of the tableau's bits:
    # computing the product's own reachable states would cost more than it saves.
    seen = product.invariant
    together = Fairness((*fairness.justice, *denied.justice), fairness.compassion)
    kernel = hull(product, seen, together)
    start = product.initial & reaching(product, seen, kernel)
    return Denial(product, start, kernel, seen, together)
