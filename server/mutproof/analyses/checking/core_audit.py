"""Try proofs on random executions of what they rest on alone, in the evaluator.

A proof that rests on some elements holds whatever all others are, so one look at it stands for all
mutants of these. Like other audits it proves nothing: what it finds is a defect of mutproof.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace

from mutproof.analyses.checking.audit import SEED, STAY, Violation
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.instances import calls
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Component, Element, ElementId, Property, Variable
from mutproof.model.sampling import interesting_values, random_value
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Sort, Value
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

MOST_PASSED = 20_000
"""How many digests of what nothing was found for are kept."""


@dataclass(frozen=True, slots=True)
class _Together:
    """Hold which equations ran together, what they define, and the properties they violated."""

    elements: frozenset[Element]
    defined: frozenset[str]
    violated: AbstractSet[str]

    def passes(self, name: str, elements: Sequence[Element], freed: AbstractSet[str]) -> bool:
        """Tell whether elements ran here as they do alone, and violated nothing."""
        alone = self.elements.issuperset(elements) and self.defined.isdisjoint(freed)
        return alone and name not in self.violated


class CoreAudit:
    """Try proofs about one program, on executions that begin and last like some of its own.

    `passed` has digests of all that decides what is found, where that was nothing: then it is
    nothing again, whatever else was edited meanwhile.
    """

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        executions: Sequence[Choices],
        *,
        passed: set[Digest] | None = None,
    ) -> None:
        self._meaning = meaning
        self._program = meaning.program
        self._passed = set[Digest]() if passed is None else passed
        self._system = system
        self._executions = executions
        self._known: dict[tuple[frozenset[ElementId], str], Violation | None] = {}
        self._alone = 0  # how many elements ran alone, each as often as it did

    @cached_property
    def is_flat(self) -> bool:
        """Tell whether no node is called: then elements mean alone what they mean together."""
        program = self._program
        return not self._system.relational and not any(
            True for element in program.elements() for _ in calls(element.body)
        )

    def of(self, owners: frozenset[ElementId], name: str) -> Violation | None:
        """Return what violates a property where all but some elements may give any values.

        Where a proof rests on these alone, that stands for all mutants of all other elements of a
        flat program.
        """
        key = owners, name
        if key not in self._known:
            about = self._about(owners, name)
            found = None if about in self._passed else next(self._resting_on(owners, name), None)
            if found is None:
                if len(self._passed) >= MOST_PASSED:
                    self._passed.clear()
                self._passed.add(about)
            self._known[key] = found
        return self._known[key]

    def _about(self, owners: frozenset[ElementId], name: str) -> Digest:
        """Return a digest of all that decides what is found for a property and some elements."""
        by_id, term = self._program.by_id, self._stated[name].term
        bodies = sorted(element.digest for owner in owners for element in by_id[owner])
        return digest_parts(self._common, name, term.digest, *bodies)

    @cached_property
    def _common(self) -> Digest:
        program, frame = self._program, self._meaning.frame
        begun = [(len(one.steps), one.before, one.functions) for one in self._executions]
        whole = program.digest if frame is None else frame
        return digest_parts(program.language, whole, repr(begun), repr(self._interesting))

    @cached_property
    def _main(self) -> Component:
        return self._program.component(self._program.main)

    @cached_property
    def _stated(self) -> dict[str, Property]:
        return {found.name: found for found in self._main.properties}

    def _resting_on(self, owners: frozenset[ElementId], name: str) -> Iterator[Violation]:
        main = self._main
        stated = self._stated[name]
        elements = tuple(element for element in main.elements if element.id in owners)
        defined = {target for element in elements for target in element.targets}
        terms = (stated.term, *(element.body for element in elements))
        read = defined.union(*map(walk.variables, terms))
        self._alone += len(elements)
        if self._alone > len(main.elements):  # as much as running all of them at once
            known = self._together
            if known is not None and known.passes(name, elements, read - defined):
                return
        declared = tuple(variable for variable in main.variables if variable.name in read)
        part = replace(main, variables=declared, elements=elements, properties=(stated,))
        evaluator = Evaluator(replace(self._program, components=(part,)))
        for tried in self._drawn(declared, defined):
            with suppress(InstantaneousLoop, NumberTooLarge):
                step = evaluator.run(tried).violated.get(name)
                if step is None:
                    continue
                begun = replace(tried, steps=tried.steps[: step + 1])
                if evaluator.run(begun).assumed:
                    yield Violation(name, step)

    @cached_property
    def _together(self) -> _Together | None:
        """Return what all equations show together, None if they cannot be run so.

        Most proofs rest on whatever their elements read, and then these run there as alone.
        """
        main = self._main
        elements = tuple(e for e in main.elements if e.targets and not e.circular)
        defined = frozenset(target for element in elements for target in element.targets)
        part = replace(main, elements=elements)
        evaluator = Evaluator(replace(self._program, components=(part,)))
        violated: set[str] = set()
        try:
            for tried in self._drawn(main.variables, defined):
                violated |= evaluator.run(tried).violated.keys()
        except (InstantaneousLoop, NumberTooLarge):
            return None
        return _Together(frozenset(elements), defined, violated)

    def _drawn(self, declared: Sequence[Variable], defined: AbstractSet[str]) -> Iterator[Choices]:
        """Yield executions with random values of all variables that are not defined."""
        source = random.Random(SEED)
        freed = {
            variable.name + suffix: sort
            for variable in declared
            if variable.name not in defined
            for suffix, sort in sorts.leaves(variable.sort)
        }
        for choices, stay in zip(self._executions, STAY, strict=False):
            steps: list[dict[str, Value]] = []
            for _ in choices.steps:
                kept = steps[-1] if steps else {}
                steps.append(
                    {
                        each: kept[each]
                        if each in kept and source.random() < stay
                        else random_value(sort, source, self._interesting)
                        for each, sort in freed.items()
                    }
                )
            yield replace(choices, steps=tuple(steps), loop=None)

    @cached_property
    def _interesting(self) -> dict[type[Sort], list[Value]]:
        return interesting_values(self._system)
