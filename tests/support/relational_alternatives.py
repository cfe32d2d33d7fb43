"""Alternatives of small random systems, and what shows that they fail."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import (
    Constraint,
    SystemProperty,
    SystemVariable,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Violated
from support.explicit import explore
from support.oracles import Graph
from support.relational_systems import (
    BRANCHING,
    INIT,
    INVAR,
    LINEAR,
    STATE,
    STATES,
    TRANS,
    A,
    D,
    N,
    combined,
    systems,
)

_ALONG_A_PATH = {
    Op.AX: Op.X,
    Op.EX: Op.X,
    Op.AF: Op.F,
    Op.EF: Op.F,
    Op.AG: Op.G,
    Op.EG: Op.G,
    Op.AU: Op.U,
    Op.EU: Op.U,
    Op.ABF: Op.F,
    Op.EBF: Op.F,
    Op.ABG: Op.G,
    Op.EBG: Op.G,
}


def along_a_path(formula: Term) -> Term:
    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        op = _ALONG_A_PATH.get(term.op)
        if op is not None:
            return terms.make(op, BOOL, args, term.payload)
        return _until(term, args) if term.op in {Op.ABU, Op.EBU} else terms.rebuilt(term, args)

    return walk.fold(formula, combine)


def _until(term: Term, args: tuple[Term, ...]) -> Term:
    """Return by single steps that the second term holds in the limits, the first before."""
    through, target = args
    low, high = term.payload  # type: ignore[misc]
    found = terms.FALSE
    for step in range(high, -1, -1):
        later = terms.and_(through, terms.make(Op.X, BOOL, (found,)))
        found = terms.or_(target, later) if low <= step else later
    return found


def owned(system: TransitionSystem) -> TransitionSystem:
    named = tuple(
        replace(constraint, owner=ElementId("main", "element", str(number)))
        for number, constraint in enumerate(system.constraints)
    )
    return replace(system, constraints=named)


@st.composite
def alternatives(draw: st.DrawFn, system: TransitionSystem) -> Alternative:
    changed = draw(st.lists(st.sampled_from(system.constraints), min_size=1, max_size=2))
    added: list[Constraint] = []
    for constraint in dict.fromkeys(changed):
        body = draw(combined((A, terms.eq(N, terms.int_(1)), terms.not_(A))))
        choice = draw(st.integers(0, 3))
        if constraint.defines == "d" and choice:
            added.append(Constraint(INVAR, terms.eq(D, body), constraint.owner, "d"))
        elif choice == 1:
            kind = draw(st.sampled_from([INIT, INVAR, TRANS]))
            added.append(Constraint(kind, terms.or_(body, draw(STATES)), constraint.owner))
        elif choice == 2:
            term = terms.and_(constraint.term, terms.or_(body, draw(STATES)))
            added.append(replace(constraint, term=term, defines=None))
    return Alternative(frozenset(c.owner for c in changed if c.owner is not None), tuple(added))


@st.composite
def families(draw: st.DrawFn) -> tuple[TransitionSystem, dict[str, Alternative]]:
    system = owned(draw(systems()))
    kinds = [
        (PropertyKind.INVARIANT, STATES),
        (PropertyKind.CTL, BRANCHING),
        (PropertyKind.LTL, LINEAR),
    ]
    properties = tuple(
        SystemProperty(f"p{number}", draw(formulas), kind)
        for number, (kind, formulas) in enumerate(kinds)
    )
    system = replace(system, properties=properties)
    count = draw(st.integers(1, 5))
    return system, {f"m{n}": draw(alternatives(system)) for n in range(count)}


def check_evidence(
    system: TransitionSystem, graph: Graph, stated: SystemProperty, verdict: Violated
) -> None:
    is_linear = stated.kind is not PropertyKind.CTL
    assert verdict.evidence is not None or not is_linear
    if verdict.evidence is None:
        return
    rows = execution(graph, verdict.evidence)
    loop = verdict.evidence.loop
    if stated.kind is PropertyKind.INVARIANT:
        assert loop is None
        assert rows[-1] not in graph.where(stated.term)
        return
    assert loop is not None
    cycle = rows[loop:]
    assert graph.is_fair(cycle) if is_linear else all(set(cycle) & o for o in graph.justice)
    assert not graph.holds_on(along_a_path(stated.term), rows, loop)


def execution(graph: Graph, trace: Trace) -> list[tuple[object, ...]]:
    rows = [graph.row(dict(step)) for step in trace.steps]
    assert rows[0] in graph.space.initial
    following = rows[1:] if trace.loop is None else [*rows[1:], rows[trace.loop]]
    for row, other in zip(rows, following, strict=trace.loop is not None):
        assert other in graph.after[row]
    return rows


def graph_of(system: TransitionSystem) -> Graph:
    space = explore(system)
    assert space is not None
    return Graph(system, space)


def dead_end(graph: Graph) -> str:
    """Return whether executions cannot begin or go on, as a word for either."""
    going = {graph.state[row] for row in graph.rows if graph.after[row]}
    if not graph.space.initial:
        return "empty"
    return "stuck" if any(graph.state[row] not in going for row in graph.rows) else ""


def with_free_variables(system: TransitionSystem) -> TransitionSystem:
    """Declare what has lost its equation as a variable, which is what it means."""
    if any(constraint.defines == "d" for constraint in system.constraints):
        return system
    variables = {**system.variables, "d": SystemVariable("d", BOOL, STATE)}
    return replace(system, variables=variables)
