"""What a way to decide claims provides: candidates, which the notary checks.

A rung says what it applies to and what it costs, and knows no other rung. What it yields is no
verdict; what came of it, claims show when the ladder comes back for more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any, Generic, TypeAlias, TypeVar

from mutproof.analyses.deciding.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.evidence import Fails, Holds
from mutproof.analyses.deciding.notary import Checker
from mutproof.analyses.finding import Origin
from mutproof.base.record import dataclass
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.solving.verdict import Certificate, Proved

StateT = TypeVar("StateT")


class Cost(IntEnum):
    """Order ways to decide by what they cost, and so by how the ladder climbs them."""

    LOOKUP = 0
    """Nothing is computed. Claims are looked at as they arrive, before they are lowered, too."""
    VISIT = 1
    """Executions and states, without a question to a solver."""
    QUESTION = 2
    """Questions to solvers, shared by mutants of the same elements."""
    SEARCH = 3
    """Questions that take longer: what nothing has killed comes first, then the rest."""
    ENGINE = 4
    """All there is for one claim, which goes through all such rungs before the next one does."""
    REACTION = 5
    """What was found out about a claim is tried on others, as soon as it was."""
    AFTERWARDS = 6
    """What is known of claims that have left is made better."""


@dataclass(frozen=True, slots=True)
class OfferedExecution:
    """Offer an execution on which open properties of a claim are said to fail.

    It is one of the whole variant, or of a `part` that decides the property `goal`, and of this
    one only it is believed then. The claim gets the `reason` where the replay does not agree.
    """

    claim: Claim
    choices: Choices
    how: str
    reason: str = ""
    part: TransitionSystem | None = None
    goal: str = ""


@dataclass(frozen=True, slots=True)
class OfferedCertificates:
    """Offer certificates for claims, which are checked together.

    A check may take a `share` of the usual effort. With `executions`, those found on the way that
    violate a property count. Certificates that nothing else is asked about get a `checker` of
    their own.
    """

    claims: Sequence[Claim]
    proofs: Sequence[tuple[Certificate, list[Claim]]]
    share: float = 1.0
    executions: bool = False
    checker: Checker | None = None


@dataclass(frozen=True, slots=True)
class OfferedProof:
    """Offer what an engine proved of a property on the system of a claim."""

    claim: Claim
    system: TransitionSystem
    goal: str
    found: Proved


@dataclass(frozen=True, slots=True)
class ModelProof:
    """Offer another proof of a property of the model, for claims to inherit."""

    goal: str
    found: Proved


@dataclass(frozen=True, slots=True)
class OfferedEvidence:
    """Hand on what the notary made of a property before, or a moment ago; `shown` is its trace."""

    claim: Claim
    goal: str
    evidence: Holds | Fails
    shown: Trace | None = None


@dataclass(frozen=True, slots=True)
class KnownTogether:
    """Hand on proofs that claims have in common; `names` are what they prove."""

    claim: Claim
    proofs: dict[str, Holds]
    names: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class NoModel:
    """Say why a variant is no model, or has no executions to speak of."""

    claim: Claim
    reason: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Say that the same question was asked before, and stayed open."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Shorter:
    """Offer the shorter executions of a `probe` for a claim.

    Of `settled` properties it is known that they fail no earlier than they do then.
    """

    claim: Claim
    probe: Claim
    settled: frozenset[str]


Candidate: TypeAlias = (
    OfferedExecution
    | OfferedCertificates
    | OfferedProof
    | ModelProof
    | OfferedEvidence
    | KnownTogether
    | NoModel
    | Unanswered
    | Shorter
)


def always(_state: object, _claim: Claim) -> bool:
    """Apply to every claim."""
    return True


@dataclass(frozen=True, slots=True)
class Rung(Generic[StateT]):
    """Describe a way to decide claims.

    `begin` makes what it keeps during a run; rungs with the same one share it. `propose` yields
    candidates for some open claims that it `applies` to: `at_once` so many, all if that is 0;
    or, `by_element`, those of an element or of a few. Of what leaves meanwhile, verdicts have
    this `origin`, if it names one.
    """

    name: str
    cost: Cost
    begin: Callable[[Context], StateT]
    propose: Callable[[StateT, Sequence[Claim]], Iterable[Candidate]]
    applies: Callable[[StateT, Claim], bool] = always
    at_once: int = 0
    by_element: bool = False
    origin: Origin | None = None


AnyRung: TypeAlias = Rung[Any]
"""A rung, whatever it keeps."""
