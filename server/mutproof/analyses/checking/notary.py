"""The notary: candidates come in, and only what a check confirms goes out, as evidence.

An execution is replayed by the evaluator. A certificate is checked in a fresh solver that took no
part in finding it; on many variants of one system, in solvers that do nothing else (`Checker`).
What diagrams find, they decide again with another variable order. Nothing else makes evidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from mutproof.analyses.checking.certificate_checks import CertificateChecks
from mutproof.analyses.checking.replay import Difference, Run, difference
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import UNCERTIFIED, DeadEnd, Evidence, Fails, Holds
from mutproof.analyses.claims.observation import Observed
from mutproof.analyses.claims.scope import outside, restricted, rests_on_all
from mutproof.analyses.claims.variant import grounds, support, supported_without
from mutproof.analyses.claims.verdict import Equivalent, Gap, Supposed
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model import terms
from mutproof.model.execution import Execution
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Bodies, ElementId
from mutproof.model.purpose import EVERYTHING, Purpose
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import certify, continuation
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Violated, agree
from mutproof.solving.certify import Checked
from mutproof.solving.liveness.verdict import LinearProof
from mutproof.solving.verdict import Certificate, Owners, Proved
from mutproof.solving.workshop import Workshop

if TYPE_CHECKING:  # slow to import, and proofs need no bench
    from mutproof.analyses.bench.bench import Bench
    from mutproof.analyses.bench.paths import Paths
    from mutproof.analyses.bench.sieve import Bundle
    from mutproof.analyses.bench.solvers import Found

EvidenceT = TypeVar("EvidenceT", bound=Evidence)
KeyT = TypeVar("KeyT", bound=Hashable)

DIAGRAMS = "bdd"
"""How diagrams are named in verdicts."""


class CandidateKind(Enum):
    """Name the kind of a candidate that did not pass its check, for counting."""

    EXECUTION = "executions that could not be replayed"
    DIFFERENCE = "differences that could not be replayed"
    CERTIFICATE = "certificates that could not be checked again"
    DIAGRAM = "answers that diagrams did not give twice"


@dataclass(frozen=True, slots=True)
class Replayed:
    """Hold an execution that the assumptions allow, and what it violates, by property."""

    execution: Execution
    violated: Mapping[str, Fails]


@dataclass(slots=True)
class Notary:
    """Check candidates about one model and its variants; mutable, one thread.

    `refused` counts what did not pass.
    """

    refused: Counter[CandidateKind] = field(default_factory=Counter)
    _checks: CertificateChecks = field(default_factory=CertificateChecks)

    # --- executions -------------------------------------------------------------------------

    def replay(
        self,
        meaning: Interpretation,
        choices: Choices,
        how: str,
        bodies: Bodies | None = None,
        *,
        purpose: Purpose = EVERYTHING,
    ) -> Replayed | None:
        """Run a program with other bodies for some elements; None if that is no execution."""
        found = self._admitted(meaning.run(choices, bodies, purpose))
        return None if found is None else Replayed(found, _failures(found, choices, how))

    def replay_part(
        self,
        meaning: Interpretation,
        choices: Choices,
        how: str,
        bodies: Bodies | None = None,
        *,
        part: TransitionSystem,
        begun: str = "",
        purpose: Purpose = EVERYTHING,
    ) -> Replayed | None:
        """Run a part of a program, where variables outside are free; None if that is no execution.

        If these bodies mean it, `begun` fails also if it does however an execution goes on.
        """
        bodies = {**outside(meaning.program, part), **(bodies or {})}
        found = self._admitted(meaning.run(choices, bodies, purpose))
        if found is None:
            return None
        execution = restricted(found, part)
        violated = _failures(execution, choices, how)
        if begun and begun not in violated and choices.loop is None:
            step = execution.refuted().get(begun)
            if step is not None and continuation.goes_on(part):
                support = rests_on_all(part, begun)
                violated[begun] = _made(Fails, choices=choices, step=step, how=how, support=support)
        return Replayed(execution, violated)

    def _admitted(self, found: Execution | None) -> Execution | None:
        """Return an execution that the assumptions allow; count what is none."""
        if found is None or not found.assumed:
            self.refused[CandidateKind.EXECUTION] += 1
            return None
        return found

    def gap(
        self,
        model: Run,
        mutant: Run,
        compared: Sequence[Observed],
        choices: Choices,
        *,
        how: str,
        valued: bool = False,
    ) -> tuple[Gap, Difference] | None:
        """Return the first difference on choices; `valued`: see there, with the steps after it."""
        found = difference(model, mutant, compared, choices, valued=valued)
        if found is None:
            self.refused[CandidateKind.DIFFERENCE] += 1
            return None
        shown = choices if valued else found.choices
        return _made(Gap, choices=shown, how=how, shortest=False), found

    # --- certificates -----------------------------------------------------------------------

    def check(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        budget: Budget | None = None,
        *,
        owners: Iterable[ElementId] | None = None,
        workshop: Workshop | None = None,
    ) -> Checked:
        """Tell whether a certificate proves its goals of a system, in fresh solvers.

        With `owners`, from these elements alone. What passes is remembered, so that engines can
        ask about what they find before anybody makes evidence of it.
        """
        chosen = None if owners is None else frozenset(owners)
        found = self._checks.check(system, certificate, budget, owners=chosen, workshop=workshop)
        if not found.ok:
            self.refused[CandidateKind.CERTIFICATE] += 1
        return found

    def proved(self, system: TransitionSystem, found: Proved, budget: Budget) -> Holds | None:
        """Return the proof that engines found, checked on what it is said to rest on."""
        certificate, core = found.certificate, found.core
        if not self._passes(system, certificate, core, budget):
            return None
        return _made(
            Holds, certificate=certificate, support=grounds(system, found), how=found.engine
        )

    def resting(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        owners: frozenset[ElementId],
        how: str,
        *,
        budget: Budget,
        declared: TransitionSystem | None = None,
    ) -> Holds | None:
        """Return a proof from some elements alone, checked on them; None if it is none.

        Where memories are shared, `declared` is the system that has them all.
        """
        if not self._passes(system, certificate, owners, budget):
            return None
        stated = certify.statements(system, certificate)
        rests_on = support(declared or system, stated, owners)
        return _made(Holds, certificate=certificate, support=rests_on, how=how)

    def linear(
        self, system: TransitionSystem, name: str, found: LinearProof, vacuity: str = ""
    ) -> Holds | None:
        """Return evidence that a property holds, by a proof on a product that was checked there."""
        if not self._passes(found.system, found.certificate, found.rests_on):
            return None
        return _made(
            Holds,
            certificate=UNCERTIFIED,
            support=rests_on_all(system, name),
            how=found.how,
            proof=found,
            vacuity=vacuity,
        )

    def equivalent(
        self, system: TransitionSystem, supposed: Supposed, budget: Budget
    ) -> Equivalent | None:
        """Return evidence of equivalence, by a certificate checked on the product of the sides."""
        certificate = supposed.certificate
        if not self._passes(system, certificate, None, budget):
            return None
        return _made(
            Equivalent,
            how=supposed.how,
            certificate=certificate,
            strengthening=supposed.strengthening,
        )

    def _passes(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        owners: frozenset[ElementId] | None,
        budget: Budget | None = None,
    ) -> bool:
        """Tell whether a certificate passes, or did on a part that has no other owners."""
        if self._checks.has_passed(system, certificate, owners):
            return True
        return self.check(system, certificate, budget, owners=owners).ok

    # --- diagrams and graphs ----------------------------------------------------------------

    def twice(
        self,
        found: Mapping[KeyT, BddVerdict],
        again: Callable[[], Mapping[KeyT, BddVerdict]],
        asked: Callable[[KeyT], tuple[TransitionSystem, str]],
        *,
        how: str = DIAGRAMS,
        resting: Callable[[TransitionSystem, str], frozenset[Digest]] = rests_on_all,
    ) -> dict[KeyT, Holds | Fails | Computed]:
        """Return what two ways agree on; with diagrams, `again` runs them in another order.

        `asked` gives the system and property that a key is about, `resting` their support.
        """
        second = again() if found else {}
        evidence: dict[KeyT, Holds | Fails | Computed] = {}
        for key, verdict in found.items():
            if key not in second or not agree(verdict, second[key]):
                self.refused[CandidateKind.DIAGRAM] += 1
                continue
            system, name = asked(key)
            match verdict:
                case Computed():
                    evidence[key] = verdict
                case Holding(vacuity=why):
                    evidence[key] = _made(
                        Holds,
                        certificate=UNCERTIFIED,
                        support=resting(system, name),
                        how=how,
                        vacuity="" if why is None else why.value,
                    )
                case Violated(trace=trace):
                    evidence[key] = _made(
                        Fails,
                        choices=Choices(()) if trace is None else trace.choices,
                        step=0 if trace is None else trace.length - 1,
                        how=how,
                        support=rests_on_all(system, name),
                    )
        return evidence


class Checker:
    """Check proofs on many variants of one system together, in solvers of its own; mutable."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self._joined: dict[tuple[tuple[Term, ...], int, str, Term], Certificate] = {}

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return self.bench.calls

    def establish(
        self,
        batch: Sequence[Claim],
        proofs: Sequence[tuple[Certificate, list[Claim]]],
        paths: Paths | None = None,
        found: Found | None = None,
        *,
        owners: Owners | None = None,
    ) -> None:
        """Note what certificates prove of cases.

        Certificates about the same case are tried together, as far as they hold together. The
        core of each proof says what it rests on. `paths` tell in advance which certificates
        break on which cases, and learn from those that do. If `found` is given, properties that
        fail on the way are noted; it is called with the case, and may refute others by that.
        `owners` may say what certificates rest on in the model: small parts suffice then.
        """
        own: dict[str, frozenset[Digest]] = {}
        for passed in self.bench.passing(batch, proofs, paths, found, owners=owners):
            self._note(passed, own)

    def _note(self, passed: Bundle, own: dict[str, frozenset[Digest]]) -> None:
        """Record in the cases of a bundle what its certificates prove; `own`: what cases state."""
        questions, system = self.bench.questions, self.bench.system
        statements = passed.statements(questions)
        gone = (case.variant.removed for case in passed.cases)
        resting = supported_without(system, passed.owners, gone)
        stated = support(system, statements, ())
        certificates: list[Certificate] = list(passed.certificates)
        # The certificates were checked together, at the bundle's k, so each goal's proof says so.
        if len(certificates) > 1 or certificates[0].k != passed.k:
            goals = dict.fromkeys(goal for c in certificates for goal in c.goals)
            certificates = [self._alone(statements, passed.k, goal) for goal in goals]
        for case in passed.cases:
            if case.name not in own:
                own[case.name] = support(system, (), (), case.variant.constraints)
            rests_on = resting[case.variant.removed].union(stated, own[case.name])
            for proof in certificates:
                if not case.open.isdisjoint(proof.goals):
                    made = _made(Holds, certificate=proof, support=rests_on, how="certificate")
                    case.prove(proof.goals, made)

    def _alone(self, statements: tuple[Term, ...], k: int, goal: str) -> Certificate:
        """Return a certificate of one goal that has all statements of a bundle as lemmas."""
        term = self.bench.questions.goals[goal]
        key = (statements, k, goal, term)
        if key not in self._joined:
            lemmas = tuple(statement for statement in statements if statement is not term)
            self._joined[key] = Certificate(k, lemmas, (goal,))
        return self._joined[key]

    def dead_end(
        self,
        cases: Sequence[Claim],
        steps: int,
        learn: Callable[[Claim, Choices], None],
        lives: Callable[[Claim], bool],
        *,
        most: int = 0,
    ) -> dict[str, DeadEnd]:
        """Return where variants end that have no execution of `steps` states.

        Variants that the solver cannot decide are left out. `learn` gets the executions of those
        that do not end; variants that `lives` accepts meanwhile are not asked about. With `most`,
        new solvers are asked, for so many units a question.
        """
        from mutproof.analyses.bench.variant_ends import VariantEnds

        solvers = self.bench.anew(cases, most) if most else self.bench
        found = VariantEnds(solvers).of(cases, steps, learn, lives)
        return {
            name: _made(
                DeadEnd,
                length=end.length,
                support=support(self.bench.system, (), end.owners, end.case.variant.constraints),
                execution=end.execution,
            )
            for name, end in found.items()
        }


