"""Invariants from templates: likely facts about the variables, tried in rounds.

Rounds, cheapest first: relations between memories that are Boolean or of small range; bounds by
constants of the program; equalities and orders between numbers; equalities and implications between
Booleans, comparisons included; steps of counters. Candidates that random executions falsify are
dropped before the solver sees them; Houdini keeps the inductive ones.

Source: Kahsai, Ge and Tinelli, Instantiation-based invariant discovery, NFM 2011; JKind,
Gacek et al., CAV 2018, section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import cast

from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import counters, houdini, sampling
from mutproof.solving.engine import Engine, Finding, LearntLemmas, Stuck, Task, Worked
from mutproof.solving.sampling import Sample

MOST_CONSTANTS = 12
MOST_NUMBERS = 40
MOST_ATOMS = 120
MOST_VALUES = 8
MOST_CANDIDATES = 1500


def run(task: Task) -> Iterator[Finding]:
    """Try the advice of earlier runs, then each round of templates with k = 1 and k = 2."""
    if task.advice:
        kept = yield from houdini.inductive(
            task, [t for t in task.advice if _readable(task.system, t)]
        )
        yield LearntLemmas(tuple(kept), 1)
    states = sampling.sample(task.system, task.workshop)
    task.charge(20_000)
    if not states.rows:
        yield Stuck("no execution was found to try candidates on")
        return
    found = yield from counters.candidates(task)
    yield from _learnt(task, _holding(found, states), 1)
    for make in (memories, bounds, relations, clauses, steps):
        found = make(task.system, states)
        task.charge(5_000 + 20 * len(found))
        yield Worked()
        for k in (1, 2):
            yield from _learnt(task, found, k)
    yield Stuck("all templates are used")


def _learnt(task: Task, candidates: Sequence[Term], k: int) -> Iterator[Finding]:
    """Report those of the candidates that are inductive over k states."""
    kept = yield from houdini.inductive(task, candidates[:MOST_CANDIDATES], k=k)
    yield LearntLemmas(tuple(kept), k) if kept else Worked()


def _holding(found: Sequence[Term], states: Sample) -> list[Term]:
    """Return the terms that hold in the whole sample."""
    return [term for term, column in zip(found, states.columns(found), strict=True) if all(column)]


def _readable(system: TransitionSystem, term: Term) -> bool:
    return all(name in system.variables for name in walk.variables(term))


def _numbers(system: TransitionSystem) -> list[Term]:
    """Return the numeric variables that are not free, those without bounds first."""
    return [
        terms.var(name, declared.sort)
        for name, declared in system.variables.items()
        if isinstance(declared.sort, sorts.IntSort | sorts.RealSort)
        and declared.kind is not SystemVariableKind.INPUT
    ]


def _constants(system: TransitionSystem) -> list[Fraction]:
    """Return 0, 1 and the numeric constants of the system, most used first."""
    uses: dict[Fraction, int] = {Fraction(0): 1000, Fraction(1): 999}
    stated = [c.term for c in system.constraints] + [p.term for p in system.properties]
    for root in stated:
        for term in walk.subterms(root):
            payload = term.payload
            if (
                term.op is Op.CONST
                and isinstance(term.sort, sorts.IntSort | sorts.RealSort)
                and isinstance(payload, int | Fraction)
            ):
                uses[Fraction(payload)] = uses.get(Fraction(payload), 0) + 1
    ranked = sorted(uses, key=lambda number: (-uses[number], number))
    return ranked[:MOST_CONSTANTS]


def _number(value: Fraction, sort: sorts.Sort) -> Term | None:
    if isinstance(sort, sorts.RealSort):
        return terms.real_(value)
    return terms.int_(int(value)) if value.denominator == 1 else None


# --- templates ------------------------------------------------------------------------------------


def bounds(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return `x = c`, or the tightest `c <= x` and `x <= c` that the sample allows."""
    found: list[Term] = []
    variables = _numbers(system)
    limits = sorted(_constants(system))
    for variable, column in zip(variables, states.columns(variables), strict=True):
        low, high = min(column), max(column)  # type: ignore[type-var]
        below = [c for c in limits if c <= low]  # type: ignore[operator]
        above = [c for c in limits if c >= high]  # type: ignore[operator]
        for op, values in ((Op.GE, reversed(below)), (Op.LE, iter(above))):
            for value in values:
                limit = _number(value, variable.sort)
                if limit is not None:
                    found.append(terms.compare(op, variable, limit))
    symbols = [
        terms.var(name, declared.sort)
        for name, declared in system.variables.items()
        if isinstance(declared.sort, sorts.EnumSort)
        and declared.kind is not SystemVariableKind.INPUT
    ]
    for variable, column in zip(symbols, states.columns(symbols), strict=True):
        declared = system.variables[str(variable.payload)].sort
        assert isinstance(declared, sorts.EnumSort)
        seen = set(column)
        found.extend(
            terms.ne(variable, terms.const(value, variable.sort))
            for value in declared.values
            if value not in seen
        )
    found.extend(_declared_bounds(system))
    return list(dict.fromkeys(found))


