"""Decide a property of paths by safety proofs and by a search for lassos, in turns.

Each turn costs more than the last. A proof is a certificate of a safety property of a product
(`product`), which anybody can check again; a failure is an execution that was evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from typing import TypeAlias, assert_never

from mutproof.base.budget import Budget, Deadline
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import linear, terms, walk
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving import certify, completion, continuation, portfolio
from mutproof.solving.account import ACCOUNT
from mutproof.solving.certify import Check
from mutproof.solving.formulas import is_branching
from mutproof.solving.liveness import invariants, lasso, product, universal
from mutproof.solving.liveness.product import Goal, TableauProduct
from mutproof.solving.liveness.verdict import LinearFailure, LinearProof, LinearVerdict, Way
from mutproof.solving.obligation import Obligation
from mutproof.solving.solver import SolvingError
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proved, Refuted, Unknown

ROUNDS = (
    (500_000, 1.0),
    (1_000_000, 2.0),
    (4_000_000, 6.0),
    (16_000_000, 20.0),
    (64_000_000, 60.0),
    (256_000_000, 240.0),
)
"""Limits of each turn: solver units, and seconds as a backstop."""

SHARES = {"safety": 2, "lassos": 3}
"""The shares of a round of attempts that have more than one, as a failure ends all others."""

COUNTS = (0, 1, 2, 4, 8, 16, 32, 64)
"""The bounds on recurrences that are tried one after the other."""

COUNTS_EACH_TURN = 3

CHEAP = 8
"""The share of a turn's units, as a divisor, that is charged for a refuted goal."""

FIRST_LASSOS = 10
"""The most states of a lasso in the first turn."""

_known: Memo[bool] = Memo(64)


def prove_linear(
    system: TransitionSystem,
    name: str,
    budget: Budget,
    spacer: SpacerProcess | None = None,
    *,
    check: Check = certify.certify,
    heed: Callable[[], None] | None = None,
    to_the_end: bool = False,
    known: LinearProof | None = None,
) -> LinearVerdict:
    """Decide whether a property holds on all infinite fair paths from initial states.

    It is of linear time, or of branching time with the same meaning (`universal`). `heed` raises
    when the answer is no longer wanted. With `to_the_end`, only a whole path shows a failure, not
    the beginning of one that is known to go on fairly. `known` proves it of a similar system: its
    certificate is tried first.

    Raises:
        KeyError: the system has no property of that name.
    """
    stated = system.property(name)
    formula = universal.linear_form(system, stated)
    if formula is None:
        return Unknown("it speaks of more than single paths", 0)
    if is_branching(stated):
        # COMPASSION does not count for branching time (NuSMV 2.6 user manual, section 2.3.10).
        system = replace(system, compassion=())
    own = spacer or SpacerProcess()
    try:
        deadline = Deadline.after(budget.timeout_s)
        question = _Question(system, stated, formula, deadline, own, check, heed, to_the_end)
        return question.decide(budget, known)
    except SolvingError as error:
        return Unknown(str(error), 0)
    finally:
        if spacer is None:
            own.close()


@dataclass(frozen=True, slots=True)
class _Turn:
    """Hold the limits of one attempt: solver units and a deadline."""

    rlimit: int
    deadline: Deadline


Attempt: TypeAlias = Iterator["LinearProof | LinearFailure | None"]


