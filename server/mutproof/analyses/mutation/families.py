"""Decide temporal properties of many mutants at once: families in decision diagrams.

A selector that no step changes picks the mutant, so one fixed point tells of every mutant
whether it has the property.
Source: Classen, Cordy, Heymans, Legay and Schobbens, FTS and SNIP, TSE 2013, for families of
systems; Devroey et al., Featured Model-Based Mutation Analysis, ICSE 2016, for mutants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses import temporal
from mutproof.analyses.deciding.evidence import Fails, Holds
from mutproof.analyses.deciding.notary import DIAGRAMS, Replayed
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.replay import Replayer
from mutproof.analyses.scope import rests_on_all, scope
from mutproof.analyses.variant import Case, applied
from mutproof.base.budget import Deadline
from mutproof.base.digest import Digest
from mutproof.model import walk
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving.bdd.family import LARGEST_FAMILY, FamilyOutcome, check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Violated
from mutproof.solving.verdict import Certificate, Proved

SHARE = 0.5
"""The part of the budget that a family of mutants may use."""

AT_A_TIME = 128
"""How many mutants are decided before their verdicts are handed on."""

SHORT_S = 10.0
"""Seconds that a family may use where engines can decide its properties too."""


class Families:
    """Decide the temporal properties of the mutants of one system; caches only.

    Invariants are refuted here too; to prove them is left to solvers. `stillborn` hears of
    mutants that can begin or go on no more where the model can. `temporal` are the properties
    that are not of single states.
    """

    def __init__(
        self,
        system: TransitionSystem,
        means: Means,
        replayer: Replayer,
        stillborn: Callable[[Case, str], None],
        largest: int = LARGEST_FAMILY,
    ) -> None:
        self._largest = largest
        self._system = system
        self._means = means
        self._replayer = replayer
        self._stillborn = stillborn
        self.temporal = frozenset(
            p.name for p in system.properties if p.kind is not PropertyKind.INVARIANT
        )

    def open_in(self, case: Case) -> list[str]:
        """Return the properties that are open in a case, in order."""
        return [p.name for p in self._system.properties if p.name in case.open]

    def decide(self, cases: Sequence[Case], settle: Callable[[], None] = lambda: None) -> None:
        """Decide the open properties of cases together, some at a time.

        `settle` is called after each part. It ends early where most of a part stays open.
        """
        asked = [case for case in cases if case.variant.system is None and case.open]
        for start in range(0, len(asked), AT_A_TIME):
            part = asked[start : start + AT_A_TIME]
            self._decide_some({case.variant.name: case for case in part})
            settle()
            left = sum(1 for case in part if not case.open.isdisjoint(self.temporal))
            if 2 * left > len(part):
                return

    def _decide_some(self, asked: Mapping[str, Case]) -> None:
        names = [
            p.name
            for p in self._system.properties
            if any(p.name in case.open for case in asked.values())
        ]
        part = self._part(names, asked.values())
        outcome = self._family(part, asked, names)
        for name in list(outcome.dead_ends):
            self._stillborn(asked[name], outcome.dead_ends[name])
        evidence = self._twice(part, asked, names, outcome)
        for name, case in asked.items():
            self._means.check_cancelled()
            if name in outcome.dead_ends:
                continue
            verdicts = outcome.verdicts.get(name, {})
            for goal in self.open_in(case):
                verdict = verdicts.get(goal)
                known = evidence.get((name, goal))
                if verdict is None or (self._stands_alone(goal, verdict) and known is None):
                    case.reason = outcome.reason or temporal.NOT_TWICE
                    continue
                match verdict:
                    case Holding(vacuity=None) if isinstance(known, Holds):
                        case.prove((goal,), known)
                    case Holding(vacuity=why) if why is not None:
                        self._stillborn(case, why.value)
                        break
                    case Holding():
                        continue  # an invariant, for which solvers have a certificate
                    case Violated(evidence=path) if path is not None:
                        self._replay_path(case, goal, part, path)
                    case Violated(trace=shown) if isinstance(known, Fails):
                        case.refute({goal: known})
                        if shown is not None:
                            self._replayer.keep(known.choices, shown)
                    case _:
                        case.reason = outcome.reason or "the diagrams decide nothing"

    def _family(
        self, part: TransitionSystem, asked: Mapping[str, Case], names: Sequence[str]
    ) -> FamilyOutcome:
        seconds = self._means.budget.timeout_s * SHARE
        if self.temporal.isdisjoint(names):
            seconds = min(seconds, SHORT_S)
        alternatives = {
            name: Alternative(case.variant.removed, case.variant.constraints)
            for name, case in asked.items()
        }
        deadline = Deadline.after(seconds)
        found = check_family(part, alternatives, names, deadline, largest=self._largest)
        stated = {name: part.property(name).term for name in names}
        verdicts = {
            name: {goal: temporal.judged(stated[goal], v) for goal, v in verdicts.items()}
            for name, verdicts in found.verdicts.items()
        }
        return replace(found, verdicts=verdicts)

    def _twice(
        self,
        part: TransitionSystem,
        asked: Mapping[str, Case],
        names: Sequence[str],
        outcome: FamilyOutcome,
    ) -> Mapping[tuple[str, str], Holds | Fails | Computed]:
        """Return evidence by mutant and property, where nothing but the diagrams speaks for it."""
        alone = {
            (name, goal): verdict
            for name, case in asked.items()
            if name not in outcome.dead_ends
            for goal, verdict in outcome.verdicts.get(name, {}).items()
            if goal in case.open and self._stands_alone(goal, verdict)
        }

        def again() -> Mapping[tuple[str, str], BddVerdict]:
            left = {name: asked[name] for name in dict.fromkeys(name for name, _ in alone)}
            found = self._family(temporal.turned(part), left, names).verdicts
            return {(n, goal): v for n, verdicts in found.items() for goal, v in verdicts.items()}

        def of(key: tuple[str, str]) -> tuple[TransitionSystem, str]:
            return applied(self._system, asked[key[0]].variant), key[1]

        return self._means.notary.diagrams(alone, again, of)

    def _stands_alone(self, goal: str, verdict: BddVerdict) -> bool:
        """Tell it of the verdicts that count; an invariant that holds is for solvers to prove."""
        if isinstance(verdict, Holding) and goal not in self.temporal:
            return False
        return temporal.stands_alone(verdict)

    def decide_alone(self, case: Case) -> None:
        """Decide what is left of one case, by diagrams of its own and by solvers."""
        names = self.open_in(case)
        if not names:
            return
        system = applied(self._system, case.variant)

        def run(choices: Choices, how: str, part: TransitionSystem) -> Replayed | None:
            return self._replayer.confirm_part(case.variant, choices, how, part)

        def take(goal: str, answer: temporal.Answer) -> None:
            if answer.vacuity:
                self._stillborn(case, answer.vacuity)
                return
            if answer.invariant is not None:
                evidence = self._certified(system, goal, answer.invariant)
                if evidence is not None:
                    case.prove((goal,), evidence)
                return
            match answer.evidence:
                case Holds() as holds if goal in self.temporal:
                    case.prove((goal,), holds)
                case Fails() as fails:
                    case.refute({goal: fails})
                    if answer.shown is not None:
                        self._replayer.keep(fails.choices, answer.shown)
                case None:
                    case.reason = answer.reason

        means = replace(self._means, budget=self._means.middle)
        temporal.decide(system, names, means, run, take)

    def _certified(self, system: TransitionSystem, goal: str, invariant: Term) -> Holds | None:
        """Return the proof of an invariant by the reachable states, checked by a solver."""
        certificate = Certificate(1, (invariant,), (goal,))
        found = Proved(certificate, None, DIAGRAMS, 1, 0.0)
        return self._means.notary.proved(system, found, self._means.middle)

    def support(self, case: Case, goal: str) -> frozenset[Digest]:
        """Return what evidence without a certificate must rest on for a case of today."""
        return rests_on_all(applied(self._system, case.variant), goal)

    def replay(self, case: Case, goal: str, failure: Fails) -> None:
        """Note that a property fails if an execution found earlier still shows it."""
        if not failure.choices.steps and not failure.support:
            return
        part = self._part((goal,), (case,))
        if failure.support:
            if failure.support <= self.support(case, goal):
                # To show it.
                self._replayer.confirm_part(case.variant, failure.choices, failure.how, part)
                case.refute({goal: failure})
            return
        found = self._replayer.confirm_part(case.variant, failure.choices, failure.how, part)
        if found is not None and goal in found.violated:
            case.refute({goal: found.violated[goal]})

    def _part(self, names: Sequence[str], cases: Iterable[Case]) -> TransitionSystem:
        """Return what decides the properties on all the mutants."""
        part = scope(self._system, names)
        read = {
            name
            for case in cases
            for constraint in case.variant.constraints
            for name in walk.variables(constraint.term)
        }
        return part if read <= part.variables.keys() else self._system

    def _replay_path(self, case: Case, goal: str, part: TransitionSystem, path: Trace) -> None:
        choices = replace(path.choices, loop=path.loop)
        found = self._replayer.confirm_part(case.variant, choices, DIAGRAMS, part)
        if found is None or goal not in found.violated:
            case.reason = "the counterexample could not be replayed"
        else:
            case.refute({goal: found.violated[goal]})
