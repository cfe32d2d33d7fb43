"""The reachable states of a NuSMV program with few of them, as its oracle finds them.

What may follow a state is enumerated from the meaning of the program: each assignment gives its
variable some values, all combinations are tried, and the rules of the other elements accept or
reject them. Variables that others of the same state determine are computed. It knows nothing of
transition systems. With other bodies for some elements, only states are looked at again in which
these give something else.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.model import sorts
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.program import Bodies, ElementKind, VariableKind
from mutproof.model.relational_accepting import Accepting, holds
from mutproof.model.relational_comparison import StepComparison
from mutproof.model.relational_demands import Demands, NotExplored, Planner, decided, differ
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.relational_rules import Values
from mutproof.model.relational_sources import OwnSteps
from mutproof.model.relational_values import NOWHERE, UNDEFINED, State
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Value
from mutproof.model.state_graphs import MOST_CHANGED, MOST_NEW, NearGraph, ReachedGraph
from mutproof.model.terms import Term

MOST_STATES = 50_000
"""How many states are visited before an exploration is given up."""

MOST_VALUES = 2_500_000
"""How many values of variables these may have in the program as it is."""

MOST_ANEW = 150_000
"""How many values the states may have that only a program with other bodies has."""

MOST_TRIED = 1 << 12
"""How many combinations of values may be tried for one state."""

MOST_COMBINED = 100_000
"""The same for all states: where constraints exclude most, other ways to decide take less time."""

MOST_KEPT = 50_000
"""How many states are kept beside those of the program as it is."""


class RelationalExplorer:
    """Explore some variables of a program that read no others; caches only.

    `bodies` are others for some elements from the outset, None to leave one out; `most` is how many
    values its states may have.

    Raises:
        NotExplored: its own states cannot be explored.
    """

    def __init__(
        self,
        evaluator: RelationalEvaluator,
        names: Container[str],
        bodies: Bodies,
        most: int = MOST_VALUES,
    ) -> None:
        component = evaluator.component
        self._evaluator = evaluator
        self._named = names
        scalars = [(name, sort) for name, sort in evaluator.scalars if name in names]
        self._places = {name: place for place, (name, _) in enumerate(scalars)}
        self._names = tuple(self._places)
        self._sorts = [sort for _, sort in scalars]
        self._domains = [sorts.domain(sort) for sort in self._sorts]
        read = {v.name for v in component.of_kind(VariableKind.INPUT)}
        if component.compassion or any(n in names for n in read):
            raise NotExplored
        self._frozen = tuple(
            place
            for name, place in self._places.items()
            if name.partition("[")[0] in evaluator.frozen
        )
        self._numbers: dict[tuple[Value, ...], int] = {}
        self._values: list[Values] = []
        self._truth: dict[Term, dict[int, bool]] = {}
        self._sets: dict[int, list[tuple[Value, ...]]] = {}
        self._members: dict[tuple[int, Any], tuple[Value, ...]] = {}
        self._after: dict[int, tuple[int, ...]] = {}
        self._combined = 0  # combinations of values that the latest search has tried
        self._most = most // max(1, len(self._names))  # states that may be known
        self._planner = Planner(evaluator, self._places, bodies)
        self._plan = self._planner.demands({})
        self._comparison = StepComparison(self._plan, self._names)
        self._initial = self._first(self._plan)
        self._own = self._reached(self._initial, self._follow_own)
        self._count = len(self._values)

    def states(self, bodies: Bodies) -> ReachedGraph:
        """Return the states of the program with other bodies for some elements.

        Raises:
            NotExplored: they cannot be explored.
        """
        plan = self._demanded(bodies)
        if plan.are_timed_anew(self._plan):
            other = RelationalExplorer(self._evaluator, self._named, plan.bodies, MOST_ANEW)
            return replace(other.states({}), is_own=False)
        initial, follow, following = self._initial_of(plan), self._following(plan), self._own
        same = {*initial} == {*self._initial} and self._has_own_steps(plan, follow)
        if not same:
            following = self._reached(initial, follow)
        return ReachedGraph(
            initial, following, same, lambda term: self.where(term, following), self._values
        )

    def _has_own_steps(self, plan: Demands, follow: Callable[[int], tuple[int, ...]]) -> bool:
        """Tell whether some demands leave the states of the program what follows them."""
        own = self._own
        for some in (True, False):  # a state with other steps is mostly soon found
            sources = self._own_steps.changed(plan, some=some)
            if sources is None:
                return not plan.redefined and all(follow(n) == after for n, after in own.items())
            if not sources or any(follow(number) != own[number] for number in sources):
                return not sources
        return True

    @property
    def values(self) -> Sequence[Values]:
        """Return the values in states by number; another object once states were forgotten."""
        return self._values

    def near(self, bodies: Bodies) -> NearGraph | None:
        """Return how the graph of the program differs with other bodies for some elements.

        None if that is not known to be little. Each reached state has a successor.

        Raises:
            NotExplored: it cannot be explored.
        """
        plan = self._demanded(bodies)
        sources = None if plan.are_timed_anew(self._plan) else self._own_steps.changed(plan)
        if not sources or len(sources) > MOST_CHANGED:
            return None
        initial, follow, own = self._initial_of(plan), self._following(plan), self._own
        changed = {n: after for n in sources if (after := follow(n)) != own[n]}
        new: dict[int, tuple[int, ...]] = {}
        left = [*initial, *(other for after in changed.values() for other in after)]
        while left:
            number = left.pop()
            if number not in own and number not in new:
                if len(new) == MOST_NEW:
                    return None
                new[number] = follow(number)
                left += new[number]
        if not initial or not all((*changed.values(), *new.values())):
            raise NotExplored
        return NearGraph(initial, changed, new)

    def _demanded(self, bodies: Bodies) -> Demands:
        """Return what other bodies demand, with room for the states that they give."""
        self._combined = 0
        if len(self._values) > self._count + MOST_KEPT:
            self._forget()
        self._most = len(self._values) + MOST_ANEW // max(1, len(self._names))
        return self._planner.demands(bodies, self._plan)

    def _initial_of(self, plan: Demands) -> tuple[int, ...]:
        """Return the initial states with some demands."""
        mine, own = plan.rules, self._plan.rules
        if plan.redefined or differ(mine.first, own.first) or differ(mine.always, own.always):
            return self._first(plan)
        return self._initial

    @cached_property
    def _own_steps(self) -> OwnSteps:
        values = self._values[: self._count]
        return OwnSteps(self._comparison, self._plan, self._own, values=values, choices=self._sets)

    def where(self, term: Term, numbers: Iterable[int]) -> Mapping[int, bool]:
        """Tell at least for some states whether a term without time is true there.

        Raises:
            NotExplored: it has no value there, or reads more than the state.
        """
        code = self._evaluator.code_of(term).keeping(self._plan.rules.settled)
        if self._planner.looks_ahead(code):
            raise NotExplored
        known, values = self._truth.setdefault(term, {}), self._values
        for number in numbers:
            if number not in known:
                known[number] = decided(code.value(values[number], NOWHERE))
        return known

    def _forget(self) -> None:
        """Forget the states that the program as it is does not have."""
        count = self._count
        self._values = self._values[:count]
        for numbers in (self._numbers, self._plan.numbers):
            for key in [key for key, number in numbers.items() if number >= count]:
                del numbers[key]
        for known in self._truth.values():
            for number in [number for number in known if number >= count]:
                del known[number]
        for number in [number for number in self._sets if number not in self._own]:
            del self._sets[number]
            self._after.pop(number, None)

    # --- states -----------------------------------------------------------------------------

    def _reached(
        self, initial: Sequence[int], follow: Callable[[int], tuple[int, ...]]
    ) -> Mapping[int, tuple[int, ...]]:
        """Return what follows each reached state, each after what it leads to where it can be."""
        found: dict[int, tuple[int, ...]] = {}
        ordered: dict[int, tuple[int, ...]] = {}
        for start in initial:
            stack = [start]
            while stack:
                number = stack[-1]
                if number in found:
                    ordered.setdefault(stack.pop(), found[number])
                    continue
                after = found[number] = follow(number)
                if not after or len(found) > MOST_STATES:
                    raise NotExplored
                stack.extend(other for other in after if other not in found)
        if not ordered:
            raise NotExplored
        return ordered

    def _numbered(
        self,
        demands: Demands,
        choices: Sequence[Sequence[Value]],
        accepts: Callable[[int], bool],
        here: Values | None = None,
    ) -> tuple[int, ...]:
        """Return the states that combine values of the variables and are accepted.

        They follow the state `here`, if any.
        """
        later = demands.later if here is not None else {}
        chosen = [n for n in range(len(choices)) if n not in demands.computed and n not in later]
        tried = [choices[place] for place in chosen]
        count = prod(map(len, tried))
        self._combined += count
        if count > MOST_TRIED or self._combined > MOST_COMBINED:
            raise NotExplored
        names = [self._names[place] for place in chosen]
        found: list[int] = []
        for values in product(*tried):
            state = dict(zip(names, values, strict=True))
            for place, (name, code) in later.items():
                value = code.value(here or NOWHERE, state)
                if value is UNDEFINED or isinstance(value, frozenset):
                    raise NotExplored
                if not sorts.contains(self._sorts[place], value):
                    break
                state[name] = value
            else:
                number = self._number(demands, state)
                if accepts(number):
                    found.append(number)
        return tuple(found)

    def _number(self, demands: Demands, chosen: Mapping[str, Value]) -> int:
        """Return the number of the state in which variables have the chosen values."""
        key = tuple([chosen[name] for name in demands.named])
        known = demands.numbers.get(key)
        if known is None and demands.numbers:  # what is computed does not depend on itself
            known = demands.known.get(key)
            if known is not None and not demands.gives(self._values[known]):
                known = None
        if known is None:
            values = State(demands.states.state(chosen, None))
            if not demands.states.is_ordered or any(
                isinstance(code.value(values, NOWHERE), frozenset)
                for _, code in demands.computed.values()
            ):
                raise NotExplored
            known = self._kept(values, is_new=bool(demands.redefined))
        demands.numbers[key] = known
        return known

    def _kept(self, values: State, *, is_new: bool) -> int:
        """Return the number of a state; `is_new`: what others of its variables have may differ."""
        number = len(self._values)
        if number >= self._most:
            raise NotExplored
        if not is_new:
            number = self._numbers.setdefault(tuple([values[n] for n in self._names]), number)
        if number == len(self._values):
            self._values.append(values)
        return number

    def _first(self, demands: Demands) -> tuple[int, ...]:
        """Return the initial states."""
        choices = [*self._domains]
        for computed in demands.computed:
            choices[computed] = ()
        for rule in demands.rules.first:
            place = self._planner.place(rule)
            if place is not None and place not in demands.computed and not rule.code.reads:
                choices[place] = self._allowed(place, rule.code.value(NOWHERE, NOWHERE))
        self._planner.narrow(choices, demands.bodies, {ElementKind.INIT, ElementKind.INVAR})
        asked = [*demands.rules.first, *demands.rules.always]
        values = self._values

        def accepts(number: int) -> bool:
            here = values[number]
            return all(holds(rule, here, NOWHERE, here) for rule in asked)

        return self._numbered(demands, _all_known(choices), accepts)

    def _following(self, demands: Demands) -> Callable[[int], tuple[int, ...]]:
        """Return the function that gives what follows a state, with the demands of a mutant."""
        changed = self._comparison.changed(demands)
        if changed is None:
            return self._following_otherwise(demands)
        if not changed:
            return self._follow_own

        def follow(number: int) -> tuple[int, ...]:
            after = self._follow_own(number)
            before = self._sets[number]
            fresh = [(place, self._next(demands, place, number)) for place in changed]
            if all(before[place] == values for place, values in fresh):
                return after
            choices = [*before]
            for place, values in fresh:
                choices[place] = values
            return self._steps(demands, number, choices)

        return follow

    def _following_otherwise(self, demands: Demands) -> Callable[[int], tuple[int, ...]]:
        """Return the same where others accept steps; what the program accepts is asked no more."""
        own = self._plan
        is_chosen_alike = (own.setting, own.computed.keys(), own.later.keys()) == (
            demands.setting,
            demands.computed.keys(),
            demands.later.keys(),
        )
        before = {id(rule) for rule in (*own.asked, *own.rules.always)}
        added = Accepting(
            [rule for rule in demands.rules.always if id(rule) not in before],
            [rule for rule in demands.asked if id(rule) not in before],
        )

        comparison, values = self._comparison, self._values
        changed = comparison.changed_later(demands, added)

        def follow(number: int) -> tuple[int, ...]:
            after = self._after.get(number)
            if changed and after:
                steps = [(values[number], values[other]) for other in after]
                if comparison.are_alike(changed, self._sets[number], steps):
                    return after
            known = self._sets.get(number) if is_chosen_alike else None
            choices = self._chosen(demands, number) if known is None else known
            accepted = frozenset(self._after.get(number, ()))
            return self._steps(demands, number, choices, added=added, accepted=accepted)

        return follow

    def _follow_own(self, number: int) -> tuple[int, ...]:
        """Return what follows a state in the program itself."""
        if number not in self._after:
            self._sets[number] = self._chosen(self._plan, number)
            self._after[number] = self._steps(self._plan, number, self._sets[number])
        return self._after[number]

    def _chosen(self, demands: Demands, number: int) -> list[tuple[Value, ...]]:
        """Return for each variable the values that it may have after a state."""
        return [self._next(demands, place, number) for place in self._places.values()]

    def _next(self, demands: Demands, place: int, number: int) -> tuple[Value, ...]:
        here = self._values[number]
        if place in demands.computed or place in demands.later:
            return ()
        if place in self._frozen:
            return (here[self._names[place]],)
        rule = demands.setting.get(place)
        if rule is not None:
            return self._allowed(place, rule.code.value(here, NOWHERE))
        values = self._domains[place]
        if values is None:
            raise NotExplored
        return values

    def _steps(
        self,
        demands: Demands,
        number: int,
        choices: Sequence[Sequence[Value]],
        *,
        added: Accepting | None = None,
        accepted: Container[int] = (),
    ) -> tuple[int, ...]:
        """Return the states that combine values and that all rules accept after a state.

        Of those in `accepted` only what is `added` is asked.
        """
        values, rules = self._values, demands.rules
        whole = Accepting(rules.always, demands.asked)

        def accepts(other: int) -> bool:
            asked = whole if added is None or other not in accepted else added
            return asked.accepts(rules, values[number], values[other])

        return self._numbered(demands, choices, accepts, values[number])

    def _allowed(self, place: int, value: Any) -> tuple[Value, ...]:
        """Return the values of a variable that a value, or a set of them, stands for."""
        if value is UNDEFINED:
            raise NotExplored
        values = value if isinstance(value, frozenset) else (value,)
        domain, sort = self._domains[place], self._sorts[place]
        if domain is not None:
            found = self._members.get((place, value))
            if found is None:
                found = self._members[place, value] = tuple([v for v in domain if v in values])
            return found
        return tuple(v for v in sorted(values) if sorts.contains(sort, v))


def explorer(
    evaluator: RelationalEvaluator, names: Container[str], bodies: Bodies
) -> RelationalExplorer | None:
    """Return what explores some variables; None if their states cannot be explored."""
    try:
        return RelationalExplorer(evaluator, names, bodies)
    except (InstantaneousLoop, NotExplored, NumberTooLarge):
        return None


def _all_known(choices: Sequence[tuple[Value, ...] | None]) -> list[tuple[Value, ...]]:
    found = [values for values in choices if values is not None]
    if len(found) < len(choices):
        raise NotExplored
    return found
