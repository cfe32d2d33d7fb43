"""Certificates of the model tried on its mutants: as a whole, then what is left of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mutproof.analyses.bench.bench import spoken_of
from mutproof.analyses.bench.parts import LEAST_PARTED
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.variant import SHALLOW, in_order, joined
from mutproof.analyses.deciding.context import Context, suits_executions
from mutproof.analyses.deciding.near_proofs import NearProofs
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedCertificates, Rung
from mutproof.model.program import ElementId
from mutproof.solving.verdict import Certificate, Owners


class OfModel:
    """Offer the certificates of the model; remembers on which mutants they were tried."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._tried: set[str] = set()
        self._near_proofs = NearProofs(context)
        self._tried_near: set[str] = set()
        self._patience = {True: Patience(), False: Patience()}

    def is_untried(self, claim: Claim) -> bool:
        """Tell whether they were not tried on a mutant that changes constraints only."""
        return claim.variant.is_local and claim.name not in self._tried

    def is_settled(self, claim: Claim) -> bool:
        """Tell whether its executions go on and none but invariants of it are open still."""
        temporal = self._context.temporal
        return bool(temporal) and claim.lasts and claim.open.isdisjoint(temporal)

    def is_sure(self, claim: Claim) -> bool:
        """Tell whether its executions go on in any case, and invariants are open."""
        return suits_executions(self._context, claim)

    def whole(self, claims: Sequence[Claim]) -> Iterator[OfferedCertificates]:
        """Yield all certificates one by one, each as it is."""
        self._tried.update(claim.name for claim in claims)
        single, _ = in_order(self._context.baseline.proofs)
        for batch, proofs in spoken_of(claims, single):
            yield OfferedCertificates(batch, proofs, executions=True)

    def near(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield all certificates with what they rest on: that part of a mutant suffices."""
        owners = self._owners(self._context.baseline.proofs)
        for offered in self.whole(claims):
            yield replace(offered, owners=owners)

    def is_near(self, claim: Claim) -> bool:
        """Tell whether a proof rests on little of what decides an open property, and is untried."""
        is_tried = not claim.variant.is_local or claim.name in self._tried_near
        return not is_tried and bool(self._near_proofs.of(claim.open))

    def first_near(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield the certificates that rest on little; what they leave open is tried elsewhere."""
        self._tried_near.update(claim.name for claim in claims)
        asked = frozenset[str]().union(*(claim.open for claim in claims))
        owners = self._owners(sorted(self._near_proofs.of(asked)))
        for batch, proofs in spoken_of(claims, [*owners]):
            yield OfferedCertificates(batch, proofs, owners=owners)

    def _owners(self, names: Iterable[str]) -> Owners:
        """Return what certificates of properties rest on."""
        cores, proofs = self._context.baseline.cores, self._context.baseline.proofs
        found: dict[Certificate, frozenset[ElementId]] = {}
        for name in names:
            made = proofs[name].certificate
            found[made] = found.get(made, frozenset()) | cores[name]
        return found

    def parts(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Record what the shallow ones joined, the deep ones and their parts prove; yield nothing.

        The parts are found by questions about one mutant after the other in solvers of the bench;
        its checker confirms them. In large systems only those of open properties are joined, as far
        as one part of the system decides them.
        """
        single, combined = in_order(self._context.baseline.proofs)
        patience = self._patience[any(claim.fails for claim in claims)]
        bench = self._context.bench()
        if len(bench.system.constraints) >= LEAST_PARTED:
            owners = self._owners(self._context.baseline.proofs)
            for claim in claims:
                if claim.open and patience.left:
                    before = len(claim.open)
                    near = owners if self.is_sure(claim) else None
                    bench.certify_partly(claim, single, _joined, owners=near)
                    patience.note(useful=len(claim.open) < before)
        else:
            deep = [certificate for certificate in single if certificate.k > SHALLOW]
            bench.certify(
                claims,
                [*combined, *deep] or single,
                paths=self._context.paths,
                found=self._context.found,
                patience=patience,
            )
        yield from ()


def _joined(certificates: Sequence[Certificate]) -> list[Certificate]:
    """Return certificates with those of equal depth joined; all shallow ones count as equal."""
    levels: dict[int, list[Certificate]] = {}
    for certificate in certificates:
        levels.setdefault(max(certificate.k, SHALLOW), []).append(certificate)
    return [joined(alike) for _, alike in sorted(levels.items())]


def _is_local(_state: OfModel, claim: Claim) -> bool:
    return claim.variant.is_local


SETTLED = Rung(
    "certificates of the model on what diagrams decided",
    Cost.QUESTION,
    OfModel,
    OfModel.whole,
    lambda state, claim: state.is_untried(claim) and state.is_settled(claim),
    by_element=True,
    follows=True,
)

LASTING = Rung(
    "certificates of the model where executions go on",
    Cost.QUESTION,
    OfModel,
    OfModel.near,
    lambda state, claim: state.is_untried(claim) and state.is_sure(claim),
    by_element=True,
)

NEAR = Rung(
    "certificates of the model near what they rest on",
    Cost.QUESTION,
    OfModel,
    OfModel.first_near,
    OfModel.is_near,
    by_element=True,
)

UNKILLED = Rung(
    "certificates of the model on what nothing killed",
    Cost.QUESTION,
    OfModel,
    OfModel.whole,
    lambda state, claim: state.is_untried(claim) and claim.explored and not claim.fails,
    by_element=True,
)

WHOLE = Rung(
    "certificates of the model",
    Cost.QUESTION,
    OfModel,
    OfModel.whole,
    OfModel.is_untried,
    by_element=True,
)

PARTS = Rung(
    "what is left of the model's certificates",
    Cost.SEARCH,
    OfModel,
    OfModel.parts,
    _is_local,
    by_element=True,
)
