"""MP7: every variable that no assignment gives a value is used."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.meta_property import Attribute, MetaProperty
from mutproof.analyses.advising.question import Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.advising.uses import VariableUses


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each such variable of each instance."""
    uses = VariableUses(subject.program)
    for variable in subject.variables(whole=True):
        if variable.name not in uses.assigned:
            message = f"nothing assigns `{variable.declared}`, and nothing reads it"
            is_used = variable.name in uses.read
            asking = variable.static(META_PROPERTY.name, None if is_used else message)
            yield Inquiry(variable.place, variable.instance, asking)


META_PROPERTY = MetaProperty(
    "MP7",
    "advice-variable-unused",
    "every variable that nothing assigns is used",
    Attribute.COMPLETENESS,
    inquiries,
)
