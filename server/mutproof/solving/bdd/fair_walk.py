"""An infinite fair path that is walked state by state, where all states of such paths are too many.

Distances are those among all states, reachable or not: diagrams of few steps are small. A walk may
end where nothing fair follows, so that none is found.
"""

from __future__ import annotations

from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Trace
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.check import attempted, fairness_of
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.relation import machine


def fair_walk(system: TransitionSystem, deadline: Deadline) -> Trace | None:
    """Return a lasso from an initial state that is fair by COMPASSION too; None: none was found."""
    found: list[Trace] = []

    def search() -> None:
        model = machine(Encoder(Manager(deadline, reordering=False), system))
        cycles = Cycles(model, model.invariant, fairness_of(model.encoder))
        start = model.initial
        for often in cycles.fairness.justice:
            start = cycles.nearest(start, often)
        lasso = cycles.lasso(model, start)
        if lasso is not None:
            found.append(trace.shown(model, *lasso))

    attempted(search)
    return found[0] if found else None
