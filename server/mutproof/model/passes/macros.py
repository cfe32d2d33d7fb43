"""Remove `next` and macros: `next(e)` becomes e over the next state, some DEFINEs their body.

A macro whose value is a set chooses anew at each use, and one that reads next values is no
value of a state: both are copied to where they are used. Other macros are variables. The next
value of a variable that never changes is its value, also in a state without successor; so that a
macro of such variables has one there too, invariants hold copies of macros under `next`.
Source: NuSMV 2.6 user manual §2.3.5 (DEFINE), §2.2.7 (next); the 2.6.0 binary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from copy import copy
from typing import NamedTuple

from mutproof.base.digraph import reached
from mutproof.base.giving_way import STEPS, give_way
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, ElementKind, PropertyKind
from mutproof.model.sorts import SetSort
from mutproof.model.terms import Term


class _Outline(NamedTuple):
    """Hold what of a body decides which macros are copied.

    `reads` are the macros that it reads, `ahead` those of them under `next`.
    """

    is_of_no_state: bool
    reads: AbstractSet[str]
    ahead: AbstractSet[str]


class Macros:
    """Expand the terms of one component; remembers what it has expanded."""

    def __init__(self, component: Component, *, every: bool = False) -> None:
        self.bodies: dict[str, Term] = {
            element.targets[0]: element.body
            for element in component.elements
            if element.kind is ElementKind.DEFINE
        }
        stated = [p.term for p in component.properties if p.kind is PropertyKind.INVARIANT]
        self._stated = () if every else tuple(stated)
        self._every = every
        self._outlines: dict[Term, _Outline] = {}  # of the bodies of the component
        self.unstored, self.inlined = self._copied()
        self._unchanging = component.unchanging
        self._expanded: dict[tuple[Term, bool], Term] = {}
        self._shared: Mapping[tuple[Term, bool], Term] = {}  # with other macros like these
        self._plain: set[Term] = set()  # terms of this state that are expanded already
        self._apart: tuple[frozenset[str], dict[tuple[Term, bool], Term]] | None = None

    def with_bodies(self, bodies: Mapping[str, Term]) -> Macros:
        """Return the macros with other bodies for some, where all of them are expanded."""
        other = copy(self)
        other.bodies = {**self.bodies, **bodies}
        other._expanded, other._shared = {}, {}  # noqa: SLF001 - its own copy
        other._plain = set()  # noqa: SLF001 - its own copy
        return other

    def varied(self, bodies: Mapping[str, Term]) -> Macros:
        """Return the macros with other bodies where `copies_alike`; what reads none is shared."""
        names = frozenset(bodies)
        if self._apart is None or self._apart[0] != names:
            self._apart = names, self._expanded_without(names)
        other = self.with_bodies(bodies)
        other._shared = self._apart[1]  # noqa: SLF001 - its own copy
        return other

    def without(self, names: frozenset[str]) -> Macros:
        """Return the macros but some, which stay variables where they are read."""
        other = self.with_bodies({})
        other.unstored, other.inlined = self.unstored - names, self.inlined - names
        return other

    def is_of_no_state(self, body: Term) -> bool:
        """Tell whether a macro of that body is copied, as it is a set or reads next values."""
        outline = self._outline(body)
        return outline.is_of_no_state or not self.unstored.isdisjoint(outline.reads)

    def copies_alike(self, bodies: Mapping[str, Term]) -> bool:
        """Tell whether the same macros are copied with other bodies for some."""
        if self._every or all(
            self._stays_stored(name, body)
            or self._outline(body) == self._outline(self.bodies[name])
            for name, body in bodies.items()
        ):
            return True
        found = self.with_bodies(bodies)._copied()  # noqa: SLF001 - its own copy
        return found == (self.unstored, self.inlined)

    def _stays_stored(self, name: str, body: Term) -> bool:
        """Tell whether a macro is not copied, with another body neither, as what is new shows."""
        if name in self.inlined or isinstance(body.sort, SetSort):
            return False
        _, new = walk.difference(self.bodies[name], body)
        reads = walk.variables(new) if self.unstored else frozenset[str]()
        return Op.NEXT not in walk.operators(new) and self.unstored.isdisjoint(reads)

    def _outline(self, body: Term) -> _Outline:
        """Return what of a body decides which macros are copied."""
        if body not in self._outlines:
            self._outlines[body] = self._outlined(body)
        return self._outlines[body]

    def _outlined(self, body: Term) -> _Outline:
        later = [part.args[0] for part in walk.subterms(body) if part.op is Op.NEXT]
        ahead = {name for term in later for name in walk.variables(term)}
        known = self.bodies.keys()
        reads = walk.variables(body) & known
        return _Outline(isinstance(body.sort, SetSort) or bool(later), reads, ahead & known)

    def _expanded_without(self, names: frozenset[str]) -> dict[tuple[Term, bool], Term]:
        """Return what is expanded of terms that read none of some copied macros."""
        found: dict[tuple[Term, bool], Term] = {}
        for key, value in (*self._shared.items(), *self._expanded.items()):  # arguments first
            reads = key[0].op is Op.VAR and key[0].payload in names
            if not reads and all(needed in found for needed in self._needed(*key)):
                found[key] = value
        return found

    def _copied(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the macros copied wherever they are read, and these with those read ahead."""
        if self._every:
            return frozenset(self.bodies), frozenset(self.bodies)
        unstored = frozenset(self._of_no_state())
        return unstored, unstored | self._read_ahead()

    def _read_ahead(self) -> set[str]:
        """Return the macros that stand under `next`, and those that they read."""
        roots = (*self._stated, *self.bodies.values())
        ahead = (name for root in roots for name in self._outline(root).ahead)
        return set(reached(ahead, lambda name: self._outline(self.bodies[name]).reads))

    def _of_no_state(self) -> set[str]:
        """Return the macros that are sets or read next values, and all that read such macros."""
        outlines = {name: self._outline(body) for name, body in self.bodies.items()}
        copied = {name for name, outline in outlines.items() if outline.is_of_no_state}
        readers: dict[str, list[str]] = {}
        for name, outline in outlines.items():
            for read in outline.reads:
                readers.setdefault(read, []).append(name)
        return set(reached(copied, lambda name: readers.get(name, ())))

    def expanded(self, root: Term, *, shifted: bool = False) -> Term:
        """Return the term without NEXT and copied macros; `shifted` reads the next state."""
        results, shared, plain = self._expanded, self._shared, self._plain
        stack = [(root, shifted)]
        while stack:
            key = stack[-1]
            if key in results or key in shared:
                stack.pop()
                continue
            term, moved = key
            if term.args and term.op is not Op.NEXT and not moved:
                # Mutants differ in one argument of perhaps many.
                if plain.issuperset(term.args):
                    plain.add(term)
                    results[stack.pop()] = term
                    continue
                missing = [
                    (arg, False)
                    for arg in term.args
                    if arg not in plain
                    and (item := (arg, False)) not in results
                    and item not in shared
                ]
            else:
                needed = self._needed(*key)
                missing = [one for one in needed if one not in results and one not in shared]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            args = [results.get(one) or shared[one] for one in self._needed(*key)]
            found = self._combine(*key, args)
            results[key] = found
            if found is term and not moved:
                plain.add(term)
            if not len(results) % STEPS:
                give_way()
        return results.get((root, shifted)) or shared[root, shifted]

    def _needed(self, term: Term, shifted: bool) -> list[tuple[Term, bool]]:
        if term.op is Op.NEXT:
            return [(term.args[0], True)]
        if term.op is Op.VAR and term.payload in (self.inlined if shifted else self.unstored):
            return [(self.bodies[str(term.payload)], shifted)]
        return [(arg, shifted) for arg in term.args]

    def _combine(self, term: Term, shifted: bool, args: list[Term]) -> Term:
        if term.op is Op.NEXT or (term.op is Op.VAR and args):
            return args[0]
        if term.op is Op.VAR:
            name = str(term.payload)
            moves = shifted and name not in self._unchanging
            return terms.next_var(name, term.sort) if moves else term
        return terms.rebuilt(term, args)


