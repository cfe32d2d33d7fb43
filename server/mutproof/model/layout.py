"""What all executions of one program have in common, with other bodies for some elements too."""

from __future__ import annotations

from mutproof.model.arbitrary import AllBeginnings
from mutproof.model.bounds import Bounds
from mutproof.model.code import Code, code
from mutproof.model.instances import Instance, calls, unfold
from mutproof.model.program import Element, Program
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Sort
from mutproof.model.spot import Call, Sources, Spot
from mutproof.model.terms import Site, Term


class ProgramLayout:
    """Say where the elements of a program stand and what defines its variables; caches only.

    `order` is one in which values were found, which mostly serves again.
    """

    def __init__(self, program: Program, sharing: Sharing | None = None) -> None:
        self.program = program
        self.instances = unfold(program)
        self.bounds = Bounds(program, self.instances)
        self.sharing = sharing or Sharing(self.instances)
        self._codes: dict[Term, Code] = {}
        self._calls: dict[Term, tuple[Call, ...]] = {}
        self.beginnings = AllBeginnings(program, self.instances)
        self.order: list[str] = []
        self.sorts: dict[str, Sort] = {}
        self.variables: dict[str, list[str]] = {}  # by the prefix of their instance
        self.places: dict[Element, list[int]] = {}  # of elements among the spots
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
        for place, spot in enumerate(self.spots()):
            self.sources.add(place, spot, self.calls(spot.element.body))

    def spots(self) -> list[Spot]:
        """Return all elements in all instances, with the bodies of the program."""
        return [Spot(one, element, element.body, code, []) for one, element, code in self._spots]

    def code_of(self, body: Term) -> Code:
        """Return the code of a body, kept between runs."""
        if body not in self._codes:
            self._codes[body] = code(body)
        return self._codes[body]

    def calls(self, body: Term) -> tuple[Call, ...]:
        """Return the calls in a body, kept between runs."""
        if body not in self._calls:
            self._calls[body] = tuple(calls(body))
        return self._calls[body]


def site_of(call: Term) -> Site:
    """Return what a call says of its place."""
    assert isinstance(call.payload, Site)
    return call.payload
