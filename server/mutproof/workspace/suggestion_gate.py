"""The gate of suggestions: they are confirmed as text in the file, by an ordinary analysis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options

Analyse: TypeAlias = Callable[
    [Elaborated, Options, Callable[[Event], None], Callable[[], bool]], Report
]
"""Analyse a text without previous knowledge, emitting what is found; the last argument may raise to
end it."""


class _TimeIsUpError(Exception):
    """Say that time is up."""


@dataclass(frozen=True, slots=True)
class SuggestionGate:
    """Prove suggestions in the text of the file, and determine there what they kill."""

    elaborated: Elaborated
    options: Options
    means: Means
    analyse: Analyse

    def confirmed(
        self,
        drafts: Sequence[Suggestion],
        tried: Mapping[str, Sequence[Choices]],
    ) -> list[Suggestion]:
        """Return the drafts that are proved in the text, with the gaps that they kill there."""
        if not drafts:
            return []
        elaborated = self.written(drafts)
        if elaborated.program is None:  # drop drafts that the language cannot express
            drafts = [one for one in drafts if self.written([one]).program is not None]
            elaborated = self.written(drafts)
        if elaborated.program is None or not drafts:
            return []
        proved = self.proved(elaborated, [draft.name for draft in drafts])
        kills = self._kills(elaborated, elaborated.program, tried)
        kept = []
        for draft in drafts:
            killed = [
                mutant
                for mutant, violated in kills.items()
                if not violated.isdisjoint(proved.get(draft.name, ()))
            ]
            if killed:
                kept.append(replace(draft, kills=tuple(killed)))
        return kept

    def proved(
        self, elaborated: Elaborated, names: Sequence[str], deadline: Deadline | None = None
    ) -> Mapping[str, frozenset[str]]:
        """Return the occurrences of properties whose occurrences are all proved, not vacuously."""
        found: dict[str, set[str]] = {}
        failed: set[str] = set()
        until = deadline or Deadline.never()
        findings, _ = self._told(elaborated, self._asking(names), until)
        if until.passed():
            return {}  # some occurrences of a property may be undecided
        for finding in findings:
            if finding.verdict is PropertyVerdict.PROVED and not finding.vacuity:
                found.setdefault(finding.declared, set()).add(finding.name)
            else:
                failed.add(finding.declared)
        return {name: frozenset(those) for name, those in found.items() if name not in failed}

    def killed(
        self, stated: Sequence[Suggestion], mutants: Sequence[str], deadline: Deadline
    ) -> Mapping[str, Mapping[str, None]]:
        """Return the mutants that each stated property kills, as far as time permits."""
        options = replace(
            self._asking(one.name for one in stated),
            mutate=True,
            mutants=tuple(mutants),
            budget=self.means.small,
        )
        properties, found = self._told(self.written(stated), options, deadline)
        declared = {one.name: one.declared for one in properties}
        kills: dict[str, dict[str, None]] = {}
        for one in found:
            for name in one.killed_by if one.status is MutantStatus.KILLED else ():
                kills.setdefault(declared.get(name, name), {})[one.mutant] = None
        return kills

    def written(self, drafts: Sequence[Suggestion]) -> Elaborated:
        """Return the text with properties, read again."""
        assert self.elaborated.program is not None
        source, language = (
            self.elaborated.parsed.source,
            LANGUAGES[self.elaborated.program.language],
        )
        edits = insertion(language, self.elaborated, drafts)
        changed = SourceText(source.name, edited(source.content, edits))
        return language.elaborate(language.parse(changed))

    def _kills(
        self, elaborated: Elaborated, program: Program, tried: Mapping[str, Sequence[Choices]]
    ) -> Mapping[str, frozenset[str]]:
        """Return, by mutant, the properties that its executions violate when replayed."""
        meaning = interpretation(program)
        kills: dict[str, frozenset[str]] = {}
        mutants = {mutant.id: mutant for mutant in enumerate_mutants(elaborated, self.options)}
        for name, executions in tried.items():
            mutant = mutants.get(name)
            if mutant is None:
                continue
            self.means.check_cancelled()
            bodies = mutated_bodies(program, mutant)
            violated: set[str] = set()
            for choices in executions:
                found = self.means.notary.replay(meaning, choices, "replay", bodies)
                violated |= set() if found is None else found.violated.keys()
            # Properties of instances that the mutant no longer calls do not count.
            kills[name] = frozenset(violated - (meaning.lost(bodies) or frozenset()))
        return kills

    def _told(
        self, elaborated: Elaborated, options: Options, deadline: Deadline
    ) -> tuple[Sequence[PropertyFinding], Sequence[MutantFinding]]:
        """Return what an analysis finds, or what it found until its time was up."""
        properties: dict[str, PropertyFinding] = {}
        mutants: dict[str, MutantFinding] = {}

        def note(event: Event) -> None:
            if isinstance(event, PropertyFinding):
                properties[event.name] = event
            elif isinstance(event, MutantFinding):
                mutants[event.mutant] = event

        def ends() -> bool:
            self.means.check_cancelled()
            if deadline.passed():
                raise _TimeIsUpError
            return False

        try:
            report = self.analyse(elaborated, options, note, ends)
        except _TimeIsUpError:
            return tuple(properties.values()), tuple(mutants.values())
        return report.properties, report.mutants

    def _asking(self, names: Iterable[str]) -> Options:
        """Return options for a run that only proves some properties."""
        return replace(
            self.options,
            mutate=False,
            cores=False,
            certify=False,
            equivalence="",
            suggest=False,
            properties=tuple(names),
        )
