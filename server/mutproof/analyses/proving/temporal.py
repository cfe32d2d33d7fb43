"""Decide temporal properties of relational systems, by diagrams first, then by solvers.

Where there are wide numbers, solvers have a short time before diagrams. A failure counts if the
oracle replays its path. What no single path shows, and what holds by diagrams alone, is decided a
second time in new diagrams with another variable order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import DIAGRAMS, Replayed
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.proving import extent
from mutproof.analyses.proving.localised import IN_VAIN, near_answers
from mutproof.analyses.proving.premises import premises
from mutproof.analyses.proving.temporal_answer import TemporalAnswer, judged, stands_alone, turned
from mutproof.analyses.proving.waiting import GIVEN_UP, Waiting
from mutproof.base.budget import Budget, Deadline
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.program import PropertyKind
from mutproof.model.purpose import EVERYTHING, Purpose
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.solving import liveness
from mutproof.solving.account import ACCOUNT
from mutproof.solving.bdd.verdict import (
    BddVerdict,
    Computed,
    Holding,
    Undecided,
    Vacuity,
    Violated,
)
from mutproof.solving.formulas import is_branching
from mutproof.solving.liveness.shortest import shortened
from mutproof.solving.verdict import Unknown

NOT_TWICE = "the diagrams did not give the same answer twice"
_FAIR_PATH = Budget(1_000_000, 2.0)
"""The budget for finding out whether a path is fair."""

KNOWN_S = 2.0
"""Seconds of work for a whole system of which only vacuity is open."""

BRIEF_UNITS, BRIEF_S = 500_000, 0.5
"""What solvers and diagrams may spend at first on each property where numbers are wide."""

LASSO, MOST_STATES, SHORTENING = "lasso", 24, 500_000
"""How short infinite paths are found where those of diagrams are long, up to how many states, and
the solver units that this may cost for a property."""

LARGE = 100
"""From how many elements on a system is not looked at for what a part of it decides."""

_NO_PATH = "no path"
_fair: Memo[bool | None] = Memo(1_000)


class ReplayPart(Protocol):
    """Replay executions of parts of a program."""

    def __call__(
        self,
        choices: Choices,
        how: str,
        *,
        part: TransitionSystem,
        begun: str = "",
        purpose: Purpose = EVERYTHING,
    ) -> Replayed | None:
        """Replay one, found as `how` says; None if it is none. Of `begun` the notary says more."""


def decide(
    system: TransitionSystem,
    names: Sequence[str],
    means: Means,
    run: ReplayPart,
    *,
    take: Callable[[str, TemporalAnswer], None],
    waiting: Waiting | None = None,
    enough: Callable[[], bool] | None = None,
    locally: bool = False,
) -> None:
    """Decide properties of any logic; give each answer to `take` once, in no particular order.

    Where mutants are `waiting` for a limited time, solvers try all that is left soon, first. Of a
    system with too many values for diagrams the rest is left out as soon as there is `enough`.
    With `locally`, small parts of the system are tried first, and again where the whole fails.
    """
    if not names:
        return
    asking = _Asking(system, means, run, take, waiting)
    is_wide = extent.has_wide_numbers(scope(system, names))
    if is_wide:
        names = asking.at_once(names)
        names = asking.soon(names) if names else names
        if not names:
            return
    # Of work: what is decided must not depend on the machine's load.
    seconds = asking.limited().budget.timeout_s
    near = near_answers(system, names, asking.limited(), IN_VAIN) if locally else {}
    if near and len(system.by_owner) >= LARGE and not is_wide:
        names, near = asking.by_parts(names, near), {}
    whole = scope(system, names)
    left = asking.by_diagrams(whole, names, near, seconds)
    names = [*left]
    if locally and names:
        names = asking.by_parts(names, near_answers(system, names, asking.limited()))
    if waiting is not None and waiting.ends and not is_wide:
        names = asking.soon(names)
    if enough is not None and None not in map(extent.count, extent.own_sorts(whole)):
        enough = None  # diagrams have decided what they can, and would be made again for the rest
    asking.to_the_end({name: left[name] for name in names}, enough)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Ways to ask about properties: each gives answers to `take` and returns what stays open."""

    system: TransitionSystem
    means: Means
    run: ReplayPart
    take: Callable[[str, TemporalAnswer], None]
    waiting: Waiting | None

    def limited(self) -> Means:
        """Return means with no more time for one question than mutants wait for."""
        means, waiting = self.means, self.waiting
        return means if waiting is None else replace(means, budget=waiting.limited(means.budget))

    def at_once(self, names: Sequence[str]) -> Sequence[str]:
        """Take what solvers, else diagrams, find at once."""
        budget = Budget(BRIEF_UNITS, BRIEF_S * len(names))
        means = replace(self.means, budget=budget)
        names = decide_by_solver(self.system, names, means, self.run, take=self.take)
        part, seconds = scope(self.system, names), 2 * BRIEF_S
        return [*self._twice(part, _checked(part, names, seconds), seconds)] if names else names

    def soon(self, names: Sequence[str]) -> Sequence[str]:
        """Take what solvers find soon."""
        means = replace(self.means, budget=self.means.small)
        return decide_by_solver(self.system, names, means, self.run, take=self.take)

    def by_parts(self, names: Sequence[str], near: Mapping[str, TemporalAnswer]) -> Sequence[str]:
        """Take what small parts of the system show; what may hold only as no path is fair does."""
        left = list[str]()
        for name in names:
            found = near.get(name)
            part = scope(self.system, (name,))
            is_fair = None if found is None else _fair_path(part, name, self.means)
            if found is None or is_fair is None:
                left.append(name)
            else:
                self._take_near(name, found, is_fair=is_fair)
        return left

    def by_diagrams(
        self,
        part: TransitionSystem,
        names: Sequence[str],
        near: Mapping[str, TemporalAnswer],
        seconds: float,
    ) -> dict[str, str]:
        """Take what diagrams of all that decides properties say; return why others are open.

        What is known from parts `near` only lacks what shows it, and whether it is vacuous.
        """
        if not names:
            return {}
        is_known = len(near) == len(names)
        verdicts = _checked(part, names, min(seconds, KNOWN_S) if is_known else seconds)
        open_near = [name for name in near if isinstance(verdicts[name], Undecided)]
        fair = {name: _fair_path(part, name, self.means) for name in open_near}
        near = {name: found for name, found in near.items() if fair.get(name, True) is not None}
        if is_known and len(near) < len(names):
            verdicts = _checked(part, names, seconds)
        if extent.is_table(part) or _have_large_proof(verdicts):
            verdicts = {name: _unaided(found) for name, found in verdicts.items()}
        for name in [n for n in near if not isinstance(verdicts[n], Violated)]:
            found = _answer_of(part, name, verdicts.pop(name), None, run=self.run)
            known = replace(near[name], shown=found.shown, vacuity=found.vacuity, asked=found.asked)
            self._take_near(name, known, is_fair=fair.get(name, True) is not False)
        return self._twice(part, verdicts, seconds)

    def _take_near(self, name: str, found: TemporalAnswer, *, is_fair: bool) -> None:
        unfair = Vacuity.NO_FAIR_STATE.value
        self.take(name, found if is_fair else replace(found, vacuity=unfair))

    def _twice(
        self, part: TransitionSystem, verdicts: Mapping[str, BddVerdict], seconds: float
    ) -> dict[str, str]:
        """Take what diagrams of a part say, if need be twice; return why others are open."""
        from mutproof.solving.bdd.check import check

        left: dict[str, str] = {}
        alone = {name: found for name, found in verdicts.items() if stands_alone(found)}
        evidence = self.means.notary.twice(
            alone,
            lambda: check(turned(part), tuple(alone), Deadline.after_work(seconds / 2)),
            lambda name: (self.system, name),
        )
        for name, given in verdicts.items():
            self.means.check_cancelled()
            known = evidence.get(name)
            verdict = Undecided(NOT_TWICE) if name in alone and known is None else given
            found = _answer_of(part, name, verdict, known, run=self.run)
            if found.is_open:
                left[name] = found.reason
            else:
                self.take(name, found)
        return left

    def to_the_end(self, left: Mapping[str, str], enough: Callable[[], bool] | None) -> None:
        """Ask solvers about the rest, with all the time there is, until there is `enough`."""
        for name, why in left.items():
            self.means.check_cancelled()
            if enough is not None and enough():
                return
            reason = f"{DIAGRAMS}: {why}"
            if self.waiting is not None and self.waiting.is_over:
                ACCOUNT.note_late()
                self.take(name, TemporalAnswer(reason=f"{reason}; {GIVEN_UP}"))
                continue
            means = self.limited()
            self.take(name, _by_solver(self.system, name, reason, means, run=self.run))


