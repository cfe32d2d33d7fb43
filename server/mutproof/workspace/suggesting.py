"""Suggestions for a file: each is put in its text, proved there, and seen to kill there.

What the search of `analyses.suggesting` finds is text that nobody has read yet. It counts where
a whole analysis of the changed text, by the same gates as any, proves it and kills with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, count
from typing import Final, TypeAlias

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.suggesting import naming
from mutproof.analyses.suggesting.best import smallest, without_redundant
from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.analyses.suggesting.finding import Suggestion, SuggestionsFinding
from mutproof.analyses.suggesting.suggest import GapToClose, Suggesting
from mutproof.base import lexis
from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import sorts, terms, walk
from mutproof.model.editing import edited
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated, Language
from mutproof.model.operators import Op
from mutproof.model.program import Program
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options

Analyse: TypeAlias = Callable[
    [Elaborated, Options, Callable[[Event], None], Callable[[], bool]], Report
]
"""Analyse a text as any other: nothing is known of it before; what is found is told meanwhile.

What the last argument raises ends it.
"""

SECONDS: Final = 30.0
"""How long conjectures are looked for in a file, at most."""

MOST_OF_A_CLAIM: Final = 3
"""How many ways of saying when something may come next are tried on mutants."""

SETTLING_SECONDS: Final = 10.0
"""How long gaps are decided with suggestions that were not seen to kill them, at most."""

MOST_COMPARED: Final = 40
"""Of how many suggestions all kills are decided, before the best are chosen."""

TEMPORAL_SECONDS: Final = 20.0
MOST_TEMPORAL: Final = 40
"""How many conjectures of temporal logic are proved in one run."""

_BLANK: Final = "stated"


class _TimeIsUpError(Exception):
    """Say that what was found so far has to do."""


@dataclass
class Suggester:
    """Suggest properties for a file whose mutants are decided; mutable: names are taken."""

    elaborated: Elaborated
    options: Options
    baseline: Baseline
    means: Means
    analyse: Analyse
    until: Deadline = field(default_factory=Deadline.never)
    taken: set[str] = field(default_factory=set)

    def found(
        self, mutants: Sequence[Mutant], findings: Mapping[str, MutantFinding]
    ) -> SuggestionsFinding:
        """Return properties that kill gaps among the mutants, a smallest set, and what is left."""
        started = time.monotonic()
        gaps = (self._gap(m, findings[m.id]) for m in mutants if m.id in findings)
        found = self._found([gap for gap in gaps if gap is not None])
        undecided = sum(_is_undecided(findings.get(mutant.id)) for mutant in mutants)
        return replace(found, seconds=time.monotonic() - started, undecided=undecided)

    def _within(self, seconds: float) -> float:
        """Return so many seconds, or half of those that are left where these are fewer."""
        return min(seconds, self.until.remaining_s() / 2)

    @property
    def _language(self) -> Language:
        return LANGUAGES[self._program.language]

    @property
    def _program(self) -> Program:
        return self.baseline.program

    def _found(self, wanted: Sequence[GapToClose]) -> SuggestionsFinding:
        gaps: dict[str, list[GapToClose]] = {}
        for gap in wanted:
            gaps.setdefault(gap.component, []).append(gap)
        searching = Suggesting(self.baseline, self.means, self._within(SECONDS))
        drafts: list[Suggestion] = []
        open_: dict[str, GapToClose] = {g.mutant: g for those in gaps.values() for g in those}
        everything = dict(open_)
        for component, those in gaps.items():
            drafts.extend(self._drafts(searching, component, those, open_))
        # What a called node does not show may be seen in what calls it.
        main = self._program.main
        inner = [
            replace(gap, component=main, subjects=gap.found.differing)
            for gap in open_.values()
            if gap.component != main
        ]
        if inner:
            drafts.extend(self._drafts(searching, main, inner, open_))
        kept = self._confirmed(drafts, searching.executions)
        closed = {name for one in kept for name in one.kills}
        if self.baseline.system.relational:
            others = [gap for gap in wanted if gap.mutant not in closed]
            kept += self._temporal(list(searching.temporal(others)), others)
            closed = {name for one in kept for name in one.kills}
        left = [name for name in everything if name not in closed]
        kept = without_redundant(self._settled(kept, left, list(everything)))
        closed = {name for one in kept for name in one.kills}
        reasons = tuple(
            (name, searching.why_open(gap))
            for name, gap in everything.items()
            if name not in closed
        )
        best = tuple(one.name for one in smallest(kept))
        kept.sort(key=lambda one: one.restates)
        return SuggestionsFinding(tuple(kept), best, reasons)

    def _drafts(
        self,
        searching: Suggesting,
        component: str,
        gaps: Sequence[GapToClose],
        open_: dict[str, GapToClose],
    ) -> Iterator[Suggestion]:
        """Yield what is proved of a component, as text; what it closes is open no more."""
        for scored in searching.of(component, gaps):
            for name in scored.kills:
                open_.pop(name, None)
            yield self._draft(scored.conjecture)

    def _gap(self, mutant: Mutant, finding: MutantFinding) -> GapToClose | None:
        found = finding.equivalence
        if finding.status is not MutantStatus.SURVIVED or found is None:
            return None
        named = self.options.elements
        if named and not any(name in named for name in mutant.element.called):
            return None
        if found.status is not EquivalenceStatus.GAP:
            return None
        elements = self._program.by_id[mutant.element]
        bodies = {element: mutated_body(element, mutant) for element in elements}
        flattened = self._program.traits.is_flattened
        component = self._program.main if flattened else mutant.element.component
        subjects = [target for element in elements for target in element.targets]
        if component == self._program.main:
            subjects += found.differing
        if found.allowed == "mutant":  # what it assumes less of
            subjects += sorted({n for e in elements for n in walk.variables(e.body)})
        return GapToClose(mutant.id, component, bodies, found, tuple(subjects))

    # --- the gate -------------------------------------------------------------------------

    def _draft(self, conjecture: Conjecture) -> Suggestion:
        spell = self._language.print_term
        name = self._fresh(naming.names_of(conjecture, spell))
        return Suggestion(
            conjecture.component,
            name,
            self._text(conjecture.term),
            tuple(map(spell, conjecture.conditions)),
            spell(conjecture.claim),
            conjecture.scope.value,
            (),
            conjecture.kind.value,
            conjecture.restates,
        )

    def _text(self, term: Term) -> str:
        """Return a statement in the language, what is joined by an arrow in parentheses."""
        spell = self._language.print_term
        if term.op is not Op.ARROW:
            return spell(term)
        sides = [
            spell(side) if side.op in {Op.CONST, Op.VAR} else f"({spell(side)})"
            for side in term.args
        ]
        blank = terms.var(_BLANK, sorts.BOOL)
        before, between, behind = spell(terms.rebuilt(term, (blank, blank))).split(_BLANK)
        return f"{before}{sides[0]}{between}{sides[1]}{behind}"

    def _confirmed(
        self,
        drafts: Sequence[Suggestion],
        tried: Mapping[str, Sequence[Choices]],
    ) -> list[Suggestion]:
        """Return the drafts that are proved in the text, with the gaps that they kill there."""
        if not drafts:
            return []
        elaborated = self._with(drafts)
        if elaborated.program is None:  # what the language cannot say is not offered
            drafts = [one for one in drafts if self._with([one]).program is not None]
            elaborated = self._with(drafts)
        if elaborated.program is None or not drafts:
            return []
        proved = self._proved(elaborated, [draft.name for draft in drafts])
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

    def _temporal(
        self, conjectures: Sequence[Conjecture], left: Sequence[GapToClose]
    ) -> list[Suggestion]:
        """Return what is proved and kills some of what is left, decided as any mutants are."""
        drafts = [self._draft(one) for one in conjectures]
        deadline = Deadline.after(self._within(TEMPORAL_SECONDS))
        proved: set[str] = set()
        for start in range(0, len(drafts), MOST_TEMPORAL):
            some = drafts[start : start + MOST_TEMPORAL]
            if deadline.remaining_s() > 0 and self._with(some).program is not None:
                proved.update(self._proved(self._with(some), [one.name for one in some], deadline))
        shortest: dict[str, list[Conjecture]] = {}
        for draft, conjecture in zip(drafts, conjectures, strict=True):
            known = shortest.setdefault(draft.claim, [])
            more = set(conjecture.conditions)
            if draft.name in proved and not any(more.issuperset(one.conditions) for one in known):
                known.append(conjecture)
        self.taken.difference_update(draft.name for draft in drafts)
        wanted = [one for known in shortest.values() for one in known[:MOST_OF_A_CLAIM]]
        stated = [self._draft(one) for one in wanted]
        if not stated:
            return []
        kills = self._killed(stated, [gap.mutant for gap in left], deadline)
        return [replace(one, kills=tuple(kills[one.name])) for one in stated if one.name in kills]

    def _settled(
        self, kept: Sequence[Suggestion], left: Sequence[str], everything: Sequence[str]
    ) -> list[Suggestion]:
        """Return suggestions with what they kill besides, decided as any mutants are.

        What was searched for was seen in few executions; those of a gap left open may fail too,
        and of what is closed, one suggestion may kill more than it was seen to.
        """
        compared = sorted(kept, key=lambda one: -len(one.kills))[:MOST_COMPARED]
        compared += [one for one in smallest(kept) if one not in compared]
        deadline = Deadline.after(self._within(SETTLING_SECONDS))
        more: dict[str, dict[str, None]] = {}
        closed = [name for name in everything if name not in left]
        for mutants in (left, closed if len(compared) > 1 else ()):
            if mutants and compared:
                for name, found in self._killed(compared, mutants, deadline).items():
                    more.setdefault(name, {}).update(found)
        return [
            replace(one, kills=tuple(dict.fromkeys((*one.kills, *more.get(one.name, ())))))
            for one in kept
        ]

    def _killed(
        self, stated: Sequence[Suggestion], mutants: Sequence[str], deadline: Deadline
    ) -> Mapping[str, Mapping[str, None]]:
        """Return which of the mutants properties of the text kill, as far as there is time."""
        options = replace(
            self._asking(one.name for one in stated),
            mutate=True,
            mutants=tuple(mutants),
            budget=self.means.small,
        )
        properties, found = self._told(self._with(stated), options, deadline)
        declared = {one.name: one.declared for one in properties}
        kills: dict[str, dict[str, None]] = {}
        for one in found:
            for name in one.killed_by if one.status is MutantStatus.KILLED else ():
                kills.setdefault(declared.get(name, name), {})[one.mutant] = None
        return kills

    def _told(
        self, elaborated: Elaborated, options: Options, deadline: Deadline
    ) -> tuple[Sequence[PropertyFinding], Sequence[MutantFinding]]:
        """Return what an analysis finds until its time is up."""
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
        """Return the options of a run that proves properties, and no more."""
        return replace(
            self.options,
            mutate=False,
            cores=False,
            certify=False,
            equivalence="",
            suggest=False,
            properties=tuple(names),
        )

    def _with(self, drafts: Sequence[Suggestion]) -> Elaborated:
        """Return the text with properties, read again."""
        source = self.elaborated.parsed.source
        edits = insertion(self._language, self.elaborated, drafts)
        changed = SourceText(source.name, edited(source.content, edits))
        return self._language.elaborate(self._language.parse(changed))

    def _proved(
        self, elaborated: Elaborated, names: Sequence[str], deadline: Deadline | None = None
    ) -> Mapping[str, frozenset[str]]:
        """Return the occurrences of the properties all of which are proved, and not vacuously."""
        found: dict[str, set[str]] = {}
        failed: set[str] = set()
        until = deadline or Deadline.never()
        findings, _ = self._told(elaborated, self._asking(names), until)
        if until.passed():
            return {}  # of some, not all occurrences may have been decided
        for finding in findings:
            if finding.verdict is PropertyVerdict.PROVED and not finding.vacuity:
                found.setdefault(finding.declared, set()).add(finding.name)
            else:
                failed.add(finding.declared)
        return {name: frozenset(those) for name, those in found.items() if name not in failed}

    def _kills(
        self, elaborated: Elaborated, program: Program, tried: Mapping[str, Sequence[Choices]]
    ) -> Mapping[str, frozenset[str]]:
        """Return what executions of the mutants of a text violate, each replayed."""
        meaning = interpretation(program)
        kills: dict[str, frozenset[str]] = {}
        mutants = {mutant.id: mutant for mutant in enumerate_mutants(elaborated, self.options)}
        for name, executions in tried.items():
            mutant = mutants.get(name)
            if mutant is None:
                continue
            self.means.check_cancelled()
            bodies = {e: mutated_body(e, mutant) for e in program.by_id[mutant.element]}
            violated: set[str] = set()
            for choices in executions:
                found = self.means.notary.replay(meaning, choices, "replay", bodies)
                violated |= set() if found is None else found.violated.keys()
            # What is called no more states nothing.
            kills[name] = frozenset(violated - (meaning.lost(bodies) or frozenset()))
        return kills

    # --- names ----------------------------------------------------------------------------

    def _fresh(self, names: Sequence[str]) -> str:
        """Return a name that is free, without a number where one of the names is."""
        if not self.taken:
            text, lexicon = self.elaborated.parsed.source.content, self._language.lexis
            self.taken |= {*lexis.words(text, lexicon), *lexicon.keywords}
        numbered = (f"{names[0]}_{number}" for number in count(2))
        name = next(one for one in chain(names, numbered) if one not in self.taken)
        self.taken.add(name)
        return name


def _is_undecided(finding: MutantFinding | None) -> bool:
    """Tell whether it is not known yet whether a mutant is a gap."""
    if finding is None:
        return True
    return finding.status is MutantStatus.SURVIVED and finding.equivalence is None
