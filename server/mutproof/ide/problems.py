"""Diagnostics: what is wrong in the text, and the mutants that its properties do not notice."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final

from mutproof.analyses.claims.finding import MutantStatus, PropertyFinding, PropertyVerdict
from mutproof.analyses.mutation.suppress import SuppressionFault
from mutproof.base.diagnostics import Diagnostic, Related, Severity
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide import advice, screens, survivors, telling, traces
from mutproof.ide.placed import Freshness, PlacedProperty, ShownMutant
from mutproof.ide.screens import LineOf, Screens
from mutproof.ide.telling import Telling
from mutproof.ide.verdicts import Verdicts
from mutproof.workspace import explaining
from mutproof.workspace.faults import fault_diagnostics
from mutproof.workspace.report import Phase

BROKEN_OFF: Final = "analysis-broken-off"
MAX_PROBLEMS: Final = 200
STALE_MARK: Final = " (stale: the model has changed since)"

_RANKS: Final = {
    Severity.ERROR: 0,
    Severity.WARNING: 1,
    Severity.INFORMATION: 2,
    Severity.HINT: 3,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Hold a diagnostic as editors show it; `data` names the mutant, element or advice."""

    span: Span
    severity: Severity
    code: str
    message: str
    related: tuple[Related, ...] = ()
    unnecessary: bool = False
    data: str = ""


def text_problems(diagnostics: tuple[Diagnostic, ...]) -> tuple[Problem, ...]:
    """Return what is wrong with syntax, names and types."""
    return tuple(
        Problem(
            found.span,
            found.severity,
            found.code,
            f"{found.message}\n{found.help}" if found.help else found.message,
            found.related,
        )
        for found in diagnostics
    )


@dataclass(frozen=True, slots=True)
class Draft:
    """Stand for a problem whose message is made only if it is shown."""

    severity: Severity
    span: Span
    worded: Callable[[], Problem]


def verdict_drafts(verdicts: Verdicts) -> Iterator[Draft]:
    """Yield the problems that follow from proofs and mutants."""
    yield from _of_proofs(verdicts)
    yield from _mutants(verdicts)


def _of_proofs(verdicts: Verdicts) -> Iterator[Draft]:
    analysed = verdicts.analysed
    faults = fault_diagnostics(analysed.elaborated, analysed.report.faults)
    for problem in (
        *text_problems(faults),
        *_broken_off(verdicts),
        *_properties(verdicts),
        *_unneeded(verdicts),
        *_unnoticed(verdicts),
        *(
            Problem(
                hint.span,
                Severity.HINT,
                hint.code,
                hint.message,
                unnecessary=hint.is_idle,
                data=hint.data,
            )
            for hint in advice.hints(analysed)
        ),
        *_suppressions(verdicts),
    ):
        yield _draft(problem)


def shown(
    texts: Iterable[Problem],
    verdicts: Verdicts | None,
    *,
    most: int = MAX_PROBLEMS,
    everything: bool = False,
    lines: tuple[LineOf, LineOf] | None = None,
    kept: Collection[str] = (),
) -> tuple[Problem, ...]:
    """Return what editors are sent: problems of the text and of the verdicts, ranked.

    All with `everything`. Otherwise all errors, and of the rest the most informative ones: few
    survivors, and at most `screens.MOST_ON_A_SCREEN` on a screen. `lines` are those of offsets of
    the text, and of the version the verdicts are about, if they are not the same. Survivors of
    `kept` come before others.
    """
    drafts = [*map(_draft, texts)]
    if verdicts is None:
        return _ranked(drafts, most)
    if everything:
        return _ranked([*drafts, *verdict_drafts(verdicts)], most)
    of_text, of_verdicts = lines or (partial(_line, verdicts),) * 2
    placed = [(draft, of_text(draft.span.start)) for draft in drafts]
    placed += [(draft, of_verdicts(draft.span.start)) for draft in _of_proofs(verdicts)]
    return _few(placed, verdicts, most, of_verdicts, kept=kept)


def _line(verdicts: Verdicts, offset: int) -> int:
    return verdicts.analysed.source.position(offset).line


