"""MP1: every condition of a conditional can be true where it is evaluated."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.conditional import CaseBranch, Conditional
from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import terms


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each condition but defaults, of each instance."""
    for conditional in subject.conditionals():
        for branch in conditional.checked:
            if branch.condition_path is not None:
                key = conditional.place.element.id, branch.condition_path
                yield Inquiry(
                    key, conditional.place.instance, _asking(subject, conditional, branch)
                )


def _asking(subject: AdviceSubject, conditional: Conditional, branch: CaseBranch) -> Asking:
    place, path = conditional.place, branch.condition_path
    assert path is not None
    question = place.never(terms.conjunction((conditional.context, branch.condition)))
    answer = (yield (question,))[question]
    if answer.fails:
        return None
    where = ""
    if answer.holds and conditional.context is not terms.TRUE:
        around = place.never(conditional.context)
        reached = (yield (around,))[around]
        if reached.holds:
            return None  # the context is never evaluated, which is reported there
        if reached.is_open:
            answer = reached
        where = " here"
    text = subject.quoted(place.element.id, path, "the condition")
    message = f"{text} is never true{where}"
    return place.advice(META_PROPERTY.name, message, answer, path, found=answer.holds)


META_PROPERTY = MetaProperty(
    "MP1",
    "advice-condition-never-true",
    "every condition of a conditional can be true",
    Attribute.MINIMALITY,
    inquiries,
    BOTH,
    is_idle=True,
)
