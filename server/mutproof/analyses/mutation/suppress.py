"""Comments that suppress mutants, with a reason: which mutants of a text are ignored.

The grammar is Stryker's with our keyword, in a comment of the model's language:

    -- mutproof disable next-line g2ge, ge2g: the bound is checked elsewhere
    -- mutproof disable all: generated code
    -- mutproof restore all

`disable` without `next-line` holds until a `restore` of the same operators or the end of the
file; a later comment wins over an earlier one. Without a reason a comment suppresses nothing. Pure
functions of a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Final

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.provenance import Provenance

ALL: Final = "all"
KEYWORD: Final = "mutproof"

_DIRECTIVE = re.compile(
    r"(?:--|\(\*|/\*)[ \t]*mutproof[ \t]+(?P<verb>disable|restore)(?P<next>[ \t]+next-line)?"
    r"(?:[ \t]+(?P<operators>[\w-]+(?:[ \t]*,[ \t]*[\w-]+)*))?"
    r"[ \t]*(?::[ \t]*(?P<reason>[^\r\n]*?))?[ \t]*(?:\*\)|\*/|$|(?=[\r\n]))",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Directive:
    """Hold one comment; `line` is 1-based, `operators` holds names or `all`."""

    line: int
    is_disable: bool
    next_line: bool
    operators: tuple[str, ...]
    reason: str
    span: Span

    def concerns(self, operator: str) -> bool:
        """Tell whether the comment speaks of an operator."""
        return ALL in self.operators or operator in self.operators


class SuppressionFault(Enum):
    """Say what is wrong with a comment; the values are the codes that users see."""

    NO_REASON = "suppression-without-reason"
    UNKNOWN_OPERATOR = "unknown-operator"
    UNUSED = "unused-suppression"


@dataclass(frozen=True, slots=True)
class FaultyDirective:
    """Hold a comment and what is wrong with it, with the `names` of which no operator is known."""

    directive: Directive
    fault: SuppressionFault
    names: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """Return in words what is wrong."""
        match self.fault:
            case SuppressionFault.NO_REASON:
                return "this comment suppresses no mutant: say why, after a colon"
            case SuppressionFault.UNKNOWN_OPERATOR:
                return f"there is no mutation operator called {' or '.join(self.names)}"
            case SuppressionFault.UNUSED:
                return "this comment suppresses no mutant"


@dataclass(frozen=True, slots=True)
class Suppressible:
    """Hold what decides whether a mutant is suppressed: operator and 1-based line."""

    mutant: str
    operator: str
    line: int


def directives(source: SourceText) -> tuple[Directive, ...]:
    """Return the suppressing comments of a text in order."""
    if KEYWORD not in source.content:
        return ()
    found = []
    for match in _DIRECTIVE.finditer(source.content):
        names = match["operators"] or ALL
        found.append(
            Directive(
                source.position(match.start()).line,
                match["verb"] == "disable",
                match["next"] is not None,
                tuple(name.strip() for name in names.split(",")),
                match["reason"] or "",
                Span(match.start(), match.end()),
            )
        )
    return tuple(found)


def reasons(
    source: SourceText, mutants: Iterable[Suppressible]
) -> tuple[Mapping[str, str], tuple[FaultyDirective, ...]]:
    """Return the reason of every suppressed mutant, and the comments with something wrong."""
    found = directives(source)
    if not found:
        return {}, ()
    ignored: dict[str, str] = {}
    used: set[Directive] = set()
    counting = [one for one in found if one.reason or not one.is_disable]
    for mutant in mutants:
        decided: Directive | None = None
        for directive in counting:
            if directive.line > mutant.line or not directive.concerns(mutant.operator):
                continue
            if not directive.next_line or directive.line + 1 == mutant.line:
                decided = directive
        if decided is not None and decided.is_disable:
            ignored[mutant.mutant] = decided.reason
            used.add(decided)
    return ignored, tuple(_faults(found, used))


def _faults(found: Iterable[Directive], used: set[Directive]) -> Iterator[FaultyDirective]:
    from mutproof.analyses.mutation.mutators import MUTATORS  # for faulty comments only

    known = {ALL, *MUTATORS.names()}
    for directive in found:
        unknown = tuple(name for name in directive.operators if name not in known)
        if unknown:
            yield FaultyDirective(directive, SuppressionFault.UNKNOWN_OPERATOR, unknown)
        elif directive.is_disable and not directive.reason:
            yield FaultyDirective(directive, SuppressionFault.NO_REASON)
        elif directive.is_disable and directive not in used:
            yield FaultyDirective(directive, SuppressionFault.UNUSED)


def ignored_mutants(
    source: SourceText, provenance: Provenance, mutants: Iterable[Mutant]
) -> Mapping[str, str]:
    """Return the reason of every mutant that a comment of the text suppresses, by mutant id."""
    if not directives(source):
        return {}
    suppressible = []
    for mutant in mutants:
        place = None
        if mutant.place is not None:
            place = provenance.elements[mutant.element].place(mutant.place)
        start = provenance.head(mutant.element).start if place is None else place.token.start
        line = source.position(start).line
        suppressible.append(Suppressible(mutant.id, mutant.operator, line))
    ignored, _ = reasons(source, suppressible)
    return ignored
