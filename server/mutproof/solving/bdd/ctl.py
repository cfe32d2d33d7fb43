"""Branching time over fair paths.

Source: Emerson & Lei 1986; NuSMV 2.6 user manual §3.2 (CTL, real-time CTL). Of `p BU m..n q`
NuSMV 2.6 asks p at every step before the one at which q holds, unlike its manual.
"""

from __future__ import annotations

from collections.abc import Callable

from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.operators import BRANCHING_TIME, Op
from mutproof.model.terms import Term
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.fairness import Fairness, fair_states, hull, reaching
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.trace import SingleState
from mutproof.solving.bounded_operators import bounds
from mutproof.solving.formulas import is_of_states


class Branching:
    """Compute the reachable states that satisfy CTL terms; `reachable` bounds all sets.

    No step leads out of `reachable`.

    Raises:
        OutOfTime: the deadline has passed.
    """

    def __init__(self, machine: Machine, reachable: Diagram, fairness: Fairness) -> None:
        self.machine = machine
        self.reachable = reachable
        self.fairness = Fairness(fairness.justice)  # NuSMV ignores COMPASSION for CTL
        self._values: dict[Term, Diagram] = {}
        self._temporal: dict[Term, bool] = {}
        self._kernels: dict[Diagram, Diagram] = {}
        self._waiting: dict[tuple[Term, Term], Diagram] = {}
        self._cycles: dict[Diagram, Cycles] = {}
        self._distances: dict[tuple[Diagram, Diagram], trace.Distances] = {}

    @cached_property
    def fair(self) -> Diagram:
        """Return the states of infinite fair paths, whatever the input."""
        return self._any(self.recurring())

    def recurring(self) -> Diagram:
        """Return the states of fair paths, with the inputs these take."""
        reachable, machine = self.reachable, self.machine
        if reachable not in self._kernels and not self.fairness.justice:
            # What follows a reachable state is reachable: only one without successor ends a path.
            # To ask for all states, reachable or not, takes less than to ask for these.
            stuck = reachable & ~machine.before(machine.invariant)
            if stuck == machine.manager.false:
                self._kernels[reachable] = reachable
        return self.kernel(reachable)

    def kernel(self, states: Diagram) -> Diagram:
        """Return the states of fair paths in a set, with the inputs these take."""
        if states not in self._kernels:
            self._kernels[states] = hull(self.machine, states, self.fairness)
        return self._kernels[states]

    def claimed(self, term: Term, *, holds: bool) -> Diagram:
        """Return the reachable states in which a term holds, or does not."""
        states = self.satisfying(term)
        return states if holds else self.reachable & ~states

    def lasting(self, term: Term, *, holds: bool) -> Diagram:
        """Return the states of fair paths on all of which a term holds, or does not."""
        return self.kernel(self.claimed(term, holds=holds) & self.fair)

    def cycles(self, kernel: Diagram) -> Cycles:
        """Return the fair lassos of a kernel."""
        if kernel not in self._cycles:
            self._cycles[kernel] = Cycles(self.machine, kernel, self.fairness)
        return self._cycles[kernel]

    def distances(self, through: Diagram, target: Diagram) -> trace.Distances:
        """Return distances to `target` through states of `through`; cached for all callers."""
        key = through, target
        if key not in self._distances:
            self._distances[key] = trace.Distances(self.machine, through, target)
        return self._distances[key]

    def some_lasso(self, start: Diagram, like: SingleState | None) -> tuple[list[SingleState], int]:
        """Return a fair lasso from one of these fair states.

        Raises:
            OutOfTime: the deadline has passed.
        """
        found = self.cycles(self.recurring()).lasso(self.machine, start, like)
        if found is not None:
            return found
        return trace.lasso(
            self.machine, start, self.fair, self.recurring(), fairness=self.fairness, like=like
        )

    def lasting_lasso(
        self, term: Term, start: Diagram, like: SingleState | None, *, holds: bool
    ) -> tuple[list[SingleState], int]:
        """Return a short fair lasso on which a term always holds, or never does.

        Raises:
            OutOfTime: the deadline has passed.
        """
        through, kernel = self.claimed(term, holds=holds), self.lasting(term, holds=holds)
        return trace.lasso(self.machine, start, through, kernel, fairness=self.fairness, like=like)

    def is_temporal(self, term: Term) -> bool:
        """Tell whether a term has a path quantifier."""
        return walk.fold(term, lambda t, args: t.op in BRANCHING_TIME or any(args), self._temporal)

    def satisfying(self, root: Term) -> Diagram:
        """Return the reachable states that satisfy a term."""
        return walk.fold_parts(
            root,
            lambda term: term.args if self.is_temporal(term) and not response(term) else (),
            lambda term, args: self._combine(term, args) & self.reachable,
            self._values,
        )

    def failing(self, term: Term, start: Diagram) -> Diagram:
        """Return states of `start` that do not satisfy a term, none only if there are none.

        Of a term that must hold on the way everywhere they are those from which the way to where it
        does not hold is shortest: to find all of them takes more.
        """
        negated = term.op is Op.NOT and term.args[0].op is Op.EF
        if response(term) or not (negated or term.op is Op.AG):
            return start & ~self.satisfying(term)
        (inner,) = (term.args[0] if negated else term).args
        target = self.claimed(inner, holds=negated) & self.fair
        ways = self.distances(self.reachable, target)
        nearest = ways.nearest(start)
        return self.machine.manager.false if nearest is None else ways.rings[nearest] & start

    def _combine(self, term: Term, args: tuple[Diagram, ...]) -> Diagram:
        manager = self.machine.manager
        asked = response(term)
        if asked is not None:
            return self._answered(*asked)
        if not args:
            return self.machine.encoder.predicate(term)
        plain = manager.connective(term.op, args)
        if plain is not None:
            return plain
        match term.op:
            case Op.EX:
                return self.some_next(args[0])
            case Op.AX:
                return ~self.some_next(~args[0])
            case Op.EF:
                return self.some_until(self.reachable, args[0])
            case Op.AF:
                return ~self.some_always(~args[0])
            case Op.EG:
                return self.some_always(args[0])
            case Op.AG:
                return ~self.some_until(self.reachable, ~args[0])
            case Op.EU:
                return self.some_until(args[0], args[1])
            case Op.AU:
                left, right = args
                broken = self.some_until(~right, ~left & ~right)
                return ~(broken | self.some_always(~right))
            case _:
                return self._bounded(term, args)

    def _answered(self, asked: Term, given: Term) -> Diagram:
        """Return the states of `AG (asked -> AF given)`."""
        late = self.waiting(asked, given) & self.satisfying(asked)
        if late == self.machine.manager.false:
            return self.reachable
        return ~self.some_until(self.reachable, late)

    def waiting(self, asked: Term, given: Term) -> Diagram:
        """Return the states on paths without `given` from which one never ends.

        Fair paths without it are sought only from states that ask: they are few, and most paths
        from them are short.
        """
        key = asked, given
        if key not in self._waiting:
            start = self._any(self.satisfying(asked))
            without = self.reachable & ~self.satisfying(given) & self.fair
            on_the_way, ends = self._onwards(start & without, without)
            none = self.machine.manager.false
            self._waiting[key] = none if ends else self.some_always(on_the_way)
        return self._waiting[key]

    def _onwards(self, start: Diagram, within: Diagram) -> tuple[Diagram, bool]:
        """Return what paths from some states reach in a set; also true if all soon leave the set.

        Where they do, no path stays in the set forever.
        """
        false = self.machine.manager.false
        seen, last, left = false, start, 0
        while last != false:
            fresh = last & ~seen
            left += 1 if fresh != false else -1
            if left < 0:
                break
            seen = seen | fresh
            last = self.machine.after(last) & within
        return seen, last == false

    def some_next(self, states: Diagram) -> Diagram:
        """Return the states with a fair successor in a set (EX)."""
        target = states & self.fair
        return self._any(self.machine.before(target) & self.reachable)

    def some_until(self, through: Diagram, target: Diagram) -> Diagram:
        """Return the states of E[through U target] over fair paths."""
        target = target & self.fair
        return self._any(reaching(self.machine, through & self.reachable, target))

    def some_always(self, states: Diagram) -> Diagram:
        """Return the states from which a fair path stays in a set (EG)."""
        return self._any(self.kernel(states & self.fair))

    def _any(self, states: Diagram) -> Diagram:
        return self.machine.with_any_input(states) & self.reachable

    def _bounded(self, term: Term, args: tuple[Diagram, ...]) -> Diagram:
        low, high = bounds(term)
        true = self.reachable
        match term.op:
            case Op.EBF:
                return self._some_until_within(true, args[0], low, high)
            case Op.ABF:
                return ~self._some_always_within(~args[0], low, high)
            case Op.EBG:
                return self._some_always_within(args[0], low, high)
            case Op.ABG:
                return ~self._some_until_within(true, ~args[0], low, high)
            case Op.EBU:
                return self._some_until_within(args[0], args[1], low, high)
            case Op.ABU:
                return self._all_until_within(args[0], args[1], low, high)
            case _:
                raise NotImplementedError(term.op.value)

    def _some_until_within(self, through: Diagram, target: Diagram, low: int, high: int) -> Diagram:
        target = target & self.fair

        def before(states: Diagram) -> Diagram:
            return through & self.some_next(states)

        states = _repeated(lambda states: target | before(states), target, high - low)
        return _repeated(before, states, low)

    def _some_always_within(self, lasting: Diagram, low: int, high: int) -> Diagram:
        lasting = lasting & self.fair
        states = _repeated(lambda states: lasting & self.some_next(states), lasting, high - low)
        return _repeated(self.some_next, states, low)

    def _all_until_within(self, through: Diagram, target: Diagram, low: int, high: int) -> Diagram:
        def before(states: Diagram) -> Diagram:
            return through & ~self.some_next(~states)

        states = _repeated(lambda states: target | before(states), target, high - low)
        return _repeated(before, states, low)


