"""Who reads which variable of a component, as the text has it.

An unused macro does not count as a use of what it reads, of variables and of other macros, nor does
the assignment of a variable as a use of that variable.
"""

from __future__ import annotations

from mutproof.base.digraph import reached
from mutproof.model import walk
from mutproof.model.program import Component, ElementKind


class VariableUses:
    """Hold the variables of a component that are `assigned`, and what is `read`; immutable.

    `mentioned` is what macros read, whether anything reads those or not.
    """

    def __init__(self, component: Component) -> None:
        self._names = {variable.name for variable in component.variables}
        self._macros = {
            element.targets[0]: walk.variables(element.body)
            for element in component.elements
            if element.kind is ElementKind.DEFINE
        }
        self._own: dict[str, set[str]] = {}  # by variable: what its assignments read
        roots = [stated.term for stated in component.properties]
        roots += [*component.fairness, *(term for pair in component.compassion for term in pair)]
        used: set[str] = {name for root in roots for name in self._opened(walk.variables(root))}
        for element in component.elements:
            if element.kind is ElementKind.DEFINE:
                continue
            names = self._opened(walk.variables(element.body))
            if element.guard is not None:
                used |= self._opened(walk.variables(element.guard))
            targets = {self._whole(target) for target in element.targets}
            used |= names - targets
            for target in targets:
                self._own.setdefault(target, set()).update(names - self._macros.keys())
        self.read = frozenset(used)
        self.mentioned = frozenset[str]().union(*self._macros.values())

    @property
    def assigned(self) -> frozenset[str]:
        """Return the variables that assignments give values, in part or as a whole."""
        return frozenset(self._own)

    def is_independent(self, name: str) -> bool:
        """Tell whether the assignments of a variable read no other variable."""
        return self._own.get(name, set()) <= {name}

    def _opened(self, names: frozenset[str]) -> set[str]:
        """Return variables and macros, with what macros read."""
        return set(reached(names, lambda name: self._macros.get(name, ())))

    def _whole(self, target: str) -> str:
        """Return the declared variable that a target such as `a[0]` is an element of."""
        while target not in self._names and target.endswith("]"):
            target = target.rpartition("[")[0]
        return target
