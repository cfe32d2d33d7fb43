"""Check what must hold of a model before its properties mean anything.

NuSMV makes these checks when it builds a model: cases are exhaustive, values stay in their
ranges, divisors are not zero, indices are in bounds; and it warns of models without a first
state. The front end decides the small ones; the others come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.analyses.claims.records import KnownObligations
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import walk
from mutproof.model.language import Elaborated
from mutproof.model.obligations import Obligations
from mutproof.model.program import Program
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.solving.validity import Validities, Validity

REFUSED = "the model is refused where it is built"
DOUBTFUL = "it is not known whether the model can be built"


def scalars_of(program: Program) -> Mapping[str, Sort]:
    """Return the declared sorts of all scalar variables of the main component."""
    return Obligations(program.component(program.main)).scalars


def key_of(term: Term, scalars: Mapping[str, Sort]) -> Digest:
    """Return a digest of a condition and of the sorts of what it reads."""
    read = sorted(walk.variables(term))
    return digest_parts(term.digest, repr([(name, scalars[name]) for name in read]))


def check_obligations(
    elaborated: Elaborated, program: Program, known: KnownObligations, means: Means
) -> Iterator[ModelFinding]:
    """Yield a finding for each obligation of the front end that does not hold or stays open."""
    if not elaborated.obligations:
        return
    scalars = scalars_of(program)
    validities = Validities(scalars)
    for number, (obligation, diagnostic) in enumerate(elaborated.obligations):
        means.check_cancelled()
        key = key_of(obligation.term, scalars)
        if key not in known:
            known[key] = validities.of(obligation.term, means.middle)
        match known[key]:
            case Validity.INVALID:
                yield ModelFinding(ModelFault.REFUSED, diagnostic.message, number)
            case Validity.UNKNOWN:
                yield ModelFinding(ModelFault.DOUBTFUL, diagnostic.message, number)
            case Validity.VALID:
                pass


def blocked(faults: list[ModelFinding]) -> str:
    """Return why the properties of a model cannot be decided; empty if they can."""
    kinds = {fault.fault for fault in faults}
    if ModelFault.REFUSED in kinds:
        return REFUSED
    return DOUBTFUL if ModelFault.DOUBTFUL in kinds else ""