def untouched(product: TransitionSystem, goal: str) -> Equivalent | None:
    """Return evidence of equivalence if nothing that is observed depends on the change."""
    if product.property(goal).term is not terms.TRUE:
        return None
    return _made(Equivalent, how="nothing observed depends on the change")


def unchanged(model: TransitionSystem, changed: TransitionSystem) -> Equivalent | None:
    """Return evidence that two systems are equivalent if their constraints are equal."""
    if model.variables.keys() != changed.variables.keys() or (
        {(c.kind, c.term) for c in model.constraints}
        != {(c.kind, c.term) for c in changed.constraints}
    ):
        return None
    return _made(Equivalent, how="same constraints")


def shortest(gap: Gap) -> Gap:
    """Return a difference marked as shortest: solvers showed that there is no earlier one."""
    return _changed(gap, shortest=True)


def failing(gap: Gap, goal: str) -> Mapping[str, Fails]:
    """Return a difference as the failure of the goal of the product."""
    step = len(gap.choices.steps) - 1
    return {goal: _made(Fails, choices=gap.choices, step=step, how=gap.how)}


def carried(evidence: Holds, how: str) -> Holds:
    """Return a proof of the model as a proof of the variants that keep its support."""
    return _changed(evidence, how=how)


def doubted(evidence: Holds, support: frozenset[Digest]) -> Holds:
    """Give a proof a support that no system has, so that it counts only once re-checked."""
    return _changed(evidence, support=support)


def bounded(evidence: Fails, system: TransitionSystem, name: str) -> Fails:
    """Return a failure shown on a part, valid while all that decides the property is the same."""
    return _changed(evidence, support=rests_on_all(system, name))


def admitted(kind: type[EvidenceT], fields: Sequence[Any]) -> EvidenceT:
    """Return evidence that another worker or an earlier run made and handed over.

    It counts where what it rests on is part of today's content; executions are replayed first.
    """
    names = kind.__dataclass_fields__  # type: ignore[attr-defined]
    return _made(kind, **dict(zip(names, fields, strict=True)))


def _failures(found: Execution, choices: Choices, how: str) -> dict[str, Fails]:
    failed = found.violated.items()
    return {name: _made(Fails, choices=choices, step=step, how=how) for name, step in failed}


def _made(kind: type[EvidenceT], **fields: Any) -> EvidenceT:
    made = object.__new__(kind)
    kind.__init__(made, **fields)
    return made


def _changed(evidence: EvidenceT, **fields: Any) -> EvidenceT:
    names = evidence.__dataclass_fields__  # type: ignore[attr-defined]
    return _made(type(evidence), **{**{n: getattr(evidence, n) for n in names}, **fields})
