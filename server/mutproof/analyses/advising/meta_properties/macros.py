"""Every macro is read, in some instance of its module."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.meta_property import RELATIONAL, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model.program import Component, Element, ElementId, ElementKind


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each macro, of all instances together.

    Those that types, widths or bounds read have no text: terms do not show who reads them.
    """
    for component, _ in subject.components():
        instances: dict[ElementId, list[Element]] = {}
        for element in component.elements:
            if element.kind is ElementKind.DEFINE and subject.quote(element.id, ()):
                instances.setdefault(element.id, []).append(element)
        for key, elements in instances.items():
            yield Inquiry(key, "", _asking(subject, component, elements))


def _asking(subject: AdviceSubject, component: Component, elements: list[Element]) -> Asking:
    yield ()
    uses, names = subject.uses(component.name), {element.targets[0] for element in elements}
    if not names.isdisjoint(uses.read):
        return None
    name, local = elements[0].targets[0], elements[0].id.name
    message = f"nothing reads `{local}`"
    if not names.isdisjoint(uses.mentioned):
        message = f"{message} but macros that nothing reads"
    found, text = AdviceStatus.FOUND, Backing.TEXT
    about = META_PROPERTY.name, found, message, text
    return Advice(*about, component=component.name, variable=name)


META_PROPERTY = MetaProperty(
    "unread-macro",
    "advice-macro-unread",
    "every macro is read",
    Attribute.MINIMALITY,
    inquiries,
    RELATIONAL,
    is_idle=True,
)
