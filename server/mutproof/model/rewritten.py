"""What other bodies of a program change in its transition system."""

from __future__ import annotations

from dataclasses import replace

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Hold a program with other bodies as a change of its transition system.

    The constraints of the `removed` elements do not hold; `constraints` hold instead, and
    `variables` are new. `system` is given where the change reaches further than constraints: then
    it alone is the meaning. `lost` are properties that are no longer stated. `refused` says why the
    program is no model, empty if it is one. `linked`: memories of called nodes matter.
    """

    removed: frozenset[ElementId]
    constraints: tuple[Constraint, ...]
    variables: tuple[SystemVariable, ...] = ()
    system: TransitionSystem | None = None
    lost: frozenset[str] = frozenset()
    refused: str = ""
    linked: bool = False


def difference(
    system: TransitionSystem, changed: TransitionSystem, removed: frozenset[ElementId]
) -> Rewritten:
    """Return the constraints that differ; the whole system if more than elements' ones differ."""
    before, after = system.by_owner, changed.by_owner
    if replace(changed, constraints=system.constraints) != system or {*before.get(None, ())} != {
        *after.get(None, ())
    }:
        return Rewritten(removed, (), system=changed)
    concerned = removed.union(
        owner
        for owner in (before.keys() | after.keys())
        if owner is not None and before.get(owner) != after.get(owner)
    )
    constraints = tuple(c for c in changed.constraints if c.owner in concerned)
    return Rewritten(concerned, constraints)
