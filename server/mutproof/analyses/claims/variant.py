"""Variants of a system: what they are as systems, and what proofs about them rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.scope import rests_on_all, scope
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.identity import distinct
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving import certify
from mutproof.solving.parts import resting_on
from mutproof.solving.verdict import Certificate, Proved

SHALLOW = 2
"""The largest k of proofs of the model that are tried on variants before executions are searched.
"""


def applied(system: TransitionSystem, variant: Variant) -> TransitionSystem:
    """Return the system of a variant; its variables are all declared in `system`."""
    if variant.system is not None:
        return variant.system
    kept = [c for c in system.constraints if c.owner not in variant.removed]
    return system.with_constraints((*kept, *variant.constraints))


def questions(
    system: TransitionSystem, variants: Mapping[str, Variant]
) -> Callable[[tuple[str, str]], tuple[TransitionSystem, str]]:
    """Return what gives the system of a variant, made once, for its name and a property."""
    systems: dict[str, TransitionSystem] = {}

    def of(key: tuple[str, str]) -> tuple[TransitionSystem, str]:
        name, goal = key
        if name not in systems:
            systems[name] = applied(system, variants[name])
        return systems[name], goal

    return of


def changes(system: TransitionSystem, variant: Variant) -> tuple[Digest, ...]:
    """Return digests that identify a variant together with that of the system."""
    if variant.system is not None:
        return (variant.system.digest,)
    lost = [c.digest for owner in variant.removed for c in system.by_owner.get(owner, ())]
    own = [constraint.digest for constraint in variant.constraints]
    return (digest_parts(*sorted(lost)), digest_parts(*sorted(own)))


def freed(system: TransitionSystem, variant: Variant) -> tuple[SystemVariable, ...]:
    """Return the variables that a variant leaves without a definition in a state."""
    defined = {
        c.defines for c in variant.constraints if c.kind is not ConstraintKind.INIT and c.defines
    }
    lost = dict.fromkeys(
        constraint.defines
        for owner in sorted(variant.removed)
        for constraint in system.by_owner.get(owner, ())
        if constraint.kind is not ConstraintKind.INIT and constraint.defines
    )
    return tuple(system.variables[name] for name in lost if name not in defined)


def content(system: TransitionSystem) -> frozenset[Digest]:
    """Return the digests of everything a proof about the system can rest on."""
    found = {constraint.digest for constraint in system.constraints}
    found.update(bounds_digest(variable) for variable in system.variables.values())
    return frozenset(found)


def stating(system: TransitionSystem, support: frozenset[Digest]) -> frozenset[ElementId]:
    """Return the elements whose constraints are in the support of evidence."""
    owners = system.owners
    return frozenset(owner for one in support if one in owners for owner in owners[one])


@lru_cache(maxsize=1 << 16)
def bounds_digest(variable: SystemVariable) -> Digest:
    """Return the digest of a declaration: name, sort with bounds, kind."""
    return digest_parts("declares", variable.name, repr(variable.sort), variable.kind.value)


def support(
    system: TransitionSystem,
    statements: Iterable[Term],
    owners: Iterable[ElementId],
    own: Iterable[Constraint] = (),
) -> frozenset[Digest]:
    """Return digests of all that a proof of statements from some elements rests on.

    These are the constraints of the elements and those in `own`, the memories of the variables
    they and the statements read, and the declarations of all those variables.
    """
    added = tuple(own)
    terms = (*statements, *(c.term for c in added))
    return supported(system, content(resting_on(system, terms, ())), owners).union(
        c.digest for c in added
    )


def supported(
    system: TransitionSystem, stated: frozenset[Digest], owners: Iterable[ElementId]
) -> frozenset[Digest]:
    """Return the `support` of a proof from some elements; its statements alone have `stated`."""
    core = frozenset(owners)
    whole = system.supports.get(core, lambda: _supported(system, core))
    return whole if stated <= whole else stated | whole


def supported_without(
    system: TransitionSystem, owners: frozenset[ElementId], removed: Iterable[frozenset[ElementId]]
) -> dict[frozenset[ElementId], frozenset[Digest]]:
    """Return what is `supported` by some elements without some of them, for each such choice.

    Each time, only what these alone add is left out of what all of them rest on.
    """
    parts = dict(zip(owners, _parts(system, owners), strict=True))
    counted = Counter(chain.from_iterable(parts.values()))
    whole = frozenset(counted)
    found = {}
    for gone in dict.fromkeys(removed):
        lost = Counter(chain.from_iterable(parts[owner] for owner in owners & gone))
        found[gone] = whole.difference([one for one, n in lost.items() if counted[one] == n])
    return found


def _supported(system: TransitionSystem, owners: Iterable[ElementId]) -> frozenset[Digest]:
    return frozenset[Digest]().union(*_parts(system, owners))


def _parts(system: TransitionSystem, owners: Iterable[ElementId]) -> list[frozenset[Digest]]:
    """Return what a proof from each element rests on.

    An element has constraints in all instances of its node, so its part is made once.
    """
    known = system.resting
    parts = []
    for owner in owners:
        part = known.get(owner)
        if part is None:
            part = known[owner] = content(resting_on(system, (), (owner,)))
        parts.append(part)
    return parts


def grounds(system: TransitionSystem, proved: Proved) -> frozenset[Digest]:
    """Return digests of everything on which an engine's proof about a system rests."""
    if proved.core is None:
        return content(system)
    return support(system, certify.statements(system, proved.certificate), proved.core)


