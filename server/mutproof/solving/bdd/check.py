"""Decide properties of a finite system, each with the meaning NuSMV gives it.

INVARSPEC speaks of all reachable states, deadlocks included and fairness ignored; CTL and LTL
speak of infinite fair paths from initial states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace

from mutproof.base.budget import Deadline
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.branching import on_all_paths
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.account import ACCOUNT
from mutproof.solving.bdd import explain, ltl, refutation, trace
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.compute import computed
from mutproof.solving.bdd.ctl import Branching, fair_by_all, response
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import Fairness
from mutproof.solving.bdd.invariant import reachable_invariant
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime, TooLarge, is_out_of_memory
from mutproof.solving.bdd.relation import Machine, drawn, machine
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Undecided, Vacuity, Violated
from mutproof.solving.formulas import invariant_of, is_branching

OUT_OF_TIME = "out of time"
OUT_OF_MEMORY = "out of memory"
TOO_LARGE = "too many nodes"

_LARGE = 2000
"""With a diagram of reachable states of more nodes, lassos are found quickly rather than short."""

_GENEROUS = 2.0
"""How many times an equal share of the time a property may take at first."""

MOST_VISITED = 250_000
"""The nodes that images may visit before diagrams are reordered."""

FIRST_S = 0.5
"""The seconds that other operations may take before that."""

LIMITS = frozenset({OUT_OF_TIME, OUT_OF_MEMORY, TOO_LARGE})
"""Why work is given up that another order of bits may complete."""

_orders: Memo[list[str]] = Memo(100)
"""The orders, by the variables of a system as declared, in which reordering ended; empty at first.

