"""Which enumeration a constant belongs to where it stands, and what kinds of values a term has.

In NuSMV a symbolic constant has no type of its own: what it is compared with or assigned to
determines its enumeration.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from mutproof.model import sorts
from mutproof.model.operators import Op
from mutproof.model.program import Component, ElementKind
from mutproof.model.sorts import ArraySort, EnumSort, IntSort, Sort, Value
from mutproof.model.terms import Path, Term


class ValueFamily(Enum):
    """Separate the kinds of values that NuSMV does not compare with each other."""

    INTEGER = "integer"
    SYMBOL = "symbol"
    OTHER = "other"


class Domains:
    """Answer for the terms of one component; immutable."""

    def __init__(self, component: Component) -> None:
        self._declared: dict[str, Sort] = {}
        self._bodies: dict[str, Term] = {}
        for variable in component.variables:
            self._declared[variable.name] = variable.sort
            if isinstance(variable.sort, ArraySort):
                for suffix, sort in sorts.leaves(variable.sort):
                    self._declared[variable.name + suffix] = sort
        for element in component.elements:
            if element.kind is ElementKind.DEFINE:
                self._bodies[element.targets[0]] = element.body
        self._lists = tuple(
            dict.fromkeys(
                leaf.values
                for sort in self._declared.values()
                for _, leaf in sorts.leaves(sort)
                if isinstance(leaf, EnumSort) and leaf.values
            )
        )

    def declared(self, target: str) -> Sort | None:
        """Return the declared sort of a variable or of an array element `a[0]`."""
        return self._declared.get(target)

    def around(self, body: Term, path: Path, target: Sort | None) -> tuple[Value, ...]:
        """Return the enumeration that the constant at a path of a body is taken from.

        That is the list of what it is compared with or assigned to; where there is none, or the
        constant is not in it, the first declared list that has the constant; empty without one.
        """
        spine = [body]
        for index in path:
            spine.append(spine[-1].args[index])
        constant = spine[-1].payload
        found = self._context(spine, path, target)
        if found is not None and constant in found:
            return found
        if isinstance(constant, str):
            return next((values for values in self._lists if constant in values), ())
        return ()

    def _context(
        self, spine: list[Term], path: Path, target: Sort | None
    ) -> tuple[Value, ...] | None:
        for parent, index in zip(reversed(spine[:-1]), reversed(path), strict=True):
            if parent.op in {Op.EQ, Op.NE, Op.IN}:
                return self._listed(parent.args[1 - index])
            if parent.args[index] not in _alternatives(parent):
                return None
        return target.values if isinstance(target, EnumSort) and target.values else None

    def _listed(self, root: Term) -> tuple[Value, ...] | None:
        """Return the enumeration of the first variable whose value a term may have, or None."""
        for leaf in self._leaves(root):
            if leaf.op in {Op.VAR, Op.NEXT_VAR, Op.INDEX}:
                sort = self._sort(leaf)
                if isinstance(sort, EnumSort) and sort.values:
                    return sort.values
        return None

    def _sort(self, leaf: Term) -> Sort | None:
        base = leaf
        while base.op is Op.INDEX:
            base = base.args[0]
        declared = self._declared.get(str(base.payload)) if base.op is Op.VAR else None
        if declared is None or leaf is base:
            return declared
        return sorts.leaves(declared)[0][1]

    def _leaves(self, root: Term) -> Iterator[Term]:
        """Yield the terms whose value a term may have, with macros replaced by their bodies."""
        seen = {root}
        stack = [root]
        while stack:
            term = stack.pop()
            inner = _alternatives(term)
            if term.op is Op.VAR and term.payload in self._bodies:
                inner = (self._bodies[str(term.payload)],)
            if not inner:
                yield term
            for part in reversed(inner):
                if part not in seen:
                    seen.add(part)
                    stack.append(part)

    def kinds(self, root: Term) -> frozenset[ValueFamily]:
        """Return the kinds of the values that a term may have."""
        found: set[ValueFamily] = set()
        for leaf in self._leaves(root):
            if isinstance(leaf.sort, IntSort):
                found.add(ValueFamily.INTEGER)
            elif isinstance(leaf.sort, EnumSort) and leaf.op is not Op.CONST:
                found |= kinds_of(self._sort(leaf))
            elif isinstance(leaf.sort, EnumSort):
                found.add(ValueFamily.SYMBOL)
            else:
                found.add(ValueFamily.OTHER)
        return frozenset(found)


def kinds_of(sort: Sort | None) -> frozenset[ValueFamily]:
    """Return the kinds of the values of a declared sort; of any symbol where it is not listed."""
    if isinstance(sort, IntSort):
        return frozenset({ValueFamily.INTEGER})
    if isinstance(sort, EnumSort) and sort.values:
        numbers = {
            ValueFamily.INTEGER if isinstance(v, int) else ValueFamily.SYMBOL for v in sort.values
        }
        return frozenset(numbers)
    return frozenset(
        {ValueFamily.SYMBOL if sort is None or isinstance(sort, EnumSort) else ValueFamily.OTHER}
    )


def _alternatives(term: Term) -> tuple[Term, ...]:
    """Return the arguments that a term takes its value from; empty if it computes its own."""
    match term.op:
        case Op.ITE:
            return term.args[1:]
        case Op.CASE:
            return term.args[1::2]
        case Op.SET | Op.UNION | Op.NEXT | Op.PRE | Op.ARROW:
            return term.args
        case _:
            return ()
