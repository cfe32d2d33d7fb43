"""The same source element in several module instances: carry a subterm from one to another.

The bodies of all occurrences have the shape of the source; they differ in names, and where a
parameter is bound to an expression, in that expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.terms import Path, Term


def translated(
    replacement: Term,
    path: Path,
    source: Element,
    target: Element,
    *,
    named: frozenset[Term] | None = None,
) -> Term:
    """Translate a replacement at a path of one occurrence to that path of another.

    A constant is unchanged, unless a parameter is bound to it and it is one of the `named` (None:
    any). Subterms that the replacement shares with the place it replaces are taken from the same
    position of the other occurrence, if that has the same shape there. Other names are matched by
    the whole bodies; if two parameters share a name in `source` but not in `target`, the first one
    is taken.
    """
    if source.instance == target.instance or replacement.op is Op.CONST:
        return replacement
    names = _matches(source.body, target.body)
    prefix = f"{source.instance}." if source.instance else ""
    other = f"{target.instance}." if target.instance else ""

    def is_literal(term: Term) -> bool:
        return term.op is Op.CONST and named is not None and term not in named

    def renamed(term: Term, args: tuple[Term, ...]) -> Term:
        if term in names and not is_literal(term):
            return names[term]
        if term.op is Op.VAR and prefix and str(term.payload).startswith(prefix):
            return terms.var(other + str(term.payload).removeprefix(prefix), term.sort)
        return terms.rebuilt(term, args)

    memo: dict[Term, Term] = {}
    return _aligned(
        replacement,
        terms.at(source.body, path),
        terms.at(target.body, path),
        lambda term: walk.fold(term, renamed, memo),
        is_literal=is_literal,
        names=names,
    )


@lru_cache(maxsize=64)
def _matches(source: Term, target: Term) -> Mapping[Term, Term]:
    """Map subterms of `source` to those of `target` at their place, if leaf or shape differ."""
    found: dict[Term, Term] = {}
    seen: set[tuple[Term, Term]] = set()
    stack = [(source, target)]
    while stack:
        left, right = stack.pop()
        if left is right or (left, right) in seen:
            continue
        seen.add((left, right))
        if left.args and left.op is right.op and len(left.args) == len(right.args):
            stack.extend(reversed(list(zip(left.args, right.args, strict=True))))
        else:
            found.setdefault(left, right)
    return found


def _aligned(
    new: Term,
    old: Term,
    other: Term,
    translate: Callable[[Term], Term],
    *,
    is_literal: Callable[[Term], bool],
    names: Mapping[Term, Term],
) -> Term:
    """Return `new` with each subterm that equals `old` at its place replaced by that of `other`.

    Terms in `names`, to which parameters are bound, are moved as a whole, and literals stay. Where
    `old` and `other` differ in shape, a parameter is bound to them: nothing in one has its place in
    the other.
    """
    results: list[Term] = []
    stack: list[tuple[Term, Term | None, Term | None, bool]] = [(new, old, other, False)]
    while stack:
        term, before, there, done = stack.pop()
        if done:
            count = len(term.args)
            args = results[len(results) - count :]
            del results[len(results) - count :]
            results.append(terms.rebuilt(term, args))
        elif before is not None and there is not None and term is before:
            results.append(term if is_literal(term) else there)
        elif before is None or there is None or term in names or not (term.args and before.args):
            results.append(translate(term))
        else:
            stack.append((term, None, None, True))
            alike = before.op is there.op and len(before.args) == len(there.args)
            for index in range(len(term.args) - 1, -1, -1):
                known = alike and index < len(before.args)
                stack.append(
                    (
                        term.args[index],
                        before.args[index] if known else None,
                        there.args[index] if known else None,
                        False,
                    )
                )
    return results[0]
