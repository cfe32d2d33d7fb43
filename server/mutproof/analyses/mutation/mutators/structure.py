"""Operators on the structure of NuSMV models: branches of cases, whole assignments, constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

from mutproof.analyses.mutation.domains import ValueFamily, kinds_of
from mutproof.analyses.mutation.mutator import (
    EVERY,
    Change,
    Level,
    Mutator,
    Occurrence,
)
from mutproof.analyses.mutation.rewrite import common_sort, replaced
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import ElementKind
from mutproof.model.sorts import IntSort, RealSort
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

SECTION_4: Final = "Arcaini, Gargantini, Riccobene: using mutation on NuSMV models, section 4"
NUSMV_ONLY: Final = {Semantics.RELATIONAL: EVERY}
BOTH: Final = {Semantics.RELATIONAL: EVERY, Semantics.FORWARD: frozenset({Level.ALL})}
"""The levels of operators that make sense on Lustre too, beside those of Table 2."""


def _missing_branch(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is not Op.CASE or len(term.args) == 2:
        return
    for index in range(0, len(term.args), 2):
        args = (*term.args[:index], *term.args[index + 2 :])
        sort = common_sort(args[1::2])
        if sort is None:
            continue
        replacement = terms.make(Op.CASE, sort, args)
        if _fits(occurrence, replacement):
            summary = f"branch {index // 2 + 1} of `case` removed"
            yield Change(occurrence.path, replacement, summary)


def _fits(occurrence: Occurrence, replacement: Term) -> bool:
    """Tell whether a choice between fewer values may stand where the old one stands.

    NuSMV does not compare integers with symbols, so a case that loses its last integer has another
    type.
    """
    domains, term = occurrence.domains, occurrence.term
    if _is_real(replacement) != _is_real(term):
        return False
    before, after = domains.kinds(term), domains.kinds(replacement)
    if before == after:
        return True
    element = occurrence.element
    if element.kind is ElementKind.DEFINE or occurrence.target is None:
        return False
    if not _chooses(element.body, occurrence.path):
        return False
    body = replaced(element.body, occurrence.path, replacement, keeps_sort=False)
    wanted = kinds_of(occurrence.target)
    pure = {frozenset({ValueFamily.INTEGER}), frozenset({ValueFamily.SYMBOL})}
    return {domains.kinds(body), wanted} != pure


def _is_real(term: Term) -> bool:
    return isinstance(term.sort, RealSort) and not isinstance(term.sort, IntSort)


def _chooses(body: Term, path: tuple[int, ...]) -> bool:
    """Tell whether the subterm at a path is one of the alternatives of a body."""
    term = body
    for index in path:
        match term.op:
            case Op.ITE if index > 0:
                pass
            case Op.CASE if index % 2 == 1:
                pass
            case Op.SET | Op.UNION:
                pass
            case _:
                return False
        term = term.args[index]
    return True


def _swapped_branches(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is not Op.CASE:
        return
    branches = list(zip(term.args[::2], term.args[1::2], strict=True))
    for first, second in combinations(range(len(branches)), 2):
        order = list(branches)
        order[first], order[second] = order[second], order[first]
        replacement = terms.rebuilt(term, [part for branch in order for part in branch])
        summary = f"branches {first + 1} and {second + 1} of `case` exchanged"
        yield Change(occurrence.path, replacement, summary)


def _missing(kinds: frozenset[ElementKind], noun: str) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        if not occurrence.path and occurrence.element.kind in kinds:
            yield Change((), None, f"{noun} removed", at_head=True)

    return apply


_ASSIGNMENTS = frozenset(
    {ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}
)


def _remover(name: str, kind: ElementKind) -> Mutator:
    summary = f"{kind.value} constraint"
    apply = _missing(frozenset({kind}), summary)
    article = "a" if kind is ElementKind.TRANS else "an"
    described = f"{article} {summary} is removed"
    return Mutator(name, "structure", described, SECTION_4, NUSMV_ONLY, apply, whole=True)


MUTATORS = (
    Mutator(
        "MB",
        "structure",
        "missing branch: a branch of a case is removed",
        SECTION_4,
        NUSMV_ONLY,
        _missing_branch,
        frozenset({Op.CASE}),
    ),
    Mutator(
        "SB",
        "structure",
        "swapped branches: two branches of a case change places",
        SECTION_4,
        NUSMV_ONLY,
        _swapped_branches,
        frozenset({Op.CASE}),
    ),
    Mutator(
        "MD",
        "structure",
        "missing definition: an assignment is removed",
        SECTION_4,
        NUSMV_ONLY,
        _missing(_ASSIGNMENTS, "assignment"),
        whole=True,
    ),
    _remover("MTC", ElementKind.TRANS),
    _remover("MIC", ElementKind.INIT),
    _remover("MINC", ElementKind.INVAR),
)