def _checked(part: TransitionSystem, names: Sequence[str], seconds: float) -> dict[str, BddVerdict]:
    """Ask diagrams about properties, for half of so many seconds of work."""
    from mutproof.solving.bdd.check import check  # slow to import; few models need it

    found = check(part, names, Deadline.after_work(seconds / 2), premises(part, names))
    return {name: judged(part.property(name).term, one) for name, one in found.items()}


def decide_by_solver(
    system: TransitionSystem,
    names: Sequence[str],
    means: Means,
    run: ReplayPart,
    *,
    take: Callable[[str, TemporalAnswer], None],
    proofs: Mapping[str, Holds] | None = None,
) -> list[str]:
    """Give the answers of solvers to `take`; return the properties that stay open.

    The time of the budget is for all of them. `proofs` of a similar system are tried first.
    """
    share = means.budget.timeout_s / max(1, len(names))
    means = replace(means, budget=replace(means.budget, timeout_s=share))
    known, left = proofs or {}, list[str]()
    for name in names:
        means.check_cancelled()
        found = _by_solver(system, name, "", means, run=run, similar=known.get(name))
        if found.is_open:
            left.append(name)
        else:
            take(name, found)
    return left


def _have_large_proof(verdicts: Mapping[str, BddVerdict]) -> bool:
    """Tell whether the reachable states make a large invariant, and some verdict has no proof.

    Then not all that is proved could be checked by solvers, and what could would take them long.
    """
    holding = [one for one in verdicts.values() if isinstance(one, Holding)]
    known = next((one.invariant for one in holding if one.invariant is not None), None)
    has_none = any(one.invariant is None for one in holding)
    return known is not None and has_none and walk.size(known) >= extent.LARGE


