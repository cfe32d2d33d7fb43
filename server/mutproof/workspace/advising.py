"""Advice on one file: an analysis that gives advice only."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace

from mutproof.analyses.advising.advice import Advice, AdviceFinding, AdviceStatus
from mutproof.analyses.advising.advise import advise, applying, at_once
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.analyses.proving import proofs as proving
from mutproof.languages import LANGUAGES
from mutproof.model.interpretation import Interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId, Program
from mutproof.model.terms import Path
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Cancelled, Memory
from mutproof.workspace.counts import counted
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.meaning import meaning_of
from mutproof.workspace.model_run import ModelRun
from mutproof.workspace.options import Options


def advised(
    elaborated: Elaborated,
    options: Options,
    memory: Memory,
    emit: Callable[[Event], None],
    *,
    cancelled: Callable[[], bool],
) -> Report:
    """Give the advice that options ask for.

    Raises:
        Cancelled: `cancelled` returned true; what was emitted until then stands.
        KeyError: there is no such meta-property.
    """
    assert elaborated.program is not None
    about = elaborated, elaborated.program, options, memory
    return _Advising(*about, emit=emit, cancelled=cancelled).run()


class _Advising(ModelRun):
    def __init__(
        self,
        elaborated: Elaborated,
        program: Program,
        options: Options,
        memory: Memory,
        *,
        emit: Callable[[Event], None],
        cancelled: Callable[[], bool],
    ) -> None:
        means = Means(options.budget, SpacerProcess(), memory.benches, self._check_cancelled)
        super().__init__(elaborated, options, memory, means, program=program, emit=emit)
        self._cancelled = cancelled
        self._properties: dict[str, PropertyFinding] = {}

    def _run(self) -> Report:
        started = time.monotonic()
        text_alone = subject_of(self._elaborated, self._program, {})
        self._emit(at_once(text_alone, self._options.advise))
        meaning = meaning_of(self._elaborated, self._program, self._options)
        reason = self._unfit(meaning)
        if reason:
            found = _nothing_asked(self._names, reason)
            self._emit(found)
        else:
            subject = subject_of(self._elaborated, self._program, self._properties)
            found = advise(subject, self._options.advise, self._means, self._emit)
        statistics = counted(
            self._properties.values(),
            (),
            calls=0,
            seconds=time.monotonic() - started,
            refused=self._means.notary.refused.total(),
        )
        statistics = replace(statistics, defects=statistics.defects + found.defects)
        self._emit(statistics)
        known = tuple(self._properties.values())
        return Report(known, (), statistics, tuple(self._faults), advice=found)

    def _unfit(self, meaning: Interpretation) -> str:
        """Prove the properties; return why nothing can be asked of the model, or nothing."""
        system = meaning.system()
        blocked, empty = self._checked(meaning, system)
        if blocked:
            return blocked
        if not empty and system.properties and self._asks_about_properties():
            found = proving.prove(
                meaning,
                system,
                self._memory.proofs,
                self._means,
                emit=self._note,
                only=self._options.properties,
            )
            self._properties = dict(found.findings)
        return empty

    def _asks_about_properties(self) -> bool:
        return any(one.of_properties for one in applying(self._program, self._options.advise))

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(one.name for one in applying(self._program, self._options.advise))

    def _note(self, finding: PropertyFinding) -> None:
        self._emit(finding)
        self._check_cancelled()

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled


def subject_of(
    elaborated: Elaborated, program: Program, properties: dict[str, PropertyFinding]
) -> AdviceSubject:
    """Return the subject of advice: the program of a text with its quotations and places."""
    provenance, content = elaborated.provenance, elaborated.parsed.source.content

    def quote(element: ElementId, path: Path) -> str:
        places = provenance.elements.get(element)
        place = None if places is None else places.place(path)
        return "" if place is None else content[place.whole.start : place.whole.end]

    def place(component: str, variable: str) -> tuple[Hashable, str] | None:
        span = provenance.variables.get((component, variable))
        return None if span is None else (span, content[span.start : span.end])

    print_term = LANGUAGES[program.language].print_term
    return AdviceSubject(program, quote, print_term, place, properties)


def _nothing_asked(names: tuple[str, ...], reason: str) -> AdviceFinding:
    """Return advice that nothing is known, for each meta-property."""
    message, reason = "the model lacks what is asked for", f"nothing was asked: {reason}"
    unknown = Advice("", AdviceStatus.UNKNOWN, message, reason=reason)
    return AdviceFinding(tuple(replace(unknown, meta_property=name) for name in names))
