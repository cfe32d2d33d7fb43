"""Which variables of a NuSMV text something assigns or reads, instance by instance.

Built on `tree_nusmv`: what an expression reads is found by going through all of it. It shares
only the parser with the product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mutproof.languages.nusmv import syntax
from mutproof.languages.nusmv.syntax import Expression
from support.tree_nusmv import _Reader, _Scope

Idle = tuple[str, int, str]
"""A meta-property (MP7 or MP8), the offset of a declaration, and the instance it is in."""


class _Uses(_Reader):
    def _forget_unused(self) -> None:
        """Keep all variables: these are what is asked about."""

    def read_by(self, expressions: Iterable[Expression], scope: _Scope) -> set[str]:
        """Return the declared variables that expressions read, arrays as a whole."""
        before, self.used = self.used, set()
        for expression in expressions:
            self.meaning(expression, scope)
        found, self.used = self.used, before
        return {self.whole(name) for name in found}

    def whole(self, name: str) -> str:
        """Return the declared variable of which a name is an element, or the name."""
        while name not in self.declared and name.endswith("]"):
            name = name[: name.rindex("[")]
        return name

    @property
    def declared(self) -> set[str]:
        """Return the full names of all variables, each with those of the array it is in."""
        return {
            scope.full(item.declaration.name.text)
            for scope in self.scopes.values()
            for item in scope.module.items
            if isinstance(item.declaration, syntax.VariableDeclaration)
        }


def idle(text: str) -> Iterator[tuple[Idle, bool]]:
    """Yield what MP7 and MP8 ask about, and whether nothing reads it."""
    reader = _Uses(text)
    readers: dict[str, set[str]] = {}  # by variable: what assigns, "" for all else
    own: dict[str, set[str]] = {}
    for scope, declaration in reader._declarations():
        target = ""
        match declaration:
            case syntax.Assignment(_, left, body, _):
                path = reader.path(left, len(left.nodes) - 1, scope)
                assert isinstance(path, str)
                target = reader.whole(path)
                read = reader.read_by((body,), scope)
                own.setdefault(target, set()).update(read)
            case syntax.ConstraintSection(_, body, _):
                read = reader.read_by((body,), scope)
            case syntax.Compassion(premise, conclusion, _):
                read = reader.read_by((premise, conclusion), scope)
            case syntax.Specification(_, _, body, bound, context):
                where = scope
                if context is not None:
                    named = reader.path(context, len(context.nodes) - 1, scope)
                    assert isinstance(named, str)
                    where = reader.scopes[named]
                read = _of_formulas(reader, [one for one in (body, bound) if one], where)
            case _:
                continue
        for name in read:
            readers.setdefault(name, set()).add(target)
    yield from _asked(reader, own, readers)


def _of_formulas(reader: _Uses, formulas: list[Expression], scope: _Scope) -> set[str]:
    """Return what formulas read, whose temporal operators have no meaning in a state."""
    before, reader.used = reader.used, set()
    for formula in formulas:
        for index, node in enumerate(formula.nodes):
            if node.form in {syntax.Form.NAME, syntax.Form.DOT, syntax.Form.INDEX}:
                reader._node(formula, index, scope)
    found, reader.used = reader.used, before
    return {reader.whole(name) for name in found}


def _asked(
    reader: _Uses, own: dict[str, set[str]], readers: dict[str, set[str]]
) -> Iterator[tuple[Idle, bool]]:
    for scope in reader.scopes.values():
        for item in scope.module.items:
            declared = item.declaration
            if not isinstance(declared, syntax.VariableDeclaration):
                continue
            if isinstance(declared.type, syntax.InstanceType):
                continue
            name = scope.full(declared.name.text)
            offset = item.base + declared.name.span.start
            is_read = bool(readers.get(name, set()) - {name})
            if name not in own:
                yield ("MP7", offset, scope.path), not is_read
            elif own[name] <= {name}:
                yield ("MP8", offset, scope.path), not is_read
