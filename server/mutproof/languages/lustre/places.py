"""Places of subterms, found in the expression when they are asked for.

A file has a hundred thousand places and a reader looks at a few: none is made in advance.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import field

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.languages.lustre.syntax import Expression, Shape
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.provenance import TermPlace
from mutproof.model.sorts import RecordSort
from mutproof.model.terms import Path, Term


@dataclass(frozen=True, slots=True)
class _Spot:
    """Hold the arguments at a path as plain and as written, and all that is kept from there."""

    own: list[tuple[Term, Term]]
    kept: dict[Term, Term]


@dataclass(frozen=True, slots=True)
class _Named:
    """Hold a body as written: with variables where its text names constants.

    `known` are subterms other than constants as they are written; what is written in several
    ways is not among them.
    """

    plain: Term
    body: Term
    known: dict[Term, Term]
    spots: Memo[_Spot | None] = field(default_factory=lambda: Memo(1))  # mutants come by place


class ExpressionPlaces(Mapping[Path, TermPlace]):
    """Map the paths of a body to places in its chunk; parts of an inlined constant have none."""

    __slots__ = ("_body", "_expression", "_named")

    def __init__(self, expression: Expression, body: Term) -> None:
        self._expression = expression
        self._body = body
        self._named: _Named | None = None

    @property
    def named(self) -> _Named:
        """Return the body with the names of constants, made when it is first asked for."""
        if self._named is None:
            self._named = _named(self._expression, self._body)
        return self._named

    def __getitem__(self, path: Path) -> TermPlace:
        """Return the place of the subterm at a path.

        Raises:
            KeyError: there is no such subterm, or it has no text.
        """
        expression, term = self._expression, self._body
        for index in path:
            if not 0 <= index < len(term.args):
                raise KeyError(path)
            part = _part(expression, term, index)
            if part is None:
                raise KeyError(path)
            expression, term = part, term.args[index]
        return TermPlace(expression.span, expression.token)

    def __iter__(self) -> Iterator[Path]:
        stack: list[tuple[Path, Expression, Term]] = [((), self._expression, self._body)]
        while stack:
            path, expression, term = stack.pop()
            yield path
            for index in range(len(term.args) - 1, -1, -1):
                part = _part(expression, term, index)
                if part is not None:
                    stack.append(((*path, index), part, term.args[index]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reduce__(self) -> tuple[object, ...]:
        message = "places belong to the process that read the text"
        raise TypeError(message)


def _part(expression: Expression, term: Term, index: int) -> Expression | None:
    """Return the expression of an argument of the term that an expression means."""
    match expression.kind:
        case Shape.NAME:
            return None  # an inlined constant
        case Shape.CALL if term.op is Op.TUPLE:
            return None  # one application for every output: each shares the text of all
        case Shape.RECORD:
            assert isinstance(term.sort, RecordSort)
            field = term.sort.fields[index][0]
            if index < len(expression.names) and expression.names[index].name == field:
                return expression.args[index]  # as the type orders them
            for name, arg in zip(expression.names, expression.args, strict=True):
                if name.name == field:
                    return arg
            return None
        case _:
            return expression.args[index]


def _named(root: Expression, body: Term) -> _Named:
    stack: list[tuple[Expression | None, Term]] = [(root, body)]
    found: list[tuple[Expression | None, Term]] = []
    while stack:
        expression, term = stack.pop()
        if expression is not None and expression.kind is Shape.NAME:
            found.append((expression, term))
            continue
        found.append((None, term))
        for index, arg in enumerate(term.args):
            part = None if expression is None else _part(expression, term, index)
            stack.append((part, arg))
    written: list[Term] = []
    known: dict[Term, Term] = {}
    several: set[Term] = set()
    for name, term in reversed(found):  # arguments come before what they are arguments of
        if name is None:
            begin = len(written) - len(term.args)
            result = terms.rebuilt(term, written[begin:])
            del written[begin:]
        else:
            result = term if term.op is Op.VAR else terms.var(name.text, term.sort)
        written.append(result)
        if term.op is not Op.CONST and known.setdefault(term, result) is not result:
            several.add(term)
    for term in several:
        del known[term]
    return _Named(body, written[0], known)


def with_names(places: Mapping[Path, TermPlace], path: Path, replacement: Term) -> Term:
    """Return a replacement at a path with the names that the text has for constants it keeps."""
    if not isinstance(places, ExpressionPlaces):
        return replacement
    named = places.named
    if named.body is named.plain:
        return replacement
    spot = named.spots.get(path, lambda: _spot(named, path) if path in places else None)
    if spot is None:
        return replacement
    if replacement in spot.kept:
        return spot.kept[replacement]
    known = ChainMap(spot.kept, named.known)
    args = [
        spot.own[i][1]
        if i < len(spot.own) and spot.own[i][0] is arg
        else walk.refold(arg, terms.rebuilt, known)
        for i, arg in enumerate(replacement.args)
    ]
    return terms.rebuilt(replacement, args)


def _spot(named: _Named, path: Path) -> _Spot:
    old, written = terms.at(named.plain, path), terms.at(named.body, path)
    own = _arguments(old, written)
    deeper = [pair for one in own for pair in _arguments(*one)]
    return _Spot(own, dict(reversed([(old, written), *own, *deeper])))  # the nearest one counts


def _arguments(plain: Term, written: Term) -> list[tuple[Term, Term]]:
    """Return the arguments of a term as plain and as written; none of a constant with a name."""
    if len(plain.args) != len(written.args):
        return []
    return list(zip(plain.args, written.args, strict=True))
