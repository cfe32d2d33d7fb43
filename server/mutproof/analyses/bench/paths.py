"""Paths that break a proof on one mutant, tried on all the others before a solver is asked.

A solver's model of a broken step is a path from some state, reachable or not. Run forward on
another mutant it often breaks the same proof there, so that one question decides for many. A path
that breaks a proof is no verdict: it only shows that this proof does not carry over.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.analyses.bench.executions import Executions
from mutproof.analyses.claims.claim import Claim
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model.compile import Compiled, Row
from mutproof.model.reach import Reach
from mutproof.model.simulate import Original, Simulator
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_PATHS = 60
"""How many paths are kept, the most recently useful ones."""

MOST_RUNS = 128
"""How many runs of paths on claims are kept."""


@dataclass(slots=True)
class _Path:
    """Hold a path of the unmutated system whose first state need not be initial.

    Only the variables of these names, which are those of the `reach`, have their values there.
    """

    number: int
    rows: list[Row]
    choices: Choices
    names: frozenset[str]
    reach: Reach


class Paths:
    """Keep the paths that broke certificates; mutable."""

    def __init__(self, executions: Executions) -> None:
        self._executions = executions
        self._paths: list[_Path] = []
        self._learned = 0
        # A batch of claims meets the same paths for each part of the system.
        self._runs: Memo[list[Row] | None] = Memo(MOST_RUNS)

    def learn(self, choices: Choices, names: frozenset[str]) -> None:
        """Keep a path of a part with variables of these names, or of the whole system.

        `choices.before` is its first state, not an initial one.
        """
        simulator = self._executions.simulator
        known = simulator.deciding(names | simulator.checked)
        rows = _rows(simulator, choices, known)
        self._learned += 1
        self._paths.insert(0, _Path(self._learned, rows, choices, known, simulator.bits(known)))
        del self._paths[MOST_PATHS:]

    def unbroken(
        self,
        claim: Claim,
        statements: Sequence[Sequence[Term]],
        k: int,
        names: frozenset[str],
        *,
        newest: bool = False,
    ) -> list[int]:
        """Return the positions of the sets of statements that no known path breaks.

        They are about a part with variables of these names; paths of other parts are not tried. A
        path breaks a set if all its statements hold in `k` successive states, and one of them
        fails in the next state. With `newest`, only the newest path is tried.
        """
        left = list(range(len(statements)))
        for path in self._paths[:1] if newest else list(self._paths):
            if not left or len(path.rows) <= k or not names <= path.names:
                continue
            rows = self._run(claim, path)
            if rows is None:
                continue
            still = self._inductive(rows[-k - 1 :], path, statements, left)
            if len(still) < len(left) and not newest:
                self._paths.remove(path)
                self._paths.insert(0, path)
            left = still
        return left

    def _run(self, claim: Claim, path: _Path) -> list[Row] | None:
        """Return the rows of a path as a claim runs it; None if it is the same or not allowed."""
        return self._runs.get((claim.name, path.number), lambda: self._made(claim, path))

    def _made(self, claim: Claim, path: _Path) -> list[Row] | None:
        variation = self._executions.variation_of(claim)
        if variation is None:
            return None
        functions = path.choices.functions
        reach = variation.reach(path.reach)
        if not (path.names >= self._everything if reach is None else reach <= path.reach):
            return None
        start = variation.infected(path.rows, functions, reach)
        if start is None:
            return None
        rows = variation.run(path.rows, path.choices, start, reach)
        return rows if variation.assumed(rows, functions) else None

    @cached_property
    def _everything(self) -> frozenset[str]:
        return frozenset(self._executions.simulator.names)

    def _inductive(
        self,
        rows: Sequence[Row],
        path: _Path,
        statements: Sequence[Sequence[Term]],
        left: list[int],
    ) -> list[int]:
        """Return which sets are left after dropping, repeatedly, those that a path breaks."""
        *before, last = rows
        functions = path.choices.functions

        def holds(row: Row, position: int) -> bool:
            return all(f(row, row, functions) for f in self._compiled(statements[position]))

        while left:
            if not all(holds(row, position) for position in left for row in before):
                return left
            still = [position for position in left if holds(last, position)]
            if len(still) == len(left):
                return left
            left = still
        return left

    def _compiled(self, statements: Sequence[Term]) -> list[Compiled]:
        return self._executions.simulator.compiler.compile_all(statements)


def _rows(simulator: Simulator, choices: Choices, names: frozenset[str]) -> list[Row]:
    """Return the rows of a path of the unmutated system from a given first state."""
    rows: list[Row] = []
    updates = [item for item in simulator.updates if item.name in names]
    definitions = [item for item in simulator.definitions if item.name in names]
    for chosen in choices.steps:
        values = chosen if rows else {**choices.before, **chosen}
        row = Original(rows[-1] if rows else simulator.defaults)
        row.parts, row.assumed, row.violated = {}, None, None
        for item in updates if rows else ():
            row[item.index] = item.function(rows[-1], rows[-1], choices.functions)
        for name, value in values.items():
            if name in simulator.index:  # solvers that are kept still have what an edit took away
                row[simulator.index[name]] = value
        for item in definitions:
            row[item.index] = item.function(row, row, choices.functions)
        rows.append(row)
    return rows
