"""An explicit-state search over small transition systems: slow, and simple enough to believe."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from mutproof.model import sorts, walk
from mutproof.model.compile import Compiler
from mutproof.model.operators import Op
from mutproof.model.sorts import Value, WordSort
from mutproof.model.system import (
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)

Row = tuple[Value, ...]


@dataclass(frozen=True)
class StateSpace:
    """Hold the initial states, those reached from them, and the successors of these."""

    names: tuple[str, ...]
    initial: tuple[Row, ...]
    reachable: tuple[Row, ...]
    successors: dict[Row, tuple[Row, ...]]


def _values(variable: SystemVariable) -> tuple[Value, ...] | None:
    if isinstance(variable.sort, WordSort):
        width = variable.sort.width
        low = -(1 << (width - 1)) if variable.sort.signed else 0
        return tuple(range(low, low + (1 << width))) if width <= 8 else None
    if isinstance(variable.sort, sorts.IntSort):
        low, high = variable.sort.low, variable.sort.high
        if low is None or high is None or high - low > 1000:
            return None
    return sorts.domain(variable.sort)


def explore(system: TransitionSystem, *, limit: int = 300) -> StateSpace | None:
    """Return the state space of a system with at most `limit` valuations, None for others."""
    free = [v for v in system.variables.values() if v.kind is not SystemVariableKind.DEFINED]
    defined = [v for v in system.variables.values() if v.kind is SystemVariableKind.DEFINED]
    domains = [_values(variable) for variable in free]
    count = 1
    for domain in domains:
        count *= limit + 1 if domain is None else len(domain)
    if count > limit:
        return None
    names = tuple(variable.name for variable in (*free, *defined))
    compiler = Compiler({name: index for index, name in enumerate(names)})
    of_kind = {
        kind: compiler.compile_all([c.term for c in system.constraints if c.kind is kind])
        for kind in ConstraintKind
    }
    equations = {
        c.defines: c.term.args[1]
        for c in system.constraints
        if c.kind is ConstraintKind.INVAR and c.defines is not None
    }
    bodies = compiler.compile_all([equations[variable.name] for variable in defined])
    states = []
    for valuation in product(*(domain for domain in domains if domain is not None)):
        row: list[Value] = [*valuation, *(False for _ in defined)]
        for _ in defined:
            before = list(row)
            for index, body in enumerate(bodies, start=len(free)):
                row[index] = body(row, row, {})
            if row == before:
                break
        if all(holds(row, row, {}) for holds in of_kind[ConstraintKind.INVAR]):
            states.append(tuple(row))
    rows = [(state, list(state)) for state in states]
    starts, steps = of_kind[ConstraintKind.INIT], of_kind[ConstraintKind.TRANS]
    initial = tuple(state for state, row in rows if all(start(row, row, {}) for start in starts))
    successors: dict[Row, tuple[Row, ...]] = {}
    found = dict.fromkeys(initial)
    stack = list(initial)
    while stack:
        state = stack.pop()
        here = list(state)
        successors[state] = tuple(
            other for other, there in rows if all(step(here, there, {}) for step in steps)
        )
        for other in successors[state]:
            if other not in found:
                found[other] = None
                stack.append(other)
    return StateSpace(names, initial, tuple(found), successors)


def invariant_holds(system: TransitionSystem, space: StateSpace, name: str) -> bool:
    """Tell whether an invariant holds in every reachable state, or in every transition."""
    compiler = Compiler({variable: index for index, variable in enumerate(space.names)})
    stated = system.property(name)
    holds = compiler.compile_all([stated.term])[0]
    reads_next = any(part.op is Op.NEXT_VAR for part in walk.subterms(stated.term))
    for state in space.reachable:
        others = space.successors[state] if reads_next else (state,)
        if not all(holds(list(state), list(other), {}) for other in others):
            return False
    return True
