"""MP6: every variable takes every value of its domain in some reachable state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from mutproof.analyses.advising import subject as subjects
from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry, ModelAnswer, ModelQuestion
from mutproof.analyses.advising.subject import AdviceSubject, ScalarVariable
from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import VariableKind
from mutproof.model.sorts import IntSort, Value, WordSort
from mutproof.model.terms import Term

MOST_AT_ONCE = 64
"""How many values are asked about one by one; of more, ranges are asked about, and halved."""

MOST_ROUNDS = 12
MOST_RANGES = 256
"""How often ranges are halved, and how many there may be; what is open then is unknown."""

MOST_SHOWN = 8
"""How many values and ranges of values a message names."""

_LOOKED_AT = frozenset(VariableKind) - {VariableKind.DEFINE}


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each variable, or element of an array, of each instance."""
    for variable in subject.variables():
        values = subjects.domain(variable.sort)
        if variable.kind in _LOOKED_AT and values is not None:
            key = variable.place, variable.suffix
            yield Inquiry(key, variable.instance, _asking(subject, variable, values))


def _asking(subject: AdviceSubject, variable: ScalarVariable, values: Sequence[Value]) -> Asking:
    search = _Search(variable, values, [], [])
    ranges = _pieces(0, len(values), MOST_AT_ONCE)
    for _ in range(MOST_ROUNDS):
        are_many = len(values) > MOST_AT_ONCE
        asked = {
            _outside(variable, values[low:high], shown=are_many): (low, high)
            for low, high in ranges
        }
        answers = yield tuple(asked)
        ranges = search.learn([(asked[one], answers[one]) for one in asked])
        if not ranges or len(ranges) > MOST_RANGES:
            break
    search.open += [number for low, high in ranges for number in range(low, high)]
    if not search.missing and not search.open:
        return None
    found = bool(search.missing)
    numbers = sorted(search.missing if found else search.open)
    message = f"`{variable.declared}` is never {_listed(subject, variable, values, numbers)}"
    if found and search.open:
        message = f"{message}; of {len(search.open)} more values that is not known"
    known = search.known
    return Advice(
        META_PROPERTY.name,
        AdviceStatus.FOUND if found else AdviceStatus.UNKNOWN,
        message,
        known.backing if found and known is not None else Backing.NONE,
        known.how if found and known is not None else "",
        component=variable.component,
        variable=variable.name,
        reason="" if found else search.reason or "there are too many values",
    )


_Range: TypeAlias = tuple[int, int]
"""Positions of values: the first one, and the one after the last."""


@dataclass(slots=True)
class _Search:
    """Collect the positions of values that are never taken, and of those still open."""

    variable: ScalarVariable
    values: Sequence[Value]
    missing: list[int]
    open: list[int]
    known: ModelAnswer | None = None
    reason: str = ""

    def learn(
        self, answered: Sequence[tuple[tuple[int, int], ModelAnswer]]
    ) -> list[tuple[int, int]]:
        """Take in answers about ranges; return the ranges to ask about next."""
        seen: set[Value] = set()
        for _, answer in answered:
            if answer.fails and answer.trace is not None:
                steps = answer.trace.steps
                seen.update(
                    step[self.variable.leaf] for step in steps if self.variable.leaf in step
                )
        left: list[_Range] = []
        for (low, high), answer in answered:
            if answer.holds:
                self.missing += range(low, high)
                self.known = answer
            elif answer.is_open:
                self.open += range(low, high)
                self.reason = answer.reason
            elif high - low > 1:
                left += self._unseen(low, high, seen)
        return left

    def _unseen(self, low: int, high: int, seen: set[Value]) -> Iterator[_Range]:
        """Yield the halves of each gap between seen values in a range."""
        start = low
        for number in range(low, high + 1):
            if number == high or self.values[number] in seen:
                if start < number:
                    yield from _pieces(start, number, 2)
                start = number + 1


def _pieces(low: int, high: int, count: int) -> list[_Range]:
    """Return a range split into at most `count` ranges of nearly equal lengths."""
    size = -(-(high - low) // count)
    return [(start, min(start + size, high)) for start in range(low, high, size)]


def _outside(variable: ScalarVariable, values: Sequence[Value], *, shown: bool) -> ModelQuestion:
    """Return the question whether a variable takes none of some consecutive values."""
    first, last = (terms.const(value, variable.term.sort) for value in (values[0], values[-1]))
    inside: Term
    if len(values) > 1 and isinstance(variable.sort, IntSort | WordSort):
        inside = terms.and_(
            terms.compare(Op.GE, variable.term, first), terms.compare(Op.LE, variable.term, last)
        )
    else:
        constants = (terms.const(value, variable.term.sort) for value in values)
        inside = terms.disjunction(terms.eq(variable.term, constant) for constant in constants)
    stated, instance = terms.not_(inside), variable.instance
    return ModelQuestion(variable.component, stated, instance=instance, shown=shown)


def _listed(
    subject: AdviceSubject,
    variable: ScalarVariable,
    values: Sequence[Value],
    numbers: Sequence[int],
) -> str:
    """Return values as text, with consecutive numbers as ranges."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1 and isinstance(variable.sort, IntSort | WordSort):
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    shown = []
    for low, high in runs:
        first, last = (subject.shown(values[n], variable.sort) for n in (low, high))
        joint = ", " if high == low + 1 else ".."
        shown.append(first if low == high else f"{first}{joint}{last}")
    if more := sum(high - low + 1 for low, high in runs[MOST_SHOWN:]):
        shown[MOST_SHOWN:] = [f"nor any of {counted(more, 'more value')}"]
    return ", ".join(shown)


META_PROPERTY = MetaProperty(
    "MP6",
    "advice-value-never-taken",
    "every variable takes every value of its domain at some time",
    Attribute.MINIMALITY,
    inquiries,
    BOTH,
)
