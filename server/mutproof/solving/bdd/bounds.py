"""Which alternatives of a definition avoid certain states: all that differs is where it is true.

Of each definition it is found out once where it must be true and where it may be, so that most
alternatives take two comparisons. Of others, the states that they lead from there are sought, with
the steps of the system in which the definition has any value; those of one alternative that is
avoided tell as much of the next ones.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort
from mutproof.model.system import ConstraintKind
from mutproof.model.terms import Term
from mutproof.solving.bdd.coding import following
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine, partitioned

MOST_KEPT = 16
"""How many sets of states that alternatives avoid are kept."""

Bounds: TypeAlias = tuple[Diagram, Diagram]
"""Where a definition must not be true, and where it must not be false."""


@dataclass(slots=True)
class DefinitionBounds:
    """Hold a machine in which a definition is a `bit` with any value; `known` grows.

    It is `failing` a condition where that is false, and a step or first states lead to `avoided`
    ones, by steps from `before` them. The `stale` definitions are those that read it. With values
    in `known` bounds, the latest first, states are avoided in all of which the condition holds.
    """

    cut: Machine
    avoided: Diagram
    before: Diagram
    failing: Diagram
    bit: str
    stale: frozenset[str]
    known: list[Bounds] = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the bounds of the states that are avoided."""
        self.known = [self._bounds(self.avoided, self.before)]

    def function(self, encoder: Encoder, body: Term) -> Diagram | None:
        """Return where a body is true; None if other definitions tell that by this one.

        Raises:
            NotFinite: the body has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        if Op.NEXT_VAR in walk.operators(body) or not self.stale.isdisjoint(walk.variables(body)):
            return None
        return encoder.predicate(body)

    def allow(self, value: Diagram) -> bool:
        """Tell whether some states, the avoided among them, are never met with other values.

        Or others that are known. The condition holds in all others, and some state is initial.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        if self._where(self.cut.initial, value) == self.cut.manager.false:
            return False
        if self._is_known(value):
            return True
        bad = self.failing | self.before & self.cut.invariant
        return self._is_avoided(value, self.avoided, bad, self.before)

    def exclude(self, value: Diagram) -> bool:
        """Tell whether the condition always holds with other values, and some state is initial.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        false = self.cut.manager.false
        if self._where(self.cut.initial, value) == false:
            return False
        return self._is_avoided(value, false, self.failing, false)

    def _is_avoided(self, value: Diagram, seen: Diagram, bad: Diagram, before: Diagram) -> bool:
        """Tell whether states, and `bad` ones with a value, are never met; if so, keep bounds.

        It is known what steps lead there from states `before`.
        """
        cut, false = self.cut, self.cut.manager.false
        initial = self._where(cut.initial, value)
        if seen & initial != false:
            return False
        layer = self._where(bad & ~seen, value)
        while layer != false:
            if layer & initial != false:
                return False
            seen = seen | layer
            into = cut.before(layer)
            before = before | into
            layer = self._where(into & ~seen, value)
        self.known.insert(0, self._bounds(seen, before))
        del self.known[MOST_KEPT:]
        return True

    def _bounds(self, avoided: Diagram, before: Diagram) -> Bounds:
        """Return where the definition must not be true or false for states to be avoided."""
        cut, fixed, bit = self.cut, self.cut.manager.fixed, self.bit
        bad = (before | self.failing) & cut.invariant & ~avoided | cut.initial & avoided
        return fixed({bit: True}, bad), fixed({bit: False}, bad)

    def _is_known(self, value: Diagram) -> bool:
        """Tell whether a value is within known bounds."""
        false = self.cut.manager.false
        for index, (true_in, false_in) in enumerate(self.known):
            if true_in & value == false and false_in & ~value == false:
                self.known.insert(0, self.known.pop(index))
                return True
        return False

    def _where(self, states: Diagram, value: Diagram) -> Diagram:
        """Return the states in which the bit has a value."""
        fixed, bit = self.cut.manager.fixed, self.bit
        return fixed({bit: True}, states) & value | fixed({bit: False}, states) & ~value


def bounds(model: Machine, condition: Term, avoided: Diagram, name: str) -> DefinitionBounds | None:
    """Return what tells which bodies of the definition of a Boolean avoid some states.

    None if the definition decides what states there are, or its next value is read.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """
    encoder, manager = model.encoder, model.manager
    system = encoder.system
    if name not in encoder.definitions or not isinstance(system.variables[name].sort, BoolSort):
        return None
    left = tuple(
        one
        for one in system.constraints
        if one.defines != name or one.kind is not ConstraintKind.INVAR
    )
    free = Encoder(manager, replace(system, constraints=left), like=encoder)
    parts = partitioned(free)
    (bit,) = free.codings[name].bits
    ahead = any(following(bit) in manager.support(part) for part in parts.parts)
    if ahead or parts.invariant != model.invariant:
        return None
    cut = parts.joined(model.relation)
    failing = model.invariant & ~free.predicate(condition)
    stale = encoder.stale(free.definitions)
    return DefinitionBounds(cut, avoided, cut.before(avoided), failing, bit, stale)
