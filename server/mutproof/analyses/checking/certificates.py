"""Certificates of verdicts as scripts for other solvers, each distinct one written once.

A script holds only what the certificate rests on. So all survivors that are settled because
no proof rests on the changed element share the script of the model itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import mutproof
from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import SCRIPT_SUFFIX, CertificateFinding
from mutproof.base.digest import Digest, digest_parts
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.solving import smtlib
from mutproof.solving.smtlib import CertificateQuestion
from mutproof.solving.solver import SolvingError

NOT_NEEDED = "could not have failed, no certificate"
NO_CERTIFICATE = "decided by diagrams, no certificate"
TWICE = "decided twice by diagrams, no certificate"
NOT_KEPT = "proved earlier beside an automaton that was not kept, no certificate"
_DIGITS = 32  # hexadecimal digits of the digest in a file's name
_MOST_ELEMENTS = 200


def file_name(text: str) -> str:
    """Return the name of the file that holds a script."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS] + SCRIPT_SUFFIX


class Exporter:
    """Write the certificates of one file; mutable, remembers what it wrote.

    `describe` says in lines what a property is and where it stands.
    """

    def __init__(
        self, name: str, system: TransitionSystem, describe: Callable[[str], Sequence[str]]
    ) -> None:
        self._name = name
        self._defined = smtlib.defined_variables(system)
        # NuSMV refuses assignments of values out of range, in mutants too. So variables that
        # only a mutant assigns are in their ranges.
        self._ranged = frozenset(system.variables) - self._defined
        if not system.relational:
            self._ranged = frozenset()
        self._content = frozenset(constraint.digest for constraint in system.constraints)
        self._ranks = {one.name: rank for rank, one in enumerate(system.properties)}
        self._describe = describe
        self._written: dict[Digest, str] = {}
        self._reasons: dict[str, str] = {}  # by property of the model without certificate

    def findings(
        self, mutant: str, system: TransitionSystem, proofs: Mapping[str, Holds], about: str = ""
    ) -> Iterator[CertificateFinding]:
        """Yield the certificate of every property proved on the system of a mutant or model.

        They come in the order of the properties. `about` says what the mutant is.
        """
        for name, holds in sorted(proofs.items(), key=self._rank):
            try:
                yield self._finding(mutant, system, name, holds, about=about)
            except (SolvingError, KeyError) as error:
                yield CertificateFinding(mutant, name, how=holds.how, reason=f"no script: {error}")

    def _rank(self, proof: tuple[str, Holds]) -> int:
        return self._ranks.get(proof[0], len(self._ranks))

    def _finding(
        self, mutant: str, system: TransitionSystem, name: str, holds: Holds, *, about: str
    ) -> CertificateFinding:
        if holds.certificate.k:
            # A variable that the model defines is not bounded, even where a mutant frees it: so
            # a proof of the model is the same script for the mutants that it proves.
            asked = smtlib.question(
                system,
                holds.certificate,
                kept=holds.support,
                unbounded=self._defined if holds.how == "core" else frozenset(),
                ranged=self._ranged,
            )
            product = ""
        elif holds.proof is not None:
            proof = holds.proof
            needed = proof.rests_on
            kept = None if needed is None else _of_owners(proof.system, needed)
            asked = smtlib.question(proof.system, proof.certificate, kept=kept)
            product = f"the model beside its denied property; no failure exists ({proof.how})"
        else:
            reason = _without(system, name, holds, of_model=not mutant)
            if holds.how == "core":
                reason = self._reasons.get(name, reason)
            if not mutant:
                self._reasons[name] = reason
            return CertificateFinding(mutant, name, how=holds.how, reason=reason)
        key = _key(asked)
        file, text = self._written.get(key, ""), ""
        if not file:
            own = any(c.digest not in self._content for c in asked.constraints) and not product
            of = f"mutant {mutant}: {about}" if mutant and (own or product) else "the model"
            text = smtlib.script(asked, self._header(asked, name, holds.how, of, product=product))
            file = self._written[key] = file_name(text)
        return CertificateFinding(
            mutant, name, file, text, smtlib.checks(asked), asked.k, holds.how
        )

    def _header(
        self, asked: CertificateQuestion, name: str, how: str, of: str, *, product: str
    ) -> Iterator[str]:
        yield f"Certificate by mutproof {mutproof.__version__}; every check-sat must answer unsat."
        yield f"model: {self._name}"
        yield f"proves: {name}"
        yield from self._describe(name)
        yield f"of: {of}"
        if product:
            yield f"system: {product}"
        yield f"claim: lemmas and properties below are {asked.k}-inductive together"
        yield f"found by: {how}; k = {asked.k}; {len(asked.lemmas)} lemmas"
        yield f"in the range of their types in every state: {', '.join(asked.bounded) or 'none'}"
        owners = dict.fromkeys(c.owner for c in asked.constraints if c.owner is not None)
        names = [f"{owner.kind} {owner}" for owner in owners]
        more = f" and {len(names) - _MOST_ELEMENTS} more" if len(names) > _MOST_ELEMENTS else ""
        yield f"elements used: {', '.join(names[:_MOST_ELEMENTS]) or 'none'}{more}"


def _without(system: TransitionSystem, name: str, holds: Holds, *, of_model: bool) -> str:
    """Return why a proof has no certificate."""
    if holds.how == SAME_STEPS:
        return TWICE
    if holds.how != DIAGRAMS:
        return f"{NOT_KEPT} ({holds.how})"
    # Diagrams decide families of mutants once, temporal properties of the model twice.
    twice = of_model and system.property(name).kind is not PropertyKind.INVARIANT
    return TWICE if twice else NO_CERTIFICATE


def _of_owners(system: TransitionSystem, owners: frozenset[ElementId]) -> frozenset[Digest]:
    """Return the digests of the constraints of some elements and of those without owner."""
    return frozenset(
        constraint.digest
        for constraint in system.constraints
        if constraint.owner is None or constraint.owner in owners
    )


def _key(asked: CertificateQuestion) -> Digest:
    """Return the digest of a question, which does not depend on the order of constraints."""
    return digest_parts(
        asked.k,
        "lemmas",
        *(term.digest for term in asked.lemmas),
        "goals",
        *(part for name, term in asked.goals for part in (name, term.digest)),
        "constraints",
        *sorted(constraint.digest for constraint in asked.constraints),
        "variables",
        *(repr(variable) for variable in asked.variables),
        "bounds",
        *asked.bounded,
        "first",
        *asked.first,
    )
