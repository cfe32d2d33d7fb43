"""What advice says, as values without positions: elements, variables and properties by name."""

from __future__ import annotations

from enum import Enum

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.terms import Path
from mutproof.model.trace import Trace


class AdviceStatus(Enum):
    """Say whether a model lacks what a meta-property asks for, or whether that is not known."""

    FOUND = "found"
    UNKNOWN = "unknown"


class Backing(Enum):
    """Say what makes advice certain."""

    TRACE = "trace"  # an execution, replayed by the evaluator
    CERTIFICATE = "certificate"  # an invariant, checked again in a fresh solver
    DIAGRAMS = "diagrams"  # decision diagrams that answered twice, with two orders
    TEXT = "text"  # who reads what, as it is written
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Advice:
    """Hold one thing that a meta-property has to say of a model.

    It is about the subterm of an element (`element` and `path`), a declared `variable` of a
    `component`, or a `property` of it; what does not apply is None or empty. `other` is the path of
    a subterm that it is also about, `constant` the value that the subterm always has, where advice
    says so. `instances` are those it is true of, empty if it is true of all; `how` names the
    engine. `trace` shows it at its 0-based `step`. For UNKNOWN, `reason` says why nothing is known.
    """

    meta_property: str
    status: AdviceStatus
    message: str
    backing: Backing = Backing.NONE
    how: str = ""
    element: ElementId | None = None
    path: Path = ()
    component: str = ""
    variable: str = ""
    property: str = ""
    instances: tuple[str, ...] = ()
    reason: str = ""
    trace: Trace | None = None
    step: int = 0
    other: Path | None = None
    constant: bool | None = None


@dataclass(frozen=True, slots=True)
class AdviceFinding:
    """Hold all advice on a model that is known so far, in the order of meta-properties.

    `left` counts what was not looked at yet, `defects` answers that were withdrawn because an
    execution contradicts them. `seconds` are wall clock.
    """

    advice: tuple[Advice, ...] = ()
    left: int = 0
    seconds: float = 0.0
    defects: int = 0

    def of(self, status: AdviceStatus) -> tuple[Advice, ...]:
        """Return the advice of a status."""
        return tuple(one for one in self.advice if one.status is status)
