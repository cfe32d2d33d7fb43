"""Tell whether an execution from before an edit still has the values that edited equations give.

Most edits of an operator change a value in few of the executions that are kept: in the others each
edited equation gives what it gave. That is found out for rows of values that many executions share.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mutproof.base.record import dataclass
from mutproof.base.rows import Row
from mutproof.model.layout import ProgramLayout
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element
from mutproof.model.spot import Spot
from mutproof.model.step_values import MISSING, StepValues
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

_ACTIVE = frozenset(("",))


@dataclass(frozen=True, slots=True)
class _Reads:
    """Say what an equation of one variable reads in a step, and which variables it remembers.

    `known` keeps its values by those.
    """

    spot: Spot
    target: str
    now: Sequence[str]
    remembered: Sequence[tuple[int, str]]
    known: dict[object, Any]


class UneditedValues(StepValues):
    """Compute what edited elements of a program with one instance define; keeps what it computed.

    `positions` tell in which order the program defines its variables.
    """

    def __init__(self, layout: ProgramLayout, positions: Mapping[str, int]) -> None:
        super().__init__(layout.beginnings.of(layout.sharing.base), Choices(()))
        self._layout = layout
        self._positions = positions
        self._reads: dict[Element, _Reads | None] = {}

    def runs(self, prefix: str) -> bool:  # noqa: ARG002 - there is one instance
        """Tell that it runs."""
        return True

    def have(self, rows: Sequence[Row], elements: Iterable[Element], choices: Choices) -> bool:
        """Tell whether variables have in all steps the values that their elements give them.

        False where that cannot be told of one element.

        Raises:
            NumberTooLarge: a value has too many digits.
        """
        self.choices = choices
        return all(self._has(rows, element) for element in elements)

    def keep_order(self, bodies: Bodies) -> bool:
        """Tell whether other bodies read only what the program defines before their variables."""
        return all(
            body is None or self._is_later(min(map(self._positions.__getitem__, e.defines)), body)
            for e, body in bodies.items()
            if e.defines
        )

    def violated(self, rows: Sequence[Row], goals: frozenset[str]) -> Mapping[str, int]:
        """Return which properties are false, with the first step."""
        (instance,) = self._layout.instances
        stated = self._layout.program.component(instance.component).properties
        open_ones = {one.name: one.term for one in stated if one.name in goals}
        found: dict[str, int] = {}
        for number, row in enumerate(rows):
            self.now = row
            for name in [n for n, term in open_ones.items() if not self.stated(instance, term)]:
                found[name] = number
                del open_ones[name]
        return found

    def _is_later(self, position: int, body: Term) -> bool:
        read = (str(t.payload) for _, t, _, _ in self._layout.code_of(body).now if t.op is Op.VAR)
        return all(self._positions[name] < position for name in read)

    def _has(self, rows: Sequence[Row], element: Element) -> bool:
        if element not in self._reads:
            self._reads[element] = self._reads_of(element)
        reads = self._reads[element]
        if reads is None or not rows:
            return False
        names = reads.target, *reads.now, *(name for _, name in reads.remembered)
        if not all(map(rows[0].places.__contains__, names)):
            return False
        before: Row | None = None
        for row in rows:
            if self._value(reads, row, before) != row[reads.target]:
                return False
            before = row
        return True

    def _reads_of(self, element: Element) -> _Reads | None:
        """Return what an element reads; None if it defines more or remembers other terms."""
        places = self._layout.places[element]
        own = self._layout.own[places[0]]
        code = own.code
        if code is None or element.restricts or len(places) > 1 or len(element.targets) != 1:
            return None
        remembered = [(slot, name) for slot, name in code.remembered if name is not None]
        if len(remembered) < len(code.remembered):
            return None
        now = [str(term.payload) for _, term, _, _ in code.now if term.op is Op.VAR]
        spot = Spot(own.instance, own.element, own.body, code, [], None, own.outputs)
        return _Reads(spot, element.targets[0], now, remembered, {})

    def _value(self, reads: _Reads, row: Row, before: Row | None) -> Any:
        if before is None and reads.remembered:  # what was before the first step is chosen
            return self._computed(reads, row, before)
        kept = None if before is None else tuple([before[name] for _, name in reads.remembered])
        key = kept, tuple([row[name] for name in reads.now])
        if key not in reads.known:
            reads.known[key] = self._computed(reads, row, before)
        return reads.known[key]

    def _computed(self, reads: _Reads, row: Row, before: Row | None) -> Any:
        spot, code = reads.spot, reads.spot.code
        assert code is not None
        assert spot.body is not None
        self.now, self.ran = row, _ACTIVE if before is not None else frozenset()
        spot.values, spot.last = [MISSING] * code.size, None
        if before is not None:
            spot.last = [MISSING] * code.size
            for slot, name in reads.remembered:
                spot.last[slot] = before[name]
        self.fill(spot, code.now)
        return spot.values[code.slots[spot.body]]
