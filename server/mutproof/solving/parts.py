"""Parts of a system: what lies near some statements, and what a proof rests on.

A part has some of the constraints, so it has all executions of the system and more: what is
proved of a part holds for the system. Variables are restricted to their bounds where the whole
system restricts them (`Unrolling`, `within`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term

NEAR = 3
"""Through how many definitions the variables of a statement are followed."""

MOST_NEAR = 24
"""The most variables reached that way."""

AROUND = 40
"""How many constraints around the variables of statements are tried before more of them."""


class SystemParts:
    """Cut parts out of one system; keeps what its constraints read."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self._reads = [tuple(sorted(names)) for names in system.reads]
        self._touching: dict[str, list[int]] = {}
        self._always: list[int] = []
        for index, constraint in enumerate(system.constraints):
            if constraint.defines is not None:
                self._touching.setdefault(constraint.defines, []).append(index)
                continue
            for name in self._reads[index]:
                self._touching.setdefault(name, []).append(index)
            if not self._reads[index]:
                self._always.append(index)

    def around(self, names: Iterable[str], size: int) -> frozenset[int]:
        """Return about `size` constraints, those that determine the variables most directly."""
        kept = dict.fromkeys(self._always)
        queue = list(dict.fromkeys(names))
        seen = set(queue)
        for name in queue:
            if len(kept) >= size:
                break
            for index in self._touching.get(name, ()):
                if index not in kept:
                    kept[index] = None
                    fresh = [read for read in self._reads[index] if read not in seen]
                    seen.update(fresh)
                    queue.extend(fresh)
        return frozenset(kept)

    def levels(self, statement: Term) -> tuple[frozenset[str], ...]:
        """Return the variables of a statement, those that define them, and so on."""
        names = walk.variables(statement)
        found = [names]
        for _ in range(NEAR):
            names = frozenset(
                read
                for name in names
                for index in self._touching.get(name, ())
                if self.system.constraints[index].defines is not None
                for read in self._reads[index]
                if read != name
            )
            if not names or len(names) > MOST_NEAR:
                break
            found.append(names)
        return tuple(found)

    def definitions(self, names: Iterable[str]) -> frozenset[int]:
        """Return the constraints that define variables or restrict them directly."""
        return frozenset(index for name in names for index in self._touching.get(name, ()))

    def names(self, constraints: Iterable[int]) -> set[str]:
        """Return the variables that constraints mention."""
        return {name for index in constraints for name in self._reads[index]}

    def cut(self, constraints: Iterable[int], names: Iterable[str]) -> TransitionSystem:
        """Return a part: constraints, the variables they mention, and other variables."""
        kept = sorted(constraints)
        mentioned = self.names(kept).union(names)
        declared = self.system.variables
        return TransitionSystem(
            {name: declared[name] for name in sorted(mentioned) if name in declared},
            tuple(self.system.constraints[index] for index in kept),
            (),
            relational=self.system.relational,
        )


def resting_on(
    system: TransitionSystem, statements: Sequence[Term], owners: Iterable[ElementId]
) -> TransitionSystem:
    """Return the part of a system that a proof of statements from some elements rests on.

    These are the constraints of the elements, and those of no element (memories, the frames of
    NuSMV's processes) that may restrict the variables read.
    """
    names: dict[str, None] = {}
    for term in statements:
        names.update(dict.fromkeys(sorted(walk.variables(term))))
    kept: list[Constraint] = []
    for owner in owners:
        kept += system.by_owner.get(owner, ())
        names.update(dict.fromkeys(system.read_by_owner.get(owner, ())))
    unowned, reads = system.unowned, system.reads
    added: dict[int, None] = {}
    queue: list[str | None] = [None, *names]
    for name in queue:
        for index in unowned.get(name, ()):
            if index not in added:
                added[index] = None
                fresh = [read for read in sorted(reads[index]) if read not in names]
                names.update(dict.fromkeys(fresh))
                queue.extend(fresh)
    kept += [system.constraints[index] for index in sorted(added)]
    declared = system.variables
    return TransitionSystem(
        {name: declared[name] for name in names if name in declared},
        tuple(kept),
        (),
        relational=system.relational,
    )
