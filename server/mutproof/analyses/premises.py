"""Implications whose premise never holds: they are proved, and say nothing.

Source: Beer, Ben-David, Eisner and Rodeh, Efficient Detection of Vacuity in Temporal Model
Checking, FMSD 2001.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mutproof.analyses.means import Means
from mutproof.model import sampling, terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.system import ConstraintKind, SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved

IDLE = "its premise never holds"

RUNS = 4
STEPS = 12
"""How many random executions are tried, and of how many states."""

_WHOLE = frozenset({Op.AG, Op.G, Op.H})
_GOAL = "premise"


def premises(system: TransitionSystem, names: Iterable[str]) -> dict[str, Term]:
    """Return when properties ask for something, where they are implications, or always are.

    A property that is the name of a defined variable is looked up.
    """
    definitions = {
        constraint.defines: constraint.term.args[1]
        for constraint in system.constraints
        if constraint.defines is not None and constraint.kind is ConstraintKind.INVAR
    }
    found = {name: _premise(system.property(name).term, definitions) for name in names}
    return {name: premise for name, premise in found.items() if premise is not None}


def _premise(term: Term, definitions: Mapping[str, Term]) -> Term | None:
    if term.op in _WHOLE and term.payload is None:
        term = term.args[0]
    if term.op is Op.VAR:
        term = definitions.get(str(term.payload), term)
    if term.op is not Op.IMPLIES:
        return None
    return None if _is_temporal(term.args[0]) else term.args[0]


def _is_temporal(term: Term) -> bool:
    known = BRANCHING_TIME | LINEAR_TIME | {Op.NEXT_VAR}
    return any(part.op in known for part in walk.subterms(term))


def seen(system: TransitionSystem, conditions: Mapping[str, Term], seed: int = 1) -> frozenset[str]:
    """Return the names of conditions that hold in a state of some random execution."""
    if system.relational or not conditions:
        return frozenset()
    if any(c.defines is None and c.kind is not ConstraintKind.INVAR for c in system.constraints):
        return frozenset()
    source = random.Random(seed)
    found: set[str] = set()
    try:
        simulator = Simulator(system)
        left = dict(
            zip(conditions, simulator.compiler.compile_all(list(conditions.values())), strict=True)
        )
        for _ in range(RUNS):
            choices = sampling.random_choices(simulator, source, STEPS)
            for row in simulator.run(choices):
                if not left or not simulator.assumed(row, {}):
                    break
                held = [name for name, function in left.items() if function(row, row, {})]
                found.update(held)
                for name in held:
                    del left[name]
    except (CyclicDefinitions, ArithmeticError):
        pass
    return frozenset(found)


def never_holds(part: TransitionSystem, term: Term, means: Means) -> bool:
    """Tell whether it is proved that a condition holds in no reachable state."""
    asked = SystemProperty(_GOAL, terms.not_(term), PropertyKind.INVARIANT)
    outcome = portfolio.prove(
        replace(part, properties=(asked,)),
        means.small,
        means.asking("bmc", "k-induction", cores=False),
        goals=[_GOAL],
    )
    return isinstance(outcome.verdicts[_GOAL], Proved)
