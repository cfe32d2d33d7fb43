"""Questions about a model, where they are asked, and answers that rest on evidence."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Mapping
from enum import Enum
from typing import TypeAlias

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.claims.defect import Defect
from mutproof.base.record import dataclass
from mutproof.model import terms
from mutproof.model.program import Element, ElementKind, PropertyKind
from mutproof.model.terms import Path, Term
from mutproof.model.trace import Trace

_FIRST = frozenset({ElementKind.INIT_ASSIGN, ElementKind.INIT})


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """Ask whether something stated of an instance of a component holds.

    `first`: an invariant is asked of first states only. `shown`: an execution that refutes it
    saves questions.
    """

    component: str
    stated: Term
    kind: PropertyKind = PropertyKind.INVARIANT
    instance: str = ""
    first: bool = False
    shown: bool = False


class AnswerKind(Enum):
    """Say what is known of a question."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """Hold what is known of a question; a `trace` refutes it at its 0-based `step`.

    `defect`: an answer was withdrawn because an execution contradicts it.
    """

    kind: AnswerKind
    backing: Backing = Backing.NONE
    how: str = ""
    trace: Trace | None = None
    step: int = 0
    reason: str = ""
    defect: Defect | None = None

    @property
    def holds(self) -> bool:
        """Tell whether it is proved."""
        return self.kind is AnswerKind.HOLDS

    @property
    def fails(self) -> bool:
        """Tell whether it is refuted."""
        return self.kind is AnswerKind.FAILS

    @property
    def is_open(self) -> bool:
        """Tell whether nothing is known."""
        return self.kind is AnswerKind.UNKNOWN


Asking: TypeAlias = Generator[
    tuple[ModelQuestion, ...], Mapping[ModelQuestion, ModelAnswer], Advice | None
]
"""Yield questions, several at a time, and be sent the answers; return the advice, if any."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Hold one thing to find out of one instance; those of a `key` are of one place."""

    key: Hashable
    instance: str
    asking: Asking


@dataclass(frozen=True, slots=True)
class ElementInstance:
    """Hold an element with the component of the program that it is in, and the instance."""

    element: Element
    component: str
    instance: str

    @property
    def acts(self) -> Term:
        """Return the condition under which the element says anything."""
        return terms.TRUE if self.element.guard is None else self.element.guard

    def never(self, condition: Term) -> ModelQuestion:
        """Ask whether a condition is false wherever the element says anything.

        That is in each first state, or in each reachable one; if the condition reads next
        values, in each step from a reachable state.
        """
        stated = terms.not_(condition)
        first = self.element.kind in _FIRST
        return ModelQuestion(self.component, stated, PropertyKind.INVARIANT, self.instance, first)

    def advice(
        self, name: str, message: str, answer: ModelAnswer, path: Path = (), *, found: bool
    ) -> Advice:
        """Return advice about a subterm that an answer confirms or leaves unknown."""
        return Advice(
            name,
            AdviceStatus.FOUND if found else AdviceStatus.UNKNOWN,
            message,
            answer.backing if found else Backing.NONE,
            answer.how if found else "",
            element=self.element.id,
            path=path,
            reason="" if found else answer.reason,
            trace=answer.trace if found else None,
            step=answer.step,
        )
