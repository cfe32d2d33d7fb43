"""Which alternatives of a definition avoid certain states: all that differs is where it is true.

Of each definition it is found out once where it must be true and where it may be, so that most
alternatives take two comparisons. Of others, the states that they lead from there are sought, with
the steps of the system in which the definition has any value.
"""

from __future__ import annotations

from dataclasses import replace

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


@dataclass(frozen=True, slots=True)
class DefinitionBounds:
    """Hold a machine in which a definition is a `bit` with any value, and what values are `bad`.

    These lead to the `avoided` states, or do so at first, or are `failing` a condition. The `stale`
    definitions are those that read it.
    """

    cut: Machine
    avoided: Diagram
    failing: Diagram
    bad: Diagram
    bit: str
    stale: frozenset[str]

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

        The condition holds in all others, and some state is initial.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        cut, false = self.cut, self.cut.manager.false
        initial = self._where(cut.initial, value)
        if initial == false:
            return False
        layer, seen = self._where(self.bad, value), self.avoided
        while layer != false:
            if layer & initial != false:
                return False
            seen = seen | layer
            layer = self._where(cut.before(layer) & ~seen, value)
        return True

    def exclude(self, value: Diagram) -> bool:
        """Tell whether the condition always holds with other values, and some state is initial.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        cut, false = self.cut, self.cut.manager.false
        initial = self._where(cut.initial, value)
        layer = seen = self._where(self.failing, value)
        while layer != false and layer & initial == false:
            layer = self._where(cut.before(layer) & ~seen, value)
            seen = seen | layer
        return layer == false and initial != false

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
    others = model.invariant & ~avoided
    failing = model.invariant & ~free.predicate(condition)
    bad = others & (cut.before(avoided) | failing) | cut.initial & avoided
    return DefinitionBounds(cut, avoided, failing, bad, bit, encoder.stale(free.definitions))
