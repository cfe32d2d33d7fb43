"""What a gap does, so that gaps can be told apart: the function it computes, and what shows it.

Both depend on the model and the change alone, not on other gaps or on who decides them. Two gaps
have one function if the canonical forms of all that they change are equal; what shows a gap is
determined on executions that are the same for all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from mutproof.analyses.checking.audit import SEED, STAY, of_relations
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.equivalence import Fingerprint
from mutproof.analyses.claims.observation import Observed, is_part
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.model import sorts, walk
from mutproof.model.canonical import canonical
from mutproof.model.compile import Compiled, Row, compiler
from mutproof.model.program import ElementId
from mutproof.model.sampling import random_choices
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.sorts import IntSort, Sort, Value
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

FORWARD: Final = 64
LONG: Final = 12
"""How many executions of a model that runs forward there are, and how long they are."""

EXECUTIONS: Final = 24
STEPS: Final = 8
"""How many there are of a relational one."""


MOST_VARIED: Final = 6
"""How many variables of a step are given other values."""

MOST_VALUES: Final = 8
"""How many values each of them is given."""


class Fingerprints:
    """Take the fingerprints of gaps of one model; caches only."""

    def __init__(
        self,
        baseline: Baseline,
        system: TransitionSystem,
        executions: PairedExecutions | None,
    ) -> None:
        self._baseline = baseline
        self._system = system  # has the memories of all mutants too
        self._executions = executions
        self._tests: dict[ElementId, _Tests] = {}
        self._gone: dict[frozenset[ElementId], set[Digest]] = {}  # forms of what was removed

    def of(
        self,
        element: ElementId,
        variant: Variant,
        changed: TransitionSystem,
        compared: Sequence[Observed],
    ) -> Fingerprint:
        """Return the fingerprint of a mutant of an element."""
        function = self.function(element, variant, changed)
        if self._executions is not None:
            looked, seen = self._executions.column(variant, compared, self._choices)
            return Fingerprint(function, "", looked, seen)
        if element not in self._tests:
            self._tests[element] = _Tests(self._system, element, self._targets(element))
        looked, seen = self._tests[element].column(self._states, changed)
        return Fingerprint(function, str(element), looked, seen)

    def function(self, element: ElementId, variant: Variant, changed: TransitionSystem) -> str:
        """Return a digest, in digits, of the function of the model with a change of an element."""
        # A variant that changes the variables themselves has a system of its own.
        if variant.system is not None:
            return digest_parts(str(element), *_function(self._baseline.system, changed)).hex()
        if variant.removed not in self._gone:
            owned = (self._system.by_owner.get(owner, ()) for owner in variant.removed)
            self._gone[variant.removed] = {_form(c, self._system) for own in owned for c in own}
        new = {_form(c, self._system) for c in variant.constraints}
        return digest_parts(str(element), *_difference(self._gone[variant.removed], new)).hex()

    def _targets(self, element: ElementId) -> list[str]:
        """Return the variables that an element assigns, or reads where it assigns none."""
        named = [t for e in self._baseline.program.by_id[element] for t in e.targets]
        if named:
            return [v for v in self._system.variables if any(is_part(v, name) for name in named)]
        own = self._system.by_owner.get(element, ())
        read = {name for constraint in own for name in walk.variables(constraint.term)}
        return [name for name in self._system.variables if name in read]

    @cached_property
    def _choices(self) -> list[Choices]:
        """Return random executions of the model, which do not depend on memories of mutants."""
        source = random.Random(SEED)
        try:
            runs = simulator(self._baseline.system)
        except CyclicDefinitions:
            return []
        return [
            random_choices(runs, source, LONG, STAY[number % len(STAY)])
            for number in range(FORWARD)
        ]

    @cached_property
    def _states(self) -> list[list[Row]]:
        """Return the states of random executions of a relational model."""
        source, found = random.Random(SEED), []
        names = tuple(self._system.variables)
        for number in range(EXECUTIONS):
            stay = STAY[number % len(STAY)]
            choices = of_relations(self._baseline.program, self._system, source, stay, steps=STEPS)
            execution = self._baseline.meaning.run(choices)
            if execution is not None and execution.assumed:
                found.append([[step.get(n) for n in names] for step in execution.trace.steps])
        return found


def _function(model: TransitionSystem, changed: TransitionSystem) -> Iterator[Digest]:
    """Yield digests of the function of a change: forms of removed, then of added constraints."""
    before = dict.fromkeys(model.constraints)
    after = dict.fromkeys(changed.constraints)
    gone = {_form(c, model) for c in before if c not in after}
    yield from _difference(gone, {_form(c, changed) for c in after if c not in before})
    for name, declared in changed.variables.items():
        if model.variables.get(name) != declared:
            yield digest_parts(name, repr(declared.sort), declared.kind.value)


def _difference(gone: set[Digest], new: set[Digest]) -> Iterator[Digest]:
    yield from sorted(gone - new)
    yield digest_parts("becomes")
    yield from sorted(new - gone)


def _form(constraint: Constraint, system: TransitionSystem) -> Digest:
    term = constraint.term if constraint.defines is None else constraint.term.args[1]
    form = canonical(term, system.variables)
    return digest_parts(constraint.kind.value, constraint.defines or "", form)


class _Tests:
    """Hold the tests for mutants of one element of a relational model; caches only.

    A test is a state of an execution, or one with its successor, in which one variable has any of
    its values. It shows a mutant that allows it where the model does not, or the other way round.
    """

    def __init__(self, system: TransitionSystem, element: ElementId, varied: list[str]) -> None:
        self._system = system
        self._names = tuple(system.variables)
        self._varied = [
            (self._names.index(name), system.variables[name].sort) for name in varied[:MOST_VARIED]
        ]
        own = system.by_owner.get(element, ())
        self._kinds = [kind for kind in ConstraintKind if any(c.kind is kind for c in own)]

    def column(self, states: Sequence[Sequence[Row]], changed: TransitionSystem) -> tuple[int, int]:
        """Return how many tests there are, and which of them show a mutant, as a set of bits."""
        after, before = (dict.fromkeys(s.constraints) for s in (changed, self._system))
        bits, total = 0, 0
        for kind in self._kinds:
            here = [c.term for c in before if c.kind is kind and c not in after]
            there = [c.term for c in after if c.kind is kind and c not in before]
            one, other = self._functions(here), self._functions(there)
            for row, following in self._tests_of(kind, states):
                if _holds(one, row, following) is not _holds(other, row, following):
                    bits |= 1 << total
                total += 1
        return total, bits

    def _functions(self, terms: Sequence[Term]) -> list[Compiled]:
        return compiler(self._names).compile_all(terms)

    def _tests_of(
        self, kind: ConstraintKind, states: Sequence[Sequence[Row]]
    ) -> Iterator[tuple[Row, Row]]:
        for run in states:
            if kind is ConstraintKind.TRANS:
                pairs = list(pairwise(run))
            else:
                pairs = [(row, row) for row in (run[:1] if kind is ConstraintKind.INIT else run)]
            for row, following in pairs:
                for index, sort in self._varied:
                    for value in _values(sort, following[index]):
                        other = [*following]
                        other[index] = value
                        yield (row, other) if kind is ConstraintKind.TRANS else (other, other)


def _values(sort: Sort, known: Value) -> Sequence[Value]:
    found = sorts.domain(sort)
    if found is not None and len(found) <= MOST_VALUES:
        return found
    if isinstance(sort, IntSort) and isinstance(known, int):
        near = (known, known - 1, known + 1, 0, sort.low, sort.high)
        inside = (v for v in near if v is not None and sorts.contains(sort, v))
        return tuple(dict.fromkeys(inside))
    return (known,)


def _holds(functions: Sequence[Compiled], row: Row, following: Row) -> bool:
    """Tell whether all constraints hold; one without a value does not."""
    nothing: Mapping[tuple[str, int], object] = {}
    try:
        return all(function(row, following, nothing) for function in functions)  # type: ignore[arg-type]
    except (TypeError, ArithmeticError, LookupError):
        return False