def member(value: Term, choice: Term, memo: dict[Term, Term] | None = None) -> Term:
    """Return the condition that a value is in a choice: a set, or branches that hold sets.

    A given `memo`, of this value, is read and extended.
    """

    def combine(term: Term, found: tuple[Term, ...]) -> Term:
        return _joined(term, found, terms.disjunction) if found else terms.eq(value, term)

    return walk.fold_parts(choice, _alternatives, combine, memo)


def subset(choice: Term, superset: Term) -> Term:
    """Return the condition that every value of a choice is in another."""

    def combine(term: Term, found: tuple[Term, ...]) -> Term:
        return _joined(term, found, terms.conjunction) if found else member(term, superset)

    return walk.fold_parts(choice, _alternatives, combine)


def _joined(term: Term, found: tuple[Term, ...], join: Callable[[Iterable[Term]], Term]) -> Term:
    """Return what holds of a choice, given what holds of each of its alternatives."""
    if term.op is Op.ITE:
        return terms.ite(term.args[0], *found)
    if term.op is Op.CASE:
        return _cases(term.args[::2], found)
    return join(dict.fromkeys(found))


def _cases(conditions: tuple[Term, ...], values: tuple[Term, ...]) -> Term:
    result = values[-1]
    for condition, value in zip(reversed(conditions[:-1]), reversed(values[:-1]), strict=True):
        result = terms.ite(condition, value, result)
    return result


def _alternatives(term: Term) -> tuple[Term, ...]:
    """Return the alternatives of a set-valued term; none for a single value."""
    if not isinstance(term.sort, sorts.SetSort):
        return ()
    match term.op:
        case Op.SET | Op.UNION:
            return term.args
        case Op.ITE:
            return term.args[1:]
        case Op.CASE:
            return term.args[1::2]
        case _:
            return ()
