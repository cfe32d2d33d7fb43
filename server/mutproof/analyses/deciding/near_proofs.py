"""Properties that few elements prove, though many more decide them.

Solvers need only those few to try such a proof on a mutant. What violates the property depends on
all the others: it may take many steps, and questions about all of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.analyses.bench.parts import LEAST_PARTED, SMALL_PART
from mutproof.analyses.deciding.context import Context


class NearProofs:
    """Tell which proofs of a model rest on little of what decides the property; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._known: dict[str, bool] = {}

    def of(self, names: Iterable[str]) -> frozenset[str]:
        """Return the properties among some that have such a proof."""
        return frozenset(name for name in names if self._is_near(name))

    def _is_near(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = self._found(name)
        return self._known[name]

    def _found(self, name: str) -> bool:
        baseline, executions = self._context.baseline, self._context.executions
        system, core = baseline.system, baseline.cores.get(name)
        size = len(system.constraints)
        if executions is None or core is None or size < LEAST_PARTED:
            return False
        if len(core) * SMALL_PART > len(system.by_owner):
            return False
        simulator = executions.simulator
        reach = simulator.reach(simulator.read_by(frozenset((name,))))
        deciding = reach.definitions.bit_count() + reach.updates.bit_count()
        return deciding * SMALL_PART > size
