"""Identifiers for suggested properties, made from what they say."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.sorts import WordSort
from mutproof.model.terms import Term

LONGEST: Final = 56
_WHEN: Final = {When.ALWAYS: "", When.FIRST: "_at_first", When.LATER: "_later"}
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


def names_of(conjecture: Conjecture, spelled: Callable[[Term], str]) -> list[str]:
    """Return names that describe a conjecture, the most descriptive ones first."""
    when = _WHEN[conjecture.when] if conjecture.scope is conjecture.when else ""
    if not walk.operators(conjecture.claim).isdisjoint({Op.PRE, Op.NEXT}):
        when = when if conjecture.when is When.FIRST else ""  # the operator says it
    claim = _words(conjecture.claim, spelled)
    conditions = [_words(term, spelled) for term in conjecture.conditions]
    about = list(dict.fromkeys(n for t in conjecture.conditions for n in sorted(walk.variables(t))))
    # A name without the conditions themselves only says what the claim depends on.
    found = [
        _identifier(f"{claim}{said and link + said}{when}")
        for link, said in (("_when_", "_and_".join(conditions)), ("_by_", "_".join(about)))
        if len(claim) + len(link) + len(said) + len(when) <= LONGEST
    ]
    found.append(_identifier(claim[: LONGEST - len(when)].rstrip("_") + when))
    return list(dict.fromkeys(found))


def _words(term: Term, spelled: Callable[[Term], str]) -> str:
    """Return a term in words, shortened where it is long."""
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
        case Op.AND | Op.OR:
            return f"_{term.op.name.lower()}_".join(_words(part, spelled) for part in term.args)
        case Op.CONST if isinstance(term.sort, WordSort):
            return str(term.payload).replace("-", "minus_")
        case _:
            return _part(spelled(term).replace("-", "minus_"))


def _part(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")


def _identifier(text: str) -> str:
    found = _part(text)
    return found if found and not found[0].isdigit() else f"value_{found}".strip("_")
