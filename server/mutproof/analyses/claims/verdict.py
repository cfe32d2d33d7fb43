"""Verdicts on a model and a changed one: equivalent, different, or not known."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mutproof.analyses.claims.equivalence import Fingerprint
from mutproof.analyses.claims.evidence import Evidence
from mutproof.base.budget import Exhausted
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

MADE_UP = "other solutions of an instantaneous loop may make up for the difference"
"""The reason why a difference may not be one of the models: loops could have other values."""

FOLLOWED = "other values before the first step may make up for the difference"
"""The reason why an execution of one side may be one of the other, from other first memories."""


class Strengthening(Enum):
    """Name what was added to the goal so that induction went through."""

    INTERVALS = "intervals"
    EQUALITIES = "signal equalities"
    INVARIANTS = "invariants"


@dataclass(frozen=True, slots=True)
class Supposed:
    """Claim that no execution shows a difference, by a certificate still to be checked.

    `how` names what found it; `strengthening` is what it needs beside the goal.
    """

    how: str
    certificate: Certificate
    strengthening: tuple[Strengthening, ...] = ()


@dataclass(frozen=True, slots=True)
class Equivalent(Evidence):
    """Say that no execution shows a difference.

    `how` names what showed it; `strengthening` is what the certificate needs beside the goal,
    which speaks of the product. `certificate` is None where nothing that is observed depends
    on the change, so that there is nothing to prove.
    """

    how: str
    certificate: Certificate | None = None
    strengthening: tuple[Strengthening, ...] = ()

    @property
    def k(self) -> int | None:
        """Return the depth of the induction, None where none was needed."""
        return None if self.certificate is None else self.certificate.k


@dataclass(frozen=True, slots=True)
class Gap(Evidence):
    """Say that an execution shows a difference, first at its last step.

    `choices` drive both sides. `shortest`: no shorter execution shows any difference.
    """

    choices: Choices
    how: str
    shortest: bool

    @property
    def step(self) -> int:
        """Return the 0-based step of the difference."""
        return len(self.choices.steps) - 1


@dataclass(frozen=True, slots=True)
class Undetermined:
    """Say that neither is known; the first `depth` states of all executions show no difference.

    `patience` is the share of the budget of a question that could be spent on it, `exhausted` what
    came to its end, None if that is not known.
    """

    reason: str
    depth: int
    patience: float = 1.0
    exhausted: Exhausted | None = None


Verdict: TypeAlias = Equivalent | Gap | Undetermined


@dataclass(frozen=True, slots=True)
class KeptVerdict:
    """Hold a verdict with digests of the question: the whole of it, and what a proof rests on.

    The `fingerprint` of a gap is one for the whole question, and so is whether it `restricts`.
    """

    verdict: Verdict
    whole: Digest
    part: Digest | None = None
    fingerprint: Fingerprint | None = None
    restricts: bool | None = None  # not asked


KnownSurvivors: TypeAlias = dict[str, KeptVerdict]
"""Verdicts by mutant, kept between versions of a file."""
