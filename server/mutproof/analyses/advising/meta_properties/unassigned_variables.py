"""MP7: every variable that nothing gives a value, such as an input, is used."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.question import Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model.program import VariableKind


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each such variable of each instance."""
    for variable in subject.variables(whole=True):
        uses = subject.uses(variable.component)
        if variable.name not in uses.assigned:
            is_input = variable.kind is VariableKind.INPUT
            message = f"nothing reads the input `{variable.declared}`"
            if not is_input:
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
    BOTH,
    is_idle=True,
)
