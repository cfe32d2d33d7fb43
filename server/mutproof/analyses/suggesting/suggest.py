"""Find properties that notice gaps: search on seen executions, proof, then search again.

A refuted conjecture gives an execution of the model, which the next search takes into account
(counterexample-guided). Conjectures found are proved on the model here; whether they become
suggestions is decided by `workspace.suggestion_gate` on their text in the file.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import Equivalence
from mutproof.analyses.suggesting.columns import Rows, StepColumns, variable_of
from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.analyses.suggesting.finding import OUT_OF_TIME
from mutproof.analyses.suggesting.sayable import Resort
from mutproof.analyses.suggesting.search import ConjectureSearch, Scored, Seen, noticed
from mutproof.analyses.suggesting.stating import stating
from mutproof.analyses.suggesting.temporal import conjectures
from mutproof.analyses.suggesting.words import AT_FIRST, sayable
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Bodies, ElementKind, PropertyKind
from mutproof.model.sampling import random_choices
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.sorts import SetSort
from mutproof.model.steering import Steering
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted

EXECUTIONS: Final = 24
STEPS: Final = 10
OF_EACH_MUTANT: Final = 2
"""On how many of these executions each mutant is run, beside the one that shows its gap."""

MOST_TOGETHER: Final = 80
"""For how many gaps properties are sought at once."""

TOGETHER: Final = 10
"""How many conjectures are proved at once."""

MOST_STEPS: Final = 100
"""The latest step of a gap that is considered: of later ones, runs find no kill in time."""

MOST_TEMPORAL: Final = 300
"""The most conjectures of temporal logic that are made."""

ROUNDS: Final = 40
WIDE_ROUNDS: Final = 4
"""How many rounds of conjectures that notice many gaps at once are proved."""

WIDE_OF_A_CLAIM: Final = 200
"""How many conjectures of one claim are considered in these rounds."""

SEED: Final = 20_251_123
_NAME: Final = "%claim"


def is_deep(found: Equivalence) -> bool:
    """Tell whether a mutant differs too late for runs to find a violation in time."""
    return found.step is not None and found.step > MOST_STEPS


@dataclass(frozen=True)
class GapToClose:
    """Hold a mutant that no property notices, and the executions that show the difference.

    `subjects` are the variables of the component that the change concerns, or parts of them.
    """

    mutant: str
    component: str
    bodies: Bodies
    found: Equivalence
    subjects: tuple[str, ...]


class Suggesting:
    """Look for properties of one program; mutable.

    `executions` are those that mutants were run on.
    """

    def __init__(self, baseline: Baseline, means: Means, seconds: float) -> None:
        self._program = baseline.program
        self._baseline = baseline
        self._means = means
        self._deadline = Deadline.after(seconds)
        self.executions: dict[str, list[Choices]] = {}
        self._found: dict[str, list[Conjecture]] = {}
        lemmas = (lemma for holds in baseline.proofs.values() for lemma in holds.certificate.lemmas)
        self._advice = tuple(dict.fromkeys(lemmas))

    def of(self, component: str, gaps: Sequence[GapToClose]) -> Iterator[Scored]:
        """Yield conjectures that are proved of the model, as they are found.

        Each notices some gap that those before it do not.
        """
        chosen = self._random()
        for start in range(0, len(gaps), MOST_TOGETHER):
            yield from self._of_some(component, gaps[start : start + MOST_TOGETHER], chosen)

    def _of_some(
        self, component: str, gaps: Sequence[GapToClose], chosen: Sequence[Choices]
    ) -> Iterator[Scored]:
        """Yield conjectures for those of some gaps that no earlier conjecture notices."""
        subjects = dict.fromkeys(name for gap in gaps for name in gap.subjects)
        changed = {element for gap in gaps for element in gap.bodies}
        words = sayable(self._program, component, subjects, changed)
        earlier = self._found.setdefault(component, [])
        known = [term for one in earlier for term in (*one.conditions, one.claim)]
        own = (branch.claim for branch in words.branches)
        claims = (*words.claims, *words.last_resorts, *own)
        said = dict.fromkeys((*words.conditions, *claims, *known))
        columns = StepColumns(self._program, component, tuple(said))
        model, mutants, rows = Rows(), Rows(), dict[str, int]()
        for choices in (*chosen, *self._traces(gaps)):
            self._see(columns, model, choices, None)
        for gap in gaps:
            if self._deadline.remaining_s() <= 0:
                break
            before = mutants.count
            for choices in (*self._shown(gap), *chosen[:OF_EACH_MUTANT]):
                ran = self._see(columns, mutants, choices, gap.bodies)
                if ran is not None:
                    self.executions.setdefault(gap.mutant, []).append(ran)
            rows[gap.mutant] = (1 << mutants.count) - (1 << before)
        for conjecture in earlier:
            seen = noticed(conjecture, mutants, relational=words.relational)
            rows = {name: own for name, own in rows.items() if not own & seen}
        search = ConjectureSearch(words, Seen(model, mutants), self._means.check_cancelled)
        wanted, yielded = dict(rows), list[Scored]()
        for scored in self._search(search, columns, rows):
            earlier.append(scored.conjecture)
            yielded.append(scored)
            yield scored
        if len(yielded) > 1:
            for scored in self._wide(search, columns, wanted, yielded):
                earlier.append(scored.conjecture)
                yield scored

    def _wide(
        self,
        search: ConjectureSearch,
        columns: StepColumns,
        wanted: Mapping[str, int],
        known: Sequence[Scored],
    ) -> Iterator[Scored]:
        """Yield conjectures that notice gaps which no single known one notices together."""
        refused = {one.conjecture for one in known}
        for _ in range(WIDE_ROUNDS):
            if self._deadline.remaining_s() <= 0:
                return
            found = search.conjectures(wanted, refused, of_a_claim=WIDE_OF_A_CLAIM)
            batch = _covering([one for one in found if not _adds_nothing(one, known)])
            if not batch:
                return
            proved, executions = self._prove([one.conjecture for one in batch])
            refused.update(one.conjecture for one in batch)
            for choices in executions:
                self._see(columns, search.seen.model, choices, None)
            apt = [one for one in batch if one.conjecture in proved]
            known = (*known, *apt)
            yield from apt
            if len(apt) == len(batch):
                return

    def temporal(self, gaps: Sequence[GapToClose]) -> Iterator[Conjecture]:
        """Yield temporal conjectures for gaps of a relational model, each once."""
        words = sayable(self._program, self._program.main, ())
        found: set[Conjecture] = set()
        for gap in gaps:
            model = None if is_deep(gap.found) else gap.found.model
            shown = None if model is None else self._baseline.meaning.run(model.choices)
            for one in conjectures(self._program, words, tuple(gap.bodies), shown):
                is_wanted = len(found) < MOST_TEMPORAL or one.kind is PropertyKind.LTL
                if is_wanted and one not in found:
                    found.add(one)
                    yield one

    def why_open(self, gap: GapToClose) -> str:
        """Return why no property was found that notices a mutant."""
        if gap.found.restricts and not self._baseline.system.relational:
            return "it only excludes executions, which no property of all executions notices"
        if gap.found.allowed == "model" and not self._baseline.system.relational:
            return "only the model allows what was seen, and no property was found that shows more"
        if gap.found.allowed == "model" and all(e.kind in AT_FIRST for e in gap.bodies):
            return "it only takes first states away, as far as was seen: properties do not miss any"
        if gap.found.allowed == "model":
            return "it takes behaviour away; nothing was found that can come next in the model only"
        if is_deep(gap.found):
            return f"it differs only after more than {MOST_STEPS} steps"
        if self._deadline.remaining_s() <= 0:
            return OUT_OF_TIME
        if gap.mutant not in self.executions:
            return "the execution that shows it could not be run"
        return "none was found of at most three conditions in the words of the model"

    def _search(
        self, search: ConjectureSearch, columns: StepColumns, rows: dict[str, int]
    ) -> Iterator[Scored]:
        """Yield proved conjectures; executions that refute others join those of the model."""
        refused: set[Conjecture] = set()
        waiting = [*Resort]
        for _ in range(ROUNDS):
            if not rows or self._deadline.remaining_s() <= 0:
                return
            batch = _various(search.conjectures(rows, refused, resort=waiting[0]))
            if not batch and len(waiting) == 1:
                return
            if not batch:
                del waiting[0]
                continue
            proved, executions = self._prove([one.conjecture for one in batch])
            refused.update(one.conjecture for one in batch)
            for choices in executions:
                self._see(columns, search.seen.model, choices, None)
            for one in batch:
                if one.conjecture in proved and not one.kills.isdisjoint(rows):
                    yield one
                    for name in one.kills:
                        rows.pop(name, None)

    def _prove(self, batch: Sequence[Conjecture]) -> tuple[set[Conjecture], list[Choices]]:
        """Return which conjectures are proved, and executions that refute others."""
        named = {f"{_NAME}{number}": one for number, one in enumerate(batch)}
        program = stating(self._program, batch[0].component, named)
        meaning = interpretation(program)
        goals = {
            goal: named[declared]
            for goal, (_, declared) in meaning.declared().items()
            if declared in named
        }
        system = meaning.system()
        known = system.variables.keys()
        advice = tuple(lemma for lemma in self._advice if walk.variables(lemma) <= known)
        options = self._means.asking(advice=advice, cores=False)
        found = portfolio.prove(system, self._means.small, options, goals=tuple(goals)).verdicts
        holds, executions = set(named.values()), []
        for goal, conjecture in goals.items():
            verdict = found[goal]
            if not isinstance(verdict, Proved):
                holds.discard(conjecture)
            if isinstance(verdict, Refuted):
                executions.append(verdict.choices)
        return holds, executions

    def _see(
        self, columns: StepColumns, rows: Rows, choices: Choices, bodies: Bodies | None
    ) -> Choices | None:
        """Run choices and add the steps; return the choices, cut until allowed, or None."""
        meaning = self._baseline.meaning
        execution = meaning.run(choices, bodies)
        while execution is not None and not execution.assumed and len(choices.steps) > 1:
            choices = replace(choices, steps=choices.steps[: len(choices.steps) // 2], loop=None)
            execution = meaning.run(choices, bodies)
        if execution is None or not execution.assumed:
            return None
        columns.add(rows, execution)
        return choices

    def _random(self) -> list[Choices]:
        """Return random executions; in forward models they are steered to fulfil assertions."""
        system = self._baseline.system
        if system.relational:
            return list(Audit(self._baseline.meaning, system).executions)
        try:
            runs = simulator(system)
            source = random.Random(SEED)
            if not runs.checks:
                return [random_choices(runs, source, STEPS) for _ in range(EXECUTIONS)]
            steering = Steering(runs)
            return [steering.execution(source, STEPS)[0] for _ in range(EXECUTIONS)]
        except (CyclicDefinitions, NumberTooLarge):
            return []

    def _shown(self, gap: GapToClose) -> Iterator[Choices]:
        """Yield the executions that show a gap, and how the mutant runs on the same choices."""
        if is_deep(gap.found):
            return
        if gap.found.mutant is not None:
            yield gap.found.mutant.choices
        if gap.found.model is not None and self._baseline.system.relational:
            yield self._unassigned(gap)

    def _unassigned(self, gap: GapToClose) -> Choices:
        """Return the model's choices that show a gap, without values of assigned variables."""
        assert gap.found.model is not None
        choices = gap.found.model.choices
        changed = frozenset(self._variable(t) for e in gap.bodies for t in e.targets)
        steps = [
            {
                name: value
                for name, value in step.items()
                if self._variable(name) not in self._assigned[bool(number)] | changed
            }
            for number, step in enumerate(choices.steps)
        ]
        return replace(choices, steps=tuple(steps), loop=None)

    def _variable(self, name: str) -> str:
        return variable_of(self._program.component(self._program.main), name)

    @cached_property
    def _assigned(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the variables that are assigned one value: in the first step, in later ones."""
        found: tuple[set[str], set[str]] = set(), set()
        for element in self._program.elements():
            if isinstance(element.body.sort, SetSort):
                continue
            names = {self._variable(target) for target in element.targets}
            if element.kind in {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN}:
                found[0].update(names)
            if element.kind in {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}:
                found[1].update(names)
        return frozenset(found[0]), frozenset(found[1])

    def _traces(self, gaps: Sequence[GapToClose]) -> Iterator[Choices]:
        for gap in gaps:
            if gap.found.model is not None:
                yield gap.found.model.choices


def _adds_nothing(one: Scored, known: Sequence[Scored]) -> bool:
    """Tell whether one known conjecture notices all that another one notices."""
    return any(one.kills <= other.kills for other in known)


def _covering(found: Sequence[Scored]) -> list[Scored]:
    """Return conjectures chosen greedily, each noticing gaps that those before do not."""
    chosen: list[Scored] = []
    left = frozenset[str]().union(*(one.kills for one in found))
    while left and len(chosen) < TOGETHER:
        best = max(found, key=lambda one: (len(one.kills & left), -one.cost))
        chosen.append(best)
        left -= best.kills
    return chosen


def _various(found: Sequence[Scored]) -> list[Scored]:
    """Return the best conjectures, at most three of which notice exactly the same gaps."""
    chosen: list[Scored] = []
    alike: dict[frozenset[str], int] = {}
    for one in found:
        if alike.setdefault(one.kills, 0) < 3:
            alike[one.kills] += 1
            chosen.append(one)
        if len(chosen) == TOGETHER:
            break
    return chosen