def _unaided(verdict: BddVerdict) -> BddVerdict:
    """Return a verdict without an invariant that solvers would take long to check."""
    return replace(verdict, invariant=None) if isinstance(verdict, Holding) else verdict


def _answer_of(
    part: TransitionSystem,
    name: str,
    verdict: BddVerdict,
    evidence: Holds | Fails | Computed | None,
    *,
    run: ReplayPart,
) -> TemporalAnswer:
    """Return a verdict of diagrams as an answer, with the evidence if they gave it twice."""
    match verdict:
        case Computed():
            return TemporalAnswer(number=verdict)
        case Undecided(reason):
            return TemporalAnswer(reason=reason)
        case Holding(vacuity=vacuity, witness=witness, invariant=invariant, asked=asked):
            known = evidence if isinstance(evidence, Holds) else None
            why = "" if vacuity is None else vacuity.value
            return TemporalAnswer(known, None, witness, why, invariant=invariant, asked=asked)
        case Violated(trace=trace, evidence=path):
            if path is not None:
                return _replayed(name, path, trace, part, run=run)
            return TemporalAnswer(evidence if isinstance(evidence, Fails) else None, shown=trace)


def _replayed(
    name: str, path: Trace, shown: Trace | None, part: TransitionSystem, *, run: ReplayPart
) -> TemporalAnswer:
    choices = replace(path.choices, loop=path.loop)
    alone = Purpose(goals=frozenset((name,)))
    purpose = alone if part.relational else EVERYTHING  # all its variables are to be shown
    found = run(choices, DIAGRAMS, part=part, purpose=purpose)
    if found is None or name not in found.violated:
        return TemporalAnswer(reason="the counterexample could not be replayed")
    shorter = _shorter(name, path, part, run=run)
    if shorter is not None:
        return shorter
    return TemporalAnswer(
        found.violated[name], shown=shown if shown is not None else found.execution.trace
    )


def _shorter(
    name: str, path: Trace, part: TransitionSystem, *, run: ReplayPart
) -> TemporalAnswer | None:
    """Return a shorter infinite path that solvers find soon: those of diagrams may be long."""
    if path.loop is None or path.length < 2:
        return None
    longest = min(path.length - 1, MOST_STATES)
    part = scope(part, (name,))
    choices = shortened(part, name, longest, SHORTENING).choices
    found = None if choices is None else run(choices, LASSO, part=part, begun=name)
    if found is None or name not in found.violated:
        return None
    return TemporalAnswer(found.violated[name], shown=found.execution.trace)


