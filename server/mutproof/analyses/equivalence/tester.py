"""How a tester, who sees only inputs and outputs, kills the mutants of a relational system."""

from __future__ import annotations

import time

from mutproof.analyses.claims.equivalence import Equivalence
from mutproof.analyses.claims.observation import Interface, is_part
from mutproof.analyses.equivalence.killing import Killability, Killing, killing
from mutproof.analyses.equivalence.report import killed, not_included
from mutproof.analyses.equivalence.sides import ModelAndMutants


def killability(
    sides: ModelAndMutants, mutant: str, interface: Interface, started: float
) -> Equivalence:
    """Return how a mutant can be killed; the search began at `started`, by the monotonic clock."""
    variables = sides.system.variables
    parts = {
        name: tuple(found for found in variables if is_part(found, name))
        for name in (*interface.inputs, *interface.outputs)
    }
    unknown = [name for name, found in parts.items() if not found]
    if unknown:
        result = Killing(Killability.UNKNOWN, reason=f"there is no variable {unknown[0]}")
        return killed(result, time.monotonic() - started)
    inputs, outputs = (
        tuple(found for name in names for found in parts[name])
        for names in (interface.inputs, interface.outputs)
    )
    result = killing(sides.system, sides.changed(mutant), Interface(inputs, outputs))
    if result.killability is Killability.NOT:
        contradicted = sides.contradicted_inclusion(mutant, (*inputs, *outputs))
        if contradicted is not None:
            seconds = time.monotonic() - started
            return not_included(contradicted.name, contradicted.step, seconds)
    return killed(result, time.monotonic() - started)
