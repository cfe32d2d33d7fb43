"""Show the execution that kills a mutant, falsifies a property, finds a path or shows a fault."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.ide import traces
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.shown import ShowText, Subject, SubjectKind
from mutproof.workspace.faults import fault_span


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    for mutant in selection.mutants:
        if mutant.finding is not None and mutant.finding.trace is not None:
            title = f"Show the trace that kills {mutant.label}"
            text = traces.table(mutant.finding.trace, verdicts.analysed.program)
            about = Subject(SubjectKind.MUTANT, mutant.record.mutant)
            yield Action(title, ActionKind.TRACE, shown=ShowText(title, text, about))
    for prop in verdicts.properties:
        worst = prop.worst()
        if selection.touches(prop.span) and worst is not None and worst.trace is not None:
            falsified = worst.verdict is PropertyVerdict.FALSIFIED
            what = "trace that falsifies" if falsified else "witness of"
            title = f"Show the {what} {prop.name}"
            text = traces.explained(worst, verdicts.analysed.program)
            about = Subject(SubjectKind.PROPERTY, worst.name)
            yield Action(title, ActionKind.TRACE, shown=ShowText(title, text, about))
    analysed = verdicts.analysed
    for number, fault in enumerate(analysed.report.faults):
        if fault.trace is not None and selection.touches(fault_span(analysed.elaborated, fault)):
            title = f"Show the execution: {fault.fault.value}"
            text = f"{fault.message}\n\n{traces.table(fault.trace, analysed.program)}"
            about = Subject(SubjectKind.FAULT, str(number))
            yield Action(title, ActionKind.TRACE, shown=ShowText(title, text, about))


MAKER = Maker("show-trace", _offer)