def _by_solver(
    system: TransitionSystem,
    name: str,
    reason: str,
    means: Means,
    *,
    run: ReplayPart,
    similar: Holds | None = None,
) -> TemporalAnswer:
    """Ask solvers about a property; `reason` tells why others did not decide it.

    They see what decides it: no path returns where a counter that it does not depend on runs on.
    """
    kind = system.property(name).kind
    if kind in {PropertyKind.INVARIANT, PropertyKind.COMPUTE}:
        return TemporalAnswer(reason=reason)
    notary = means.notary
    system = scope(system, (name,))
    about, heed = (system, name, means.budget, means.spacer), means.check_cancelled
    known = None if similar is None else similar.proof
    found = liveness.prove_linear(*about, check=notary.check, heed=heed, known=known)
    match found:
        case liveness.LinearProof():
            why = vacuity_by_solvers(system, name, means)
            evidence = notary.linear(system, name, found, why)
            if evidence is None:
                return TemporalAnswer(reason="the proof could not be checked again")
            return TemporalAnswer(evidence, vacuity=why)
        case liveness.LinearFailure(choices=choices, how=how):
            replayed = run(choices, how, part=system, begun=name)
            if replayed is None or name not in replayed.violated:
                return TemporalAnswer(reason="the counterexample could not be replayed")
            return TemporalAnswer(replayed.violated[name], shown=replayed.execution.trace)
        case Unknown(reason=other):
            return TemporalAnswer(reason=f"{reason}; {other}")


def vacuity_by_solvers(system: TransitionSystem, name: str, means: Means) -> str:
    """Return why a property of paths says nothing, empty where some path is fair or none known."""
    barren = _fair_path(system, name, means) is False
    return Vacuity.NO_FAIR_STATE.value if barren else ""


def _fair_path(system: TransitionSystem, name: str, means: Means) -> bool | None:
    """Tell whether some path is fair, for the logic of a property; None: it is not known.

    It is asked of the cone of influence of fairness and of constraints that may end a path: each
    path of that is one of the whole, and the other way round.
    """
    limits = (
        [] if system.never_blocks else [c.term for c in system.constraints if not c.never_blocks]
    )
    limits += [*system.fairness, *(term for pair in system.compassion for term in pair)]
    if not limits or system.property(name).kind is PropertyKind.INVARIANT:
        return True
    names = slicing.cone_of_terms(system, limits)
    kept = tuple(c for c in system.constraints if walk.variables(c.term) <= names)
    variables = {known: v for known, v in system.variables.items() if known in names}
    kind = PropertyKind.CTL if is_branching(system.property(name)) else PropertyKind.LTL
    part = _denied(replace(system, variables=variables, constraints=kept), kind)
    return _fair.get(part.digest, lambda: _has_fair_path(part, means))


def sought_fair_path(system: TransitionSystem, means: Means) -> Choices | None:
    """Return an infinite path that is fair by COMPASSION too, as solvers find it soon, or None."""
    denied = _denied(system, PropertyKind.LTL)
    found = _asked_for_fair_path(denied, means, to_the_end=True)
    return found.choices if isinstance(found, liveness.LinearFailure) else None


def _denied(system: TransitionSystem, kind: PropertyKind) -> TransitionSystem:
    """Return a system with the property, of linear or branching time, that no path is fair."""
    return replace(system, properties=(SystemProperty(_NO_PATH, terms.FALSE, kind),))


def _asked_for_fair_path(
    denied: TransitionSystem, means: Means, *, to_the_end: bool = False
) -> liveness.LinearVerdict:
    about = denied, _NO_PATH, _FAIR_PATH, means.spacer
    return liveness.prove_linear(*about, to_the_end=to_the_end)


def _has_fair_path(denied: TransitionSystem, means: Means) -> bool | None:
    """Tell whether a path is fair, by solvers or else by diagrams; None: it is not known."""
    from mutproof.solving.bdd.check import check

    found = _asked_for_fair_path(denied, means)
    if not isinstance(found, Unknown):
        return isinstance(found, liveness.LinearFailure)
    match check(denied, (_NO_PATH,), Deadline.after_work(_FAIR_PATH.timeout_s))[_NO_PATH]:
        case Holding():
            return False
        case Violated():
            return True
        case _:
            return None
