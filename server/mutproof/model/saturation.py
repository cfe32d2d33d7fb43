"""Counters without bounds that count no further where nothing tells larger numbers apart.

A number that is compared with 3 alone is as good as one that stays at 4 when it grows. So models
that count without end may have few states, each of which stands for many. Whether they do is not
known here: what such states say is checked as an invariant.
Source: Pnueli, Xu and Zuck, Liveness with (0,1,infinity)-Counter Abstraction, CAV 2002.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from mutproof.base.digraph import cyclic_components
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import IntSort, Value
from mutproof.model.system import SystemVariable, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term

_Number: TypeAlias = "str | Term"
"""A variable, by name, or another term."""

STEP = 1
"""By how much counters move, where constants do not say."""


class NumberEnds(NamedTuple):
    """Hold numbers that stand for themselves and all beyond them."""

    low: int
    high: int

    def rounded(self, column: Mapping[Value, int]) -> dict[Value, int]:
        """Return in which rows a variable has each value, without those beyond the ends."""
        found: dict[Value, int] = {}
        for value, rows in column.items():
            assert isinstance(value, int)
            nearest = min(max(value, self.low), self.high)
            found[nearest] = found.get(nearest, 0) | rows
        return found

    def stated(self, variable: SystemVariable, value: Value) -> Term:
        """Return the condition that a variable has a value, or one that it stands for."""
        read, limit = terms.var(variable.name, variable.sort), terms.const(value, variable.sort)
        if value == self.low:
            return terms.compare(Op.LE, read, limit)
        return terms.compare(Op.GE if value == self.high else Op.EQ, read, limit)


def ends(system: TransitionSystem) -> dict[str, NumberEnds]:
    """Return the ends of remembered numbers without bounds: what they are compared with, and more.

    What meets a number beyond the sum of all constants that do, but for steps, rarely tells it
    from the next one.
    """
    met = _met([*(c.term for c in system.constraints), *(p.term for p in system.properties)])
    found: dict[str, NumberEnds] = {}
    for name, variable in system.variables.items():
        sort = variable.sort
        if variable.kind is not SystemVariableKind.STATE or not isinstance(sort, IntSort):
            continue
        if sort.low is None or sort.high is None:
            most = sum(size for size in met.get(name, ()) if size > STEP) + STEP
            low = -most if sort.low is None else sort.low - 1
            found[name] = NumberEnds(low, most if sort.high is None else sort.high + 1)
    return found


def _met(stated: Iterable[Term]) -> Mapping[_Number, set[int]]:
    """Return the sizes of the constants that meet numbers, each also through others."""
    graph: dict[_Number, set[_Number]] = {}
    sizes: dict[_Number, set[int]] = {}
    for term in dict.fromkeys(part for whole in stated for part in walk.subterms(whole)):
        met = [part for part in (*term.args, term) if isinstance(part.sort, IntSort)]
        keys = [_key(part) for part in met if part.op is not Op.CONST]
        for key in keys:
            graph.setdefault(key, set()).add(keys[0])
            graph[keys[0]].add(key)
        if keys:
            constants = (part.payload for part in met if part.op is Op.CONST)
            own = {abs(value) for value in constants if isinstance(value, int)}
            sizes.setdefault(keys[0], set()).update(own)
    found: dict[_Number, set[int]] = {}
    for together in cyclic_components(graph):
        known = set[int]().union(*(sizes.get(number, ()) for number in together))
        found.update(dict.fromkeys(together, known))
    return found


def _key(term: Term) -> _Number:
    return str(term.payload) if term.op in {Op.VAR, Op.NEXT_VAR} else term
