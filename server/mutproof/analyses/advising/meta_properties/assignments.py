"""MP5: every assignment of a next value changes the variable at some time."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising import subject as subjects
from mutproof.analyses.advising.conditional import AssignedValue, assigned
from mutproof.analyses.advising.meta_property import RELATIONAL, Attribute, MetaProperty
from mutproof.analyses.advising.question import (
    AnswerKind,
    Asking,
    ElementInstance,
    Inquiry,
    ModelAnswer,
)
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term

LARGEST = 256
"""The largest number of values of a variable with each of which a choice is compared."""


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each value that is assigned, of each instance.

    A default that keeps the variable (`TRUE : x`) is how models say that nothing else happens.
    """
    for place in subject.elements():
        leaf = None
        if place.element.kind is ElementKind.NEXT_ASSIGN:
            leaf = subject.leaf(place.element.targets[0])
        if leaf is None:
            continue
        for one in assigned(place, subject.is_written(place.element.id)):
            if not (one.default and _keeps(subject, place, one, leaf[0])):
                key = place.element.id, one.path
                yield Inquiry(key, place.instance, _asking(place, one, *leaf))


def _keeps(
    subject: AdviceSubject, place: ElementInstance, one: AssignedValue, variable: Term
) -> bool:
    """Tell whether an assigned value is the variable itself, as a term or as it is written."""
    if one.value is variable:
        return True
    text = subject.quote(place.element.id, one.path)
    return "".join(text.split()) == "".join(place.element.id.name.split())


def _asking(place: ElementInstance, one: AssignedValue, variable: Term, sort: Sort) -> Asking:
    name = META_PROPERTY.name
    message = f"this never changes `{place.element.id.name}`"
    changed = _changed(one.value, variable, sort)
    if changed is None:
        unknown = ModelAnswer(AnswerKind.UNKNOWN, reason="the values to choose from are too many")
        return place.advice(name, message, unknown, one.path, found=False)
    question = place.never(terms.conjunction((one.condition, changed)))
    answer = (yield (question,))[question]
    if answer.fails:
        return None
    if answer.is_open:
        return place.advice(name, message, answer, one.path, found=False)
    applied = place.never(one.condition)
    at_all = (yield (applied,))[applied]
    if at_all.holds:
        return None  # it is never applied, which MP2 reports
    status = answer if at_all.fails else at_all
    return place.advice(name, message, status, one.path, found=at_all.fails)


def _changed(value: Term, variable: Term, sort: Sort) -> Term | None:
    """Return the condition that the next value can differ; None if the domain is too large."""
    if value is variable:
        return terms.FALSE
    if not isinstance(value.sort, sorts.SetSort):
        return terms.ne(variable, value)
    values = subjects.domain(sort)
    if values is None or len(values) > LARGEST:
        return None
    element = sorts.widened(sort)
    others: list[Term] = []
    for item in values:
        chosen = terms.const(item, element)
        inside = terms.make(Op.IN, sorts.BOOL, (chosen, value))
        others.append(terms.and_(inside, terms.ne(variable, chosen)))
    return terms.disjunction(others)


META_PROPERTY = MetaProperty(
    "MP5",
    "advice-assignment-trivial",
    "every assignment of a next value changes the variable at some time",
    Attribute.MINIMALITY,
    inquiries,
    RELATIONAL,
    is_idle=True,
)
