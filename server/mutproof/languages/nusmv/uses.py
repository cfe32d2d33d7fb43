"""What terms read, through macros: inputs, next values; and at which instant.

Source: NuSMV 2.6 user manual §2.3.2 (IVAR), §2.3.8 (circular dependencies).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutproof.languages.nusmv.hierarchy import SELECTOR, VariableSymbol
from mutproof.languages.nusmv.scope import Scope
from mutproof.languages.nusmv.syntax import Storage
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Use:
    """Say what a term reads: inputs, `next`, and the two things `next` may not hold."""

    inputs: bool = False
    next: bool = False
    nested_next: bool = False
    next_of_input: bool = False


class Uses:
    """Answer for terms of one scope; remembers what it has seen."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._of_term: dict[Term, Use] = {}
        self._of_define: dict[str, Use] = {}
        # Macros were settled after those they read.
        for name, body in scope.defines.items():
            if body is not None:
                self._of_define[name] = self.of(body.term)

    def of(self, term: Term) -> Use:
        """Return what a term uses."""
        return walk.fold(term, self._combine, self._of_term)

    def _combine(self, term: Term, args: tuple[Use, ...]) -> Use:
        if term.op is Op.VAR:
            name = str(term.payload)
            if name in self._of_define:
                return self._of_define[name]
            symbol = self._scope.hierarchy.symbols.get(name)
            is_input = name == SELECTOR or (
                isinstance(symbol, VariableSymbol) and symbol.declaration.storage is Storage.INPUT
            )
            return Use(inputs=is_input)
        inputs = any(arg.inputs for arg in args)
        reads_next = any(arg.next for arg in args)
        is_next = term.op is Op.NEXT
        return Use(
            inputs,
            reads_next or is_next,
            any(arg.nested_next for arg in args) or (is_next and reads_next),
            any(arg.next_of_input for arg in args) or (is_next and inputs),
        )


Read = tuple[str, bool]
"""A full name (of an array element with its index) and whether its next value is read."""


def reads(root: Term, scope: Scope) -> Iterator[Read]:
    """Yield the names a term reads, each once; macros are names too."""
    seen: set[tuple[Term, bool]] = set()
    stack = [(root, False)]
    while stack:
        term, shifted = stack.pop()
        if (term, shifted) in seen:
            continue
        seen.add((term, shifted))
        if term.op is Op.NEXT:
            stack.append((term.args[0], True))
        elif term.op is Op.VAR:
            yield str(term.payload), shifted
        elif term.op is Op.INDEX:
            name, indices = element_of(term, scope)
            if name is not None:
                yield name, shifted
            stack.extend((index, shifted) for index in indices)
        else:
            stack.extend((arg, shifted) for arg in term.args)


def element_of(term: Term, scope: Scope) -> tuple[str | None, tuple[Term, ...]]:
    """Return the full name of an indexed element, and what else must be read.

    The name ends at the first index that is not constant: `a[1][i]` reads `a[1]`.
    """
    indices = []
    while term.op is Op.INDEX:
        indices.append(term.args[1])
        term = term.args[0]
    if term.op is not Op.VAR:
        return None, (term, *indices)
    name = str(term.payload)
    for index in reversed(indices):
        value = index.payload if index.op is Op.CONST else None
        if index.op is Op.NEG and index.args[0].op is Op.CONST:
            number = index.args[0].payload
            value = -number if isinstance(number, int) else None
        if value is None:
            value = scope.constants.get(str(index.payload)) if index.op is Op.VAR else None
        if value is None:
            break
        name += f"[{value}]"
    return name, tuple(indices)
