"""The docket: the cases of a campaign until each has left it, once, with a finding.

What every strategy owes is here: what is no model is set aside first, survivors that contradict
the assertions of the model are told from others, and a verdict is emitted when it is whole. How
cases are decided is no matter of the docket.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from mutproof.analyses import vacuity
from mutproof.analyses.audit import Audit
from mutproof.analyses.bench import Bench
from mutproof.analyses.deciding.evidence import Fails, Holds
from mutproof.analyses.deciding.notary import Checker
from mutproof.analyses.defect import Defect
from mutproof.analyses.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.lending import latter_half
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.assumptions import Assumptions
from mutproof.analyses.mutation.caseload import Baseline, Caseload
from mutproof.analyses.mutation.families import Families
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.records import BEGUN, Record, Records, Undecided
from mutproof.analyses.mutation.refusals import DOUBT, Refusals
from mutproof.analyses.mutation.replay import Replayer
from mutproof.analyses.mutation.unconcerned import HOW as UNCONCERNED
from mutproof.analyses.variant import Case, Variant
from mutproof.base.digest import Digest, digest_parts
from mutproof.model.program import ElementId
from mutproof.model.relational import speaks_of_steps
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Trace
from mutproof.solving.bdd.family import LARGEST_FAMILY

_SEARCHED = frozenset({"bmc", "exploration"})
"""What looks at all executions of fewer steps before it finds one."""


class Docket:
    """Hold the cases of one campaign; mutable, used once.

    `calls` counts the questions that were not put to the benches of `means`. `families` decide
    the temporal properties of relational systems, of `largest_family` mutants at a time.
    """

    def __init__(
        self,
        baseline: Baseline,
        mutants: Sequence[Mutant],
        records: Records,
        means: Means,
        emit: Callable[[MutantFinding], None],
        *,
        largest_family: int = LARGEST_FAMILY,
    ) -> None:
        self.baseline = baseline
        self.records = records
        self.means = means
        self.load = Caseload(baseline, mutants)
        self.cases = self.load.cases
        self.replayer = Replayer(means.notary, baseline.meaning, self.load.bodies)
        kept = ((name, records.get(name)) for name in self.load.mutants)
        self.known = {name for name, record in kept if record and not record.is_begun}
        self.origin: dict[str, Origin] = {}
        self.calls = 0
        self.families: Families | None = None
        self.assumptions = Assumptions(
            baseline.system, records.dead_ends, self.checker, records.ends
        )
        self._largest_family = largest_family
        self._emit = emit
        self._started = time.monotonic()
        self._unfinished: dict[str, Case] = {}
        self._stillborn_names: set[str] = set()
        self._shared: dict[int, tuple[dict[str, Holds], tuple[str, int | None]]] = {}
        self._bench: Bench | None = None
        self._asked_before = means.benches.calls
        self._pending: list[Case] = []
        self.told: dict[str, float] = {}  # mutants with a verdict, and the seconds each took
        self.shortest: set[str] = set()  # killed ones of which no shorter execution kills
        self._charged = self._started
        self._share: float | None = None

    @property
    def system(self) -> TransitionSystem:
        """Return the system of all mutants, which have been taken in."""
        return self.load.system

    def __contains__(self, name: str) -> bool:
        """Tell whether a case has not left yet."""
        return name in self._unfinished

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self.calls + self.means.benches.calls - self._asked_before

    @cached_property
    def question(self) -> Digest:
        """Return a digest of all that an attempt at a mutant depends on."""
        limits = repr(self.means.budget)
        return digest_parts(self.system.attributed, *sorted(self.baseline.proofs), limits)

    def bench(self) -> Bench:
        """Return the bench, whose proofs are checked in solvers that do nothing else."""
        if self._bench is None:
            budget = self.means.small
            self._bench = self.means.benches.get(self.system, budget, self.replayer.confirm)
        return self._bench

    def checker(self) -> Checker:
        """Return what checks proofs and does nothing else."""
        self.bench()
        return self.means.benches.checker

    def open(self) -> list[Case]:
        """Return the cases with an open property."""
        return [case for case in self._unfinished.values() if case.open]

    def may_block(self, case: Case) -> bool:
        """Tell whether a mutant may end executions: it changes what a constraint reads."""
        return self.assumptions.may_contradict(case)

    # --- coming and leaving ---------------------------------------------------------------

    def take_in(self, look: Callable[[Case], None] = lambda _: None) -> None:
        """Take in the mutants; what the front end would refuse is set aside.

        That is done before anything is said of properties. `look` sees each of the others as
        soon as it is there, before the next is made, and may let it leave: it is lowered then only
        if it stays.
        """
        refusals = Refusals(self.baseline.program, self.records.obligations, self.means)
        doubted: list[Case] = []
        for case in self.load.arrivals(self.means.check_cancelled):
            name = case.variant.name
            self._unfinished[name] = case
            arrival = self.load.arrived[name]
            doubt, reason = False, arrival.refused or arrival.refusal
            if reason is None:
                found = refusals.of(arrival.bodies)
                reason, doubt = found.reason, found.doubt
                if found.local:
                    arrival.refusal = reason
            if reason:
                known = name in self.records and self.records[name].stillborn
                self.records[name] = Record({}, {}, stillborn=True)
                self.stillborn(case, reason, Origin.REUSED if known else Origin.DECIDED)
            elif doubt:
                case.reason = DOUBT
                doubted.append(case)
            else:
                look(case)
            if name in self._unfinished:
                self.load.lower(case)
        self.calls += refusals.solver_calls
        for case in doubted:
            self._unfinished.pop(case.variant.name)
            self._emit_case(case)
        self.records.changes.note(self.baseline.program, self.load.bodies)
        if self.system.relational:
            self.families = Families(
                self.system, self.means, self.replayer, self._barren, self._largest_family
            )

    def stillborn(self, case: Case, reason: str, origin: Origin = Origin.DECIDED) -> None:
        """Let a case leave that is no model."""
        name = case.variant.name
        self._unfinished.pop(name, None)
        self._stillborn_names.add(name)
        seconds = self._own_seconds(name)
        self._emit(
            MutantFinding(
                name, MutantStatus.STILLBORN, reason=reason, seconds=seconds, origin=origin
            )
        )

    def finish(self, name: str) -> None:
        """Let a case leave with what is known of it."""
        case = self.cases[name]
        if name not in self._unfinished:
            return
        del self._unfinished[name]
        if not case.fails and self.assumptions.may_contradict(case):
            self.load.lower(case)
            self._pending.append(case)
        else:
            self._emit_case(case)

    def finish_decided(self) -> None:
        """Let the cases leave that have no open property."""
        self._finish([name for name, case in self._unfinished.items() if not case.open])

    def close(self) -> None:
        """Let all cases leave."""
        self._finish([name for name in self.cases if name in self._unfinished])
        self._check_assumptions()

    def tell_again(self, name: str) -> None:
        """Tell what is known of a case that has left, as that is more now."""
        self._emit_case(self.cases[name])

    def _finish(self, names: Sequence[str]) -> None:
        """Let cases leave together: what was done since others left was done for all of them."""
        self._share = self._since() / len(names) if names else None
        for name in names:
            self.finish(name)
        self._share = None

    def lend(self) -> None:
        """Let open cases leave that another worker will decide, if one asks for some.

        They are those of half of the elements. What is known of them is put on record.
        """
        if not self.means.lending.asked():
            return
        looked_at = self.means.attention()
        # What is looked at stays where it is decided next.
        open_groups = sorted(
            groups(self.open()), key=lambda group: looked_at.isdisjoint(group[0].variant.removed)
        )
        given = latter_half(open_groups)
        for case in given:
            name = case.variant.name
            del self._unfinished[name]
            if case.holds or case.fails:
                begun = None if name in self.known else Undecided(BEGUN, "", case.depth)
                self.records[name] = replace(self._record(case), undecided=begun)
        if given:
            self.means.lending.lend(tuple(case.variant.name for case in given))

    # --- private --------------------------------------------------------------------------

    def _barren(self, case: Case, reason: str) -> None:
        """Set aside what can begin or go on no more; the same question has the same answer."""
        left = Undecided(self.question, reason, 0)
        self.records[case.variant.name] = Record({}, {}, stillborn=True, undecided=left)
        self.stillborn(case, reason)

    def _since(self) -> float:
        """Return the seconds since this was asked last."""
        now = time.monotonic()
        own, self._charged = now - self._charged, now
        return own

    def _own_seconds(self, name: str) -> float:
        """Return the seconds that were spent on a mutant; all of them add up to the whole."""
        own = self._since() + (self._share or 0.0)
        self.told[name] = self.told.get(name, 0.0) + own
        return self.told[name]

    def _check_assumptions(self) -> None:
        """Tell survivors from mutants that contradict the assertions of the model."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        whole = Case(Variant("baseline", frozenset()), set())
        self.assumptions.dead_ends([whole])
        # Where the model itself has no such execution there is nothing to compare with.
        if self.assumptions.longest(whole) is None:
            known: list[Case] = []
            for group in groups(pending):
                self.means.check_cancelled()
                known += self.assumptions.dead_ends(group)
            self.assumptions.deep_ends([whole])
            if self.assumptions.longest(whole) is None:
                self.assumptions.deep_ends(pending)
            for group in groups(pending):
                for case in group:
                    length = self.assumptions.longest(case)
                    if length is not None:
                        origin = Origin.REUSED if case in known else Origin.DECIDED
                        ends = vacuity.too_short(self.system, length)
                        reason = f"contradicts the {vacuity.restrictions(self.system)}: {ends}"
                        self.records[case.variant.name] = self._record(case)
                        self.stillborn(case, reason, origin)
        for case in pending:
            self._emit_case(case)

    def _emit_case(self, case: Case) -> None:
        name = case.variant.name
        if name in self._stillborn_names:
            return
        origin = self.origin.get(name, Origin.REPROVED if name in self.known else Origin.DECIDED)
        killed_by = self._in_order(case.fails) if case.fails else ()
        undecided = self._in_order(case.open) if case.open else ()
        if killed_by:
            status = MutantStatus.KILLED
        elif undecided:
            status = MutantStatus.UNKNOWN
        else:
            status = MutantStatus.SURVIVED
            if origin is not Origin.REUSED and self._contradicted(case):
                return
        how, k = self._means_of(case)
        killer = min(killed_by, key=lambda p: case.fails[p].step, default="")
        first = case.fails[killer] if killer else None
        self.records[name] = self._record(case)
        self._emit(
            MutantFinding(
                name,
                status,
                killed_by,
                {p: case.fails[p].step for p in killed_by},
                undecided,
                self.load.covered_by(self.load.mutants[name].element),
                how if first is None else first.how,
                k,
                case.depth if undecided else None,
                case.reason if undecided else "",
                None if first is None else self._shown(case.variant, first, killer),
                self._own_seconds(name),
                origin,
                shortest=name in self.shortest or is_shortest(case),
            )
        )

    def _contradicted(self, case: Case) -> bool:
        """Tell whether an execution violates what is proved of a survivor; withdraw that if so."""
        name = case.variant.name
        unconcerned = all(holds.how == UNCONCERNED for holds in case.holds.values())
        if unconcerned and not self.baseline.system.relational:
            # No proof rests on the element, so one execution stands for all of its mutants.
            found = self._audit.of_element(self.load.mutants[name].element, case.holds.keys())
        else:
            found = self._audit.of_mutant(name, case.holds.keys(), self.load.bodies[name])
        if found is None:
            return False
        self.records.forget(name)
        reason = Defect.SURVIVOR.reason(f"{found.name} fails", found.step)
        covered = self.load.covered_by(self.load.mutants[name].element)
        self._emit(
            MutantFinding(
                name,
                MutantStatus.UNKNOWN,
                undecided=self._in_order(case.holds.keys()),
                covered_by=covered,
                depth=found.step,
                reason=reason,
                seconds=self._own_seconds(name),
                defect=Defect.SURVIVOR,
            )
        )
        return True

    @cached_property
    def _audit(self) -> Audit:
        return Audit(self.baseline.meaning, self.baseline.system, self.records.witnesses[:1])

    def _shown(self, variant: Variant, failure: Fails, goal: str) -> Trace | None:
        """Return the execution that violates a property, up to where it does."""
        trace = self.replayer.trace(variant, failure)
        steps = failure.step + (2 if speaks_of_steps(self.baseline.system.property(goal)) else 1)
        if trace is None or trace.choices.loop is not None or trace.length <= steps:
            return trace
        cut = replace(trace.choices, steps=trace.choices.steps[:steps])
        return Trace(cut, trace.steps[:steps], trace.loop)

    def _means_of(self, case: Case) -> tuple[str, int | None]:
        """Return by what the properties of a case hold, and the depth of the deepest proof."""
        key = id(case.holds)
        shares = case.shares and not case.open
        if not shares or key not in self._shared:
            ways = dict.fromkeys(evidence.how for evidence in case.holds.values())
            deepest = max((h.certificate.k for h in case.holds.values()), default=0) or None
            found = ", ".join(ways) or "no property left" if not case.open else "bmc", deepest
            if not shares:
                return found
            self._shared[key] = case.holds, found
        return self._shared[key][1]

    def _in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Return properties in the order of the system."""
        return tuple(sorted(names, key=self._positions.__getitem__))

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {
            stated.name: number for number, stated in enumerate(self.baseline.system.properties)
        }

    def _record(self, case: Case) -> Record:
        left = None
        if case.open:
            left = Undecided(self.question, case.reason, case.depth)
        stated = self.load.stated
        holds = dict(case.holds) if case.open else case.holds  # those of a closed case are final
        found = Record(holds, dict(case.fails), undecided=left, stated=stated)
        name = case.variant.name
        return found.after(self.records.get(name))


def is_shortest(case: Case) -> bool:
    """Tell whether no execution of fewer steps than those that kill a mutant can do so."""
    found = case.fails.values()
    first = min(found, key=lambda failure: failure.step, default=None)
    if first is None:
        return False
    return not first.step or all(failure.how in _SEARCHED for failure in found)


def groups(cases: Iterable[Case]) -> list[list[Case]]:
    """Return the cases that change the same element, element by element."""
    found: dict[frozenset[ElementId], list[Case]] = {}
    for case in cases:
        found.setdefault(case.variant.removed, []).append(case)
    return list(found.values())


def together(
    found: Iterable[list[Case]],
    most: int,
    apart: Callable[[list[Case]], bool] = lambda _: False,
) -> Iterator[list[Case]]:
    """Yield groups that follow each other as one, as long as that has at most so many cases.

    Those to be kept `apart` do not wait for others.
    """
    joined: list[Case] = []
    for group in found:
        if apart(group):
            yield group
            continue
        if joined and len(joined) + len(group) > most:
            yield joined
            joined = []
        joined = [*joined, *group]
    if joined:
        yield joined
