"""Exit codes from the findings on files."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from mutproof.analyses.advising.advice import AdviceStatus
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.suites.suite import SuiteFate
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.gate import MUTANT_GATE, PROPERTY_GATE
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, fate, score
from mutproof.reporters.reported_file import ReportedFile

_NOT_COMPARED: Final = OPEN | {MutantFate.SURVIVED}
"""Fates of mutants of which it is not known whether a property could notice them."""

_NOT_COUNTED: Final = {MutantFate.EQUIVALENT, MutantFate.IGNORED}


def of_properties(file: ReportedFile, fails: Collection[str] = PROPERTY_GATE) -> ExitCode:
    """Return the code for proofs: falsified before unknown before vacuous before all proved."""
    verdicts = {found.verdict for found in file.properties}
    if PropertyVerdict.FALSIFIED in verdicts and "falsified" in fails:
        return ExitCode.FALSIFIED
    if PropertyVerdict.UNKNOWN in verdicts and "unknown" in fails:
        return ExitCode.UNKNOWN
    if "vacuous" in fails and any(found.vacuity for found in file.properties):
        return ExitCode.SURVIVORS
    return ExitCode.OK


def of_mutants(file: ReportedFile, fails: Collection[str] = MUTANT_GATE) -> ExitCode:
    """Return the code for mutants: the baseline first, then survivors, then unknowns.

    Survivors that are equivalent to the model, or accepted, count as decided.
    """
    if file.unproved and "unproved" in fails:
        return ExitCode.BASELINE
    everything = {fate(placed.finding) for placed in file.placed}
    found = {fate(p.finding) for p in file.placed if p.mutant.mutant not in file.accepted}
    missed = MISSED if "new" in fails else {MutantFate.GAP} if "gap" in fails else set()
    if found & missed or ("survived" in fails and everything & MISSED):
        return ExitCode.SURVIVORS
    if found & OPEN and "unknown" in fails:
        return ExitCode.UNDECIDED
    return ExitCode.OK


def of_score(files: Collection[ReportedFile], threshold: float | None) -> tuple[ExitCode, str]:
    """Return the code for the score of all files, with a sentence where it is too low.

    A score of nothing is too low, unless all mutants are known not to count (equivalent, ignored),
    or it is because a change concerns none.
    """
    found = score(files)
    if threshold is None or (found.percent is not None and found.percent >= threshold):
        return ExitCode.OK, ""
    if found.percent is None:
        measured = {fate(placed.finding) for file in files for placed in file.placed}
        analysed = any(file.report is not None for file in files)
        if not analysed or any(file.left_alone for file in files) or measured & _NOT_COUNTED:
            return ExitCode.OK, ""
        return (
            ExitCode.BELOW,
            f"no mutant counts: no score reaches the threshold of {threshold:g} %",
        )
    sums = f"{found.killed}/{found.valid} = {found.percent:.1f} %"
    return ExitCode.BELOW, f"the score {sums} is below the threshold of {threshold:g} %"


def of_survivors(file: ReportedFile, only: Collection[str] = ()) -> ExitCode:
    """Return the code for survivors that were asked about: gaps, then what is not known.

    Only survivors of the names `only` were, if there are names.
    """
    if file.unproved:
        return ExitCode.BASELINE
    fates = {
        fate(placed.finding)
        for placed in file.placed
        if not only or not {placed.mutant.mutant, placed.mutant.shown}.isdisjoint(only)
    }
    if MutantFate.GAP in fates:
        return ExitCode.SURVIVORS
    return ExitCode.UNDECIDED if fates & _NOT_COMPARED else ExitCode.OK


def of_suggestions(file: ReportedFile, *, restating: bool = False) -> ExitCode:
    """Return the code for suggestions: gaps that the best set leaves, then undetermined ones.

    The set may be one `restating` the model.
    """
    code = of_survivors(file)
    found = None if file.report is None else file.report.suggestions
    if code is not ExitCode.SURVIVORS or found is None or found.left:
        return code
    if not found.closed.issubset(n for one in found.chosen(restating=restating) for n in one.kills):
        return code
    is_open = any(fate(placed.finding) in _NOT_COMPARED for placed in file.placed)
    return ExitCode.UNDECIDED if found.undecided or is_open else ExitCode.OK


def of_advice(file: ReportedFile) -> ExitCode:
    """Return the code for advice: found before unknown; what was not looked at is unknown."""
    known = None if file.report is None else file.report.advice
    if file.report is not None and any(fault.empties for fault in file.report.model):
        return ExitCode.SURVIVORS
    if known is not None and known.of(AdviceStatus.FOUND):
        return ExitCode.SURVIVORS
    if known is None or known.left or known.of(AdviceStatus.UNKNOWN):
        return ExitCode.UNDECIDED
    return ExitCode.OK


def of_suite(file: ReportedFile) -> ExitCode:
    """Return the code for tests: the baseline first, then mutants of which tests show nothing.

    Mutants that are proved to have the outputs of the model count as decided, and those that only
    say less than the model. Those that only seem to be killed are not decided.
    """
    if file.unproved:
        return ExitCode.BASELINE
    found = None if file.report is None else file.report.suite
    if found is None or found.refused or found.count(SuiteFate.UNKNOWN):
        return ExitCode.UNDECIDED
    return ExitCode.OK


def of_equivalence(found: Collection[EquivalenceStatus]) -> ExitCode:
    """Return the code for comparisons: a difference before one that is not determined."""
    if EquivalenceStatus.GAP in found:
        return ExitCode.SURVIVORS
    return ExitCode.UNDECIDED if EquivalenceStatus.UNDETERMINED in found else ExitCode.OK


def baseline_note(file: ReportedFile) -> str:
    """Return which properties are not proved and therefore took no part."""
    names = ", ".join(f"{found.name} ({found.verdict.value})" for found in file.unproved)
    return f"{file.path}: not proved on the unmutated model, so taking no part: {names}"


def next_step(files: Iterable[ReportedFile]) -> str:
    """Return which commands say more of survivors that no baseline accepts; empty without any."""
    for file in files:
        left = {fate(p.finding) for p in file.placed if p.mutant.mutant not in file.accepted}
        if left & MISSED:
            name = file.shown_path
            proposes = f"`mutproof suggest {name}` proposes properties that notice survivors"
            if MutantFate.SURVIVED not in left:
                return f"next: {proposes}"
            compares = f"`mutproof equivalent {name}` tells which survivors no property can notice"
            return f"next: {compares}; {proposes}"
    return ""
