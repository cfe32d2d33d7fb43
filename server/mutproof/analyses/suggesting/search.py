"""Search for conjectures that agree with all seen executions of the model and notice most gaps.

Everything here is computed on bits of columns: nothing is proved. The smallest sets of conditions
are tried first, so that a conjecture has no condition that the executions seen do not require.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice
from typing import Final

from mutproof.analyses.suggesting.branches import SaidCase, remembers
from mutproof.analyses.suggesting.columns import Rows
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.sayable import WONDER_COST, Reading, Resort, SayableTerms
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.terms import Term

MOST_PAIRED: Final = 90
"""How many conditions of one claim are tried in pairs."""

MOST_IN_THREES: Final = 40
"""How many are tried in threes, where no pair suffices."""

MOST_OF_A_CLAIM: Final = 12
"""How many conjectures of one claim are kept."""

BRANCH_SHARE: Final = 0.6
"""The factor on the cost of a case of an equation with fewer conditions."""

MOST_OF_A_BRANCH: Final = 4
"""The most conditions of a case that needs all of them."""


@dataclass(frozen=True, slots=True)
class Scored:
    """Hold a conjecture, the gaps it notices, and its reading cost.

    If others notice a gap, none of a later `resort` is sought for it.
    """

    conjecture: Conjecture
    kills: frozenset[str]
    cost: float
    resort: Resort = Resort.FIRST

    @property
    def worth(self) -> float:
        """Return the number of gaps noticed per reading cost."""
        return len(self.kills) / self.cost


@dataclass(frozen=True, slots=True)
class _Condition:
    """Hold a condition, and the steps of the model and of mutants in which it holds."""

    term: Term
    model: int
    mutants: int


@dataclass(frozen=True, slots=True)
class _ClaimSteps:
    """Hold the steps of the model and of mutants that a claim is about."""

    when: When
    model: int
    mutants: int
    usable: tuple[_Condition, ...]


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Hold the steps in which a claim fails: in the model (excluded) and in mutants (wanted)."""

    model: int
    mutants: int


@dataclass(frozen=True, slots=True)
class Seen:
    """Hold what was seen of the model, and of the mutants of gaps."""

    model: Rows
    mutants: Rows