def _few(
    placed: list[tuple[Draft, int]],
    verdicts: Verdicts,
    most: int,
    line_of: LineOf,
    *,
    kept: Collection[str],
) -> tuple[Problem, ...]:
    """Return what of these, with their lines, and of the survivors has room on screens."""
    place = Screens(screens.LINES, screens.MOST_ON_A_SCREEN - 1)  # and one counts what has none
    drafts: list[Draft] = []

    def keep(*severities: Severity) -> None:
        for severity in severities:
            for draft, line in placed:
                if draft.severity is severity and (
                    severity is Severity.ERROR or place.has_room(line)
                ):
                    place.add(line)
                    drafts.append(draft)

    keep(Severity.ERROR, Severity.WARNING)
    others = sum(draft.severity is Severity.INFORMATION for draft, _ in placed)
    room = max(1, most - len(drafts) - min(others, most // 2))
    survivors = telling.most_telling(verdicts, room, place, line_of, kept=kept)
    keep(Severity.INFORMATION, Severity.HINT)
    left = len(placed) - len(drafts)
    return _ranked([*drafts, *(_telling(one, verdicts) for one in survivors)], most, left)


def ranked(problems: Iterable[Problem], *, most: int = MAX_PROBLEMS) -> tuple[Problem, ...]:
    """Return at most `most` problems, serious ones first, then in the order of the text.

    Editors silently drop what exceeds their own limits; here the last problem counts the rest.
    """
    return _ranked([_draft(problem) for problem in problems], most)


def _draft(problem: Problem) -> Draft:
    return Draft(problem.severity, problem.span, lambda: problem)


def _ranked(drafts: list[Draft], most: int, left: int = 0) -> tuple[Problem, ...]:
    """Return the most serious problems; one more counts the others and what was `left` out."""

    def key(draft: Draft) -> tuple[int, Span]:
        return _RANKS[draft.severity], draft.span

    if len(drafts) <= most and not left:
        return tuple(draft.worded() for draft in sorted(drafts, key=key))
    kept = [draft.worded() for draft in heapq.nsmallest(most - 1, drafts, key=key)]
    left += len(drafts) - len(kept)
    summary = Problem(
        Span(0, 0),
        Severity.INFORMATION,
        "more-findings",
        f"{left} more finding{' is' if left == 1 else 's are'} not listed here;"
        " the report of `mutproof mutate` has them all",
    )
    return (*kept, summary)


def failure_span(verdicts: Verdicts) -> Span | None:
    """Return where a failure of the analysis is reported, None if it did not fail."""
    analysed = verdicts.analysed
    if analysed.report.phase is not Phase.FAILED:
        return None
    program, places = analysed.elaborated.program, analysed.elaborated.provenance.components
    return Span(0, 0) if program is None else places.get(program.main, Span(0, 0))


def _broken_off(verdicts: Verdicts) -> Iterator[Problem]:
    span = failure_span(verdicts)
    if span is not None:
        message = (
            f"the analysis broke off ({verdicts.analysed.report.message}): what it left open is"
            " unknown\nsave the file, or choose `Prove again`, to try once more"
        )
        yield Problem(span, Severity.WARNING, BROKEN_OFF, message, data=BROKEN_OFF)


def _properties(verdicts: Verdicts) -> tuple[Problem, ...]:
    found = []
    for prop in verdicts.properties:
        worst = prop.worst()
        if worst is not None and worst.verdict is PropertyVerdict.FALSIFIED:
            found.append(_falsified(prop, worst, verdicts))
        elif worst is not None and worst.verdict is PropertyVerdict.UNKNOWN:
            found.append(_undecided(prop, worst))
        elif worst is not None and worst.vacuity:
            message = f"{prop.name} holds vacuously: {worst.vacuity}" + _mark(prop.standing)
            found.append(Problem(prop.span, Severity.WARNING, "vacuous", message))
    return tuple(found)


def _falsified(prop: PlacedProperty, worst: PropertyFinding, verdicts: Verdicts) -> Problem:
    message = f"{prop.name} is falsified"
    if worst.k is not None:
        message += f" after {worst.k} step{'s' if worst.k != 1 else ''}"
    if worst.trace is not None:
        message += f": {traces.summary(worst, verdicts.analysed.program)}"
    return Problem(prop.span, Severity.ERROR, "falsified", message + _mark(prop.standing))


def _undecided(prop: PlacedProperty, worst: PropertyFinding) -> Problem:
    message = f"{prop.name} is not decided: {worst.reason or 'the budget is used up'}"
    if worst.depth:
        message += f"; no violation in {worst.depth} step{'s' if worst.depth != 1 else ''}"
    return Problem(
        prop.span, Severity.INFORMATION, "property-unknown", message + _mark(prop.standing)
    )


def _mutants(verdicts: Verdicts) -> Iterator[Draft]:
    for mutant in verdicts.mutants:
        if mutant.status is MutantStatus.SURVIVED:
            severity = Severity.HINT if mutant.is_equivalent else Severity.WARNING
            yield Draft(severity, mutant.span, partial(_survived, mutant, verdicts))
        elif mutant.status is MutantStatus.UNKNOWN:
            yield Draft(Severity.INFORMATION, mutant.span, partial(_unknown, mutant))


def _telling(one: Telling, verdicts: Verdicts) -> Draft:
    """Return the draft of a problem for a mutant and those it represents."""
    mutant = one.mutant
    if mutant.status is MutantStatus.UNKNOWN:
        words = partial(_unknown, mutant, one.alike)
        return Draft(Severity.INFORMATION, mutant.span, words)
    words = partial(_survived, mutant, verdicts, one)
    return Draft(Severity.WARNING, mutant.span, words)


def _survived(mutant: ShownMutant, verdicts: Verdicts, told: Telling | None = None) -> Problem:
    message = survivors.message(mutant.label, mutant.equivalence)
    if mutant.is_equivalent:
        return _problem(mutant, Severity.HINT, message, ())
    if told is not None:
        message += f"; {told.alike} more like it" if told.alike else ""
        if told.more:
            message += f"; {told.more} more in {verdicts.label(mutant.record.element)}"
    related = (*_first_difference(mutant, verdicts), *_nearest_kill(mutant, verdicts))
    return _problem(mutant, Severity.WARNING, message, related)


def _unknown(mutant: ShownMutant, others: int = 0) -> Problem:
    reason = "" if mutant.finding is None else mutant.finding.reason
    message = f"{mutant.label} is not decided: {reason or 'the budget is used up'}"
    message += f"; nor {'is' if others == 1 else 'are'} {others} more" if others else ""
    return _problem(mutant, Severity.INFORMATION, message, ())


def _problem(
    mutant: ShownMutant, severity: Severity, message: str, related: tuple[Related, ...]
) -> Problem:
    return Problem(
        mutant.span,
        severity,
        mutant.record.operator,
        message + _mark(mutant.standing),
        related,
        data=mutant.record.mutant,
    )


def _first_difference(mutant: ShownMutant, verdicts: Verdicts) -> Iterator[Related]:
    """Yield the place and values of the variable that first shows the difference of a gap."""
    known, analysed = mutant.equivalence, verdicts.analysed
    parted = None if known is None else survivors.parted(known, analysed.program)
    if parted is None:
        return
    name, values = parted
    declared, main = analysed.elaborated.provenance.variables, analysed.program.main
    for whole in sorted(explaining.wholes(name), key=len, reverse=True):
        if (main, whole) in declared:
            yield Related(values, declared[main, whole])
            return


def _nearest_kill(mutant: ShownMutant, verdicts: Verdicts) -> tuple[Related, ...]:
    """Return the places of the nearest killed mutant, preferably of the element, and its killer."""
    nearest = verdicts.nearest_killed(mutant)
    if nearest is None:
        return ()
    assert nearest.finding is not None
    killer = nearest.finding.killed_by[0] if nearest.finding.killed_by else ""
    related = [Related(f"{nearest.label} is killed by {killer}", nearest.span)]
    stated = verdicts.stating.get(killer)
    if stated is not None:
        related.append(Related(f"{killer} is stated here", stated.span))
    return tuple(related)


def _unneeded(verdicts: Verdicts) -> tuple[Problem, ...]:
    provenance = verdicts.analysed.elaborated.provenance
    return tuple(
        Problem(
            provenance.whole(element),
            Severity.HINT,
            "unneeded",
            f"no proof needs {verdicts.subject(element)}",
            unnecessary=True,
            data=str(element),
        )
        for element in verdicts.unneeded
    )


def _unnoticed(verdicts: Verdicts) -> Iterator[Problem]:
    """Yield a problem for each element with mutants that neither properties nor facts notice."""
    provenance = verdicts.analysed.elaborated.provenance
    for element, mutants in verdicts.by_element.items():
        counted = verdicts.tallies[element]
        findings = [mutant.finding for mutant in mutants if mutant.finding is not None]
        asked = [finding for finding in findings if finding.facts is not None]
        if not counted.survived or counted.survived < counted.total or not asked:
            continue
        if not any(finding.facts for finding in asked):
            yield Problem(
                provenance.head(element),
                Severity.HINT,
                "nobody-notices",
                f"no property notices any change of {verdicts.subject(element)},"
                " and no fact does in the executions that were tried",
                data=str(element),
            )


def _suppressions(verdicts: Verdicts) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            faulty.directive.span,
            Severity.HINT if faulty.fault is SuppressionFault.UNUSED else Severity.WARNING,
            faulty.fault.value,
            faulty.message,
            unnecessary=faulty.fault is SuppressionFault.UNUSED,
        )
        for faulty in verdicts.faulty_suppressions
    )


def _mark(standing: Freshness) -> str:
    return STALE_MARK if standing is Freshness.STALE else ""
