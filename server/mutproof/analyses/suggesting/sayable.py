"""What can be said of a component, and what it takes to read that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from enum import Enum
from fractions import Fraction
from typing import Final

from mutproof.analyses.suggesting.branches import SaidCase, subject_of
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.definitions import Restating
from mutproof.analyses.suggesting.relations import COMPARED
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import IntSort, RealSort, Value
from mutproof.model.terms import Term

CONDITION_COST: Final = 0.6
EASY_CONDITIONS: Final = 2
MANY_COST: Final = 0.8
"""The extra cost of each condition beyond those that are easy to read."""

STRANGE_COST: Final = 0.4
"""The extra cost of a condition that does not occur in the model."""

WONDER_COST: Final = 0.9
"""The extra cost of what readers would wonder about."""

COPY_SHARE: Final = 1.6
"""The factor on the cost of what only restates a case of an equation or an initial value."""

LATER_COST: Final = 0.3
HIDDEN_COST: Final = 0.5
BOUND_COST: Final = 0.4
_CLAIM_COST: Final = {Op.EQ: 0.0, Op.VAR: 0.0, Op.NOT: 0.0, Op.NE: 0.5}


class Resort(Enum):
    """Rank kinds of conjectures: each is tried only on gaps that no kind before it notices."""

    FIRST = 0
    CASE = 1  # repeats a case of an equation, or is harder to read
    LAST = 2  # repeats a definition or a whole equation
    ODD = 3  # relates variables as nothing in the model does


@dataclass(frozen=True, slots=True)
class SayableTerms:
    """Hold the conditions, and the claims about each stream, the most readable ones first.

    `hidden` are variables that are not part of the interface. Claims of a `relational` program
    speak of the next step; those of others, of the previous step. `branches` are the cases of the
    equations; `familiar` terms, or their negations, occur in them. `last_resorts` are claims for
    gaps that no other one notices. `measures` are the variables with the numbers that the model
    compares with, adds to or assigns to them; `compared` are those that it compares, and `paired`
    the pairs of numeric variables that it has together. `restating` tells what only restates a
    definition. `causes` are the variables that each one depends on.
    """

    component: str
    conditions: tuple[Term, ...]
    claims: tuple[Term, ...]
    hidden: frozenset[str]
    relational: bool = False
    branches: tuple[SaidCase, ...] = ()
    familiar: frozenset[Term] = frozenset()
    measures: frozenset[tuple[str, Value]] = frozenset()
    compared: frozenset[tuple[str, Value]] = frozenset()
    last_resorts: tuple[Term, ...] = ()
    restating: Restating = field(default_factory=Restating)
    causes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    paired: frozenset[frozenset[str]] = frozenset()

    def is_picked(self, condition: Term) -> bool:
        """Tell whether a condition has a number that the model compares with nothing in it."""
        numbers = [side.payload for side in condition.args if side.op is Op.CONST]
        is_number = condition.op is Op.EQ and all(isinstance(n, int | Fraction) for n in numbers)
        if not is_number or condition in self.familiar or bool in map(type, numbers):
            return False
        named = walk.variables(condition)
        return any(all((name, n) not in self.compared for name in named) for n in numbers)

    def is_backwards(self, condition: Term, claim: Term) -> bool:
        """Tell whether a condition is an effect of what is claimed, not a cause of it."""
        about = walk.variables(subject_of(claim))
        known = frozenset().union(*(self.causes.get(name, frozenset()) for name in about))
        return any(
            name not in known | about and not about.isdisjoint(self.causes.get(name, frozenset()))
            for name in walk.variables(condition)
        )

    def is_foreign(self, claim: Term) -> bool:
        """Tell whether a claim excludes one number, or relates two as nothing in the model does."""
        if claim in self.familiar or len(claim.args) != 2:
            return False
        left, right = (walk.variables(side) for side in claim.args)
        if not isinstance(claim.args[0].sort, IntSort | RealSort) or left & right:
            return False
        if claim.op is Op.NE or not right:
            return claim.op is Op.NE
        return not any(frozenset({one, other}) in self.paired for one in left for other in right)

    def is_proxy(self, condition: Term, claim: Term) -> bool:
        """Tell whether a condition names a variable that neither causes nor follows from a claim's.

        Both may follow from a third one, which would say more.
        """
        about = walk.variables(subject_of(claim))
        known = about.union(*(self.causes.get(name, frozenset()) for name in about))
        return known != about and any(
            name not in known and about.isdisjoint(self.causes.get(name, frozenset()))
            for name in walk.variables(condition)
        )

    def is_strange(self, term: Term) -> bool:
        """Tell whether a comparison has no visible origin in the model.

        It has a number that the model uses with other variables only, or compares two Boolean
        values that the model does not relate.
        """
        compared = term.args[0] if term.op is Op.NOT else term
        if term in self.familiar or compared.op not in COMPARED:
            return False
        if compared.args[0].sort == sorts.BOOL:
            return all(side.op is Op.VAR for side in compared.args)
        numbers = [side.payload for side in compared.args if side.op is Op.CONST]
        named = walk.variables(compared)
        return any(
            isinstance(number, int | Fraction)
            and number != 0
            and not any((name, number) in self.measures for name in named)
            for number in numbers
        )


def is_far_fetched(term: Term) -> bool:
    """Tell whether a term refers to a step more than one away."""
    shifted = (part for part in walk.subterms(term) if part.op in {Op.PRE, Op.NEXT})
    return any(
        inner.op in {Op.PRE, Op.NEXT} for part in shifted for inner in walk.subterms(part.args[0])
    )


@dataclass(frozen=True)
class Reading:
    """Tell how well a reader of the model would understand conjectures in its words; has a memo."""

    words: SayableTerms

    def judged(self, conjecture: Conjecture) -> tuple[Conjecture, float, Resort]:
        """Return a conjecture marked if it restates an element or is odd, its cost and resort."""
        wonders, is_case = self.wonders(conjecture), self.words.restating.is_case(conjecture)
        is_last = self.words.restating.defined(conjecture)
        resort = Resort.LAST if is_last else self.resort(conjecture)
        restates = is_case or is_last or self.words.restating.demanded(conjecture)
        odd = not restates and (wonders > 0 or resort is Resort.ODD)
        marked = replace(conjecture, restates=restates, odd=odd)
        return marked, self._cost(conjecture, wonders), resort

    def resort(self, conjecture: Conjecture) -> Resort:
        """Return the resort of a conjecture that says less than a definition."""
        words, said = self.words, (*conjecture.conditions, conjecture.claim)
        if conjecture.claim in words.last_resorts or any(map(is_far_fetched, said)):
            return Resort.ODD
        if any(map(self._is_other, conjecture.conditions)) or words.is_foreign(conjecture.claim):
            return Resort.ODD
        if len(conjecture.conditions) > EASY_CONDITIONS or words.restating.is_case(conjecture):
            return Resort.CASE
        return Resort.CASE if self.wonders(conjecture) else Resort.FIRST

    def _cost(self, conjecture: Conjecture, wonders: int) -> float:
        words, said = self.words, (*conjecture.conditions, conjecture.claim)
        hidden = {name for term in said for name in walk.variables(term)} & words.hidden
        cost = 1.0 + CONDITION_COST * len(conjecture.conditions)
        cost += MANY_COST * max(0, len(conjecture.conditions) - EASY_CONDITIONS)
        cost += STRANGE_COST * sum(one not in words.familiar for one in conjecture.conditions)
        cost += _CLAIM_COST.get(conjecture.claim.op, BOUND_COST)
        cost += HIDDEN_COST * len(hidden)
        cost += WONDER_COST * wonders
        if conjecture.claim not in words.familiar and len(walk.variables(conjecture.claim)) > 1:
            cost += STRANGE_COST
        cost += LATER_COST if conjecture.when is not When.ALWAYS else 0.0
        return cost * (COPY_SHARE if self._copies(conjecture) else 1.0)

    def wonders(self, conjecture: Conjecture) -> int:
        """Return how many things in a conjecture readers would wonder about.

        These are comparisons without an origin in the model, numbers picked by chance or excluded,
        conditions that do not cause what is claimed, two conditions on one thing that only a name
        tells apart, and conditions on the first step. A Boolean value, or one of an enumeration,
        may be told from another by few conditions: both are known by name.
        """
        words, claim, conditions = self.words, conjecture.claim, conjecture.conditions
        is_long = len(conditions) > EASY_CONDITIONS
        found = sum(map(words.is_strange, (*conditions, claim)))
        found += sum(
            words.is_picked(one)
            or words.is_backwards(one, claim)
            or ((is_long or _is_of_numbers(one)) and words.is_proxy(one, claim))
            or (len(conditions) > 1 and _is_excluding(one))
            for one in conditions
        )
        found += len(words.restating.spelled(conditions)) < len(conditions)
        return found + (conjecture.when is When.FIRST and bool(conditions))

    def _is_other(self, condition: Term) -> bool:
        """Tell whether a condition compares numbers as nothing in the model does."""
        if condition in self.words.familiar or not _is_of_numbers(condition):
            return False
        return condition.op is Op.NE or all(side.op is not Op.CONST for side in condition.args)

    def _copies(self, conjecture: Conjecture) -> bool:
        """Tell whether a case of an equation, or an initial value, claims as much or more."""
        if conjecture.when is When.FIRST and not conjecture.conditions:
            return True
        own, implying = conjecture.conditions, self.words.restating.implying
        cases = self._cases.get(subject_of(conjecture.claim), ())
        return any(all(implying.any(own, one) for one in case) for case in cases)

    @cached_property
    def _cases(self) -> Mapping[Term, list[tuple[Term, ...]]]:
        """Return the conditions of the equations' cases, by the subject of their claims."""
        found: dict[Term, list[tuple[Term, ...]]] = {}
        for case in self.words.branches:
            if case.conditions or not case.restates:
                found.setdefault(subject_of(case.claim), []).append(case.conditions)
        return found


def _is_excluding(condition: Term) -> bool:
    """Tell whether a condition excludes one number."""
    is_of_one = condition.op is Op.NE and condition.args[1].op is Op.CONST
    return is_of_one and _is_of_numbers(condition)


def _is_of_numbers(condition: Term) -> bool:
    return bool(condition.args) and isinstance(condition.args[0].sort, IntSort | RealSort)
