"""MP4: where a case ends in a default, another condition holds in every reachable state."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.conditional import Conditional
from mutproof.analyses.advising.meta_property import Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import terms


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each default with conditions before it, of each instance."""
    for conditional in subject.conditionals():
        if conditional.has_default and len(conditional.branches) > 1:
            key = conditional.place.element.id, conditional.path
            yield Inquiry(key, conditional.place.instance, _asking(conditional))


def _asking(conditional: Conditional) -> Asking:
    place, default = conditional.place, conditional.branches[-1]
    question = place.never(terms.conjunction((conditional.context, default.taken)))
    answer = (yield (question,))[question]
    if answer.holds:
        return None
    assert default.condition_path is not None
    message = "the default is taken: no other condition holds"
    if answer.fails:
        message = f"{message} at step {answer.step}"
    path = default.condition_path
    return place.advice(META_PROPERTY.name, message, answer, path, found=answer.fails)


META_PROPERTY = MetaProperty(
    "MP4",
    "advice-default-taken",
    "where a case ends in a default, another condition always holds",
    Attribute.COMPLETENESS,
    inquiries,
)
