"""Replace the choices of a NuSMV model by inputs `nd_…`, so that tests control them.

Each set that an assignment chooses from becomes a choice by an input: an IVAR for the next value
of a variable, a FROZENVAR for its first one, a VAR where it is chosen in every state. A variable
with a first value and no next one takes that from an input, and the other way round. Executions
are those of the model but for the inputs.

Source: Fellner, Tabaei Befrouei and Weissenbacher, SEFM 2019, section 5: controlling
non-determinism.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from mutproof.base import lexis
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv.editing import LEXIS, behind_line
from mutproof.model import sorts
from mutproof.model.editing import Controlled, ControlledChoice, TextEdit
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementId, ElementKind, VariableKind
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, SetSort, Sort, WordSort
from mutproof.model.terms import Path, Term

_STORAGE: Final = {
    ElementKind.NEXT_ASSIGN: "IVAR",
    ElementKind.INIT_ASSIGN: "FROZENVAR",
    ElementKind.CURRENT_ASSIGN: "VAR",
}
_MIXED: Final = frozenset({Op.EQ, Op.NE})


@dataclass(frozen=True, slots=True)
class _AddedLine:
    """Hold a line to add at the end of a module."""

    module: str
    text: str


def controlled(elaborated: Elaborated) -> Controlled:
    """Return the edits that turn choices into inputs; empty if there is no program."""
    program = elaborated.program
    if program is None:
        return Controlled((), ())
    return _Control(elaborated, program.component(program.main)).run()


class _Control:
    def __init__(self, elaborated: Elaborated, component: Component) -> None:
        self._text = elaborated.parsed.source.content
        self._provenance = elaborated.provenance
        self._component = component
        self._used = set(lexis.words(self._text, LEXIS))
        self._edits: list[TextEdit] = []
        self._lines: list[_AddedLine] = []
        self._choices: list[ControlledChoice] = []
        self._left: list[tuple[int, str]] = []

    def run(self) -> Controlled:
        seen: set[tuple[ElementId, ElementKind]] = set()
        for element in self._component.elements:
            key = element.id, element.kind
            if key not in seen:
                seen.add(key)
                self._control(element)
        self._complete()
        modules: dict[str, list[str]] = {}
        for line in self._lines:
            modules.setdefault(line.module, []).append(line.text)
        for module, lines in modules.items():
            end = self._provenance.component_bodies[module].end
            inserted = "".join(f"{line}\n" for line in lines)
            self._edits.append(behind_line(self._text, end, inserted))
        return Controlled(tuple(self._edits), tuple(self._choices), tuple(self._left))

    # --- sets -----------------------------------------------------------------------------

    def _control(self, element: Element) -> None:
        start = self._provenance.head(element.id).start
        if element.guard is not None:
            self._leave(start, "which process runs is open")
            return
        for path, term, why in _sets(element.body):
            if element.kind not in _STORAGE:
                what = "a definition chooses anew at each use"
                if element.kind is not ElementKind.DEFINE:
                    what = "a constraint relates what it allows"
                self._leave(start, what)
                return
            place = self._provenance.elements[element.id].place(path)
            if why or place is None:
                self._leave(start, why or "the choice has no text of its own")
                continue
            self._choose(element, path, term, place.whole)

    def _choose(self, element: Element, path: Path, term: Term, place: Span) -> None:
        """Replace a set by a new input."""
        name = self._fresh(element)
        values = [arg.payload for arg in term.args if arg.op is Op.CONST]
        written = self._text[place.start : place.end]
        is_constant = len(values) == len(term.args)
        if is_constant and any(v is True for v in values) and any(v is False for v in values):
            kind, text = "boolean", name
        elif is_constant and (bounds := _range(values)) is not None:
            kind, text = f"{bounds[0]}..{bounds[1]}", name
        else:
            texts = self._members(element, path, term)
            if texts is None:
                self._leave(place.start, "the members of the set have no texts of their own")
                return
            kind = f"0..{len(texts) - 1}"
            cases = [f"{name} = {number} : {text};" for number, text in enumerate(texts[:-1])]
            text = f"case {' '.join(cases)} TRUE : {texts[-1]}; esac"
        self._edits.append(TextEdit(place, text))
        self._declare(element, name, kind, written)
        self._choices.append(ControlledChoice(name, place.start, " ".join(written.split())))

    def _members(self, element: Element, path: Path, term: Term) -> list[str] | None:
        """Return the texts of the members of a set; None if one has no text."""
        texts = []
        for position in range(len(term.args)):
            place = self._provenance.elements[element.id].place((*path, position))
            if place is None:
                return None
            texts.append(self._text[place.whole.start : place.whole.end])
        return texts

    def _declare(self, element: Element, name: str, kind: str, written: str) -> None:
        shown = " ".join(written.split())
        storage = _STORAGE[element.kind]
        declared = f"{storage} {name} : {kind};"
        self._lines.append(_AddedLine(element.id.component, f"{declared} -- for {shown}"))

    # --- variables that are assigned in some steps only -----------------------------------

    def _complete(self) -> None:
        assigned: dict[str, dict[ElementKind, Element]] = {}
        for element in self._component.elements:
            if element.kind in _STORAGE:
                for target in element.targets:
                    assigned.setdefault(target, {})[element.kind] = element
        known = _scalars(self._component)
        done: set[tuple[ElementId, ElementKind]] = set()
        for target, found in assigned.items():
            kinds = found.keys()
            first, later = ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN
            kind, sort = known.get(target, (VariableKind.INPUT, None))
            if kinds == {first} and kind is not VariableKind.FROZEN:
                missing, other = later, found[first]
            elif kinds == {later}:
                missing, other = first, found[later]
            else:
                continue
            if (other.id, other.kind) not in done:
                done.add((other.id, other.kind))
                self._assign(other, missing, sort)

    def _assign(self, other: Element, missing: ElementKind, sort: Sort | None) -> None:
        """Assign a new input to a variable in the steps in which nothing assigns it."""
        head = self._provenance.head(other.id)
        start = head.start
        kind = None if sort is None else _written(sort)
        found = re.fullmatch(r"(?:init|next)\s*\((.*)\)", self._text[start : head.end], re.S)
        if other.guard is not None or kind is None or found is None:
            self._leave(start, "a value that is open is of no simple type")
            return
        word = "next" if missing is ElementKind.NEXT_ASSIGN else "init"
        name = self._fresh(other)
        target = found.group(1).strip()
        module = other.id.component
        self._lines.append(_AddedLine(module, f"{_STORAGE[missing]} {name} : {kind};"))
        self._lines.append(_AddedLine(module, f"ASSIGN {word}({target}) := {name};"))
        what = "next" if word == "next" else "first"
        self._choices.append(ControlledChoice(name, start, f"the {what} value of {target}"))

    # --- words ----------------------------------------------------------------------------

    def _leave(self, offset: int, why: str) -> None:
        if (offset, why) not in self._left:
            self._left.append((offset, why))

    def _fresh(self, element: Element) -> str:
        """Return a new name that does not occur in the text."""
        base = "nd_" + re.sub(r"\W+", "_", element.id.name).strip("_")
        name, number = base, 1
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._used.add(name)
        return name


def _sets(root: Term) -> Iterator[tuple[Path, Term, str]]:
    """Yield the sets that a term chooses from, and why an input cannot replace one (else empty)."""
    stack: list[tuple[Path, Term, str]] = [((), root, "")]
    while stack:
        path, term, why = stack.pop()
        if term.op in {Op.SET, Op.UNION}:
            inner = any(isinstance(arg.sort, SetSort) for arg in term.args)
            if term.op is Op.UNION or inner:
                yield path, term, "a union of sets"
            elif len(term.args) > 1:
                yield path, term, why
            continue
        if term.op is Op.VAR and isinstance(term.sort, SetSort):
            yield path, term, "a definition chooses anew at each use"
        if term.op in _MIXED and any(isinstance(arg.sort, SetSort) for arg in term.args):
            why = "a set is compared"
        args: Sequence[Term] = term.args[:1] if term.op is Op.IN else term.args
        stack.extend(((*path, n), arg, why) for n, arg in reversed(list(enumerate(args))))


def _range(values: Sequence[object]) -> tuple[int, int] | None:
    """Return the bounds of consecutive integers; None for other values."""
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if len(numbers) != len(values) or not numbers:
        return None
    low, high = min(numbers), max(numbers)
    return (low, high) if high - low + 1 == len(set(numbers)) else None


def _scalars(component: Component) -> dict[str, tuple[VariableKind, Sort]]:
    return {
        variable.name + suffix: (variable.kind, sort)
        for variable in component.variables
        for suffix, sort in sorts.leaves(variable.sort)
    }


def _written(sort: Sort) -> str | None:
    """Return a type as written in a declaration; None if it is not a simple type."""
    match sort:
        case BoolSort():
            return "boolean"
        case IntSort(low, high) if low is not None and high is not None:
            return f"{low}..{high}"
        case EnumSort(_, values):
            return "{" + ", ".join(map(str, values)) + "}"
        case WordSort():
            return f"{'signed' if sort.signed else 'unsigned'} word[{sort.width}]"
        case _:
            return None
