"""Whether the value of a `pre` before the first step decides the verdict on a property.

Two executions are compared that differ only in the values that one `pre` reads before the first
step. If a property holds in one and fails in the other, its verdict rests on a value that nothing
determines. A proved property does not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.analyses.proving import wording
from mutproof.analyses.proving.doubled import OTHER, doubled
from mutproof.base.digraph import reached
from mutproof.base.record import dataclass
from mutproof.model import flat_names, instances, terms, walk
from mutproof.model.execution import Execution
from mutproof.model.instances import Instance
from mutproof.model.interpretation import Interpretation
from mutproof.model.lower_element import ElementLowerer, LoweringContext
from mutproof.model.operators import Op
from mutproof.model.passes import guards, parts
from mutproof.model.program import Element, ElementId, ElementKind, Program
from mutproof.model.slice import Slicer
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Path
from mutproof.model.trace import Choices
from mutproof.solving import completion
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

STEPS = 10
"""How many steps are searched."""

MOST_ASKED = 30
"""How many sets of values before the first step are tried."""

MOST_PROPERTIES = 10


@dataclass(frozen=True, slots=True)
class _UnguardedPre:
    """Hold a `pre`, the memories it reads before the first step, and the properties it affects."""

    element: ElementId
    path: Path
    memories: frozenset[str]
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Difference:
    """Hold an execution that violates a property at its last step, unlike a similar one."""

    fails: Execution
    values: Mapping[str, tuple[Value, Value]]  # by memory: where it fails, where it holds


def deciding(
    meaning: Interpretation, system: TransitionSystem, properties: Sequence[str], means: Means
) -> Iterator[ModelFinding]:
    """Yield a finding for each `pre` whose first value decides one of the properties."""
    program = meaning.program
    if not properties or not _has_unguarded(program):
        return
    slicer = Slicer(system)
    properties = properties[:MOST_PROPERTIES]
    part = slicer.cone(properties)
    if completion.restricts_more(system, part):
        part = system
    groups: dict[frozenset[str], list[_UnguardedPre]] = {}
    cones = {name: slicer.variables([system.property(name).term]) for name in properties}
    for reader in _readers(program, system, cones):
        groups.setdefault(reader.memories, []).append(reader)
    search = _Search(meaning, part, means)
    told: set[tuple[ElementId, Path]] = set()
    for memories, readers in list(groups.items())[:MOST_ASKED]:
        concerned = dict.fromkeys(name for reader in readers for name in reader.properties)
        found = {name: search.difference(memories, name) for name in concerned}
        for reader in readers:
            seen = {name: one for name in reader.properties if (one := found[name]) is not None}
            place = reader.element, reader.path
            if seen and place not in told:
                told.add(place)
                yield _finding(seen, reader)


def _finding(seen: Mapping[str, _Difference], reader: _UnguardedPre) -> ModelFinding:
    first = min(seen, key=lambda name: seen[name].fails.trace.length)
    found = seen[first]
    trace = found.fails.trace
    values = [_told(name, *both) for name, both in found.values.items()]
    others = [f"`{name}`" for name in seen if name != first]
    also = f"; that value also affects {', '.join(others)}" if others else ""
    message = (
        f"`{first}` depends on the arbitrary first value of this `pre`: after the same inputs it"
        f" fails at step {trace.length - 1} if {' and '.join(values)}{also}"
    )
    place = reader.element, reader.path
    return ModelFinding(ModelFault.ARBITRARY_FIRST_VALUE, message, trace=trace, place=place)


def _told(memory: str, fails: Value, holds: Value) -> str:
    name = flat_names.remembered(memory)
    what = "what it keeps" if name is None else f"`{name}`"
    return f"{what} was {wording.shown(fails)} before, not {wording.shown(holds)}"


# --- which memories ---------------------------------------------------------------------------


def _has_unguarded(program: Program) -> bool:
    return any(guards.unguarded(element.body) for element in program.elements())


def _readers(
    program: Program, system: TransitionSystem, cones: Mapping[str, frozenset[str]]
) -> Iterator[_UnguardedPre]:
    """Yield the unguarded `pre` that read arbitrary memories, with the properties they affect."""
    context = LoweringContext(program)
    begins = _begins(system)
    for instance in instances.unfold(program):
        for element in program.component(instance.component).elements:
            found = guards.unguarded(element.body)
            concerned = _concerned(element, instance, cones) if found else ()
            if not concerned:
                continue
            lowerer = ElementLowerer(context, instance, element)
            for path, term in found:
                names = {
                    name
                    for leaf in parts.flat_leaves(lowerer.value(term))
                    for name in walk.variables(leaf)
                    if name in system.variables
                    and system.variables[name].kind is SystemVariableKind.STATE
                }
                free = frozenset(begins.get(name, name) for name in names)
                if free:
                    yield _UnguardedPre(element.id, path, free, concerned)


def _concerned(
    element: Element, instance: Instance, cones: Mapping[str, frozenset[str]]
) -> tuple[str, ...]:
    """Return the properties that have an element of an instance in their cone of influence."""
    if element.kind is ElementKind.ASSERT:
        return () if instance.prefix else tuple(cones)
    if element.circular:
        return tuple(cones)
    wholes = [instance.prefix + target for target in element.targets]
    return tuple(
        name
        for name, cone in cones.items()
        if any(whole in cone or _has_part(whole, cone) for whole in wholes)
    )


def _has_part(whole: str, cone: frozenset[str]) -> bool:
    return any(name.startswith((f"{whole}.", f"{whole}[")) for name in cone)


def _begins(system: TransitionSystem) -> dict[str, str]:
    """Return the memories whose initial value is that of another one, with that one."""
    found: dict[str, str] = {}
    for constraint in system.constraints:
        if constraint.kind is ConstraintKind.INIT and constraint.defines is not None:
            value = constraint.term.args[1]
            if value.op is Op.VAR:
                found[constraint.defines] = str(value.payload)
    return found


# --- two executions ---------------------------------------------------------------------------


class _Search:
    """Search for two executions that differ in few memories and in a property; mutable."""

    def __init__(self, meaning: Interpretation, part: TransitionSystem, means: Means) -> None:
        self._meaning = meaning
        self._part = part
        self._dependents = _Dependents(part)
        self._means = means
        self._left = means.small.rlimit or 0
        self._unlimited = not means.small.rlimit

    def difference(self, memories: frozenset[str], name: str) -> _Difference | None:
        """Return two shortest executions that differ only in these memories and in a property.

        None where none are found within the effort.
        """
        try:
            return self._difference(memories, name)
        except SolvingError:
            return None

    def _difference(self, memories: frozenset[str], name: str) -> _Difference | None:
        copied = self._dependents.of(memories)
        stated = self._part.property(name).term
        if copied.isdisjoint(walk.variables(stated)):
            return None
        other = walk.renamed(stated, lambda one: OTHER + one if one in copied else one)
        solver = new_solver()
        unrolling = Unrolling(solver, _doubled(self._part, copied, memories), initial=True)
        for step in range(STEPS):
            self._means.check_cancelled()
            if self._left <= 0 and not self._unlimited:
                return None
            unrolling.frame(step)
            here, there = (unrolling.term(term, step) for term in (stated, other))
            solver.push()
            solver.add(solver.negation(solver.equal(here, there)))
            spent = solver.spent
            answer = solver.check((), Effort(max(self._left, 0), self._means.small.timeout_s))
            self._left -= solver.spent - spent
            if answer is Answer.SAT:
                return self._confirmed(unrolling, step, name, copied, memories=memories)
            if answer is Answer.UNKNOWN:
                return None
            solver.pop()
            solver.add(here)
            solver.add(there)
        return None

    def _confirmed(
        self,
        unrolling: Unrolling,
        step: int,
        name: str,
        copied: frozenset[str],
        *,
        memories: frozenset[str],
    ) -> _Difference | None:
        """Replay two executions; None if not exactly one violates the property."""
        choices = unrolling.choices(step, system=self._part)
        first = unrolling.valuation(0)
        before = {
            one: first[OTHER + one] if one in copied else value
            for one, value in choices.before.items()
        }
        one, two = (self._run(known) for known in (choices, replace(choices, before=before)))
        if one is None or two is None:
            return None
        failing = [found.violated.get(name) == step for found in (one, two)]
        if sorted(failing) != [False, True]:
            return None
        pairs = {
            memory: (choices.before[memory], before[memory])
            for memory in sorted(memories & before.keys())
            if choices.before[memory] != before[memory]
        }
        if failing[0]:
            return _Difference(one, pairs)
        return _Difference(two, {memory: (b, a) for memory, (a, b) in pairs.items()})

    def _run(self, choices: Choices) -> Execution | None:
        execution = self._meaning.run(choices)
        return execution if execution is not None and execution.assumed else None


class _Dependents:
    """Tell what depends on memories before the first step; immutable.

    What reads them in the first step only need not be read later, and the other way round.
    """

    def __init__(self, system: TransitionSystem) -> None:
        clocks = _clocks(system)
        begun, going = dict.fromkeys(clocks, True), dict.fromkeys(clocks, False)
        init, invar, trans = ConstraintKind.INIT, ConstraintKind.INVAR, ConstraintKind.TRANS
        self._declared = system.variables.keys()
        self._at_first = _readers_of(system, (init, invar), begun)
        self._second = _readers_of(system, (trans,), begun)
        self._later = _readers_of(system, (invar, trans), going)

    def of(self, memories: frozenset[str]) -> frozenset[str]:
        """Return some memories, and all variables that may depend on them in any step."""
        first = reached(memories & self._declared, self._at_first)
        kept = {name for one in first for name in self._second(one)}
        return frozenset([*first, *reached(kept, self._later)])


def _readers_of(
    system: TransitionSystem, kinds: Collection[ConstraintKind], clocks: Mapping[str, bool]
) -> Callable[[str], Iterable[str]]:
    """Return what tells the variables that constraints of some kinds define by a variable."""
    readers: dict[str, list[str]] = {}
    for constraint in system.constraints:
        if constraint.defines is not None and constraint.kind in kinds:
            for name in _read(constraint, clocks):
                readers.setdefault(name, []).append(constraint.defines)
    return lambda name: readers.get(name, ())


def _read(constraint: Constraint, clocks: Mapping[str, bool]) -> set[str]:
    """Return the variables that a constraint reads, given clocks, beside the one it defines."""
    found: set[str] = set()
    own = Op.NEXT_VAR if constraint.kind is ConstraintKind.TRANS else Op.VAR
    seen = {constraint.term}
    left = [constraint.term]
    while left:
        term = left.pop()
        args = term.args
        if term.op in {Op.VAR, Op.NEXT_VAR}:
            if term.op is not own or term.payload != constraint.defines:
                found.add(str(term.payload))
        elif term.op is Op.ITE and args[0].op is Op.VAR and args[0].payload in clocks:
            args = (args[1] if clocks[str(args[0].payload)] else args[2],)
        left += [arg for arg in args if arg not in seen]
        seen.update(args)
    return found


def _clocks(system: TransitionSystem) -> frozenset[str]:
    """Return the variables that are true in the first step and false in all others."""
    begun = {ConstraintKind.INIT: set[str](), ConstraintKind.TRANS: set[str]()}
    for constraint in system.constraints:
        if constraint.defines is None or constraint.kind not in begun:
            continue
        value = constraint.term.args[1]
        if value == terms.const(constraint.kind is ConstraintKind.INIT, BOOL):
            begun[constraint.kind].add(constraint.defines)
    return frozenset(begun[ConstraintKind.INIT] & begun[ConstraintKind.TRANS])


def _doubled(
    system: TransitionSystem, copied: frozenset[str], free: frozenset[str]
) -> TransitionSystem:
    """Return a system with copies of some variables; those of `free` ones begin arbitrarily."""
    constraints = [
        c
        for c in system.constraints
        if not copied.isdisjoint(walk.variables(c.term))
        and (c.defines is None or c.defines in copied)
    ]
    found = doubled(system, copied, constraints)
    begun = {c.defines for c in system.constraints if c.kind is ConstraintKind.INIT} | free
    same = []
    for name in system.variables:
        declared = system.variables[name]
        if name in copied and name not in begun and declared.kind is SystemVariableKind.STATE:
            here, there = (terms.var(one, declared.sort) for one in (name, OTHER + name))
            equal = terms.eq(there, here)
            same.append(Constraint(ConstraintKind.INIT, equal, None, OTHER + name))
    return replace(found, constraints=(*found.constraints, *same))