def response(formula: Term) -> tuple[Term, Term] | None:
    """Return p and q, which speak of single states, of `AG (p -> AF q)`."""
    if formula.op is not Op.AG or formula.args[0].op is not Op.IMPLIES:
        return None
    asked, given = formula.args[0].args
    if given.op is not Op.AF or not (is_of_states(asked) and is_of_states(given.args[0])):
        return None
    return asked, given.args[0]


def _repeated(change: Callable[[Diagram], Diagram], states: Diagram, times: int) -> Diagram:
    """Return what a change of states leads to that is made some times in a row.

    Once it leads to states again that it has come from, the rest is counted, not made.
    Source: R. Brent, An improved Monte Carlo factorization algorithm (1980), for that.
    """
    anchor, length, period = states, 1, 0
    while times > 0:
        states = change(states)
        times -= 1
        period += 1
        if states == anchor:
            times %= period
        elif period == length:
            anchor, length, period = states, 2 * length, 0
    return states


def fair_by_all(branching: Branching, fairness: Fairness) -> Diagram:
    """Return the states of infinite paths that are fair by COMPASSION too.

    Raises:
        OutOfTime: the deadline has passed.
    """
    if not fairness.compassion:
        return branching.fair
    return fair_states(branching.machine, branching.reachable, fairness)


