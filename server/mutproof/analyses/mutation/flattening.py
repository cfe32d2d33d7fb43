"""The proofs of a model as they are tried on its mutants: deep ones by inductive invariants.

Deep induction is costly on every mutant, so a property proved with a large k is proved again by
an inductive invariant, if that is found quickly. To look for one costs as much as dozens of
mutants, so what is deep but small is tried as it is first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutproof.analyses.deciding.evidence import Holds
from mutproof.analyses.mutation.docket import Docket
from mutproof.analyses.variant import combined, content
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved

SHALLOW = 2
"""How deep a proof may be to be tried on mutants as it is."""
LIGHT = 600
"""How much a deeper one may rest on, in all its frames together, to be tried as it is first."""
WORTH = 8
"""How many mutants it must leave open to be worth a search for an invariant."""


class Flattening:
    """Prepare proofs for mutants; mutable, looks for each invariant once."""

    def __init__(self, docket: Docket) -> None:
        self._docket = docket
        self._records = docket.records
        self._means = docket.means
        self._found: dict[str, Holds | None] = {}

    def certificates(
        self, known: Mapping[str, Holds]
    ) -> tuple[list[Certificate], list[Certificate]]:
        """Return certificates of proved properties, those of smallest k first; and all in one."""
        found = {
            name: holds if _is_light(holds) else self._flattened(name) or holds
            for name, holds in known.items()
        }
        single = dict.fromkeys(h.certificate for h in found.values() if h.certificate.k)
        ordered = sorted(single, key=lambda certificate: certificate.k)
        shallow = {name: h for name, h in found.items() if 0 < h.certificate.k <= SHALLOW}
        return ordered, [combined(shallow)] if len(ordered) > 1 and shallow else []

    def in_place_of(self, deep: Iterable[Certificate]) -> list[Certificate]:
        """Return invariants in place of deep proofs that leave many mutants open."""
        found: dict[Certificate, None] = {}
        for name in dict.fromkeys(goal for certificate in deep for goal in certificate.goals):
            if sum(name in case.open for case in self._docket.open()) >= WORTH:
                flat = self._flattened(name)
                found.update({} if flat is None else {flat.certificate: None})
        return list(found)

    def _flattened(self, name: str) -> Holds | None:
        if name not in self._found:
            self._found[name] = self._by_invariant(name)
        return self._found[name]

    def _by_invariant(self, name: str) -> Holds | None:
        """Return a proof of a property by an inductive invariant, None if none is found."""
        known = self._records.invariants.get(name)
        if known is not None and known.support <= content(self._docket.system):
            return known
        self._docket.calls += 1
        baseline = self._docket.baseline
        outcome = portfolio.prove(
            baseline.system,
            self._means.middle,
            self._means.asking("pdr", cores=False),
            goals=[name],
        )
        match outcome.verdicts[name]:
            case Proved(certificate=certificate) as proved if certificate.k <= SHALLOW:
                found = self._means.notary.proved(baseline.system, proved, self._means.middle)
                if found is not None:
                    self._records.invariants[name] = found
                return found
            case _:
                return None


def _is_light(holds: Holds) -> bool:
    """Tell whether a proof is tried as it is."""
    k = holds.certificate.k
    return k <= SHALLOW or k * len(holds.support) <= LIGHT
