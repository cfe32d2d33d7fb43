"""Bodies as written: with variables where the text has names of constants.

Terms do not have the names of constants, nor of what parameters are bound to. A replacement keeps
most of the part that it replaces; these functions find the names that the text has there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import ChainMap
from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.provenance import TermPlace
from mutproof.model.terms import Path, Term


@dataclass(frozen=True, slots=True)
class _Spot:
    """Hold the arguments at a path as plain and as written, and all terms that can be kept."""

    own: list[tuple[Term, Term]]
    kept: dict[Term, Term]


@dataclass(frozen=True, slots=True, eq=False)
class WrittenNames:
    """Hold an element as plain and as written; `known` are subterms as they are written."""

    plain: Element
    element: Element
    known: dict[Term, Term]
    spots: Memo[_Spot] = field(default_factory=lambda: Memo(1))  # mutants come place by place

    def kept(self, path: Path, replacement: Term, named: frozenset[Term] | None = None) -> Term:
        """Return a replacement of the subterm at a path with the names of the text there.

        Of constants only the `named` have one (None: any but the whole).
        """
        if self.element is self.plain:
            return replacement
        spot = self.spots.get(path, lambda: _spot(self.plain.body, self.element.body, path))
        whole = spot.kept.get(replacement)
        if whole is not None and not (replacement.op is Op.CONST and whole.op is Op.VAR):
            return whole  # a constant stays one: a name may mean another one in other instances
        here = spot.kept if named is None else _without_names_of(spot.kept, named)
        known = ChainMap(here, self.known)
        args = [
            spot.own[i][1]
            if i < len(spot.own) and spot.own[i][0] is arg
            else walk.refold(arg, terms.rebuilt, known)
            for i, arg in enumerate(replacement.args)
        ]
        return terms.rebuilt(replacement, args)


class NamedPlaces(Mapping[Path, TermPlace]):
    """Map the paths of an element's body to places in a text that writes some parts as names."""

    __slots__ = ()

    @abstractmethod
    def names(self, element: Element) -> WrittenNames:
        """Return the names in the element that has these places."""


def with_names(
    places: Mapping[Path, TermPlace],
    element: Element,
    path: Path,
    replacement: Term,
    *,
    named: frozenset[Term] | None = None,
) -> tuple[Element, Term]:
    """Return an element and a replacement of one of its subterms as they are to be printed.

    What the text writes as a name (a constant, what a parameter is bound to) is a variable in both;
    in the replacement only the `named` constants are (None: any but the whole).
    """
    if not isinstance(places, NamedPlaces) or path not in places:
        return element, replacement
    names = places.names(element)
    return names.element, names.kept(path, replacement, named)


def written_names(element: Element, parts: Iterable[tuple[Term | None, Term]]) -> WrittenNames:
    """Return the names in the body of an element, from its subterms, each after its arguments.

    Each maps to the variable that the text writes for the whole of it, if any, or to the term with
    the payload that is to be printed. A constant has a name at its own place only; of several names
    for another term the first counts.
    """
    made: list[Term] = []
    known: dict[Term, Term] = {}
    for name, term in parts:
        result = term if name is None else name
        if result.args:
            begin = len(made) - len(result.args)
            result = terms.rebuilt(result, made[begin:])
            del made[begin:]
        made.append(result)
        if term.op is not Op.CONST:
            known.setdefault(term, result)
    (body,) = made
    return WrittenNames(
        element, element if body is element.body else replace(element, body=body), known
    )


def _spot(plain: Term, written: Term, path: Path) -> _Spot:
    old, new = terms.at(plain, path), terms.at(written, path)
    own = _arguments(old, new)
    deeper = [pair for one in own for pair in _arguments(*one)]
    return _Spot(own, dict(reversed([(old, new), *own, *deeper])))  # the outermost counts


def _without_names_of(kept: dict[Term, Term], named: frozenset[Term]) -> dict[Term, Term]:
    """Return what is kept, without the names of constants that are none of the `named`."""
    return {
        plain: shown
        for plain, shown in kept.items()
        if plain in named or plain.op is not Op.CONST or shown.op is not Op.VAR
    }


def _arguments(plain: Term, written: Term) -> list[tuple[Term, Term]]:
    """Pair the arguments of a term as plain and as written; none if a name replaces the term."""
    if len(plain.args) != len(written.args):
        return []
    return list(zip(plain.args, written.args, strict=True))
