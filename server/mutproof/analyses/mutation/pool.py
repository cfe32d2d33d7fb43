"""Certificates found for single mutants, tried on the next ones."""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.analyses.bench import Bench
from mutproof.analyses.sieve import Steps
from mutproof.analyses.variant import Case
from mutproof.model.program import ElementId
from mutproof.solving.verdict import Certificate

STRANGERS = 4
"""How many proofs of mutants of other elements are tried on one mutant."""

HURRY = 0.05
"""The share of its effort that a question about them gets: an own proof is often sooner found."""


class Pool:
    """Keep what was proved of mutants; mutable."""

    def __init__(self) -> None:
        self._found: dict[Certificate, frozenset[ElementId]] = {}  # what helped last stands last

    def learn(self, case: Case, certificates: Iterable[Certificate]) -> None:
        """Keep certificates that prove something of a case."""
        self._found.update(dict.fromkeys(certificates, case.variant.removed))

    def try_on(self, case: Case, bench: Bench, steps: Steps | None) -> None:
        """Try what was proved of other mutants: of the same element, then what helped last.

        Neighbours need the same invariants; of the others few help, and each costs a question.
        """
        removed = case.variant.removed
        asked = [c for c in reversed(self._found) if not case.open.isdisjoint(c.goals)]
        near = [c for c in asked if self._found[c] == removed]
        far = [c for c in asked if self._found[c] != removed]
        for certificate in [*near, *far[:STRANGERS]]:
            before = len(case.open)
            with bench.hurried(HURRY):
                bench.certify([case], [certificate], partly=False, steps=steps)
            if len(case.open) < before:
                del self._found[certificate]
                self._found[certificate] = removed
