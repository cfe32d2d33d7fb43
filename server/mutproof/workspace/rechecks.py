"""Check proofs that were read from disk again before they count.

A proof says: this certificate proves its goals wherever these constraints hold. A fresh solver is
asked whether it does, with those constraints of today's model and nothing else. What it refutes is
dropped. A proof that rests on more than the model, such as constraints of a mutant, loses its
support: it counts only after the analysis has checked its certificate again on that mutant.
Certificates that take more than `EFFORT`, and proofs without one (fixed points of diagrams,
liveness), count by the seal of this account. The effort is counted in the solver's own units, so
that the same proof is treated alike on every machine and under any load.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from mutproof.analyses.checking.notary import doubted
from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.records import Record
from mutproof.analyses.claims.variant import bounds_digest, content
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest, digest_text
from mutproof.base.identity import ByIdentity
from mutproof.model import walk
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop
from mutproof.workspace.analysis import Memory

EFFORT: Final = Budget(rlimit=2_000_000, timeout_s=60.0)
"""What one check may cost, about a fifth of a second; the time limit is a backstop only."""

MOST_OF_ONE: Final = 8
"""How many supports of one certificate are checked, if their intersection does not suffice."""

MOST_WORK: Final = 5_000
"""The most steps times constraints of a certificate that is checked."""

MOST_STEPS: Final = 1_000
"""The most steps of a valid certificate: no engine goes as far."""

MOST_CHECKS: Final = 256
"""The most checks for one model."""

_NOWHERE: Final = frozenset({digest_text("nowhere")})
"""A digest that no system has: a proof that rests on it must be checked again before use."""


def recheck(memory: Memory, system: TransitionSystem) -> None:
    """Drop, or make subject to another check, the proofs in a memory that do not pass one now."""
    checker = _Checker(system)
    proofs, records = memory.proofs, memory.records
    for name, (holds, _) in proofs.proofs.items():
        checker.add(name, holds, proofs.terms)
    for name, known in proofs.earlier.items():
        for holds, stated in known:
            checker.add(name, holds, stated)
    kept = [*records.newest()]
    for _, record in kept:
        for version in record.versions():
            for name, holds in version.holds.items():
                checker.add(name, holds, version.stated)
    checker.check()
    for name, (holds, core) in [*proofs.proofs.items()]:
        found = checker.counting(holds, name)
        if found is None:
            del proofs.proofs[name]
        else:
            proofs.proofs[name] = found, core
    for name, known in [*proofs.earlier.items()]:
        pairs = [(checker.counting(holds, name), stated) for holds, stated in known]
        proofs.earlier[name] = tuple([(h, stated) for h, stated in pairs if h is not None])
    for name, record in reversed(kept):
        records[name] = checker.record(record)


class _Checker:
    """Check proofs against the constraints of a system, all with one certificate together."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._content = content(system)
        self._said = system.said
        self._workshop = Workshop()
        self._asked: dict[Certificate, dict[frozenset[Digest], None]] = {}
        self._stands: dict[tuple[Certificate, frozenset[Digest]], bool] = {}
        # Mutants of an element share their proofs.
        self._records: ByIdentity[dict[str, Holds]] = ByIdentity()
        self._counting: ByIdentity[Holds | None] = ByIdentity()

    def add(self, name: str, holds: Holds, stated: Mapping[str, bytes]) -> None:
        """Have a proof of a property checked, where its properties say what they said."""
        if (
            holds.certificate is not UNCERTIFIED
            and holds.support <= self._content
            and holds.says(name, stated, self._said)
        ):
            self._asked.setdefault(holds.certificate, {})[holds.support] = None

    def check(self) -> None:
        """Check what was added."""
        for certificate, supports in self._asked.items():
            if len(self._stands) > MOST_CHECKS:
                return
            shared = frozenset.intersection(*supports)
            if len(supports) > 1 and self._proves(certificate, shared) == (True, True):
                self._stands.update(((certificate, support), True) for support in supports)
                continue
            for support in [*supports][:MOST_OF_ONE]:
                stands, _ = self._proves(certificate, support)
                self._stands[certificate, support] = stands

    def counting(self, holds: Holds, name: str) -> Holds | None:
        """Return a proof as it counts for a property; None where it proves something else."""
        if holds.certificate is not UNCERTIFIED and name not in holds.certificate.goals:
            return None
        return self._counting.of(lambda: self._judged(holds), holds)

    def record(self, record: Record) -> Record:
        """Return a record with the proofs that count."""
        before = None if record.before is None else self.record(record.before)
        return replace(record, holds=self._kept(record.holds), before=before)

    def _kept(self, holds: Mapping[str, Holds]) -> dict[str, Holds]:
        return self._records.of(lambda: dict(self._each(holds)), holds)

    def _each(self, holds: Mapping[str, Holds]) -> Iterator[tuple[str, Holds]]:
        for name, one in holds.items():
            found = self.counting(one, name)
            if found is not None:
                yield name, found

    def _judged(self, holds: Holds) -> Holds | None:
        if holds.certificate is UNCERTIFIED:
            return holds
        stands = self._stands.get((holds.certificate, holds.support))
        if stands is None:
            return doubted(holds, _NOWHERE)
        return holds if stands else None

    def _proves(self, certificate: Certificate, support: frozenset[Digest]) -> tuple[bool, bool]:
        """Tell whether a certificate may count with some constraints, and if that is certain."""
        system = self._system
        if certificate.k > MOST_STEPS:
            return False, True
        kept = tuple(c for c in system.constraints if c.digest in support)
        names = set().union(*(walk.variables(c.term) for c in kept))
        for term in certify.statements(system, certificate):
            names |= walk.variables(term)
        read = [name for name in sorted(names) if name in system.variables]
        variables = {name: system.variables[name] for name in read}
        if len(read) < len(names) or not all(
            bounds_digest(declared) in support for declared in variables.values()
        ):
            return False, True
        if certificate.k * (len(kept) + 1) > MOST_WORK:
            return True, False
        part = replace(system, variables=variables, constraints=kept)
        found = certify.certify(system, certificate, EFFORT, part=part, workshop=self._workshop)
        return found.ok or found.undecided, found.ok