def steps(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return by what steps counters move, and the bounds that may hold because of that."""
    found = counters.multiples(system, states)
    return [*found, *bounds(system, states)] if found else []


def _declared_bounds(system: TransitionSystem) -> Iterator[Term]:
    """Yield the bounds that the sorts of variables other than inputs state."""
    for name, declared in system.variables.items():
        if declared.kind is SystemVariableKind.INPUT:
            continue
        variable = terms.var(name, declared.sort)
        if isinstance(declared.sort, sorts.IntSort):
            if declared.sort.low is not None:
                yield terms.compare(Op.GE, variable, terms.int_(declared.sort.low))
            if declared.sort.high is not None:
                yield terms.compare(Op.LE, variable, terms.int_(declared.sort.high))
        elif isinstance(declared.sort, sorts.EnumSort) and declared.sort.values:
            yield terms.disjunction(
                terms.eq(variable, terms.const(value, variable.sort))
                for value in declared.sort.values
            )


def relations(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return facts like `x = y`, `x <= y`, `x + y = c` that the sample allows."""
    variables = _numbers(system)[:MOST_NUMBERS]
    columns = states.columns(variables)
    found: list[Term] = []
    for index, (left, first) in enumerate(zip(variables, columns, strict=True)):
        for right, second in list(zip(variables, columns, strict=True))[index + 1 :]:
            if left.sort is not right.sort and left.sort != right.sort:
                continue
            if first == second:
                found.append(terms.eq(left, right))
                continue
            pairs = list(zip(first, second, strict=True))
            if all(a <= b for a, b in pairs):  # type: ignore[operator]
                found.append(terms.compare(Op.LE, left, right))
            elif all(a >= b for a, b in pairs):  # type: ignore[operator]
                found.append(terms.compare(Op.GE, left, right))
            sums = {a + b for a, b in pairs}  # type: ignore[operator]
            differences = {a - b for a, b in pairs}  # type: ignore[operator]
            for op, values in ((Op.ADD, sums), (Op.SUB, differences)):
                if len(values) == 1:
                    total = terms.const(next(iter(values)), left.sort)
                    found.append(terms.eq(terms.arithmetic(op, left, right), total))
    return found


def atoms(system: TransitionSystem) -> list[Term]:
    """Return Boolean variables and comparisons of the program, those of the properties first."""
    found: dict[Term, None] = {}
    stated = [p.term for p in system.properties] + [c.term for c in system.constraints]
    for root in stated:
        for term in walk.subterms(root):
            if not isinstance(term.sort, sorts.BoolSort) or term.op is Op.CONST:
                continue
            variable = term.op is Op.VAR
            comparison = term.op in COMPARISONS or (
                term.op is Op.EQ and not isinstance(term.args[0].sort, sorts.BoolSort)
            )
            plain = all(part.op is not Op.NEXT_VAR for part in walk.subterms(term))
            if plain and (variable or (comparison and term.args[1].op is Op.CONST)):
                found[term] = None
    return list(found)[:MOST_ATOMS]


def clauses(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return literals, equalities and two-literal clauses over atoms that the sample allows."""
    return _clauses(atoms(system), states)


def memories(system: TransitionSystem, states: Sample) -> list[Term]:
    """Return such clauses over memories, which pass from one state to the next.

    Atoms are Booleans, and equalities with the values of variables that have few; a clause says
    that they have no others.
    """
    kept = [
        terms.var(name, declared.sort)
        for name, declared in system.variables.items()
        if declared.kind is SystemVariableKind.STATE
    ]
    wanted: list[Term] = []
    ranges: list[Term] = []
    for variable, column in zip(kept, states.columns(kept), strict=True):
        if isinstance(variable.sort, sorts.BoolSort):
            wanted.append(variable)
            continue
        values = dict.fromkeys(cast("tuple[sorts.Value, ...]", column))
        if len(values) <= MOST_VALUES:
            had = [terms.eq(variable, terms.const(v, variable.sort)) for v in values]
            ranges.append(terms.disjunction(had))
            wanted += had
    return [*ranges, *_clauses(wanted[:MOST_ATOMS], states)]


def _clauses(wanted: Sequence[Term], states: Sample) -> list[Term]:
    masks: list[int] = []
    for column in states.columns(wanted):
        mask = 0
        for position, value in enumerate(column):
            if value:
                mask |= 1 << position
        masks.append(mask)
    full = (1 << len(states.rows)) - 1
    found: list[Term] = []
    open_atoms: list[tuple[Term, int]] = []
    for atom, mask in zip(wanted, masks, strict=True):
        if mask == full:
            found.append(atom)
        elif mask == 0:
            found.append(terms.not_(atom))
        else:
            open_atoms.append((atom, mask))
    for index, (left, first) in enumerate(open_atoms):
        for right, second in open_atoms[index + 1 :]:
            if left.op is right.op is Op.EQ and left.args[0] is right.args[0]:
                continue  # a variable equals one constant at a time
            if first == second:
                found.append(terms.make(Op.IFF, sorts.BOOL, (left, right)))
            elif first ^ second == full:
                found.append(terms.make(Op.XOR, sorts.BOOL, (left, right)))
            else:
                found.extend(_two_literals(left, first, right, second, full=full))
    return found


def _two_literals(left: Term, first: int, right: Term, second: int, *, full: int) -> Iterator[Term]:
    """Yield the two-literal clauses over two atoms that hold in all samples (bit masks)."""
    if not first & ~second:
        yield terms.implies(left, right)
    if not second & ~first:
        yield terms.implies(right, left)
    if not first & second:
        yield terms.not_(terms.and_(left, right))
    if first | second == full:
        yield terms.or_(left, right)


ENGINE = Engine(
    "invariants",
    "likely invariants from templates, kept if inductive",
    run,
    60_000,
    advance=1_000_000,
)
