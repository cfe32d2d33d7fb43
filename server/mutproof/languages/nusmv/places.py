"""Places of subterms in the text, looked up in the tree on demand.

A chain of n operators has paths of n steps, so a table of all paths would be quadratic.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.languages.nusmv.lexing import normalised
from mutproof.languages.nusmv.syntax import Expression, Form, SyntaxNode, spans
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.provenance import TermPlace
from mutproof.model.terms import Path, Term
from mutproof.model.written_names import NamedPlaces, WrittenNames, written_names

_OPAQUE_CALLS = frozenset({"abs", "min", "max", "uwconst", "swconst", "sizeof"})
_FIRST_ONLY = frozenset({"extend", "resize"})


class Places(NamedPlaces):
    """Map the path of each subterm of an expression to its place.

    Immutable except for a cache of the last look-up, as traversals look up neighbours.
    """

    def __init__(self, expression: Expression, text: str) -> None:
        self._expression = expression
        self._text = text
        self._names: WrittenNames | None = None
        self._last: tuple[Path, tuple[SyntaxNode, ...]] = ((), (expression.nodes[-1],))

    def __getitem__(self, path: Path) -> TermPlace:
        node = self._node(path)
        is_name = node.form in {Form.NAME, Form.DOT}
        name = self._text[node.whole.start : node.whole.end] if is_name else ""
        return TermPlace(node.whole, node.token, name)

    def __contains__(self, path: object) -> bool:
        try:
            self._node(path)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def names(self, element: Element) -> WrittenNames:
        """Return the names in the element that has these places."""
        if self._names is None or self._names.plain is not element:
            self._names = _names(self._expression, element, self._text)
        return self._names

    def _node(self, path: Path) -> SyntaxNode:
        """Return the node at a path; cache the nodes along it, so that its neighbours are fast."""
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


def _names(expression: Expression, element: Element, text: str) -> WrittenNames:
    prefix = f"{element.instance}." if element.instance else ""
    stack: list[tuple[Term, SyntaxNode | None]] = [(element.body, expression.root)]
    found: list[tuple[Term | None, Term]] = []
    while stack:
        term, node = stack.pop()
        if node is not None and _is_word(node, term):
            word = prefix + normalised(text[node.whole.start : node.whole.end])
            is_shown = term.op is Op.VAR and term.payload == word
            found.append((term if is_shown else terms.var(word, term.sort), term))
            continue
        found.append((None if node is None else _bounded(expression, node, term, text), term))
        for position, arg in enumerate(term.args):
            inner = None
            if node is not None and _has_own_term(node, position):
                inner = expression.nodes[node.args[position]]
            stack.append((arg, inner))
    return written_names(element, reversed(found))


def _bounded(expression: Expression, node: SyntaxNode, term: Term, text: str) -> Term | None:
    """Return a term with constants after its operand as written; None if it has none."""
    is_widened = node.form is Form.CALL and node.value in _FIRST_ONLY
    if node.form is not Form.SLICE and not is_widened:
        return None
    wholes = [expression.nodes[arg].whole for arg in node.args[1:]]
    words = [normalised(text[whole.start : whole.end]) for whole in wholes]
    payload = words[0] if is_widened else tuple(words)
    return terms.make(term.op, term.sort, term.args, payload)


def _is_word(node: SyntaxNode, term: Term) -> bool:
    """Tell whether the text of a node stands for its term as a whole, not for its arguments."""
    if node.form in {Form.NAME, Form.DOT, Form.RANGE, Form.WORD}:
        return True
    if node.form is Form.INDEX and not term.args:
        return True
    return node.form is Form.CALL and node.value in _OPAQUE_CALLS


def _has_own_term(node: SyntaxNode, position: int) -> bool:
    """Tell whether an argument of the node is the argument of the term at this position."""
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
