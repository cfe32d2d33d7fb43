"""MP2: every branch of a conditional is taken in some reachable state."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.conditional import CaseBranch, Conditional
from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import terms


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each branch but defaults, of each instance."""
    for conditional in subject.conditionals():
        for number, branch in enumerate(conditional.checked):
            key = conditional.place.element.id, branch.value_path
            asking = _asking(subject, conditional, number, branch)
            yield Inquiry(key, conditional.place.instance, asking)


def _asking(
    subject: AdviceSubject, conditional: Conditional, number: int, branch: CaseBranch
) -> Asking:
    place, context = conditional.place, conditional.context
    question = place.never(terms.conjunction((context, branch.taken)))
    answer = (yield (question,))[question]
    if answer.fails:
        return None
    path = branch.value_path if branch.condition_path is None else branch.condition_path
    name = META_PROPERTY.name
    perhaps = f"{subject.quoted(place.element.id, path, 'the branch')} is never taken"
    if answer.is_open:
        return place.advice(name, perhaps, answer, path, found=False)
    earlier = conditional.branches[:number]
    instead = {
        place.never(terms.conjunction((context, branch.condition, other.taken))): other
        for other in earlier
    }
    around = place.never(context)
    answers = yield (around, *instead)
    if answers[around].holds:
        return None  # the context is never evaluated, which is reported there
    if answers[around].is_open:
        return place.advice(name, perhaps, answers[around], path, found=False)
    taken = [other for asked, other in instead.items() if answers[asked].fails]
    why = _why(subject, conditional, branch, taken)
    return place.advice(name, f"this branch is never taken{why}", answer, path, found=True)


def _why(
    subject: AdviceSubject, conditional: Conditional, branch: CaseBranch, taken: list[CaseBranch]
) -> str:
    """Return a phrase that quotes the earlier branches taken instead; empty if there are none."""
    element = conditional.place.element.id
    shown = [
        subject.quoted(element, other.condition_path, "an earlier one")
        for other in taken
        if other.condition_path is not None
    ]
    if not shown:
        return ""
    if branch.condition_path is None:
        where = "" if conditional.context is terms.TRUE else " here"
        return f": {shown[0]} is always true{where}" if len(shown) == 1 else ""
    verb = "comes" if len(shown) == 1 else "come"
    return f": {', '.join(shown)} {verb} first"


META_PROPERTY = MetaProperty(
    "MP2",
    "advice-branch-never-taken",
    "every branch of a conditional is taken at some time",
    Attribute.MINIMALITY,
    inquiries,
    BOTH,
    is_idle=True,
    restates="MP1",
)
