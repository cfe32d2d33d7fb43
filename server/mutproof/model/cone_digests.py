"""Digests of cones of influence, of all properties of a system for little more than those of one.

Variables that depend on one another are digested together, with the digests of those that they
depend on: two cones have the same digest where they state the same.
Source: Merkle, A Digital Signature Based on a Conventional Encryption Function, CRYPTO 1987.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.digraph import components
from mutproof.model.slice import assigned, swapped
from mutproof.model.system import Constraint, TransitionSystem, declared, read
from mutproof.model.terms import Term


def of_property(system: TransitionSystem, name: str) -> Digest | None:
    """Return the digest of a property with all that it and fairness depend on.

    None if the system has more than definitions and assignments: that may decide it too.

    Raises:
        KeyError: the system has no property of that name.
    """
    known = _known(system)
    return None if known is None else known.of_property(name)


def _known(system: TransitionSystem) -> ConeDigests | None:
    found = system.cones.get(None, lambda: _made(system))
    assert found is None or isinstance(found, ConeDigests)
    return found


def _made(system: TransitionSystem) -> ConeDigests | None:
    original = system.original
    # Those of a system that was made of another one number the constraints of that.
    others = None if original is None or original.original else swapped(original, system)
    if original is not None and others is not None:
        known = _known(original)
        return None if known is None else known.where(system, others)
    stated: dict[str, list[int]] = {}
    for index, constraint in enumerate(system.constraints):
        target = constraint.defines or assigned(constraint)
        if target is None or not constraint.never_blocks:
            return None
        stated.setdefault(target, []).append(index)
    return ConeDigests(system, _Groups(system, stated), system.constraints)


class _Groups:
    """Hold groups of variables that depend on one another, each after those it depends on."""

    def __init__(self, system: TransitionSystem, stated: Mapping[str, Sequence[int]]) -> None:
        none = frozenset[str]()
        graph = dict.fromkeys(system.variables, none)
        for name, indices in stated.items():
            graph[name] = none.union(*(system.reads[index] for index in indices))
        graph |= dict.fromkeys(none.union(*graph.values()).difference(graph), none)
        self.names = [*components(graph)]
        self.place = {name: place for place, group in enumerate(self.names) for name in group}
        self.stated = [[n for name in group for n in stated.get(name, ())] for group in self.names]
        self.needs = [
            frozenset(self.place[other] for name in group for other in graph[name]) - {place}
            for place, group in enumerate(self.names)
        ]


class ConeDigests:
    """Tell the digests of cones of one system; `constraints` are those that `groups` number."""

    def __init__(
        self,
        system: TransitionSystem,
        groups: _Groups,
        constraints: Sequence[Constraint],
        known: Mapping[int, Digest] | None = None,
    ) -> None:
        self._system = system
        self._groups = groups
        self._constraints = constraints
        self._digests: list[Digest] = []
        for place in range(len(groups.names)):
            found = None if known is None else known.get(place)
            self._digests.append(self._group(place) if found is None else found)
        pairs = (term for pair in system.compassion for term in pair)
        self._fair = digest_parts(
            len(system.fairness), *map(self._term, system.fairness), *map(self._term, pairs)
        )

    def where(self, system: TransitionSystem, others: Mapping[int, Constraint]) -> ConeDigests:
        """Return the digests of a system with other constraints, by index, that read the same."""
        constraints = [*self._constraints]
        for index, constraint in others.items():
            constraints[index] = constraint
        known, groups = dict[int, Digest](), self._groups
        for place, digest in enumerate(self._digests):
            if groups.needs[place] <= known.keys() and others.keys().isdisjoint(
                groups.stated[place]
            ):
                known[place] = digest
        return ConeDigests(system, groups, constraints, known)

    def of_property(self, name: str) -> Digest:
        """Return the digest of a property with all that it and fairness depend on."""
        stated = self._system.property(name)
        return digest_parts("cone", name, stated.digest, self._term(stated.term), self._fair)

    def _group(self, place: int) -> Digest:
        variables, groups = self._system.variables, self._groups
        names = sorted(groups.names[place])
        declarations = [declared(variables[name]) if name in variables else "" for name in names]
        stated = sorted(self._constraints[index].digest for index in groups.stated[place])
        needed = sorted(self._digests[other] for other in groups.needs[place])
        counts = len(names), len(stated)
        return digest_parts(*counts, *names, *declarations, *stated, *needed)

    def _term(self, term: Term) -> Digest:
        """Return the digest of a term with all that it depends on."""
        places = {self._groups.place[n] for n in read(term) if n in self._groups.place}
        return digest_parts(term.digest, *sorted(self._digests[place] for place in places))
