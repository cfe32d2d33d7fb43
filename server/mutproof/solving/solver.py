"""The interface of an SMT solver for engines, whichever solver implements it.

Formulas are opaque: made by a solver and handed back to the same solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import NewType, Protocol

from mutproof.base.record import dataclass
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import FunctionTable

Formula = NewType("Formula", object)
"""A term of the solver."""


class SolvingError(Exception):
    """Say that a question could not be put to the solver or its answer not be read."""


class UnsupportedTermError(SolvingError):
    """Say that a term uses an operator or a sort that transition systems do not have."""


class NotRepresentableError(SolvingError):
    """Say that a value of the model is no value of the language (an irrational real)."""


class Answer(Enum):
    """Say whether assertions and assumptions have a common model."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Effort:
    """Limit one check: `rlimit` in the solver's units, `timeout_s` in seconds; 0 is no limit."""

    rlimit: int = 0
    timeout_s: float = 0.0


UNLIMITED = Effort()

SPENT = frozenset({"canceled", "sat.canceled", "max. resource limit exceeded"})
"""The reasons of a solver whose units, or seconds, are used up."""


class Solver(Protocol):
    """Hold assertions in nested scopes and answer whether they have a model.

    Mutable; belongs to one thread, except for `interrupt`.
    """

    def constant(self, name: str, sort: Sort) -> Formula:
        """Return the uninterpreted constant of that name; the same for the same name."""
        ...

    def translate(
        self, term: Term, variable: Callable[[Term], Formula], memo: dict[Term, Formula]
    ) -> Formula:
        """Return the term as a formula; `variable` gives the VAR and NEXT_VAR leaves.

        Raises:
            UnsupportedTermError: the term uses what transition systems do not have.
        """
        ...

    def substitute(
        self, formula: Formula, old: Sequence[Formula], new: Sequence[Formula]
    ) -> Formula:
        """Return the formula with constants `old` replaced by `new`, simultaneously."""
        ...

    def literal_value(self, value: Value, sort: Sort) -> Formula:
        """Return a scalar value as a formula."""
        ...

    def in_domain(self, formula: Formula, sort: Sort) -> Formula | None:
        """Return the statement that the value lies in the bounds of the sort; None if it must."""
        ...

    def equal(self, left: Formula, right: Formula) -> Formula:
        """Return the equality of two formulas of one sort."""
        ...

    def negation(self, formula: Formula) -> Formula:
        """Return the negation."""
        ...

    def implication(self, left: Formula, right: Formula) -> Formula:
        """Return the implication."""
        ...

    def conjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the conjunction of any number of formulas."""
        ...

    def disjunction(self, formulas: Sequence[Formula]) -> Formula:
        """Return the disjunction of any number of formulas."""
        ...

    def for_all(self, constants: Sequence[Formula], body: Formula) -> Formula:
        """Return the statement that a formula holds whatever the values of some constants."""
        ...

    def add(self, formula: Formula) -> None:
        """Assert a formula in the innermost scope."""
        ...

    def push(self) -> None:
        """Open a scope."""
        ...

    def pop(self) -> None:
        """Forget what was asserted since the matching `push`."""
        ...

    def check(self, assumptions: Sequence[Formula] = (), effort: Effort = UNLIMITED) -> Answer:
        """Answer whether assertions and assumptions (Boolean literals) have a common model."""
        ...

    @property
    def reason_unknown(self) -> str:
        """Return why the last answer was UNKNOWN, in the solver's words."""
        ...

    @property
    def spent(self) -> int:
        """Return the resource units used so far; deterministic."""
        ...

    def core(self) -> tuple[int, ...]:
        """Return the 0-based positions of the assumptions that the last UNSAT rests on."""
        ...

    def value(self, formula: Formula, sort: Sort) -> Value:
        """Return the value of a formula in the model of the last SAT.

        Raises:
            NotRepresentableError: it is an irrational real number.
        """
        ...

    def function_tables(self) -> Mapping[tuple[str, int], FunctionTable]:
        """Return the uninterpreted functions of the model of the last SAT.

        Raises:
            NotRepresentableError: a value in them is an irrational real number.
        """
        ...
