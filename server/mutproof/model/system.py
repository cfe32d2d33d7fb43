"""Transition systems: what a program means to the engines.

A state gives every variable a value. INIT constraints hold in the first state, INVAR
constraints in every state, TRANS constraints between every state and the next one (they read
`next_var`). Terms are over scalar sorts and use no operator of time, parts, calls or sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from functools import lru_cache

from mutproof.base.digest import BEFORE_DIGEST, Digest, digest_framed, digest_parts, framed
from mutproof.base.identity import distinct
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import ASSIGNS, ElementId, ElementKind, PropertyKind
from mutproof.model.sorts import BoolSort, Sort, WordSort, contains
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

_BITS = (BoolSort, WordSort)
_NEVER_BLOCKS = frozenset(kind.value for kind in (*ASSIGNS, ElementKind.DEFINE))


class ConstraintKind(Enum):
    """Say when a constraint holds."""

    __hash__ = object.__hash__  # Enum's own is a Python function and slow

    INIT = "init"
    INVAR = "invar"
    TRANS = "trans"


MOST_KEPT = 16
"""How many answers of one kind are kept with a system: several analyses ask in a row."""


class SystemVariableKind(Enum):
    """Say whether a variable is remembered between states."""

    __hash__ = object.__hash__

    INPUT = "input"  # free in every state
    STATE = "state"  # constrained by TRANS
    DEFINED = "defined"  # given by an INVAR equation


@dataclass(frozen=True, slots=True)
class SystemVariable:
    """Declare a scalar variable; engines restrict it to the bounds of `sort` where it is free.

    A DEFINED variable is not restricted: its equation gives its values. `shown` is false for
    variables that the source does not name.
    """

    name: str
    sort: Sort
    kind: SystemVariableKind
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Constraint:
    """Hold one conjunct of the system.

    `owner` is the element it comes from, None for what no element states (memories, initial
    flags). `defines` names the variable v where the term is `v = e` (INVAR, INIT) or
    `next(v) = e` (TRANS) and nothing else defines v at that point. `instance` is the path of
    the instance the occurrence belongs to.
    """

    kind: ConstraintKind
    term: Term
    owner: ElementId | None = None
    defines: str | None = None
    instance: str = ""

    @property
    def digest(self) -> Digest:
        """Return the digest of kind and term (the owner is a name, not a meaning)."""
        return _digest(self.kind, self.term)

    @property
    def never_blocks(self) -> bool:
        """Tell whether this is an assignment, which leaves every state a successor."""
        return self.owner is None or self.owner.kind in _NEVER_BLOCKS


_FRAMED = {kind: framed(kind.value) for kind in ConstraintKind}


@lru_cache(maxsize=1 << 16)
def _digest(kind: ConstraintKind, term: Term) -> Digest:
    return digest_framed(_FRAMED[kind] + BEFORE_DIGEST + term.digest)


def declared(variable: SystemVariable) -> str:
    """Return what a declaration says, as digests have it."""
    kind = _shown_kind(variable.sort, variable.kind, shown=variable.shown)
    return f"{variable.name!r}: {kind}"


@lru_cache(maxsize=1 << 12)
def _shown_kind(sort: Sort, kind: SystemVariableKind, *, shown: bool) -> str:
    return repr((sort, kind.value, shown))


@lru_cache(maxsize=1 << 16)
def read(term: Term) -> frozenset[str]:
    """Return the variables of a term, kept: systems of mutants share nearly all constraints."""
    return walk.variables(term)


@dataclass(frozen=True, slots=True)
class SystemProperty:
    """State a property over the variables of the system."""

    name: str
    term: Term
    kind: PropertyKind = PropertyKind.INVARIANT
    owner: ElementId | None = None  # the equation that defines its term, if any

    @property
    def digest(self) -> Digest:
        """Return the digest of term and logic: a term has another meaning in another logic."""
        return digest_parts(self.kind.value, self.term.digest)


@dataclass(frozen=True)
class TransitionSystem:
    """Hold variables, constraints and properties; immutable, compared by digest.

    `relational`: constraints relate states and need not define them, so an execution is given
    by its whole states (NuSMV); otherwise it follows from its inputs and first memories.
    """

    variables: Mapping[str, SystemVariable]
    constraints: tuple[Constraint, ...]
    properties: tuple[SystemProperty, ...]
    fairness: tuple[Term, ...] = ()
    compassion: tuple[tuple[Term, Term], ...] = ()
    relational: bool = False

    @cached_property
    def digest(self) -> Digest:
        """Return the digest of the meaning: constraints in any order count the same."""
        return digest_parts(b"".join(sorted([c.digest for c in self.constraints])), self.frame)

    @cached_property
    def frame(self) -> Digest:
        """Return the digest of all but constraints."""
        parts: list[bytes | str | int] = [
            "\n".join([declared(self.variables[name]) for name in sorted(self.variables)])
        ]
        for stated in self.properties:
            parts.extend((stated.name, stated.digest))
        parts.extend((len(self.fairness), *(term.digest for term in self.fairness)))
        for left, right in self.compassion:
            parts.extend((left.digest, right.digest))
        return digest_parts(*parts)

    def with_constraints(self, constraints: tuple[Constraint, ...]) -> TransitionSystem:
        """Return the system with other constraints; what does not depend on these is shared."""
        other = replace(self, constraints=constraints)
        vars(other).update(frame=self.frame, original=self)
        return other

    @cached_property
    def original(self) -> TransitionSystem | None:
        """Return the system that this one is but for constraints, if it was made of one."""
        return None

    @cached_property
    def never_blocks(self) -> bool:
        """Tell whether there are assignments alone, so that every state has a successor."""
        return all(constraint.never_blocks for constraint in self.constraints)

    @cached_property
    def goes_on(self) -> bool:
        """Tell whether each execution begins an infinite one, all being fair.

        So it is where assignments alone say what follows a state.
        """
        is_free = self.relational and not (self.fairness or self.compassion)
        return is_free and all(
            c.kind is ConstraintKind.INIT or ((c.owner or c.defines) is not None and c.never_blocks)
            for c in self.constraints
        )

    @cached_property
    def is_of_words(self) -> bool:
        """Tell whether all values are words, at least one, or Booleans: a SAT solver may do."""
        declared = [variable.sort for variable in self.variables.values()]
        if not any(isinstance(sort, WordSort) for sort in declared):
            return False
        stated = [c.term for c in self.constraints] + [p.term for p in self.properties]
        return all(isinstance(sort, _BITS) for sort in declared) and all(
            part.op is Op.CONST or (isinstance(part.sort, _BITS) and part.op is not Op.APPLY)
            for term in stated
            for part in walk.subterms(term)
        )

    @cached_property
    def attributed(self) -> Digest:
        """Return the digest of the meaning and of which element states what part of it.

        Results about a system without some of its elements depend on both.
        """
        parts: list[bytes | str] = [self.digest]
        owners = (owner for owner in self.by_owner if owner is not None)
        for owner in sorted(owners, key=lambda one: (one.component, one.kind, one.name)):
            own = sorted(constraint.digest for constraint in self.by_owner[owner])
            parts += [owner.component, owner.kind, owner.name, str(len(own)), *own]
        return digest_parts(*parts)

    @cached_property
    def by_owner(self) -> dict[ElementId | None, tuple[Constraint, ...]]:
        """Return the constraints of every element, in order."""
        found: dict[ElementId | None, list[Constraint]] = {}
        for constraint in self.constraints:
            found.setdefault(constraint.owner, []).append(constraint)
        return {owner: tuple(constraints) for owner, constraints in found.items()}

    @cached_property
    def chosen(self) -> frozenset[str]:
        """Return the variables whose values at every step are chosen, not computed.

        These are the inputs and what no INVAR or TRANS constraint defines; in a relational
        system all variables but the DEFINED ones that have their definition.
        """
        defined = {
            constraint.defines
            for constraint in self.constraints
            if constraint.kind is not ConstraintKind.INIT
        }
        return frozenset(
            name
            for name, declared in self.variables.items()
            if name not in defined
            or declared.kind is SystemVariableKind.INPUT
            or (self.relational and declared.kind is SystemVariableKind.STATE)
        )

    @cached_property
    def reads(self) -> tuple[frozenset[str], ...]:
        """Return the variables that each constraint mentions, in either state."""
        return tuple(map(read, (constraint.term for constraint in self.constraints)))

    @cached_property
    def read_by_owner(self) -> dict[ElementId | None, tuple[str, ...]]:
        """Return the variables that the constraints of every element mention, each once."""
        found: dict[ElementId | None, dict[str, None]] = {}
        for constraint, names in zip(self.constraints, self.reads, strict=True):
            found.setdefault(constraint.owner, {}).update(dict.fromkeys(sorted(names)))
        return {owner: tuple(names) for owner, names in found.items()}

    @cached_property
    def constants(self) -> tuple[Term, ...]:
        """Return the constants in the constraints, each once."""
        found: dict[Term, None] = {}
        seen: set[Term] = set()
        for constraint in self.constraints:
            stack = [constraint.term]
            while stack:
                term = stack.pop()
                if term.op is Op.CONST:
                    found[term] = None
                for arg in reversed(term.args):
                    if arg not in seen:
                        seen.add(arg)
                        stack.append(arg)
        return tuple(found)

    @cached_property
    def definers(self) -> dict[str, ElementId | None]:
        """Return the owners of the definitions of variables, in a state or in the next one."""
        return {
            constraint.defines: constraint.owner
            for constraint in self.constraints
            if constraint.defines is not None and constraint.kind is not ConstraintKind.INIT
        }

    @cached_property
    def equations(self) -> dict[str, Constraint]:
        """Return the constraints that define variables in each state, by variable."""
        return {
            constraint.defines: constraint
            for constraint in self.constraints
            if constraint.defines is not None and constraint.kind is ConstraintKind.INVAR
        }

    @cached_property
    def unowned(self) -> dict[str | None, tuple[int, ...]]:
        """Return the indices of constraints without owner by the variables they may restrict.

        Those over no variable are under None: they restrict everything.
        """
        found: dict[str | None, list[int]] = {}
        for index, constraint in enumerate(self.constraints):
            if constraint.owner is None:
                if constraint.defines is not None:
                    names: list[str | None] = [constraint.defines]
                else:
                    names = [*sorted(self.reads[index])] or [None]
                for name in names:
                    found.setdefault(name, []).append(index)
        return {name: tuple(indices) for name, indices in found.items()}

    @cached_property
    def positions(self) -> dict[str, int]:
        """Return the 0-based place of every variable."""
        return {name: place for place, name in enumerate(self.variables)}

    @cached_property
    def owners(self) -> dict[Digest, frozenset[ElementId]]:
        """Return the elements that state each constraint, by its digest; only stated ones."""
        found: dict[Digest, frozenset[ElementId]] = {}
        for constraint in self.constraints:
            if constraint.owner is not None:
                known = found.get(constraint.digest, frozenset())
                found[constraint.digest] = known | {constraint.owner}
        return found

    @cached_property
    def resting(self) -> dict[ElementId, frozenset[Digest]]:
        """Return a memo: digests of all that a proof from one element rests on."""
        return {}

    @cached_property
    def supports(self) -> Memo[frozenset[Digest]]:
        """Return a memo: digests of all that a proof rests on, by its core."""
        return Memo(MOST_KEPT)

    @cached_property
    def stating(self) -> Memo[frozenset[ElementId]]:
        """Return a memo: the elements that state what some elements do, these among them."""
        return Memo(MOST_KEPT)

    @cached_property
    def scopes(self) -> Memo[TransitionSystem]:
        """Return a memo: parts that decide properties, by their names."""
        return Memo(MOST_KEPT)

    @cached_property
    def cones(self) -> Memo[object]:
        """Return a memo: what `cone_digests` knows, once."""
        return Memo(1)

    @cached_property
    def said(self) -> dict[str, Digest]:
        """Return the digest of the meaning of every property, by its name."""
        return {stated.name: stated.digest for stated in self.properties}

    @cached_property
    def _stated(self) -> dict[str, SystemProperty]:
        return {stated.name: stated for stated in reversed(self.properties)}

    def property(self, name: str) -> SystemProperty:
        """Return the property of that name.

        Raises:
            KeyError: there is none.
        """
        return self._stated[name]


def in_bounds(variables: Mapping[str, SystemVariable], choices: Choices) -> bool:
    """Tell whether values that are chosen belong to the sorts of the variables there are."""
    # Many steps are the very same.
    for row in distinct((choices.before, *choices.steps)):
        for name, value in row.items():
            variable = variables.get(name)
            if variable is not None and not contains(variable.sort, value):
                return False
    return True
