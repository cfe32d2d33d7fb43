"""Traps, legal but rarely intended: indices out of bounds, divisors of zero, first values.

Checked after the properties, with a small part of the budget, where equations run forward.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFinding, PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.proving import first_values, partial_operands
from mutproof.base.digest import digest_parts
from mutproof.model.interpretation import Interpretation
from mutproof.model.system import TransitionSystem
from mutproof.model.traits import Semantics


def faults(
    meaning: Interpretation,
    system: TransitionSystem,
    properties: Iterable[PropertyFinding],
    means: Means,
    *,
    memory: ProofMemory,
    bounds: ProofMemory,
) -> tuple[ModelFinding, ...]:
    """Return the traps of a model, given what is known of its properties.

    `memory` keeps what was found, `bounds` the proofs that operands are as they should be.
    """
    if meaning.program.traits.semantics is not Semantics.FORWARD:
        return ()
    left = {PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN}
    open_ = [found.name for found in properties if found.verdict in left]
    key = digest_parts(meaning.program.digest, repr((open_, means.budget)))
    if key not in memory.traps:
        found = (
            *partial_operands.wrong(meaning, means, bounds),
            *first_values.deciding(meaning, system, open_, means),
        )
        memory.traps.clear()
        memory.traps[key] = found
    return memory.traps[key]
