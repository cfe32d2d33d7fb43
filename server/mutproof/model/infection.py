"""Whether a changed element changes any value in an execution of a program that runs forward.

If another body gives an element its old values at all steps of an execution and in all instances,
the execution is one of the changed program too, which need not be run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mutproof.model import sorts, walk
from mutproof.model.arbitrary import timeless
from mutproof.model.evaluate import Execution
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementId
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import TupleSort, Value
from mutproof.model.terms import Term
from mutproof.model.values import built, leaves_of

_CALLS = frozenset({Op.CALL, Op.CONDACT})
_UNCLEAR: Any = object()
"""The value of what is not computed here: a `pre` at the first step."""

Shown = tuple[tuple[ElementId, str, tuple[tuple[Value, ...], ...]], ...]
"""For changed elements and the prefixes of their instances: the scalar values at each step."""


class Infection:
    """Tell which changes show in one execution; caches only.

    `prefixes` has those of the instances of each component. Bodies with calls, removed elements,
    and reads of values before the first step are not analysed.
    """

    def __init__(self, execution: Execution, prefixes: Mapping[str, list[str]]) -> None:
        self._execution = execution
        self._prefixes = prefixes
        self._values: dict[str, list[dict[Term, Any]]] = {}
        self._given: dict[tuple[Element, str], list[tuple[Value, ...] | None]] = {}
        self._calling: dict[Term, bool] = {}

    def is_same(self, bodies: Mapping[Element, Term | None]) -> bool:
        """Tell whether the execution is known to be one with other bodies, too."""
        try:
            return all(
                body is element.body or (body is not None and self._is_same(element, body))
                for element, body in bodies.items()
            )
        except NumberTooLarge:
            return False

    def shown(self, bodies: Mapping[Element, Term | None]) -> Shown | None:
        """Return the values that other bodies first lead to, by instance; None if not analysed.

        They are computed from the values that all else has in this execution.
        """
        found = []
        for element, body in bodies.items():
            if body is element.body:
                continue
            if body is None or not self._is_analysed(element, body):
                return None
            for prefix in self._prefixes.get(element.id.component, ()):
                values = self._computed(element, prefix, body)
                if _UNCLEAR in values:
                    return None
                found.append((element.id, prefix, tuple(_scalars(body, v) for v in values)))
        return tuple(found)

    def _is_same(self, element: Element, body: Term) -> bool:
        prefixes = self._prefixes.get(element.id.component, ())
        return self._is_analysed(element, body) and all(
            self._is_given(element, prefix, body) for prefix in prefixes
        )

    def _is_analysed(self, element: Element, body: Term) -> bool:
        _, new = walk.difference(element.body, body)
        if element.circular or self._calls(element.body) or self._calls(new):
            return False
        # Only targets tell at which steps an instance runs.
        return bool(element.targets) or not any(self._prefixes.get(element.id.component, ()))

    def _calls(self, term: Term) -> bool:
        if term not in self._calling:
            self._calling[term] = any(part.op in _CALLS for part in walk.subterms(term))
        return self._calling[term]

    def _is_given(self, element: Element, prefix: str, body: Term) -> bool:
        """Tell whether a body has the values of the element, wherever its instance runs."""
        values = self._computed(element, prefix, body)
        given = [row for row in self._expected(element, prefix) if row is not None]
        return _UNCLEAR not in values and given == [_scalars(body, value) for value in values]

    def _expected(self, element: Element, prefix: str) -> list[tuple[Value, ...] | None]:
        """Return the scalar values of an element at each step, None where it does not run."""
        if (element, prefix) not in self._given:
            sort = element.body.sort
            several = len(element.targets) > 1
            kinds = sort.elements if several and isinstance(sort, TupleSort) else (sort,)
            names = [
                prefix + target + path
                for target, kind in zip(element.targets, kinds, strict=False)
                for path, _ in sorts.leaves(kind)
            ]
            rows = self._execution.trace.steps
            self._given[element, prefix] = [
                (tuple([row[name] for name in names]) or (True,))
                if all(name in row for name in names)
                else None
                for row in rows
            ]
        return self._given[element, prefix]

    def _computed(self, element: Element, prefix: str, root: Term) -> list[Any]:
        """Return the values of a term at the steps at which an instance runs."""
        rows = [
            row
            for row, given in zip(
                self._execution.trace.steps, self._expected(element, prefix), strict=True
            )
            if given is not None
        ]
        known = self._values.setdefault(prefix, [{} for _ in rows])
        before: dict[Term, Any] | None = None
        for row, values in zip(rows, known, strict=True):
            if root not in values:
                walk.fold(root, self._combining(prefix, row, before), values)
            before = values
        return [values[root] for values in known]

    def _combining(
        self, prefix: str, row: Mapping[str, Value], before: Mapping[Term, Any] | None
    ) -> Callable[[Term, tuple[Any, ...]], Any]:
        """Return a function that computes a term at one step; `before` has the previous values."""
        functions = self._execution.trace.choices.functions

        def combine(term: Term, args: tuple[Any, ...]) -> Any:
            if term.op is Op.VAR:
                name = prefix + str(term.payload)
                return built(term.sort, lambda path, _: row[name + path])
            if term.op is Op.PRE:
                return _UNCLEAR if before is None else before[term.args[0]]
            if term.op is Op.ARROW:
                return args[0] if before is None else args[1]
            return _UNCLEAR if _UNCLEAR in args else timeless(term, args, functions)

        return combine


def _scalars(body: Term, value: Any) -> tuple[Value, ...]:
    return tuple([leaf for _, leaf in leaves_of(body.sort, value)])
