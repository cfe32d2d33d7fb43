"""Inductive validity cores: which elements a proof needs.

Source: Ghassabani, Gacek and Whalen, FSE 2016 (algorithms IVC_UC and IVC_BF); MUST = elements
whose removal breaks the proof: the same authors, ASE 2017, and NFM 2020, corollary 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from mutproof.analyses.bench import Bench
from mutproof.analyses.means import Means
from mutproof.analyses.variant import Case, Fails, Holds, Variant, applied, content
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.model import slice as slicing
from mutproof.model.evaluate import Evaluator, InstantaneousLoop
from mutproof.model.program import Element, ElementId, Program
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted

SEARCH_DEPTH = 6

EvidenceKey: TypeAlias = tuple[str, str, frozenset[ElementId]]
"""A property, `kept` or `removed`, and the elements that were kept or removed."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Say that an attempt on a reduced system found nothing; asked again, neither would it."""

    system: Digest  # of the whole system
    budget: Budget


Evidence: TypeAlias = dict[EvidenceKey, Holds | Fails | Undecided]
"""What is known of properties on reduced systems, kept between versions of a file."""


@dataclass(frozen=True, slots=True)
class Core:
    """Hold a minimal core of one property and its MUST set, in the order of the source.

    `minimal` is false where the budget left it open whether an element is needed; such an
    element is kept. Elements that are certainly in every core are in `must`.
    """

    elements: tuple[ElementId, ...]
    must: tuple[ElementId, ...]
    minimal: bool


class Cores:
    """Find cores of the properties of one program; mutable caches, one thread."""

    def __init__(
        self,
        program: Program,
        system: TransitionSystem,
        means: Means,
        evidence: Evidence,
    ) -> None:
        self._program = program
        self._evaluator = Evaluator(program)
        self._evidence = evidence
        self._content = content(system)
        self._system = system
        self._means = means
        self._check_cancelled = means.check_cancelled
        self._bench: Bench | None = None
        self._asked_before = means.benches.calls
        self._tail_calls = 0
        self._order = [e.id for e in program.elements() if e.id in system.by_owner]

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._tail_calls + self._means.benches.calls - self._asked_before

    def of_property(self, name: str, holds: Holds, rests_on: frozenset[ElementId]) -> Core:
        """Return a minimal core of a proved property, starting from elements that suffice."""
        owner = self._system.property(name).owner
        candidates = [e for e in self._order if e in rests_on and e != owner]
        everything = frozenset(self._order)
        keep_always = frozenset() if owner is None else frozenset({owner})
        core = list(candidates)
        minimal = True
        must: list[ElementId] = []
        for element in candidates:
            self._check_cancelled()
            rest = frozenset(core) - {element} | keep_always
            needed = self._breaks((name, "kept", rest), holds, everything - rest)
            if needed is False:
                core.remove(element)
            elif needed is None:
                minimal = False
        for element in core:
            self._check_cancelled()
            gone = frozenset({element})
            if self._breaks((name, "removed", gone), holds, gone) is True:
                must.append(element)
        return Core(tuple(core), tuple(must), minimal)

    def _breaks(self, key: EvidenceKey, holds: Holds, removed: frozenset[ElementId]) -> bool | None:
        """Tell whether the property fails without some elements; None if that stays open."""
        variant = Variant("reduced", removed)
        name = key[0]
        undecided = Undecided(self._system.digest, self._means.budget)
        match self._evidence.get(key):
            case Holds(support=rests_on):
                lost = {c.digest for o in removed for c in self._system.by_owner.get(o, ())}
                if rests_on <= self._content - lost:
                    return False
            case Fails(choices=choices):
                violated = self._confirm(variant, choices)
                if violated is not None and name in violated:
                    return True
            case Undecided() as left if left == undecided:
                return None
            case _:
                pass
        found = self._decide(variant, name, holds)
        if found is None:
            self._evidence[key] = undecided
            return None
        self._evidence[key] = found
        return isinstance(found, Fails)

    def _decide(self, variant: Variant, name: str, holds: Holds) -> Holds | Fails | None:
        if self._bench is None:
            budget = self._means.small
            self._bench = self._means.benches.get(self._system, budget, self._confirm)
        case = Case(variant, {name})
        self._bench.certify([case], [holds.certificate])
        self._bench.search([case], SEARCH_DEPTH)
        if name in case.holds:
            return case.holds[name]
        if name in case.fails:
            return case.fails[name]
        self._tail_calls += 1
        system = applied(self._system, variant)
        outcome = portfolio.prove(
            system,
            self._means.middle,
            portfolio.Options(
                advice=holds.certificate.lemmas,
                smooth=False,
                cores=False,
                spacer=self._means.spacer,
            ),
            goals=[name],
        )
        match outcome.verdicts[name]:
            case Proved(certificate=certificate, engine=engine):
                rests_on = content(slicing.cone(system, certificate.goals))
                return Holds(certificate, rests_on, engine)
            case Refuted(choices=choices, step=step, engine=engine):
                violated = self._confirm(variant, choices)
                failed = violated is not None and name in violated
                return Fails(choices, step, engine) if failed else None
            case _:
                return None

    def _confirm(self, variant: Variant, choices: Choices) -> dict[str, int] | None:
        bodies: dict[Element, Term | None] = {
            element: None for removed in variant.removed for element in self._program.by_id[removed]
        }
        try:
            execution = self._evaluator.run(choices, bodies)
        except InstantaneousLoop:
            return None
        return dict(execution.violated) if execution.assumed else None
