"""Suggestions for a file: each is inserted in its text, proved there, and seen to kill there.

What the search of `analyses.suggesting` finds is only a draft. It counts once an analysis of the
changed text, like that of any other text, proves it and kills with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, count
from typing import Final

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
)
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.suggesting import consequences, merging, naming
from mutproof.analyses.suggesting.best import rank, smallest, without_redundant
from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.analyses.suggesting.definitions import restating
from mutproof.analyses.suggesting.finding import Suggestion, SuggestionsFinding
from mutproof.analyses.suggesting.sayable import EASY_CONDITIONS
from mutproof.analyses.suggesting.suggest import GapToClose, Suggesting
from mutproof.analyses.suggesting.temporal import has_other_numbers, numbers_of
from mutproof.base import lexis
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.languages import LANGUAGES
from mutproof.model import sorts, terms, walk
from mutproof.model.language import Elaborated, Language
from mutproof.model.operators import Op
from mutproof.model.program import Program, PropertyKind
from mutproof.model.roles import unread
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.workspace.constant_names import ConstantNames
from mutproof.workspace.options import Options
from mutproof.workspace.suggestion_gate import Analyse, SuggestionGate

SECONDS: Final = 30.0
"""The most seconds of the search for conjectures in a file."""

MOST_OF_A_CLAIM: Final = 3
"""How many variants of a claim on possible next states are tried on mutants."""

SETTLING_SECONDS: Final = 10.0
"""The most seconds spent on deciding gaps with suggestions that were not seen to kill them."""

MOST_COMPARED: Final = 40
"""For how many suggestions all kills are decided before the best are chosen."""

CONDENSING_SECONDS: Final = 5.0
"""The most seconds spent on finding out which suggestions follow from the others."""

UNREAD: Final = "nothing reads it: a property that did would make it specification, never mutated"
"""Why no property is suggested for a mutant of a DEFINE that the design does not read."""

NOT_ENDED: Final = "the search for properties did not end"
"""Why nothing is suggested for a mutant so far."""

TEMPORAL_SECONDS: Final = 20.0
MOST_TEMPORAL: Final = 40
"""How many conjectures of temporal logic are proved in one run."""

USUAL_SECONDS: Final = 90.0
"""The seconds for all of that, and for proofs in the file: with more, each takes as much more."""

_BLANK: Final = "stated"


@dataclass
class Suggester:
    """Suggest properties for a file whose mutants are decided; mutable: keeps the names in use."""

    elaborated: Elaborated
    options: Options
    baseline: Baseline
    means: Means
    analyse: Analyse
    until: Deadline = field(default_factory=Deadline.never)
    tell: Callable[[SuggestionsFinding], None] = lambda _: None
    taken: set[str] = field(default_factory=set)
    said: dict[str, Conjecture] = field(default_factory=dict)
    _names: ConstantNames = field(init=False)

    def found(
        self,
        mutants: Sequence[Mutant],
        findings: Mapping[str, MutantFinding],
        earlier: SuggestionsFinding,
    ) -> SuggestionsFinding:
        """Return properties that kill gaps, a smallest set of them, and the gaps that are left.

        The result of an `earlier` search is kept if this one closes fewer gaps. What is confirmed
        is told meanwhile.
        """
        started = time.monotonic()
        gaps = (self._gap(m, findings[m.id]) for m in mutants if m.id in findings)
        undecided = sum(_is_undecided(findings.get(mutant.id)) for mutant in mutants)

        def whole(found: SuggestionsFinding) -> SuggestionsFinding:
            found = replace(found, seconds=time.monotonic() - started, undecided=undecided)
            return found.unless_less(earlier)

        return whole(
            self._found(
                [gap for gap in gaps if gap is not None],
                lambda so_far: self.tell(whole(so_far)),
            )
        )

    @cached_property
    def _gate(self) -> SuggestionGate:
        return SuggestionGate(self.elaborated, self.options, self.means, self.analyse)

    @cached_property
    def _times(self) -> float:
        """Return by how much more time than usual there is where a limit was given for a file."""
        given = self.until.remaining_s()
        return max(1.0, given / USUAL_SECONDS) if given < float("inf") else 1.0

    def _within(self, seconds: float) -> float:
        """Return `seconds` and as much more as was given, or half of what is left if less."""
        return min(seconds * self._times, self.until.remaining_s() / 2)

    @property
    def _language(self) -> Language:
        return LANGUAGES[self._program.language]

    @property
    def _program(self) -> Program:
        return self.baseline.program

    def _found(
        self, wanted: Sequence[GapToClose], tell: Callable[[SuggestionsFinding], None]
    ) -> SuggestionsFinding:
        unnamed = {element.id for gap in wanted for element in gap.bodies}
        self._names = ConstantNames(self.elaborated, unnamed)
        searching = Suggesting(self.baseline, self.means, self._within(SECONDS))
        everything = {gap.mutant: gap for gap in wanted}

        def note(kept: Sequence[Suggestion]) -> None:
            tell(_finding(kept, dict.fromkeys(everything, NOT_ENDED)))

        unused = unread(self._program)
        wanted = [g for g in wanted if any(element.id not in unused for element in g.bodies)]
        gaps: dict[str, list[GapToClose]] = {}
        for gap in wanted:
            gaps.setdefault(gap.component, []).append(gap)
        drafts: list[Suggestion] = []
        sought = {gap.mutant for gap in wanted}
        open_: dict[str, GapToClose] = {g.mutant: g for those in gaps.values() for g in those}
        for component, those in gaps.items():
            drafts.extend(self._drafts(searching, component, those, open_))
        # A gap that no property of a called node sees may be visible in the main one.
        main = self._program.main
        inner = [
            replace(gap, component=main, subjects=gap.found.differing)
            for gap in open_.values()
            if gap.component != main
        ]
        if inner:
            drafts.extend(self._drafts(searching, main, inner, open_))
        kept = self._gate.confirmed(drafts, searching.executions)
        note(kept)
        closed = {name for one in kept for name in one.kills}
        if self.baseline.system.relational:
            others = [gap for gap in wanted if gap.mutant not in closed]
            known = numbers_of(self._program)
            found = list(searching.temporal(others))
            for is_other in (False, True):  # prefer numbers that the text has
                some = [one for one in found if has_other_numbers(one, known) == is_other]
                kept += self._temporal(some, others)
                note(kept)
                closed = {name for one in kept for name in one.kills}
                others = [gap for gap in others if gap.mutant not in closed]
        left = [gap.mutant for gap in wanted if gap.mutant not in closed]
        kept = self._settled(kept, left, [gap.mutant for gap in wanted])
        kept = without_redundant(kept)
        note(kept)
        kept = self._merged(self._independent(kept), searching.executions)
        reasons = {
            name: searching.why_open(gap) if name in sought else UNREAD
            for name, gap in everything.items()
        }
        return _finding(kept, reasons)

    def _drafts(
        self,
        searching: Suggesting,
        component: str,
        gaps: Sequence[GapToClose],
        open_: dict[str, GapToClose],
    ) -> Iterator[Suggestion]:
        """Yield proved conjectures of a component as text; drop gaps they close from `open_`."""
        for scored in searching.of(component, gaps):
            for name in scored.kills:
                open_.pop(name, None)
            yield self._draft(scored.conjecture)

    def _gap(self, mutant: Mutant, finding: MutantFinding) -> GapToClose | None:
        found = finding.equivalence
        if finding.status is not MutantStatus.SURVIVED or found is None:
            return None
        named = self.options.elements
        if named and not any(name in named for name in self._program.called(mutant.element)):
            return None
        if found.status is not EquivalenceStatus.GAP:
            return None
        bodies = mutated_bodies(self._program, mutant)
        flattened = self._program.traits.is_flattened
        component = self._program.main if flattened else mutant.element.component
        subjects = [target for element in bodies for target in element.targets]
        if component == self._program.main:
            subjects += found.differing
        if found.allowed == "mutant":  # it restricts these less
            subjects += sorted({n for e in bodies for n in walk.variables(e.body)})
        return GapToClose(mutant.id, component, bodies, found, tuple(subjects))

    # --- the gate -------------------------------------------------------------------------

    def _draft(self, conjecture: Conjecture) -> Suggestion:
        spell, shown = self._language.print_term, self._names.applied(conjecture)
        name = self._fresh(naming.names_of(shown, spell))
        self.said[name] = conjecture
        return Suggestion(
            conjecture.component,
            name,
            self._text(shown.term),
            tuple(self._conditions(shown)),
            spell(shown.claim),
            conjecture.scope.value,
            (),
            conjecture.kind.value,
            conjecture.restates,
            conjecture.odd,
        )

    def _conditions(self, conjecture: Conjecture) -> Iterator[str]:
        """Yield the conditions as text, in parentheses where joining by "and" needs them."""
        for term in conjecture.conditions:
            spelled = self._language.print_term(term)
            alone = term.op is not Op.OR or len(conjecture.conditions) == 1
            yield spelled if alone else f"({spelled})"

    def _text(self, term: Term) -> str:
        """Return a statement as text, with the operands of an arrow in parentheses."""
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

    def _temporal(
        self, conjectures: Sequence[Conjecture], left: Sequence[GapToClose]
    ) -> list[Suggestion]:
        """Return conjectures proved in the text that kill some of the gaps left, by an analysis."""
        drafts = [self._draft(one) for one in conjectures]
        deadline = Deadline.after(self._within(TEMPORAL_SECONDS))
        proved: set[str] = set()
        for start in range(0, len(drafts), MOST_TEMPORAL):
            some = drafts[start : start + MOST_TEMPORAL]
            if deadline.remaining_s() > 0 and self._gate.written(some).program is not None:
                proved.update(
                    self._gate.proved(
                        self._gate.written(some), [one.name for one in some], deadline
                    )
                )
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
        kills = self._gate.killed(stated, [gap.mutant for gap in left], deadline)
        return [replace(one, kills=tuple(kills[one.name])) for one in stated if one.name in kills]

    def _settled(
        self, kept: Sequence[Suggestion], left: Sequence[str], everything: Sequence[str]
    ) -> list[Suggestion]:
        """Return suggestions with all that they kill, as decided by an ordinary analysis.

        The search has seen few executions: suggestions may also kill gaps left open, and more of
        those that are closed.
        """
        compared = sorted(kept, key=lambda one: -len(one.kills))[:MOST_COMPARED]
        compared += [one for one in smallest(kept) if one not in compared]
        deadline = Deadline.after(self._within(SETTLING_SECONDS))
        more: dict[str, dict[str, None]] = {}
        closed = [name for name in everything if name not in left]
        for mutants in (left, closed if len(compared) > 1 else ()):
            if mutants and compared:
                for name, found in self._gate.killed(compared, mutants, deadline).items():
                    more.setdefault(name, {}).update(found)
        return [
            replace(one, kills=tuple(dict.fromkeys((*one.kills, *more.get(one.name, ())))))
            for one in kept
        ]

    def _independent(self, kept: Sequence[Suggestion]) -> list[Suggestion]:
        """Return suggestions without those that follow from others and from what is stated."""
        left = list(kept)
        deadline = Deadline.after(self._within(CONDENSING_SECONDS))
        stated = {
            name: consequences.stated(self.baseline, name)
            for name in dict.fromkeys(one.component for one in kept)
        }
        best = smallest(kept)
        for one in sorted(
            kept, key=lambda each: (each in best, -rank(each), -len(each.conditions))
        ):
            if deadline.passed():
                break
            others = [other for other in left if other is not one and rank(other) <= rank(one)]
            closed = {name for other in others for name in other.kills}
            near = [self.said[o.name] for o in others if o.component == one.component]
            if closed.issuperset(one.kills) and consequences.follows(
                self._program, stated[one.component], near, self.said[one.name], means=self.means
            ):
                left.remove(one)
        return left

    def _merged(
        self, kept: Sequence[Suggestion], tried: Mapping[str, Sequence[Choices]]
    ) -> list[Suggestion]:
        """Return suggestions, with those of a best set that claim the same merged into one.

        A merged one is offered only if it is proved in the file and kills all that its parts kill.
        """
        by_conjecture = {self.said[one.name]: one for one in smallest(kept)}
        wholes = {
            self._draft(self._marked(whole)): [by_conjecture[part] for part in parts]
            for whole, parts in merging.merged(tuple(by_conjecture))
        }
        invariants = [one for one in wholes if one.logic == PropertyKind.INVARIANT.value]
        found = {one.name: one for one in self._gate.confirmed(invariants, tried)}
        deadline = Deadline.after(self._within(SETTLING_SECONDS))
        others = {one.name: one for one in wholes if one not in invariants}
        written = self._gate.written(list(others.values()))
        if others and written.program is not None:  # their kills are decided below
            found |= {n: others[n] for n in self._gate.proved(written, list(others), deadline)}
        result = list(kept)
        for draft, parts in wholes.items():
            whole = found.get(draft.name)
            wanted = dict.fromkeys(name for part in parts for name in part.kills)
            if whole is None:
                continue
            unseen = [name for name in wanted if name not in whole.kills]
            if unseen:
                more = self._gate.killed([whole], unseen, deadline).get(whole.name, {})
                whole = replace(whole, kills=(*whole.kills, *more))
            if wanted.keys() <= set(whole.kills):
                result[result.index(parts[0])] = whole
                result = [one for one in result if one not in parts]
        return result

    def _marked(self, conjecture: Conjecture) -> Conjecture:
        """Return a conjecture with `restates` set if it restates a definition."""
        known = restating(self._program, conjecture.component)
        restates = conjecture.restates or known.restated(conjecture)
        return replace(conjecture, restates=restates, odd=conjecture.odd and not restates)

    # --- names ----------------------------------------------------------------------------

    def _fresh(self, names: Sequence[str]) -> str:
        """Return the first of some names that is free, else one with a number; it is then taken."""
        if not self.taken:
            text, lexicon = self.elaborated.parsed.source.content, self._language.lexis
            self.taken |= {*lexis.words(text, lexicon), *lexicon.keywords}
        numbered = (f"{names[0]}_{number}" for number in count(2))
        name = next(one for one in chain(names, numbered) if one not in self.taken)
        self.taken.add(name)
        return name


def _finding(kept: Sequence[Suggestion], reasons: Mapping[str, str]) -> SuggestionsFinding:
    """Return what was found; `reasons` say for gaps why they are open, if nothing kills them."""
    closed = {name for one in kept for name in one.kills}
    best, complete = (
        tuple(one.name for one in smallest(kept, restating=restating))
        for restating in (False, True)
    )
    return SuggestionsFinding(
        tuple(sorted(kept, key=lambda one: (rank(one), _is_long_first(one)))),
        best,
        tuple((name, why) for name, why in reasons.items() if name not in closed),
        best_restating=complete,
    )


def _is_long_first(one: Suggestion) -> bool:
    """Tell whether a suggestion about the first step has many conditions."""
    return one.when == "first" and len(one.conditions) > EASY_CONDITIONS


def _is_undecided(finding: MutantFinding | None) -> bool:
    """Tell whether it is not known yet whether a mutant is a gap."""
    if finding is None:
        return True
    return finding.status is MutantStatus.SURVIVED and finding.equivalence is None
