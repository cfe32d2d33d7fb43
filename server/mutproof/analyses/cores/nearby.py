"""Prove properties of a large cone without some elements from what lies next to them.

A part has all executions of the cone and more, so what holds there holds in the cone; what fails
there may hold in the cone. What a question costs in solvers of a part does not grow with the cone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.cores.cones import Cone
from mutproof.analyses.cores.effort import EngineEffort
from mutproof.analyses.cores.lookalikes import Lookalikes, Numbered, numbered
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.parts import AROUND, SystemParts
from mutproof.solving.verdict import Certificate, Proved

LARGE = 2
"""A cone is large if it has at least this many times as many constraints as are near."""

IN_VAIN = 3
"""After how many failures in a row nothing more is tried in a part of a cone."""

UNITS = 1_000_000
"""The solver units that engines may take there (some tenths of a second)."""


class Nearby:
    """Prove properties of one cone near to them; mutable, one thread."""

    def __init__(
        self,
        cone: Cone,
        means: Means,
        effort: EngineEffort,
        lookalikes: Lookalikes | None = None,
    ) -> None:
        self._cone = cone
        self._means = means
        self._effort = effort
        self._lookalikes = lookalikes or Lookalikes()
        self._near: dict[str, _Near | None] = {}
        self._asked: set[tuple[str, frozenset[ElementId]]] = set()
        self._in_vain = 0

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return sum(near.calls for near in self._near.values() if near is not None)

    def prove(self, cases: Sequence[Claim], known: Mapping[str, Sequence[Certificate]]) -> None:
        """Record what is proved of cases near to their open properties, each but once.

        `known` are certificates, by property.
        """
        if len(self._cone.system.constraints) < LARGE * AROUND:
            return
        for case in cases:
            for name in sorted(case.open):
                self._prove(case, name, known.get(name, ()))

    def _prove(self, case: Claim, name: str, known: Sequence[Certificate]) -> None:
        key = name, case.variant.removed
        if self._in_vain >= IN_VAIN or case.variant.constraints or key in self._asked:
            return
        self._asked.add(key)
        if name not in self._near:
            self._near[name] = self._around(name, known)
        near = self._near[name]
        if near is None:
            return
        self._means.check_cancelled()
        found = near.proof(case.variant, known)
        self._in_vain = 0 if found else self._in_vain + 1
        if found:
            case.prove((name,), found)

    def _around(self, name: str, known: Sequence[Certificate]) -> _Near | None:
        """Return what lies near to a property and its certificates; None if that is not little."""
        whole = self._cone.system
        stated = whole.property(name)
        lemmas = (lemma for certificate in known for lemma in certificate.lemmas)
        names = sorted(frozenset[str]().union(*map(walk.variables, (stated.term, *lemmas))))
        kept = self._parts.around(names, AROUND)
        if 2 * len(kept) > len(whole.constraints):
            return None
        part = replace(self._parts.cut(kept, names), properties=(stated,))
        return _Near(part, whole, self._means, (self._effort, self._lookalikes))

    @cached_property
    def _parts(self) -> SystemParts:
        return SystemParts(self._cone.system)


class _Near:
    """Prove one property in a part of a system; mutable, one thread."""

    def __init__(
        self,
        part: TransitionSystem,
        whole: TransitionSystem,
        means: Means,
        shared: tuple[EngineEffort, Lookalikes],
    ) -> None:
        from mutproof.analyses.bench.bench import Bench  # slow to import, and few cores need one

        first = Bench(part, means.small, _unconfirmed, heed=means.check_cancelled, within=whole)
        self._checker = Checker(first)
        self._bench = Bench(part, means.small, _unconfirmed, self._checker, within=whole)
        (self._name,) = part.said
        self._means = means
        self._effort, self._lookalikes = shared
        self._engine_calls = 0

    @cached_property
    def _numbered(self) -> Numbered:
        return numbered(self._bench.system)

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return self._engine_calls + self._bench.calls + self._checker.calls

    def proof(self, variant: Variant, known: Sequence[Certificate]) -> Holds | None:
        """Return a proof of the property of a variant from known certificates or by engines."""
        case = Claim(variant, {self._name})
        self._bench.certify([case], [c for c in known if self._speaks(c)])
        if case.open:
            self._as_elsewhere(case)
        return case.holds.get(self._name)

    def _as_elsewhere(self, case: Claim) -> None:
        """Try what was found in a part that looks alike; engines, if they were not asked there."""
        about = self._numbered, case.variant.removed
        found = self._lookalikes.certificate(*about, self._name)
        if found is not None:
            self._bench.certify([case], [found], partly=False)
        elif not self._lookalikes.is_known(*about):
            small = self._means.small
            budget = replace(small, rlimit=min(small.rlimit or UNITS, UNITS))
            self._effort.ask(budget, lambda budget: self._proof(case, budget))
            holds = case.holds.get(self._name)
            self._lookalikes.note(*about, None if holds is None else holds.certificate)

    def _speaks(self, certificate: Certificate) -> bool:
        names = self._bench.system.variables.keys()
        return all(walk.variables(lemma) <= names for lemma in certificate.lemmas)

    def _proof(self, case: Claim, budget: Budget) -> Holds | None:
        self._engine_calls += 1
        system, asked = applied(self._bench.system, case.variant), self._means.asking(cores=False)
        proved = portfolio.prove(system, budget, asked, goals=[self._name]).verdicts[self._name]
        if isinstance(proved, Proved):
            # The bench knows that what the whole defines may leave its bounds.
            self._bench.certify([case], [proved.certificate], partly=False)
        return case.holds.get(self._name)


def _unconfirmed(_case: Variant, _choices: Choices, _how: str) -> Mapping[str, Fails] | None:
    return None
