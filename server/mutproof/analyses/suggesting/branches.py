"""Conjectures from the equations of a model: a claim for each of their cases.

Authors know the cases of their equations: under these conditions, a variable has that value. A
property about one case reads as they think. The search finds out which of the conditions it needs;
the property is proved afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Final, TypeAlias

from mutproof.analyses.suggesting.conjecture import When
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, CONNECTIVES, Op
from mutproof.model.program import Element, ElementKind
from mutproof.model.sorts import BoolSort, SetSort
from mutproof.model.terms import Term

MOST_CASES: Final = 24
"""How many cases of an equation are considered."""

MOST_WAYS: Final = 6
"""The most alternatives into which a condition is split."""

MOST_TOGETHER: Final = 5
"""The most conditions in one alternative."""

LARGEST_PART: Final = 9
"""The most nodes of a condition or of a claim of a case."""

_NEGATED: Final = {
    Op.LT: Op.GE,
    Op.GE: Op.LT,
    Op.GT: Op.LE,
    Op.LE: Op.GT,
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
}
_CALLS: Final = frozenset({Op.CALL, Op.CONDACT, Op.APPLY, Op.ARROW, Op.NEXT_VAR, Op.UNION})

_OUTSIDE: Final = frozenset(
    {Op.CALL, Op.CONDACT, Op.APPLY, Op.ARROW, Op.NEXT, Op.NEXT_VAR, Op.SET, Op.UNION, Op.IN}
)
Literals: TypeAlias = tuple[Term, ...]
_Ways: TypeAlias = tuple[Literals, ...]


@dataclass(frozen=True, slots=True)
class SaidCase:
    """Hold what an element says in one of its cases; fewer conditions may suffice.

    It `restates` the element if it is all that this says, or all that makes a target true or false.
    """

    conditions: Literals
    claim: Term
    when: When
    restates: bool = False


@dataclass(frozen=True, slots=True)
class _Case:
    conditions: Literals
    value: Term


def branches(element: Element, target: Term | None) -> Iterator[SaidCase]:
    """Yield what an element says of a scalar target, or without one as a constraint, each once."""
    if element.guard is not None or element.circular or len(element.targets) > 1:
        return
    seen: set[SaidCase] = set()
    for one in _stated(element, target):
        parts = (*one.conditions, one.claim)
        if one not in seen and all(map(is_plain, parts)):
            seen.add(one)
            yield one


def negated(term: Term) -> Term:
    """Return the negation of a condition, without `not` where an operator expresses it."""
    if term.op is Op.NOT:
        return term.args[0]
    if term.op in _NEGATED and term.args[0].sort != sorts.BOOL:
        return terms.make(_NEGATED[term.op], sorts.BOOL, term.args)
    return terms.not_(term)


def remembers(term: Term) -> bool:
    """Tell whether a term speaks of another step: the one before, or the next."""
    return not walk.operators(term).isdisjoint({Op.PRE, Op.NEXT})


def subject_of(claim: Term) -> Term:
    """Return what a claim is about."""
    claimed = claim.args[0] if claim.op is Op.NOT else claim
    return claimed.args[0] if claimed.op in COMPARISONS | {Op.EQ, Op.NE} else claimed


@dataclass(frozen=True, slots=True)
class ChosenRow:
    """Hold what a row of an `if` or a `case` claims, and when it is chosen.

    That is where of each of `wanted`, which are its guard and the failure of those before it, one
    way to be met is met. `read` are the variables of the claim and of the guard.
    """

    wanted: tuple[_Ways, ...]
    claim: Term
    when: When
    read: frozenset[str]


def rows(element: Element, target: Term) -> Iterator[ChosenRow]:
    """Yield the rows that an element chooses between for a target, but what lets it stay."""
    subject = _subject(element, target)
    if subject is None:
        return
    kept = {target, terms.make(Op.PRE, target.sort, (target,))}
    for when, body in in_time(element.body):
        before: tuple[_Ways, ...] = ()
        for guard, value in _rows(body):
            holds, fails = ways(guard)
            is_value = value.op not in {Op.ITE, Op.CASE} and not isinstance(value.sort, SetSort)
            if is_value and value not in kept and _is_given(value):
                claim = terms.eq(subject, value)
                read = walk.variables(claim) | walk.variables(guard)
                yield ChosenRow((holds, *before), claim, when, frozenset(read))
            before = (*before, fails)


def _rows(body: Term) -> Iterator[tuple[Term, Term]]:
    """Yield guard and value of each row of an `if` with its `else if`, or of a `case`."""
    *chosen, last = walk.branches(body)
    yield from zip(chosen[::2], chosen[1::2], strict=True)
    if last.op is Op.CASE:
        yield from zip(last.args[::2], last.args[1::2], strict=True)
    elif chosen:
        yield terms.TRUE, last


def choices(element: Element, target: Term) -> Iterator[SaidCase]:
    """Yield the cases that an element chooses between for a target, with all their conditions.

    Cases in which the target keeps its value are left out: they need the negations of all others.
    """
    subject = _subject(element, target)
    if subject is None:
        return
    kept = {target, terms.make(Op.PRE, target.sort, (target,))}
    for when, body in in_time(element.body):
        for case in _cases(body):
            is_value = not isinstance(case.value.sort, SetSort)
            if case.conditions and is_value and case.value not in kept and _is_given(case.value):
                yield _branch(case.conditions, terms.eq(subject, case.value), when, restates=True)


def _subject(element: Element, target: Term) -> Term | None:
    """Return the target if an element alone defines it in every execution, else None."""
    if element.guard is not None or element.circular or len(element.targets) > 1:
        return None
    if element.kind is ElementKind.NEXT_ASSIGN:
        return terms.make(Op.NEXT, target.sort, (target,))
    return target


def _is_given(value: Term) -> bool:
    """Tell whether a value is no Boolean combination, which could hold in several ways."""
    alone = {Op.CONST, Op.VAR, Op.PRE, Op.NOT}
    return not isinstance(value.sort, BoolSort) or value.op in alone


def ways(term: Term) -> tuple[_Ways, _Ways]:
    """Return conjunctions any of which makes a term true, and those that make it false."""
    return walk.fold(term, _ways)


def _stated(element: Element, target: Term | None) -> Iterator[SaidCase]:
    for when, body in in_time(element.body):
        if target is None:
            yield from _of_constraint(body, when)
            continue
        subject = target
        if element.kind is ElementKind.NEXT_ASSIGN:
            subject = terms.make(Op.NEXT, target.sort, (target,))
        cases = _cases(body)
        for case in cases:
            yield from _of_case(subject, case, when)
        if not isinstance(body.sort, SetSort) and body.op is not Op.CONST:
            yield _branch((), terms.eq(subject, body), when, restates=True)


def in_time(body: Term) -> Iterator[tuple[When, Term]]:
    """Yield the meaning of a body in the first and in later steps; always if it has no `->`."""
    if Op.ARROW not in walk.operators(body):
        yield When.ALWAYS, body
        return
    for when, side in ((When.FIRST, 0), (When.LATER, 1)):
        yield when, walk.fold(body, partial(_decided, side))


def _decided(side: int, term: Term, args: tuple[Term, ...]) -> Term:
    if term.op is Op.ARROW:
        return args[side]
    if args == term.args:
        return term
    return _without_zero(terms.rebuilt(term, args))


def _without_zero(term: Term) -> Term:
    """Return a sum without its summand 0."""
    if term.op is Op.ADD and not isinstance(term.sort, SetSort):
        for one, other in (term.args, term.args[::-1]):
            if one.op is Op.CONST and one.payload == 0:
                return other
    return term


def _cases(body: Term) -> list[_Case]:
    """Return the cases of a body: conditions, and the value they lead to."""
    done: list[_Case] = []
    open_: list[_Case] = [_Case((), body)]
    while open_ and len(done) + len(open_) < MOST_CASES:
        case = open_.pop(0)
        choice = _choice(case.value)
        if choice is None:
            done.append(case)
            continue
        for condition, value in _alternatives(choice):
            chosen = walk.substituted(case.value, {choice: value})
            rest = walk.fold(chosen, lambda part, args: _without_zero(terms.rebuilt(part, args)))
            for way in condition:
                added = _consistent(dict.fromkeys((*case.conditions, *way)))
                if added is not None:
                    open_.append(_Case(added, rest))
    return done


def _consistent(conditions: Iterable[Term]) -> Literals | None:
    """Return conditions without those that others imply; None if two contradict each other."""
    chosen = tuple(conditions)
    if any(negated(one) in chosen for one in chosen):
        return None
    values = dict[Term, Term]()
    for one in chosen:
        is_value = one.op is Op.EQ and one.args[1].op is Op.CONST
        if is_value and values.setdefault(one.args[0], one.args[1]) is not one.args[1]:
            return None
    return tuple(
        one
        for one in chosen
        if not (
            one.op is Op.NE
            and one.args[1].op is Op.CONST
            and values.get(one.args[0], one.args[1]) is not one.args[1]
        )
    )


def _choice(value: Term) -> Term | None:
    """Return the outermost `if` or `case` of a value that is evaluated in this step, or None."""
    waiting = [value]
    while waiting:
        term = waiting.pop(0)
        if term.op in {Op.ITE, Op.CASE}:
            return term
        if term.op not in {Op.PRE, Op.NEXT, Op.CALL, Op.CONDACT}:
            waiting.extend(term.args)
    return None


def _alternatives(choice: Term) -> Iterator[tuple[_Ways, Term]]:
    """Yield the values of an `if` or a `case`, each with the ways to reach it."""
    if choice.op is Op.ITE:
        condition, then, otherwise = choice.args
        holds, fails = ways(condition)
        yield holds, then
        yield fails, otherwise
        return
    before: _Ways = ((),)
    for condition, value in zip(choice.args[::2], choice.args[1::2], strict=True):
        holds, fails = ways(condition)
        yield _both(before, holds) or holds, value
        before = _both(before, fails) or before


def _of_case(subject: Term, case: _Case, when: When) -> Iterator[SaidCase]:
    value, conditions = case.value, case.conditions
    if isinstance(value.sort, SetSort) or value.op is Op.SET:
        if value.op is Op.SET:
            inside = terms.make(Op.IN, sorts.BOOL, (subject, value))
            yield _branch(conditions, inside, when, restates=not conditions)
        return
    if value.op is Op.CONST and isinstance(value.payload, bool):
        claim = subject if value.payload else terms.not_(subject)
        yield _branch(conditions, claim, when, restates=not conditions)
        return
    if isinstance(value.sort, BoolSort) and (value.op not in {Op.VAR, Op.PRE} or not conditions):
        for claim, those in zip((subject, terms.not_(subject)), ways(value), strict=True):
            for way in those:
                together = tuple(dict.fromkeys((*conditions, *way)))
                half = value.op in CONNECTIVES and together in ((value,), (negated(value),))
                yield _branch(together, claim, when, restates=half)
    if not isinstance(value.sort, BoolSort) or value.op not in CONNECTIVES | COMPARISONS:
        yield _branch(conditions, terms.eq(subject, value), when, restates=not conditions)


def _of_constraint(body: Term, when: When) -> Iterator[SaidCase]:
    """Yield the clauses of a constraint: each claims one literal under conditions."""
    clauses: list[SaidCase] = []
    for case in _cases(body):
        for way in ways(case.value)[1]:
            if not way:
                continue
            claimed = next((one for one in reversed(way) if _speaks_of_next(one)), way[-1])
            rest = (one for one in way if one is not claimed)
            conditions = tuple(dict.fromkeys((*case.conditions, *rest)))
            clauses.append(_branch(conditions, negated(claimed), when, restates=False))
    for one in clauses:
        yield SaidCase(one.conditions, one.claim, one.when, len(clauses) == 1)


def _speaks_of_next(term: Term) -> bool:
    return Op.NEXT in walk.operators(term)


def _branch(conditions: Literals, claim: Term, when: When, *, restates: bool) -> SaidCase:
    if when is When.ALWAYS and any(map(remembers, (*conditions, claim))):
        when = When.LATER
    return SaidCase(conditions, claim, when, restates)


def _ways(term: Term, args: tuple[tuple[_Ways, _Ways], ...]) -> tuple[_Ways, _Ways]:
    found: tuple[_Ways | None, _Ways | None] = (None, None)
    match term.op:
        case Op.CONST if isinstance(term.payload, bool):
            return (((),), ()) if term.payload else ((), ((),))
        case Op.NOT:
            return args[0][1], args[0][0]
        case Op.AND:
            found = _both(args[0][0], args[1][0]), _either(args[0][1], args[1][1])
        case Op.OR:
            found = _either(args[0][0], args[1][0]), _both(args[0][1], args[1][1])
        case Op.IMPLIES:
            found = _either(args[0][1], args[1][0]), _both(args[0][0], args[1][1])
        case _:
            pass
    holds, fails = found
    return (
        ((term,),) if holds is None else holds,
        ((negated(term),),) if fails is None else fails,
    )


def _both(left: _Ways, right: _Ways) -> _Ways | None:
    """Return the ways in which two terms have their values, None if there are too many."""
    if len(left) * len(right) > MOST_WAYS:
        return None
    found = tuple(tuple(dict.fromkeys((*one, *other))) for one in left for other in right)
    return None if any(len(way) > MOST_TOGETHER for way in found) else found


def _either(left: _Ways, right: _Ways) -> _Ways | None:
    return None if len(left) + len(right) > MOST_WAYS else tuple(dict.fromkeys((*left, *right)))


def is_plain(term: Term) -> bool:
    """Tell whether a term can stand in a property as it is, and is short enough."""
    if walk.size(term) > LARGEST_PART * 2:
        return False
    return all(part.op not in _CALLS for part in walk.subterms(term))


def is_usable(term: Term) -> bool:
    """Tell whether an expression of the model can stand in a property as it is."""
    return all(part.op not in _OUTSIDE for part in walk.subterms(term))
