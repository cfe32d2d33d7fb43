"""Decide all mutants of a program against the properties proved on it.

The order of the steps is the order of their cost: what an earlier version of the file already
decided; what no proof rests on; random executions; the baseline's certificates; bounded
search, each counterexample tried on all other mutants; at last a proof from scratch.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020) is the reference semantics.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial

from mutproof.analyses import proofs
from mutproof.analyses.bench import Bench
from mutproof.analyses.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.assumptions import Assumptions
from mutproof.analyses.mutation.caseload import Baseline, Caseload
from mutproof.analyses.mutation.families import Families
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.records import Record, Records, Undecided
from mutproof.analyses.mutation.refusals import DOUBT, Refusals
from mutproof.analyses.mutation.replay import Replayer
from mutproof.analyses.mutation.simulation import Executions
from mutproof.analyses.variant import (
    UNCERTIFIED,
    Case,
    Fails,
    Holds,
    Variant,
    applied,
    content,
)
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved, Refuted

SEARCH_DEPTHS = (4, 10)
SHALLOW = 2


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
        self._baseline = baseline
        self.load = self._load = Caseload(baseline, mutants, means.check_cancelled)
        self._system = self._load.system
        self._cases = self._load.cases
        self._replayer = Replayer(baseline.meaning, self._load.bodies)
        self._confirm = self._replayer.confirm
        self._assumptions = Assumptions(baseline.system, records.dead_ends, self._any_bench)
        self._records = records
        self._means = means
        self._emit = emit
        self._check_cancelled = means.check_cancelled
        self._started = time.monotonic()
        self._unfinished = dict(self._cases)
        self._spread: set[int] = set()  # executions that were tried on all mutants
        self._stillborn_names: set[str] = set()
        self._origin: dict[str, Origin] = {}
        self._executions: Executions | None = None
        self._families: Families | None = None
        if self._system.relational:
            self._families = Families(self._system, means, self._replayer, self._barren)
        self._bench: Bench | None = None
        self._asked_before = means.benches.calls
        self._known = {name for name in self._load.mutants if name in records}
        self._tail_calls = 0
        self._pool: list[Certificate] = []
        self._pending: list[Case] = []

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._tail_calls + self._means.benches.calls - self._asked_before

    def run(self) -> None:
        """Decide every mutant; each is emitted once."""
        self._reject()
        self._reuse()
        self._by_core()
        open_cases = self._open()
        if open_cases and not self._system.relational:
            self._simulate(open_cases)
        if self._families is not None:
            self._families.decide(self._open())
            self._settle([])
        open_cases = self._open()
        if open_cases:
            self._solve()
        self._check_assumptions()
        for name in list(self._cases):
            self._finish(name)

    def _any_bench(self) -> Bench:
        """Return the bench, whose proofs are checked in solvers that do nothing else."""
        if self._bench is None:
            budget = self._means.small
            self._bench = self._means.benches.get(self._system, budget, self._confirm)
        return self._bench

    def _open(self) -> list[Case]:
        return [case for case in self._unfinished.values() if case.open]

    def _groups(self, cases: Iterable[Case]) -> list[list[Case]]:
        """Return the cases that change the same element, element by element."""
        groups: dict[frozenset[ElementId], list[Case]] = {}
        for case in cases:
            groups.setdefault(case.variant.removed, []).append(case)
        return list(groups.values())

    # --- steps ----------------------------------------------------------------------------

    def _reject(self) -> None:
        """Set aside what the front end would refuse, before anything is said of properties."""
        refusals = Refusals(self._baseline.program, self._records.obligations, self._means)
        for name, case in self._cases.items():
            self._check_cancelled()
            reason, doubt = self._load.refused.get(name, ""), False
            if not reason:
                reason, doubt = refusals.of(self._load.bodies[name])
            if reason:
                known = name in self._records and self._records[name].stillborn
                self._records[name] = Record({}, {}, stillborn=True)
                self._stillborn(case, reason, Origin.REUSED if known else Origin.DECIDED)
            elif doubt:
                case.reason = DOUBT
                self._unfinished.pop(name)
                self._emit_case(case)
        self._tail_calls += refusals.solver_calls

    def _reuse(self) -> None:
        """Take over what an earlier version of the file decided, where it still stands."""
        known = [n for n in self._cases if n in self._unfinished and n in self._records]
        have = content(self._system) if known else frozenset()
        simulator: Simulator | None = None
        for name in known:
            case, record = self._cases[name], self._records[name]
            own = frozenset(c.digest for c in case.variant.constraints)
            lost = frozenset(
                c.digest for c in self._system.by_owner.get(self._load.mutants[name].element, ())
            )
            origin, left = Origin.REUSED, record.undecided
            if record.stillborn:
                if left is not None and left.question == self._question:
                    self._stillborn(case, left.reason, origin)
                continue
            whole = case.variant.system
            there = (have - lost) | own if whole is None else content(whole)
            self._reuse_proofs(case, record, there)
            if case.open and record.fails:
                if simulator is None and not self._system.relational:
                    simulator = Simulator(self._system)
                    self._executions = Executions(simulator, self._confirm)
                origin = Origin.REPLAYED
                self._replay_record(case, record)
            if case.open and left is not None and left.question == self._question:
                # Asked again, the same question has the same answer.
                case.reason, case.depth = left.reason, left.depth
                self._origin[name] = origin
                self._finish(name)
            elif not case.open:
                self._origin[name] = origin
                self._finish(name)

    def _reuse_proofs(self, case: Case, record: Record, have: frozenset[Digest]) -> None:
        for name, evidence in record.proofs(self._load.stated):
            there = have
            if evidence.certificate is UNCERTIFIED and self._families is not None:
                there = self._families.support(case, name)
            if name in case.open and evidence.support <= there:
                case.prove((name,), evidence)

    def _replay_record(self, case: Case, record: Record) -> None:
        for name, failure in record.fails.items():
            if name in case.open:
                if self._families is not None and name in self._families.temporal:
                    self._families.replay(case, name, failure)
                    continue
                violated = self._confirm(case.variant, failure.choices)
                if violated is not None:
                    case.refute(violated, failure.choices, failure.how)

    def _by_core(self) -> None:
        """Settle what no proof rests on: such a proof proves the mutant too."""
        proofs, cores = self._baseline.proofs, self._baseline.cores
        for case in self._open():
            if case.variant.system is not None:
                continue  # it changes more than the constraints of the element
            for name in list(case.open):
                if not case.variant.removed & cores[name]:
                    evidence = proofs[name]
                    case.prove((name,), replace(evidence, how="core"))
            if not case.open:
                if case.variant.name in self._records:
                    # The rest was kept, and a new proof of the model proves the mutant too.
                    self._origin[case.variant.name] = Origin.REPROVED
                self._finish(case.variant.name)

    def _simulate(self, cases: Sequence[Case]) -> None:
        if self._executions is None:
            self._executions = Executions(Simulator(self._system), self._confirm)
        for case in cases:
            self._check_cancelled()
            try:
                self._executions.prepare(case)
            except CyclicDefinitions as error:
                self._stillborn(case, f"`{error}` depends on itself within one step")
                continue
        self._executions.random(self._open())
        for case in cases:
            if not case.open and case.variant.name in self._unfinished:
                self._finish(case.variant.name)

    def _solve(self) -> None:
        bench = self._any_bench()
        single, combined = self._certificates()
        self._each_group(partial(bench.certify, certificates=single, partly=False))
        self._each_group(partial(bench.search, depth=SEARCH_DEPTHS[0]))
        self._each_group(partial(bench.certify, certificates=single))
        self._each_group(partial(bench.certify, certificates=combined))
        self._each_group(partial(bench.search, depth=SEARCH_DEPTHS[1]))
        for case in self._open():
            self._check_cancelled()
            if self._families is not None:
                self._families.decide_alone(case)
            self._prove_alone(case)
            self._settle([case])

    def _each_group(self, step: Callable[[list[Case]], None]) -> None:
        for group in self._groups(case for case in self._open() if case.variant.system is None):
            self._check_cancelled()
            step(group)
            self._settle(group)

    def _certificates(self) -> tuple[list[Certificate], list[Certificate]]:
        """Return the proofs of the baseline, those of smallest k first; and all put together.

        Deep induction is costly on every mutant, so a property proved with a large k is
        proved again by an inductive invariant, if that is found quickly.
        """
        found: dict[str, Holds] = {}
        for name, holds in self._baseline.proofs.items():
            flat = self._flattened(name) if holds.certificate.k > SHALLOW else None
            found[name] = flat or holds
        single = dict.fromkeys(h.certificate for h in found.values() if h.certificate.k)
        ordered = sorted(single, key=lambda certificate: certificate.k)
        shallow = {name: h for name, h in found.items() if 0 < h.certificate.k <= SHALLOW}
        return ordered, [proofs.combined(shallow)] if len(ordered) > 1 and shallow else []

    def _flattened(self, name: str) -> Holds | None:
        """Return a proof of a property by an inductive invariant, None if none is found."""
        known = self._records.invariants.get(name)
        if known is not None and known.support <= content(self._system):
            return known
        self._tail_calls += 1
        outcome = portfolio.prove(
            self._baseline.system,
            self._means.middle,
            portfolio.Options(
                engines=("pdr",), smooth=False, cores=False, spacer=self._means.spacer
            ),
            goals=[name],
        )
        match outcome.verdicts[name]:
            case Proved(certificate=certificate, engine=engine) if certificate.k <= SHALLOW:
                rests_on = content(slicing.cone(self._baseline.system, certificate.goals))
                self._records.invariants[name] = Holds(certificate, rests_on, engine)
                return self._records.invariants[name]
            case _:
                return None

    def _settle(self, cases: Sequence[Case]) -> None:
        """Try new counterexamples on the others, and emit what is decided."""
        for case in cases if self._executions is not None else ():
            assert self._executions is not None
            for failure in case.fails.values():
                key = id(failure.choices)
                if failure.how not in {"simulation", "replay"} and key not in self._spread:
                    self._spread.add(key)
                    self._executions.replay(self._open(), failure.choices, "replay")
        for name, case in list(self._unfinished.items()):
            if not case.open:
                self._finish(name)

    def _prove_alone(self, case: Case) -> None:
        """Prove what is left from scratch: all engines on the mutated system."""
        if case.variant.system is None:
            self._any_bench().certify([case], self._pool)
        system = applied(self._system, case.variant)
        goals = [
            p.name
            for p in system.properties
            if p.name in case.open and p.kind is PropertyKind.INVARIANT
        ]
        if not goals:
            return
        advice = tuple(
            dict.fromkeys(
                lemma for h in self._baseline.proofs.values() for lemma in h.certificate.lemmas
            )
        )
        self._tail_calls += 1
        outcome = portfolio.prove(
            system,
            self._means.middle,
            portfolio.Options(advice=advice, smooth=False, cores=False, spacer=self._means.spacer),
            goals=goals,
        )
        for name, verdict in outcome.verdicts.items():
            match verdict:
                case Proved(certificate=certificate):
                    rests_on = content(slicing.cone(system, certificate.goals))
                    case.prove((name,), Holds(certificate, rests_on, verdict.engine))
                    if certificate not in self._pool:
                        self._pool.append(certificate)
                case Refuted():
                    violated = self._confirm(case.variant, verdict.choices)
                    if violated is None:
                        case.reason = "the counterexample could not be replayed"
                    else:
                        case.refute(violated, verdict.choices, verdict.engine)
                case _:
                    case.reason = verdict.reason
                    case.depth = max(case.depth, verdict.depth)

    # --- findings ---------------------------------------------------------------------------

    def _stillborn(self, case: Case, reason: str, origin: Origin = Origin.DECIDED) -> None:
        name = case.variant.name
        self._unfinished.pop(name, None)
        self._stillborn_names.add(name)
        seconds = self._elapsed()
        self._emit(
            MutantFinding(
                name, MutantStatus.STILLBORN, reason=reason, seconds=seconds, origin=origin
            )
        )

    def _barren(self, case: Case, reason: str) -> None:
        """Set aside what can begin or go on no more; the same question has the same answer."""
        left = Undecided(self._question, reason, 0)
        self._records[case.variant.name] = Record({}, {}, stillborn=True, undecided=left)
        self._stillborn(case, reason)

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _check_assumptions(self) -> None:
        """Tell survivors from mutants that contradict the assertions of the model."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        whole = Case(Variant("baseline", frozenset()), set())
        self._assumptions.dead_ends([whole])
        # Where the model itself has no such execution there is nothing to compare with.
        if self._assumptions.longest(whole) is None:
            for group in self._groups(pending):
                self._check_cancelled()
                known = self._assumptions.dead_ends(group)
                for case in group:
                    length = self._assumptions.longest(case)
                    if length is not None:
                        origin = Origin.REUSED if case in known else Origin.DECIDED
                        reason = (
                            f"contradicts the assertions: no execution has more than {length} steps"
                        )
                        self._records[case.variant.name] = self._record(case)
                        self._stillborn(case, reason, origin)
        for case in pending:
            self._emit_case(case)

    def _finish(self, name: str) -> None:
        case = self._cases[name]
        if name not in self._unfinished:
            return
        if not case.fails and self._assumptions.may_contradict(case):
            self._pending.append(case)
            self._unfinished.pop(name, None)
            return
        self._unfinished.pop(name, None)
        self._emit_case(case)

    def _emit_case(self, case: Case) -> None:
        name = case.variant.name
        if name in self._stillborn_names:
            return
        origin = self._origin.get(name, Origin.REPROVED if name in self._known else Origin.DECIDED)
        order = [p.name for p in self._system.properties]
        killed_by = tuple(p for p in order if p in case.fails)
        undecided = tuple(p for p in order if p in case.open)
        if killed_by:
            status = MutantStatus.KILLED
        elif undecided:
            status = MutantStatus.UNKNOWN
        else:
            status = MutantStatus.SURVIVED
        first = min((case.fails[p] for p in killed_by), key=lambda f: f.step, default=None)
        self._records[name] = self._record(case)
        self._emit(
            MutantFinding(
                name,
                status,
                killed_by,
                {p: case.fails[p].step for p in killed_by},
                undecided,
                self._load.covered_by(self._load.mutants[name].element),
                _how(case, first),
                max((h.certificate.k for h in case.holds.values()), default=0) or None,
                case.depth if undecided else None,
                case.reason if undecided else "",
                None if first is None else self._replayer.trace(case.variant, first),
                self._elapsed(),
                origin,
            )
        )

    def _record(self, case: Case) -> Record:
        left = None
        if case.open:
            left = Undecided(self._question, case.reason, case.depth)
        return Record(dict(case.holds), dict(case.fails), undecided=left, stated=self._load.stated)

    @cached_property
    def _question(self) -> Digest:
        """Return a digest of all that an attempt at a mutant depends on."""
        limits = repr(self._means.budget)
        return digest_parts(self._system.digest, *sorted(self._baseline.proofs), limits)


def _how(case: Case, first: Fails | None) -> str:
    if first is not None:
        return first.how
    ways = dict.fromkeys(evidence.how for evidence in case.holds.values())
    return ", ".join(ways) or "no property left" if not case.open else "bmc"
