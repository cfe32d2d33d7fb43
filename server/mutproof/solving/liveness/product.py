"""Safety properties of the product of a system and a tableau, each of which proves a formula.

The product has an infinite fair path where the formula can fail, and none if

* the duties of the formula, where these must end, never end (`settled`): nothing bad is done;
* what must recur recurs at most k times (`counted`), in systems of any size;
* each time it does a number is smaller than the last time, and that was not below zero
  (`decreasing`);
* no path has more than k states (`ending`);
* no state is seen twice with all that must recur between (`returning`), where states are
  finitely many.

Source: Claessen and Sörensson, A liveness checking algorithm that counts, FMCAD 2012; Biere,
Artho and Schuppan, Liveness checking as safety checking, FMICS 2002; for numbers that decrease,
Manna and Pnueli, Completing the temporal picture, TCS 1991, the rule of well-founded response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.sorts import BOOL, INT, EnumSort, IntSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.liveness.tableau import tableau
from mutproof.solving.verdict import Certificate

_PREFIX = "?live:"

MOST_RANKS = 24
"""How many numeric terms are tried as a decreasing rank."""


@dataclass(frozen=True)
class Goal:
    """State a safety property: of the part of a product that it depends on, and of the whole."""

    part: TransitionSystem
    whole: TransitionSystem


@dataclass(frozen=True)
class TableauProduct:
    """Hold a system beside a tableau; it states nothing.

    `part` is what formula and fairness depend on: a product without fair paths where it has
    none, and more paths where the rest of the system would end them. `justice` must hold
    infinitely often; `duties` are as in a tableau.
    """

    whole: TransitionSystem
    part: TransitionSystem
    justice: tuple[Term, ...]
    duties: tuple[Term, ...] | None


def product(system: TransitionSystem, denied: Term) -> TableauProduct:
    """Return the product whose infinite fair paths are those of the system that satisfy `denied`.

    Every variable is kept in the bounds of its sort, as NuSMV keeps it.

    Raises:
        UnsupportedTermError: the formula has no tableau.
    """
    beside = tableau(denied, system.fairness, system.compassion)
    kept = _without_idle(system)
    variables = {**kept.variables, **beside.variables}
    constraints = (*kept.constraints, *bounds(kept), *beside.constraints)
    whole = replace(
        kept,
        variables=variables,
        constraints=constraints,
        properties=(),
        fairness=(),
        compassion=(),
    )
    relevant = (*beside.justice, *(constraint.term for constraint in beside.constraints))
    return TableauProduct(whole, _cone(whole, relevant), beside.justice, beside.duties)


def _cone(system: TransitionSystem, relevant: Iterable[Term]) -> TransitionSystem:
    """Return the part of a system that terms depend on."""
    names = slicing.cone_of_terms(system, relevant)
    return replace(
        system,
        variables={name: v for name, v in system.variables.items() if name in names},
        constraints=tuple(c for c in system.constraints if walk.variables(c.term) <= names),
    )


def bounds(system: TransitionSystem) -> tuple[Constraint, ...]:
    """Return constraints that keep variables with a definition in the bounds of their sorts."""
    defined = {c.defines for c in system.constraints if c.kind is not ConstraintKind.INIT}
    found = []
    for name, declared in system.variables.items():
        if name in defined and declared.kind is not SystemVariableKind.DEFINED:
            term = _in_sort(declared)
            if term is not terms.TRUE:
                found.append(Constraint(ConstraintKind.INVAR, term))
    return tuple(found)


def remembered(system: TransitionSystem) -> tuple[SystemVariable, ...]:
    """Return the variables on which the next states of a state depend.

    Two states that agree on them can be followed by the same states.
    """
    handed = {
        str(part.payload)
        for constraint in system.constraints
        for part in walk.subterms(constraint.term)
        if part.op is Op.NEXT_VAR
    }
    return tuple(
        declared
        for name, declared in system.variables.items()
        if declared.kind is not SystemVariableKind.DEFINED
        and (declared.kind is SystemVariableKind.STATE or name in handed)
    )


def impossible(found: TableauProduct, name: str) -> Goal:
    """Return the product with the goal that it has no state at all."""
    return _stating(found, {name: terms.FALSE})


def settled(found: TableauProduct, name: str) -> Goal | None:
    """Return the product with the goal that some duty is always left; None without duties."""
    if found.duties is None:
        return None
    return _stating(found, {name: terms.disjunction(found.duties)})


def counted(found: TableauProduct, name: str, most: int) -> Goal:
    """Return the product with the goal that all of `justice` recurs at most `most` times."""
    watch = Monitor()
    signal = _rounds(found.justice, watch)
    if most == 0:
        return _stating(found, {name: terms.not_(signal)}, watch)
    count = watch.variable("count", INT)
    one_more = terms.arithmetic(Op.ADD, count, terms.int_(1))
    watch.begins(count, terms.int_(0))
    watch.follows(count, terms.ite(signal, one_more, count))
    below = terms.compare(Op.LT, count, terms.int_(most))
    return _stating(found, {name: terms.or_(terms.not_(signal), below)}, watch)


def decreasing(found: TableauProduct, name: str) -> Goal | None:
    """Return the product with a goal for each number that may decrease whenever `justice` is met.

    Any one of the goals suffices. None: no number of the system is unbounded.
    """
    ranks = _ranks(found.part)
    if not ranks:
        return None
    watch = Monitor()
    signal = _rounds(found.justice, watch)
    begun = watch.variable("begun", BOOL)
    watch.begins(begun, terms.FALSE)
    watch.follows(begun, terms.or_(begun, signal))
    goals = {}
    for number, rank in enumerate(ranks):
        last = watch.variable(f"last:{number}", rank.sort)
        watch.follows(last, terms.ite(signal, rank, last))
        one = terms.const(1, rank.sort)
        smaller = terms.compare(Op.LE, terms.arithmetic(Op.ADD, rank, one), last)
        bounded = terms.compare(Op.GE, last, terms.const(0, rank.sort))
        again = terms.and_(signal, begun)
        goals[f"{name}#{number}"] = terms.implies(again, terms.and_(smaller, bounded))
    return _stating(found, goals, watch)


def ending(found: TableauProduct, name: str, length: int) -> tuple[Goal, Certificate]:
    """Return the product with the goal that no execution has so many states, and how to prove it.

    It holds by induction over all of them, once the first one is known to be initial.
    """
    watch = Monitor()
    step = watch.variable("step", INT)
    watch.begins(step, terms.int_(0))
    watch.follows(step, terms.arithmetic(Op.ADD, step, terms.int_(1)))
    first = terms.conjunction(
        c.term for c in found.whole.constraints if c.kind is ConstraintKind.INIT
    )
    lemmas = (
        terms.compare(Op.GE, step, terms.int_(0)),
        terms.implies(terms.eq(step, terms.int_(0)), first),
    )
    last = terms.compare(Op.LT, step, terms.int_(length - 1))
    certificate = Certificate(max(1, length - 1), lemmas, (name,))
    return _stating(found, {name: last}, watch), certificate


def returning(found: TableauProduct, name: str) -> Goal | None:
    """Return the product with the goal that no state returns with all of `justice` between.

    None: its states are not finitely many.
    """
    states = remembered(found.part)
    if not all(sorts.is_finite(declared.sort) for declared in states):
        return None
    watch = Monitor()
    save = watch.variable("save", BOOL, SystemVariableKind.INPUT)
    saved = watch.variable("saved", BOOL)
    watch.begins(saved, terms.FALSE)
    watch.follows(saved, terms.or_(saved, save))
    now = terms.and_(save, terms.not_(saved))
    since = terms.or_(saved, save)
    same: list[Term] = [saved]
    for declared in states:
        value = terms.var(declared.name, declared.sort)
        copy = watch.variable(f"copy:{declared.name}", declared.sort)
        watch.follows(copy, terms.ite(now, value, copy))
        same.append(terms.eq(copy, value))
    for number, often in enumerate(found.justice):
        seen = watch.variable(f"since:{number}", BOOL)
        watch.begins(seen, terms.FALSE)
        watch.follows(seen, terms.and_(since, terms.or_(seen, often)))
        same.append(seen)
    return _stating(found, {name: terms.not_(terms.conjunction(same))}, watch)


def _ranks(system: TransitionSystem) -> list[Term]:
    """Return candidate ranks: state variables, and their distances to terms compared with them."""
    numbers = [
        terms.var(declared.name, declared.sort)
        for declared in system.variables.values()
        if isinstance(declared.sort, IntSort | sorts.RealSort)
        and declared.kind is SystemVariableKind.STATE
        and not sorts.is_finite(declared.sort)
    ]
    limits: dict[Term, dict[Term, None]] = {number: {} for number in numbers}
    for root in (constraint.term for constraint in system.constraints):
        for part in walk.subterms(root):
            if part.op in COMPARISONS or part.op is Op.EQ:
                for left, right in (part.args, part.args[::-1]):
                    if left in limits and right.op is not Op.NEXT_VAR:
                        limits[left][right] = None
    found: dict[Term, None] = {}
    for number in numbers:
        found[number] = None
        found[terms.arithmetic(Op.NEG, number)] = None
        for limit in limits[number]:
            if all(part.op is not Op.NEXT_VAR for part in walk.subterms(limit)):
                found[terms.arithmetic(Op.SUB, limit, number)] = None
                found[terms.arithmetic(Op.SUB, number, limit)] = None
    return list(found)[:MOST_RANKS]


class Monitor:
    """Collect monitor variables for a product, with their constraints; mutable."""

    def __init__(self) -> None:
        self.variables: list[SystemVariable] = []
        self.constraints: list[Constraint] = []

    def variable(
        self,
        name: str,
        sort: sorts.Sort,
        kind: SystemVariableKind = SystemVariableKind.STATE,
    ) -> Term:
        """Declare a variable."""
        self.variables.append(SystemVariable(f"{_PREFIX}{name}", sort, kind, shown=False))
        return terms.var(f"{_PREFIX}{name}", sort)

    def begins(self, variable: Term, value: Term) -> None:
        """Give a variable its first value."""
        term = terms.eq(variable, value)
        self.constraints.append(
            Constraint(ConstraintKind.INIT, term, defines=str(variable.payload))
        )

    def follows(self, variable: Term, value: Term) -> None:
        """Give a variable its next value."""
        name = str(variable.payload)
        term = terms.eq(terms.next_var(name, variable.sort), value)
        self.constraints.append(Constraint(ConstraintKind.TRANS, term, defines=name))


def _stating(
    found: TableauProduct, goals: Mapping[str, Term], watch: Monitor | None = None
) -> Goal:
    """Return the goal: a product with safety properties and monitor variables."""
    systems = []
    for system in (found.part, found.whole):
        variables = dict(system.variables)
        constraints = system.constraints
        if watch is not None:
            variables.update((declared.name, declared) for declared in watch.variables)
            constraints += tuple(watch.constraints)
        stated = tuple(SystemProperty(name, goal) for name, goal in goals.items())
        systems.append(
            replace(system, variables=variables, constraints=constraints, properties=stated)
        )
    return Goal(*systems)


def _rounds(justice: tuple[Term, ...], watch: Monitor) -> Term:
    """Return a term that is true infinitely often if and only if each of `justice` is."""
    if len(justice) <= 1:
        return justice[0] if justice else terms.TRUE
    seen = [watch.variable(f"seen:{number}", BOOL) for number in range(len(justice))]
    met = [terms.or_(before, often) for before, often in zip(seen, justice, strict=True)]
    signal = terms.conjunction(met)
    for before, here in zip(seen, met, strict=True):
        watch.begins(before, terms.FALSE)
        watch.follows(before, terms.and_(terms.not_(signal), here))
    return signal


def _in_sort(declared: SystemVariable) -> Term:
    variable = terms.var(declared.name, declared.sort)
    match declared.sort:
        case IntSort(low, high):
            parts = []
            if low is not None:
                parts.append(terms.compare(Op.GE, variable, terms.int_(low)))
            if high is not None:
                parts.append(terms.compare(Op.LE, variable, terms.int_(high)))
            return terms.conjunction(parts)
        case EnumSort(_, values) if values:
            return terms.disjunction(
                terms.eq(variable, terms.const(value, variable.sort)) for value in values
            )
        case _:
            return terms.TRUE


def _without_idle(system: TransitionSystem) -> TransitionSystem:
    """Return the system without hidden variables that nothing else needs."""
    hidden = {v.name for v in system.variables.values() if not v.shown}
    if not hidden:
        return system
    stated: Iterable[Term] = (
        *system.fairness,
        *(term for pair in system.compassion for term in pair),
        *(c.term for c in system.constraints if c.defines not in hidden),
    )
    used = {name for term in stated for name in walk.variables(term)}
    waiting = [c for c in system.constraints if c.defines in hidden]
    while True:
        needed = [c for c in waiting if c.defines in used]
        if not needed:
            break
        waiting = [c for c in waiting if c.defines not in used]
        for constraint in needed:
            used |= walk.variables(constraint.term)
    idle = {name for name in hidden if name not in used}
    kept = tuple(c for c in system.constraints if c.defines not in idle)
    variables = {name: v for name, v in system.variables.items() if name not in idle}
    return replace(system, variables=variables, constraints=kept, properties=())
