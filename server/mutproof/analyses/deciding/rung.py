"""What a way to decide claims provides: candidates, which the notary checks.

A rung says which claims it applies to and what it costs, and knows no other rung. It yields no
verdicts; when it is asked for its next candidate, the claims show what became of the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from typing import Any, Generic, TypeAlias, TypeVar

from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.finding import Origin
from mutproof.analyses.deciding.context import Context
from mutproof.base.record import dataclass
from mutproof.model.edited_run import EarlierRun
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.solving.verdict import Certificate, Owners, Proved

StateT = TypeVar("StateT")


class Cost(IntEnum):
    """Tell how expensive a rung is, and when the ladder tries it.

    Up to ENGINE, the order of the strategy decides; the cost says how claims are offered.
    """

    LOOKUP = 0
    """Nothing is computed. Claims are looked at as they arrive, before they are lowered, too."""
    VISIT = 1
    """Executions and states, without a question to a solver."""
    QUESTION = 2
    """Questions to solvers, shared by mutants of the same elements."""
    SEARCH = 3
    """Questions that take longer: what nothing has killed comes first, then the rest."""
    ENGINE = 4
    """All there is for one claim, which goes through all such rungs before the next one does.

    One that is killed there goes on when all others have been through.
    """
    REACTION = 5
    """Tried on other claims as soon as something was found out about a claim."""
    AFTERWARDS = 6
    """Improves what is known of claims that have left."""


@dataclass(frozen=True, slots=True)
class OfferedExecution:
    """Offer an execution on which open properties of a claim may fail.

    It is one of the whole variant, or of a `part` that decides the property `goal`; then only
    `goal` can fail by it. If the replay does not confirm it, the claim gets the `reason`. With
    `is_begun`, the part is one of the variant's own system, and it counts that executions go on.
    `before` is how it ran in an earlier version of the file, `violates` which properties are to
    fail by it, and at which step at the latest.
    """

    claim: Claim
    choices: Choices
    how: str
    reason: str = ""
    part: TransitionSystem | None = None
    goal: str = ""
    is_begun: bool = False
    before: EarlierRun | None = None
    violates: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OfferedCertificates:
    """Offer certificates for claims, which are checked together.

    With `executions`, executions that turn up during the check and violate a property count.
    Without a `checker`, the shared one is used. Where `owners` say what certificates rest on,
    they are tried on small parts that have nothing else, if there are such.
    """

    claims: Sequence[Claim]
    proofs: Sequence[tuple[Certificate, list[Claim]]]
    executions: bool = False
    checker: Checker | None = None
    owners: Owners | None = None


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
    """Pass on evidence that the notary made earlier about one property; `shown` is its trace."""

    claim: Claim
    goal: str
    evidence: Holds | Fails
    shown: Trace | None = None


@dataclass(frozen=True, slots=True)
class KnownTogether:
    """Pass on proofs that several claims share; `names` are the properties they prove."""

    claim: Claim
    proofs: dict[str, Holds]
    names: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class NoModel:
    """Say why a variant is no model, or why it has no executions."""

    claim: Claim
    reason: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Say that the same question was asked before and could not be answered."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Shorter:
    """Offer the shorter executions that were found for `probe`, another claim on the same variant.

    The `settled` properties are known to fail no earlier than on those executions.
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


def never(_state: object) -> bool:
    """Return false: mutants that arrive later may wait until dearer rungs have tried others."""
    return False


def always(_state: object, _claim: Claim) -> bool:
    """Return true: the rung applies to every claim."""
    return True


@dataclass(frozen=True, slots=True)
class Rung(Generic[StateT]):
    """Describe a way to decide claims.

    `begin` makes the state that it keeps during a run; rungs with the same `begin` share it.
    `propose` yields candidates for open claims that it `applies` to: `at_once` many of them (0:
    all) or, `by_element`, those of one element or of a few. One that `follows` tries each portion
    as soon as the rung before it has. Where it `goes_ahead`, all mutants arrive and are tried by it
    before those after it try any. What it kills is told at once where it `tells`. Claims decided by
    it are reported with this `origin`, if there is one.
    """

    name: str
    cost: Cost
    begin: Callable[[Context], StateT]
    propose: Callable[[StateT, Sequence[Claim]], Iterable[Candidate]]
    applies: Callable[[StateT, Claim], bool] = always
    at_once: int = 0
    by_element: bool = False
    follows: bool = False
    goes_ahead: Callable[[StateT], bool] = never
    tells: bool = False
    origin: Origin | None = None


AnyRung: TypeAlias = Rung[Any]
"""A rung, whatever it keeps."""
