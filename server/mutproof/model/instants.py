"""Which values of NuSMV models need which others of the same instant.

An instant is a state or its successor: `next(x) := y` needs y of this state, `x := y` needs y of
the same one, in both. No value may need itself.
Source: NuSMV 2.6 user manual §2.3.8 (circular dependencies).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.constant_operands import constant
from mutproof.model.operators import Op
from mutproof.model.passes.macros import Macros
from mutproof.model.program import Bodies, Component, Element, ElementKind
from mutproof.model.sorts import Value
from mutproof.model.terms import Term

Read: TypeAlias = tuple[str, bool]
"""A full name (of an array element with its index) and whether its next value is read."""

Constant: TypeAlias = "Callable[[str], Value | None]"
"""Tells the value of a macro that is constant, None of any other name."""


def reads(root: Term, constant: Constant, *, shifted: bool = False) -> Iterator[Read]:
    """Yield the names a term reads, each once; macros are names too.

    `shifted`: the term stands under `next`.
    """
    seen: set[tuple[Term, bool]] = set()
    stack = [(root, shifted)]
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
            name, indices = element_of(term, constant)
            if name is not None:
                yield name, shifted
            stack.extend((index, shifted) for index in indices)
        else:
            stack.extend((arg, shifted) for arg in term.args)


def element_of(term: Term, constant: Constant) -> tuple[str | None, tuple[Term, ...]]:
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
        if value is None and index.op is Op.VAR:
            value = constant(str(index.payload))
        if value is None:
            break
        name += f"[{value}]"
    return name, tuple(indices)


class Instants:
    """Hold who reads whom in one component; mutable caches only."""

    def __init__(self, component: Component) -> None:
        self._component = component
        self._macros = Macros(component, every=True)
        self._constants: dict[str, Value | None] = {}
        self._reads: dict[Term, frozenset[Read]] = {}
        self._definitions: dict[Read, list[tuple[Element, bool]]] = {}
        self._parts: dict[str, list[str]] = {}  # array -> assigned elements
        for element in component.elements:
            for node, offset in _defined(element):
                self._definitions.setdefault(node, []).append((element, offset))
            prefix = element.targets[0] if element.targets else ""
            while prefix.endswith("]"):
                prefix = prefix[: prefix.rindex("[")]
                self._parts.setdefault(prefix, []).append(element.targets[0])

    def loose_with(self, bodies: Bodies) -> frozenset[str]:
        """Return the targets of next-assignments that need themselves, which NuSMV allows.

        That is so with a variable `x := e` in between: `x := p; next(p) := f(next(x))`. Such an
        assignment constrains the successor, and computes nothing.
        """
        return frozenset(
            target
            for target, shifted in self._definitions
            if shifted and self._is_stepped(target) and self._reaches_itself((target, True), bodies)
        )

    def is_as_loose(self, loose: frozenset[str], bodies: Bodies) -> bool:
        """Tell whether the same targets are loose with other bodies as in the program."""
        # A new loop goes through what reads more; without one, no other target can become loose.
        if any(self._reaches_itself(start, bodies) for start in self._reading_more(bodies)):
            return self.loose_with(bodies) == loose
        return all(self._reaches_itself((target, True), bodies) for target in loose)

    def indexes_by_macros(self, others: Iterable[Term]) -> bool:
        """Tell whether the program, or other terms, read elements of arrays that macros name."""
        return self._has_macros_as_indices or any(map(self._has_macro_as_index, others))

    @cached_property
    def _has_macros_as_indices(self) -> bool:
        return any(self._has_macro_as_index(e.body) for e in self._component.elements)

    def _has_macro_as_index(self, term: Term) -> bool:
        return any(
            index.op is Op.VAR and index.payload in self._macros.bodies
            for part in walk.subterms(term)
            if part.op is Op.INDEX
            for index in part.args[1:]
        )

    def _is_stepped(self, target: str) -> bool:
        kinds = {element.kind for element, _ in self._definitions[target, True]}
        return ElementKind.NEXT_ASSIGN in kinds

    def is_circular_with(self, bodies: Bodies) -> bool:
        """Tell whether other bodies make a value need itself that does not in the program."""
        return any(
            self._reaches_itself(start, bodies) and not self._reaches_itself(start, {})
            for start in self._reading_more(bodies)
        )

    def _reading_more(self, bodies: Bodies) -> list[Read]:
        """Return what is defined by elements whose other bodies read more."""
        grown = [
            element
            for element, body in bodies.items()
            if body is not None and self._reads_more(element.body, body)
        ]
        return [node for element in grown for node, _ in _defined(element)]

    def _reads_more(self, old: Term, new: Term) -> bool:
        """Tell whether `new` reads anything that `old` does not; look at what differs only."""
        known, shifted = self._read_by(old), False
        while (
            old.op is new.op
            and old.op is not Op.INDEX  # array and index together name what is read
            and len(old.args) == len(new.args)
        ):
            pairs = zip(old.args, new.args, strict=True)
            differing = [pair for pair in pairs if pair[0] is not pair[1]]
            if len(differing) != 1:
                break
            shifted = shifted or old.op is Op.NEXT
            old, new = differing[0]
        named = {Op.INDEX, Op.NEXT}
        fresh = [new]
        if new.args and new.op not in named and old.op not in named:
            kept = frozenset(old.args)
            fresh = [arg for arg in new.args if arg not in kept]
        return any(
            read not in known
            for part in fresh
            for read in reads(part, self._constant, shifted=shifted)
        )

    def _reaches_itself(self, start: Read, bodies: Bodies) -> bool:
        seen: set[Read] = set()
        stack = [start]
        while stack:
            for node in self._successors(stack.pop(), bodies):
                if node == start:
                    return True
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
        return False

    def _successors(self, node: Read, bodies: Bodies) -> Iterator[Read]:
        for element, offset in self._definitions.get(node, ()):
            body = bodies.get(element, element.body)
            for name, later in () if body is None else self._read_by(body):
                yield name, later or offset
                # Reading a whole array, or by an index that is not constant, reads all elements.
                for part in self._parts.get(name, ()):
                    yield part, later or offset

    def _read_by(self, body: Term) -> frozenset[Read]:
        if body not in self._reads:
            self._reads[body] = frozenset(reads(body, self._constant))
        return self._reads[body]

    def _constant(self, name: str) -> Value | None:
        if name not in self._constants:
            body = self._macros.bodies.get(name)
            self._constants[name] = None if body is None else _value(self._macros.expanded(body))
        return self._constants[name]


def _defined(element: Element) -> Iterator[tuple[Read, bool]]:
    """Yield each variable that an element defines, and whether by its body in the next state."""
    if not element.targets:
        return
    target = element.targets[0]
    if element.kind is not ElementKind.NEXT_ASSIGN:
        yield (target, False), False
    if element.kind is ElementKind.NEXT_ASSIGN:
        yield (target, True), False
    elif element.kind is not ElementKind.INIT_ASSIGN:
        yield (target, True), True


def _value(term: Term) -> Value | None:
    """Return the value of a constant integer or Boolean term; None for any other."""
    found = constant(term, {})
    return found if isinstance(found, int) else None
