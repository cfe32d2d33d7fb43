"""What certificates are tried on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mutproof.analyses.bench.sieve import Bundle
from mutproof.analyses.bench.solvers import Solvers


def sieved_sizes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return what is filled with the number of constraints wherever certificates are tried."""
    sizes, sieved = list[int](), Solvers.sieved

    def sized(solvers: Solvers, *asked: Any) -> Iterator[Bundle]:
        sizes.append(len(solvers.system.constraints))
        return sieved(solvers, *asked)

    monkeypatch.setattr(Solvers, "sieved", sized)
    return sizes
