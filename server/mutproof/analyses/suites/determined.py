"""Which values of a system are determined by its inputs, whatever memories hold at first.

A system is run on values of which some are known, some are determined by unknown inputs (`FIXED`),
and some are `OPEN`: memories before the first step, variables that nothing defines, functions
without a definition, and quotients by zero. What depends on an open value is open, unless it is the
same for all its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from mutproof.base.lazy import cached_property
from mutproof.model import flat_names, semantics, walk
from mutproof.model.operators import Op
from mutproof.model.semantics import DivisionByZero, NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, definition, ordered
from mutproof.model.sorts import Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term


class Unsaid(Enum):
    """Stand for a value that is not known."""

    FIXED = "fixed"
    OPEN = "open"


_FIXED, _OPEN = Unsaid.FIXED, Unsaid.OPEN
_DIVISIONS: Final = {Op.DIV, Op.MOD, Op.TRUNC_DIV, Op.TRUNC_MOD, Op.REAL_DIV}
_DOMINANT: Final = {Op.AND: False, Op.OR: True}


class Determinacy:
    """Tell what inputs determine in a system that runs forward; caches only."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._terms: dict[ConstraintKind, dict[str, Term]] = {kind: {} for kind in ConstraintKind}
        for constraint in system.constraints:
            term = definition(constraint)
            if term is not None and constraint.defines is not None:
                self._terms[constraint.kind][constraint.defines] = term
        try:
            self._order = ordered(self._terms[ConstraintKind.INVAR])
            self._is_causal = True
        except CyclicDefinitions:
            self._is_causal = False
        self._inputs = tuple(  # calls that count as one share what removals leave open
            v.name
            for v in system.variables.values()
            if v.kind is SystemVariableKind.INPUT and not flat_names.is_common(v.name)
        )

    @cached_property
    def always_open(self) -> frozenset[str]:
        """Return the variables that may be open in some step."""
        if not self._is_causal:
            return frozenset(self._system.variables)
        opened = (n for row in self._covering for n, value in row.items() if value is _OPEN)
        return frozenset(opened)

    def stays(self, changed: Mapping[ConstraintKind, Mapping[str, Term]]) -> bool:
        """Tell whether other definitions of some variables leave no more values open.

        With them the system is still causal. Conservative: decided on abstract values that cover
        those of all steps, so false may also mean that it was not shown.
        """
        if not self._is_causal or any(
            not terms.keys() <= self._terms[kind].keys() for kind, terms in changed.items()
        ):
            return False
        first, second, later = self._covering
        begun = self._begun(dict.fromkeys(self._inputs, _FIXED))
        for name in self._terms[ConstraintKind.INIT]:
            term = changed.get(ConstraintKind.INIT, {}).get(name)
            if term is not None and not _covers(first[name], _value(term, begun, {})):
                return False
            begun[name] = first[name]
        before = {name: _joined(value, later[name]) for name, value in second.items()}
        steps = [
            *((ConstraintKind.INVAR, row, row) for row in self._covering),
            (ConstraintKind.TRANS, first, second),
            (ConstraintKind.TRANS, before, later),
        ]
        return all(
            _covers(after[name], _value(term, known, {}))
            for kind, known, after in steps
            for name, term in changed.get(kind, {}).items()
        )

    @cached_property
    def _covering(self) -> tuple[Mapping[str, Any], ...]:
        """Return abstract values of the first, the second and later steps, for any inputs."""
        given = dict.fromkeys(self._inputs, _FIXED)
        first = self._first(given)
        second = known = self._next(first, given)
        while True:
            after = self._next(known, given)
            joined = {name: _joined(value, after[name]) for name, value in known.items()}
            if all(_same(joined[name], known[name]) for name in known):
                return first, second, after
            known = joined

    def steps(self, inputs: Sequence[Mapping[str, Value]]) -> list[Mapping[str, Any]]:
        """Return all values at every step of an execution; some are `OPEN`."""
        if not self._is_causal:
            nothing = dict.fromkeys(self._system.variables, _OPEN)
            return [nothing for _ in inputs]
        found: list[Mapping[str, Any]] = []
        for given in inputs:
            chosen = {name: given.get(name, _OPEN) for name in self._inputs}
            found.append(self._next(found[-1], chosen) if found else self._first(chosen))
        return found

    def _first(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        state = self._begun(given)
        memo: dict[Term, Any] = {}
        for name, term in self._terms[ConstraintKind.INIT].items():
            state[name] = _value(term, state, memo)
        return self._completed(state)

    def _next(self, before: Mapping[str, Any], given: Mapping[str, Any]) -> Mapping[str, Any]:
        state = self._begun(given)
        memo: dict[Term, Any] = {}
        for name, term in self._terms[ConstraintKind.TRANS].items():
            state[name] = _value(term, before, memo)
        return self._completed(state)

    def _begun(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {**dict.fromkeys(self._system.variables, _OPEN), **given}

    def _completed(self, state: dict[str, Any]) -> Mapping[str, Any]:
        memo: dict[Term, Any] = {}
        for name in self._order:
            state[name] = _value(self._terms[ConstraintKind.INVAR][name], state, memo)
        return state


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)


def _covers(one: Any, other: Any) -> bool:
    """Tell whether an abstract value includes another one."""
    return one is _OPEN or _same(one, other) or (one is _FIXED and other is not _OPEN)


def _joined(one: Any, other: Any) -> Any:
    if _same(one, other):
        return one
    return _OPEN if one is _OPEN or other is _OPEN else _FIXED


def _value(term: Term, state: Mapping[str, Any], memo: dict[Term, Any]) -> Any:
    # Variables are in the order of their definitions: each has its value when it is read.
    return walk.fold(term, lambda part, args: _applied(part, args, state), memo)


def _applied(term: Term, args: tuple[Any, ...], state: Mapping[str, Any]) -> Any:
    op = term.op
    if op is Op.VAR:
        return state[str(term.payload)]
    if op is Op.ITE:
        return _chosen(*args)
    if op in _DOMINANT:
        dominant = _DOMINANT[op]
        if any(arg is dominant for arg in args):
            return dominant
    if op is Op.IMPLIES and (args[0] is False or args[1] is True):
        return True
    if op is Op.APPLY or _OPEN in args:
        return _OPEN
    if _FIXED in args:
        unsafe = op in _DIVISIONS and (args[1] is _FIXED or args[1] == 0)
        return _OPEN if unsafe or op in {Op.CASE, Op.PRE, Op.CALL} else _FIXED
    try:
        return semantics.apply(term, args)
    except (DivisionByZero, NumberTooLarge):
        return _OPEN


def _chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    if isinstance(condition, bool):
        return then if condition else otherwise
    if condition is _OPEN and (then is _FIXED or not _same(then, otherwise)):
        return _OPEN  # two values determined by inputs may differ
    return _joined(then, otherwise)
