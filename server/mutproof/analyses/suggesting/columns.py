"""Which terms hold at which steps of executions of a model and of its mutants.

Columns are integers used as bit sets, one bit for each step that was seen. Values of `pre` and
`next` are read from neighbouring rows; nothing of this is evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.compile import Compiled, Row, compiler
from mutproof.model.execution import Execution
from mutproof.model.instances import unfold
from mutproof.model.operators import Op
from mutproof.model.program import Component, Program
from mutproof.model.sorts import ArraySort, RecordSort, Sort, Value
from mutproof.model.terms import Term

MOST_PARTS: Final = 16
"""The most scalar parts of one variable that are considered."""

_BEFORE: Final = "%before"


@dataclass
class Rows:
    """Collect the steps of some executions: `holds` has a column for each term; mutable.

    `first` are the steps that are the first of an execution, `last` those that nothing follows.
    """

    count: int = 0
    first: int = 0
    last: int = 0
    holds: dict[Term, int] = field(default_factory=dict)

    @property
    def all(self) -> int:
        """Return the set of all steps."""
        return (1 << self.count) - 1


class StepColumns:
    """Compute in which steps of executions terms of a component hold, per instance; immutable."""

    def __init__(self, program: Program, component: str, said: Sequence[Term]) -> None:
        instances = unfold(program)
        self._prefixes = [i.prefix for i in instances if i.component == component]
        self._names = list(_leaf_names(program.component(component)))
        known = (*self._names, *(name + _BEFORE for name in self._names))
        flat = {term: _scalar(term) for term in said}
        # Terms over a whole array, a computed index or the step before the last one are
        # left out.
        scalar = {
            term: one
            for term, one in flat.items()
            if walk.variables(one) <= set(known)
            and walk.operators(one).isdisjoint({Op.PRE, Op.NEXT})
        }
        self._columns: list[tuple[Term, Compiled]] = list(
            zip(scalar, compiler(known).compile_all(scalar.values()), strict=True)
        )

    def add(self, rows: Rows, execution: Execution) -> None:
        """Add the steps of an execution."""
        for prefix in self._prefixes:
            seen = [
                [step.get(prefix + name) for name in self._names]
                for step in execution.trace.steps
                if self._ran(prefix, step)
            ]
            for number, row in enumerate(seen):
                bit = 1 << rows.count
                rows.count += 1
                before = seen[number - 1] if number else row
                following = seen[number + 1] if number + 1 < len(seen) else None
                if not number:
                    rows.first |= bit
                if following is None:
                    rows.last |= bit
                for term in self._true([*row, *before], following):
                    rows.holds[term] = rows.holds.get(term, 0) | bit

    def _ran(self, prefix: str, step: Mapping[str, Value]) -> bool:
        return not self._names or any(prefix + name in step for name in self._names)

    def _true(self, row: Row, following: Row | None) -> Iterator[Term]:
        after: Any = following
        for term, function in self._columns:
            try:
                if function(row, after, {}):
                    yield term
            except (TypeError, ArithmeticError, LookupError):
                pass  # it has no value here


def _leaf_names(component: Component) -> Iterator[str]:
    for variable in component.variables:
        for suffix, _ in sorts.leaves(variable.sort):
            yield variable.name + suffix


def leaf_name(term: Term) -> str | None:
    """Return the flat name of a scalar part of a variable, None for other terms."""
    suffix = ""
    while term.op is not Op.VAR:
        if term.op is Op.FIELD:
            suffix = f".{term.payload}{suffix}"
        elif term.op is Op.INDEX and term.args[1].op is Op.CONST:
            suffix = f"[{term.args[1].payload}]{suffix}"
        else:
            return None
        term = term.args[0]
    return f"{term.payload}{suffix}"


def variable_of(component: Component, name: str) -> str:
    """Return the variable of which a flat name is a part; the name itself if there is none."""
    known = {variable.name for variable in component.variables}
    shorter = name
    while shorter not in known:
        cut = max(shorter.rfind("."), shorter.rfind("["))
        if cut < 0:
            return name
        shorter = shorter[:cut]
    return shorter


def scalar_parts(stream: Term, sort: Sort) -> list[Term]:
    """Return the scalar parts of a variable, the first few."""
    found: list[Term] = []
    stack: list[tuple[Term, Sort]] = [(stream, sort)]
    while stack and len(found) < MOST_PARTS:
        term, declared = stack.pop()
        match declared:
            case RecordSort(fields=fields):
                for name, part in reversed(fields):
                    stack.append((terms.make(Op.FIELD, sorts.widened(part), (term,), name), part))
            case ArraySort(low=low, high=high, element=element):
                for position in reversed(range(low, min(high, low + MOST_PARTS) + 1)):
                    place = terms.int_(position)
                    part_term = terms.make(Op.INDEX, sorts.widened(element), (term, place))
                    stack.append((part_term, element))
            case _:
                found.append(term)
    return found


def _scalar(term: Term) -> Term:
    """Return a term over flat names; values of the step before have names of their own."""
    mapping: dict[Term, Term] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        if part.op in {Op.PRE, Op.NEXT}:
            mapping[part] = _at(part.args[0], part.op)  # as a whole: it may be read now as well
        elif leaf_name(part) is not None:
            mapping[part] = _at(part, None)
        else:
            stack.extend(part.args)
    return walk.substituted(term, mapping)


def _at(term: Term, time: Op | None) -> Term:
    """Return a term whose variables are read now, or in the step before or after."""
    found: dict[Term, Term] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        name = leaf_name(part)
        if name is None:
            stack.extend(part.args)
        elif time is Op.NEXT:
            found[part] = terms.next_var(name, part.sort)
        else:
            found[part] = terms.var(name + _BEFORE if time is Op.PRE else name, part.sort)
    return walk.substituted(term, found)


def stream_of(component: Component, name: str) -> Term | None:
    """Return the scalar part of a variable that has a flat name, None where there is none."""
    base = variable_of(component, name)
    for variable in component.variables:
        if variable.name == base:
            found = scalar_parts(terms.var(base, variable.sort), variable.sort)
            return next((part for part in found if leaf_name(part) == name), None)
    return None
