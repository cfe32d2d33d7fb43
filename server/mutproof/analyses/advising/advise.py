"""Give advice on a model: ask what the meta-properties want to know, all together.

Inquiries say what they want to know next; what many ask is answered once, and what is asked of
several instances of one place becomes one piece of advice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from mutproof.analyses.advising import asking
from mutproof.analyses.advising.advice import Advice, AdviceFinding, AdviceStatus
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.advising.meta_property import MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry, ModelAnswer, ModelQuestion
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.checking.means import Means
from mutproof.base.record import dataclass
from mutproof.model.program import Program

Answering: TypeAlias = Callable[
    [Program, Sequence[ModelQuestion], Means], Mapping[ModelQuestion, ModelAnswer]
]
"""Answer questions about a program."""


@dataclass(slots=True)
class _Open:
    """Follow one inquiry; mutable."""

    meta_property: str
    inquiry: Inquiry
    wanted: tuple[ModelQuestion, ...] = ()
    is_over: bool = False
    advice: Advice | None = None


@dataclass(slots=True)
class _Answers:
    """Remember what was answered; mutable."""

    subject: AdviceSubject
    means: Means
    answer: Answering
    known: dict[ModelQuestion, ModelAnswer] = field(default_factory=dict)

    def of(self, wanted: Sequence[ModelQuestion]) -> None:
        new = [question for question in wanted if question not in self.known]
        if new:
            self.known.update(self.answer(self.subject.program, new, self.means))

    @property
    def defects(self) -> int:
        """Return how many answers were withdrawn."""
        return sum(answer.defect is not None for answer in self.known.values())


def applying(program: Program, names: Sequence[str]) -> tuple[MetaProperty, ...]:
    """Return the meta-properties of these names that can be asked of a program."""
    chosen = (META_PROPERTIES[name] for name in META_PROPERTIES.names() if name in names)
    semantics = program.traits.semantics
    return tuple(one for one in chosen if semantics in one.semantics)


def advise(
    subject: AdviceSubject,
    names: Sequence[str],
    means: Means,
    tell: Callable[[AdviceFinding], None] = lambda _: None,
    *,
    restated: bool = False,
    answer: Answering = asking.answers,
) -> AdviceFinding:
    """Return the advice of the meta-properties of these names; report partial results to `tell`.

    With `restated`, include advice that another meta-property also gives on the same place.
    `answer` answers questions; benchmarks that only count answers may omit the evidence.
    """
    started = time.monotonic()
    running = _begun(subject, applying(subject.program, names))
    answers = _Answers(subject, means, answer)
    while True:
        waiting = [one for one in running if not one.is_over]
        found = _found(running, restated=restated)
        seconds = time.monotonic() - started
        finding = AdviceFinding(found, len(waiting), seconds, answers.defects)
        tell(finding)
        if not waiting:
            return finding
        means.check_cancelled()
        answers.of([question for one in waiting for question in one.wanted])
        for one in waiting:
            _advance(one, {question: answers.known[question] for question in one.wanted})


def at_once(subject: AdviceSubject, names: Sequence[str]) -> AdviceFinding:
    """Return the advice of the meta-properties of these names that needs only the text.

    What needs an analysis of the model, or verdicts on its properties, counts as `left`.
    """
    chosen = applying(subject.program, names)
    running = _begun(subject, (one for one in chosen if not one.of_properties))
    left = sum(not one.is_over for one in running) + sum(one.of_properties for one in chosen)
    return AdviceFinding(_found(running, restated=False), left)


def _begun(subject: AdviceSubject, chosen: Iterable[MetaProperty]) -> list[_Open]:
    """Return inquiries of meta-properties, each at its first questions or, without any, over."""
    running = [
        _Open(found.name, inquiry) for found in chosen for inquiry in found.inquiries(subject)
    ]
    for one in running:
        _advance(one, None)
        while not one.is_over and not one.wanted:
            _advance(one, {})
    return running


def _advance(one: _Open, answers: Mapping[ModelQuestion, ModelAnswer] | None) -> None:
    """Advance an inquiry to its next questions or its end; `answers` None starts it."""
    asking_: Asking = one.inquiry.asking
    try:
        one.wanted = next(asking_) if answers is None else asking_.send(answers)
    except StopIteration as end:
        one.is_over, one.advice = True, end.value


def _found(running: Sequence[_Open], *, restated: bool) -> tuple[Advice, ...]:
    """Return the advice on places whose inquiries are all over.

    Without `restated`, advice that says the same as that of another meta-property is left out.
    """
    groups: dict[tuple[str, Hashable], list[_Open]] = {}
    for one in running:
        groups.setdefault((one.meta_property, one.inquiry.key), []).append(one)
    found: list[Advice] = []
    for group in groups.values():
        if all(one.is_over for one in group):
            found += _joined(group)
    if restated:
        return tuple(found)
    said = {(one.meta_property, _about(one)) for one in found}
    return tuple(
        one
        for one in found
        if (META_PROPERTIES[one.meta_property].restates, _about(one)) not in said
    )


def _about(advice: Advice) -> tuple[object, ...]:
    return advice.status, advice.element, advice.path, advice.instances


def _joined(group: Sequence[_Open]) -> list[Advice]:
    """Return the advice on one place, with the instances where it is found, else not known.

    What is said of instances may differ, such as the values that a variable never has there.
    """
    for status in (AdviceStatus.FOUND, AdviceStatus.UNKNOWN):
        by_said: dict[Hashable, tuple[Advice, list[str]]] = {}
        for one in group:
            if (advice := one.advice) is not None and advice.status is status:
                said = advice.message, advice.constant, advice.other
                by_said.setdefault(said, (advice, []))[1].append(one.inquiry.instance)
        if by_said:
            return [
                replace(advice, instances=() if len(those) == len(group) else tuple(those))
                for advice, those in by_said.values()
            ]
    return []
