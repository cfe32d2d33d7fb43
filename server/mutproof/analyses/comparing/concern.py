"""Which mutants a change of a model concerns: new ones, and those whose verdict may change.

Both versions are compared by what they mean. A mutant is left alone where it changes the same in
both, what it changes depends on nothing that differs, and no property that depends on what it
changes says something else, or depends on something that differs: then every property holds on it
today if it held before. Knows no solver; where it is unclear what a change means, it concerns all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.comparing.influence import Influence
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.suppress import ignored_mutants
from mutproof.base.diagnostics import has_errors
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.digraph import reached
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import flat_names, walk
from mutproof.model.instances import TooManyInstances
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import ElementId, ElementKind, Program
from mutproof.model.roles import callees
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Version:
    """Hold one version of a model with all its mutants."""

    elaborated: Elaborated
    mutants: Sequence[Mutant]


def concerned(today: Version, earlier: Version, *, observed: bool) -> tuple[Mutant, ...]:
    """Return the mutants of today that the change since an earlier version concerns, in order.

    With `observed`, mutants whose variables may have other values count too, whatever their
    verdicts.
    """
    if today.elaborated.parsed.source.digest == earlier.elaborated.parsed.source.digest:
        return ()
    before = {mutant.id: mutant for mutant in earlier.mutants}
    programs = today.elaborated.program, earlier.elaborated.program
    flawed = any(has_errors(each.elaborated.diagnostics) for each in (today, earlier))
    if programs[0] is None or programs[1] is None or flawed:
        return tuple(today.mutants)
    ignored = _ignored(today) ^ _ignored(earlier)
    known = [m for m in today.mutants if m.id in before and m.id not in ignored]
    left = frozenset[str]()
    try:
        if programs[0].digest == programs[1].digest:
            left = frozenset(mutant.id for mutant in known)
        elif known:
            sides = _Side(today, programs[0]), _Side(earlier, programs[1])
            comparison = _Comparison(*sides, observed=observed)
            left = frozenset(m.id for m in known if not comparison.concerns(m, before[m.id]))
    except (TooManyInstances, NumberTooLarge, NoCommonSort):
        pass  # reported when today's version is analysed
    return tuple(mutant for mutant in today.mutants if mutant.id not in left)


def _ignored(version: Version) -> frozenset[str]:
    """Return the mutants that comments suppress."""
    parsed, provenance = version.elaborated.parsed, version.elaborated.provenance
    return frozenset(ignored_mutants(parsed.source, provenance, version.mutants))


@dataclass(frozen=True, slots=True)
class _Effect:
    """Hold what constraints, or a change of them, affect.

    `heads` are the variables that they define, `names` all variables in them; they `restrict` if
    they may leave a state without successor. `goals` are the properties that they state
    differently, `says` is their whole content.
    """

    says: tuple[object, ...]
    heads: frozenset[str]
    names: frozenset[str]
    restrict: bool
    goals: frozenset[str] = frozenset()


_EMPTY: Final[frozenset[str]] = frozenset()
_REMEMBERS: Final = frozenset({Op.PRE, Op.ARROW})
_BETWEEN: Final = re.compile(r"[.\[\]]")


class _Side:
    """Interpret one version of a model; caches only."""

    def __init__(self, version: Version, program: Program) -> None:
        self.program = program
        self.elaborated = version.elaborated
        self._meaning: Interpretation = interpretation(program)
        self.system: TransitionSystem = self._meaning.system()
        targets = {(e.id, e.instance): e.targets for e in program.elements()}
        self.influence = Influence(self.system, targets)
        self.reads = {p.name: walk.variables(p.term) for p in self.system.properties}
        self._declared = frozenset(self.system.variables.values())
        self._elements: dict[ElementId, _Effect] = {}

    @property
    def names(self) -> Iterable[str]:
        """Return all variables of which anything is said."""
        return (*self.system.variables, *self.influence.stated)

    @cached_property
    def frame(self) -> Digest:
        """Return a digest of what concerns every mutant, but for what it depends on."""
        program, system = self.program, self.system
        restrictions = sorted(c.digest for c in self.influence.restrictions)
        open_questions = sorted(
            digest_parts(asked.hazard.value, asked.term.digest, due.severity.value)
            for asked, due in self.elaborated.obligations
        )
        return digest_parts(
            program.language,
            program.main,
            repr(program.functions),
            repr(system.relational),
            _fairness(system),
            *restrictions,
            b"",
            *open_questions,
        )

    @cached_property
    def outside(self) -> Mapping[str, Digest]:
        """Return the components that are no part of the system, with digests of what they say."""
        part = self.called((self.program.main,)) | {self.program.main}
        return {
            one.name: digest_parts(repr(one.variables), *(e.digest for e in one.elements))
            for one in self.program.components
            if one.name not in part
        }

    def called(self, names: Iterable[str]) -> frozenset[str]:
        """Return the components that some of them call, directly or through others."""
        components = {one.name: one for one in self.program.components}
        callers = [components[name] for name in names if name in components]
        starts = {name for caller in callers for name in callees(caller)}
        return frozenset(reached(starts, lambda name: callees(components[name])))

    def read_by(self, goals: Iterable[str]) -> Iterable[str]:
        """Return the variables that properties read."""
        return (name for goal in goals for name in self.reads.get(goal, ()))

    def says(self, name: str) -> tuple[str, frozenset[tuple[Digest, bool]]]:
        """Return what declares a variable and what gives it its values."""
        stated = self.influence.stated.get(name, frozenset())
        declared = repr(self.system.variables.get(name))
        return declared, frozenset((c.digest, c.defines is None) for c in stated)

    def effect_of(self, constraints: Iterable[Constraint]) -> _Effect:
        """Return what constraints are about."""
        found = frozenset(constraints)
        heads = [self.influence.heads(constraint) for constraint in found]
        given = _EMPTY.union(*(each for each in heads if each is not None))
        names = given.union(*(walk.variables(constraint.term) for constraint in found))
        return _Effect((found,), given, names, None in heads)

    def effect_of_element(self, element: ElementId) -> _Effect:
        """Return what the constraints of an element are about."""
        if element not in self._elements:
            own = self.system.by_owner.get(element, ())
            self._elements[element] = self.effect_of(own)
        return self._elements[element]

    def effect(self, mutant: Mutant) -> _Effect:
        """Return what a mutant states beside what its element does not state any more."""
        one = self._meaning.rewritten(mutated_bodies(self.program, mutant))
        beside = one.refused, one.lost, frozenset(one.variables)
        if one.system is None:
            found = self.effect_of(one.constraints)
            return replace(found, says=(*found.says, *beside))
        now, system = one.system, self.system
        before, after = frozenset(system.constraints), frozenset(now.constraints)
        gone, come = self.effect_of(before - after), self.effect_of(after - before)
        names = {*now.said, *system.said}
        goals = frozenset(n for n in names if now.said.get(n) != system.said.get(n))
        declared = frozenset(v for v in now.variables.values() if v not in self._declared)
        stated = frozenset((name, now.said.get(name)) for name in goals)
        changes_all = not (gone.names or come.names) or _fairness(now) != _fairness(system)
        return _Effect(
            (gone.says, come.says, declared, stated, _fairness(now), *beside),
            gone.heads | come.heads,
            gone.names | come.names,
            gone.restrict or come.restrict or changes_all,
            goals,
        )


def _fairness(system: TransitionSystem) -> Digest:
    pairs = (term for pair in system.compassion for term in pair)
    return digest_parts(*(t.digest for t in system.fairness), b"", *(t.digest for t in pairs))


class _Body:
    """Hold which variables, operators and calls a body has; immutable."""

    def __init__(self, body: Term) -> None:
        parts = tuple(walk.subterms(body))
        self.reads = walk.variables(body)
        self.operators = frozenset(term.op for term in parts)
        self.calls = frozenset(term for term in parts if term.op in {Op.CALL, Op.CONDACT})


class _Comparison:
    """Tell which mutants may have different verdicts in two versions; caches only."""

    def __init__(self, today: _Side, earlier: _Side, *, observed: bool) -> None:
        self._sides = today, earlier
        names = {name for side in self._sides for name in side.names}
        changed = [name for name in sorted(names) if today.says(name) != earlier.says(name)]
        self._touched = self._joined(side.influence.dependents(changed) for side in self._sides)
        self._goals = self._touched_goals()
        starts = [set(side.read_by(self._goals)) for side in self._sides]
        asked = [each | self._touched for each in starts] if observed else starts
        self._seen = self._joined(
            side.influence.closure(each) for side, each in zip(self._sides, asked, strict=True)
        )
        self._beside = self._joined(side.influence.closure(self._touched) for side in self._sides)
        self._asks = bool(self._goals) or any(asked)
        self._callees = self._called_by_others()
        self._concerns_all = self._differs_as_a_whole()
        self._bodies: dict[ElementId, _Body] = {}
        # The words between separators include the variable's name, in any instance or part of it.
        self._touched_words = {word for name in self._touched for word in _BETWEEN.split(name)}
        clocks = flat_names.CLOCK, flat_names.FIRST
        self._touches_clocks = any(name.endswith(clocks) for name in self._touched)

    def concerns(self, mutant: Mutant, before: Mutant) -> bool:
        """Tell whether a mutant that both versions have may fare differently."""
        if self._concerns_all or mutant.element.component in self._callees:
            return True
        today, earlier = self._sides
        now, then = (side.effect_of_element(mutant.element) for side in self._sides)
        if now.says != then.says or self._fares_differently(mutant, now):
            return True
        if self._is_plain(mutant):
            return False
        effect = today.effect(mutant)
        if self._fares_differently(mutant, effect):
            return True
        return effect.says != earlier.effect(before).says

    def _fares_differently(self, mutant: Mutant, effect: _Effect) -> bool:
        """Tell whether the versions' difference may matter to a mutant with this effect."""
        if effect.goals & self._goals or effect.names & self._touched:
            return True
        if effect.restrict or effect.heads & self._sides[0].influence.deciding:
            return self._asks
        # Readers of a macro must stay well-formed, even if no property depends on them.
        is_macro = mutant.element.kind == ElementKind.DEFINE.value
        seen = self._seen | self._beside if is_macro else self._seen
        return not effect.heads.isdisjoint(seen)

    def _is_plain(self, mutant: Mutant) -> bool:
        """Tell whether a mutant clearly means the same in both versions, if its element does.

        Without new calls, the constraints of a body depend on the variables it reads, and on the
        clock of its instance if it remembers something.
        """
        today, _ = self._sides
        if today.system.relational:
            return False
        (body,) = mutated_bodies(today.program, mutant).values()
        if body is None:
            return True
        own = self._bodies.setdefault(mutant.element, _Body(mutant.source.body))
        found = _Body(body)
        new = found.operators - own.operators
        if found.calls - own.calls or (self._touches_clocks and new & _REMEMBERS):
            return False
        return (found.reads - own.reads).isdisjoint(self._touched_words)

    def _touched_goals(self) -> frozenset[str]:
        """Return the properties whose statement or value may differ between the versions."""
        today, earlier = self._sides
        then, now = earlier.system.said, today.system.said
        return frozenset(
            name
            for name in {*then, *now}
            if then.get(name) != now.get(name) or today.reads[name] & self._touched
        )

    def _differs_as_a_whole(self) -> bool:
        """Tell whether one version may have other executions, or be refused."""
        today, earlier = self._sides
        return today.frame != earlier.frame or bool(today.influence.deciding & self._touched)

    def _called_by_others(self) -> frozenset[str]:
        """Return the components that changed components outside of the system call.

        An ill-formed call there makes a mutant of the called component stillborn.
        """
        today, earlier = self._sides
        changed = {
            name
            for name in {*today.outside, *earlier.outside}
            if today.outside.get(name) != earlier.outside.get(name)
        }
        return frozenset().union(*(side.called(changed) for side in self._sides))

    @staticmethod
    def _joined(found: Iterable[frozenset[str]]) -> frozenset[str]:
        return _EMPTY.union(*found)
