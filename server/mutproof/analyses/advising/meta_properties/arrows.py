"""What stands before `->` differs from what stands behind it, in some first step."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.conditional import FIRST_STEP, Occurring
from mutproof.analyses.advising.meta_property import FORWARD, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, ElementInstance, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import sorts, terms
from mutproof.model.operators import Op


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each `->` between values without parts, of each instance."""
    for place, one in subject.occurrences():
        if one.term.op is Op.ARROW and sorts.is_scalar(one.term.sort):
            key = place.element.id, one.path
            yield Inquiry(key, place.instance, _asking(subject, place, one))


def _asking(subject: AdviceSubject, place: ElementInstance, one: Occurring) -> Asking:
    before, behind = one.term.args
    here = terms.conjunction((one.context, FIRST_STEP))
    differing = place.never(terms.conjunction((here, terms.ne(before, behind))))
    reached = place.never(here)
    answers = yield (differing, reached)
    answer = answers[differing]
    if answer.fails or answers[reached].holds:
        return None
    if answer.holds and answers[reached].is_open:
        answer = answers[reached]
    text = subject.quoted(place.element.id, (*one.path, 0), "this")
    message = f"{text} before `->` changes nothing: what follows has this value at first"
    return place.advice(META_PROPERTY.name, message, answer, one.path, found=answer.holds)


META_PROPERTY = MetaProperty(
    "idle-arrow",
    "advice-arrow-idle",
    "what is before an arrow differs from what is behind it in some first step",
    Attribute.MINIMALITY,
    inquiries,
    FORWARD,
)
