"""Fair lassos found state by state: quickly for many systems at once, not always short.

The distances to what must recur are computed once, for all values of bits that never change;
a walk then takes one state after the other.
"""

from __future__ import annotations

from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.fairness import Fairness
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.trace import SingleState

LONGEST_WALK = 1_000
"""The most steps before a walk is given up."""


@dataclass(slots=True)
class Cycles:
    """Hold states from each of which a fair path stays in the set, `kernel`; caches only.

    Where some have no such path, a walk may end in vain.
    """

    machine: Machine
    kernel: Diagram
    fairness: Fairness
    _distances: dict[Diagram, trace.Distances] = field(default_factory=dict)

    def nearest(self, states: Diagram, target: Diagram) -> Diagram:
        """Return those of some states from which the fewest steps in the kernel lead to a set.

        Raises:
            OutOfTime: the deadline has passed.
        """
        if target not in self._distances:
            within = self.kernel & target
            self._distances[target] = trace.Distances(self.machine, self.kernel, within)
        known = self._distances[target]
        number = known.nearest(states)
        return self.machine.manager.false if number is None else states & known.rings[number]

    def lasso(
        self, machine: Machine, start: Diagram, like: SingleState | None = None
    ) -> tuple[list[SingleState], int] | None:
        """Return a fair lasso from a state of the kernel; None: the walk is too long or in vain.

        `machine` is that of the cycles for chosen values of bits that never change.

        Raises:
            OutOfTime: the deadline has passed.
        """
        walk = _Walk(self, machine)
        first = walk.here(start & self.kernel)
        if first == machine.manager.false:
            return None
        walk.add(trace.pick(machine, first, like))
        while len(walk.states) < LONGEST_WALK:
            length = len(walk.states)
            goals = walk.pending() or [machine.manager.true]
            for goal in goals:
                loop = walk.go_to(goal)
                if loop is not None:
                    return walk.states, loop
            if len(walk.states) == length:
                return None
        return None


@dataclass(slots=True)
class _Walk:
    """Hold the states of a path so far; mutable.

    `met` maps each recurring set to the 0-based step at which it was met last; `seen[n]` are the
    states up to step n.
    """

    cycles: Cycles
    machine: Machine
    states: list[SingleState] = field(default_factory=list)
    met: dict[Diagram, int] = field(default_factory=dict)
    seen: list[Diagram] = field(default_factory=list)

    def here(self, states: Diagram) -> Diagram:
        """Return states for the chosen values of bits that never change."""
        return self.machine.manager.fixed(self.machine.rigid, states)

    def add(self, state: SingleState) -> None:
        """Go to a state."""
        false = self.machine.manager.false
        step = len(self.states)
        fairness = self.cycles.fairness
        recurring = [*fairness.justice, *(part for pair in fairness.compassion for part in pair)]
        for wanted in recurring:
            if self.here(state.alone & wanted) != false:
                self.met[wanted] = step
        self.states.append(state)
        self.seen.append(state.alone | self.seen[-1] if self.seen else state.alone)

    def pending(self) -> list[Diagram]:
        """Return the sets to meet in the next round."""
        asked = [given for asked, given in self.cycles.fairness.compassion if asked in self.met]
        return [*self.cycles.fairness.justice, *asked]

    def go_to(self, goal: Diagram) -> int | None:
        """Walk to a set, at least one step, or close the loop; return where it then begins."""
        machine = self.machine
        false = machine.manager.false
        chosen = machine.manager.cube(machine.rigid)
        while len(self.states) < LONGEST_WALK:
            last = self.states[-1]
            following = self.here(machine.after_one(last.bits) & self.cycles.kernel)
            loop = self._closing(following)
            if loop is not None:
                return loop
            nearer = self.here(self.cycles.nearest(following & chosen, goal))
            if nearer != false:
                self.add(trace.pick(machine, nearer, last))
            else:
                # A goal of COMPASSION that cannot be reached any more need not be.
                if goal in self.cycles.fairness.justice or following == false:
                    return None
                self.add(trace.pick(machine, following, last))
                return None
            if self.here(self.states[-1].alone & goal) != false:
                return None
        return None

    def _closing(self, following: Diagram) -> int | None:
        """Return a step to which the last state can return in a fair loop; None if none."""
        fairness = self.cycles.fairness
        wanted = [*fairness.justice]
        wanted.extend(given for asked, given in fairness.compassion if asked in self.met)
        latest = min((self.met.get(often, -1) for often in wanted), default=len(self.states) - 1)
        false = self.machine.manager.false
        if latest < 0 or following & self.seen[latest] == false:
            return None
        for step in range(latest, -1, -1):
            if following & self.states[step].alone != false:
                return step
        return None
