"""Branching-time formulas on graphs, each operator by the equation that it solves.

`E [p U q]` is the least set that has the states with `q` and those with `p` that a member follows;
`EG p` is the largest set of states with `p` that a member follows; on fair paths, of those that
have a path through the set to each condition of fairness. Truth is passed back along the graph
until no equation changes a state.
Source: Clarke, Grumberg & Peled 1999, Model Checking, §6.1 and §6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from mutproof.model import semantics, terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.terms import Term

Truth: TypeAlias = Mapping[int, bool]
"""Where a formula is true, of all states and perhaps others."""

_STEPS = {Op.EX: any, Op.AX: all}
_LEAST = {Op.EF: any, Op.AF: all, Op.EU: any, Op.AU: all}
_LARGEST = {Op.EG: any, Op.AG: all}
_ENDLESS = frozenset({Op.EG, Op.AF, Op.AU})
_ON_ALL_PATHS = {Op.X: Op.AX, Op.G: Op.AG, Op.F: Op.AF, Op.U: Op.AU}
_KNOWN = _STEPS.keys() | _LEAST.keys() | _LARGEST.keys()


def speaks_of_branches(formula: Term) -> bool:
    """Tell whether a formula has operators of branching time."""
    return not BRANCHING_TIME.isdisjoint(walk.operators(formula))


def is_solvable(formula: Term) -> bool:
    """Tell whether all operators of time in a formula are solved here."""
    return all(
        part.op in _KNOWN and part.payload is None
        for part in walk.subterms(formula)
        if part.op in BRANCHING_TIME or part.op in LINEAR_TIME
    )


def on_all_paths(formula: Term) -> Term | None:
    """Return the formula of branching time that is true where all paths have one of linear time.

    None if it is none of these: states `p`, conjunctions, `p | f`, `p -> f`, `X f`, `G f`, `F p`
    and `p U q`, where `p` and `q` say nothing of time.
    """
    timeless: dict[Term, bool] = {}
    walk.fold(
        formula,
        lambda term, args: term.op not in LINEAR_TIME | BRANCHING_TIME and all(args),
        timeless,
    )

    def combine(term: Term, args: tuple[Term | None, ...]) -> Term | None:
        if timeless[term]:
            return term
        found = [arg for arg in args if arg is not None]
        are_states = [timeless[arg] for arg in term.args]
        if (
            len(found) < len(args)
            or term.payload is not None
            or not _is_universal(term, are_states)
        ):
            return None
        return terms.make(_ON_ALL_PATHS.get(term.op, term.op), term.sort, found)

    return walk.fold(formula, combine)


def _is_universal(term: Term, are_states: Sequence[bool]) -> bool:
    """Tell whether all paths have a formula where the same is so of its parts, combined alike."""
    match term.op:
        case Op.AND | Op.X | Op.G:
            return True
        case Op.F | Op.U:
            return all(are_states)
        case Op.OR:
            return are_states.count(False) == 1
        case Op.IMPLIES:
            return are_states[0]
        case _:
            return False


def solved(
    formula: Term,
    following: Mapping[int, Sequence[int]],
    where: Callable[[Term], Truth],
    justice: Sequence[Truth] = (),
) -> Truth:
    """Return where a formula is true in a graph in which every state begins a fair path.

    `where` tells where a term without time is true; on fair paths each of `justice` recurs. It is
    soonest done if most states come after those that follow them.
    """
    timed: dict[Term, bool] = {}
    walk.fold(formula, lambda term, args: term.op in _KNOWN or any(args), timed)

    def combine(term: Term, args: tuple[Truth, ...]) -> Truth:
        if not timed[term]:
            return where(term)
        if term.op in _STEPS:
            some = _STEPS[term.op]
            return {s: some([args[0][o] for o in after]) for s, after in following.items()}
        if justice and term.op in _ENDLESS:
            return _on_fair_paths(term.op, args, following, justice)
        if term.op in _LARGEST:
            return _passed(_LARGEST[term.op], following, args[0], None)
        if term.op in _LEAST:
            return _passed(_LEAST[term.op], following, args[0] if args[1:] else None, args[-1])
        columns = [map(arg.__getitem__, following) for arg in args]
        values = map(bool, map(semantics.function(term), *columns))
        return dict(zip(following, values, strict=True))

    return walk.fold_parts(formula, lambda term: term.args if timed[term] else (), combine)


def staying(
    following: Mapping[int, Sequence[int]], through: Truth, justice: Sequence[Truth]
) -> Truth:
    """Return which states begin a fair path that stays where `through` is true.

    Not all states need begin a fair path, nor any one path.
    """
    if justice:
        return fair(following, through, justice)
    return _passed(any, following, through, None)


def fair(following: Mapping[int, Sequence[int]], through: Truth, justice: Sequence[Truth]) -> Truth:
    """Return which states begin a path that stays where `through` is true, and on which all recurs.

    Source: Emerson & Lei 1986, Efficient model checking in fragments of the propositional
    mu-calculus.
    """
    found: Truth = {state: through[state] for state in following}
    count = len(following) + 1
    while (left := sum(found.values())) < count:
        count = left
        for often in justice:
            goal = {state: found[state] and often[state] for state in following}
            near = _passed(any, following, found, goal)
            found = {
                state: found[state] and any(map(near.__getitem__, after))
                for state, after in following.items()
            }
    return found


def _on_fair_paths(
    op: Op,
    args: tuple[Truth, ...],
    following: Mapping[int, Sequence[int]],
    justice: Sequence[Truth],
) -> Truth:
    """Return where a formula is true that speaks of paths without end."""
    if op is Op.EG:
        return fair(following, args[0], justice)
    without = {state: not args[-1][state] for state in following}
    staying = fair(following, without, justice)
    if op is Op.AF:
        return {state: not staying[state] for state in following}
    neither = {state: without[state] and not args[0][state] for state in following}
    broken = _passed(any, following, without, neither)
    return {state: not (staying[state] or broken[state]) for state in following}


def _passed(
    some: Callable[[Iterable[bool]], bool],
    following: Mapping[int, Sequence[int]],
    through: Truth | None,
    target: Truth | None,
) -> Truth:
    """Return the solution of "in `target`, or `through` here and the same in some successors".

    It is the least one; without a target, the largest.
    """
    found = {state: target is None or target[state] for state in following}
    is_least = target is not None
    left = [state for state in following if found[state] is not is_least]
    changed = True
    while changed:
        open_: list[int] = []
        for state in left:
            here = through is None or through[state]
            if (here and some(map(found.__getitem__, following[state]))) is is_least:
                found[state] = is_least
            else:
                open_.append(state)
        changed, left = len(open_) < len(left), open_
    return found
