"""What proved a property in one part of a system, in parts that differ from it by names alone.

In a row of instances, or of equations that were copied, the same is asked about each of many
properties. What engines found for one of them is tried on the others in their names; it counts
only where it passes the check there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.verdict import Certificate


@dataclass(frozen=True, slots=True)
class Numbered:
    """Hold a part of a system with one property, and numbers for its names.

    `names` and `owners` are in an order that does not depend on how they are called. Parts of one
    `shape` differ by names alone.
    """

    names: tuple[str, ...]
    owners: Mapping[ElementId, int]
    shape: Digest

    def without(self, removed: AbstractSet[ElementId]) -> Digest:
        """Return the shape of the part without some elements."""
        gone = sorted(number for owner, number in self.owners.items() if owner in removed)
        return digest_parts(self.shape, *gone)


class Lookalikes:
    """Keep what engines found in parts, for parts that look alike; mutable."""

    def __init__(self) -> None:
        self._found: dict[Digest, tuple[Numbered, Certificate | None]] = {}

    def note(
        self, part: Numbered, removed: AbstractSet[ElementId], found: Certificate | None
    ) -> None:
        """Keep a certificate of a part without some elements; None: there was none."""
        self._found[part.without(removed)] = part, found

    def is_known(self, part: Numbered, removed: AbstractSet[ElementId]) -> bool:
        """Tell whether something was found, or looked for, in a part that looks alike."""
        return part.without(removed) in self._found

    def certificate(
        self, part: Numbered, removed: AbstractSet[ElementId], goal: str
    ) -> Certificate | None:
        """Return what was found in a part that looks alike, in the names of this one."""
        other, found = self._found.get(part.without(removed), (part, None))
        if found is None:
            return None
        called = dict(zip(other.names, part.names, strict=True))
        memo: dict[Term, Term] = {}
        lemmas = tuple(walk.renamed(one, called.__getitem__, memo) for one in found.lemmas)
        return replace(found, lemmas=lemmas, goals=(goal,))


def numbered(part: TransitionSystem) -> Numbered:
    """Number what a part with one property is about, from what the property reads on."""
    (stated,) = part.properties
    about: dict[str, list[int]] = {}
    for place, constraint in enumerate(part.constraints):
        read = walk.variables(constraint.term)
        for name in (constraint.defines,) if constraint.defines is not None else read:
            about.setdefault(name, []).append(place)
    names = dict.fromkeys(_in_order(stated.term))
    queue, places = [*names], dict[int, None]()
    for name in queue:
        for place in about.get(name, ()):
            if place not in places:
                places[place] = None
                fresh = [n for n in _in_order(part.constraints[place].term) if n not in names]
                names.update(dict.fromkeys(fresh))
                queue.extend(fresh)
    # What nothing reaches from the property keeps its place.
    places.update(dict.fromkeys(range(len(part.constraints))))
    ordered = [part.constraints[place] for place in places]
    for constraint in ordered:
        names.update(dict.fromkeys(_in_order(constraint.term)))
    names.update(dict.fromkeys(part.variables))
    owners = {owner: n for n, owner in enumerate(dict.fromkeys(c.owner for c in ordered))}
    numbers = {name: str(n) for n, name in enumerate(names)}
    memo: dict[Term, Term] = {}
    said: list[bytes | str] = [walk.renamed(stated.term, numbers.__getitem__, memo).digest]
    for constraint in ordered:
        said.append(f"{constraint.kind.value} {owners[constraint.owner]}")
        said.append("" if constraint.defines is None else numbers[constraint.defines])
        said.append(walk.renamed(constraint.term, numbers.__getitem__, memo).digest)
    variables = (part.variables.get(name) for name in names)
    said += ["" if v is None else repr((v.sort, v.kind.value)) for v in variables]
    known = {owner: number for owner, number in owners.items() if owner is not None}
    return Numbered(tuple(names), known, digest_parts(*said))


def _in_order(term: Term) -> Iterator[str]:
    """Yield the names that a term reads in the order in which they stand there."""
    for part in walk.subterms(term):
        if part.op in {Op.VAR, Op.NEXT_VAR}:
            yield str(part.payload)
