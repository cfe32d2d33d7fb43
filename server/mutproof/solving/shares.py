"""Divide a proof of several goals: for each goal a certificate and the elements it rests on.

Otherwise each goal's proof would rest on all that the others rest on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from mutproof.base.budget import Budget
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify
from mutproof.solving.certify import Check
from mutproof.solving.local import SIZES, Local
from mutproof.solving.solver import Answer, Effort, Formula, Solver, SolvingError
from mutproof.solving.verdict import Certificate, Proof
from mutproof.solving.workshop import Workshop


class Shares:
    """Divide proofs about one system; keeps what was translated."""

    def __init__(
        self,
        system: TransitionSystem,
        budget: Budget,
        workshop: Workshop | None = None,
        check: Check = certify.certify,
    ) -> None:
        self._check = check
        self._system = system
        self._budget = budget
        self._workshop = workshop or Workshop()
        effort = Effort(budget.rlimit, budget.timeout_s)
        # No reference cycles here: a solver context must be freed as soon as its proof is done.
        self._local = Local(system, self._workshop, partial(_ask, effort))

    def divided(self, certificate: Certificate, goals: Sequence[str]) -> Iterator[Proof]:
        """Yield a checked proof for each goal that is found to hold by the certificate.

        Goals beside the given ones are lemmas.

        Raises:
            KeyError: a goal is no property of the system.
        """
        terms = {name: self._system.property(name).term for name in goals}
        statements = certify.statements(self._system, certificate)
        sizes = (*SIZES, len(self._system.constraints))
        search = self._local.search(certificate.k, terms.values(), statements, sizes, patient=True)
        try:
            for shares in search:
                for share in shares:
                    for name in (name for name, term in terms.items() if term is share.goal):
                        own = Certificate(certificate.k, share.lemmas, (name,))
                        proof = Proof(name, own, share.owners)
                        if self.checked(proof):
                            yield proof
        except SolvingError:
            return

    def checked(self, proof: Proof) -> bool:
        """Tell whether a certificate proves its goal from the elements alone, in fresh solvers."""
        return self._check(
            self._system,
            proof.certificate,
            self._budget,
            owners=proof.owners,
            workshop=self._workshop,
        ).ok


def _ask(effort: Effort, solver: Solver, assumptions: Sequence[Formula]) -> Answer:
    return solver.check(assumptions, effort)
