"""Verdicts of decision diagrams on a property."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.terms import Term
from mutproof.model.trace import Trace


class Vacuity(Enum):
    """Say why a property could not have failed."""

    NO_INITIAL_STATE = "no state is initial"
    NO_FAIR_STATE = "no reachable state begins an infinite fair path"
    NO_FAIR_INITIAL_STATE = "no initial state begins an infinite fair path"


@dataclass(frozen=True, slots=True)
class Holding:
    """Say that a property holds; `vacuity` where it could not fail.

    `witness` shows the path that an existential property speaks of. `invariant` is a term that
    holds in the first states, is kept by every step and implies the property: a certificate
    of an invariant, None where it would be too large. `asked`: its condition, where one was
    given, holds in some reachable state.
    """

    vacuity: Vacuity | None = None
    witness: Trace | None = None
    invariant: Term | None = None
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Violated:
    """Say that a property fails: on `trace`, or, where that is None, at some initial state.

    A trace without a loop fails in its last step (a property of transitions: in the step
    before it); where no path shows the failure, as for `EF p`, it holds the initial state
    only. `complete` is false where the failure needs more than the trace shows.

    `evidence` fails the property by itself: a path to where an invariant fails; for the other
    kinds a fair lasso from an initial state on which the property, read as one of paths, is
    false. It is None where no single path shows the failure.
    """

    trace: Trace | None
    complete: bool = True
    evidence: Trace | None = None


@dataclass(frozen=True, slots=True)
class Computed:
    """Hold the number of steps that COMPUTE asks for.

    None is infinite; `undefined` where MAX has no start or no end.
    """

    steps: int | None
    undefined: bool = False


@dataclass(frozen=True, slots=True)
class Undecided:
    """Say why nothing is known."""

    reason: str


BddVerdict: TypeAlias = Holding | Violated | Computed | Undecided


def agree(one: BddVerdict, other: BddVerdict) -> bool:
    """Tell whether two verdicts on one property are the same, and decided."""
    if isinstance(one, Computed):
        return one == other
    return type(one) is type(other) and not isinstance(one, Undecided)