@dataclass(frozen=True)
class ConjectureSearch:
    """Look for conjectures over terms of a component that agree with what was seen; has a memo."""

    words: SayableTerms
    seen: Seen
    check_cancelled: Callable[[], None]
    _judged: dict[Conjecture, Scored] = field(default_factory=dict)
    _resorts: dict[Conjecture, Resort] = field(default_factory=dict)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.words)

    def conjectures(
        self,
        gaps: Mapping[str, int],
        refused: Collection[Conjecture],
        *,
        resort: Resort = Resort.FIRST,
        of_a_claim: int = MOST_OF_A_CLAIM,
    ) -> list[Scored]:
        """Return conjectures, best first, without those that were `refused`.

        `gaps` maps the name of each mutant to be noticed to its steps, as a set of bits. They
        are all of one `resort`.
        """
        found: list[Scored] = []
        open_steps = 0
        for rows in gaps.values():
            open_steps |= rows
        for when in When:
            scope = self._scope(when, open_steps)
            if scope is None:
                continue
            for branch in self.words.branches:
                self.check_cancelled()
                if when in _times(branch) and (resort is Resort.LAST or not branch.restates):
                    own = self._of_branch(branch, scope, gaps, refused, resort=resort)
                    found += (one for one in own if one.resort is resort)
            last = self.words.last_resorts if resort is Resort.ODD else ()
            for claim in (*last, *self.words.claims):
                self.check_cancelled()
                if when is When.LATER or not remembers(claim):
                    own = self._of_claim(claim, scope, gaps, refused, resort=resort)
                    wanted = (one for one in own if one.resort is resort)
                    found += islice(wanted, of_a_claim)
        found.sort(key=lambda one: (-one.worth, one.cost))
        return list({one.conjecture: one for one in reversed(found)}.values())[::-1]

    def _scope(self, when: When, open_steps: int) -> _ClaimSteps | None:
        """Return the steps that claims can be about, None if no gap could be noticed there."""
        relational = self.words.relational
        model = _within(when, self.seen.model, relational=relational)
        mutants = _within(when, self.seen.mutants, relational=relational) & open_steps
        if not model or not mutants or (relational and when is When.FIRST):
            return None
        scope = _ClaimSteps(when, model, mutants, ())
        conditions = (
            self._condition(term, scope)
            for term in self.words.conditions
            if when is When.LATER or not remembers(term)
        )
        usable = tuple(c for c in conditions if c.model and c.model != model)
        return replace(scope, usable=usable)

    def _condition(self, term: Term, scope: _ClaimSteps) -> _Condition:
        model, mutants = self.seen.model.holds, self.seen.mutants.holds
        return _Condition(term, model.get(term, 0) & scope.model, mutants.get(term, 0))

    def _wrong(self, claim: Term, scope: _ClaimSteps) -> _Wrong:
        return _Wrong(
            scope.model & ~self.seen.model.holds.get(claim, 0),
            scope.mutants & ~self.seen.mutants.holds.get(claim, 0),
        )

    def _of_branch(
        self,
        branch: SaidCase,
        scope: _ClaimSteps,
        gaps: Mapping[str, int],
        refused: Collection[Conjecture],
        *,
        resort: Resort,
    ) -> Iterator[Scored]:
        """Yield the claim of a branch, under as few of its conditions as suffice."""
        own = [self._condition(term, scope) for term in branch.conditions]
        wrong = self._wrong(branch.claim, scope)
        if not wrong.mutants or not all(condition.model for condition in own):
            return  # it occurred in no execution
        usable = tuple(condition for condition in own if condition.model != scope.model)
        chosen = list(_conditions(branch.claim, replace(scope, usable=usable), wrong, own=True))
        if not chosen and len(usable) <= MOST_OF_A_BRANCH:
            chosen = [usable]
        for those in chosen:
            only = None if branch.restates else resort
            one = self._scored(branch.claim, those, scope, gaps, only=only)
            if one is not None and one.conjecture not in refused:
                is_less = len(one.conjecture.conditions) < len(own)
                restates = branch.restates or one.conjecture.restates
                odd = one.conjecture.odd and not restates
                conjecture = replace(one.conjecture, restates=restates, odd=odd)
                cost = one.cost * (BRANCH_SHARE if is_less else 1.0)
                yield Scored(
                    conjecture, one.kills, cost, Resort.LAST if branch.restates else one.resort
                )

    def _of_claim(
        self,
        claim: Term,
        scope: _ClaimSteps,
        gaps: Mapping[str, int],
        refused: Collection[Conjecture],
        *,
        resort: Resort,
    ) -> Iterator[Scored]:
        wrong = self._wrong(claim, scope)
        again = {
            one.conditions for one in self.words.branches if one.restates and one.claim is claim
        }
        for chosen in _conditions(claim, scope, wrong) if wrong.mutants else ():
            one = self._scored(claim, chosen, scope, gaps, only=resort)
            if one is None or one.conjecture in refused or one.conjecture.conditions in again:
                continue
            yield one

    def _scored(
        self,
        claim: Term,
        chosen: tuple[_Condition, ...],
        scope: _ClaimSteps,
        gaps: Mapping[str, int],
        *,
        only: Resort | None,
    ) -> Scored | None:
        """Return a claim under conditions with its score, None if the model contradicts it.

        Those that are known not to be of the `only` resort that is sought get none either.
        """
        wrong = self._wrong(claim, scope)
        fails, steps = wrong.model, wrong.mutants
        for condition in chosen:
            fails &= condition.model
            steps &= condition.mutants
        if fails or not steps:
            return None
        is_odd = self._is_roundabout(claim, chosen, scope)
        if is_odd and only not in {None, Resort.ODD}:
            return None
        said = self.words.restating.implying.simplified(tuple(one.term for one in chosen))
        conjecture = Conjecture(self.words.component, said, _valued(claim, said), scope.when)
        if not is_odd and not self._may_be(conjecture, only):
            return None
        kills = frozenset(name for name, rows in gaps.items() if rows & steps)
        if conjecture not in self._judged:
            marked, cost, resort = self._reading.judged(conjecture)
            self._judged[conjecture] = Scored(marked, kills, cost, resort)
        one = replace(self._judged[conjecture], kills=kills)
        if is_odd:
            odd = replace(one.conjecture, odd=True)
            return replace(one, conjecture=odd, cost=one.cost + WONDER_COST, resort=Resort.ODD)
        return one

    def _may_be(self, conjecture: Conjecture, resort: Resort | None) -> bool:
        """Tell whether a conjecture may be of a resort; whether it says a definition costs most."""
        if resort is None or resort is Resort.LAST:
            return True
        if conjecture not in self._resorts:
            self._resorts[conjecture] = self._reading.resort(conjecture)
        return self._resorts[conjecture] is resort

    def _is_roundabout(
        self, claim: Term, chosen: tuple[_Condition, ...], scope: _ClaimSteps
    ) -> bool:
        """Tell whether a claim equates a Boolean that had only one value in the claim's steps."""
        if claim.op is not Op.EQ or claim.args[0].sort != sorts.BOOL:
            return False
        held = scope.model
        for condition in chosen:
            held &= condition.model
        return self.seen.model.holds.get(claim.args[0], 0) & held in {0, held}


