"""Traversals of terms without recursion: a user chooses how deep a term is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from mutproof.base.giving_way import STEPS, give_way
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.terms import Path, Site, Term

ResultT = TypeVar("ResultT")

LARGE = 1_000
"""From how many subterms on what a term reads and uses is kept: many analyses ask."""

MOST_KEPT = 64
"""Of how many large terms that is."""

_operators: dict[Term, frozenset[Op]] = {}


def fold(
    root: Term,
    combine: Callable[[Term, tuple[ResultT, ...]], ResultT],
    memo: dict[Term, ResultT] | None = None,
) -> ResultT:
    """Return `combine` of the root, from the leaves up; each distinct subterm is visited once.

    A given `memo` is read and extended, so that many terms share their parts.
    """
    results: dict[Term, ResultT] = {} if memo is None else memo
    stack = [root]
    while stack:
        term = stack[-1]
        if term in results:
            stack.pop()
            continue
        missing = [arg for arg in term.args if arg not in results]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        results[term] = combine(term, tuple([results[arg] for arg in term.args]))
        if not len(results) % STEPS:
            give_way()
    return results[root]


def fold_parts(
    root: Term,
    parts: Callable[[Term], Sequence[Term]],
    combine: Callable[[Term, tuple[ResultT, ...]], ResultT],
    memo: dict[Term, ResultT] | None = None,
) -> ResultT:
    """Fold like `fold`, over what `parts` returns of a term instead of its arguments."""
    results: dict[Term, ResultT] = {} if memo is None else memo
    stack = [root]
    while stack:
        term = stack[-1]
        if term in results:
            stack.pop()
            continue
        needed = parts(term)
        missing = [part for part in needed if part not in results]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        results[term] = combine(term, tuple([results[part] for part in needed]))
    return results[root]


def refold(
    root: Term,
    combine: Callable[[Term, tuple[ResultT, ...]], ResultT],
    known: Mapping[Term, ResultT],
) -> ResultT:
    """Fold like `fold`, with known results of some subterms; results are not kept."""
    results: dict[Term, ResultT] = {}
    stack = [root]
    while stack:
        term = stack[-1]
        if term in results or term in known:
            stack.pop()
            continue
        missing = [arg for arg in term.args if arg not in known and arg not in results]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        args = tuple([known[arg] if arg in known else results[arg] for arg in term.args])
        results[term] = combine(term, args)
    return results[root] if root in results else known[root]


def difference(old: Term, new: Term) -> tuple[Term, Term]:
    """Return the smallest subterms at one path with all differences; equal terms as they are."""
    for pair in differences(old, new):
        old, new = pair
    return old, new


def differences(old: Term, new: Term) -> Iterator[tuple[Term, Term]]:
    """Yield the subterms with all differences, from the terms themselves down one path."""
    yield old, new
    while old.op is new.op and len(old.args) == len(new.args) and old.payload == new.payload:
        differing = [
            pair for pair in zip(old.args, new.args, strict=True) if pair[0] is not pair[1]
        ]
        if len(differing) != 1 or (old.sort is not new.sort and old.sort != new.sort):
            break
        old, new = differing[0]
        yield old, new


def subterms(root: Term) -> Iterator[Term]:
    """Yield every distinct subterm once, parents before their arguments."""
    seen = {root}
    stack = [root]
    while stack:
        term = stack.pop()
        yield term
        for arg in reversed(term.args):
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)


def sites(root: Term) -> Iterator[Site]:
    """Yield the sites of the calls in a term, parents before their arguments."""
    return (term.payload for term in subterms(root) if isinstance(term.payload, Site))


def occurrences(root: Term) -> Iterator[tuple[Path, Term]]:
    """Yield every occurrence of a subterm with its path, in source order (parents first)."""
    stack: list[tuple[Path, Term]] = [((), root)]
    while stack:
        path, term = stack.pop()
        yield path, term
        stack.extend(
            ((*path, index), term.args[index]) for index in range(len(term.args) - 1, -1, -1)
        )


def conjuncts(root: Term) -> Iterator[Term]:
    """Yield the terms whose conjunction a term is, in order; one may come twice."""
    stack = [root]
    while stack:
        term = stack.pop()
        if term.op is Op.AND:
            stack.extend(reversed(term.args))
        else:
            yield term


def branches(root: Term) -> list[Term]:
    """Return the conditions and values of `if a then x else if b then y else z`: a, x, b, y, z."""
    found: list[Term] = []
    while root.op is Op.ITE:
        condition, value, root = root.args
        found += [condition, value]
    return [*found, root]


def variables(root: Term) -> frozenset[str]:
    """Return the names of the variables read, at any time."""
    if root.read is not None:
        return root.read
    found: set[str] = set()
    seen = {root}
    stack = [root]
    while stack:  # called so often that `subterms`, a generator, would be too slow
        term = stack.pop()
        if term.op is Op.VAR or term.op is Op.NEXT_VAR:
            found.add(str(term.payload))
        for arg in term.args:
            if arg.read is not None:
                found |= arg.read
            elif arg not in seen:
                seen.add(arg)
                stack.append(arg)
    root.read = names = frozenset(found)
    return names


def operators(*roots: Term) -> frozenset[Op]:
    """Return the operators of all subterms of some terms."""
    known = _operators.get(roots[0]) if len(roots) == 1 else None
    if known is not None:
        return known
    found: dict[int, Op] = {}
    seen = set(roots)
    stack = [*seen]
    while stack:
        term = stack.pop()
        found[id(term.op)] = term.op
        for arg in term.args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    used = frozenset(found.values())
    if len(roots) == 1:
        _keep(_operators, roots[0], used, len(seen))
    return used


def _keep(kept: dict[Term, ResultT], root: Term, value: ResultT, subterms: int) -> None:
    """Keep what was found of a large term."""
    if subterms >= LARGE:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        kept[root] = value


def substituted(root: Term, mapping: Mapping[Term, Term]) -> Term:
    """Return the term with subterms replaced simultaneously; replacements are not re-entered."""
    return fold(root, lambda term, args: mapping.get(term) or terms.rebuilt(term, args))


def renamed(root: Term, rename: Callable[[str], str], memo: dict[Term, Term] | None = None) -> Term:
    """Return the term with every variable renamed."""

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op in {Op.VAR, Op.NEXT_VAR}:
            return terms.make(term.op, term.sort, (), rename(str(term.payload)))
        return terms.rebuilt(term, args)

    return fold(root, combine, memo)


def size(root: Term) -> int:
    """Return the number of distinct subterms."""
    seen = {root}
    stack = [root]
    while stack:
        for arg in stack.pop().args:
            if arg not in seen:
                seen.add(arg)
                stack.append(arg)
    return len(seen)


def depth(root: Term) -> int:
    """Return the number of terms on the longest path from the root to a leaf."""
    return fold(root, lambda _, args: 1 + max(args, default=0))
