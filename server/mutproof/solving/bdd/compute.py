"""Shortest and longest distances between sets of states.

Source: NuSMV 2.6 user manual §3.3; Campos, Clarke, Marrero & Minea 1995, Verus: a tool for
quantitative analysis of finite-state real-time systems.
"""

from __future__ import annotations

from mutproof.model.terms import Term
from mutproof.solving.bdd.ctl import Branching
from mutproof.solving.bdd.verdict import Computed


def computed(branching: Branching, term: Term) -> Computed:
    """Return the distance from the first set of a pair to the second.

    MIN is the length of a shortest path; MAX of a longest one that meets the second set at its
    end only.

    Raises:
        OutOfTime: the deadline has passed.
    """
    start, end = (branching.satisfying(part) & branching.fair for part in term.args)
    false = branching.machine.manager.false
    if term.payload == "MIN":
        layers = branching.machine.layers(start, branching.fair)
        for steps, layer in enumerate(layers):
            if layer & end != false:
                return Computed(steps)
        return Computed(None)
    if false in (start, end):
        return Computed(None, undefined=True)
    avoiding = branching.fair & ~end
    steps = 0
    while start & avoiding != false:
        steps += 1
        longer = branching.fair & ~end & branching.some_next(avoiding)
        if longer == avoiding:
            return Computed(None)
        avoiding = longer
    return Computed(steps)
