"""Which `pre` may be read at a first step: those that no `->` of their equation stands before.

Arguments of calls and operands of `pre` are computed at all steps, whatever is around them.

Source: JKind, WarnUnguardedPreVisitor; here operands of such a `pre` are searched, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.memo import Memo
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.terms import Path, Term

MOST_KEPT = 10_000
_kept: Memo[tuple[tuple[Path, Term], ...]] = Memo(MOST_KEPT)


def unguarded(body: Term) -> tuple[tuple[Path, Term], ...]:
    """Return the occurrences of `pre` in a body that may be read at a first step, in order."""
    return _kept.get(body, lambda: tuple(_unguarded(body)))


def _unguarded(body: Term) -> Iterator[tuple[Path, Term]]:
    if not any(term.op is Op.PRE for term in walk.subterms(body)):
        return
    stack: list[tuple[Path, Term, bool]] = [((), body, False)]
    while stack:
        path, term, guarded = stack.pop()
        if term.op is Op.PRE and not guarded:
            yield path, term
        if term.op in {Op.PRE, Op.CALL}:
            guarded = False
        for index in range(len(term.args) - 1, -1, -1):
            later = term.op is Op.ARROW and index == 1
            stack.append(((*path, index), term.args[index], guarded or later))
