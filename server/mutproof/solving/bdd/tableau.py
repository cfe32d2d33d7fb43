"""A linear-time formula as a machine whose fair paths are those that satisfy it.

Each `X g` becomes a bit that foretells g, each `Y g` one that remembers it.
Source: Clarke, Grumberg & Hamaguchi 1997, Another look at LTL model checking.
"""

from __future__ import annotations

from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.operators import LINEAR_TIME, Op
from mutproof.model.terms import Term
from mutproof.solving.bdd.coding import NotFinite, following
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bounded_operators import LargeBoundError, without_bounds


@dataclass(slots=True)
class Tableau:
    """Hold the bits of a formula, their initial values, steps and justice constraints.

    `truth` is where the formula holds, `justice` what must hold infinitely often. The bits are
    determined by the path. Mutable while it is built only.
    """

    encoder: Encoder
    prefix: str
    bits: list[str] = field(default_factory=list)
    initial: list[Diagram] = field(default_factory=list)
    steps: list[Diagram] = field(default_factory=list)
    justice: list[Diagram] = field(default_factory=list)
    truth: Diagram | None = None

    def bit(self) -> tuple[Diagram, Diagram]:
        """Return a new bit in the current and in the next state."""
        name = f"?{self.prefix}^{len(self.bits)}"
        self.bits.append(name)
        return self.encoder.manager.pair(name, following(name))

    def shifted(self, node: Diagram) -> Diagram:
        """Return a function of the current state as one of the next state."""
        together = (*self.encoder.bits(), *self.bits)
        return self.encoder.manager.renamed({b: following(b) for b in together}, node)

    def tomorrow(self, node: Diagram) -> Diagram:
        """Return a bit that is true if a function holds in the next state."""
        current, _ = self.bit()
        self.steps.append(~self.encoder.manager.xor(current, self.shifted(node)))
        return current

    def yesterday(self, node: Diagram, *, first: bool) -> Diagram:
        """Return a bit: whether a function held in the last state; `first` in the first one."""
        current, after = self.bit()
        self.initial.append(current if first else ~current)
        self.steps.append(~self.encoder.manager.xor(after, node))
        return current

    def until(self, left: Diagram, right: Diagram) -> Diagram:
        """Return `left U right`."""
        current, after = self.bit()
        whole = right | (left & current)
        self.steps.append(
            ~self.encoder.manager.xor(current, self.shifted(right) | (self.shifted(left) & after))
        )
        self.justice.append(right | ~whole)
        return whole

    def since(self, left: Diagram, right: Diagram) -> Diagram:
        """Return `left S right`."""
        current, after = self.bit()
        whole = right | (left & current)
        self.initial.append(~current)
        self.steps.append(~self.encoder.manager.xor(after, whole))
        return whole


def tableau(encoder: Encoder, formula: Term, prefix: str) -> Tableau:
    """Return the tableau of a formula; the names of its bits start with `prefix`.

    Raises:
        NotFinite: a part of the formula has no diagram, or a bound is too large.
        OutOfTime: the deadline has passed.
    """
    result = Tableau(encoder, prefix)
    try:
        unbounded = without_bounds(formula)
    except LargeBoundError as large:
        raise NotFinite(str(large)) from large
    temporal: dict[Term, bool] = {}

    def is_temporal(term: Term) -> bool:
        return walk.fold(term, lambda t, args: t.op in LINEAR_TIME or any(args), temporal)

    def combine(term: Term, args: tuple[Diagram, ...]) -> Diagram:
        encoder.manager.tick()
        return _combine(result, term, args)

    result.truth = walk.fold_parts(
        unbounded, lambda term: term.args if is_temporal(term) else (), combine
    )
    return result


def _combine(result: Tableau, term: Term, args: tuple[Diagram, ...]) -> Diagram:
    manager = result.encoder.manager
    true = manager.true
    if not args:
        node = result.encoder.predicate(term)
        if Op.NEXT_VAR in walk.operators(term):
            # A term that reads next values becomes a bit of the state in which the step starts.
            current, _ = result.bit()
            result.steps.append(~manager.xor(current, node))
            return current
        return node
    plain = manager.connective(term.op, args)
    if plain is not None:
        return plain
    match term.op:
        case Op.X:
            return result.tomorrow(args[0])
        case Op.U:
            return result.until(args[0], args[1])
        case Op.F:
            return result.until(true, args[0])
        case Op.G:
            return ~result.until(true, ~args[0])
        case Op.V:
            return ~result.until(~args[0], ~args[1])
        case Op.Y:
            return result.yesterday(args[0], first=False)
        case Op.Z:
            return result.yesterday(args[0], first=True)
        case Op.S:
            return result.since(args[0], args[1])
        case Op.O:
            return result.since(true, args[0])
        case Op.H:
            return ~result.since(true, ~args[0])
        case Op.T:
            return ~result.since(~args[0], ~args[1])
        case _:
            raise NotImplementedError(term.op.value)
