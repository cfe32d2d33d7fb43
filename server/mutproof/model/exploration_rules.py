"""The rules of an exploration: definitions of a system by variables, and what a mutant changes."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from mutproof.base.record import dataclass
from mutproof.model.columns import TooWide
from mutproof.model.system import Constraint, ConstraintKind
from mutproof.model.terms import Term

TABLES = (ConstraintKind.INVAR, ConstraintKind.TRANS, ConstraintKind.INIT)
"""The kinds of constraints that define variables, in the order of tables of definitions."""


@dataclass(frozen=True, slots=True)
class ExplorationRules:
    """Hold the definitions of a system by the variables they define, and its assertions."""

    definitions: dict[str, Term]
    updates: dict[str, Term]
    initial: dict[str, Term]
    checks: tuple[Constraint, ...]

    @property
    def tables(self) -> tuple[dict[str, Term], ...]:
        """Return what is defined, in the order of `TABLES`."""
        return self.definitions, self.updates, self.initial


@dataclass(frozen=True, slots=True)
class ChangedRules:
    """Hold rules in which some variables have other terms, or None: no definition any more.

    `own` has these terms, in the order of `TABLES`. Copying all rules for a mutant would take
    longer than exploring it.
    """

    rules: ExplorationRules
    own: tuple[dict[str, Term | None], ...]
    checks: tuple[Constraint, ...]

    def meanings(self, name: str) -> list[Term | None]:
        """Return what the tables say of a variable, None where they say nothing."""
        tables = zip(self.own, self.rules.tables, strict=True)
        return [own[name] if name in own else table.get(name) for own, table in tables]


def rules_of(constraints: Iterable[Constraint]) -> ExplorationRules:
    """Return the rules that constraints are."""
    changed = changed_rules(ExplorationRules({}, {}, {}, ()), frozenset(), constraints)
    definitions, updates, initial = (known_terms(table.items()) for table in changed.own)
    return ExplorationRules(definitions, updates, initial, changed.checks)


def known_terms(found: Iterable[tuple[str, Term | None]]) -> dict[str, Term]:
    """Return what variables are defined by, without those that are not."""
    return {name: term for name, term in found if term is not None}


def changed_rules(
    rules: ExplorationRules, gone: AbstractSet[Constraint], added: Iterable[Constraint]
) -> ChangedRules:
    """Return rules without the constraints `gone`, with those `added`.

    Raises:
        TooWide: states are related by more than definitions.
    """
    by_kind: dict[ConstraintKind, dict[str, Term | None]] = {kind: {} for kind in TABLES}
    checks = [check for check in rules.checks if check not in gone]
    for constraint in gone:
        if constraint.defines is not None:
            by_kind[constraint.kind][constraint.defines] = None
    for constraint in added:
        if constraint.defines is not None:
            by_kind[constraint.kind][constraint.defines] = constraint.term.args[1]
        elif constraint.kind is ConstraintKind.INVAR:
            checks.append(constraint)
        else:
            raise TooWide("states are related by more than definitions")
    return ChangedRules(rules, tuple(by_kind[kind] for kind in TABLES), tuple(checks))
