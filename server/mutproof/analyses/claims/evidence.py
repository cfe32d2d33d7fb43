"""What checks have shown. Only `notary` makes these values; everything else passes them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Self

from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

if TYPE_CHECKING:
    from mutproof.solving.liveness import LinearProof

UNCERTIFIED = Certificate(0, (), ())
"""Stands where no invariant of the system itself proves a property."""


class Evidence:
    """Base of the results of checks: a replayed execution or a certificate that was checked again.

    Raises:
        TypeError: something other than the notary makes it.
    """

    __slots__ = ()

    def __new__(cls, *_arguments: object, **_fields: object) -> Self:
        """Refuse construction: only `notary` makes evidence."""
        message = f"only the notary makes evidence: {cls.__name__}"
        raise TypeError(message)


@dataclass(frozen=True, slots=True)
class Holds(Evidence):
    """Say that properties hold on a variant, and what that rests on.

    `support` are digests of constraints that suffice for the certificate: it proves its goals
    on every system that has them all. With UNCERTIFIED the property holds by fixed points of
    diagrams or by a `proof` on another system; `support` names all that decides it and, if a part
    of that suffices, also what the part states.
    `vacuity` says why it could not fail there, as no path is fair.
    """

    certificate: Certificate
    support: frozenset[Digest]
    how: str
    proof: LinearProof | None = field(default=None, compare=False)
    vacuity: str = ""

    def says(self, name: str, then: Mapping[str, bytes], today: Mapping[str, bytes]) -> bool:
        """Tell whether a property, and each one it was proved with, states the same as `then`.

        A proof rests on that and on `support`. If either is not part of today's content, the
        proof counts only after it has been checked again.
        """
        for goal in (name, *self.certificate.goals):  # asked too often for a generator
            said = today.get(goal)
            if said is None or then.get(goal) != said:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Fails(Evidence):
    """Say that a property fails on a variant at the 0-based `step` of an execution.

    Where no execution shows it (a CTL property that asks for a path), `support` names all that
    decides it, as for proofs; it is empty where the execution does.
    """

    choices: Choices
    step: int
    how: str
    support: frozenset[Digest] = frozenset()


def shown_with(failures: Mapping[str, Fails], one: Fails) -> dict[str, int]:
    """Return of failures by property those that the execution of one shows, with their steps."""
    return {
        goal: other.step
        for goal, other in failures.items()
        if other.choices is one.choices and not other.support
    }


@dataclass(frozen=True, slots=True)
class DeadEnd(Evidence):
    """Say that a variant has no execution of more than `length` states.

    `support` are digests of what that rests on, as for proofs; `execution` is one of `length`
    states, None where there is none to show.
    """

    length: int
    support: frozenset[Digest]
    execution: Choices | None = None
