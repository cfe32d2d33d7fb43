"""Comments of models that suppress no mutant, as far as a run can tell."""

from __future__ import annotations

from mutproof.analyses.mutation import suppress
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.reporters.reported_file import ReportedFile
from mutproof.workspace.options import Options


def unused(file: ReportedFile, options: Options) -> tuple[Diagnostic, ...]:
    """Return warnings of the comments that suppress nothing; none where a run is a part.

    A run with chosen operators, of a sample or a shard cannot tell.
    """
    partial = options.operators or options.most_mutants or options.only is not None
    if partial or options.shard[1] > 1 or not options.mutate or not file.finished:
        return ()
    if not file.placed or not suppress.directives(file.source):
        return ()
    found = [
        suppress.Suppressible(at.mutant.mutant, at.mutant.operator, at.place.line)
        for at in file.placed
    ]
    _, stale = suppress.reasons(file.source, found)
    message = "this comment suppresses no mutant of these operators"
    return tuple(
        Diagnostic("unused-suppression", Severity.WARNING, message, each.span) for each in stale
    )
