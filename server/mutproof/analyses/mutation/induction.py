"""Steps that break a proof on one mutant, tried on all the others before a solver is asked.

A solver's model of a broken step is a path from some state, reachable or not. Run forward on
another mutant it often breaks the same proof there, so that one question decides for many.
That a path breaks a proof is no verdict: it only tells that this proof is of no use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mutproof.analyses.mutation.simulation import Executions
from mutproof.analyses.variant import Case
from mutproof.model.compile import Compiled, Row
from mutproof.model.simulate import Simulator
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

MOST_PATHS = 24
"""How many paths are kept for a certificate: those that were of use last."""


@dataclass(slots=True)
class _Path:
    """Hold a path of the unmutated system from the state before its first step."""

    rows: list[Row]
    choices: Choices


class Steps:
    """Keep the paths that broke certificates; mutable."""

    def __init__(self, executions: Executions) -> None:
        self._executions = executions
        self._paths: dict[Certificate, list[_Path]] = {}
        self._statements: dict[Certificate, list[Compiled]] = {}

    def learn(self, certificate: Certificate, statements: Sequence[Term], choices: Choices) -> None:
        """Keep a path of k + 1 states; `choices.before` is its first state, not an initial one."""
        simulator = self._executions.simulator
        if certificate not in self._statements:
            self._statements[certificate] = simulator.compiler.compile_all(statements)
        paths = self._paths.setdefault(certificate, [])
        paths.insert(0, _Path(_rows(simulator, choices), choices))
        del paths[MOST_PATHS:]

    def left(
        self, certificate: Certificate, cases: Iterable[Case], *, newest: bool = False
    ) -> list[Case]:
        """Return the cases on which no known path, or not the `newest`, breaks a certificate."""
        paths = self._paths.get(certificate)
        if not paths:
            return list(cases)
        return [case for case in cases if not self._is_broken(certificate, case, paths, newest)]

    def _is_broken(
        self, certificate: Certificate, case: Case, paths: list[_Path], newest: bool
    ) -> bool:
        for position, path in enumerate(paths[:1] if newest else paths):
            if self._breaks(certificate, case, path):
                if position:
                    paths.insert(0, paths.pop(position))
                return True
        return False

    def _breaks(self, certificate: Certificate, case: Case, path: _Path) -> bool:
        variation = self._executions.variation_of(case)
        if variation is None:
            return False
        functions = path.choices.functions
        start = variation.infected(path.rows, functions)
        if start is None:
            return False
        rows = variation.run(path.rows, path.choices, start)
        if not variation.assumed(rows, functions):
            return False
        statements = self._statements[certificate]
        *before, last = rows
        return all(s(row, row, functions) for row in before for s in statements) and not all(
            s(last, last, functions) for s in statements
        )


def _rows(simulator: Simulator, choices: Choices) -> list[Row]:
    """Return the rows of a path whose first state is given, on the unmutated system."""
    rows: list[Row] = []
    for chosen in choices.steps:
        values = {**choices.before, **chosen} if not rows else chosen
        row = list(rows[-1]) if rows else [None] * len(simulator.names)
        for item in simulator.updates if rows else ():
            row[item.index] = item.function(rows[-1], rows[-1], choices.functions)
        for name, value in values.items():
            row[simulator.index[name]] = value
        for item in simulator.definitions:
            row[item.index] = item.function(row, row, choices.functions)
        rows.append(row)
    return rows