def _times(branch: SaidCase) -> tuple[When, ...]:
    """Return the steps that a branch may claim of: all of them, too, if it reads one step only."""
    if branch.when is When.LATER and not any(map(remembers, (*branch.conditions, branch.claim))):
        return When.ALWAYS, When.LATER
    return (branch.when,)


def noticed(conjecture: Conjecture, rows: Rows, *, relational: bool) -> int:
    """Return the steps in which a conjecture does not hold."""
    found = _within(conjecture.when, rows, relational=relational)
    for condition in conjecture.conditions:
        found &= rows.holds.get(condition, 0)
    return found & ~rows.holds.get(conjecture.claim, 0)


def _within(when: When, rows: Rows, *, relational: bool) -> int:
    match when:
        case When.ALWAYS:
            return rows.all
        case When.FIRST:
            return rows.first
        case When.LATER:
            return rows.all & ~(rows.last if relational else rows.first)


def _conditions(
    claim: Term, scope: _ClaimSteps, wrong: _Wrong, *, own: bool = False
) -> Iterator[tuple[_Condition, ...]]:
    """Yield smallest sets of conditions under which a claim never failed in the model.

    With `own` they are those of a branch, which says itself for which steps it is meant.
    """
    fails, noticed = wrong.model, wrong.mutants
    apt = [c for c in scope.usable if c.mutants & noticed and not _restates(c.term, claim)]
    # A claim for later steps must read another step, in its claim or a condition.
    any_will_do = own or scope.when is not When.LATER or remembers(claim)
    if not fails:
        yield from ((),) if any_will_do else ()
        return
    found = False
    for condition in apt:
        if not condition.model & fails and (any_will_do or remembers(condition.term)):
            found = True
            yield (condition,)
    helpful = [c for c in apt if c.model & fails and c.model & fails != fails][:MOST_PAIRED]
    for pair in _pairs(fails, noticed, helpful):
        if any_will_do or any(remembers(c.term) for c in pair):
            found = True
            yield pair
    if not found and any_will_do:  # larger sets are hard to read
        yield from _triples(fails, noticed, helpful[:MOST_IN_THREES])


def _pairs(fails: int, noticed: int, helpful: list[_Condition]) -> Iterator[tuple[_Condition, ...]]:
    """Yield pairs of conditions under which a claim never fails and notices something."""
    for number, one in enumerate(helpful):
        left, seen = one.model & fails, one.mutants & noticed
        for other in helpful[number + 1 :]:
            if not left & other.model and seen & other.mutants and one.model & other.model:
                yield one, other


def _triples(
    fails: int, noticed: int, helpful: list[_Condition]
) -> Iterator[tuple[_Condition, ...]]:
    for number, one in enumerate(helpful):
        left, seen = one.model & fails, one.mutants & noticed
        rest = [c for c in helpful[number + 1 :] if seen & c.mutants and one.model & c.model]
        for pair in _pairs(left, seen, rest):
            if one.model & pair[0].model & pair[1].model:
                yield (one, *pair)


def _restates(condition: Term, claim: Term) -> bool:
    """Tell whether a condition and a claim compare the same two terms."""
    one = condition.args[0] if condition.op is Op.NOT else condition
    other = claim.args[0] if claim.op is Op.NOT else claim
    return (bool(one.args) and set(one.args) == set(other.args)) or one is other


def _valued(claim: Term, conditions: Collection[Term]) -> Term:
    """Return a claim `x = previous x` with a constant for the latter where a condition gives it."""
    if claim.op is not Op.EQ or claim.args[0].sort == sorts.BOOL:
        return claim
    for one, other in (claim.args, claim.args[::-1]):
        if other.op is Op.PRE or one.op is Op.NEXT:
            for condition in conditions:
                value = condition.args[-1:]
                if condition.op is Op.EQ and condition.args[0] is other and value[0].op is Op.CONST:
                    return terms.eq(one, value[0])
    return claim
