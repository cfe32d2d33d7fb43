"""MP8: every variable whose assignments read no other variable is used."""

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
        if variable.name in uses.assigned and uses.is_independent(variable.name):
            message = f"nothing reads `{variable.declared}`, whose values depend on nothing else"
            is_used = variable.name in uses.read
            asking = variable.static(META_PROPERTY.name, None if is_used else message)
            yield Inquiry(variable.place, variable.instance, asking)


META_PROPERTY = MetaProperty(
    "MP8",
    "advice-independent-variable-unused",
    "every variable that depends on no other one is used",
    Attribute.MINIMALITY,
    inquiries,
)