@dataclass(slots=True)
class _Question:
    """Hold one property and what is known about it; mutable."""

    system: TransitionSystem
    stated: SystemProperty
    formula: Term
    deadline: Deadline
    spacer: SpacerProcess
    check: Check
    heed: Callable[[], None] | None = None
    to_the_end: bool = False
    turn: _Turn = field(default_factory=lambda: _Turn(0, Deadline.never()))
    spent: int = 0
    lemmas: tuple[Term, ...] = ()
    depth: int = 0
    reasons: dict[str, str] = field(default_factory=dict)

    def decide(self, budget: Budget, known: LinearProof | None = None) -> LinearVerdict:
        """Let the attempts take turns until one decides, after what proves a similar system."""
        denied = product.product(self.system, terms.not_(self.formula))
        if known is not None:
            rlimit, seconds = ROUNDS[0]
            self.turn = _Turn(rlimit, self.deadline.within(seconds))
            same = self._as_known(denied, known)
            if same is not None:
                return same
        attempts: list[tuple[str, Attempt]] = [
            ("safety", self._safety(denied)),
            ("lassos", self._lassos(denied)),
            ("counting", self._counting(denied)),
            ("decreasing", self._repeated(denied, Way.DECREASING)),
            ("returning", self._repeated(denied, Way.RETURNING)),
        ]
        for rlimit, seconds in ROUNDS:
            for entry in tuple(attempts):
                if self.heed is not None:
                    self.heed()
                left = self.deadline.remaining_s()
                if left <= 0:
                    ACCOUNT.note_late()
                    return self._unknown("out of time")
                if self.spent >= budget.rlimit > 0:
                    return self._unknown("out of solver units")
                key, attempt = entry
                share = SHARES.get(key, 1)
                limit = rlimit * share
                if budget.rlimit:
                    limit = min(limit, budget.rlimit - self.spent)
                self.turn = _Turn(limit, Deadline.after(min(seconds * share, left)))
                try:
                    found = next(attempt)
                except StopIteration:
                    attempts.remove(entry)
                    continue
                except SolvingError as error:
                    self.reasons[key] = str(error)
                    attempts.remove(entry)
                    continue
                if found is not None:
                    return found
        return self._unknown("no attempt is left")

    def _unknown(self, reason: str) -> Unknown:
        more = [f"{name}: {why}" for name, why in sorted(self.reasons.items()) if why]
        return Unknown("; ".join([reason, *more]), self.depth)

    # --- attempts, each of which yields None at the end of its turn ---------------------------

    def _safety(self, denied: TableauProduct) -> Attempt:
        """Try the ways for safety: an invariant, an impossible denial, a safety goal."""
        for way in (Way.INVARIANT, Way.IMPOSSIBLE, Way.SAFETY):
            goal = self._goal(denied, way)
            while goal is not None:
                found = self._proved(goal, way)
                if isinstance(found, LinearProof):
                    yield found
                    return
                if isinstance(found, Refuted):
                    brief = way is not Way.IMPOSSIBLE and not self.to_the_end
                    if brief and _goes_on(self.system):
                        yield _beginning(self.system, found)
                    break
                yield None

    def _counting(self, denied: TableauProduct) -> Attempt:
        """Prove, for growing k, that the condition that must recur holds at most k times."""
        for number, most in enumerate(COUNTS):
            goal = product.counted(denied, self.stated.name, most)
            while True:
                found = self._proved(goal, Way.COUNTING, most)
                if isinstance(found, LinearProof):
                    yield found
                    return
                if isinstance(found, Refuted) and (number + 1) % COUNTS_EACH_TURN:
                    break
                yield None
                if isinstance(found, Refuted):
                    break

    def _repeated(self, denied: TableauProduct, way: Way) -> Attempt:
        """Try the goal of a way until it is decided."""
        goal = self._goal(denied, way)
        while goal is not None:
            found = self._proved(goal, way)
            if isinstance(found, LinearProof):
                yield found
            if found is not None:
                return
            yield None

    def _lassos(self, denied: TableauProduct) -> Attempt:
        """Search for a lasso on which the formula fails; each turn is twice as long as the last."""
        search = lasso.LassoSearch(denied)
        longest = FIRST_LASSOS
        while not search.stuck:
            found = search.search(longest, self.turn.rlimit, self.turn.deadline)
            self.depth = max(self.depth, search.depth)
            self.spent += search.cost
            if found is not None:
                trace = lasso.shown(self.system, found)
                if self._denies(trace):
                    yield LinearFailure(trace.choices, trace)
                self.reasons["lassos"] = "the path found does not deny the property"
                return
            if search.ended:
                goal, certificate = product.ending(denied, self.stated.name, search.ended)
                name, most = self.stated.name, search.ended
                tried = LinearProof(goal.whole, name, certificate, None, Way.ENDING, most)
                proof = self._certified(goal, tried)
                if proof is not None:
                    yield proof
            yield None
            longest *= 2
        self.reasons["lassos"] = search.stuck

    # --- private ------------------------------------------------------------------------------

    def _denies(self, trace: Trace) -> bool:
        try:
            return lasso.denies(self.system, self.formula, trace)
        except (ArithmeticError, linear.TooFar):
            return False

    def _as_known(self, denied: TableauProduct, known: LinearProof) -> LinearProof | None:
        """Return the proof of a similar system if it is one of this."""
        made, goal = known.certificate, self._goal(denied, known.way)
        match known.way:
            case Way.COUNTING:
                goal = product.counted(denied, self.stated.name, known.most)
            case Way.ENDING:
                goal, made = product.ending(denied, self.stated.name, known.most)
            case _:
                pass
        if goal is None or known.goal not in {stated.name for stated in goal.whole.properties}:
            return None
        if not all(walk.variables(t) <= goal.whole.variables.keys() for t in made.lemmas):
            return None
        return self._certified(goal, replace(known, certificate=made))

    def _certified(self, goal: Goal, tried: LinearProof) -> LinearProof | None:
        """Return the proof of a goal by a certificate; None if the check does not confirm it."""
        made = tried.certificate
        budget = Budget(self.turn.rlimit, max(0.1, self.turn.deadline.remaining_s()))
        support = certify.support_of(goal.whole, made, budget)
        if support is None:
            return None
        reduced = Certificate(made.k, support.lemmas, made.goals)
        if not self.check(goal.whole, reduced, budget, owners=support.owners).ok:
            return None
        return replace(tried, system=goal.whole, certificate=reduced, rests_on=support.owners)

    def _goal(self, denied: TableauProduct, way: Way) -> Goal | None:
        """Return the goal of a way of proving; None if it does not apply."""
        name = self.stated.name
        match way:
            case Way.INVARIANT:
                return invariants.goal(self.system, name)
            case Way.IMPOSSIBLE:
                return product.impossible(denied, name)
            case Way.SAFETY:
                return product.settled(denied, name)
            case Way.DECREASING:
                return product.decreasing(denied, name)
            case Way.RETURNING:
                return product.returning(denied, name)
            case Way.COUNTING | Way.ENDING:  # for growing numbers
                return None
            case _:
                assert_never(way)

    def _proved(self, goal: Goal, way: Way, most: int = 0) -> LinearProof | Refuted | None:
        """Ask about the part of the product; the whole, if the rest may exclude refutations."""
        for system in (goal.part, goal.whole):
            budget = Budget(self.turn.rlimit, max(0.1, self.turn.deadline.remaining_s()))
            options = portfolio.PortfolioOptions(
                advice=self.lemmas,
                smooth=False,
                spacer=self.spacer,
                heed=self.heed,
                check=self.check,
            )
            question = Obligation(system, tuple(stated.name for stated in system.properties))
            outcome = portfolio.prove_obligation(question, budget, options)
            self.lemmas = tuple(dict.fromkeys((*self.lemmas, *outcome.lemmas)))
            for name, verdict in outcome.verdicts.items():
                if isinstance(verdict, Proved):
                    certificate, core = verdict.certificate, verdict.core
                    return LinearProof(goal.whole, name, certificate, core, way, most)
            self.spent += budget.rlimit
            refuted = [v for v in outcome.verdicts.values() if isinstance(v, Refuted)]
            if len(refuted) < len(outcome.verdicts):
                return None
            # A refutation usually costs a small part of the budget.
            self.spent -= budget.rlimit - budget.rlimit // CHEAP
            if not completion.restricts_more(goal.whole, goal.part):
                break
        return refuted[-1]


def _goes_on(system: TransitionSystem) -> bool:
    return system.goes_on or _known.get(system.digest, lambda: continuation.goes_on(system))


def _beginning(system: TransitionSystem, found: Refuted) -> LinearFailure:
    """Return an execution of a product that leaves its goal as one of the system."""
    names = system.variables.keys()
    steps = tuple({n: v for n, v in step.items() if n in names} for step in found.choices.steps)
    choices = Choices(steps)
    return LinearFailure(choices, Trace(choices, steps, None), found.engine)
