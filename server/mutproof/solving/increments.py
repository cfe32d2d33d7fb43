"""Check certificates that contain others: what those have shown is not shown again.

Where a chain of equations passes a value on, the proof of each property contains those of all
before it. Checked as a whole, each would cost as much as all before it; what is new in it is
shown here from what is new and what lies next to that.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify
from mutproof.solving.certify import Checked
from mutproof.solving.parts import AROUND, SystemParts, resting_on
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop

LEAST = 40
"""Certificates that rest on fewer elements are checked as a whole."""

OFTEN = 3
"""At how many goals with the same lemmas these are shown by themselves."""

IN_VAIN = 3
"""After how many failures in a row these are tried no more, and lemmas by themselves."""


@dataclass(frozen=True, slots=True)
class _Passed:
    """Hold statements that elements make inductive over k states."""

    k: int
    statements: tuple[Term, ...]
    owners: frozenset[ElementId]
    goals: tuple[Term, ...]


class Increments:
    """Check certificates about one system; mutable, remembers what passed."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self._passed: list[_Passed] = []
        self._levels: dict[Term, tuple[frozenset[str], ...]] = {}
        self._lemmas: dict[tuple[int, tuple[Term, ...]], list[frozenset[ElementId]]] = {}
        self._in_vain = 0
        self._last: tuple[int, frozenset[Term]] = 0, frozenset()  # k and lemmas checked last
        self._alone_in_vain = 0

    @cached_property
    def _slicer(self) -> Slicer:
        return Slicer(self.system)

    @cached_property
    def _parts(self) -> SystemParts:
        return SystemParts(self.system)

    def check(
        self,
        certificate: Certificate,
        budget: Budget | None = None,
        *,
        owners: frozenset[ElementId] | None = None,
        workshop: Workshop | None = None,
    ) -> Checked:
        """Tell whether a certificate proves its goals, in fresh solvers; see `certify.certify`."""
        system = self.system
        if owners is None or len(owners) < LEAST or certificate.k < 1:
            return self._whole(certificate, budget, owners, workshop)
        try:
            stated = tuple(dict.fromkeys(certify.statements(system, certificate)))
        except KeyError as error:
            return Checked(False, f"no property {error}")
        goals = tuple(system.property(name).term for name in certificate.goals)
        own = _Passed(certificate.k, stated, owners, goals)
        adds = self._adds(own, budget, workshop)
        if not adds and self._shows_lemmas(certificate, owners, budget, workshop):
            adds = self._adds(own, budget, workshop)
        if not adds:
            found = self._whole(certificate, budget, owners, workshop)
            if not found.ok:
                return found
        self._passed.append(own)
        return Checked(True)

    def _whole(
        self,
        certificate: Certificate,
        budget: Budget | None,
        owners: frozenset[ElementId] | None,
        workshop: Workshop | None,
    ) -> Checked:
        """Check a certificate on what decides its statements, else on all that its elements state.

        An element states something in every instance of its node.
        """
        system = self.system
        if owners is not None and certificate.k > 0:
            try:
                stated = certify.statements(system, certificate)
            except KeyError as error:
                return Checked(False, f"no property {error}")
            near = self._near(stated, owners) if self._in_vain < IN_VAIN else None
            if near is not None:
                found = certify.certify(system, certificate, budget, part=near, workshop=workshop)
                if found.ok:
                    self._in_vain = 0
                    return found
                self._in_vain += 1
            part = self._slicer.resting(stated, owners)
            found = certify.certify(system, certificate, budget, part=part, workshop=workshop)
            if found.ok:
                return found
        return certify.certify(system, certificate, budget, owners=owners, workshop=workshop)

    def _near(
        self, statements: tuple[Term, ...], owners: frozenset[ElementId]
    ) -> TransitionSystem | None:
        """Return what some elements state next to statements; None if more defines these, or less.

        Less is all that they rest on.
        """
        names = sorted(frozenset[str]().union(*map(walk.variables, statements)))
        found = self._parts.around(names, AROUND)
        if len(found) < AROUND or not found.issuperset(self._parts.definitions(names)):
            return None
        stating = ((index, self.system.constraints[index].owner) for index in found)
        return self._parts.cut([n for n, one in stating if one is None or one in owners], names)

    def _shows_lemmas(
        self,
        certificate: Certificate,
        owners: frozenset[ElementId],
        budget: Budget | None,
        workshop: Workshop | None,
    ) -> bool:
        """Tell whether lemmas that come with many goals were shown by themselves, just now.

        So are those that contain the ones before them: more may follow.
        """
        k, lemmas = certificate.k, certificate.lemmas
        (last, before), self._last = self._last, (k, frozenset(lemmas))
        if before and last == k and before < self._last[1] and self._alone_in_vain < IN_VAIN:
            rest = self._slicer.resting(lemmas, owners)
            own = frozenset(o for o in rest.by_owner if o is not None)
            alone = _Passed(k, lemmas, own, lemmas)
            shown = self._adds(alone, budget, workshop)
            if not shown:
                shown = self._whole(Certificate(k, lemmas, ()), budget, own, workshop).ok
            if shown:
                self._passed.append(alone)
            self._alone_in_vain = 0 if shown else self._alone_in_vain + 1
            return shown
        seen = self._lemmas.setdefault((k, lemmas), [])
        if not lemmas or len(seen) == OFTEN:
            return False
        seen.append(owners)
        if len(seen) < OFTEN:
            return False
        common = frozenset.intersection(*seen)
        if not self._whole(Certificate(k, lemmas, ()), budget, common, workshop).ok:
            return False
        self._passed.append(_Passed(k, lemmas, common, lemmas))
        return True

    def _adds(self, own: _Passed, budget: Budget | None, workshop: Workshop | None) -> bool:
        """Tell whether what a certificate adds to those that passed was shown from little."""
        known, shown = self._contained(own)
        fresh = tuple(term for term in own.statements if term not in known)
        if not fresh:
            return True
        definers = self.system.definers
        near = {definers.get(name) for term in fresh for name in walk.variables(term)}
        added = [owner for owner in own.owners if owner not in shown or owner in near]
        if 2 * len(added) > len(own.owners):
            return False
        names = resting_on(self.system, fresh, added).variables.keys()
        supposed = []
        for term in known:
            between = self._between(term, names)
            if between is not None and between <= own.owners:
                supposed.append(term)
                added += between
        part = resting_on(self.system, (*supposed, *fresh), sorted(set(added)))
        return certify.follow(
            self.system, own.k, supposed, fresh, part=part, budget=budget, workshop=workshop
        ).ok

    def _contained(self, own: _Passed) -> tuple[dict[Term, None], set[ElementId]]:
        """Return statements and elements of certificates that passed and that one contains."""
        stated = frozenset(own.statements)
        known: dict[Term, None] = {}
        shown: set[ElementId] = set()
        for one in reversed(self._passed):
            if one.k != own.k or not stated.issuperset(one.goals):
                continue
            if all(goal in known for goal in one.goals):
                continue
            if one.owners <= own.owners and stated.issuperset(one.statements):
                known.update(dict.fromkeys(one.statements))
                shown |= one.owners
        return known, shown

    def _between(self, statement: Term, names: AbstractSet[str]) -> frozenset[ElementId] | None:
        """Return the elements through which a statement speaks of variables, None if of others."""
        if statement not in self._levels:
            self._levels[statement] = self._parts.levels(statement)
        levels = self._levels[statement]
        for depth, level in enumerate(levels):
            if level <= names:
                found = self._parts.definitions(frozenset[str]().union(*levels[:depth]))
                owners = {self.system.constraints[index].owner for index in found}
                return frozenset(owner for owner in owners if owner is not None)
        return None
