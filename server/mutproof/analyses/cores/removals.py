"""What mutants without one element have shown of the properties."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice

from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.evidence import Fails, Holds, shown_with
from mutproof.analyses.claims.records import Records
from mutproof.analyses.claims.reduction import REMOVED, ReductionQuestion
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.identity import ByIdentity
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Bodies, ElementId, Program
from mutproof.model.purpose import Purpose
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

MOST_READ = 3
"""Mutants of how many elements that a removed one reads are asked for such an execution."""


@dataclass(frozen=True, slots=True)
class Removals:
    """Hold what mutants have shown of properties where one element is removed, by element.

    `replayed` tells of an execution whether it violates a property when replayed on today's whole
    program without the element: then it does in any part of that. `freed` gives choices by which an
    element, once removed, takes the values that it has in other mutants, and so may violate a
    property as these do.
    """

    shown: Mapping[ElementId, Mapping[str, Holds | Fails]] = field(default_factory=dict)
    replayed: Callable[[ElementId, str, Fails], bool] = lambda *_: False
    freed: Callable[[ElementId, str], Iterable[Choices]] = lambda *_: ()

    def standing(self, question: ReductionQuestion) -> Fails | None:
        """Return the execution by which a mutant without the element fails on today's program."""
        name, kind, elements = question
        if kind != REMOVED:
            return None
        (element,) = elements
        found = self.shown.get(element, {}).get(name)
        if isinstance(found, Fails) and self.replayed(element, name, found):
            return found
        return None


def removals(
    records: Records,
    mutants: Iterable[Mutant],
    meaning: Interpretation,
    system: TransitionSystem,
    *,
    notary: Notary,
) -> Removals:
    """Return the evidence that mutants give about properties without one element.

    What other workers replayed is replayed here once, all that a mutant violates at a time.
    """
    known: dict[ElementId, dict[str, Holds | Fails]] = {}
    removing: dict[ElementId, tuple[str, Bodies]] = {}
    changing: dict[tuple[ElementId, str], tuple[Mutant, Fails]] = {}
    for mutant in mutants:
        record = records.get(mutant.id)
        if mutant.parts or record is None:
            continue
        if mutant.replacement is None:
            known[mutant.element] = {**dict(record.proofs(system.said)), **record.fails}
            removing[mutant.element] = mutant.id, _bodies(meaning, mutant)
        for name, fails in record.fails.items():
            changing.setdefault((mutant.element, name), (mutant, fails))

    tried: set[ElementId] = set()
    admitted: ByIdentity[bool] = ByIdentity()  # one execution shows many properties

    def replayed(element: ElementId, name: str, fails: Fails) -> bool:
        if not admitted.of(lambda: meaning.admits(fails.choices), fails.choices):
            return False
        mutant, bodies = removing[element]
        outcome = meaning.outcomes.of(name, bodies)
        if records.kills.stands(mutant, name, fails, outcome):
            return True
        if element in tried or system.relational:
            return False
        tried.add(element)
        left = dict(records[mutant].fails)
        while left:
            one = next(iter(left.values()))
            by = shown_with(left, one)
            for goal in _violated(meaning, notary, one, by=by, bodies=bodies):
                records.kills.note(mutant, goal, left[goal], meaning.outcomes.of(goal, bodies))
            left = {goal: other for goal, other in left.items() if other.choices is not one.choices}
        return records.kills.stands(mutant, name, fails, outcome)

    def freed(element: ElementId, name: str) -> Iterator[Choices]:
        for other in _read_by(meaning.program, element):
            if (found := changing.get((other, name))) is not None:
                mutant, fails = found
                bodies = _bodies(meaning, mutant)
                choices = _freed(meaning, fails.choices, bodies, element, goal=name)
                if choices is not None:
                    yield choices

    return Removals(known, replayed, freed)


def _violated(
    meaning: Interpretation,
    notary: Notary,
    shown: Fails,
    *,
    by: Mapping[str, int],
    bodies: Bodies,
) -> frozenset[str]:
    """Return which properties an execution violates of those that are to fail `by` some steps."""
    if not by or not meaning.admits(shown.choices):
        return frozenset()
    purpose = Purpose(partly=True, goals=frozenset(by), by=by)
    found = notary.replay(meaning, shown.choices, shown.how, bodies, purpose=purpose)
    return frozenset() if found is None else frozenset(found.violated.keys() & by.keys())


def _bodies(meaning: Interpretation, mutant: Mutant) -> Bodies:
    from mutproof.analyses.mutation.enumerate import mutated_bodies  # who proves needs no mutants

    return mutated_bodies(meaning.program, mutant)


def _read_by(program: Program, element: ElementId) -> Iterator[ElementId]:
    """Yield an element of the main component, and some of those that it reads."""
    main = program.component(program.main)
    if element.component != main.name:
        return
    yield element
    read = {name for one in program.by_id[element] for name in walk.variables(one.body)}
    others = (e.id for e in main.elements if e.id != element and not read.isdisjoint(e.targets))
    yield from islice(others, MOST_READ)


def _freed(
    meaning: Interpretation, choices: Choices, bodies: Bodies, element: ElementId, *, goal: str
) -> Choices | None:
    """Return choices by which an element, once removed, has the values it has with other bodies."""
    execution = meaning.run(choices, bodies, Purpose(partly=True, goals=frozenset({goal})))
    if execution is None or len(execution.trace.steps) != len(choices.steps):
        return None
    targets = {target for one in meaning.program.by_id[element] for target in one.targets}
    steps = tuple(
        {**step, **{n: v for n, v in values.items() if n.partition("[")[0] in targets}}
        for step, values in zip(choices.steps, execution.trace.steps, strict=True)
    )
    return replace(choices, steps=steps)
