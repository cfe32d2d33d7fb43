"""Which mutants a change of a model concerns: new ones, and those that may fare differently now.

Both versions are compared by what they mean. A mutant is left alone where it changes the same in
both, what it changes depends on nothing that differs, and no property that depends on what it
changes says something else, or depends on something that differs: then every property holds on it
today if it held before. Knows no solver; where it is unclear what a change means, it concerns all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutproof.analyses.comparing.influence import Influence
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.suppress import ignored_mutants
from mutproof.base.diagnostics import has_errors
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.instances import TooManyInstances
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import ElementKind, Program
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Site


@dataclass(frozen=True, slots=True)
class Version:
    """Hold one version of a model with all its mutants."""

    elaborated: Elaborated
    mutants: Sequence[Mutant]


def concerned(today: Version, earlier: Version, *, observed: bool) -> tuple[Mutant, ...]:
    """Return the mutants of today that the change since an earlier version concerns, in order.

    With `observed`, more is asked of mutants than which properties hold: what their variables are.
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
        pass  # who analyses today's version says so
    return tuple(mutant for mutant in today.mutants if mutant.id not in left)


def _ignored(version: Version) -> frozenset[str]:
    """Return the mutants that comments suppress."""
    parsed, provenance = version.elaborated.parsed, version.elaborated.provenance
    return frozenset(ignored_mutants(parsed.source, provenance, version.mutants))


@dataclass(frozen=True, slots=True)
class _Effect:
    """Hold what a mutant changes: `says` is a digest of all of it.

    `heads` are the variables of which it says something else, `names` all that it speaks of,
    `goals` the properties that are stated differently; it `restricts` where it changes what may
    leave executions no way on.
    """

    says: Digest
    heads: frozenset[str]
    names: frozenset[str]
    goals: frozenset[str]
    restricts: bool


class _Side:
    """Know what one version means; caches only."""

    def __init__(self, version: Version, program: Program) -> None:
        self.program = program
        self.elaborated = version.elaborated
        self._meaning: Interpretation = interpretation(program)
        self.system: TransitionSystem = self._meaning.system()
        targets = {(e.id, e.instance): e.targets for e in program.elements()}
        self.influence = Influence(self.system, targets)
        self.reads = {p.name: walk.variables(p.term) for p in self.system.properties}

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
            *(term.digest for term in system.fairness),
            b"",
            *(term.digest for pair in system.compassion for term in pair),
            b"",
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
        found: set[str] = set()
        stack = [name for name in names if name in components]
        while stack:
            for element in components[stack.pop()].elements:
                for term in walk.subterms(element.body):
                    site = term.payload
                    if isinstance(site, Site) and site.component not in found:
                        found.add(site.component)
                        stack.append(site.component)
        return frozenset(found)

    def read_by(self, goals: Iterable[str]) -> Iterable[str]:
        """Return the variables that properties read."""
        return (name for goal in goals for name in self.reads.get(goal, ()))

    def says(self, name: str) -> tuple[str, frozenset[tuple[Digest, bool]]]:
        """Return what declares a variable and what gives it its values."""
        stated = self.influence.stated.get(name, frozenset())
        declared = repr(self.system.variables.get(name))
        return declared, frozenset((c.digest, c.defines is None) for c in stated)

    def effect(self, mutant: Mutant) -> _Effect:
        """Return what a mutant changes."""
        system = self.system
        one = self._meaning.rewritten(mutated_bodies(self.program, mutant))
        added: Iterable[Constraint]
        if one.system is None:
            removed = [c for owner in sorted(one.removed) for c in system.by_owner.get(owner, ())]
            added, declared, said = one.constraints, one.variables, system.said
        else:
            then, now = dict.fromkeys(system.constraints), dict.fromkeys(one.system.constraints)
            removed = [c for c in then if c not in now]
            added = [c for c in now if c not in then]
            declared = tuple(one.system.variables.values())
            said = one.system.said
        changed = [*removed, *added]
        found = [self.influence.heads(constraint) for constraint in changed]
        goals = {n for n in {*said, *system.said} if said.get(n) != system.said.get(n)}
        differing = [repr(v) for v in declared if v != system.variables.get(v.name)]
        says = digest_parts(
            one.refused,
            repr((sorted(one.lost), sorted(differing))),
            repr(sorted((name, said.get(name, b"").hex()) for name in goals)),
            *_content(removed),
            b"",
            *_content(added),
        )
        heads = frozenset[str]().union(*(names for names in found if names is not None))
        names = heads.union(*(walk.variables(constraint.term) for constraint in changed))
        return _Effect(says, heads, names, frozenset(goals), restricts=None in found or not changed)


def _content(constraints: Iterable[Constraint]) -> list[Digest]:
    return sorted(
        digest_parts(c.digest, str(c.owner), c.defines or "", c.instance) for c in constraints
    )


class _Comparison:
    """Tell which mutants of both versions may fare differently; immutable."""

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

    def concerns(self, mutant: Mutant, before: Mutant) -> bool:
        """Tell whether a mutant that both versions have may fare differently."""
        if self._concerns_all or mutant.element.component in self._callees:
            return True
        today, earlier = self._sides
        effect = today.effect(mutant)
        if effect.says != earlier.effect(before).says or effect.goals & self._goals:
            return True
        if effect.names & self._touched:
            return True
        if effect.restricts or effect.heads & today.influence.deciding:
            return self._asks
        # What reads a macro has to stay well-formed, whether a property sees it or not.
        is_macro = mutant.element.kind == ElementKind.DEFINE.value
        seen = self._seen | self._beside if is_macro else self._seen
        return not effect.heads.isdisjoint(seen)

    def _touched_goals(self) -> frozenset[str]:
        """Return the properties that say something else, or of which a value may be another one."""
        today, earlier = self._sides
        then, now = earlier.system.said, today.system.said
        return frozenset(
            name
            for name in {*then, *now}
            if then.get(name) != now.get(name) or today.reads[name] & self._touched
        )

    def _differs_as_a_whole(self) -> bool:
        """Tell whether there may be other executions, or the model be refused, in one version."""
        today, earlier = self._sides
        return today.frame != earlier.frame or bool(today.influence.deciding & self._touched)

    def _called_by_others(self) -> frozenset[str]:
        """Return the components that a changed one calls which is no part of the system.

        What is wrong with a call there makes a mutant of the called component no model.
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
        return frozenset[str]().union(*found)
