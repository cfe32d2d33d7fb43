"""What other bodies change in a lowered NuSMV program, where that is less than all of it.

Another body changes the constraints of its own element; that of a copied DEFINE changes those of
its uses. Where properties or conditions change too, there is another system, of which the rest is
as it was. Where more may change, the program is lowered anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mutproof.base.lazy import cached_property
from mutproof.model import sorts, walk
from mutproof.model.program import (
    Bodies,
    Element,
    ElementId,
    ElementKind,
    Property,
    PropertyKind,
    VariableKind,
)
from mutproof.model.relational import RESTRICTING, Relational
from mutproof.model.rewritten import Rewritten, difference
from mutproof.model.sorts import EnumSort, IntSort, SetSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term

_Uses: TypeAlias = "tuple[tuple[Element, ...], bool, Mapping[Property, SystemProperty]]"
"""What reads some copied DEFINEs, whether a property or fairness condition does, and the properties
that do not, as they are in the system."""


class LocalChanges:
    """Lower single elements of a program with other bodies; mutable caches only."""

    def __init__(self, relational: Relational, system: TransitionSystem) -> None:
        self._relational = relational
        self._component = relational.component
        self._system = system
        self._latest: tuple[frozenset[str], _Uses] | None = None

    def of(self, bodies: Bodies) -> Rewritten | None:
        """Return the change by other bodies for all occurrences of elements, None if more changes.

        Raises:
            NoCommonSort: an unbounded integer meets an enumeration.
        """
        removed = frozenset(element.id for element in bodies)
        # What is local alone may not be together with a change of another element.
        if len(removed) > 1 or not all(self._is_local(e, body) for e, body in bodies.items()):
            return None
        if not self._relational.reads_alike(bodies):
            return None
        copied = {
            element.targets[0]: body
            for element, body in bodies.items()
            if self._is_copied(element) and body is not None
        }
        if copied:
            return self._at_uses(removed, bodies, copied)
        own = {e: self._relational.element(e, body) for e, body in bodies.items()}
        constraints = tuple(constraint for found in own.values() for constraint in found)
        if self._reads_inputs_alike(constraints):
            return Rewritten(removed, constraints)
        return self._joined(self._relational, own, removed, self._told)

    def _joined(
        self,
        lowering: Relational,
        changed: Mapping[Element, tuple[Constraint, ...]],
        removed: frozenset[ElementId],
        told: Mapping[Property, SystemProperty],
    ) -> Rewritten:
        """Return a change that reaches properties, or of what inputs they speak.

        `told` are properties that say what they said of the variables.
        """
        system = lowering.system({**self._own, **changed}, told)
        return difference(self._system, system, removed)

    @cached_property
    def _told(self) -> Mapping[Property, SystemProperty]:
        """Return each property over the variables of the system."""
        told = self._relational.property
        return {stated: told(stated) for stated in self._component.properties}

    @cached_property
    def _own(self) -> Mapping[Element, tuple[Constraint, ...]]:
        """Return the constraints of each element."""
        element = self._relational.element
        return {one: element(one, one.body) for one in self._component.elements}

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:
        """Return the copied DEFINEs that elements or a property read, also through others.

        What a property of linear or branching time reads are also the conditions of fair paths.
        """
        stated = next(one for one in self._component.properties if one.name == goal)
        told = (stated.term, *(() if stated.kind is PropertyKind.INVARIANT else self._fair))
        copied = self._relational.copied
        names = {name for term in told for name in walk.variables(term) & copied}
        names.update(*(read for e, read in self._read_by.items() if e.id in elements))
        stack, found = list(names), set[ElementId]()
        while stack:
            for element in self._copied_by_name[stack.pop()]:
                found.add(element.id)
                fresh = self._read_by.get(element, frozenset()) - names
                names |= fresh
                stack += sorted(fresh)
        return frozenset(found)

    @cached_property
    def _copied_by_name(self) -> Mapping[str, list[Element]]:
        found: dict[str, list[Element]] = {name: [] for name in self._relational.copied}
        for element in filter(self._is_copied, self._component.elements):
            found[element.targets[0]].append(element)
        return found

    def _is_local(self, element: Element, body: Term | None) -> bool:
        """Tell whether another body changes no more than its own element, or the uses of it.

        It does for a DEFINE that becomes a set, or is one no more (each use of a set chooses by
        itself), for a DEFINE of other integers or symbols where a program mixes the two (its uses
        list its values), where an assignment that processes share is gone (the others decide when
        the variable is kept), and where nothing else restricts what is read of inputs.
        """
        if body is None:
            shared = element.guard is not None and self._relational.is_shared(element.targets[0])
            alone = self._inputs_matter and element.kind in {*RESTRICTING, ElementKind.DEFINE}
            return not shared and not alone and not self._is_copied(element)
        if element.kind is not ElementKind.DEFINE:
            return True
        if isinstance(body.sort, SetSort) is not isinstance(element.body.sort, SetSort):
            return False
        leaves = sorts.leaves(element.body.sort)
        listed = any(isinstance(sort, IntSort | EnumSort) for _, sort in leaves)
        return not (listed and self._mixes) or self._lists_alike(element.body, body)

    def _lists_alike(self, old: Term, new: Term) -> bool:
        """Tell whether uses of a DEFINE list the same values of it with another body."""
        if type(old.sort) is not type(new.sort) or not isinstance(old.sort, IntSort | EnumSort):
            return False
        return self._relational.listed(old) == self._relational.listed(new)

    @cached_property
    def _mixes(self) -> bool:
        """Tell whether integers and symbols are mixed in the values of any term."""
        component = self._component
        declared = (s for v in component.variables for _, s in sorts.leaves(v.sort))
        if any(
            isinstance(sort, EnumSort) and any(isinstance(value, int) for value in sort.values)
            for sort in declared
        ):
            return True
        stated = [stated.term for stated in component.properties]
        roots = [*(element.body for element in component.elements), *stated]
        for part in {part for root in roots for part in walk.subterms(root)}:
            met = {type(part.sort), *(type(arg.sort) for arg in part.args)}
            if {IntSort, EnumSort} <= met:
                return True
        return False

    def _is_copied(self, element: Element) -> bool:
        return bool(element.targets) and element.targets[0] in self._relational.copied

    def _is_unstored(self, element: Element) -> bool:
        return bool(element.targets) and element.targets[0] in self._relational.unstored

    def _at_uses(
        self, removed: frozenset[ElementId], bodies: Bodies, copied: Mapping[str, Term]
    ) -> Rewritten:
        """Return the change by other bodies for copied DEFINEs, whose uses are lowered again."""
        uses, stated, told = self._uses(frozenset(copied))
        lowering = self._relational.varied(copied)
        stored = (element for element in bodies if not self._is_unstored(element))
        lowered = {e: lowering.element(e, bodies.get(e, e.body)) for e in (*stored, *uses)}
        found: dict[ElementId, dict[Constraint, None]] = {}
        for element, own in lowered.items():
            found.setdefault(element.id, {}).update(dict.fromkeys(own))
        before = self._system.by_owner
        changed = {
            owner: new
            for owner, new in found.items()
            if owner in removed or tuple(new) != before.get(owner, ())
        }
        constraints = tuple(c for own in changed.values() for c in own)
        if not stated and self._reads_inputs_alike(constraints):
            return Rewritten(removed.union(changed), constraints)
        return self._joined(lowering, lowered, removed, told)

    def _uses(self, names: frozenset[str]) -> _Uses:
        """Return what reads copied DEFINEs, with all occurrences of these elements."""
        if self._latest is None or self._latest[0] != names:
            reached, stack = set(names), list(names)
            while stack:
                for reader in self._copied_readers.get(stack.pop(), ()):
                    if reader not in reached:
                        reached.add(reader)
                        stack.append(reader)
            elements = self._component.elements
            read_by = self._read_by
            owners = {e.id for e in elements if not reached.isdisjoint(read_by.get(e, ()))}
            uses = tuple(e for e in elements if e.id in owners and not self._is_unstored(e))
            stated = any(not reached.isdisjoint(walk.variables(term)) for term in self._stated)
            told = {
                one: term
                for one, term in self._told.items()
                if reached.isdisjoint(walk.variables(one.term))
            }
            self._latest = names, (uses, stated, told)
        return self._latest[1]

    @cached_property
    def _read_by(self) -> Mapping[Element, frozenset[str]]:
        """Return the copied DEFINEs that elements read, of those that read any."""
        copied = self._relational.copied
        elements = self._component.elements
        found = {element: walk.variables(element.body) & copied for element in elements}
        return {element: names for element, names in found.items() if names}

    @cached_property
    def _copied_readers(self) -> Mapping[str, list[str]]:
        """Return the copied DEFINEs that read each copied DEFINE."""
        found: dict[str, list[str]] = {}
        for element, names in self._read_by.items():
            for name in sorted(names) if self._is_copied(element) else ():
                found.setdefault(name, []).append(element.targets[0])
        return found

    @cached_property
    def _stated(self) -> tuple[Term, ...]:
        return (*(p.term for p in self._component.properties), *self._fair)

    @property
    def _fair(self) -> tuple[Term, ...]:
        """Return the conditions of fair paths."""
        component = self._component
        return (*component.fairness, *(term for pair in component.compassion for term in pair))

    # --- inputs: what reads them decides of which states an invariant speaks ----------------

    @cached_property
    def _inputs_matter(self) -> bool:
        component = self._component
        return (
            any(component.of_kind(VariableKind.INPUT))
            and any(element.kind in RESTRICTING for element in component.elements)
            and any(stated.kind is PropertyKind.INVARIANT for stated in component.properties)
        )

    def _reads_inputs_alike(self, constraints: tuple[Constraint, ...]) -> bool:
        """Tell whether what is computed reads what it did, so that invariants speak of the same."""
        return not self._inputs_matter or all(
            names == self._reads_of.get(name) for name, names in self._computed(constraints)
        )

    @cached_property
    def _reads_of(self) -> Mapping[str, frozenset[str]]:
        return dict(self._computed(self._system.constraints))

    def _computed(
        self, constraints: tuple[Constraint, ...]
    ) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield DEFINEs with the variables that they read."""
        variables = self._system.variables
        for constraint in constraints:
            name = constraint.defines
            if name is None or constraint.kind is not ConstraintKind.INVAR:
                continue
            if variables[name].kind is SystemVariableKind.DEFINED:
                yield name, walk.variables(constraint.term.args[1])