def combined(holds: Mapping[str, Holds]) -> Certificate:
    """Return one certificate that proves all goals of the given ones.

    A k-inductive statement is inductive for every larger k, so the conjunction is inductive
    for the largest.
    """
    return joined(list(distinct(h.certificate for h in holds.values())))


def joined(certificates: Sequence[Certificate]) -> Certificate:
    """Return one certificate that proves all goals of the given ones; see `combined`."""
    lemmas = dict.fromkeys(lemma for c in certificates for lemma in c.lemmas)
    goals = dict.fromkeys(goal for c in certificates for goal in c.goals)
    return Certificate(max((c.k for c in certificates), default=1), tuple(lemmas), tuple(goals))


def in_order(proofs: Mapping[str, Holds]) -> tuple[list[Certificate], list[Certificate]]:
    """Return the certificates of proofs, those of smallest k first; and the shallow ones in one."""
    single = dict.fromkeys(h.certificate for h in proofs.values() if h.certificate.k)
    ordered = sorted(single, key=lambda certificate: certificate.k)
    shallow = {name: h for name, h in proofs.items() if 0 < h.certificate.k <= SHALLOW}
    return ordered, [combined(shallow)] if len(ordered) > 1 and shallow else []


def decisive(
    system: TransitionSystem, names: Sequence[str], variants: Iterable[Variant]
) -> TransitionSystem:
    """Return what decides properties on all of some variants of a system, whatever their logic."""
    part = scope(system, names)
    if len(part.variables) == len(system.variables):
        return part
    return part if all(is_within(part, one.constraints) for one in variants) else system


def is_within(part: TransitionSystem, stated: Iterable[Constraint]) -> bool:
    """Tell whether what is stated is about variables of a part alone."""
    return all(walk.variables(c.term) <= part.variables.keys() for c in stated)


def rests_on(system: TransitionSystem, variant: Variant, goal: str) -> frozenset[Digest]:
    """Return what evidence without a certificate must rest on, in part, to count for a variant."""
    whole = applied(system, variant)
    return rests_on_all(whole, goal) | as_a_whole(whole)


def as_a_whole(system: TransitionSystem) -> frozenset[Digest]:
    """Return the support of evidence about any property that holds for exactly this system."""
    return frozenset({digest_parts("as a whole", system.digest)})
