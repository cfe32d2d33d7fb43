"""Systems in which some variables have a second value beside their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from mutproof.model import walk
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem
from mutproof.model.terms import Term

OTHER: Final = "'"
"""The prefix of variables that hold second values; no system has such names."""


def doubled(
    system: TransitionSystem, copied: frozenset[str], constraints: Iterable[Constraint]
) -> TransitionSystem:
    """Return a system with second values of `copied` variables, on which `constraints` hold too."""

    def rename(name: str) -> str:
        return OTHER + name if name in copied else name

    memo: dict[Term, Term] = {}
    added = [
        replace(
            constraint,
            term=walk.renamed(constraint.term, rename, memo),
            defines=None if constraint.defines is None else rename(constraint.defines),
        )
        for constraint in constraints
    ]
    variables: dict[str, SystemVariable] = dict(system.variables)
    for name in system.variables:
        if name in copied:
            variables[OTHER + name] = replace(system.variables[name], name=OTHER + name)
    return TransitionSystem(variables, (*system.constraints, *added), ())
