"""The numbers with which the command ends: one per case that a script may tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """Name the ways a command ends; the numbers are an interface and never change meaning."""

    OK = 0  # prove: all proved; mutate: none survived
    UNUSABLE = 1  # wrong usage, or an input that cannot be read, decoded or understood
    SURVIVORS = 2  # mutate: some survived; prove: vacuous; equivalent: a difference; advise: advice
    UNDECIDED = 3  # mutate: none survived, some mutant is unknown; equivalent, advise: likewise
    BASELINE = 4  # mutate: some property is not proved on the unmutated model
    BELOW = 5  # mutate: the score is below the threshold, or of nothing
    UNKNOWN = 30  # prove: none falsified, some unknown; certificates: some not confirmed
    FALSIFIED = 40  # prove: some falsified; certificates: some refuted, missing or changed
    BUG = 70  # a defect of mutproof
    INTERRUPTED = 130  # Ctrl-C; what was found until then is reported
    CLOSED = 141  # the reader of standard output went away
    TERMINATED = 143  # SIGTERM; what was found until then is reported


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "all properties proved; no mutant survived",
    ExitCode.UNUSABLE: "wrong usage, or an input that cannot be read or understood",
    ExitCode.SURVIVORS: "mutate, report: some mutant survived; equivalent: there is a difference;"
    " suggest: a gap stays open; advise: there is advice; tests run: some test fails;"
    " format --check: not formatted; prove --fail-on vacuous: some property could not have failed",
    ExitCode.UNDECIDED: "mutate, report, equivalent, suggest, advise, tests: no such finding, but"
    " something is unknown; control, fret import: something is left out",
    ExitCode.BASELINE: "mutate, report, equivalent, suggest, tests: some property is not proved on"
    " the unmutated model",
    ExitCode.BELOW: "mutate: the score is less than --threshold, or no mutant counts in it",
    ExitCode.UNKNOWN: "prove, core: none falsified, but some property is unknown;"
    " a file was not read in time; check-certificates: some is not confirmed",
    ExitCode.FALSIFIED: "prove, core: some property is falsified;"
    " check-certificates: some is refuted, missing or changed",
    ExitCode.BUG: "a defect of mutproof",
    ExitCode.INTERRUPTED: "interrupted by Ctrl-C",
    ExitCode.CLOSED: "the reader of the output went away",
    ExitCode.TERMINATED: "ended by SIGTERM",
}

# Most serious first.
_SERIOUSNESS = (
    ExitCode.BUG,
    ExitCode.TERMINATED,
    ExitCode.INTERRUPTED,
    ExitCode.CLOSED,
    ExitCode.UNUSABLE,
    ExitCode.FALSIFIED,
    ExitCode.UNKNOWN,
    ExitCode.BASELINE,
    ExitCode.SURVIVORS,
    ExitCode.BELOW,
    ExitCode.UNDECIDED,
    ExitCode.OK,
)


def most_serious(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the most serious of the codes, OK for none."""
    return min(codes, key=_SERIOUSNESS.index, default=ExitCode.OK)
