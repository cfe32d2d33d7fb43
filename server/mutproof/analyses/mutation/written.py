"""The body of an element as the source writes it: names stay names, whatever they stand for.

A parameter may be bound to an expression, `running` is a comparison, `0..3` a set: operators
must not take these apart, since a change there has no text. In the written body each is a
variable of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.provenance import TermPlace
from mutproof.model.terms import Path, Term

MOST_CANDIDATES = 8
"""How many occurrences of an element are tried as the one in which all are changed."""


@dataclass(frozen=True, slots=True)
class Written:
    """Hold a written body; `hidden` says what each variable that stands for a name means."""

    body: Term
    hidden: Mapping[Term, Term]

    def meant(self, term: Term) -> Term:
        """Return a term with its names replaced by what they stand for."""
        return walk.substituted(term, self.hidden) if self.hidden else term

    def named(self, replacement: Term) -> frozenset[Term]:
        """Return the constants that a replacement in the written body reads by a name."""
        return frozenset(
            constant
            for name in walk.subterms(replacement)
            if name in self.hidden
            for constant in walk.subterms(self.hidden[name])
            if constant.op is Op.CONST
        )

    def composed(self, replacement: Term) -> set[Term]:
        """Return what the operators that a replacement in the written body writes come to."""
        found: set[Term] = set()

        def one(term: Term, args: tuple[Term, ...]) -> Term:
            if not term.args:
                return self.hidden.get(term, term)
            made = terms.rebuilt(term, args)
            found.add(made)
            return made

        walk.fold(replacement, one)
        return found

    def is_hidden_constant(self, term: Term) -> bool:
        """Tell whether a term is a name that is bound to a constant."""
        return term in self.hidden and self.hidden[term].op is Op.CONST


def written(element: Element, places: Mapping[Path, TermPlace]) -> Written:
    """Return the written body of an element whose subterms have these places."""
    hidden: dict[Term, Term] = {}
    results: dict[Path, Term] = {}
    found = [(path, term) for path, term in _occurrences(element.body, places)]
    for path, term in reversed(found):
        if (term.op is Op.CONST and _is_named(term, places.get(path))) or (
            term.args and (*path, 0) not in places
        ):
            name = terms.var(f"?{len(hidden)}", term.sort)
            known = next((n for n, t in hidden.items() if t is term), None)
            results[path] = name if known is None else known
            hidden.setdefault(results[path], term)
        elif term.args:
            args = [results.pop((*path, index)) for index in range(len(term.args))]
            results[path] = terms.rebuilt(term, args)
        else:
            results[path] = term
    return Written(results[()], hidden)


@dataclass(frozen=True, slots=True)
class Localized:
    """Hold a written body with the names that its module uses, the same for all its instances."""

    body: Term
    _names: Mapping[Term, Term]
    _prefix: str
    _known: dict[Term, Term] = field(default_factory=dict)

    def of(self, replacement: Term) -> Term:
        """Return a replacement in the written body with the names that the module uses."""

        def renamed(term: Term, args: tuple[Term, ...]) -> Term:
            if term in self._names:
                return self._names[term]
            return terms.rebuilt(term, args) if args else _local(term, self._prefix, None)

        return walk.fold(replacement, renamed, self._known)


def localized(element: Element, body: Term, places: Mapping[Path, TermPlace]) -> Localized:
    """Return the written body of an element of an instance as it is in every instance."""
    prefix = f"{element.instance}."
    results: dict[Path, Term] = {}
    names: dict[Term, Term] = {}
    found = list(_occurrences(body, places))
    for path, term in reversed(found):
        if term.args and (*path, 0) in places:
            args = [results.pop((*path, index)) for index in range(len(term.args))]
            results[path] = terms.rebuilt(term, args)
        else:  # of several names for a term, the first one in the text stays
            results[path] = names[term] = _local(term, prefix, places.get(path))
    return Localized(results[()], names, prefix)


def _local(term: Term, prefix: str, place: TermPlace | None) -> Term:
    """Return a leaf of a written body with the name that the module uses for it."""
    if term.op is not Op.VAR:
        return term
    name = str(term.payload)
    if name.startswith(prefix):
        return terms.var(name.removeprefix(prefix), term.sort)
    if place is not None and place.name:
        return terms.var(place.name, term.sort)
    return terms.var(f".{name}", term.sort)  # unlike any name in the module


def _is_named(constant: Term, place: TermPlace | None) -> bool:
    """Tell whether the text writes a constant as a name other than its value."""
    return place is not None and place.name not in {"", constant.payload}


def _occurrences(body: Term, places: Mapping[Path, object]) -> Iterator[tuple[Path, Term]]:
    """Yield the subterms that have text, with their paths, parents first."""
    stack: list[tuple[Path, Term]] = [((), body)]
    while stack:
        path, term = stack.pop()
        yield path, term
        if (*path, 0) in places:
            stack.extend(((*path, i), arg) for i, arg in enumerate(term.args))


class Likeness:
    """Compare an occurrence of an element with the others: where can all be changed alike?"""

    def __init__(self, source: Element, occurrences: Sequence[Element]) -> None:
        others = [element.body for element in occurrences if element is not source]
        self._bodies = [source.body, *others]
        self._even = True
        self.source = source
        self.ambiguous: frozenset[Term] = frozenset()
        self._varying: frozenset[Term] = frozenset()
        self._reshaped: frozenset[Term] = frozenset()
        self._compare()

    def _compare(self) -> None:
        """Find the terms of the source that have several counterparts in another body.

        For example, where two parameters are bound to one variable here but to two there, a
        replacement that reads the variable could mean either.
        """
        ambiguous: set[Term] = set()
        varying: set[Term] = set()
        reshaped: set[Term] = set()
        first = self._bodies[0]
        for other in self._bodies[1:]:
            counterpart: dict[Term, Term] = {}
            seen: set[tuple[Term, Term]] = set()
            stack = [(first, other)]
            while stack:
                left, right = stack.pop()
                if (left, right) in seen:
                    continue
                seen.add((left, right))
                self._even = self._even and left.sort == right.sort
                if counterpart.setdefault(left, right) is not right:
                    ambiguous.add(left)
                if left.args and left.op is right.op and len(left.args) == len(right.args):
                    stack.extend(zip(left.args, right.args, strict=True))
                elif left.args:
                    reshaped.add(left)
                elif left.op is Op.CONST and left is not right:
                    varying.add(left)
        self.ambiguous = frozenset(ambiguous)
        self._varying = frozenset(varying)
        self._reshaped = frozenset(reshaped)

    def allows(self, path: Path) -> bool:
        """Tell whether the subterm at a path has the same sorts in all occurrences."""
        if self._even:
            return True
        shapes = {_shape(terms.at(body, path)) for body in self._bodies}
        return len(shapes) == 1

    def has(self, path: Path, replacement: Term) -> bool:
        """Tell whether a replacement changes nothing: a constant must be there in all occurrences.

        The path is of a subterm that `allows` accepts.
        """
        bodies = self._bodies if replacement.op is Op.CONST else self._bodies[:1]
        return all(terms.at(body, path) is replacement for body in bodies)

    def translates(self, replacement: Term, written: Written) -> bool:
        """Tell whether a replacement in the written body has one meaning in each occurrence."""
        if replacement.op is Op.CONST:
            return True
        # `0` beside a name that is 0 here and another number elsewhere
        unclear = self._varying and self._varying & written.named(replacement)
        if unclear and not unclear.isdisjoint(walk.subterms(replacement)):
            return False
        # `!q` where another name is bound to just that here, and to something else elsewhere
        if self._reshaped and not self._reshaped.isdisjoint(written.composed(replacement)):
            return False
        meant = written.meant(replacement)
        return not self.ambiguous or self.ambiguous.isdisjoint(walk.subterms(meant))


def clearest(occurrences: Sequence[Element], whole: Sequence[Element] = ()) -> Likeness:
    """Return the comparison of the occurrence in which the fewest terms are ambiguous.

    The last instances are tried too: each numbered instance often reads the one before it. It is
    compared with the `whole` of occurrences, if that is more.
    """
    found = []
    count = len(occurrences)
    half = MOST_CANDIDATES // 2
    positions = dict.fromkeys([*range(min(half, count)), *range(max(0, count - half), count)])
    for candidate in (occurrences[position] for position in positions):
        found.append(Likeness(candidate, whole or occurrences))
        if not found[-1].ambiguous:
            break
    return min(found, key=lambda likeness: len(likeness.ambiguous))


def sources(occurrences: Sequence[Element], places: Mapping[Path, TermPlace]) -> Iterator[Likeness]:
    """Yield the clearest comparison, then those of occurrences that say more of some name.

    Where a parameter is bound to a constant, nothing can be replaced by it, since a constant tells
    nothing of other instances. So which mutants there are would depend on the order of instances.
    """
    first = clearest(occurrences)
    yield first
    if len(occurrences) == 1:
        return
    seen = {first.source.instance}
    for path, term in _occurrences(first.source.body, places):
        if term.op is Op.CONST and _is_named(term, places.get(path)):
            telling = [e for e in occurrences if terms.at(e.body, path).op is not Op.CONST]
            if telling and seen.isdisjoint(e.instance for e in telling):
                found = clearest(telling, occurrences)
                seen.add(found.source.instance)
                yield found


def _shape(term: Term) -> tuple[object, ...]:
    """Return the sorts of a term, its arguments and their arguments: all that operators look at."""
    return (
        term.sort,
        tuple((arg.sort, tuple(inner.sort for inner in arg.args)) for arg in term.args),
    )
