"""The initial order of variables in diagrams: those read together are close, words bit by bit.

Source: Aloul, Markov & Sakallah 2003, FORCE: a fast and easy-to-implement variable-ordering
heuristic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutproof.model import walk
from mutproof.model.sorts import WordSort
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.coding import Coding

ROUNDS = 30
"""The most times that all variables are moved."""


def ordered(
    system: TransitionSystem, definitions: Mapping[str, Term], codings: Sequence[Coding]
) -> list[str]:
    """Return the bits of variables in the order that brings those of each constraint together.

    Words of one width that are read together are interleaved: equal words, sums and comparisons
    have small diagrams then. `definitions` are equations that stand for their variables.
    """
    by_name = {one.name: one for one in codings}
    edges = _edges(system, definitions, frozenset(by_name))
    names = _close(edges, [*by_name])
    return _interleaved(edges, [by_name[name] for name in names])


def _close(edges: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    """Return names in the order that brings those of each edge together."""
    touching: dict[str, list[int]] = {name: [] for name in names}
    for number, edge in enumerate(edges):
        for name in edge:
            touching[name].append(number)
    best = list(names)
    best_span = _span(edges, best)
    order = best
    for _ in range(ROUNDS):
        place = {name: index for index, name in enumerate(order)}
        centres = [sum(place[name] for name in edge) / len(edge) for edge in edges]
        pull = {
            name: sum(centres[number] for number in found) / len(found)
            if found
            else float(place[name])
            for name, found in touching.items()
        }
        moved = sorted(order, key=lambda name: (pull[name], place[name]))
        if moved == order:
            break
        order = moved
        span = _span(edges, order)
        if span < best_span:
            best, best_span = order, span
    return best


def _interleaved(edges: Iterable[Sequence[str]], codings: Sequence[Coding]) -> list[str]:
    """Return the bits of variables in order, those of words that share an edge row by row."""
    words = {one.name: len(one.bits) for one in codings if isinstance(one.sort, WordSort)}
    found = {name: name for name in words}

    def group(name: str) -> str:
        while found[name] != name:
            name = found[name]
        return name

    for edge in edges if words else ():
        first: dict[int, str] = {}
        for name in filter(words.__contains__, edge):
            found[group(name)] = group(first.setdefault(words[name], name))
    groups: dict[str, list[Coding]] = {}
    for one in codings:
        key = group(one.name) if one.name in words else one.name
        groups.setdefault(key, []).append(one)
    return [
        bit
        for together in groups.values()
        for row in zip(*(one.bits for one in together), strict=True)
        for bit in row
    ]


def _edges(
    system: TransitionSystem, definitions: Mapping[str, Term], names: frozenset[str]
) -> list[tuple[str, ...]]:
    """Return the variables of each conjunct, through definitions, if it has more than one."""
    reads: dict[str, frozenset[str]] = {}

    def behind(name: str) -> frozenset[str]:
        """Return the variables that a name depends on, through definitions."""
        stack = [name]
        while stack:
            top = stack[-1]
            if top in reads:
                stack.pop()
            elif top not in definitions:
                reads[top] = frozenset({top}) & names
            else:
                inner = sorted(walk.variables(definitions[top]))
                missing = [other for other in inner if other not in reads]
                if missing:
                    stack.extend(missing)
                else:
                    reads[top] = frozenset().union(*(reads[other] for other in inner))
        return reads[name]

    found: dict[tuple[str, ...], None] = {}
    for constraint in system.constraints:
        if constraint.defines in definitions and constraint.defines is not None:
            continue
        for term in walk.conjuncts(constraint.term):
            edge = frozenset().union(*(behind(name) for name in walk.variables(term)))
            if len(edge) > 1:
                found[tuple(sorted(edge))] = None
    return list(found)


def _span(edges: Sequence[Sequence[str]], order: Sequence[str]) -> int:
    place = {name: index for index, name in enumerate(order)}
    return sum(
        max(place[name] for name in edge) - min(place[name] for name in edge) for edge in edges
    )
