"""Questions about statements in the frames of a bench's two solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutproof.analyses.bench.group import Side
from mutproof.model import sorts
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, Formula, NotRepresentableError
from mutproof.solving.verdict import Certificate


class Questions:
    """Put statements behind literals, to assume or to doubt them; mutable.

    `base` are executions from the initial states, `step` paths from any state. `goals` are the
    terms of the properties by name, `calls` counts what was asked.
    """

    def __init__(self, base: Side, step: Side, effort: Effort) -> None:
        self.base = base
        self.step = step
        self.goals: Mapping[str, Term] = {}
        self.calls = 0
        self.effort = effort

    @property
    def spent(self) -> int:
        """Return the solver units that were spent on executions."""
        return self.base.solver.spent

    def statements(self, certificate: Certificate) -> tuple[Term, ...]:
        """Return the lemmas and the goals of a certificate, each once."""
        goals = tuple(self.goals[name] for name in certificate.goals)
        return tuple(dict.fromkeys((*certificate.lemmas, *goals)))

    def prepare(self, statements: tuple[Term, ...], k: int) -> None:
        """Make frames and literals outside any scope, so that they stay."""
        self.base.unrolling.frame(k - 1)
        self.step.unrolling.frame(k)
        for frame in range(k):
            self.violation(self.base, statements, frame)
        self.violation(self.step, statements, k)
        self.hypotheses(self.step, statements, k)

    def places(self, k: int) -> list[tuple[Side, int]]:
        """Return side and frame of each test of a certificate: first k states, then the step."""
        first: list[tuple[Side, int]] = [(self.base, frame) for frame in range(k)]
        return [*first, (self.step, k)]

    def path(self, last: int) -> Choices | None:
        """Return the path of the last model of the step, None if it has irrational values."""
        try:
            return self.step.unrolling.choices(last)
        except NotRepresentableError:
            return None

    def ask(
        self,
        side: Side,
        literals: list[Formula],
        statements: tuple[Term, ...],
        doubted: Sequence[Term],
        *,
        frame: int,
    ) -> Answer:
        """Ask for a model in which one of the doubted statements is false in a frame."""
        clause = self.violation(side, statements, frame)
        wanted = set(doubted)
        assumptions = [*literals, *side.unrolling.guards(frame), clause]
        assumptions += [
            side.solver.negation(side.doubted[s, frame]) for s in statements if s not in wanted
        ]
        self.calls += 1
        return side.solver.check(assumptions, self.effort)

    def violation(self, side: Side, statements: tuple[Term, ...], frame: int) -> Formula:
        """Return a literal that implies that at least one of the statements is false in a frame."""
        key = (statements, frame)
        if key not in side.clauses:
            literals = []
            for statement in statements:
                if (statement, frame) not in side.doubted:
                    literal = self._fresh(side, "doubt", len(side.doubted))
                    false = side.solver.negation(side.unrolling.term(statement, frame))
                    side.solver.add(side.solver.implication(literal, false))
                    side.doubted[statement, frame] = literal
                literals.append(side.doubted[statement, frame])
            clause = self._fresh(side, "violation", len(side.clauses))
            side.solver.add(side.solver.implication(clause, side.solver.disjunction(literals)))
            side.clauses[key] = clause
        return side.clauses[key]

    def hypotheses(self, side: Side, statements: Sequence[Term], k: int) -> list[Formula]:
        """Return literals that imply that the statements hold in frames 0 .. k - 1."""
        # One literal for each frame, so that a question with smaller k assumes no more frames.
        literals = []
        for statement in statements:
            for frame in range(k):
                if (statement, frame) not in side.assumed:
                    literal = self._fresh(side, "assume", len(side.assumed))
                    formula = side.unrolling.term(statement, frame)
                    side.solver.add(side.solver.implication(literal, formula))
                    side.assumed[statement, frame] = literal
                literals.append(side.assumed[statement, frame])
        return literals

    @staticmethod
    def _fresh(side: Side, kind: str, number: int) -> Formula:
        return side.solver.constant(f"?{kind}:{number}", sorts.BOOL)

    def is_false(self, side: Side, statement: Term, frame: int) -> bool:
        """Tell whether a statement is false in a frame of the last model."""
        value = side.solver.value(side.unrolling.term(statement, frame), sorts.BOOL)
        return value is False
