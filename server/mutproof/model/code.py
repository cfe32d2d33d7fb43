"""Bodies of elements as lists of their subterms, ready to be computed in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import semantics
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.terms import Term

Entry: TypeAlias = "tuple[int, Term, tuple[int, ...], Callable[..., Any] | None]"
Entries: TypeAlias = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """List the subterms of a body so that arguments come first, by slot.

    `now` are those the body's own value needs; `later` are arguments of calls, computed when a
    callee asks for them, and what only `pre` reads: all are computed by the end of a run. Each
    entry is (slot, term, slots of its arguments, function); the function is None for operators that
    need more than the values of their arguments. `clocked` are the condacts among them. `parts`
    keeps the entries that single subterms need. `remembered` are the slots whose values `pre` gives
    in the next step, with the name of the variable for those that are one.
    """

    size: int
    slots: Mapping[Term, int]
    now: Entries
    later: Entries
    clocked: tuple[Term, ...]
    parts: dict[Term, Entries]
    remembered: tuple[tuple[int, str | None], ...]

    def needed(self, root: Term) -> Entries:
        """Return the entries that a subterm needs."""
        if root not in self.parts:
            wanted = {root}
            stack = [root]
            while stack:
                fresh = [arg for arg in _needed(stack.pop()) if arg not in wanted]
                wanted.update(fresh)
                stack.extend(fresh)
            entries = (*self.now, *self.later)
            self.parts[root] = tuple(entry for entry in entries if entry[1] in wanted)
        return self.parts[root]


def code(root: Term) -> Code:
    """Return the code of a body."""
    slots: dict[Term, int] = {}
    now = _listed((root,), slots)
    later: list[Entry] = []
    everything = list(now)
    position = 0
    while position < len(everything):
        term = everything[position][1]
        position += 1
        if term.op in {Op.PRE, Op.CALL}:
            fresh = _listed(term.args, slots)
            later.extend(fresh)
            everything.extend(fresh)
        elif term.op is Op.CONDACT:
            fresh = _listed((term.args[1],), slots)
            later.extend(fresh)
            everything.extend(fresh)
    clocked = tuple([term for term in slots if term.op is Op.CONDACT])
    operands = dict.fromkeys(term.args[0] for term in slots if term.op is Op.PRE)
    remembered = tuple([(slots[one], _name(one)) for one in operands])
    parts = {root: tuple(now)}
    return Code(len(slots), slots, tuple(now), tuple(later), clocked, parts, remembered)


def _name(term: Term) -> str | None:
    return str(term.payload) if term.op is Op.VAR else None


def _listed(roots: tuple[Term, ...], slots: dict[Term, int]) -> list[Entry]:
    found: list[Entry] = []
    stack = list(roots)
    while stack:
        term = stack[-1]
        if term in slots:
            stack.pop()
            continue
        needed = _needed(term)
        missing = [arg for arg in needed if arg not in slots]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        slots[term] = len(slots)
        direct = None if term.op in _SPECIAL else semantics.function(term)
        found.append((slots[term], term, tuple(slots[arg] for arg in needed), direct))
    return found


_SPECIAL = frozenset({Op.VAR, Op.PRE, Op.CALL, Op.ARROW, Op.CONDACT, Op.APPLY, *BY_ZERO})


def _needed(term: Term) -> tuple[Term, ...]:
    """Return the arguments whose values a term needs at the same step."""
    if term.op in {Op.PRE, Op.CALL}:
        return ()
    if term.op is Op.CONDACT:
        return (term.args[0], *term.args[2:])
    return term.args
