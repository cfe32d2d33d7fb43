"""Infinite paths on which a property fails, where something is known of their length."""

from __future__ import annotations

from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.formulas import is_branching
from mutproof.solving.liveness import lasso, product, universal
from mutproof.solving.solver import SolvingError

_PAST = frozenset({Op.Y, Op.Z, Op.O, Op.H, Op.S, Op.T})


@dataclass(frozen=True, slots=True)
class Shortened:
    """Hold a lasso on which a property fails, None for none, and the `depth` of the search.

    The property is known not to fail on lassos of at most `depth` states.
    """

    choices: Choices | None
    depth: int
    cost: int


def shortened(system: TransitionSystem, name: str, longest: int, rlimit: int) -> Shortened:
    """Return a shortest lasso of at most so many states on which a property of paths fails.

    If the property speaks of the past, the lasso need not be shortest, and nothing is excluded: the
    tableau's memory of the past has to return, too.

    Raises:
        KeyError: the system has no property of that name.
    """
    stated = system.property(name)
    formula = universal.linear_form(system, stated)
    if formula is None or is_branching(stated):
        return Shortened(None, 0, 0)
    try:
        search = lasso.LassoSearch(product.product(system, terms.not_(formula)))
        found = search.search(longest, rlimit, Deadline.never())
    except SolvingError:
        return Shortened(None, 0, 0)
    ended = longest if found is None and search.ended else search.depth
    exact = all(term.op not in _PAST for term in walk.subterms(formula))
    choices = None if found is None else lasso.shown(system, found).choices
    return Shortened(choices, ended if exact else 0, search.cost)


def lengthened(
    system: TransitionSystem, name: str, limits: Budget, *, step: int, longest: int
) -> Choices | None:
    """Return a lasso on which `always p` fails, if p is false after no fewer than `step` steps.

    None: there is none of at most so many states, or that is not known.

    Raises:
        KeyError: the system has no property of that name.
    """
    formula = universal.linear_form(system, system.property(name))
    if formula is None:
        return None
    try:
        denied = product.product(system, terms.not_(formula))
        search = lasso.LassoSearch(denied, step + 1)
        found = search.search(longest, limits.rlimit, Deadline.after(limits.timeout_s))
    except SolvingError:
        return None
    return None if found is None else lasso.shown(system, found).choices
