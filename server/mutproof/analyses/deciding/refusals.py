"""Which mutants are no models: by the rules of the language, and where need be by a solver."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.records import KnownObligations
from mutproof.analyses.mutation.rejection import REASONS, Rejection
from mutproof.analyses.proving.model_checks import key_of, scalars_of
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.program import Bodies, Program
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.solving.validity import Validities, Validity

DOUBT = "it is not known whether the mutant is a model"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Say why a mutant is refused, empty if it is not, and whether that is in doubt.

    `local`: it depends only on the element, declarations and `causality.conditions`.
    """

    reason: str
    doubt: bool = False
    local: bool = False


class Refusals:
    """Tell why mutants of one program are no models; keeps answers of the solver in `known`."""

    def __init__(self, program: Program, known: KnownObligations, means: Means) -> None:
        self._program = program
        self._rejection = Rejection(program, self._is_valid)
        self._known = known
        self._means = means

    @cached_property
    def _scalars(self) -> Mapping[str, Sort]:
        return scalars_of(self._program)

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._validities.calls

    @cached_property
    def _validities(self) -> Validities:
        return Validities(self._scalars)

    def of(self, bodies: Bodies) -> Refusal:
        """Return whether and why a mutant is refused."""
        reason = self._rejection.reason(bodies)
        due = () if reason else self._rejection.open(bodies)
        doubt = False
        for obligation in due:
            self._means.check_cancelled()
            found = self._validity(obligation.term)
            if found is Validity.INVALID:
                return Refusal(REASONS[obligation.hazard])
            doubt = doubt or found is Validity.UNKNOWN
        return Refusal(reason, doubt, self._rejection.is_local(bodies))

    def _is_valid(self, term: Term) -> bool:
        self._means.check_cancelled()
        return self._validity(term) is Validity.VALID

    def _validity(self, term: Term) -> Validity:
        key = key_of(term, self._scalars)
        if key not in self._known:
            self._known[key] = self._validities.of(term, self._means.small)
        return self._known[key]
