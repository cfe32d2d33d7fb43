"""Places of subterms, found in the expression on demand.

A file has a hundred thousand places, of which few are needed: none is made in advance.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.languages.lustre.syntax import Expression, Shape
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.provenance import TermPlace
from mutproof.model.sorts import RecordSort
from mutproof.model.terms import Path, Term
from mutproof.model.written_names import NamedPlaces, WrittenNames, written_names


class ExpressionPlaces(NamedPlaces):
    """Map the paths of a body to places in its chunk; parts of an inlined constant have none.

    Immutable except for a cache of the last look-up, as traversals look up neighbours.
    """

    __slots__ = ("_body", "_expression", "_last", "_names")

    def __init__(self, expression: Expression, body: Term) -> None:
        self._expression = expression
        self._body = body
        self._names: WrittenNames | None = None
        self._last: tuple[Path, tuple[tuple[Expression, Term], ...]] = ((), ((expression, body),))

    def names(self, element: Element) -> WrittenNames:
        """Return the names in the element that has these places, found when first asked for."""
        if self._names is None or self._names.plain is not element:
            self._names = _names(self._expression, element)
        return self._names

    def __getitem__(self, path: Path) -> TermPlace:
        """Return the place of the subterm at a path.

        Raises:
            KeyError: there is no such subterm, or it has no text.
        """
        last, trail = self._last
        start = len(path) - 1
        if start < 0 or last[:start] != path[:start]:
            start = 0
        found = list(trail[: start + 1])
        expression, term = found[-1]
        for index in path[start:]:
            if not 0 <= index < len(term.args):
                raise KeyError(path)
            part = _part(expression, term, index)
            if part is None:
                raise KeyError(path)
            expression, term = part, term.args[index]
            found.append((expression, term))
        self._last = path, tuple(found)
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
    """Return the expression of an argument of an expression's term; None if it has no text."""
    match expression.kind:
        case Shape.NAME:
            return None  # an inlined constant
        case Shape.CALL if term.op is Op.TUPLE:
            return None  # one application for each output, which share their text
        case Shape.RECORD:
            assert isinstance(term.sort, RecordSort)
            field = term.sort.fields[index][0]
            if index < len(expression.names) and expression.names[index].name == field:
                return expression.args[index]  # in the type's order
            for name, arg in zip(expression.names, expression.args, strict=True):
                if name.name == field:
                    return arg
            return None
        case _:
            return expression.args[index]


def _names(root: Expression, element: Element) -> WrittenNames:
    stack: list[tuple[Expression | None, Term]] = [(root, element.body)]
    found: list[tuple[Term | None, Term]] = []
    while stack:
        expression, term = stack.pop()
        if expression is not None and expression.kind is Shape.NAME:
            name = term if term.op is Op.VAR else terms.var(expression.text, term.sort)
            found.append((name, term))
            continue
        found.append((None, term))
        for index, arg in enumerate(term.args):
            part = None if expression is None else _part(expression, term, index)
            stack.append((part, arg))
    return written_names(element, reversed(found))
