"""Hold what is known of temporal properties, and tell what diagrams alone support."""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.base.record import dataclass
from mutproof.model.linear import is_linear
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Violated


@dataclass(frozen=True, slots=True)
class TemporalAnswer:
    """Hold what is known of a property: evidence, or a number, or the reason for neither.

    `shown` is the path to show to users; `vacuity` says why what holds could not have failed;
    `invariant` is a proof of an invariant still to be checked; `evidence` is None then. `asked`:
    its premise holds in some reachable state.
    """

    evidence: Holds | Fails | None = None
    number: Computed | None = None
    shown: Trace | None = None
    vacuity: str = ""
    reason: str = ""
    invariant: Term | None = None
    asked: bool = False

    @property
    def is_open(self) -> bool:
        """Tell whether nothing is known."""
        return self.evidence is None and self.number is None and self.invariant is None


def turned(part: TransitionSystem) -> TransitionSystem:
    """Return a system with its variables in reverse order, and so those of its diagrams."""
    return replace(part, variables=dict(reversed([*part.variables.items()])))


def judged(term: Term, verdict: BddVerdict) -> BddVerdict:
    """Return a verdict without its path where a single path does not show the failure."""
    if isinstance(verdict, Violated) and not is_linear(term):
        return replace(verdict, evidence=None)
    return verdict


def stands_alone(verdict: BddVerdict, *, is_invariant: bool = False) -> bool:
    """Tell whether only diagrams support a verdict; proofs of an invariant are left to solvers."""
    match verdict:
        case Holding() if is_invariant:
            return False
        case Holding(invariant=None) | Violated(evidence=None) | Computed():
            return True
        case _:
            return False
