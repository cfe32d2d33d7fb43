"""Prove on the model alone that changed definitions compute the model's values.

If all definitions that a mutant changes have the old values in every reachable state of the model,
both make the same steps; up to the first state in which they have other values, nothing differs.
(Not if assertions depend on the change: states that those of the model exclude are not reached.)
Such a proof is about the model only, half the size of a product, and many are found at once:
engines share lemmas. With its lemmas, the equality of all corresponding variables is inductive in
the product, where it is checked like any proof.

Source: van Eijk, Sequential equivalence checking without state space traversal, DATE 1998.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.equivalence.induction import asked
from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import terms
from mutproof.model.sorts import BOOL
from mutproof.model.system import ConstraintKind, SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import certify, portfolio
from mutproof.solving.engine import Task
from mutproof.solving.solver import Answer, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Proved, Refuted, Verdict
from mutproof.solving.z3_solver import new_solver


@dataclass(frozen=True, slots=True)
class Same:
    """Hold what proves a statement about the model: lemmas that are k-inductive together."""

    lemmas: tuple[Term, ...]
    k: int
    engine: str


def unchanged(model: TransitionSystem, changed: TransitionSystem) -> Term | None:
    """Return the statement that the changed definitions compute the same values as the model's.

    None where they differ in more than such definitions, or in initial values. Assertions may
    depend on the changed definitions.
    """
    before, after = (
        {(c.kind, c.defines): c.term for c in system.constraints if c.defines is not None}
        for system in (model, changed)
    )
    here, there = (
        {c.term for c in system.constraints if c.defines is None} for system in (model, changed)
    )
    if here != there or after.keys() != before.keys():
        return None
    pairs = [(kind, before[kind, name], term) for (kind, name), term in after.items()]
    pairs = [(kind, old, new) for kind, old, new in pairs if old is not new]
    if any(kind is ConstraintKind.INIT for kind, _, _ in pairs):
        return None
    return terms.conjunction(terms.eq(old.args[1], new.args[1]) for _, old, new in pairs)


@dataclass(frozen=True, slots=True)
class ExploredModel:
    """Say in how many first states a statement holds; `choices`, if any, violate it next."""

    depth: int
    choices: Choices | None = None


class Unchanged:
    """Prove statements about one model; what one proof needed serves the next. Mutable."""

    def __init__(self, system: TransitionSystem, advice: tuple[Term, ...], means: Means) -> None:
        self._system = system
        self._advice = dict.fromkeys(advice)
        self._means = means
        self.spent = 0  # on exploring, in solver units

    def prove(self, statements: Mapping[str, Term]) -> dict[str, Same]:
        """Return proofs of statements, by name."""
        system, verdicts = self._asked(statements, self._means.small)
        return {
            name: Same(certify.statements(system, found.certificate), found.k, found.engine)
            for name, found in verdicts.items()
            if isinstance(found, Proved)
        }

    def settle(
        self, statements: Mapping[str, Term], budget: Budget
    ) -> tuple[dict[str, Holds], dict[str, Choices]]:
        """Return evidence that statements hold, and executions that violate others, by name."""
        system, verdicts = self._asked(statements, budget)
        holding: dict[str, Holds] = {}
        violated: dict[str, Choices] = {}
        for name, found in verdicts.items():
            if isinstance(found, Refuted):
                violated[name] = found.choices
            elif isinstance(found, Proved):
                holds = self._means.notary.proved(system, found, budget)
                if holds is not None:
                    holding[name] = holds
        return holding, violated

    def _asked(
        self, statements: Mapping[str, Term], budget: Budget
    ) -> tuple[TransitionSystem, dict[str, Verdict]]:
        """Return a system that states them, and verdicts, by the names of the statements."""
        if not statements:
            return self._system, {}
        different = dict.fromkeys(statements.values())
        names = {term: str(number) for number, term in enumerate(different)}
        stated = tuple(SystemProperty(name, term) for term, name in names.items())
        system = replace(self._system, properties=stated)
        options = self._means.asking(advice=tuple(self._advice), cores=False)
        outcome = portfolio.prove(system, budget, options)
        for verdict in outcome.verdicts.values():
            if isinstance(verdict, Proved):
                self._advice.update(dict.fromkeys(verdict.certificate.lemmas))
        return system, {name: outcome.verdicts[names[term]] for name, term in statements.items()}

    def explore(
        self, statements: Mapping[str, Term], most: Mapping[str, int], budget: Budget
    ) -> dict[str, ExploredModel]:
        """Look for executions that violate statements, of each in its first `most` states."""
        found = {name: ExploredModel(0) for name in statements}
        goals = tuple(SystemProperty(name, term) for name, term in statements.items())
        system = slicing.cone(replace(self._system, properties=goals), tuple(statements))
        task = Task(system, {}, budget, Deadline.after(budget.timeout_s))
        left = dict(statements)
        try:
            unrolling = Unrolling(new_solver(), system, initial=True)
            for depth in range(max(most[name] for name in statements)):
                self._means.check_cancelled()
                left = {name: term for name, term in left.items() if depth < most[name]}
                for name, choices in _violations(task, unrolling, left, depth):
                    found[name] = ExploredModel(depth, choices)
                    del left[name]
                found.update(dict.fromkeys(left, ExploredModel(depth + 1)))
        except SolvingError:
            pass  # what was found remains valid
        self.spent += task.cost
        return found


def _violations(
    task: Task, unrolling: Unrolling, statements: Mapping[str, Term], frame: int
) -> Iterator[tuple[str, Choices]]:
    """Yield statements that executions violate in a frame, with choices; they hold before it.

    Raises:
        SolvingError: whether there are others is not known.
    """
    left = dict(statements)
    solver = unrolling.solver
    if left:
        unrolling.frame(frame)
    while left:
        formulas = {name: unrolling.term(term, frame) for name, term in left.items()}
        everything = solver.conjunction([*formulas.values()])
        solver.push()
        solver.add(solver.negation(everything))
        answer = asked(task, solver, ())
        false: list[str] = []
        if answer is Answer.SAT:
            false = [name for name in formulas if not solver.value(formulas[name], BOOL)]
            choices = unrolling.choices(frame)
        solver.pop()
        if answer is Answer.UNSAT:
            solver.add(everything)
            return
        if not false:
            raise SolvingError(solver.reason_unknown)
        for name in false:
            del left[name]
            yield name, choices
