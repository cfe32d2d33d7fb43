"""Cone of influence: the part of a system that a property can depend on.

Source: Clarke, Grumberg and Peled, Model Checking, MIT Press 1999, section 13.1.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import lru_cache

from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem, read
from mutproof.model.terms import Term


class Slicer:
    """Cut cones out of one system; keeps what its constraints read and depend on.

    Where `chosen` values count as defined, so do those that an assignment leaves open, or that
    those of several processes give together.
    """

    def __init__(self, system: TransitionSystem, *, chosen: bool = False) -> None:
        self.system = system
        self._reads = system.reads
        self._definers: dict[str, list[int]] = {}
        restricting: list[int] = []
        for index, constraint in enumerate(system.constraints):
            target = constraint.defines
            if target is None and chosen:
                target = assigned(constraint)
            if target is None:
                restricting.append(index)
            else:
                self._definers.setdefault(target, []).append(index)
        self._restricting: frozenset[int] | None = None
        # A constraint that defines nothing restricts every variable it depends on.
        self._restrictions = [(index, *self._defined(self._reads[index])) for index in restricting]

    def cone(self, goals: Iterable[str], *, fair: bool = False) -> TransitionSystem:
        """Return the part of the system that the goals (names of properties) depend on.

        With `fair`, that is also what fairness depends on, which is kept then.

        Beside what defines the variables read, that is every constraint (an assertion) that
        depends, through definitions, on a variable of the part: it may exclude values.
        Constraints over other variables only are left out: executions that they end are not
        seen as ended. The other properties are dropped.
        """
        chosen = frozenset(goals)
        stated = tuple(found for found in self.system.properties if found.name in chosen)
        justice, pairs = (self.system.fairness, self.system.compassion) if fair else ((), ())
        read = [*(found.term for found in stated), *justice, *(t for pair in pairs for t in pair)]
        kept, names = self._closure(read)
        constraints, variables = self.system.constraints, self.system.variables
        declared = sorted(names & variables.keys(), key=self.system.positions.__getitem__)
        return TransitionSystem(
            {name: variables[name] for name in declared},
            tuple(constraints[index] for index in sorted(kept)),
            stated,
            justice,
            pairs,
            relational=self.system.relational,
        )

    def influencing(self, goal: str) -> frozenset[ElementId]:
        """Return the elements in the cone of a property, and of what makes the paths it is about.

        Invariants are about all paths, others about fair ones.
        """
        stated, pairs = self.system.property(goal), self.system.compassion
        fair = (*self.system.fairness, *(term for pair in pairs for term in pair))
        read = (stated.term, *(() if stated.kind is PropertyKind.INVARIANT else fair))
        kept, _ = self._closure(read)
        owners = (self.system.constraints[index].owner for index in kept)
        return frozenset(owner for owner in owners if owner is not None)

    def variables(self, terms: Iterable[Term]) -> frozenset[str]:
        """Return the variables that the terms depend on."""
        return frozenset(self._closure(terms)[1])

    def deciding(
        self, terms: Iterable[Term], gone: frozenset[ElementId] = frozenset()
    ) -> frozenset[int]:
        """Return the constraints that determine the values of terms, and which executions exist.

        These are the definitions of the variables read, and all restrictions. Only definitions are
        left out: they give a value to their variables in every execution of the rest. What only
        elements that are `gone` read is not looked at.
        """

        def stays(index: int) -> bool:
            return self.system.constraints[index].owner not in gone

        counts, restricting = (stays if gone else None), self._all_restricting()
        kept, _ = self._defined((n for term in terms for n in read(term)), counts)
        return frozenset(filter(counts, restricting) if counts else restricting) | kept

    def owners(self, terms: Iterable[Term]) -> frozenset[ElementId]:
        """Return the elements whose constraints are `deciding` for the terms."""
        constraints = self.system.constraints
        found = (constraints[index].owner for index in self.deciding(terms))
        return frozenset(owner for owner in found if owner is not None)

    def within(self, owners: frozenset[ElementId]) -> Callable[[Term], bool]:
        """Return what tells whether the `owners` of a term are among these; it learns from each."""
        known: set[str] = set()  # variables that depend on nothing else
        constraints = self.system.constraints

        def belongs(index: int) -> bool:
            owner = constraints[index].owner
            return owner is None or owner in owners

        restricted = all(map(belongs, self._all_restricting()))

        def is_within(term: Term) -> bool:
            names = walk.variables(term) - known
            queue, found = [*names], {*names}
            while queue:
                for index in self._definers.get(queue.pop(), ()):
                    if not belongs(index):
                        return False
                    fresh = self._reads[index] - known - found
                    found |= fresh
                    queue += fresh
            known.update(found)
            return restricted

        return is_within

    def resting(self, terms: Iterable[Term], owners: Container[ElementId]) -> TransitionSystem:
        """Return what is `deciding` for terms among what some elements, or none, state."""
        stated, constraints, variables = (
            tuple(terms),
            self.system.constraints,
            self.system.variables,
        )

        def rests(index: int) -> bool:
            owner = constraints[index].owner
            return owner is None or owner in owners

        # What only definitions of other elements read is not looked at.
        defined, _ = self._defined((n for term in stated for n in walk.variables(term)), rests)
        kept = sorted(defined.union(filter(rests, self._all_restricting())))
        names = set[str]().union(*map(walk.variables, stated), *(self._reads[n] for n in kept))
        declared = sorted(names & variables.keys(), key=self.system.positions.__getitem__)
        return TransitionSystem(
            {name: variables[name] for name in declared},
            tuple(constraints[index] for index in kept),
            (),
            relational=self.system.relational,
        )

    def _all_restricting(self) -> frozenset[int]:
        """Return all restrictions with the definitions that they depend on."""
        if self._restricting is None:
            restricting: set[int] = set()
            for index, needed, _ in self._restrictions:
                restricting |= {index, *needed}
            self._restricting = frozenset(restricting)
        return self._restricting

    def _closure(self, terms: Iterable[Term]) -> tuple[set[int], set[str]]:
        """Return the indices of the constraints and the variables in the cone of influence."""
        kept, names = self._defined(name for term in terms for name in walk.variables(term))
        # Constraints over no variable decide whether any execution exists.
        kept.update(index for index, _, depends_on in self._restrictions if not depends_on)
        waiting = [entry for entry in self._restrictions if entry[0] not in kept]
        grown = True
        while grown:
            left = []
            for entry in waiting:
                index, needed, depends_on = entry
                if depends_on.isdisjoint(names):
                    left.append(entry)
                else:
                    kept.add(index)
                    kept |= needed
                    names |= depends_on
            grown = len(left) < len(waiting)
            waiting = left
        return kept, names

    def _defined(
        self, start: Iterable[str], counts: Callable[[int], bool] | None = None
    ) -> tuple[set[int], set[str]]:
        """Return the definitions that variables depend on, by index, and all variables reached.

        If `counts` is given, only definitions that count are returned and followed.
        """
        kept: set[int] = set()
        names = set(start)
        queue = list(names)
        while queue:
            for index in self._definers.get(queue.pop(), ()):
                if counts is not None and not counts(index):
                    continue
                kept.add(index)
                for name in self._reads[index]:
                    if name not in names:
                        names.add(name)
                        queue.append(name)
        return kept, names


def cone(system: TransitionSystem, goals: Iterable[str]) -> TransitionSystem:
    """Return the part of the system that the goals (names of properties) depend on."""
    return Slicer(system).cone(goals)


def cone_of_terms(system: TransitionSystem, terms: Iterable[Term]) -> frozenset[str]:
    """Return the variables that the terms depend on."""
    return Slicer(system).variables(terms)


def swapped(original: TransitionSystem, system: TransitionSystem) -> dict[int, Constraint] | None:
    """Return what a system made of another one has in place of constraints, by their index there.

    None if it has more or fewer, or one that does not read and define the same.
    """
    gone = [*left_out(original, system)]
    added = system.constraints[len(original.constraints) - len(gone) :]
    if len(gone) != len(added):
        return None
    found = dict(zip(gone, added, strict=True))
    is_alike = all(_read_alike(original.constraints[n], one) for n, one in found.items())
    return found if is_alike else None


def left_out(system: TransitionSystem, part: TransitionSystem) -> Iterator[int]:
    """Yield the constraints of a system, by index, that one which keeps their order lacks."""
    kept = iter(part.constraints)
    following = next(kept, None)
    for index, constraint in enumerate(system.constraints):
        if constraint is following:
            following = next(kept, None)
        else:
            yield index


def _read_alike(one: Constraint, other: Constraint) -> bool:
    """Tell whether a system depends on two constraints in the same way."""
    return (
        (one.kind, one.defines, one.never_blocks) == (other.kind, other.defines, other.never_blocks)
        and read(one.term) == read(other.term)
        and assigned(one) == assigned(other)
    )


def assigned(constraint: Constraint) -> str | None:
    """Return the variable whose next value a constraint assigns; None if it may do anything else.

    What assigns a variable leaves it some next value, whatever the others do.
    """
    if constraint.kind is not ConstraintKind.TRANS or not constraint.never_blocks:
        return None
    ahead = _read_ahead(constraint.term)
    return next(iter(ahead)) if len(ahead) == 1 else None


@lru_cache(maxsize=1 << 14)
def _read_ahead(term: Term) -> frozenset[str]:
    """Return the variables of which a term reads the next value."""
    return frozenset(str(t.payload) for t in walk.subterms(term) if t.op is Op.NEXT_VAR)
