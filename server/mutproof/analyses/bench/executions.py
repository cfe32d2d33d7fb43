"""Executions of a model run on its mutants: random ones, and those that were found for others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice, tee
from random import Random

from mutproof.analyses.bench.begun_rows import BegunRows
from mutproof.analyses.bench.short_execution import ShortExecution
from mutproof.analyses.bench.successive import in_turn, is_deep, noted
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.variant import freed
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model import delta_debugging, long_executions, simulate, walk
from mutproof.model.compile import Row
from mutproof.model.sampling import interesting_values, random_choices, random_steps
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Needed, Simulator, definition
from mutproof.model.system import ConstraintKind, TransitionSystem, in_bounds
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation, compile_all

LONG = 24
"""Random executions of at least so many steps count as long: inputs change rarely in them."""

STAY = (0.0, 0.5, 0.9)
"""The probabilities that an input keeps its value in a step, in short executions in turn."""

TRIES = (2, 40)
MOST_VALUES = 100_000
"""The least and the most attempts to shorten a long violating execution, and how many values are
computed beyond the least."""

LARGE = 100
"""Of systems with so many definitions, only what decides open properties is computed."""

MOST_SHORT = 4
"""How many shortened executions are tried on the next claims before longer ones are run."""

MOST_WITNESSES = 8
"""How many executions that satisfy the assertions of some mutant are kept."""


def variation(simulator: Simulator, system: TransitionSystem, variant: Variant) -> Variation:
    """Return the runnable form of a variant.

    Raises:
        CyclicDefinitions: the variant is not causal.
    """
    definitions = {
        constraint.defines: value
        for constraint in variant.constraints
        if constraint.kind is ConstraintKind.INVAR
        and constraint.defines is not None
        and (value := definition(constraint)) is not None
    }
    lost = frozenset(v.name for v in freed(system, variant))
    checks = None
    removed = [c for o in variant.removed for c in system.by_owner.get(o, ()) if not c.defines]
    added = [c.term for c in variant.constraints if c.defines is None]
    if removed or added:
        checks = list(simulator.check_terms)
        for constraint in removed:
            checks.remove(constraint.term)  # another element may state the same
        checks += added
    begun = {c.defines for c in variant.constraints if c.kind is ConstraintKind.INIT}
    unbound = frozenset(
        c.defines
        for owner in variant.removed
        for c in system.by_owner.get(owner, ())
        if c.kind is ConstraintKind.INIT and c.defines is not None and c.defines not in begun
    )
    return Variation(simulator, definitions, lost, checks, unbound=unbound)


class Executions:
    """Run executions on claims; keeps the runnable form of every claim. Mutable.

    What they show are candidates: the evaluator has the last word.
    """

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._variations: dict[str, Variation | None] = {}
        self._random: Memo[Iterator[tuple[Choices, list[Row]]]] = Memo(2)
        self._begun: BegunRows | None = None  # what was tried
        self._short: list[ShortExecution] = []  # what was shortened, the newest first

    @cached_property
    def simulator(self) -> Simulator:
        """Return the simulator of the system, which is made when something first runs."""
        return simulate.simulator(self._system)

    def circular(self, claim: Claim) -> str:
        """Return the name of what depends on itself within one step, empty if nothing does."""
        try:
            self._variations[claim.name] = variation(self.simulator, self._system, claim.variant)
        except CyclicDefinitions as error:
            self._variations[claim.name] = None
            return str(error)
        return ""

    def variation_of(self, claim: Claim) -> Variation | None:
        """Return the runnable form of a claim, None if it is not causal."""
        if claim.name not in self._variations:
            self.circular(claim)
        return self._variations[claim.name]

    def compile(self, claims: Iterable[Claim]) -> None:
        """Compile together the code that runs executions on claims."""
        found = (self.variation_of(claim) for claim in claims)
        compile_all(variation for variation in found if variation is not None)

    def random(
        self,
        claims: Sequence[Claim],
        count: int,
        steps: int,
        seed: int = 0,
        *,
        most: int | None = None,
        habits: long_executions.Drawing = long_executions.variety,
    ) -> Iterator[tuple[Claim, Choices, Mapping[str, int]]]:
        """Run random executions, the same for the same system; yield what violates open properties.

        With it goes the first step at which each fails. Of `count` executions, the `most` are run.
        In long ones, inputs have some `habits`.

        Of the executions of a claim, those that violate most come first. In long ones, what a
        claim leaves undefined hardly changes either; they are shortened, unless one that was
        shortened for another claim shows the same.
        """
        self.compile(claims)
        is_long = steps >= LONG
        about = count, steps, seed, habits
        drawn = self._random.get(about, lambda: tee(self._drawn(*about))[0])
        short = self._short if is_long else []
        for claim in claims:
            known = self._known(claim, claim.open, short)
            if known is not None:
                yield claim, *known
                continue
            given = Random(f"{claim.name} {seed}") if is_long else None
            found = []
            kept = islice(tee(drawn)[1], most)  # what one claim has drawn is kept for all
            for choices, rows in self._given(claim, kept, given):
                candidate = self._violations(claim, rows, choices)
                found += [] if candidate is None else [candidate]
                if is_long and candidate is not None and len(candidate[0]) == len(claim.open):
                    break  # nothing is left that another one could violate
            found.sort(key=lambda candidate: (-len(candidate[0]), max(candidate[0].values())))
            for violated, exact in found:
                goals = claim.open & set(violated)
                if not goals:
                    continue
                known = self._known(claim, goals, short) if is_long else (exact, violated)
                if known is None:
                    shortened = self._shortened(claim, goals, exact)
                    with contextlib.suppress(NumberTooLarge):
                        rows = self.simulator.run(shortened)
                        own = _freed(self.variation_of(claim))
                        short.insert(0, ShortExecution.of(shortened, rows, own))
                        del short[MOST_SHORT:]
                        known = self._known(claim, goals, short[:1])
                    known = known or (shortened, {})
                yield claim, *known

    def _known(
        self, claim: Claim, goals: AbstractSet[str], known: Sequence[ShortExecution]
    ) -> tuple[Choices, Mapping[str, int]] | None:
        """Return a known execution, cut once all goals have failed, and the steps at which they do.

        None if each spares one.
        """
        least = self.least_steps(claim, goals) if known else 0
        freed = _freed(self.variation_of(claim))
        for one in known:
            if len(one.rows) < least:
                continue
            choices = one.lent(freed, self._system.variables)
            found = self._violations(claim, one.rows, choices, goals, every=True)
            if found is not None and len(found[0]) == len(goals):
                return found[1], found[0]
        return None

    def _drawn(
        self, count: int, steps: int, seed: int, habits: long_executions.Drawing
    ) -> Iterator[tuple[Choices, list[Row]]]:
        """Yield random executions of the system, the same for the same system."""
        source = Random(seed)
        if steps >= LONG:
            for own in islice(habits(self.simulator, source), count):
                found = long_executions.abiding(self.simulator, source, steps, own)
                if found[1]:
                    yield found
            return
        for number in range(count):
            choices = random_choices(self.simulator, source, steps, STAY[number % len(STAY)])
            with contextlib.suppress(NumberTooLarge):
                yield choices, self.simulator.run(choices)

    def _given(
        self, claim: Claim, drawn: Iterable[tuple[Choices, list[Row]]], source: Random | None
    ) -> Iterator[tuple[Choices, list[Row]]]:
        """Yield executions, with a `source` first with random values for what a claim frees.

        These differ from the first step on; other values only where those of the model change.
        """
        names = () if source is None else _freed(self.variation_of(claim))
        freed = {name: self._system.variables[name].sort for name in names}
        for choices, rows in drawn:
            if source is not None and freed:
                number, interesting = len(choices.steps), interesting_values(self._system)
                for stay in long_executions.STAYS:
                    own = random_steps(freed, source, interesting, steps=number, stay=stay)
                    given = [{**one, **of} for one, of in zip(choices.steps, own, strict=True)]
                    yield replace(choices, steps=tuple(given)), rows
            yield choices, rows

    def _shortened(self, claim: Claim, violated: AbstractSet[str], choices: Choices) -> Choices:
        """Return an execution that violates the same in fewer steps, if any can be left out.

        First, the last steps are tried, as many as a change at the first of them needs.
        """
        needed = self._needed(claim, violated, len(choices.steps))
        values = len(choices.steps) * max(1, len(needed.definitions))
        fewest, (least, most) = self.least_steps(claim, violated), TRIES
        rows: Sequence[Row] = ()

        def attempt(shorter: Choices, known: int) -> Choices | None:
            nonlocal rows
            found = self._cut(claim, violated, shorter, needed, known=rows[:known])
            if found is None:
                return None
            shorter, rows = found
            return shorter

        if fewest < len(choices.steps):
            last = attempt(replace(choices, steps=choices.steps[-fewest:]), 0)
            if last is not None:
                return last
        tries = max(least, min(most, MOST_VALUES // values))
        return delta_debugging.shortened(choices, attempt, least=fewest, tries=tries)

    def least_steps(self, claim: Claim, goals: Iterable[str]) -> int:
        """Return how many steps an execution of a claim that violates all goals has at least."""
        variation = self.variation_of(claim)
        soonest = None if variation is None else variation.soonest
        return 1 if soonest is None else 1 + max(soonest.get(goal, 0) for goal in goals)

    def _cut(
        self,
        claim: Claim,
        violated: AbstractSet[str],
        choices: Choices,
        needed: Needed,
        *,
        known: Sequence[Row],
    ) -> tuple[Choices, Sequence[Row]] | None:
        """Return choices, cut once all `violated` properties have failed; None if one does not.

        With them go the rows of the model, of which some first ones are `known`.
        """
        try:
            rows = self.simulator.run(choices, needed, known)
            found = self._violations(claim, rows, choices, violated)
        except NumberTooLarge:
            return None
        if found is None or len(found[0]) < len(violated):
            return None
        return found[1], rows

    def _needed(self, claim: Claim, goals: Iterable[str], steps: int) -> Needed:
        """Return what goals and assertions of a claim depend on in executions of `steps` states."""
        variant, stated = claim.variant, self._system.property
        terms = [*(stated(goal).term for goal in goals), *self.simulator.check_terms]
        terms += [c.term for c in variant.constraints]
        names = set[str]().union(*map(walk.variables, terms))
        gone = (
            c.defines for owner in variant.removed for c in self._system.by_owner.get(owner, ())
        )
        names.update(name for name in gone if name is not None)
        return self.simulator.needed(names, steps)

    def tried(
        self, claims: Iterable[Claim], choices: Choices
    ) -> Iterator[tuple[Claim, Choices, Mapping[str, int]]]:
        """Run one execution on claims; yield each claim of which it violates an open property.

        With the claim goes the part of the execution that shows it, and when each property fails.
        """
        left = [claim for claim in claims if claim.open]
        self.compile(left)
        self._begun = self._begun or BegunRows(self.simulator)
        try:
            rows = self._begun.of(choices)
        except NumberTooLarge:
            return
        for claim in left:
            found = self._violations(claim, rows, choices) if claim.open else None
            if found is not None:
                yield claim, found[1], found[0]

    def _violations(
        self,
        claim: Claim,
        rows: Sequence[Row],
        choices: Choices,
        goals: Iterable[str] | None = None,
        *,
        every: bool = False,
    ) -> tuple[dict[str, int], Choices] | None:
        """Return which goals an execution violates, and its choices up to there; None if none.

        The goals are those that are open, if none are given. If `every` one is wanted, less is run
        where they do not fail one after the other.
        """
        variation = self.variation_of(claim)
        if variation is None:
            return None
        asked = frozenset(claim.open if goals is None else goals)
        large, functions = len(self.simulator.definitions) >= LARGE, choices.functions
        several = len(variation.definitions) > 1  # of which properties may read few
        reach = variation.deciding(asked) if large and several else None
        start = variation.infected(rows, functions, reach)
        if start is None:
            return None
        if variation.soonest is not None:  # the others cannot differ yet
            left, soonest = len(rows) - start, variation.soonest
            wanted, asked = asked, frozenset(g for g in asked if soonest.get(g, left) < left)
            if not asked or (every and len(asked) < len(wanted)):
                return None
        changed: list[Row] = []
        try:
            if large and is_deep(variation, asked):
                successive = in_turn(variation, rows, choices, asked, start=start, every=every)
                if successive is not None or every:
                    return successive
            reach = variation.deciding(asked) if large else None
            found = noted(variation.rows(rows, choices, start, reach), changed)
            violated = variation.violations(found, functions, asked, start)
        except NumberTooLarge:
            return None
        if not violated:
            return None
        return violated, variation.choices(changed, choices, max(violated.values()) + 1)


class Witnesses:
    """Keep executions that satisfy assertions, to try them on other claims; mutable.

    `own` has the last one of each claim by its name.
    """

    def __init__(
        self, executions: Executions, known: list[Choices], own: dict[str, Choices]
    ) -> None:
        self._executions = executions
        self._known = known
        self._own = own

    @cached_property
    def _rows(self) -> list[tuple[list[Row], Choices]]:
        simulator = self._executions.simulator
        variables = simulator.system.variables  # an edit may have narrowed their bounds
        self._known[:] = [choices for choices in self._known if in_bounds(variables, choices)]
        return [(simulator.run(choices), choices) for choices in self._known]

    def learn(self, claim: Claim, choices: Choices) -> None:
        """Add an execution of some claim to `known`."""
        self._own[claim.name] = choices
        self._rows.insert(0, (self._executions.simulator.run(choices), choices))
        self._known.insert(0, choices)
        del self._known[MOST_WITNESSES:], self._rows[MOST_WITNESSES:]

    def prepare(self, claims: Sequence[Claim]) -> None:
        """Compile together the code that runs executions on claims."""
        if self._known:
            self._executions.compile(claims)

    def live_in(self, claim: Claim, steps: int) -> bool:
        """Tell whether a claim allows a known execution of at least `steps` steps.

        Its own may become as long by repeating the last step.
        """
        variation = self._executions.variation_of(claim)
        if variation is None:
            return False
        for rows, choices in self._rows:
            if len(rows) >= steps and _runs(variation, rows, choices):
                self._own[claim.name] = choices
                return True
        own = self._own.get(claim.name)
        if own is None or not own.steps:
            return False
        again = own.steps[-1:] * (steps - len(own.steps))
        return self.runs(claim, replace(own, steps=own.steps + again))

    def runs(self, claim: Claim, choices: Choices) -> bool:
        """Tell whether choices, perhaps of another version, are an execution of a claim."""
        variation = self._executions.variation_of(claim)
        simulator = self._executions.simulator
        if variation is None or not in_bounds(simulator.system.variables, choices):
            return False
        return _runs(variation, simulator.run(choices), choices)


def _runs(variation: Variation, rows: list[Row], choices: Choices) -> bool:
    start = variation.infected(rows, choices.functions)
    changed = rows if start is None else variation.run(rows, choices, start)
    return variation.assumed(changed, choices.functions)


def _freed(variation: Variation | None) -> Sequence[str]:
    return () if variation is None else variation.freed
