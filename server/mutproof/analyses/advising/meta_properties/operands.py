"""Every operand of a connective takes both truth values: none is always true, or always false."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mutproof.analyses.advising.conditional import Occurring
from mutproof.analyses.advising.meta_property import FORWARD, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, ElementInstance, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import terms
from mutproof.model.operators import COMPARISONS, CONNECTIVES, Op
from mutproof.model.program import ElementKind
from mutproof.model.sorts import BoolSort
from mutproof.model.terms import Path

_JOINING = CONNECTIVES | {Op.NOT}
_ASKED = COMPARISONS | CONNECTIVES | {Op.NOT, Op.EQ, Op.NE, Op.ITE, Op.ARROW}


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each operand that is no name and no constant, of each instance."""
    for place, one in subject.occurrences():
        if one.parent is None or one.parent.op not in _JOINING or _is_asserted(place, one.path):
            continue
        if one.term.op in _ASKED and isinstance(one.term.sort, BoolSort):
            key = place.element.id, one.path
            yield Inquiry(key, place.instance, _asking(subject, place, one))


def _is_asserted(place: ElementInstance, path: Path) -> bool:
    """Tell whether a subterm has one value because an assertion states just that."""
    element, is_true = place.element, True
    if element.kind is not ElementKind.ASSERT:
        return False
    for depth, index in enumerate(path):
        match terms.at(element.body, path[:depth]).op:
            case Op.NOT:
                is_true = not is_true
            case Op.AND if is_true:
                pass
            case Op.OR if not is_true:
                pass
            case Op.IMPLIES if not is_true:
                is_true = index == 0
            case Op.ITE if index > 0:
                pass
            case Op.ARROW:
                pass
            case _:
                return False
    return True


def _asking(subject: AdviceSubject, place: ElementInstance, one: Occurring) -> Asking:
    held = {
        value: place.never(terms.conjunction((one.context, term)))
        for value, term in ((True, one.term), (False, terms.not_(one.term)))
    }
    answers = yield tuple(held.values())
    text = subject.quoted(place.element.id, one.path, "this")
    for value in (True, False):
        never = answers[held[value]]
        if never.holds and not answers[held[not value]].holds:
            shown = "always false" if value else "always true"
            where = "" if one.context is terms.TRUE else " here"
            message = f"{text} is {shown}{where}"
            advice = place.advice(META_PROPERTY.name, message, never, one.path, found=True)
            return replace(advice, constant=not value)
    unknown = next((answers[asked] for asked in held.values() if answers[asked].is_open), None)
    if unknown is None:
        return None
    message = f"{text} always has one value"
    return place.advice(META_PROPERTY.name, message, unknown, one.path, found=False)


META_PROPERTY = MetaProperty(
    "constant-operand",
    "advice-operand-constant",
    "what connectives join is not always true and not always false",
    Attribute.MINIMALITY,
    inquiries,
    FORWARD,
)
