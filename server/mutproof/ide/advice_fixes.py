"""Edits that follow advice and change no verdict.

A fix is offered only where advice is true in all instances, and where the text of the element
cannot have made it true (`analyses.advising.freedom`); and where the text is accepted afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, cast

from mutproof.analyses.advising.advice import Advice
from mutproof.analyses.advising.freedom import is_free
from mutproof.base.diagnostics import has_errors
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.ide.action import Selection
from mutproof.model import sorts, terms, walk
from mutproof.model.editing import TextEdit, edited
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementId
from mutproof.model.sorts import INT, BoolSort, RealSort, Value
from mutproof.model.terms import Path, Term
from mutproof.model.traits import Semantics
from mutproof.workspace.snapshot import Analysed

LONGEST_TEXT: Final = 40_000
"""The characters of a text that is read again to see whether a fix is accepted."""

_LONGEST: Final = 40
_CALLS: Final = frozenset({Op.CALL, Op.CONDACT})
_OUT_OF_ITSELF: Final = _CALLS | {Op.PRE}


@dataclass(frozen=True, slots=True)
class AdviceFix:
    """Hold the edits that follow advice, and what they do in a few words."""

    title: str
    edits: tuple[TextEdit, ...]


def fix(selection: Selection, advice: Advice) -> AdviceFix | None:
    """Return how to follow advice; None where that is not known to keep all verdicts."""
    make = _FIXES.get(advice.meta_property)
    if make is None or advice.instances:
        return None
    found = make(_Place(selection, advice))
    if found is None or not _is_accepted(selection.verdicts.analysed, found.edits):
        return None
    return found


def _is_accepted(analysed: Analysed, edits: tuple[TextEdit, ...]) -> bool:
    """Tell whether edits leave a text that is accepted, without a solver that would have to say so.

    What is removed may have declared a symbol, or guarded a value against leaving its range.
    """
    text = analysed.source.content
    if not edits or len(text) > LONGEST_TEXT:
        return False
    parsed = analysed.language.parse(SourceText(analysed.source.name, edited(text, edits)))
    after = analysed.language.elaborate(parsed)
    before = analysed.elaborated
    if after.program is None or has_errors(after.parsed.diagnostics + after.diagnostics):
        return False
    known = {obligation for obligation, _ in before.obligations}
    return all(obligation in known for obligation, _ in after.obligations)


@dataclass(frozen=True)
class _Place:
    """Hold advice with the text that it is about."""

    selection: Selection
    advice: Advice

    @property
    def element(self) -> ElementId:
        """Return the element that it is about."""
        assert self.advice.element is not None
        return self.advice.element

    @property
    def body(self) -> Term:
        """Return the term of the element, of one of its instances."""
        return self._element.body

    @property
    def _element(self) -> Element:
        return self.selection.verdicts.analysed.program.by_id[self.element][0]

    @property
    def is_free(self) -> bool:
        """Tell whether what the element says where it is never evaluated is of no consequence."""
        return is_free(self.selection.verdicts.analysed.program, self.element)

    def is_apart(self, path: Path, kept: Path | None = None) -> bool:
        """Tell whether a part of a subterm, or a constant, can stand for it with no call changed.

        Calls with the same arguments are one call, and what is called has properties of its own.
        """
        around = (terms.at(self.body, path[:length]) for length in range(len(path)))
        if any(term.op in _CALLS for term in around):
            return False
        left = frozenset() if kept is None else _calls(terms.at(self.body, kept))
        return left == _calls(terms.at(self.body, path))

    def text(self, path: Path) -> str:
        """Return a subterm as it is written, without parentheses around it; empty without text."""
        analysed = self.selection.verdicts.analysed
        place = analysed.elaborated.provenance.elements[self.element].place(path)
        return "" if place is None else analysed.source.slice(place.whole)

    def quoted(self, path: Path) -> str:
        """Return the text of a subterm for a title."""
        text = " ".join(self.text(path).split())
        return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"

    def replaced(self, path: Path, text: str) -> tuple[TextEdit, ...]:
        """Return the edit that replaces the text of a subterm; none without one."""
        analysed = self.selection.verdicts.analysed
        place = analysed.elaborated.provenance.elements[self.element].place(path)
        return () if place is None or not text else (TextEdit(place.whole, text),)


def _branch(place: _Place) -> AdviceFix | None:
    """Take out the branch of a condition that is never true where it is looked at."""
    path = place.advice.path
    if not path or not place.is_free:
        return None
    around = path[:-1]
    conditional = terms.at(place.body, around)
    if conditional.op is Op.CASE:
        is_last = path[-1] == len(conditional.args) - 2
        if is_last or conditional.args[-2] is not terms.TRUE:
            return None
        language = place.selection.verdicts.analysed.language
        edits = language.without_branch(place.selection.subject(place.element), path)
        return AdviceFix(f"Remove the branch of {place.quoted(path)}: it is never taken", edits)
    if conditional.op is not Op.ITE or path[-1] not in (0, 2):
        return None
    kept = (*around, 2 if path[-1] == 0 else 1)
    if not place.is_apart(around, kept):
        return None
    edits = place.replaced(around, _enclosed(place.text(kept), around))
    return AdviceFix(f"Keep only {place.quoted(kept)}: the other branch is never taken", edits)


def _apart(place: _Place) -> AdviceFix | None:
    """Say in a condition that an earlier one is false, which it is where that counts."""
    path, other = place.advice.path, place.advice.other
    if other is None or not place.text(other):
        return None
    earlier, later = (_enclosed(place.text(one), (0,)) for one in (other, path))
    edits = place.replaced(path, f"!{earlier} & {later}")
    return AdviceFix(f"Exclude {place.quoted(other)} here: the first branch counts", edits)


def _operand(place: _Place) -> AdviceFix | None:
    """Write the value that an operand always has."""
    value = place.advice.constant
    if value is None or not place.is_free or not place.is_apart(place.advice.path):
        return None
    text = place.selection.verdicts.analysed.program.traits.show(value, None)
    edits = place.replaced(place.advice.path, text)
    return AdviceFix(f"Replace {place.quoted(place.advice.path)} by `{text}`", edits)


def _arrow(place: _Place) -> AdviceFix | None:
    """Leave out a first value that is the value of what follows."""
    path = place.advice.path
    arrow = terms.at(place.body, path)
    if not place.is_free or not walk.operators(arrow.args[1]).isdisjoint(_OUT_OF_ITSELF):
        return None
    behind = (*path, 1)
    if not place.is_apart(path, behind):
        return None
    edits = place.replaced(path, _enclosed(place.text(behind), path))
    return AdviceFix(f"Keep only {place.quoted(behind)}: it has the first value too", edits)


def _variable(place: _Place) -> AdviceFix | None:
    """Take out a variable that nothing reads, with its assignments where they exclude nothing."""
    advice, analysed = place.advice, place.selection.verdicts.analysed
    component = analysed.program.component(advice.component)
    defining = [element for element in component.elements if advice.variable in element.targets]
    runs_forward = analysed.program.traits.semantics is Semantics.FORWARD
    if runs_forward and not defining:
        return None  # an input: callers give it a value
    variable = next(one for one in component.variables if one.name == advice.variable)
    for element in defining:
        if len(element.targets) > 1 or not _is_within(element, variable.sort):
            return None
    remove = analysed.language.without_variable
    edits = remove(analysed.elaborated, advice.component, advice.variable)
    span = analysed.elaborated.provenance.variables[advice.component, advice.variable]
    return AdviceFix(f"Remove `{analysed.source.slice(span)}`: nothing reads it", edits)


def _macro(place: _Place) -> AdviceFix | None:
    """Take out a macro that nothing reads."""
    advice, analysed = place.advice, place.selection.verdicts.analysed
    component = analysed.program.component(advice.component)
    element = next(one for one in component.elements if advice.variable in one.targets)
    edits = analysed.language.remove(place.selection.subject(element.id))
    return AdviceFix(f"Remove `{element.id.name}`: nothing reads it", edits)


def _is_within(element: Element, sort: sorts.Sort) -> bool:
    """Tell whether an assignment excludes no state: what it assigns is of the variable's sort."""
    if element.guard is not None or element.circular:
        return False
    if not walk.operators(element.body).isdisjoint(_CALLS):
        return False  # the properties of what is called would be gone
    if isinstance(sort, BoolSort | RealSort) or sort == INT:
        return True
    stack = [element.body]
    while stack:
        term = stack.pop()
        if term.op is Op.CASE:
            stack.extend(term.args[1::2])
        elif term.op is Op.ITE:
            stack.extend(term.args[1:])
        elif term.op is Op.VAR and term.payload == element.targets[0]:
            continue
        elif term.op is not Op.CONST or not sorts.contains(sort, cast("Value", term.payload)):
            return False
    return True


def _enclosed(text: str, path: Path) -> str:
    """Return a text that may stand for a subterm: in parentheses, unless it is one word."""
    return text if not path or re.fullmatch(r"\w*", text) else f"({text})"


_FIXES: Final[Mapping[str, Callable[[_Place], AdviceFix | None]]] = {
    "MP1": _branch,
    "MP2": _branch,
    "MP3": _apart,
    "MP7": _variable,
    "MP8": _variable,
    "constant-operand": _operand,
    "idle-arrow": _arrow,
    "unread-macro": _macro,
}


def _calls(term: Term) -> frozenset[Term]:
    return frozenset(part for part in walk.subterms(term) if part.op in _CALLS)
