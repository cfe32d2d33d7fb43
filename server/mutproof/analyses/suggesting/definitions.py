"""Which conjectures only restate a simple definition, or one case of another.

A reader of `obstructed = curtain or key` learns nothing from `curtain => obstructed`, nor from
`reset => n = 0` if the model has `n = if reset then 0 else …`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from mutproof.analyses.suggesting.branches import (
    ChosenRow,
    SaidCase,
    choices,
    in_time,
    is_plain,
    remembers,
    rows,
    subject_of,
)
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.implying import Implying, listed, ranges
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, CONNECTIVES, Op
from mutproof.model.program import Component, Element, ElementId, ElementKind, Program, Role
from mutproof.model.roles import roles
from mutproof.model.sorts import BoolSort, SetSort
from mutproof.model.terms import Term

MOST_AT_A_GLANCE: Final = 2
"""Definitions of at most this many conditions are simple: no part is worth restating."""

_DEFINING: Final = frozenset(
    {
        ElementKind.EQUATION,
        ElementKind.CURRENT_ASSIGN,
        ElementKind.DEFINE,
        ElementKind.NEXT_ASSIGN,
    }
)


@dataclass(frozen=True, slots=True)
class PlainDefinition:
    """Hold a definition of a variable, for some steps, that does not choose between cases.

    `says` is a Boolean term; `parts` are its conditions, the defined variable left out. If it is
    one of the same step, `comparison` is that.
    """

    when: When
    says: Term
    defined: str
    parts: frozenset[Term]
    comparison: Term | None = None


def restating(program: Program, name: str) -> Restating:
    """Return the test for conjectures that restate a definition of a component."""
    component = program.component(name)
    role = roles(program)
    chosen: dict[Term, list[ChosenRow]] = {}
    known = tuple(_definitions(component, role))
    named = dict(_named(known))
    for element, target in _choosing(component, role):
        said = (_as_row(case) for case in choices(element, target))
        for row in (*said, *rows(element, target)):
            # Spelled once, for all conjectures.
            wanted = tuple(tuple(_spelled(way, named) for way in ways) for ways in row.wanted)
            chosen.setdefault(subject_of(row.claim), []).append(replace(row, wanted=wanted))
    implying = Implying(dict(ranges(component)), dict(listed(component)))
    return Restating(known, implying, chosen, named, tuple(_demands(component)))


def _as_row(case: SaidCase) -> ChosenRow:
    read = frozenset[str]().union(*map(walk.variables, (case.claim, *case.conditions)))
    return ChosenRow(tuple(((one,),) for one in case.conditions), case.claim, case.when, read)


def _spelled(conditions: Iterable[Term], named: Mapping[Term, Term]) -> tuple[Term, ...]:
    """Return conditions with the comparisons in place of the variables that name them."""
    return tuple(walk.substituted(one, named) for one in conditions)


def _definitions(component: Component, role: Mapping[ElementId, Role]) -> Iterator[PlainDefinition]:
    variables = {one.name: terms.var(one.name, one.sort) for one in component.variables}
    for element in component.elements:
        target = variables.get(element.targets[0]) if len(element.targets) == 1 else None
        is_defining = element.kind in _DEFINING and element.guard is None and not element.circular
        if target is None or not is_defining or role.get(element.id) is Role.SPECIFICATION:
            continue
        for when, body in in_time(element.body):
            if _is_one_line(body):
                subject = target
                if element.kind is ElementKind.NEXT_ASSIGN:
                    subject = terms.make(Op.NEXT, target.sort, (target,))
                says = _defined(subject, body)
                parts, is_now = _parts(body), element.kind is not ElementKind.NEXT_ASSIGN
                is_comparison = is_now and body.op in COMPARISONS | {Op.EQ, Op.NE, Op.IN}
                comparison = body if is_comparison and not remembers(body) else None
                yield PlainDefinition(when, says, element.targets[0], parts, comparison)


def _demands(component: Component) -> Iterator[PlainDefinition]:
    """Yield what assertions and invariant constraints demand, each part that `and` joins."""
    for element in component.elements:
        if element.kind in {ElementKind.ASSERT, ElementKind.INVAR}:
            for when, body in in_time(element.body):
                for says in filter(_is_one_line, walk.conjuncts(body)):
                    yield PlainDefinition(when, says, "", _parts(says))


def _named(known: Iterable[PlainDefinition]) -> Iterator[tuple[Term, Term]]:
    """Yield the Boolean variables that are defined as a comparison, with that comparison."""
    for one in known:
        if one.when is When.ALWAYS and one.comparison is not None:
            yield terms.var(one.defined, sorts.BOOL), one.comparison


def _choosing(
    component: Component, role: Mapping[ElementId, Role]
) -> Iterator[tuple[Element, Term]]:
    """Yield the elements that define a variable, except initial values and specifications."""
    variables = {one.name: terms.var(one.name, one.sort) for one in component.variables}
    for element in component.elements:
        target = variables.get(element.targets[0]) if element.targets else None
        is_said = role.get(element.id) is not Role.SPECIFICATION
        if target is not None and is_said and element.kind is not ElementKind.INIT_ASSIGN:
            yield element, target


@dataclass(frozen=True, slots=True)
class Restating:
    """Tell which conjectures say no more than one definition, or one case; immutable.

    `rows` are the cases that equations choose between, by subject, with conditions spelled; of long
    equations, not all are known. `named` are the variables that only name a comparison; `demands`
    are the parts of constraints.
    """

    known: tuple[PlainDefinition, ...] = ()
    implying: Implying = field(default_factory=Implying)
    rows: Mapping[Term, Sequence[ChosenRow]] = field(default_factory=dict)
    named: Mapping[Term, Term] = field(default_factory=dict)
    demands: tuple[PlainDefinition, ...] = ()

    def spelled(self, conditions: Iterable[Term]) -> tuple[Term, ...]:
        """Return conditions with the comparisons that they name, without what others imply."""
        return self.implying.simplified(_spelled(conditions, self.named))

    def restated(self, conjecture: Conjecture) -> bool:
        """Tell whether a conjecture only restates a definition, a case or a constraint."""
        return self.is_case(conjecture) or self.defined(conjecture) or self.demanded(conjecture)

    def is_case(self, conjecture: Conjecture) -> bool:
        """Tell whether a conjecture says no more than one case."""
        own = _spelled(conjecture.conditions, self.named)
        chosen = self.rows.get(subject_of(conjecture.claim), ())
        return any(self._is_row(conjecture, own, row) for row in chosen)

    def defined(self, conjecture: Conjecture) -> bool:
        """Tell whether a conjecture follows from one definition, and says all that this says.

        Of a simple definition, a part of what it says is enough.
        """
        named = walk.variables(_stated(conjecture))
        return self._said(conjecture, (one for one in self.known if one.defined in named))

    def demanded(self, conjecture: Conjecture) -> bool:
        """Tell whether a conjecture likewise follows from one part of a constraint."""
        return self._said(conjecture, self.demands)

    def _said(self, conjecture: Conjecture, known: Iterable[PlainDefinition]) -> bool:
        stated, found = _stated(conjecture), dict[str, set[When]]()
        size = len(_parts(stated))
        for one in known:
            is_whole = len(one.parts) <= MOST_AT_A_GLANCE or len(one.parts) < size
            if is_whole and self.implying.follows(stated, one.says):
                found.setdefault(one.defined, set()).add(one.when)
        wanted = _STEPS[conjecture.when]
        return any(When.ALWAYS in times or wanted <= times for times in found.values())

    def _is_row(self, conjecture: Conjecture, own: Sequence[Term], row: ChosenRow) -> bool:
        """Tell whether a conjecture is about a row: its steps and variables, where it is chosen."""
        is_then = When.ALWAYS in {row.when, conjecture.when} or row.when is conjecture.when
        is_chosen = is_then and all(
            any(all(self.implying.any(own, one) for one in way) for way in ways)
            for ways in row.wanted
        )
        return is_chosen and walk.variables(conjecture.claim) <= row.read


_STEPS: Final = {
    When.ALWAYS: frozenset({When.FIRST, When.LATER}),
    When.FIRST: frozenset({When.FIRST}),
    When.LATER: frozenset({When.LATER}),
}


def _stated(conjecture: Conjecture) -> Term:
    return terms.implies(terms.conjunction(conjecture.conditions), conjecture.claim)


def _parts(term: Term) -> frozenset[Term]:
    """Return the conditions that a term joins by connectives."""
    found: set[Term] = set()
    stack = [term]
    while stack:
        part = stack.pop()
        if part.op in CONNECTIVES or part.op is Op.NOT:
            stack.extend(part.args)
        elif part.op is not Op.CONST:
            found.add(part)
    return frozenset(found)


def _is_one_line(body: Term) -> bool:
    chooses = not walk.operators(body).isdisjoint({Op.ITE, Op.CASE, Op.SET})
    return not chooses and not isinstance(body.sort, SetSort) and is_plain(body)


def _defined(target: Term, body: Term) -> Term:
    if body.op is Op.CONST and isinstance(body.payload, bool):
        return target if body.payload else terms.not_(target)
    if not isinstance(body.sort, BoolSort):
        return terms.eq(target, body)
    both = terms.and_(target, body)
    return terms.or_(both, terms.and_(terms.not_(target), terms.not_(body)))
