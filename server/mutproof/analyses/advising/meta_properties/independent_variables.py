"""MP8: every variable whose assignments read no other variable is used.

Of programs that run forward, every local variable is to be used.
"""

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
        message = f"nothing reads `{variable.declared}`"
        if variable.name not in uses.assigned or variable.kind is VariableKind.OUTPUT:
            continue
        if variable.kind is not VariableKind.LOCAL:
            if not uses.is_independent(variable.name):
                continue
            message = f"{message}, whose values depend on nothing else"
        is_used = variable.name in uses.read
        asking = variable.static(META_PROPERTY.name, None if is_used else message)
        yield Inquiry(variable.place, variable.instance, asking)


META_PROPERTY = MetaProperty(
    "MP8",
    "advice-independent-variable-unused",
    "every variable that depends on no other one is used",
    Attribute.MINIMALITY,
    inquiries,
    BOTH,
    is_idle=True,
)
