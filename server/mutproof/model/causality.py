"""Which values of a step need which others of the same step, and whether an order exists.

Calls are looked through: an output of a call depends on those arguments that the called
component reads in the same step on the way to that output. That is what inlining would give,
without inlining: a loop through an instance enters it by an input and leaves it by an output.

Source: JKind, StaticAnalyzer (algebraic loops), on the program after node inlining.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeAlias

from mutproof.base.digraph import cycles, reached
from mutproof.base.giving_way import STEPS, by_steps, give_way
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import loops, sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, Program
from mutproof.model.terms import Site, Term

Summary: TypeAlias = tuple[frozenset[int], ...]
"""For every output of a component: the 0-based inputs it needs in the same step."""

_Graph: TypeAlias = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Cycle:
    """Hold variables of a component of which each needs the next, and the last the first.

    The first variable is repeated at the end.
    """

    component: str
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Dependencies:
    """Hold the dependencies of every component of a program, callees before callers."""

    order: tuple[str, ...]
    graphs: Mapping[str, _Graph]
    summaries: Mapping[str, Summary]
    callers: Mapping[str, frozenset[str]]
    cycle: Cycle | None


_analyses: Memo[_Dependencies] = Memo(16)


def check(program: Program) -> Cycle | None:
    """Return variables that need themselves in the same step, None if there are none.

    Components must not call themselves.
    """
    return _analysis(program).cycle


def conditions(program: Program) -> Hashable:
    """Return what, beside an element's body and declarations, `Reads` of the element depends on."""
    analysis = _analysis(program)
    needed = [
        (name, tuple(tuple(sorted(inputs)) for inputs in summary))
        for name, summary in sorted(analysis.summaries.items())
    ]
    return (analysis.cycle is None, *needed)


def is_causal_with(program: Program, element: Element, new_body: Term) -> bool:
    """Tell whether a causal program stays causal when an element gets another body.

    Only what the new body newly reads is followed; components that call the changed one are checked
    again only if its outputs need other inputs than before. A body that calls its own component,
    which inlining would never finish, is not causal.
    """
    analysis = _analysis(program)
    if _calls_back(analysis, element.id.component, new_body):
        return False
    if analysis.cycle is not None:
        return loops.is_ordered(program.with_bodies({element: new_body}))
    if not element.defines:
        return True
    name = element.id.component
    graph = analysis.graphs[name]
    added = _edges(element.targets, new_body, analysis.summaries)
    if all(set(reads) <= set(graph.get(target, ())) for target, reads in added.items()):
        return True
    changed_graph = {**graph, **added}
    if _cycle_from(changed_graph, element.targets) is not None:
        return _is_ordered(program, element, new_body)
    summary = _summary(program.component(name), changed_graph)
    if summary == analysis.summaries[name]:
        return True
    causal = _callers_causal(program, analysis, name, summary)
    return causal or _is_ordered(program, element, new_body)


def _is_ordered(program: Program, element: Element, new_body: Term) -> bool:
    """Tell whether scalar parts can be computed in some order where whole values cannot."""
    if not any(
        not sorts.is_scalar(variable.sort)
        for component in program.components
        for variable in component.variables
    ):
        return False
    return loops.is_ordered(program.with_bodies({element: new_body}))


class Reads:
    """Tell quickly, of most other bodies of an equation, that they cannot make a cycle."""

    def __init__(self, program: Program, element: Element) -> None:
        analysis = _analysis(program)
        self._element = element
        self._summaries = analysis.summaries
        self._called = _called([element.body])
        self._known: dict[Term, bool] = {}
        self._is_causal = analysis.cycle is None
        graph = analysis.graphs[element.id.component]
        common = [set(graph.get(target, ())) for target in element.defines]
        self._allowed = set.intersection(*common) if common else set()
        walk.fold(element.body, self._needs_known, self._known)

    def grow(self, body: Term) -> bool:
        """Tell whether a body may need or call what the body of the model does not.

        If not, the program stays causal with it; otherwise `is_causal_with` says more.
        """
        if not self._is_causal:
            return True
        stack = [(walk.difference(self._element.body, body)[1], False)]
        while stack:
            term, delayed = stack.pop()
            known = self._known.get(term)
            if known is not None and (known or delayed):
                continue
            if known is False or (term.op is Op.VAR and not delayed and not self._reads(term)):
                return True
            if isinstance(term.payload, Site) and term.payload.component not in self._called:
                return True
            delayed = delayed or term.op is Op.PRE
            stack.extend((arg, delayed) for arg in term.args)
        return False

    def _reads(self, variable: Term) -> bool:
        return variable.payload in self._allowed

    def _needs_known(self, term: Term, args: tuple[bool, ...]) -> bool:
        """Tell whether a subterm of the unmutated body needs only what all of its targets need."""
        if term.op is Op.VAR:
            return self._reads(term)
        if term.op is Op.CALL:
            return all(args[index] for index in _inputs(term, None, self._summaries))
        return term.op is Op.PRE or all(args)


def summaries(program: Program) -> Mapping[str, Summary]:
    """Return for every component which inputs its outputs need in the same step."""
    return _analysis(program).summaries


def _analysis(program: Program) -> _Dependencies:
    return _analyses.get(program.digest, lambda: _analyse(program))


