"""Tell which changes of a system leave the steps from its reachable states as they are.

Such a variant reaches the same states by the same steps, so it has the same properties. Only the
steps on which a changed term can differ are looked at: those that come to the place of the change.
Of a definition, it suffices that it has the same value in these states, where nothing reads it of
others, as what restricts states or reads next values may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.digraph import reached
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, BoolSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.relation import GROWTH, partitioned

MOST_MEMORY = 2**28
"""The most memory of the diagrams of a system, in bytes."""

MOST_KEPT = 4_096
"""How many sets of steps are kept that come to a place of a term."""

_DESCENDED = frozenset({Op.AND, Op.OR, Op.NOT, Op.IMPLIES, Op.ITE, Op.EQ})

_Place: TypeAlias = "tuple[Diagram, Term, int]"
"""Steps on which a term matters, and one of its arguments."""


@dataclass(slots=True)
class _Descent:
    """Hold the steps on which a term may differ from another, and in what; mutable.

    On these `steps` the whole terms say what the terms here say, or if not `is_alike` the opposite;
    where there is a value `against` them, that they equal it.
    """

    steps: Diagram
    old: Term
    new: Term
    is_alike: bool = True
    against: Term | None = None

    def whole(self, value: Term) -> Term:
        """Return what is said of a value here."""
        return value if self.against is None else terms.eq(self.against, value)


class SameSteps:
    """Compare variants of a system with it in one manager; caches only.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline has passed, or the steps from reachable states are many.
    """

    def __init__(self, system: TransitionSystem, deadline: Deadline) -> None:
        manager = Manager(deadline, reordering=False, most_memory=MOST_MEMORY)
        self._manager = manager
        self._system = system
        self._encoder = Encoder(manager, system)
        model = self.model = partitioned(self._encoder).joined()
        self._relation = model.relation
        self.layers = list(model.layers(model.initial))
        self.reachable = manager.disjunction(self.layers)
        sizes = sum(manager.size(node) for node, _ in self._relation.clusters)
        self._most = GROWTH * (sizes + manager.size(self.reachable))
        self._sizes: dict[Diagram, int] = {}
        self._parts: dict[frozenset[Constraint], Sequence[Diagram]] = {}
        self.own = self.joined(self.reachable, self.parts_without(()))
        self._beyond = self._behind(_read_beyond(self._encoder))
        self._left: dict[frozenset[Constraint], Diagram] = {}
        self._places: dict[_Place, Diagram] = {}

    def are_kept(
        self, removed: Sequence[Constraint], stated: Sequence[Constraint], deadline: Deadline
    ) -> bool:
        """Tell whether the steps from reachable states are the same with some constraints stated.

        These stand for the `removed` ones of the system; all of them are about steps alone, or
        define variables. Definitions are the same in these states, too. False also if that is not
        known by the deadline.
        """
        self._manager.deadline = deadline
        found = list[bool]()
        reason = attempted(lambda: found.append(self._compared(removed, stated)))
        return not reason and found[0]

    def _compared(self, removed: Sequence[Constraint], stated: Sequence[Constraint]) -> bool:
        gone = [one for one in removed if one.kind is not ConstraintKind.TRANS]
        fresh = [one for one in stated if one.kind is not ConstraintKind.TRANS]
        removed = [one for one in removed if one.kind is ConstraintKind.TRANS]
        stated = [one for one in stated if one.kind is ConstraintKind.TRANS]
        if (gone or fresh) and not self._are_alike(gone, fresh, stated):
            return False
        if not (removed or stated):
            return True
        return self.steps(removed, stated) == self.own

    def steps(self, removed: Sequence[Constraint], stated: Sequence[Constraint]) -> Diagram:
        """Return the steps from reachable states with some constraints of steps for others."""
        return self.replaced(self._without(removed), removed, stated)

    def replaced(
        self, steps: Diagram, removed: Sequence[Constraint], stated: Sequence[Constraint]
    ) -> Diagram:
        """Return those of some steps that satisfy what is stated for what is removed."""
        for old, new in _pairs(removed, stated):
            steps = self._replaced(steps, old, new)
        return steps

    def _are_alike(
        self, gone: Sequence[Constraint], fresh: Sequence[Constraint], steps: Iterable[Constraint]
    ) -> bool:
        """Tell whether definitions are the same in reachable states and read of no other states.

        Those of the system stand for what other ones read: they read each other in no circle.
        """
        before, after = _definitions(gone), _definitions(fresh)
        if not all(map(self._encoder.is_definition, gone)) or before.keys() != after.keys():
            return False
        if not len(gone) == len(before) == len(fresh):
            return False
        ahead = self._behind(name for one in steps for name in _ahead(one.term))
        if any(map(_ahead, after.values())) or not before.keys().isdisjoint(self._beyond | ahead):
            return False
        false = self._manager.false
        same = (self._encoder.predicate(terms.eq(old, after[name])) for name, old in before.items())
        return all(self.reachable & ~one == false for one in same)

    def _behind(self, names: Iterable[str]) -> frozenset[str]:
        """Return some variables and those that they depend on, through definitions."""
        definitions = self._encoder.definitions

        def read(name: str) -> Iterable[str]:
            return walk.variables(definitions[name]) if name in definitions else ()

        return frozenset(reached(names, read))

    def _without(self, removed: Sequence[Constraint]) -> Diagram:
        """Return the steps from reachable states if some constraints do not hold."""
        key = frozenset(removed)
        if key not in self._left:
            self._left[key] = self.joined(self.reachable, self.parts_without(removed))
        return self._left[key]

    def parts_without(self, removed: Sequence[Constraint]) -> Sequence[Diagram]:
        """Return the clusters of steps, the smallest first, without what only some say."""
        key = frozenset(removed)
        if key not in self._parts:
            gone = {
                self._encoder.predicate(term)
                for one in removed
                for term in walk.conjuncts(one.term)
            }
            for one in self._system.constraints:
                if gone and one.kind is ConstraintKind.TRANS and one not in key:
                    gone.difference_update(map(self._encoder.predicate, walk.conjuncts(one.term)))
            parts = list[Diagram]()
            for joined, own in self._relation.clusters:
                left = tuple(part for part in own if part not in gone)
                parts.append(joined if len(left) == len(own) else self._relation.rest(left))
            self._parts[key] = sorted(parts, key=self._size)
        return self._parts[key]

    def joined(self, states: Diagram, parts: Iterable[Diagram]) -> Diagram:
        """Return the steps from some states by some parts.

        Raises:
            OutOfTime: the deadline has passed, or they are many.
        """
        for part in parts:
            self._manager.tick()
            states = states & part
            if self._manager.size(states) > self._most:
                raise OutOfTime
        return states

    def _size(self, part: Diagram) -> int:
        if part not in self._sizes:
            self._sizes[part] = self._manager.size(part)
        return self._sizes[part]

    def _replaced(self, steps: Diagram, old: Term, new: Term) -> Diagram:
        """Return those of some steps that satisfy a new term, which differs little from an old."""
        kept = steps & self._encoder.predicate(old)
        if old is new:
            return kept
        found = self._descended(steps, old, new)
        self._manager.tick()
        satisfying = self._satisfying(found)
        return (kept & ~found.steps) | satisfying

    def _satisfying(self, found: _Descent) -> Diagram:
        """Return the steps of a descent on which the new term is true; perhaps narrow it first."""
        if found.old.op is found.new.op is Op.ITE:
            true = self._diverging(found)
        else:
            true = self._walked(found, found.steps, found.new)
        return true if found.is_alike else found.steps & ~true

    def _diverging(self, found: _Descent) -> Diagram:
        """Narrow a descent to the steps on which two chains choose otherwise.

        Return those of them on which the new one is true as a whole. Steps that pass all rows of
        the old chain so far are found once for all variants; some of these were `taken` by tests
        of the new one, and others are `astray`, as only the old one has chosen for them.
        """
        manager, predicate, false = self._manager, self._encoder.predicate, self._manager.false
        old, new, passing = found.old, found.new, found.steps
        taken = astray = true = found.steps = false
        while old is not new:
            if not (old.op is new.op is Op.ITE):
                left = passing & ~taken
                found.steps = found.steps | left
                return true | self._walked(found, left | astray, new)
            (test, value, rest), (other, otherwise, new) = old.args, new.args
            known = predicate(other)
            if test is not other or value is not otherwise:
                manager.tick()
                left = passing & ~taken
                before = predicate(test)
                chosen = left & known
                if value is otherwise:
                    chosen = chosen & ~before
                lost = left & before & ~known
                found.steps = found.steps | chosen | lost
                true = true | self._saying(found, chosen, otherwise)
                taken = taken | known
            else:
                lost = false
            if astray != false:
                hit = astray & known
                true = true | self._saying(found, hit, otherwise)
                astray = astray & ~hit
            astray = astray | lost
            passing, old = self._place(passing, old, 2), rest
        return true | self._walked(found, astray, new)

    def _walked(self, found: _Descent, left: Diagram, new: Term) -> Diagram:
        """Return those of some steps on which a chain is true as a whole."""
        true = self._manager.false
        while left != self._manager.false:
            if new.op is not Op.ITE:
                return true | self._saying(found, left, new)
            test, value, new = new.args
            self._manager.tick()
            chosen = left & self._encoder.predicate(test)
            true = true | self._saying(found, chosen, value)
            left = left & ~chosen
        return true

    def _saying(self, found: _Descent, steps: Diagram, value: Term) -> Diagram:
        """Return those of some steps on which a value is true as a whole."""
        if steps == self._manager.false:
            return steps
        return steps & self._encoder.predicate(found.whole(value))

    def _descended(self, steps: Diagram, old: Term, new: Term) -> _Descent:
        """Return where, in terms that differ in one place, this place matters and what is there."""
        found = _Descent(steps, old, new)
        while (index := _difference(found)) is not None:
            op, args, others = found.old.op, found.old.args, found.new.args
            if op is Op.ITE and index == 0:
                tests = map(self._encoder.predicate, (args[0], others[0]))
                found.steps = found.steps & self._manager.xor(*tests)
                return found
            found.steps = self._place(found.steps, found.old, index)
            if op is Op.EQ:
                found.against = args[1 - index]
            found.old, found.new = args[index], others[index]
            is_turned = op is Op.NOT or (op is Op.IMPLIES and index == 0)
            found.is_alike = found.is_alike is not is_turned
        return found

    def _place(self, steps: Diagram, term: Term, index: int) -> Diagram:
        """Return those of some steps on which an argument decides what a term says."""
        key = steps, term, index
        if key not in self._places:
            if len(self._places) >= MOST_KEPT:
                self._places.clear()
            self._manager.tick()
            self._places[key] = steps & self._reaching(term, index)
        return self._places[key]

    def _reaching(self, term: Term, index: int) -> Diagram:
        """Return where an argument of a term decides what it says."""
        predicate = self._encoder.predicate
        match term.op:
            case Op.ITE:
                test = predicate(term.args[0])
                return test if index == 1 else ~test
            case Op.NOT | Op.EQ:
                return self._manager.true
            case _:
                other = predicate(term.args[1 - index])
                is_needed = term.op is Op.AND or (term.op is Op.IMPLIES and index == 1)
                return other if is_needed else ~other


def _definitions(constraints: Iterable[Constraint]) -> dict[str, Term]:
    """Return what some constraints define in each state, by variable."""
    return {
        one.defines: one.term.args[1]
        for one in constraints
        if one.kind is ConstraintKind.INVAR and one.defines is not None
    }


def _ahead(term: Term) -> frozenset[str]:
    """Return the variables of which a term reads next values."""
    parts = walk.subterms(term)
    return frozenset(str(part.payload) for part in parts if part.op is Op.NEXT_VAR)


def _read_beyond(encoder: Encoder) -> set[str]:
    """Return the variables that are read of other states than those where a step begins.

    What is defined to be a value of a sort restricts states.
    """
    system, found = encoder.system, set[str]()
    for one in system.constraints:
        if one.kind is ConstraintKind.TRANS or encoder.is_definition(one):
            found |= _ahead(one.term)
        else:
            found |= walk.variables(one.term)
    for name in encoder.definitions:
        variable = system.variables[name]
        if variable.kind is not SystemVariableKind.DEFINED and variable.sort != BOOL:
            found.add(name)
    return found.union(*(_ahead(stated.term) for stated in system.properties))


def _difference(found: _Descent) -> int | None:
    """Return the only argument in which two terms differ, if it is known where that matters."""
    old, new = found.old, found.new
    if old.op is not new.op or old.op not in _DESCENDED:
        return None
    differing = [i for i, (a, b) in enumerate(zip(old.args, new.args, strict=True)) if a is not b]
    if len(differing) != 1:
        return None
    (index,) = differing
    if isinstance(old.args[index].sort, BoolSort):
        return None if old.op is Op.EQ else index
    is_chosen = old.args[index].op is new.args[index].op is Op.ITE
    return index if old.op is Op.ITE or (old.op is Op.EQ and is_chosen) else None


def _pairs(removed: Iterable[Constraint], stated: Iterable[Constraint]) -> list[tuple[Term, Term]]:
    """Return terms side by side, as many of each: those that look alike, as far as possible."""
    left = [one.term for one in removed]
    pairs, rest = list[tuple[Term, Term]](), list[Term]()
    for new in (one.term for one in stated):
        if new in left:
            left.remove(new)
            pairs.append((new, new))
        else:
            rest.append(new)
    for new in rest:
        old = max(left, key=lambda one: _likeness(one, new), default=terms.TRUE)
        if old in left:
            left.remove(old)
        pairs.append((old, new))
    return [*pairs, *((old, terms.TRUE) for old in left)]


def _likeness(one: Term, other: Term) -> int:
    """Return how much terms look alike: by the operator, and equal arguments in the same places."""
    if one.op is not other.op:
        return 0
    return 1 + sum(a is b for a, b in zip(one.args, other.args, strict=False))
