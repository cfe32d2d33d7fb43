"""Terms that select one of many alternatives, with their common parts written once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint, ConstraintKind
from mutproof.model.terms import Term

Place: TypeAlias = tuple[ConstraintKind, str, str]
"""Kind, defined variable and instance of a constraint."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold alternatives by `names`, of which one at most can be chosen.

    Those with `selectors`, Boolean variables, are `together` in constraints that they all share;
    the others are `apart`.
    """

    names: tuple[str, ...]
    selectors: Mapping[str, Term]
    together: tuple[Constraint, ...]
    apart: Mapping[str, Sequence[Constraint]]


def choice(alternatives: Mapping[str, Sequence[Constraint]], base: Sequence[Constraint]) -> Choice:
    """Return alternatives as a choice; those that constrain the same as `base` are together."""
    own = by_place(base)
    alike: dict[str, dict[Place, Constraint]] = {}
    apart: dict[str, Sequence[Constraint]] = {}
    for name, constraints in alternatives.items():
        places = by_place(constraints)
        fits = len(own) == len(base) == len(constraints) and places.keys() == own.keys()
        if fits and own and len(alternatives) > 1:
            alike[name] = places
        else:
            apart[name] = constraints
    selectors = {name: terms.var(f"?selects:{name}", BOOL) for name in alike}
    together = tuple(
        replace(
            constraint,
            term=selected(
                constraint.term,
                [(selectors[name], places[place].term) for name, places in alike.items()],
            ),
        )
        for place, constraint in (own.items() if alike else ())
    )
    return Choice(tuple(alternatives), selectors, together, apart)


def by_place(constraints: Iterable[Constraint]) -> dict[Place, Constraint]:
    """Return the constraints by what they define; empty if one defines nothing."""
    found: dict[Place, Constraint] = {}
    for constraint in constraints:
        if constraint.defines is None:
            return {}
        found[constraint.kind, constraint.defines, constraint.instance] = constraint
    return found


@dataclass(slots=True)
class _Overlay:
    """Hold a subterm of the base term, and the subterms of other terms at its place."""

    term: Term
    whole: list[tuple[Term, Term]] = field(default_factory=list)  # (selector, other subterm)
    inside: dict[int, list[tuple[Term, Term]]] = field(default_factory=dict)  # by argument
    done: dict[int, Term] = field(default_factory=dict)


def selected(base: Term, others: Sequence[tuple[Term, Term]]) -> Term:
    """Return a term equal to the one whose selector is true, and to `base` if none is.

    `others` are pairs of a Boolean selector and a term of the sort of `base`, which mostly differ
    from it in single places. If several selectors are true, its value is unspecified.
    """
    stack = [_node(base, others)]
    while True:
        node = stack[-1]
        missing = next((index for index in node.inside if index not in node.done), None)
        if missing is not None:
            stack.append(_node(node.term.args[missing], node.inside[missing]))
            continue
        stack.pop()
        found = _made(node)
        if not stack:
            return found
        parent = stack[-1]
        parent.done[next(i for i in parent.inside if i not in parent.done)] = found


def _node(term: Term, others: Sequence[tuple[Term, Term]]) -> _Overlay:
    node = _Overlay(term)
    for selector, other in others:
        if other is term:
            continue
        if _alike(term, other):
            for index, (old, new) in enumerate(zip(term.args, other.args, strict=True)):
                if old is not new:
                    node.inside.setdefault(index, []).append((selector, new))
        else:
            node.whole.append((selector, other))
    return node


def _alike(one: Term, other: Term) -> bool:
    """Tell whether two terms differ in their arguments only, which have equal sorts."""
    return (
        one.op is other.op
        and bool(one.args)
        and len(one.args) == len(other.args)
        and one.payload == other.payload
        and one.sort == other.sort
        and all(a.sort == b.sort for a, b in zip(one.args, other.args, strict=True))
    )


def _made(node: _Overlay) -> Term:
    arguments = [node.done.get(index, arg) for index, arg in enumerate(node.term.args)]
    term = node.term
    found = terms.make(term.op, term.sort, arguments, term.payload) if node.done else term
    for selector, other in node.whole:
        found = terms.make(Op.ITE, term.sort, (selector, other, found))
    return found
