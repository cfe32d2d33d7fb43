"""Verdicts of solving on a property: a closed union, with the evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from mutproof.base.budget import Exhausted
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True, slots=True)
class Certificate:
    """Prove goals: the conjunction C of `lemmas` and `goals` is k-inductive.

    C holds in the first k states of every execution, and k consecutive states that satisfy C
    force it in the next. `goals` are names of properties; k is at least 1.
    """

    k: int
    lemmas: tuple[Term, ...]
    goals: tuple[str, ...]

    def __hash__(self) -> int:
        # Lemmas may be many, and few certificates of the same goals have as many.
        return hash((self.k, self.goals, len(self.lemmas)))


Owners: TypeAlias = Mapping[Certificate, frozenset[ElementId]]
"""The elements of the model that certificates rest on."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Hold a certificate of one goal, and elements that suffice for it."""

    goal: str
    certificate: Certificate
    owners: frozenset[ElementId]


@dataclass(frozen=True, slots=True)
class Proved:
    """Say that a property holds; `core` are the elements the proof rests on, None: not known."""

    certificate: Certificate
    core: frozenset[ElementId] | None
    engine: str
    k: int


@dataclass(frozen=True, slots=True)
class Refuted:
    """Say that a property fails at the 0-based `step` of the execution with these choices."""

    choices: Choices
    step: int
    engine: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Say that nothing is known but that no execution fails in its first `depth` states."""

    reason: str
    depth: int
    exhausted: Exhausted | None = None  # not known


Verdict: TypeAlias = Proved | Refuted | Unknown


@dataclass(frozen=True)
class Outcome:
    """Hold the verdicts on the properties of a system, and what was learnt beside them."""

    verdicts: Mapping[str, Verdict]
    lemmas: tuple[Term, ...] = ()  # proved, each in the cone it was found in
    spent: Mapping[str, float] = field(default_factory=dict)  # seconds, by engine
    postponed: tuple[str, ...] = ()  # goals that were left to diagrams
