"""The traits of a language that passes, analyses and reports need.

A front end hands them over with each program, so that no other code depends on the name of a
language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum

from mutproof.base.record import dataclass
from mutproof.model import display
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort, Value


class Semantics(Enum):
    """Say how a program means a transition system."""

    FORWARD = "forward"  # equations compute a step from its inputs and from memories (Lustre)
    RELATIONAL = "relational"  # constraints relate each state to the next one (NuSMV)


@dataclass(frozen=True, slots=True)
class Traits:
    """Describe the language of a program; two are equal if they have the same name.

    `title` is the name for users. With `is_flattened` the front end joins all instances into one
    component, in which a name may stand for what it is bound to; properties belong to the
    instances, too. `symbols` are the operators that are not written as `Op` spells them, and
    `booleans` how false and true are written. `show` writes a value of a sort, if that is known.

    The rest says which mutants are made: `logical` operators may replace each other; where
    `is_linear`, only constants become factors or divisors; where `has_own_conditions`, a changed
    condition is reported at its own place, else at its `if`.
    """

    name: str
    title: str = field(compare=False)
    semantics: Semantics = field(default=Semantics.FORWARD, compare=False)
    is_flattened: bool = field(default=False, compare=False)
    symbols: Mapping[Op, str] = field(default_factory=dict, compare=False)
    booleans: tuple[str, str] = field(default=("false", "true"), compare=False)
    show: Callable[[Value, Sort | None], str] = field(default=display.text, compare=False)
    logical: tuple[Op, ...] = field(default=(Op.AND, Op.OR, Op.IMPLIES, Op.XOR), compare=False)
    is_linear: bool = field(default=True, compare=False)
    has_own_conditions: bool = field(default=False, compare=False)

    def operator(self, op: Op) -> str:
        """Return an operator as the source writes it."""
        return self.symbols.get(op, op.value)

    def boolean(self, value: bool) -> str:
        """Return a truth value as the source writes it."""
        return self.booleans[value]
