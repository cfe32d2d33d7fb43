"""What a code action is: an offer for a selection, and the effect of accepting it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.placed import ShownMutant
from mutproof.ide.shown import Shown
from mutproof.ide.verdicts import Verdicts
from mutproof.model.editing import EditedElement, TextEdit
from mutproof.model.program import ElementId


class ActionKind(Enum):
    """Name the kinds of actions; the values are the protocol's, finer than those of a menu."""

    REPAIR = "quickfix.mutproof"
    PROPERTY = "quickfix.mutproof.property"
    SUPPRESSION = "quickfix.mutproof.suppression"
    TRACE = "quickfix.mutproof.trace"
    DIFFERENCE = "quickfix.mutproof.difference"
    SURVIVORS = "quickfix.mutproof.survivors"
    TEST = "quickfix.mutproof.test"
    MUTANT = "refactor.rewrite.mutproof"


@dataclass(frozen=True, slots=True)
class Action:
    """Hold one offer: edits of the file, or something to show.

    `about` is the `data` of the diagnostic it answers, empty for none.
    """

    title: str
    kind: ActionKind
    edits: tuple[TextEdit, ...] = ()
    shown: Shown | None = None
    about: str = ""


@dataclass(frozen=True)
class Selection:
    """Hold what is selected in an analysed file; an empty span is a cursor.

    `about` is the `data` of the diagnostics that the editor asks about.
    """

    verdicts: Verdicts
    span: Span
    about: tuple[str, ...] = ()

    @cached_property
    def mutants(self) -> tuple[ShownMutant, ...]:
        """Return the mutants whose token the selection touches.

        Those that were asked about come first, then gaps and other survivors.
        """
        touched = self.verdicts.touching(self.span)

        def rank(mutant: ShownMutant) -> int:
            if mutant.record.mutant in self.about:
                return 0
            return 3 if mutant.status is not MutantStatus.SURVIVED else 1 + mutant.is_equivalent

        return tuple(sorted(touched, key=rank))

    @cached_property
    def unseen(self) -> tuple[ShownMutant, ...]:
        """Return the touched mutants that no property is known to notice.

        Equivalent ones are left out: no property could.
        """
        unseen = {MutantStatus.SURVIVED, MutantStatus.UNKNOWN}
        return tuple(
            mutant
            for mutant in self.mutants
            if mutant.status in unseen and not mutant.is_equivalent
        )

    def subject(self, element: ElementId) -> EditedElement:
        """Return an element as what the language is asked to edit."""
        analysed = self.verdicts.analysed
        provenance, label = analysed.elaborated.provenance, self.verdicts.label(element)
        return EditedElement(analysed.source, analysed.program, provenance, element, label)

    def touches(self, span: Span) -> bool:
        """Tell whether the selection and a span have a character or an end in common."""
        return self.span.start <= span.end and span.start <= self.span.end


@dataclass(frozen=True, slots=True)
class Maker:
    """Describe one file of `actions`: what it offers for a selection."""

    name: str
    offer: Callable[[Selection], Iterator[Action]]
