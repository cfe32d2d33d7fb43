"""Counters without bounds that count no further where nothing tells larger numbers apart.

A number that is compared with 3 alone is as good as one that stays at 4 when it grows. So models
that count without end may have few states, each of which stands for many. Whether they do is not
known here: what such states say is checked as an invariant.
Source: Pnueli, Xu and Zuck, Liveness with (0,1,infinity)-Counter Abstraction, CAV 2002.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import IntSort, Value
from mutproof.model.system import SystemVariable, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term

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
    clusters = _Clusters()
    for term in dict.fromkeys([*(c.term for c in system.constraints), *_stated(system)]):
        for part in walk.subterms(term):
            clusters.join(part)
    found: dict[str, NumberEnds] = {}
    for name, variable in system.variables.items():
        sort = variable.sort
        if variable.kind is not SystemVariableKind.STATE or not isinstance(sort, IntSort):
            continue
        if sort.low is None or sort.high is None:
            most = sum(size for size in clusters.constants(name) if size > STEP) + STEP
            low = -most if sort.low is None else sort.low - 1
            found[name] = NumberEnds(low, most if sort.high is None else sort.high + 1)
    return found


def _stated(system: TransitionSystem) -> list[Term]:
    return [stated.term for stated in system.properties]


class _Clusters:
    """Numbers that meet in some term, with the constants that do; mutable."""

    def __init__(self) -> None:
        self._parents: dict[str | Term, str | Term] = {}
        self._constants: dict[str | Term, set[int]] = {}

    def constants(self, name: str) -> set[int]:
        """Return the sizes of constants that meet a variable."""
        return self._constants.get(self._root(name), set())

    def join(self, term: Term) -> None:
        """Join the numbers that meet in a term."""
        met = [part for part in (*term.args, term) if isinstance(part.sort, IntSort)]
        keys = [_key(part) for part in met if part.op is not Op.CONST]
        if not keys:
            return
        roots = [self._root(key) for key in keys]
        own = self._constants.setdefault(roots[0], set())
        for part in met:
            if part.op is Op.CONST and isinstance(part.payload, int):
                own.add(abs(part.payload))
        for root in roots[1:]:
            root = self._root(root)
            if root != self._root(roots[0]):
                self._parents[root] = self._root(roots[0])
                self._constants[self._root(roots[0])] |= self._constants.pop(root, set())

    def _root(self, key: str | Term) -> str | Term:
        while key in self._parents:
            key = self._parents[key]
        return key


def _key(term: Term) -> str | Term:
    return str(term.payload) if term.op in {Op.VAR, Op.NEXT_VAR} else term
