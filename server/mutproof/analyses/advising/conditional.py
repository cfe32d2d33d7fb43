"""Conditional expressions of a model: each with the condition under which it is evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from mutproof.analyses.advising.question import ElementInstance
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.terms import Path, Term

CONDITIONALS = frozenset({Op.CASE, Op.ITE})

_AT_OTHER_STEPS = frozenset({Op.PRE, Op.CALL, Op.CONDACT})

FIRST_STEP = terms.make(Op.ARROW, sorts.BOOL, (terms.TRUE, terms.FALSE))
"""A term that is true in the first step only, where programs run forward."""

IsWritten: TypeAlias = Callable[[Path, Term], bool]
"""Tell whether the conditional at a path is written in the text, not the expansion of a function.
"""


@dataclass(frozen=True, slots=True)
class CaseBranch:
    """Hold a branch: it is `taken` if its condition is the first that is true.

    `condition_path` is None where no condition is written (`else`).
    """

    condition: Term
    value: Term
    taken: Term
    earlier: Term
    condition_path: Path | None
    value_path: Path


@dataclass(frozen=True, slots=True)
class Conditional:
    """Hold a conditional of an element, evaluated where `context` is true.

    `is_case`: its branches are in a list. `has_default`: its last condition is written `TRUE`.
    """

    place: ElementInstance
    path: Path
    context: Term
    branches: tuple[CaseBranch, ...]
    is_case: bool
    has_default: bool

    @property
    def checked(self) -> tuple[CaseBranch, ...]:
        """Return the branches without the default, which a language may demand."""
        return self.branches[:-1] if self.has_default else self.branches


@dataclass(frozen=True, slots=True)
class Occurring:
    """Hold a subterm of an element that is evaluated where `context` is true.

    `conditional` is set if it is a conditional written in the text; `parent` is the term around it.
    """

    path: Path
    term: Term
    context: Term
    parent: Term | None
    conditional: Conditional | None


def occurring(place: ElementInstance, is_written: IsWritten) -> Iterator[Occurring]:
    """Yield the subterms of an element in source order, outer ones first.

    Operands of memories and calls count as always evaluated: their values are used later.
    """
    stack: list[tuple[Path, Term, Term, Term | None]] = [((), place.element.body, place.acts, None)]
    while stack:
        path, term, context, parent = stack.pop()
        inner = [context] * len(term.args)
        found = None
        if term.op in CONDITIONALS and is_written(path, term):
            found = _conditional(place, path, term, context)
            for number, branch in enumerate(found.branches):
                if branch.condition_path is not None:
                    inner[2 * number] = _both(context, branch.earlier)
                inner[branch.value_path[-1]] = _both(context, branch.taken)
        elif term.op is Op.ARROW:
            inner = [_both(context, FIRST_STEP), _both(context, terms.not_(FIRST_STEP))]
        elif term.op in _AT_OTHER_STEPS:
            inner = [terms.TRUE] * len(term.args)
        yield Occurring(path, term, context, parent, found)
        stack.extend(
            ((*path, index), term.args[index], inner[index], term)
            for index in range(len(term.args) - 1, -1, -1)
        )


def conditionals(place: ElementInstance, is_written: IsWritten) -> Iterator[Conditional]:
    """Yield the conditionals of an element in source order, outer ones first."""
    for one in occurring(place, is_written):
        if one.conditional is not None:
            yield one.conditional


def _conditional(place: ElementInstance, path: Path, term: Term, context: Term) -> Conditional:
    is_case = term.op is Op.CASE
    count = len(term.args) // 2
    branches: list[CaseBranch] = []
    earlier = terms.TRUE
    for number in range(count):
        condition, value = term.args[2 * number : 2 * number + 2]
        taken = _both(earlier, condition)
        paths = (*path, 2 * number), (*path, 2 * number + 1)
        branches.append(CaseBranch(condition, value, taken, earlier, *paths))
        earlier = _both(earlier, terms.not_(condition))
    if not is_case:
        otherwise = (*path, 2)
        branches.append(CaseBranch(terms.TRUE, term.args[2], earlier, earlier, None, otherwise))
    has_default = is_case and branches[-1].condition is terms.TRUE
    return Conditional(place, path, context, tuple(branches), is_case, has_default)


def _both(left: Term, right: Term) -> Term:
    return terms.conjunction((left, right))


@dataclass(frozen=True, slots=True)
class AssignedValue:
    """Hold a value that an element assigns where `condition` is true; `default`: otherwise."""

    value: Term
    path: Path
    condition: Term
    default: bool


def assigned(place: ElementInstance, is_written: IsWritten) -> Iterator[AssignedValue]:
    """Yield the values that the element of one variable may assign, in source order."""
    stack = [AssignedValue(place.element.body, (), place.acts, default=False)]
    while stack:
        known = stack.pop()
        term = known.value
        if term.op not in CONDITIONALS or not is_written(known.path, term):
            yield known
            continue
        found = _conditional(place, known.path, term, known.condition)
        last = found.branches[-1]
        stack.extend(
            AssignedValue(
                branch.value,
                branch.value_path,
                _both(known.condition, branch.taken),
                default=branch is last and branch.condition is terms.TRUE,
            )
            for branch in reversed(found.branches)
        )
