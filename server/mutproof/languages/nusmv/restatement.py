"""Restate a NuSMV element as properties, in the words of the source, for stubs.

An assignment holds by construction at every step at which it acts, so its restatement is proved and
notices every value that a change adds. Values that a change removes from a choice are noticed only
by a statement about possible successors, which is made where nothing else restricts these.
Source: NuSMV 2.6 user manual §2.4.2 (INVARSPEC takes a next expression), §2.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, VariableKind
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term

MOST_VALUES: Final = 8
POSSIBLE: Final = "can_be_all_stated"
_RESTRAINING: Final = frozenset({ElementKind.TRANS, ElementKind.INVAR})


@dataclass(frozen=True, slots=True)
class Statement:
    """Hold a property to be inserted: `suffix` ends its name, `formula` is its text."""

    keyword: str
    suffix: str
    formula: str


@dataclass(frozen=True, slots=True)
class WrittenElement:
    """Hold an element with the words of its source: its left-hand side and its right-hand side."""

    element: Element
    head: str
    body: str

    @property
    def target(self) -> str:
        """Return the variable as it stands on the left, without `init` and `next`."""
        if self.element.kind in {ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN}:
            return self.head[self.head.index("(") + 1 : self.head.rindex(")")].strip()
        return self.head


def statements(
    written: WrittenElement, occurrences: tuple[Element, ...], component: Component
) -> tuple[Statement, ...]:
    """Return the properties that restate an element in its module; none where that is not known.

    `occurrences` are the element in all instances; the properties must hold in each of them.
    """
    kind = written.element.kind
    is_choice = isinstance(written.element.body.sort, sorts.SetSort)
    relation = "in" if is_choice else "="
    stated = f"{written.head} {relation} ({written.body})"
    match kind:
        case ElementKind.INVAR | ElementKind.TRANS:
            return (Statement("INVARSPEC", "is_as_stated", written.body),)
        case ElementKind.INIT:
            return (Statement("LTLSPEC", "is_as_stated", written.body),)
        case ElementKind.INIT_ASSIGN | ElementKind.CURRENT_ASSIGN if _is_free(written, component):
            return ()  # any value is allowed
        case ElementKind.INIT_ASSIGN:
            stated = f"{written.target} {relation} ({written.body})"
            return (Statement("LTLSPEC", "is_as_stated", stated),)
        case ElementKind.CURRENT_ASSIGN:
            return (Statement("INVARSPEC", "is_as_stated", stated),)
        case ElementKind.DEFINE:
            # Each use of a set-valued macro chooses anew, so two uses may differ.
            if is_choice or isinstance(written.element.body.sort, sorts.ArraySort):
                return ()
            return (Statement("INVARSPEC", "is_as_stated", stated),)
        case ElementKind.NEXT_ASSIGN:
            possible = tuple(_possible(written, component))
            if not _guarded_by_own_process(occurrences) or _is_free(written, component):
                return possible
            if written.element.guard is not None:
                stated = f"running -> {stated}"
            return (Statement("INVARSPEC", "is_as_stated", stated), *possible)
        case _:
            return ()


def is_one_sided(written: WrittenElement, stated: tuple[Statement, ...]) -> bool:
    """Tell whether the properties notice only what a change allows, not what it forbids."""
    is_choice = isinstance(written.element.body.sort, sorts.SetSort)
    is_whole = any(statement.suffix == POSSIBLE for statement in stated)
    return not is_whole and (is_choice or not written.element.targets)


def _possible(written: WrittenElement, component: Component) -> Iterator[Statement]:
    """Yield the CTL statement that each value a choice offers can come next, if it has one."""
    values = _values(written.element, component)
    read = _reached(written.element.body, component)
    inputs = {variable.name for variable in component.of_kind(VariableKind.INPUT)}
    if (
        not isinstance(written.element.body.sort, sorts.SetSort)
        or not values
        or written.element.guard is not None
        or not all(_is_finite(variable.sort) for variable in component.variables)
        or component.fairness
        or component.compassion
        or any(element.kind in _RESTRAINING for element in component.elements)
        or any(term.op is Op.NEXT or _name(term) in inputs for term in read)
    ):
        return
    parts = [
        f"({_text(value)} in ({written.body}) -> EX {written.target} = {_text(value)})"
        for value in values
    ]
    yield Statement("CTLSPEC", POSSIBLE, f"AG ({' & '.join(parts)})")


def _is_free(written: WrittenElement, component: Component) -> bool:
    """Tell whether an assignment allows every value, so that nothing can violate it."""
    body = written.element.body
    offered = {a.payload for a in body.args if a.op is Op.CONST} if body.op is Op.SET else set()
    values = _values(written.element, component)
    return bool(values) and offered.issuperset(values)


def _guarded_by_own_process(occurrences: tuple[Element, ...]) -> bool:
    """Tell whether each occurrence acts always, or whenever its own instance runs."""
    for element in occurrences:
        if element.guard is None:
            continue
        names = {t.payload for t in walk.subterms(element.guard) if t.op is Op.CONST}
        if names != {element.instance or "main"}:
            return False
    return True


def _is_finite(sort: Sort) -> bool:
    """Tell whether decision diagrams, which alone decide CTL, can encode a sort."""
    while isinstance(sort, sorts.ArraySort | sorts.SetSort):
        sort = sort.element
    unbounded = isinstance(sort, sorts.IntSort) and None in {sort.low, sort.high}
    return not unbounded and not isinstance(sort, sorts.RealSort)


def _reached(body: Term, component: Component) -> tuple[Term, ...]:
    """Return the subterms of a body and of the macros it reads, directly or through others."""
    macros = {e.targets[0]: e.body for e in component.elements if e.kind is ElementKind.DEFINE}
    found: dict[Term, None] = {}
    stack = [body]
    while stack:
        for term in walk.subterms(stack.pop()):
            if term in found:
                continue
            found[term] = None
            if _name(term) in macros:
                stack.append(macros[_name(term)])
    return tuple(found)


def _name(term: Term) -> str:
    return str(term.payload) if term.op is Op.VAR else ""


def _values(element: Element, component: Component) -> tuple[Value, ...]:
    """Return the values of the assigned variable; empty if they are many or unknown."""
    name = element.targets[0]
    sort = next((v.sort for v in component.variables if v.name == name), None)
    match sort:
        case sorts.BoolSort():
            return (False, True)
        case sorts.EnumSort(_, values) if len(values) <= MOST_VALUES:
            return tuple(values)
        case sorts.IntSort(int() as low, int() as high) if high - low < MOST_VALUES:
            return tuple(range(low, high + 1))
        case _:
            return ()


def _text(value: Value) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
