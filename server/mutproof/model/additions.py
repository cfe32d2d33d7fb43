"""What lowering a term adds besides its value: constraints, and the variables that they define.

Most subterms of a body add what their arguments add, so lists of additions are shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.system import Constraint, SystemVariable


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """Hold the constraints that a subterm adds besides its value, and their variable.

    An addition is one object, however many subterms need it.
    """

    variable: SystemVariable | None
    constraints: tuple[Constraint, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Many:
    """Hold many additions that several subterms share."""

    parts: tuple[Addition | _Many, ...]


Additions: TypeAlias = tuple["Addition | _Many", ...]
"""The additions of a subterm and all its subterms, in order, each once."""

MOST_LISTED = 64
"""How many additions are listed for each subterm; more are shared."""


def merged(inner: list[Additions], own: list[Addition]) -> Additions:
    """Return the arguments' additions, then the subterm's `own`, which is emptied."""
    if not own and len(inner) == 1:
        return inner[0]
    found: dict[Addition | _Many, None] = {}
    for additions in inner:
        found.update(dict.fromkeys(additions))
    found.update(dict.fromkeys(own))
    own.clear()
    if inner and len(found) == len(inner[0]):
        return inner[0]
    together = tuple(found)
    return together if len(together) <= MOST_LISTED else (_Many(together),)


def listed(additions: Additions) -> Iterable[Addition]:
    """Return all single additions, each once, in order."""
    found: dict[Addition | _Many, None] = {}
    stack: list[Addition | _Many] = list(reversed(additions))
    while stack:
        item = stack.pop()
        if item not in found:
            found[item] = None
            if isinstance(item, _Many):
                stack.extend(reversed(item.parts))
    return [item for item in found if isinstance(item, Addition)]
