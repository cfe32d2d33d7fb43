"""What executions of one program share, including those with other bodies for some elements."""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model.arbitrary import AllBeginnings
from mutproof.model.bounds import Bounds
from mutproof.model.code import Code, Entries, code
from mutproof.model.instances import Instance, calls, unfold
from mutproof.model.program import Element, Program
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Sort
from mutproof.model.spot import Call, Sources, Spot, Spots
from mutproof.model.terms import Site, Term

MOST_BODIES = 1000
"""How many bodies are kept ready to run; those of a program's own elements stay anyway."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Say how a variable is computed: the place of a spot, the slot there, and the variable's part.

    `entries` are what the slot needs. Where nothing defines the variable, there is no `place`.
    """

    name: str
    place: int | None = None
    slot: int = 0
    entries: Entries = ()
    part: int | None = None


class ProgramLayout:
    """Hold the spots of the elements of a program and what defines its variables; caches only.

    `plans` are in an order in which values were computed before, which mostly works again; `own`
    are the spots with the bodies of the program, which do not run. `remembering` are the places of
    bodies that read values of the step before.
    """

    def __init__(self, program: Program, sharing: Sharing | None = None) -> None:
        self.program = program
        self.instances = unfold(program)
        self.bounds = Bounds(program, self.instances)
        self.sharing = sharing or Sharing(self.instances)
        self._codes: Memo[Code] = Memo(MOST_BODIES)
        self._calls: Memo[tuple[Call, ...]] = Memo(MOST_BODIES)
        self.beginnings = AllBeginnings(program, self.instances)
        self.plans: list[Plan] = []
        self._planned: set[str] = set()
        self.sorts: dict[str, Sort] = {}
        self.variables: dict[str, list[str]] = {}  # by the prefix of their instance
        self.places: dict[Element, list[int]] = {}  # indices of an element's spots
        self.sources = Sources(program)
        self._spots: list[tuple[Instance, Element, Code]] = []
        for instance in self.instances:
            component = program.component(instance.component)
            own = {instance.prefix + found.name: found.sort for found in component.variables}
            self.sorts.update(own)
            self.variables[instance.prefix] = list(own)
            for element in component.elements:
                place = len(self._spots)
                self.places.setdefault(element, []).append(place)
                self._spots.append((instance, element, self.code_of(element.body)))
        self.own = [self.spot(place) for place in range(len(self._spots))]
        self.remembering = [p for p, (_, _, known) in enumerate(self._spots) if known.remembered]
        for place, spot in enumerate(self.own):
            self.sources.add(place, spot, self.calls(spot.element.body))

    def spot(self, place: int) -> Spot:
        """Return the element at a place, with its body in the program."""
        one, element, code = self._spots[place]
        return Spot(one, element, element.body, code, [])

    def learn(self, order: Iterable[str]) -> None:
        """Plan variables in the order in which their values were found."""
        for name in order:
            if name not in self._planned:
                self._planned.add(name)
                self.plans.append(planned(name, self.sources, self.own))

    def code_of(self, body: Term) -> Code:
        """Return the code of a body, kept between runs."""
        return self._codes.get(body, lambda: code(body))

    def calls(self, body: Term) -> tuple[Call, ...]:
        """Return the calls in a body, kept between runs."""
        return self._calls.get(body, lambda: tuple(calls(body)))


def planned(name: str, sources: Sources, spots: Spots) -> Plan:
    """Return how a variable is computed in spots."""
    source = sources.of(name, spots)
    if source is None:
        return Plan(name)
    code = source.spot.code
    assert code is not None
    slot, entries = code.slots[source.term], code.needed(source.term)
    return Plan(name, source.place, slot, entries, source.part)


def site_of(call: Term) -> Site:
    """Return the site of a call."""
    assert isinstance(call.payload, Site)
    return call.payload
