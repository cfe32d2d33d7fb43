"""Every number that an equation defines changes in some step."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.meta_property import FORWARD, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry, ModelQuestion
from mutproof.analyses.advising.subject import AdviceSubject, ScalarVariable
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import VariableKind
from mutproof.model.sorts import BOOL, IntSort, RealSort

_DEFINED = frozenset({VariableKind.OUTPUT, VariableKind.LOCAL})


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each number; MP6 asks of what has few values."""
    for variable in subject.variables():
        if variable.kind in _DEFINED and isinstance(variable.sort, IntSort | RealSort):
            key = variable.place, variable.suffix
            yield Inquiry(key, variable.instance, _asking(variable))


def _asking(variable: ScalarVariable) -> Asking:
    before = terms.make(Op.PRE, variable.term.sort, (variable.term,))
    same = terms.eq(variable.term, before)
    stated = terms.make(Op.ARROW, BOOL, (terms.TRUE, same))
    question = ModelQuestion(variable.component, stated, instance=variable.instance)
    answer = (yield (question,))[question]
    if answer.fails:
        return None
    found = answer.holds
    return Advice(
        META_PROPERTY.name,
        AdviceStatus.FOUND if found else AdviceStatus.UNKNOWN,
        f"`{variable.declared}` never changes",
        answer.backing if found else Backing.NONE,
        answer.how,
        component=variable.component,
        variable=variable.name,
        reason=answer.reason,
    )


META_PROPERTY = MetaProperty(
    "constant-variable",
    "advice-variable-constant",
    "every number that an equation defines changes at some time",
    Attribute.MINIMALITY,
    inquiries,
    FORWARD,
)
