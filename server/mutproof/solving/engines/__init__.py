"""Engines, one per file; the portfolio begins with them in this order."""

from mutproof.base.registry import Registry
from mutproof.solving.engine import Engine
from mutproof.solving.engines import (
    bmc,
    intervals,
    invariants,
    k_induction,
    pdr,
    reachability,
)

ENGINES: Registry[Engine] = Registry(
    "engine",
    (
        k_induction.ENGINE,
        bmc.ENGINE,
        intervals.ENGINE,
        invariants.ENGINE,
        pdr.ENGINE,
        reachability.ENGINE,
    ),
)
