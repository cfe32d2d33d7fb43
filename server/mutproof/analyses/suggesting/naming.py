"""Names of suggested properties: what they say, as an identifier."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.model.operators import Op
from mutproof.model.terms import Term

LONGEST: Final = 48
_WORDS: Final = {
    Op.EQ: "is",
    Op.NE: "is_not",
    Op.GT: "above",
    Op.LT: "below",
    Op.GE: "at_least",
    Op.LE: "at_most",
}
_OF_ZERO: Final = {
    Op.GT: "positive",
    Op.LT: "negative",
    Op.GE: "not_negative",
    Op.LE: "not_positive",
    Op.EQ: "zero",
    Op.NE: "not_zero",
}
_BETWEEN: Final = {Op.ADD: "plus", Op.SUB: "minus", Op.MUL: "times"}


def name_of(conjecture: Conjecture, spelled: Callable[[Term], str]) -> str:
    """Return a name that says what a conjecture says, as far as a name can be long."""
    claim = _words(conjecture.claim, spelled)
    conditions = "_and_".join(_words(term, spelled) for term in conjecture.conditions)
    first = "_at_first" if conjecture.when is When.FIRST else ""
    for name in (f"{claim}_when_{conditions}" if conditions else claim, claim):
        if len(name) + len(first) <= LONGEST:
            return _identifier(name + first)
    return _identifier(claim[:LONGEST].rstrip("_") + first)


def _words(term: Term, spelled: Callable[[Term], str]) -> str:
    """Return a term in words; what is long in part only."""
    match term.op:
        case Op.NOT:
            return f"not_{_words(term.args[0], spelled)}"
        case Op.EX:
            return f"{_words(term.args[0], spelled)}_may_come"
        case Op.PRE:
            return f"previous_{_words(term.args[0], spelled)}"
        case Op.EQ | Op.NE | Op.GT | Op.LT | Op.GE | Op.LE:
            left, right = term.args
            if right.op is Op.CONST and right.payload == 0 and not isinstance(right.payload, bool):
                return f"{_words(left, spelled)}_{_OF_ZERO[term.op]}"
            return f"{_words(left, spelled)}_{_WORDS[term.op]}_{_words(right, spelled)}"
        case Op.ADD | Op.SUB | Op.MUL:
            left, right = term.args
            return f"{_words(left, spelled)}_{_BETWEEN[term.op]}_{_words(right, spelled)}"
        case _:
            return _identifier(spelled(term).replace("-", "minus_"))


def _identifier(text: str) -> str:
    found = re.sub(r"\W+", "_", text).strip("_")
    return found if found and not found[0].isdigit() else f"value_{found}".strip("_")
