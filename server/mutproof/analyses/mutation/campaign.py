"""Decide all mutants of a program against the properties proved on it.

The order of the steps is the order of their cost: what an earlier version of the file already
decided; what no proof rests on; all states, where there are few, or a few random executions; the
baseline's certificates; what proved a mutant before an edit; bounded search, each counterexample
tried on all other mutants, and more executions between its first steps and the others; at last a
proof from scratch. What may survive comes first; in each step, what somebody looks at, and then
what was edited.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020) is the reference semantics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial

from mutproof.analyses.attention import in_turn
from mutproof.analyses.bench import BATCH
from mutproof.analyses.deciding.evidence import UNCERTIFIED
from mutproof.analyses.finding import MutantFinding, Origin
from mutproof.analyses.means import Means
from mutproof.analyses.mutation import scratch
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.docket import Docket, groups, together
from mutproof.analyses.mutation.exploration import HOW, Exploration
from mutproof.analyses.mutation.families import Families
from mutproof.analyses.mutation.frugal import Frugal
from mutproof.analyses.mutation.induction import Steps
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.pool import Pool
from mutproof.analyses.mutation.records import Record, Records
from mutproof.analyses.mutation.renewal import renewed
from mutproof.analyses.mutation.shortening import shorten
from mutproof.analyses.mutation.simulation import RUNS, Executions, Witnesses
from mutproof.analyses.mutation.standing import Standing
from mutproof.analyses.mutation.unconcerned import Unconcerned
from mutproof.analyses.patience import Patience
from mutproof.analyses.variant import SHALLOW, Case, Variant, in_order
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.simulate import CyclicDefinitions
from mutproof.solving.verdict import Certificate

FIRST_DEPTH = 2
"""How deep all mutants are searched before any is searched deeper: most fail soon."""
SEARCH_DEPTH = 4
SPREAD = frozenset({"simulation", "replay", HOW})  # executions found so are tried no further
OFTEN = 6
"""How many mutants a proof must have been used for, for a look at whether an edit broke it."""


class Campaign:
    """Run one campaign; mutable, used once. `load` holds its cases."""

    def __init__(
        self,
        baseline: Baseline,
        mutants: Sequence[Mutant],
        records: Records,
        means: Means,
        emit: Callable[[MutantFinding], None],
    ) -> None:
        self._docket = docket = Docket(baseline, mutants, records, means, emit)
        self.load, self._cases, self._records = docket.load, docket.cases, records
        self._take_baseline(baseline)
        self._advice = [h.certificate for h in baseline.proofs.values()]
        self._means = means
        self._families: Families | None = None
        self._confirm = docket.replayer.confirm
        self._spread: set[int] = set()  # executions that were tried on all mutants
        self._executions: Executions | None = None
        self._steps: Steps | None = None
        self._exploration: Exploration | None = None
        self._explored: set[str] = set()  # mutants of which all states were seen
        self._is_again = False  # some mutants are known of an earlier version
        self._edited: frozenset[ElementId] = frozenset()  # what no earlier version had
        self._pool = Pool()
        self._spare: Sequence[Certificate] = ()

    def _take_baseline(self, baseline: Baseline) -> None:
        """Go on with these proofs of the model."""
        self._baseline = baseline
        self._known: tuple[list[Certificate], list[Certificate]] | None = None
        self._tried: set[str] = set()  # mutants on which these were tried as they are
        self._records.baseline = dict(baseline.proofs)
        self._unconcerned = Unconcerned(baseline, self.load.goals)

    @property
    def _certificates(self) -> tuple[list[Certificate], list[Certificate]]:
        """Return the certificates of the model one by one, and all in one."""
        if self._known is None:
            self._known = in_order(self._baseline.proofs)
        return self._known

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._docket.solver_calls

    def run(self) -> None:
        """Decide every mutant; each is emitted once."""
        docket = self._docket
        self._take_in()
        self._reuse()
        self._by_core(docket.open())
        self._renew()
        if self._executions is not None:
            self._prepare(self._executions)
            self._explore()
        self._sharpen()
        self._simulate(RUNS[0], seed=0)
        if self._families is not None:
            self._families.decide(docket.open(), lambda: self._settle([]))
            self._by_core(docket.open(), blocking=True)
        if docket.open():
            self._solve()
        docket.close()
        shorten(docket)

    # --- steps ----------------------------------------------------------------------------

    def _take_in(self) -> None:
        """Take in all mutants; what no proof rests on leaves as soon as it is there."""
        docket, relational = self._docket, self._baseline.system.relational
        docket.take_in(self._look if not relational else lambda _: None)
        self._system, self._families = docket.system, docket.families
        if not relational and self._cases:
            goals = tuple(self._baseline.proofs)
            self._executions = Executions(self._system, self._confirm, goals)
            self._steps = Steps(self._executions)
            known, own = self._records.witnesses, self._records.living
            docket.assumptions.witnesses = Witnesses(self._executions, known, own)

    def _look(self, case: Case) -> None:
        """Let a mutant leave as it arrives where no proof rests on its element."""
        name = case.variant.name
        record = self._records.get(name)
        if record is not None:
            self._is_again = True
            if record.stillborn or any(version.fails for version in record.versions()):
                return
            stated = self.load.stated
            for version in record.versions():
                if case.open and (whole := self._there.proofs(case, version, stated)):
                    case.settle(whole)
            if not case.open:
                self._docket.origin[name] = Origin.REUSED
                self._docket.finish(name)
                return
        self._by_core([case])

    @cached_property
    def _there(self) -> Standing:
        """Return what tells which kept proofs stand whatever a mutant states."""
        return Standing(self._baseline.system)

    def _reuse(self) -> None:
        """Take over what an earlier version of the file decided, where it still stands."""
        known = [n for n in self._cases if n in self._docket and n in self._records]
        if known or self._is_again:
            new = [case for name, case in self._cases.items() if name not in self._records]
            self._edited = frozenset().union(*(case.variant.removed for case in new))
        same = self._system is self._baseline.system
        there = self._there if same else Standing(self._system)
        # Replays take longest, so what survived is known before what was killed.
        for name in sorted(known, key=lambda name: bool(self._records[name].fails)):
            case, record = self._cases[name], self._records[name]
            origin, left = Origin.REUSED, record.undecided
            if record.stillborn:
                if left is not None and left.question == self._docket.question:
                    self._docket.stillborn(case, left.reason, origin)
                continue
            for version in record.versions():
                if case.open:
                    self._reuse_proofs(case, version, there)
            for version in record.versions():
                if case.open and version.fails:
                    origin = Origin.REPLAYED
                    self._replay_record(case, version)
            if case.open and left is not None and left.question == self._docket.question:
                # Asked again, the same question has the same answer.
                case.reason, case.depth = left.reason, left.depth
                self._docket.origin[name] = origin
                self._docket.finish(name)
            elif not case.open:
                self._docket.origin[name] = origin
                self._docket.finish(name)

    def _reuse_proofs(self, case: Case, record: Record, there: Standing) -> None:
        if self._families is None and (whole := there.proofs(case, record, self.load.stated)):
            case.settle(whole)
            return
        for name, evidence in record.proofs(self.load.stated):
            if name not in case.open:
                continue
            if evidence.certificate is UNCERTIFIED and self._families is not None:
                stands = evidence.support <= self._families.support(case, name)
            else:
                stands = there.has(case, evidence.support)
            if stands:
                case.prove((name,), evidence)

    def _replay_record(self, case: Case, record: Record) -> None:
        for name, failure in record.fails.items():
            if name in case.open:
                if self._families is not None and name in self._families.temporal:
                    self._families.replay(case, name, failure)
                    continue
                violated = self._confirm(case.variant, failure.choices, failure.how)
                if violated is not None:
                    case.refute(violated)

    def _by_core(self, cases: Sequence[Case], *, blocking: bool = False) -> None:
        """Settle what no proof rests on: such a proof proves the mutant too.

        What may block executions of a relational model is left for diagrams to look at first,
        and settled here afterwards, when `blocking`: it may be no model.
        """
        for case in cases:
            if case.variant.system is not None:
                continue  # it changes more than the constraints of the element
            if self._families is not None and not blocking and self._docket.may_block(case):
                continue
            case.settle(*self._unconcerned.outside(case.variant.removed))
            if not case.open:
                if case.variant.name in self._records:
                    # The rest was kept, and a new proof of the model proves the mutant too.
                    self._docket.origin[case.variant.name] = Origin.REPROVED
                self._docket.finish(case.variant.name)

    def _renew(self) -> None:
        """Look for other proofs of the model, where an edit left those with much to rest on."""
        if self._families is not None:
            return
        concerned = self._unconcerned.concerned(self._cases.values())
        fewest = self._records.concerned
        other = renewed(self._docket, self._baseline, concerned)
        if other is not self._baseline:
            self._take_baseline(other)
            self._by_core(self._docket.open())
            self._records.concerned = self._unconcerned.concerned(self._cases.values())
        else:
            self._records.concerned = min(concerned, fewest or concerned)

    def _sharpen(self) -> None:
        """Make the proofs rest on less, where much is open; settle what then is outside."""
        cases = [case for case in self._docket.open() if case.variant.name not in self._explored]
        frugal = Frugal(self._baseline, self._system, self._records, self._means)
        self._take_baseline(frugal.made(cases))
        self._spare = frugal.spare
        self._docket.calls += frugal.calls
        self._by_core(self._docket.open())

    def _recheck(self) -> None:
        """Try on each mutant the certificates that proved it in an earlier version of the file.

        What may block executions of a relational model is left for diagrams to look at first.
        """
        names = self._system.variables.keys()
        wanted: dict[str, list[Certificate]] = {}
        for case in self._docket.open():
            name, variant = case.variant.name, case.variant
            if name not in self._records or variant.system is not None:
                continue
            if self._families is not None and self._docket.may_block(case):
                continue
            certificates = dict.fromkeys(
                evidence.certificate
                for goal, evidence in self._records[name].proofs(self.load.stated)
                if goal in case.open and evidence.certificate is not UNCERTIFIED
            )
            known = [c for c in certificates if all(walk.variables(t) <= names for t in c.lemmas)]
            if known:
                wanted[name] = known
        failed = self._failing(certificate for own in wanted.values() for certificate in own)
        current = [h.certificate for h in self._baseline.proofs.values() if h.certificate.k]
        for group in together(groups(self._cases[name] for name in wanted), BATCH):
            for start in range(0, len(group), BATCH):
                self._means.check_cancelled()
                proofs: dict[Certificate, list[Case]] = {}
                for case in group[start : start + BATCH]:
                    own = [c for c in wanted[case.variant.name] if c not in failed]
                    for certificate in own or current:
                        proofs.setdefault(certificate, []).append(case)
                self._docket.checker().establish(
                    group[start : start + BATCH], [*proofs.items()], self._steps
                )
            self._docket.finish_decided()

    def _failing(self, certificates: Iterable[Certificate]) -> set[Certificate]:
        """Return those of often used certificates that do not hold on the model itself.

        Where an edit breaks a proof, it breaks it on most mutants too.
        """
        found: set[Certificate] = set()
        for certificate, uses in Counter(certificates).items():
            if uses >= OFTEN:
                whole = Case(Variant("baseline", frozenset()), set(certificate.goals))
                self._docket.checker().establish([whole], [(certificate, [whole])])
                if whole.open:
                    found.add(certificate)
        return found

    def _prepare(self, executions: Executions) -> None:
        for case in self._docket.open():
            self._means.check_cancelled()
            try:
                executions.prepare(case)
            except CyclicDefinitions as error:
                self._docket.stillborn(case, f"`{error}` depends on itself within one step")

    def _explore(self) -> None:
        """Look at all states of each mutant, where the model has few.

        What survived in an earlier version is tried to be proved as the model is before.
        """
        asked = sorted({name for case in self._docket.open() for name in case.open})
        exploration = Exploration(self._system, self._confirm)
        if not asked or not exploration.fits(asked):
            return
        self._exploration = exploration
        survived = [c for c in self._docket.open() if self._records.survived(c.variant.name)]
        if survived:
            self._each_group(self._as_the_model, among=survived)
        for case in self._docket.open():
            self._means.check_cancelled()
            if exploration.decide(case):
                self._explored.add(case.variant.name)
        self._docket.finish_decided()

    def _as_the_model(self, cases: list[Case]) -> None:
        """Try the proofs of the model on mutants of an element, once."""
        left = [case for case in cases if case.variant.name not in self._tried]
        self._tried |= {case.variant.name for case in left}
        if left:
            single, _ = self._certificates
            self._docket.bench().certify(
                left, single, partly=False, steps=self._steps, found=self._spread_found
            )

    def _simulate(self, count: int, seed: int) -> None:
        """Run random executions on what is open, but where all states were seen."""
        cases = [case for case in self._docket.open() if case.variant.name not in self._explored]
        if self._executions is not None and cases:
            self._executions.random(cases, count, seed)
            self._docket.finish_decided()

    def _solve(self) -> None:
        bench = self._docket.bench()
        single, combined = self._certificates
        certified = partial(bench.certify, steps=self._steps, found=self._spread_found)
        if self._exploration is not None:
            # What nothing kills is mostly proved as the model is; the rest by its own states.
            self._each_group(self._as_the_model, fails=False)
            explored = self._exploration.in_turn(self._open(fails=True))
            for start in range(0, len(explored), BATCH):
                self._means.check_cancelled()
                self._exploration.certify(explored[start : start + BATCH], self._means.small)
                self._settle(explored[start : start + BATCH])
            self._docket.calls += self._exploration.calls
        self._each_group(self._as_the_model)
        self._recheck()
        deep = [certificate for certificate in single if certificate.k > SHALLOW]
        rest = [*combined, *deep, *self._spare] or single
        # What may survive comes first; then what else kills mutants that are killed already.
        for fails in (False, True):
            search = partial(bench.search, found=self._spread_found)
            self._each_group(partial(search, depth=FIRST_DEPTH), fails=fails)
            if not fails:
                self._simulate(RUNS[1], seed=1)
            self._each_group(partial(search, depth=SEARCH_DEPTH), fails=fails)
            parts = partial(certified, certificates=rest, patience=Patience())
            self._each_group(parts, fails=fails)
            self._each_alone(fails=fails)

    def _open(self, *, fails: bool) -> list[Case]:
        """Return the open cases; those that nothing has killed yet only, unless `fails`."""
        return [case for case in self._docket.open() if fails or not case.fails]

    def _each_alone(self, *, fails: bool) -> None:
        cases, attention = self._open(fails=fails), self._means.attention
        for case in in_turn(cases, lambda c: c.variant.removed, attention, self._edited):
            self._means.check_cancelled()
            self._docket.lend()
            if self._families is not None and case.variant.name in self._docket:
                self._families.decide_alone(case)
            if case.variant.name in self._docket:
                self._prove_alone(case)
            self._settle([case])

    def _each_group(
        self,
        step: Callable[[list[Case]], None],
        *,
        fails: bool = True,
        among: Sequence[Case] | None = None,
    ) -> None:
        chosen = self._open(fails=fails) if among is None else among
        waiting = groups(case for case in chosen if case.variant.system is None)
        attention = self._means.attention
        turns = in_turn(waiting, lambda g: g[0].variant.removed, attention, self._edited)
        for group in together(turns, BATCH, lambda g: self._is_urgent(g[0])):
            self._means.check_cancelled()
            self._docket.lend()
            if left := [case for case in group if case.variant.name in self._docket]:
                step(left)
                self._settle(left)

    def _is_urgent(self, case: Case) -> bool:
        removed, looked_at = case.variant.removed, self._means.attention()
        return not (removed.isdisjoint(self._edited) and removed.isdisjoint(looked_at))

    def _settle(self, cases: Sequence[Case]) -> None:
        """Try new counterexamples on the others, and emit what is decided."""
        for case in cases:
            self._spread_found(case)
        self._docket.finish_decided()

    def _spread_found(self, case: Case) -> None:
        """Try new counterexamples of a case on the others."""
        for failure in list(case.fails.values()) if self._executions is not None else ():
            assert self._executions is not None
            key = id(failure.choices)
            if failure.how not in SPREAD and key not in self._spread:
                self._spread.add(key)
                self._executions.replay(self._docket.open(), failure.choices, "replay")

    def _prove_alone(self, case: Case) -> None:
        """Try what was proved of other mutants, then prove what is left from scratch."""
        if case.variant.system is None:
            self._pool.try_on(case, self._docket.bench(), self._steps)
        if not case.open:
            return
        known = [*self._advice]
        if case.variant.name in self._records:
            known += [h.certificate for h in self._records[case.variant.name].holds.values()]
        names = self._system.variables.keys()
        lemmas = dict.fromkeys(lemma for certificate in known for lemma in certificate.lemmas)
        advice = [lemma for lemma in lemmas if walk.variables(lemma) <= names]
        self._pool.learn(case, scratch.prove(self._docket, case, tuple(advice)))
