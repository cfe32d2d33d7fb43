"""What terms read, through macros: inputs and next values, and at which instant.

Source: NuSMV 2.6 user manual §2.3.2 (IVAR), §2.3.8 (circular dependencies).
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.record import dataclass
from mutproof.languages.nusmv.hierarchy import SELECTOR, VariableSymbol
from mutproof.languages.nusmv.scope import NameScope
from mutproof.languages.nusmv.syntax import Storage
from mutproof.model import instants, walk
from mutproof.model.instants import Read
from mutproof.model.operators import Op
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class TermReads:
    """Say what a term reads: inputs, `next`, and the two things `next` may not hold."""

    inputs: bool = False
    next: bool = False
    nested_next: bool = False
    next_of_input: bool = False


class Uses:
    """Answer for terms of one scope; remembers what it has seen."""

    def __init__(self, scope: NameScope) -> None:
        self._scope = scope
        self._of_term: dict[Term, TermReads] = {}
        self._of_define: dict[str, TermReads] = {}
        # Each macro comes after those it reads.
        for name, body in scope.defines.items():
            if body is not None:
                self._of_define[name] = self.of(body.term)

    def of(self, term: Term) -> TermReads:
        """Return what a term uses."""
        return walk.fold(term, self._combine, self._of_term)

    def _combine(self, term: Term, args: tuple[TermReads, ...]) -> TermReads:
        if term.op is Op.VAR:
            name = str(term.payload)
            if name in self._of_define:
                return self._of_define[name]
            symbol = self._scope.hierarchy.symbols.get(name)
            is_input = name == SELECTOR or (
                isinstance(symbol, VariableSymbol)
                and symbol.declaration.storage is Storage.INPUT
                and name not in self._scope.constants
            )
            return TermReads(inputs=is_input)
        inputs = any(arg.inputs for arg in args)
        reads_next = any(arg.next for arg in args)
        is_next = term.op is Op.NEXT
        return TermReads(
            inputs,
            reads_next or is_next,
            any(arg.nested_next for arg in args) or (is_next and reads_next),
            any(arg.next_of_input for arg in args) or (is_next and inputs),
        )


def reads(root: Term, scope: NameScope) -> Iterator[Read]:
    """Yield the names a term reads, each once; macros are names too."""
    return instants.reads(root, scope.constants.get)


def target_of(term: Term, scope: NameScope) -> tuple[str, tuple[int | None, ...]]:
    """Return the variable of an indexed element, and its indices; None where not constant."""
    indices: list[int | None] = []
    while term.op is Op.INDEX:
        indices.append(scope.fix(term.args[1]))
        term = term.args[0]
    return str(term.payload) if term.op is Op.VAR else "", tuple(reversed(indices))
