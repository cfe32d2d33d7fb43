"""The part of a system that decides a property of any logic, and executions of that part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutproof.base.digest import Digest, digest_parts
from mutproof.model import cone_digests
from mutproof.model import slice as slicing
from mutproof.model.execution import Execution
from mutproof.model.program import ASSIGNS, Bodies, ElementId, Program
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.solving.liveness.verdict import LinearProof

_BY_PART = "by a part"
"""What marks support that names what a part of a scope states."""


def scope(system: TransitionSystem, names: Iterable[str]) -> TransitionSystem:
    """Return the part of a system that decides the properties, whatever their logic.

    What is left out can never end or forbid a path, or make it unfair: only assignments that
    fairness does not depend on, which give their variables a value in every state.
    """
    chosen = frozenset(names)
    return system.scopes.get(chosen, lambda: _part(system, chosen))


def _part(system: TransitionSystem, names: frozenset[str]) -> TransitionSystem:
    if system.original is not None:
        known = _as_in(system.original, system, names)
        if known is not None:
            return known
    part = slicing.Slicer(system, chosen=True).cone(names, fair=True)
    if len(part.constraints) == len(system.constraints):
        return part
    left_out = slicing.left_out(system, part)
    blocks = (not system.constraints[index].never_blocks for index in left_out)
    return system if any(blocks) else part


def _as_in(
    original: TransitionSystem, system: TransitionSystem, names: frozenset[str]
) -> TransitionSystem | None:
    """Return the part of a system as it is in another one, if other constraints read the same.

    None if they do not.
    """
    swapped = slicing.swapped(original, system)
    if swapped is None:
        return None
    part = scope(original, names)
    if part is original:
        return system
    inside = [*reversed(part.constraints)]
    kept, changed = list[Constraint](), list[Constraint]()
    for index, one in enumerate(original.constraints):
        other = swapped.get(index)
        if inside and inside[-1] is one:
            inside.pop()
            if other is None:
                kept.append(one)
            else:
                changed.append(other)
    return part.with_constraints((*kept, *changed))


def outside(program: Program, part: TransitionSystem) -> Bodies:
    """Return the bodies that remove the assignments to variables that a part does not have."""
    known = {prefix for name in part.variables for prefix in _wholes(name)}
    return {
        element: None
        for element in program.elements()
        if element.kind in ASSIGNS and element.targets[0] not in known
    }


def _wholes(name: str) -> Iterator[str]:
    """Yield a variable and, of a cell, the arrays that it is in."""
    yield name
    while name.endswith("]"):
        name = name.rpartition("[")[0]
        yield name


def restricted(execution: Execution, part: TransitionSystem) -> Execution:
    """Return an execution reduced to the variables of a part."""
    steps = tuple(
        {name: value for name, value in step.items() if name in part.variables}
        for step in execution.trace.steps
    )
    return replace(execution, trace=replace(execution.trace, steps=steps))


def rests_on_all(
    system: TransitionSystem, name: str, part: TransitionSystem | None = None
) -> frozenset[Digest]:
    """Return the support of evidence that holds for exactly what decides a property.

    If it was found on a `part`, the support also names what that states.
    """
    decided_by = _deciding(system, name)
    exactly = frozenset({digest_parts("exactly", decided_by)})
    if part is None:
        return exactly
    by_part = digest_parts(_BY_PART, decided_by)
    return exactly.union([by_part], (constraint.digest for constraint in part.constraints))


def core_of(
    system: TransitionSystem,
    name: str,
    support: frozenset[Digest],
    proof: LinearProof | None = None,
) -> frozenset[ElementId]:
    """Return the elements that evidence with such a support, or such a proof, rests on today.

    They are found by their constraints: since the proof they may have been renamed or split.
    """
    if proof is not None and proof.rests_on is not None:
        then, core = proof.system.by_owner, proof.rests_on
        if all(then.get(owner) == system.by_owner.get(owner) for owner in core):
            return system.stating.get(core, lambda: _stating(system, _stated(system, core)))
        if (needed := _stated(proof.system, core)) <= system.owners.keys():
            return _stating(system, needed)
    found = scope(system, (name,)).constraints
    if digest_parts(_BY_PART, _deciding(system, name)) in support:
        found = tuple(constraint for constraint in found if constraint.digest in support)
    return frozenset(constraint.owner for constraint in found if constraint.owner is not None)


def _deciding(system: TransitionSystem, name: str) -> Digest:
    """Return the digest of what decides a property: of no more than its scope, and of all that."""
    known = cone_digests.of_property(system, name)
    return scope(system, (name,)).digest if known is None else known


def _stated(system: TransitionSystem, owners: Iterable[ElementId]) -> frozenset[Digest]:
    """Return the digests of the constraints of elements."""
    return frozenset(c.digest for owner in owners for c in system.by_owner.get(owner, ()))


def _stating(system: TransitionSystem, constraints: Iterable[Digest]) -> frozenset[ElementId]:
    """Return the elements that state some constraints, by their digests."""
    return frozenset(owner for one in constraints for owner in system.owners[one])
