"""Mutants of constraints on single states, and of the assignments that imply these in the model.

Where all constraints of a mutant are implied as well, its executions go on. Where one is false in a
state that the model is known to reach, and reads nothing that the mutant computes otherwise, that
state has no successor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model import terms, walk
from mutproof.model.compile import Compiler
from mutproof.model.interpretation import Interpretation
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving import certify, implied
from mutproof.solving.implied import Implied
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.validity import Validities, Validity
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop
from mutproof.solving.z3_solver import new_solver

STATES = 12
"""The length of the executions of the model that are sought, in states."""

SHORT = Budget(300_000, 1.0)
"""How much one question may cost."""

MOST_FAILURES = 8
"""After so many searches in vain no other is begun."""

MOST_CHECKED = 200
"""How many certificates are checked with the same translated terms."""


class Restricting:
    """Tell whether executions of mutants go on or end, where constraints of the model are implied.

    Mutable: caches, and the states of the model that are known.
    """

    def __init__(self, system: TransitionSystem, meaning: Interpretation, means: Means) -> None:
        self._system = system
        self._meaning = meaning
        self._means = means
        self._lasting: dict[str, bool] = {}
        self._rows: list[list[Value]] = []
        self._false: dict[Term, tuple[int, bool]] = {}  # rows looked at, and whether in any
        self._workshop = Workshop()
        self._checked = 0
        self._failures = 0

    @cached_property
    def _implied(self) -> Implied | None:
        return implied.implied(self._system)

    def lasts(self, claim: Claim) -> bool:
        """Tell whether all executions of a mutant go on, as its constraints are implied too."""
        if claim.name not in self._lasting:
            self._means.check_cancelled()
            self._lasting[claim.name] = self._lasts(claim.variant)
        return self._lasting[claim.name]

    def ends(self, claim: Claim) -> bool:
        """Tell whether some execution of a mutant ends, as a known state of the model shows."""
        stated = self._stated(claim.variant)
        if stated is None or self.lasts(claim):
            return False
        asked = [one for one in stated if one not in self._known]
        if any(_reads_inputs(self._system, one) for one in asked):
            return False  # other inputs may lead on from such a state
        return any(map(self._fails, asked)) or self._is_found(asked)

    def _lasts(self, variant: Variant) -> bool:
        known, stated = self._implied, self._stated(variant)
        if known is None or not variant.is_local:
            return False
        if stated is not None:
            return all(one in self._known or self._follows(one) for one in stated)
        if not all(one.never_blocks for one in variant.constraints):
            return False
        if any(one.owner in variant.removed for one in known.limits):
            return False
        kept = (one for one in known.grounds if one.owner not in variant.removed)
        return self._is_inductive((*kept, *variant.constraints))

    def _stated(self, variant: Variant) -> list[Term] | None:
        """Return the conjuncts that a mutant of constraints on single states states instead.

        None for other mutants.
        """
        known = self._implied
        if known is None or not variant.is_local:
            return None
        lost = [c for owner in variant.removed for c in self._system.by_owner.get(owner, ())]
        limits = frozenset(known.limits)
        is_alike = all(
            one.kind is ConstraintKind.TRANS and Op.NEXT_VAR not in walk.operators(one.term)
            for one in variant.constraints
        )
        if not lost or not limits.issuperset(lost) or not is_alike:
            return None
        return [part for one in variant.constraints for part in walk.conjuncts(one.term)]

    # --- constraints that are implied -----------------------------------------------------

    @cached_property
    def _known(self) -> Mapping[Term, None]:
        """Return what holds in all states of the model, as its assignments imply."""
        limits = () if self._implied is None else self._implied.limits
        return dict.fromkeys(part for one in limits for part in walk.conjuncts(one.term))

    @cached_property
    def _validities(self) -> Validities:
        return Validities({name: v.sort for name, v in self._system.variables.items()})

    def _follows(self, term: Term) -> bool:
        known = terms.conjunction(self._known)
        found = self._validities.of(terms.implies(known, term), SHORT)
        return found is Validity.VALID

    def _is_inductive(self, constraints: Sequence[Constraint]) -> bool:
        """Tell whether other assignments imply what those of the model do."""
        lemmas = tuple(self._known)
        read = frozenset[str]().union(
            *map(walk.variables, (*lemmas, *(c.term for c in constraints)))
        )
        variables = {name: self._system.variables[name] for name in sorted(read)}
        part = TransitionSystem(variables, tuple(constraints), (), relational=True)
        self._checked += 1
        if not self._checked % MOST_CHECKED:
            self._workshop = Workshop()
        certificate = Certificate(1, lemmas, ())
        return certify.certify(part, certificate, SHORT, workshop=self._workshop).ok

    # --- states of the model ----------------------------------------------------------------

    @cached_property
    def _names(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self._system.variables)}

    def _fails(self, term: Term) -> bool:
        """Tell whether a term is false in a known state of the model."""
        seen, is_false = self._false.get(term, (0, False))
        if not is_false and seen < len(self._rows):
            function = Compiler(self._names).compile_all([term])[0]
            is_false = any(function(row, row, {}) is False for row in self._rows[seen:])
            self._false[term] = len(self._rows), is_false
        return is_false

    def _is_found(self, asked: Sequence[Term]) -> bool:
        """Tell whether an execution of the model is found that comes to where a term is false."""
        if self._failures >= MOST_FAILURES:
            return False
        self._means.check_cancelled()
        with suppress(SolvingError):
            self._search(terms.conjunction(asked))
        if any(map(self._fails, asked)):
            return True
        self._failures += 1
        return False

    def _search(self, term: Term) -> None:
        unrolling = self._unrolling
        solver = unrolling.solver
        solver.push()
        try:
            failing = [solver.negation(unrolling.term(term, frame)) for frame in range(STATES)]
            solver.add(solver.disjunction(failing))
            if solver.check((), Effort(SHORT.rlimit, SHORT.timeout_s)) is not Answer.SAT:
                return
            choices = unrolling.choices(STATES - 1)
        finally:
            solver.pop()
        replayed = self._means.notary.replay(self._meaning, choices, "bmc")
        for step in () if replayed is None else replayed.execution.trace.steps:
            if self._names.keys() <= step.keys():
                self._rows.append([step[name] for name in self._names])

    @cached_property
    def _unrolling(self) -> Unrolling:
        """Return executions of the model, of so many states."""
        unrolling = Unrolling(new_solver(), implied.freed(self._system), initial=True)
        unrolling.frame(STATES - 1)
        return unrolling


def _reads_inputs(system: TransitionSystem, term: Term) -> bool:
    """Tell whether a term depends on inputs, perhaps through definitions."""
    names = [*walk.variables(term)]
    for name in names:
        if system.variables[name].kind is SystemVariableKind.INPUT:
            return True
        if name in system.equations:
            names += walk.variables(system.equations[name].term) - {*names}
    return False