class Restricted(Branching):
    """Give the sets of another machine for chosen values of bits that never change."""

    def __init__(self, whole: Branching, machine: Machine) -> None:
        self._whole = whole
        self._fixed: dict[Diagram, Diagram] = {}
        self.machine = machine
        justice = tuple(self._here(often) for often in whole.fairness.justice)
        super().__init__(machine, self._here(whole.reachable), Fairness(justice))

    def _here(self, states: Diagram) -> Diagram:
        if states not in self._fixed:
            self._fixed[states] = self.machine.manager.fixed(self.machine.rigid, states)
        return self._fixed[states]

    @cached_property
    def fair(self) -> Diagram:
        """Return the states of infinite fair paths, whatever the input."""
        return self._here(self._whole.fair)

    def satisfying(self, root: Term) -> Diagram:
        """Return the reachable states that satisfy a term."""
        return self._here(self._whole.satisfying(root))

    def lasting(self, term: Term, *, holds: bool) -> Diagram:
        """Return the states of fair paths on all of which a term holds, or does not."""
        return self._here(self._whole.lasting(term, holds=holds))

    def recurring(self) -> Diagram:
        """Return the states of fair paths, with the inputs these take."""
        return self._here(self._whole.recurring())

    def some_lasso(self, start: Diagram, like: SingleState | None) -> tuple[list[SingleState], int]:
        """Return a fair lasso from one of these fair states."""
        cycles = self._whole.cycles(self._whole.recurring())
        found = cycles.lasso(self.machine, start, like)
        return super().some_lasso(start, like) if found is None else found

    def lasting_lasso(
        self, term: Term, start: Diagram, like: SingleState | None, *, holds: bool
    ) -> tuple[list[SingleState], int]:
        """Return a fair lasso on which a term always holds, or never does."""
        cycles = self._whole.cycles(self._whole.lasting(term, holds=holds))
        found = cycles.lasso(self.machine, start, like)
        if found is None:
            found = super().lasting_lasso(term, start, like, holds=holds)
        return found
