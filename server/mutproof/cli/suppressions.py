"""Warnings about faulty comments that suppress mutants."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation import suppress
from mutproof.analyses.mutation.suppress import (
    FaultyDirective,
    Suppressible,
    SuppressionFault,
)
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.cli.baseline import used_operators
from mutproof.reporters.reported_file import ReportedFile
from mutproof.workspace.options import Options


def warnings(file: ReportedFile, options: Options) -> tuple[Diagnostic, ...]:
    """Return a warning for each comment with something wrong.

    A comment without effect is reported only if all mutants that it may name were listed.
    """
    if not options.mutate or file.elaborated is None or file.elaborated.program is None:
        return ()
    mutants = (Suppressible(p.mutant.mutant, p.mutant.operator, p.place.line) for p in file.placed)
    _, faults = suppress.reasons(file.source, mutants)
    if not faults:
        return ()
    is_whole = file.finished and _is_whole(options)
    listed = {suppress.ALL, *used_operators(file, options)} if is_whole else set()
    return tuple(_told(faults, listed))


def _is_whole(options: Options) -> bool:
    names = ("operators", "since", "most_mutants", "shard", "only", "mutants", "share")
    plain = Options()
    return all(getattr(options, name) == getattr(plain, name) for name in names)


def _told(faults: tuple[FaultyDirective, ...], listed: set[str]) -> Iterator[Diagnostic]:
    for faulty in faults:
        is_unused = faulty.fault is SuppressionFault.UNUSED
        if not is_unused or listed.issuperset(faulty.directive.operators):
            code, span = faulty.fault.value, faulty.directive.span
            yield Diagnostic(code, Severity.WARNING, faulty.message, span)
