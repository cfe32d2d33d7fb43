"""Certificates of the proofs of a text, exported as scripts for other solvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mutproof.analyses.checking.certificates import NOT_NEEDED, Exporter
from mutproof.analyses.claims.finding import (
    CertificateFinding,
    MutantFinding,
    MutantStatus,
    PropertyVerdict,
)
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving.proofs import Proofs
from mutproof.model.language import Elaborated
from mutproof.model.system import TransitionSystem
from mutproof.workspace.events import Progress


class Certifying:
    """Export the certificates of one text; mutable: scripts are written once."""

    def __init__(self, elaborated: Elaborated, system: TransitionSystem, proofs: Proofs) -> None:
        self._elaborated = elaborated
        self._system = system
        self._proofs = proofs
        self._exporter = Exporter(elaborated.parsed.source.name, system, self._describe)

    def of_model(self) -> Iterator[CertificateFinding]:
        """Yield the certificates of what is proved of the model."""
        yield from self._exporter.findings("", self._system, self._proofs.holds)
        for name, finding in self._proofs.findings.items():
            if finding.verdict is PropertyVerdict.PROVED and name not in self._proofs.holds:
                yield CertificateFinding("", name, how=finding.engine, reason=NOT_NEEDED)

    def of_survivors(
        self, mutants: Mutants, decided: Sequence[Mutant], findings: Mapping[str, MutantFinding]
    ) -> Iterator[CertificateFinding | Progress]:
        """Yield the certificates of every property on every survivor."""
        survived = [one for one in decided if findings[one.id].status is MutantStatus.SURVIVED]
        for done, mutant in enumerate(survived):
            yield Progress("certify", done, len(survived))
            claim = mutants.claims[mutant.id]
            about = f"{mutant.operator} {mutant.summary} in {mutant.element}"
            system = mutants.applied(claim)
            yield from self._exporter.findings(mutant.id, system, claim.holds, about)

    def _describe(self, name: str) -> tuple[str, ...]:
        """Return the line in which the text states a property, empty if there is none."""
        found, source = self._proofs.findings[name], self._elaborated.parsed.source
        stated = self._elaborated.provenance.properties
        place = stated.get(f"{found.component}.{found.declared}")
        if place is None:
            return ()
        rest = source.content[: place.end].rpartition("\n")[2]
        line = rest + source.content[place.end :].partition("\n")[0]
        return (f"line {source.position(place.start).line}: {line.strip()}",)
