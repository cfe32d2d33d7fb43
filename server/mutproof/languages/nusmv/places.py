"""Where subterms stand in the text: looked up along the tree, not listed beforehand.

A chain of n operators has paths of n steps, so a table of all paths would be quadratic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutproof.languages.nusmv.hierarchy import ModuleInstance
from mutproof.languages.nusmv.syntax import Expression, Form, SyntaxNode, spans
from mutproof.model.operators import Op
from mutproof.model.provenance import TermPlace
from mutproof.model.terms import Path, Term

_OPAQUE_CALLS = frozenset({"abs", "min", "max", "uwconst", "swconst", "sizeof"})
_FIRST_ONLY = frozenset({"extend", "resize"})


class Places(Mapping[Path, TermPlace]):
    """Map the path of each subterm of an expression to its place.

    Immutable but for the last path looked up: whoever visits a term looks up neighbours.
    """

    def __init__(self, expression: Expression) -> None:
        self._expression = expression
        self._last: tuple[Path, tuple[SyntaxNode, ...]] = ((), (expression.nodes[-1],))

    def __getitem__(self, path: Path) -> TermPlace:
        node = self._node(path)
        return TermPlace(node.whole, node.token)

    def __contains__(self, path: object) -> bool:
        try:
            self._node(path)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def _node(self, path: Path) -> SyntaxNode:
        """Return the node at a path; its neighbours are found in a few steps afterwards."""
        nodes = self._expression.nodes
        last, trail = self._last
        start = len(path) - 1
        if start < 0 or last[:start] != path[:start]:
            start = 0
        node = trail[start]
        found = list(trail[: start + 1])
        for position in path[start:]:
            if position >= len(node.args) or not _has_own_term(node, position):
                raise KeyError(path)
            node = nodes[node.args[position]]
            found.append(node)
        self._last = (path, tuple(found))
        return node

    def __iter__(self) -> Iterator[Path]:
        for path, _ in spans(self._expression):
            if path in self:
                yield path

    def __len__(self) -> int:
        return sum(1 for _ in self)


def spelled(
    expression: Expression, body: Term, text: str, instance: ModuleInstance
) -> tuple[tuple[Term, str], ...]:
    """Return the subterms whose text is a name that the term does not show, with that text."""
    found: dict[Term, str] = {}
    stack = [(body, len(expression.nodes) - 1)]
    while stack:
        term, index = stack.pop()
        node = expression.nodes[index]
        if node.form in {Form.NAME, Form.DOT} or (node.form is Form.INDEX and not term.args):
            written = text[node.whole.start : node.whole.end]
            shown = instance.full(written) if term.op is Op.VAR else written
            if str(term.payload) != shown or term.args:
                found.setdefault(term, written)
        else:
            for position, arg in enumerate(node.args):
                if position < len(term.args) and _has_own_term(node, position):
                    stack.append((term.args[position], arg))
    return tuple(found.items())


def _has_own_term(node: SyntaxNode, position: int) -> bool:
    """Tell whether an argument of the source is the same argument of the term."""
    match node.form:
        case Form.DOT | Form.RANGE | Form.PSL | Form.SEQUENCE:
            return False
        case Form.SLICE:
            return position == 0
        case Form.CALL:
            if node.value in _OPAQUE_CALLS:
                return False
            return position == 0 or node.value not in _FIRST_ONLY
        case _:
            return True
