"""Engines, one per file; the portfolio begins with them in this order."""

from typing import Final

from mutproof.base.registry import Registry, RegistryRow
from mutproof.solving.engine import Engine

_ROWS: Final = (
    RegistryRow("k-induction", "mutproof.solving.engines.k_induction"),
    RegistryRow("bmc", "mutproof.solving.engines.bmc"),
    RegistryRow("intervals", "mutproof.solving.engines.intervals"),
    RegistryRow("invariants", "mutproof.solving.engines.invariants"),
    RegistryRow("pdr", "mutproof.solving.engines.pdr"),
    RegistryRow("reachability", "mutproof.solving.engines.reachability"),
    RegistryRow("simulation", "mutproof.solving.engines.simulation"),
    RegistryRow("backward", "mutproof.solving.engines.backward"),
)

ENGINES: Registry[Engine] = Registry("engine", _ROWS, attribute="ENGINE")