With the reverse variables one starts in the same order, and may end in another.
"""


def check(
    system: TransitionSystem,
    properties: Sequence[str],
    deadline: Deadline,
    conditions: Mapping[str, Term] | None = None,
) -> dict[str, BddVerdict]:
    """Return a verdict for each of the named properties.

    `conditions` are terms, by property name; verdicts tell whether some reachable state satisfies
    them. What cannot be decided, within the deadline or at all, is Undecided with its reason.

    Raises:
        KeyError: the system has no property of a name.
    """
    stated = [system.property(name) for name in properties]
    run = _Run(stated, conditions or {})
    reason = run.attempt(system, deadline)
    return {p.name: run.verdicts.get(p.name, Undecided(reason)) for p in stated}


@dataclass(slots=True)
class _Run:
    """Hold the verdicts found so far; mutable."""

    stated: list[SystemProperty]
    conditions: Mapping[str, Term]
    verdicts: dict[str, BddVerdict] = field(default_factory=dict)
    unexplained: set[str] = field(default_factory=set)

    def attempt(self, system: TransitionSystem, deadline: Deadline) -> str:
        """Decide what can be decided; return why the rest cannot, empty if nothing is left."""
        return attempted_soon(self._decide, system, deadline)

    def _decide(self, model: Machine) -> None:
        manager = model.manager
        layers = self._explored(model)
        if not self.conditions and not self._open():
            return
        reachable = manager.disjunction(layers)
        self._decide_temporal(model, reachable)
        for name, condition in self.conditions.items():
            verdict = self.verdicts.get(name)
            if isinstance(verdict, Holding):
                asked = reachable & model.encoder.predicate(condition) != manager.false
                self.verdicts[name] = replace(verdict, asked=asked)
        if self._open():
            raise OutOfTime

    def _open(self) -> list[SystemProperty]:
        """Return the properties that have no verdict, or one that nothing shows yet."""
        done = self.verdicts.keys() - self.unexplained
        return [p for p in self.stated if p.name not in done]

    def _note(self, name: str, verdict: BddVerdict, *, explained: bool = True) -> None:
        if explained:
            self.unexplained.discard(name)
        elif name in self.verdicts:
            return
        else:
            self.unexplained.add(name)
        self.verdicts[name] = verdict

    def _decide_temporal(self, model: Machine, reachable: Diagram) -> None:
        """Decide the remaining properties, of branching and of linear time."""
        waiting = [p for p in self._open() if p.kind is not PropertyKind.INVARIANT]
        if not waiting:
            return
        manager = model.manager
        fairness = fairness_of(model.encoder)
        model = model.within(reachable)
        branching = Branching(model, reachable, fairness)
        linear = _Linear(model, reachable, fairness, branching)
        # All properties need the fair states, so no property's share is charged for them.
        branching.recurring()
        for attempt in range(2):
            waiting = self._in_shares(waiting, manager, branching, linear, attempt=attempt)

    def _in_shares(
        self,
        waiting: list[SystemProperty],
        manager: Manager,
        branching: Branching,
        linear: _Linear,
        *,
        attempt: int,
    ) -> list[SystemProperty]:
        """Decide each property in its share of the time; return those that ran out of it."""
        whole = manager.deadline
        late: list[SystemProperty] = []
        for position, stated in enumerate(waiting):
            share = whole.remaining_s() * _GENEROUS / (len(waiting) - position)
            manager.deadline = whole.within(share)
            try:
                if stated.kind is PropertyKind.COMPUTE:
                    verdict: BddVerdict = computed(branching, stated.term)
                elif is_branching(stated):
                    verdict = _branching_verdict(branching, stated)
                else:
                    verdict = linear.verdict(stated, f"ltl{attempt}:{stated.name}")
            except (NotFinite, NumberTooLarge) as problem:
                verdict = Undecided(str(problem))
            except _UnexplainedError as found:
                self._note(stated.name, found.verdict, explained=False)
                late.append(stated)
                continue
            except OutOfTime:
                late.append(stated)
                continue
            finally:
                manager.deadline = whole
            self._note(stated.name, verdict)
        return late

    def _explored(self, model: Machine) -> list[Diagram]:
        """Return the reachable states in layers, and decide invariants on the way.

        If all properties are invariants, exploration stops once all are refuted.
        """
        wanted: dict[str, Diagram] = {}
        steps: set[str] = set()
        invariants = [p for p in self.stated if p.kind is PropertyKind.INVARIANT]
        for stated in invariants:
            try:
                bad = ~model.encoder.predicate(stated.term)
            except NotFinite as problem:
                self._note(stated.name, Undecided(str(problem)))
                continue
            if Op.NEXT_VAR in walk.operators(stated.term):
                steps.add(stated.name)
                bad = bad & model.invariant & model.relation.shifted(model.invariant)
            wanted[stated.name] = bad
        layers: list[Diagram] = []
        false = model.manager.false
        for layer in model.layers(model.initial):
            layers.append(layer)
            for name, bad in tuple(wanted.items()):
                is_step = name in steps
                found = layer & (model.relation.starts(layer & bad) if is_step else bad)
                if found != false:
                    del wanted[name]
                    self._note(name, Violated(None), explained=False)
                    with suppress(OutOfTime):
                        seen = refutation.invariant(model, layers, found, bad if is_step else None)
                        self._note(name, seen)
            if len(invariants) == len(self.stated) and not wanted:
                return layers
        vacuity = None if layers else Vacuity.NO_INITIAL_STATE
        for name in wanted:
            self._note(name, Holding(vacuity), explained=name in steps)
        if kept := set(wanted) - steps:
            with suppress(OutOfTime):
                proof = reachable_invariant(model, model.manager.disjunction(layers))
                for name in kept:
                    self._note(name, Holding(vacuity, None, proof))
        return layers


class _UnexplainedError(Exception):
    """Raised where a verdict is found, and the time is out before a path that shows it is."""

    def __init__(self, verdict: BddVerdict) -> None:
        super().__init__()
        self.verdict = verdict


def attempted_soon(
    work: Callable[[Machine], None], system: TransitionSystem, deadline: Deadline
) -> str:
    """Do some work in diagrams of a system; return why it was given up, empty if it was not.

    Their order stays as it is, for to reorder takes most of the time of small questions. Where that
    is too much, they are made again and reordered, and others of the system start in that order.
    """
    names = tuple(system.variables)
    order = _orders.get(names, list) or _orders.get(names[::-1], list)
    manager = hurried(deadline)
    reason = given_up(lambda: work(machine(Encoder(manager, system, order=order))))
    if reason not in LIMITS:
        return reason
    manager = Manager(deadline)
    reason = attempted(lambda: work(drawn(Encoder(manager, system, order=order))))
    _orders.get(names, list)[:] = manager.order()
    return reason


def known_order(variables: Iterable[str]) -> Sequence[str]:
    """Return the order in which reordering ended last of a system with these variables, if any did.

    Perhaps that has others too, but these in this order.
    """
    wanted = [*variables]
    among = frozenset(wanted)
    for names, found in _orders.items():
        assert isinstance(names, tuple)
        if found and [name for name in names if name in among] == wanted:
            return found
    return ()


def hurried(deadline: Deadline) -> Manager:
    """Return a manager that keeps its order, for as much as that may take at first."""
    soon = deadline.within(min(FIRST_S, deadline.remaining_s() / 2))
    return Manager(soon, reordering=False, most_visited=MOST_VISITED)


def attempted(work: Callable[[], None]) -> str:
    """Do some work, and return why it was given up; empty if it was completed."""
    reason = given_up(work)
    if reason == OUT_OF_TIME:
        ACCOUNT.note_late()
    return reason


def given_up(work: Callable[[], None]) -> str:
    """Do some work that others may do later, and return why it was given up, empty if not."""
    try:
        work()
    except OutOfTime:
        return OUT_OF_TIME
    except TooLarge:
        return TOO_LARGE
    except NotFinite as problem:
        return str(problem)
    except (ValueError, RuntimeError, MemoryError) as problem:
        if not is_out_of_memory(problem):
            raise
        return OUT_OF_MEMORY
    return ""


def fairness_of(encoder: Encoder) -> Fairness:
    """Return the fairness constraints of a system as diagrams."""
    system = encoder.system
    return Fairness(
        tuple(encoder.predicate(term) for term in system.fairness),
        tuple((encoder.predicate(p), encoder.predicate(q)) for p, q in system.compassion),
    )


def _vacuity(model: Machine, fair: Diagram) -> Vacuity | None:
    false = model.manager.false
    if model.initial == false:
        return Vacuity.NO_INITIAL_STATE
    if fair == false:
        return Vacuity.NO_FAIR_STATE
    return Vacuity.NO_FAIR_INITIAL_STATE if model.initial & fair == false else None


def _branching_verdict(branching: Branching, stated: SystemProperty) -> BddVerdict:
    model = branching.machine
    start = model.initial & branching.fair
    failing = branching.failing(stated.term, start)
    holds = failing == model.manager.false
    vacuity = _vacuity(model, branching.fair)
    if vacuity is not None:
        return Holding(vacuity)
    try:
        if not holds:
            return refutation.branching(branching, failing, stated)
        found = explain.explain(branching, start, stated.term, holds=True)
        shown = trace.shown(model, found.states, found.loop)
    except OutOfTime:
        raise _UnexplainedError(Holding() if holds else Violated(None)) from None
    return Holding(None, shown if found.complete and len(found.states) > 1 else None)


@dataclass(slots=True)
class _Linear:
    """Decide linear-time properties of one machine; cache its fair states."""

    model: Machine
    reachable: Diagram
    fairness: Fairness
    branching: Branching
    fair: Diagram | None = None

    def verdict(self, stated: SystemProperty, prefix: str) -> BddVerdict:
        """Return the verdict of one property; the names of its bits start with `prefix`."""
        model = self.model
        if self.fair is None:
            self.fair = fair_by_all(self.branching, self.fairness)
        vacuity = _vacuity(model, self.fair)
        if vacuity is not None:
            return Holding(vacuity)
        always = invariant_of(stated.term)
        if always is not None:
            where = self.reachable & self.fair & ~model.encoder.predicate(always)
            if where == model.manager.false:
                return Holding()
        formula = None if model.inputs else on_all_paths(stated.term)
        if formula is not None and (asked := response(formula)) is not None:
            late = self.branching.waiting(*asked) & self.branching.satisfying(asked[0])
            if late == model.manager.false and not self.fairness.compassion:
                return Holding()
        denied = ltl.denial(model, self.reachable, self.fairness, stated.term, prefix=prefix)
        if denied.start == model.manager.false:
            return Holding()
        try:
            large = model.manager.size(denied.reachable) > _LARGE
            return refutation.linear(denied, denied.cycles() if large else None)
        except OutOfTime:
            raise _UnexplainedError(Violated(None)) from None
