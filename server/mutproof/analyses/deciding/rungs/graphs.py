"""Properties of models with few states, by the graphs of mutants.

A path that shows a failure is replayed, as always. All else is decided a second time, on the states
that the oracle finds; where it finds them not, by diagrams, which have nothing in common with
graphs of states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from mutproof.analyses.checking.second_graphs import SecondGraphs
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.scope import scope
from mutproof.analyses.claims.variant import decisive, questions
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import (
    Candidate,
    Cost,
    NoModel,
    OfferedEvidence,
    OfferedExecution,
    Rung,
)
from mutproof.analyses.proving.temporal_answer import judged, stands_alone
from mutproof.base.budget import Deadline
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.experience import Experience
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.solving.graphs.neighbourhood import Neighbourhood
from mutproof.solving.graphs.plan import NotFew

HOW = "exploration"

ITSELF_S = 2.0
"""Seconds of work until the states of the model must be known."""

EACH_S = 0.1
"""Seconds of work for each mutant."""

SHARE = 0.5
"""The part of the budget that second answers may use."""

FIRST_MOVES, EACH_MOVES = 200_000, 3_000
"""How many moves may be looked at for the first mutants, and for each that is decided, until other
rungs come before. Of a deep model they may be as many more as it has states."""

MOST_FAILURES = 8
"""After how many mutants of an element that failed no more are tried, if most did."""

AT_A_TIME = 32
"""How many mutants are decided before their verdicts are handed on."""

_Verdicts = Mapping[str, BddVerdict]


class Graphs:
    """Decide mutants of a model with few states; mutable."""

    def __init__(self, context: Context) -> None:
        self.are_for_relations = context.relational
        self._context = context
        self._known: _FewStates | None = None
        self._large: set[Digest] = set()  # parts of the model that have many states
        self._experience = Experience()
        self._failed: Counter[frozenset[ElementId]] = Counter()
        self._tried: Counter[frozenset[ElementId]] = Counter()
        self._moves = 0
        self._decided = 0
        self._size = 0  # how many states the model has
        self.pays = FIRST_MOVES >= 0  # until mutants once took many moves

    @property
    def are_deep(self) -> bool:
        """Tell whether the model is known to have states that are few only at each distance."""
        known = self._known
        return known is not None and known.neighbourhood is not None and known.neighbourhood.is_deep

    def decide(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what decides claims, and note what that takes."""
        yield from self._candidates(claims)
        self._decided += sum(not claim.open for claim in claims)
        size = self._size if self.are_deep else 0
        self.pays &= self._moves <= FIRST_MOVES + size + (EACH_MOVES + size) * self._decided

    def decide_near(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield what decides claims whose graphs hardly differ from that of a deep model.

        Whether whole graphs pay does not depend on what that takes.
        """
        before = self._moves
        yield from self._candidates(claims, is_near=True)
        self._moves = before

    def _candidates(self, claims: Sequence[Claim], *, is_near: bool = False) -> Iterator[Candidate]:
        """Yield executions that kill claims, then what a second way confirms of the others."""
        system = self._context.system
        asked = {claim.name: claim for claim in claims if claim.variant.is_local}
        open_ = {name for claim in asked.values() for name in claim.open}
        names = [p.name for p in system.properties if p.name in open_]
        if not names or scope(system, names).digest in self._large:
            return  # what has more variables has as many states
        part = decisive(system, names, [claim.variant for claim in asked.values()])
        known = self._near(part)
        if known.neighbourhood is None:
            return
        left: dict[str, _Verdicts] = {}
        for name, claim in asked.items():
            self._context.means.check_cancelled()
            found = self._verdicts(known.neighbourhood, part, claim, is_near=is_near)
            for goal, verdict in found.items():
                if isinstance(verdict, Violated) and verdict.evidence is not None:
                    choices = verdict.evidence.choices
                    own = decisive(system, (goal,), [claim.variant])
                    yield OfferedExecution(claim, choices, HOW, part=own, goal=goal)
            alone = {
                goal: verdict
                for goal, verdict in found.items()
                if goal in claim.open
                and stands_alone(verdict, is_invariant=goal not in self._context.temporal)
            }
            if not alone:
                continue
            second = known.second.lasting if is_near else known.second.verdicts
            again = second(self._context.mutants.bodies[name], alone)
            if again is not None:
                claim.examined = claim.lasts = True
                told = {goal: verdict for goal, verdict in alone.items() if goal in again}
                yield from self._evidence(asked, {name: told}, partial(dict, {name: again}))
                alone = {goal: one for goal, one in alone.items() if goal not in again}
            if alone:
                left[name] = alone
        if left:
            yield from self._by_diagrams(part, asked, left)

    def _verdicts(
        self, neighbourhood: Neighbourhood, part: TransitionSystem, claim: Claim, *, is_near: bool
    ) -> _Verdicts:
        """Return what the graph of a claim says of its open properties, or what changes of it."""
        place = claim.variant.removed
        if self._failed[place] > max(MOST_FAILURES, self._tried[place] // 2):
            return {}
        stated = {one.name: one for one in part.properties if one.name in claim.open}
        self._tried[place] += 1
        before = neighbourhood.work
        decide = neighbourhood.lasting if is_near else neighbourhood.verdicts
        try:
            found = decide(_alternative(claim), [*stated.values()], Deadline.after_work(EACH_S))
        except NotFew:
            self._failed[place] += not neighbourhood.is_deep
            return {}
        finally:
            self._moves += neighbourhood.work - before
        return {n: judged(stated[n].term, one) for n, one in found.items()}

    def _near(self, part: TransitionSystem) -> _FewStates:
        """Return the states of the model."""
        known = self._known
        if known is None or known.part != part:
            known = self._known = _FewStates(
                part, SecondGraphs(self._context.baseline.meaning, part)
            )
        if known.neighbourhood is not None and not known.neighbourhood.is_full:
            return known
        known.neighbourhood = None
        if part.digest not in self._large:
            try:
                known.neighbourhood = Neighbourhood(part, Deadline.after_work(ITSELF_S))
            except NotFew:
                self._large.add(part.digest)
            else:
                self._size = known.neighbourhood.size
        return known

    def _by_diagrams(
        self,
        part: TransitionSystem,
        asked: Mapping[str, Claim],
        left: Mapping[str, _Verdicts],
    ) -> Iterator[Candidate]:
        """Yield evidence for what diagrams say too."""
        goals = {goal for found in left.values() for goal in found}
        second = check_family(
            part,
            {name: _alternative(asked[name]) for name in left},
            [one.name for one in part.properties if one.name in goals],
            Deadline.after(self._context.means.budget.timeout_s * SHARE),
            experience=self._experience,
            shown=False,
        )
        for name, reason in second.dead_ends.items():
            yield NoModel(asked[name], reason)
        for name in left:
            asked[name].examined = True
            asked[name].lasts = name in second.followed and name not in second.dead_ends
        lasting = {name: found for name, found in left.items() if name not in second.dead_ends}
        yield from self._evidence(asked, lasting, lambda: second.verdicts)

    def _evidence(
        self,
        asked: Mapping[str, Claim],
        found: Mapping[str, _Verdicts],
        again: Callable[[], Mapping[str, _Verdicts]],
    ) -> Iterator[Candidate]:
        """Yield evidence for verdicts by mutant and property that come a second time."""
        alone = {(name, goal): v for name, one in found.items() for goal, v in one.items()}
        variants = {name: claim.variant for name, claim in asked.items()}

        def second() -> Mapping[tuple[str, str], BddVerdict]:
            return {
                (name, goal): verdict
                for name, one in again().items()
                for goal, verdict in one.items()
                if _are_as_vacuous(alone.get((name, goal)), verdict)
            }

        of = questions(self._context.system, variants)
        evidence = self._context.means.notary.twice(alone, second, of, how=HOW)
        for (name, goal), known in evidence.items():
            if isinstance(known, Holds | Fails):
                yield OfferedEvidence(asked[name], goal, known)


@dataclass(slots=True)
class _FewStates:
    """Hold what is known of a part of the model: its states, None if they are not few; mutable."""

    part: TransitionSystem
    second: SecondGraphs
    neighbourhood: Neighbourhood | None = None


def _are_as_vacuous(one: BddVerdict | None, other: BddVerdict) -> bool:
    """Tell whether two verdicts say alike whether the property could fail."""
    if isinstance(one, Holding) and isinstance(other, Holding):
        return one.vacuity == other.vacuity
    return True


def _alternative(claim: Claim) -> Alternative:
    return Alternative(claim.variant.removed, claim.variant.constraints)


GRAPHS = Rung(
    "graphs of few states",
    Cost.VISIT,
    Graphs,
    Graphs.decide,
    lambda graphs, _: graphs.are_for_relations and graphs.pays,
    at_once=AT_A_TIME,
    goes_ahead=lambda graphs: graphs.are_deep,
)

CHANGED = Rung(
    "changes of graphs of many states",
    Cost.VISIT,
    Graphs,
    Graphs.decide_near,
    lambda graphs, _: graphs.are_for_relations and graphs.are_deep,
    at_once=AT_A_TIME,
)

LATER = Rung(
    "graphs of more states",
    Cost.VISIT,
    Graphs,
    Graphs.decide,
    lambda graphs, _: graphs.are_for_relations and not graphs.pays,
    at_once=AT_A_TIME,
)