def _analyse(program: Program) -> _Dependencies:
    callers: dict[str, set[str]] = {component.name: set() for component in program.components}
    for component in by_steps(program.components):
        for called in _called(element.body for element in component.elements):
            callers[called].add(component.name)
    order = _callees_first(program, callers)
    graphs: dict[str, _Graph] = {}
    found: dict[str, Summary] = {}
    cycle: Cycle | None = None
    for name in order:
        component = program.component(name)
        graph: _Graph = {}
        for element in component.elements:
            if not element.circular:
                graph.update(_edges(element.targets, element.body, found))
        graphs[name] = graph
        found[name] = _summary(component, graph)
        if cycle is None:
            loop = _cycle_from(graph, graph)
            cycle = None if loop is None else Cycle(name, loop)
    frozen = {name: frozenset(names) for name, names in callers.items()}
    return _Dependencies(tuple(order), graphs, found, frozen, cycle)


def _callers_causal(
    program: Program, analysis: _Dependencies, changed: str, summary: Summary
) -> bool:
    found = dict(analysis.summaries)
    found[changed] = summary
    pending = set(analysis.callers[changed])
    for name in analysis.order:
        if name not in pending:
            continue
        component = program.component(name)
        graph: _Graph = {}
        for element in component.elements:
            if not element.circular:
                graph.update(_edges(element.targets, element.body, found))
        if _cycle_from(graph, graph) is not None:
            return False
        new = _summary(component, graph)
        if new != found[name]:
            found[name] = new
            pending |= analysis.callers[name]
    return True


def _calls_back(analysis: _Dependencies, name: str, body: Term) -> bool:
    """Tell whether a term in a component calls that component, directly or through others."""
    called = _called([body])
    if not called:
        return False
    above = reached([name], analysis.callers.__getitem__)
    return not called.isdisjoint(above)


def _called(bodies: Iterable[Term]) -> set[str]:
    names: set[str] = set()
    seen: set[Term] = set()
    stack = list(bodies)
    while stack:
        term = stack.pop()
        if term in seen:
            continue
        seen.add(term)
        if not len(seen) % STEPS:
            give_way()
        if isinstance(term.payload, Site):
            names.add(term.payload.component)
        stack.extend(term.args)
    return names


def _callees_first(program: Program, callers: Mapping[str, set[str]]) -> list[str]:
    missing = dict.fromkeys(callers, 0)
    for names in callers.values():
        for name in names:
            missing[name] += 1
    ready = [component.name for component in program.components if not missing[component.name]]
    order: list[str] = []
    while ready:
        name = ready.pop()
        order.append(name)
        for caller in sorted(callers[name]):
            missing[caller] -= 1
            if not missing[caller]:
                ready.append(caller)
    assert len(order) == len(callers), "components that call themselves"
    return order


def _edges(
    targets: tuple[str, ...], body: Term, found: Mapping[str, Summary]
) -> dict[str, tuple[str, ...]]:
    """Return the variables that each target of an equation needs at the same step."""
    if len(targets) == 1:
        return {targets[0]: _reads(body, None, found)}
    return {target: _reads(body, position, found) for position, target in enumerate(targets)}


def _reads(body: Term, position: int | None, found: Mapping[str, Summary]) -> tuple[str, ...]:
    """Return the variables that a term needs at the same step; `position`: of a tuple's part."""
    give_way()
    reads: dict[str, None] = {}
    stack: list[tuple[Term, int | None]] = [(body, position)]
    seen: set[tuple[Term, int | None]] = set()
    while stack:
        item = stack.pop()
        if item in seen:
            continue
        seen.add(item)
        term, part = item
        match term.op:
            case Op.VAR:
                reads[str(term.payload)] = None
            case Op.PRE | Op.CONST:
                pass
            case Op.TUPLE if part is not None:
                stack.append((term.args[part], None))
            case Op.PROJECT:
                assert isinstance(term.payload, int)
                stack.append((term.args[0], term.payload))
            case Op.ITE:
                condition, then, otherwise = term.args
                stack.extend(((otherwise, part), (then, part), (condition, None)))
            case Op.ARROW:
                stack.extend(((term.args[1], part), (term.args[0], part)))
            case Op.CALL:
                stack.extend((term.args[index], None) for index in _inputs(term, part, found))
            case Op.CONDACT:
                clock, call, *defaults = term.args
                chosen = defaults if part is None else [defaults[part]]
                stack.extend((default, None) for default in chosen)
                stack.extend(((call, part), (clock, None)))
            case _:
                stack.extend((arg, None) for arg in reversed(term.args))
    return tuple(reads)


def _inputs(term: Term, part: int | None, found: Mapping[str, Summary]) -> Iterable[int]:
    """Return the 0-based inputs that a call, or one output of it, needs; the last first."""
    assert isinstance(term.payload, Site)
    summary = found[term.payload.component]
    if part is not None:
        return sorted(summary[part], reverse=True)
    every: frozenset[int] = frozenset().union(*summary)
    return sorted(every, reverse=True)


def _summary(component: Component, graph: _Graph) -> Summary:
    """Return the 0-based inputs that each output needs, directly or through other variables."""
    inputs: dict[str, int] = {}
    outputs: list[str] = []
    for variable in component.variables:
        if variable.kind.value == "input":
            inputs[variable.name] = len(inputs)
        elif variable.kind.value == "output":
            outputs.append(variable.name)
    found = []
    for output in outputs:
        needed = reached([output], lambda name: graph.get(name, ()))
        found.append(frozenset(inputs[name] for name in needed if name in inputs))
    return tuple(found)


def _cycle_from(
    graph: Mapping[str, tuple[str, ...]], roots: Iterable[str]
) -> tuple[str, ...] | None:
    """Return a cycle that can be reached from the roots; None if there is none."""
    return next(cycles(roots, lambda name: graph.get(name, ())), None)
