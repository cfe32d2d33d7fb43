"""The product of a system and a changed one: both read the same inputs, step by step.

A variable whose definition does not depend on the change has the same values on both sides and
stands in the product once; only the others are copied. Both sides start from the same first
memories, where both have the memory. Uninterpreted functions are the same on both sides.

What is compared is equal up to the first difference. So what depends on the change through such
variables alone is not copied either: nothing of it differs before they do. This holds where
assertions are the same on both sides and do not depend on the change: then the goal demands in
every state that they are equal. (Circular equations count as assertions.)

Assertions that depend on the change hold on both sides of every state that has a successor,
and the goal says that they agree: an execution that only one side allows is a difference.
Assertions that do not depend on it hold in every state.

Source: Donaldson, He, Kroening and Rümmer, FMICS 2011, section 2.2; Kuehlmann and van Eijk,
Combinational and sequential equivalence checking, 2002, for the sharing of cones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from mutproof.analyses.claims.observation import Observation, Observed
from mutproof.base.digraph import reached
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

COPY = "'"
"""Stands before the names of copied variables; no name of a language begins with it."""

GOAL = "the same"
"""The name of the one property of a product."""


@dataclass(frozen=True)
class Product:
    """Hold a product and what was copied: names of the changed side, in order."""

    system: TransitionSystem
    copied: tuple[str, ...]
    compared: tuple[Observed, ...]

    @property
    def goal(self) -> Term:
        """Return the statement that nothing observed differs."""
        return self.system.properties[0].term

    def equalities(self) -> tuple[Term, ...]:
        """Return for each copied variable that both sides have that both are equal."""
        variables = self.system.variables
        return tuple(
            terms.eq(terms.var(name, variables[name].sort), terms.var(COPY + name, there.sort))
            for name in self.copied
            if (there := variables.get(COPY + name)) is not None
            and name in variables
            and terms.var(name, variables[name].sort).sort == terms.var(name, there.sort).sort
        )

    def on_copy(self, term: Term) -> Term:
        """Return a term over the model as one over the changed side."""
        copied = frozenset(self.copied)
        return walk.renamed(term, lambda name: COPY + name if name in copied else name)


class NoProductError(Exception):
    """Say that systems have no product in which inputs alone decide what happens."""


def product(
    model: TransitionSystem,
    changed: TransitionSystem,
    observation: Observation,
    *,
    sharing: bool = True,
    valued: bool = False,
) -> Product:
    """Return the product of a system and a changed version of it.

    Without `sharing` everything but the inputs and what nothing defines is copied. Variables
    of the observation that one side does not have are left out. With `valued`, an execution that
    only one side allows is no difference.

    Raises:
        NoProductError: constraints relate states without defining variables, or variables
            that are compared have different sorts.
    """
    if _relates(model) or _relates(changed):
        message = "the steps are relations, not functions of the inputs"
        raise NoProductError(message)
    compared = tuple(
        found
        for found in observation.variables
        if found.name in model.variables and found.name in changed.variables
    )
    left = dict.fromkeys(c.term for c in model.constraints if c.defines is None)
    right = dict.fromkeys(c.term for c in changed.constraints if c.defines is None)
    copied = depending_on_change(model, changed, everything=not sharing)
    equal_before: frozenset[str] = frozenset()
    if sharing and left.keys() == right.keys() and asserted(model).isdisjoint(copied):
        equal_before = frozenset(found.name for found in compared if found.clock is None)
        copied = depending_on_change(model, changed, barring=equal_before)

    def rename(name: str) -> str:
        return COPY + name if name in copied and name not in equal_before else name

    variables = dict(model.variables)
    for name in copied:
        variables[COPY + name] = replace(changed.variables[name], name=COPY + name)
    memo: dict[Term, Term] = {}
    own = [c for c in model.constraints if c.defines is not None]
    there = [
        _copy(c, lambda term: walk.renamed(term, rename, memo))
        for c in changed.constraints
        if c.defines is not None and c.defines in copied
    ]
    there += _first_memories(model, changed, copied)
    shared = [
        c
        for c in model.constraints
        if c.defines is None and c.term in right and not walk.variables(c.term) & copied.keys()
    ]
    same = {c.term for c in shared}
    here = terms.conjunction(term for term in left if term not in same)
    copy = terms.conjunction(walk.renamed(term, rename) for term in right if term not in same)
    both = terms.conjunction((here, copy))
    going_on = [] if both is terms.TRUE else [Constraint(ConstraintKind.TRANS, both)]
    equal = terms.conjunction(_equal(found, variables, copied) for found in compared)
    goal = equal
    if here is not copy:
        agree = terms.make(Op.IFF, BOOL, (here, copy))
        goal = terms.conjunction((agree, terms.implies(here, equal)))
        goal = terms.implies(both, equal) if valued else goal
    system = TransitionSystem(
        variables, (*own, *there, *shared, *going_on), (SystemProperty(GOAL, goal),)
    )
    return Product(system, tuple(copied), compared)


def _copy(constraint: Constraint, renamed: Callable[[Term], Term]) -> Constraint:
    """Return the definition of a copied variable, of which the changed side reads others."""
    assert constraint.defines is not None
    name = constraint.defines
    defined, body = constraint.term.args
    defined = walk.renamed(defined, lambda own: COPY + own)
    return replace(
        constraint,
        term=terms.rebuilt(constraint.term, (defined, renamed(body))),
        defines=COPY + name,
    )


def unprimed(choices: Choices) -> Choices:
    """Return the choices of an execution of a product as one for either side."""
    return Choices(
        tuple(_unprimed(step) for step in choices.steps),
        _unprimed(choices.before),
        choices.functions,
        choices.loop,
    )


def _unprimed(values: Mapping[str, Value]) -> dict[str, Value]:
    return {name.removeprefix(COPY): value for name, value in values.items()}


def _relates(system: TransitionSystem) -> bool:
    return system.relational or any(
        c.defines is None and c.kind is not ConstraintKind.INVAR for c in system.constraints
    )


def _definitions(system: TransitionSystem) -> dict[str, dict[ConstraintKind, Term]]:
    found: dict[str, dict[ConstraintKind, Term]] = {}
    for constraint in system.constraints:
        if constraint.defines is not None:
            found.setdefault(constraint.defines, {})[constraint.kind] = constraint.term
    return found


def asserted(system: TransitionSystem) -> frozenset[str]:
    """Return the variables that assertions read."""
    return frozenset[str]().union(
        *(walk.variables(c.term) for c in system.constraints if c.defines is None)
    )


def depending_on_change(
    model: TransitionSystem,
    changed: TransitionSystem,
    *,
    everything: bool = False,
    barring: Collection[str] = (),
) -> dict[str, None]:
    """Return the variables of the changed side that may differ from the model's, in order.

    With `everything`, all that have a definition count. What depends on the change through
    those that are `barring` alone is left out.
    """
    before, after = _definitions(model), _definitions(changed)
    readers: dict[str, list[str]] = {}
    for name, definitions in after.items():
        for term in definitions.values():
            for read in _reads(term):
                readers.setdefault(read, []).append(name)
    altered = [
        name
        for name, declared in changed.variables.items()
        if _differ(model.variables.get(name), declared)
        or before.get(name) != after.get(name)
        or (everything and name in after)
    ]
    found = reached(altered, lambda name: () if name in barring else readers.get(name, ()))
    return {name: None for name in changed.variables if name in found}


@lru_cache(maxsize=1 << 14)
def _reads(term: Term) -> frozenset[str]:
    """Return the variables of a term; cached, as consecutive products share most terms."""
    return walk.variables(term)


def _differ(one: SystemVariable | None, other: SystemVariable) -> bool:
    return one is None or (one.sort, one.kind) != (other.sort, other.kind)


def _first_memories(
    model: TransitionSystem, changed: TransitionSystem, copied: Mapping[str, None]
) -> list[Constraint]:
    """Return constraints that copied memories without initial value start as the model's do."""
    started = {c.defines for c in changed.constraints if c.kind is ConstraintKind.INIT}
    found = []
    for name in copied:
        declared = changed.variables[name]
        if (
            declared.kind is SystemVariableKind.STATE
            and name not in started
            and not _differ(model.variables.get(name), declared)
        ):
            here, there = (terms.var(n, declared.sort) for n in (name, COPY + name))
            start = terms.eq(there, here)
            found.append(Constraint(ConstraintKind.INIT, start, defines=COPY + name))
    return found


def _equal(
    found: Observed, variables: Mapping[str, SystemVariable], copied: Mapping[str, None]
) -> Term:
    if found.name not in copied and found.clock not in copied:
        return terms.TRUE
    here, there = _sides(found.name, variables, copied)
    if here.sort != there.sort:
        message = f"{found.name} has different types"
        raise NoProductError(message)
    equal = terms.TRUE if here is there else terms.eq(here, there)
    if found.clock is None:
        return equal
    runs, runs_there = _sides(found.clock, variables, copied)
    if runs is not runs_there:
        return terms.and_(terms.eq(runs, runs_there), terms.implies(runs, equal))
    return terms.implies(runs, equal)


def _sides(
    name: str, variables: Mapping[str, SystemVariable], copied: Mapping[str, None]
) -> tuple[Term, Term]:
    here = terms.var(name, variables[name].sort)
    if name not in copied:
        return here, here
    return here, terms.var(COPY + name, variables[COPY + name].sort)
