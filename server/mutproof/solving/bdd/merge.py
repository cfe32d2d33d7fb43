"""One system for many: a selector that never changes says which alternative holds.

Selector 0 is the system itself. Constraints that all alternatives share stand as they are; of
equations with several right-hand sides one is chosen by the selector.
Source: Classen et al. 2011, Symbolic model checking of software product lines, for the idea of
features as variables that never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.sorts import IntSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term

SELECTOR = "?alternative"
"""The name of the variable that says which alternative holds."""

_FREE = "?free:"


@dataclass(frozen=True, slots=True)
class Alternative:
    """Change a system: constraints of `removed` elements do not hold, `constraints` do.

    `variables` are new ones, which only these constraints read. Constraints of other elements, or
    of none, that do not hold either are in `lost`.
    """

    removed: frozenset[ElementId]
    constraints: tuple[Constraint, ...] = ()
    variables: tuple[SystemVariable, ...] = ()
    lost: frozenset[Constraint] = frozenset()

    def applied(self, system: TransitionSystem) -> TransitionSystem:
        """Return the changed system, with what is new in the place of what it replaces.

        The order of constraints decides which are joined and when bits are quantified.
        """
        kept: list[Constraint] = []
        place: int | None = None
        for constraint in system.constraints:
            if constraint.owner not in self.removed and constraint not in self.lost:
                kept.append(constraint)
            elif place is None:
                place = len(kept)
        place = len(kept) if place is None else place
        kept[place:place] = self.constraints
        variables = {**system.variables, **{added.name: added for added in self.variables}}
        return replace(system, variables=variables, constraints=tuple(kept))


_Choice = list[tuple[int, Term]]
"""Terms with the selectors that choose them, one bit for each."""


@dataclass(slots=True)
class _Merging:
    """Collect the constraints of all selectors; mutable.

    `equations` are keyed by kind and defined variable, `pool` holds all other conjuncts.
    """

    everyone: int
    selector: Term
    equations: dict[tuple[ConstraintKind, str], _Choice] = field(default_factory=dict)
    pool: dict[tuple[ConstraintKind, Term], int] = field(default_factory=dict)

    def add(self, constraint: Constraint, who: int) -> None:
        """Note that a constraint holds for some selectors."""
        if constraint.defines is not None:
            choices = self.equations.setdefault((constraint.kind, constraint.defines), [])
            free = who & ~_chosen(choices)
            if free:
                choices.append((free, constraint.term))
            who &= ~free
        self.add_to_pool(constraint.kind, constraint.term, who)

    def add_to_pool(self, kind: ConstraintKind, term: Term, who: int) -> None:
        """Note that every conjunct of a constraint holds for some selectors."""
        if who:
            for part in walk.conjuncts(term):
                self.pool[kind, part] = self.pool.get((kind, part), 0) | who

    def among(self, who: int) -> Term:
        """Return that the selector is one of some."""
        others = self.everyone & ~who
        if others.bit_count() < who.bit_count():
            return terms.not_(self._one_of(others))
        return self._one_of(who)

    def _one_of(self, who: int) -> Term:
        return terms.disjunction(
            terms.eq(self.selector, terms.int_(number)) for number in _numbers(who)
        )

    def choice(self, choices: Iterable[tuple[int, Term]], otherwise: Term) -> Term:
        """Return the term that the selector chooses."""
        result = otherwise
        for who, term in choices:
            if term is not otherwise:
                result = terms.make(Op.ITE, term.sort, (self.among(who), term, result))
        return result


def merged(system: TransitionSystem, alternatives: Sequence[Alternative]) -> TransitionSystem:
    """Return the system of which selector 0 is `system` and selector n the n-th alternative.

    An alternative without an equation for a variable gets a free variable of its own for it.
    Variables that only some alternatives declare have a fixed value in the others.
    """
    last = len(alternatives)
    selector_sort = IntSort(0, last)
    merging = _Merging((2 << last) - 1, terms.var(SELECTOR, selector_sort))
    without: dict[ElementId | Constraint, int] = {}
    for number, alternative in enumerate(alternatives, start=1):
        for gone in alternative.removed | alternative.lost:
            without[gone] = without.get(gone, 0) | 1 << number
    for constraint in system.constraints:
        others = without.get(constraint, 0)
        if constraint.owner is not None:
            others |= without.get(constraint.owner, 0)
        merging.add(constraint, merging.everyone & ~others)
    for number, alternative in enumerate(alternatives, start=1):
        for constraint in alternative.constraints:
            merging.add(constraint, 1 << number)
    variables = {
        SELECTOR: SystemVariable(SELECTOR, selector_sort, SystemVariableKind.STATE, shown=False)
    }
    variables.update(system.variables)
    added: dict[SystemVariable, int] = {}
    for number, alternative in enumerate(alternatives, start=1):
        for variable in alternative.variables:
            variables.setdefault(variable.name, variable)
            added[variable] = added.get(variable, 0) | 1 << number
    constraints = _equations(merging, variables)
    for variable, who in added.items():
        constraints.append(_resting(merging, variable, who))
    constraints.extend(_pooled(merging))
    return replace(system, variables=variables, constraints=tuple(constraints))


def _equations(merging: _Merging, variables: dict[str, SystemVariable]) -> list[Constraint]:
    found: list[Constraint] = []
    for (kind, name), choices in merging.equations.items():
        missing = merging.everyone & ~_chosen(choices)
        if kind is not ConstraintKind.INVAR:
            if len(choices) == 1 and not missing:
                found.append(Constraint(kind, choices[0][1], None, name))
            else:
                rest = [*choices[1:], *([(missing, terms.TRUE)] if missing else [])]
                found.append(Constraint(kind, merging.choice(rest, choices[0][1])))
        elif missing & 1:
            # Nothing defines this variable in the system itself, so equations are constraints.
            for who, term in choices:
                merging.add_to_pool(kind, term, who)
        else:
            bodies = [(who, term.args[1]) for who, term in choices]
            if missing:
                declared = variables[name]
                free = replace(declared, name=_FREE + name, kind=SystemVariableKind.STATE)
                variables[free.name] = free
                found.append(_resting(merging, free, missing))
                bodies.append((missing, terms.var(free.name, free.sort)))
            base = bodies[0][1]
            term = merging.choice(bodies[1:], base)
            equation = terms.eq(terms.var(name, variables[name].sort), term)
            found.append(Constraint(kind, equation, None, name))
    return found


def _resting(merging: _Merging, variable: SystemVariable, who: int) -> Constraint:
    """Return a constraint: a variable has its default value unless the selector is in `who`."""
    usual = terms.const(sorts.default_value(variable.sort), variable.sort)
    term = terms.eq(terms.var(variable.name, variable.sort), usual)
    return Constraint(ConstraintKind.INVAR, terms.or_(merging.among(who), term))


def _pooled(merging: _Merging) -> list[Constraint]:
    found: list[Constraint] = []
    for (kind, term), who in merging.pool.items():
        guarded = term
        if who != merging.everyone:
            guarded = terms.or_(merging.among(merging.everyone & ~who), term)
        found.append(Constraint(kind, guarded))
    return found


def _chosen(choices: Iterable[tuple[int, Term]]) -> int:
    result = 0
    for who, _ in choices:
        result |= who
    return result


def _numbers(who: int) -> list[int]:
    return [number for number in range(who.bit_length()) if who >> number & 1]
