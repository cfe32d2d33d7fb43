"""The part of a system that decides a property of any logic, and executions of that part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model.execution import Execution
from mutproof.model.program import ASSIGNS, Bodies, ElementId, Program
from mutproof.model.system import Constraint, TransitionSystem, read
from mutproof.solving.liveness.verdict import LinearProof


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
    left_out = _left_out(system, part)
    return part if all(constraint.never_blocks for constraint in left_out) else system


def _as_in(
    original: TransitionSystem, system: TransitionSystem, names: frozenset[str]
) -> TransitionSystem | None:
    """Return the part of a system as it is in another one, if other constraints read the same.

    None if they do not.
    """
    gone = [*_left_out(original, system)]
    added = system.constraints[len(original.constraints) - len(gone) :]
    if len(gone) != len(added) or not all(map(_read_alike, gone, added)):
        return None
    part = scope(original, names)
    if part is original:
        return system
    others = [*reversed([*zip(gone, added, strict=True)])]
    inside = [*reversed(part.constraints)]
    kept, changed = list[Constraint](), list[Constraint]()
    for one in original.constraints:
        other = others.pop()[1] if others and others[-1][0] is one else None
        if inside and inside[-1] is one:
            inside.pop()
            if other is None:
                kept.append(one)
            else:
                changed.append(other)
    return part.with_constraints((*kept, *changed))


def _read_alike(one: Constraint, other: Constraint) -> bool:
    """Tell whether a system depends on two constraints in the same way."""
    return (
        (one.kind, one.defines, one.never_blocks) == (other.kind, other.defines, other.never_blocks)
        and read(one.term) == read(other.term)
        and slicing.assigned(one) == slicing.assigned(other)
    )


def _left_out(system: TransitionSystem, part: TransitionSystem) -> Iterator[Constraint]:
    """Yield the constraints of a system that a part lacks, which has the others in their order."""
    kept = iter(part.constraints)
    following = next(kept, None)
    for constraint in system.constraints:
        if constraint is following:
            following = next(kept, None)
        else:
            yield constraint


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
    whole = scope(system, (name,))
    exactly = frozenset({digest_parts("exactly", whole.digest)})
    if part is None:
        return exactly
    return exactly.union([_by_part(whole)], (constraint.digest for constraint in part.constraints))


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
        used = (c.digest for c in proof.system.constraints if c.owner in proof.rests_on)
        if (needed := frozenset(used)) <= system.owners.keys():
            return frozenset(owner for one in needed for owner in system.owners[one])
    whole = scope(system, (name,))
    found = whole.constraints
    if _by_part(whole) in support:
        found = tuple(constraint for constraint in found if constraint.digest in support)
    return frozenset(constraint.owner for constraint in found if constraint.owner is not None)


def _by_part(whole: TransitionSystem) -> Digest:
    """Return the mark of support that names what a part of a scope states."""
    return digest_parts("by a part", whole.digest)
