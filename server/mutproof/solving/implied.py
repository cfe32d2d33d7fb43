"""Constraints that the assignments of a NuSMV model imply, which so restrict and end no execution.

They may hold in the first states by themselves; that they always do is proved by induction from the
assignments alone, which give each state a successor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mutproof.base.budget import Budget
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    TransitionSystem,
)
from mutproof.solving import certify, portfolio
from mutproof.solving.parts import resting_on
from mutproof.solving.verdict import Proved

LIMITS = Budget(600_000, 2.0)
"""How much is spent on the constraints of one system."""

ENGINES = ("bmc", "k-induction")


@dataclass(frozen=True, slots=True)
class _Ground:
    """Hold what a constraint was shown to follow from, whatever else there is."""

    constraints: frozenset[Constraint]
    declared: frozenset[SystemVariable]

    def is_in(self, system: TransitionSystem, stated: frozenset[Constraint]) -> bool:
        """Tell whether a system states all of it, with the same declarations."""
        if not self.constraints <= stated:
            return False
        return all(system.variables.get(one.name) == one for one in self.declared)


_Grounds = Mapping[Constraint, _Ground]

_latest: deque[_Grounds] = deque(maxlen=64)
_shown: Memo[Mapping[str, _Ground]] = Memo(1_000)


def all_are_implied(system: TransitionSystem) -> bool:
    """Tell whether it is shown that assignments imply all that could end an execution."""
    limits = _limits(system)
    return limits is not None and len(_grounds(system, limits)) == len(limits)


@dataclass(frozen=True, slots=True)
class Implied:
    """Hold what could end an execution, and the assignments that imply that it does not."""

    limits: tuple[Constraint, ...]
    grounds: frozenset[Constraint]

    @property
    def owners(self) -> frozenset[ElementId]:
        """Return the elements that state any of it."""
        stated = (*self.limits, *self.grounds)
        return frozenset(one.owner for one in stated if one.owner is not None)


def implied(system: TransitionSystem) -> Implied | None:
    """Return what could end an execution with what implies it.

    Mutants of elements that state nothing of it have executions, none of which ends, if the model
    has. None where not all is implied, or where elements restrict the first states besides.
    """
    limits = _limits(system)
    if limits is None or any(map(_restricts_first, system.constraints)):
        return None
    found = _grounds(system, limits)
    if len(found) < len(limits):
        return None
    grounds = (one.constraints for one in found.values())
    return Implied(tuple(limits), frozenset[Constraint]().union(*grounds))


def freed(system: TransitionSystem) -> TransitionSystem:
    """Return a system with the same executions without constraints on steps that are implied."""
    limits = _limits(system)
    if limits is None:
        return system
    known = _grounds(system, limits)
    found = {one for one in known if one.kind is ConstraintKind.TRANS}
    if not found:
        return system
    return replace(system, constraints=tuple(c for c in system.constraints if c not in found))


def _restricts_first(one: Constraint) -> bool:
    is_stated = one.owner is not None and one.defines is None
    return is_stated and not one.never_blocks and one.kind is not ConstraintKind.TRANS


def _at_first(limit: Constraint) -> Constraint | None:
    """Return what an implied constraint says of first states alone, None if nothing."""
    if limit.kind is not ConstraintKind.INVAR:
        return None
    return Constraint(ConstraintKind.INIT, limit.term)


def _limits(system: TransitionSystem) -> list[Constraint] | None:
    """Return what could end an execution, None where some of it speaks of steps.

    There is something that an element states.
    """
    if not system.relational:
        return None
    found = [
        one
        for one in system.constraints
        if one.kind is not ConstraintKind.INIT
        and not (one.never_blocks and (one.owner or one.defines) is not None)
    ]
    if not any(one.owner is not None for one in found):
        return None
    if any(Op.NEXT_VAR in walk.operators(one.term) for one in found):
        return None
    declared = [one for one in found if one.owner is None]
    given = _given(system, frozenset(found)) if declared else frozenset[str]()
    return [one for one in found if one.owner or not given.isdisjoint(walk.variables(one.term))]


def _given(system: TransitionSystem, limits: frozenset[Constraint]) -> frozenset[str]:
    """Return the variables to which constraints other than limits may give a value.

    Others can have any of their declared values in each state.
    """
    found = set[str]()
    for one, read in zip(system.constraints, system.reads, strict=True):
        if one.kind is not ConstraintKind.INIT and one not in limits:
            found |= read if one.defines is None else {one.defines}
    return frozenset(found)


def _grounds(system: TransitionSystem, limits: list[Constraint]) -> _Grounds:
    stated = frozenset(system.constraints) | {
        first for one in limits if (first := _at_first(one)) is not None
    }
    found = dict[Constraint, _Ground]()
    for one in limits:
        for known in _latest:
            if one in known and known[one].is_in(system, stated):
                found[one] = known[one]
                break
    if len(found) < len(limits):
        found |= _proved(system, limits)
    return found


def _proved(system: TransitionSystem, limits: list[Constraint]) -> _Grounds:
    goals = {f"?implied:{number}": one for number, one in enumerate(limits)}
    dropped = frozenset(limits)
    kept = [one for one in system.constraints if one not in dropped]
    kept += [first for one in limits if (first := _at_first(one)) is not None]
    stated = (SystemProperty(n, c.term, PropertyKind.INVARIANT) for n, c in goals.items())
    assigning = replace(system, constraints=tuple(kept), properties=tuple(stated))
    part = slicing.cone(assigning, goals)
    shown = _shown.get(part.attributed, lambda: _attempted(part, goals))
    found = {goals[name]: ground for name, ground in shown.items()}
    if found:
        _latest.appendleft(found)
    return found


def _attempted(part: TransitionSystem, goals: Iterable[str]) -> Mapping[str, _Ground]:
    options = portfolio.PortfolioOptions(engines=ENGINES)
    outcome = portfolio.prove(part, LIMITS, options, goals=tuple(goals))
    found = dict[str, _Ground]()
    for name, verdict in outcome.verdicts.items():
        if not isinstance(verdict, Proved) or verdict.core is None:
            continue
        certificate, core = verdict.certificate, verdict.core
        if certify.certify(part, certificate, LIMITS, owners=core).ok:
            said = certify.statements(part, certificate)
            rests_on = resting_on(part, said, core)
            declared = frozenset(rests_on.variables.values())
            found[name] = _Ground(frozenset(rests_on.constraints), declared)
    return found
