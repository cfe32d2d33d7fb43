"""Local induction: on the part of the system around each statement, a proof for each goal.

Whether a statement holds after k states in which it and others hold is asked on the part of the
system around it; if that fails, on larger parts. Cores say which elements and other statements were
needed. A goal is proved if the statements that it needs, those that they need, and so on, are all
shown: they are k-inductive together.

Source: k-induction, Sheeran, Singh and Stålmarck, FMCAD 2000; modular invariants as a fixed
point over many properties, Kahsai and Tinelli, PDMC 2011.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.local_part import Ask, LocalPart, Need
from mutproof.solving.parts import SystemParts
from mutproof.solving.workshop import Workshop

SIZES = (40, 160)
"""The approximate numbers of constraints of the parts that are tried one after the other."""

MOST_MISSED = 32
"""How many statements may stay open before a search is given up that shows fewer."""

MANY = 100
"""From this many statements on, those that a batch needs are determined first."""

BATCH = 48
"""How many statements are then shown together."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hold a proof of one goal: it and the lemmas are k-inductive, given some elements."""

    goal: Term
    lemmas: tuple[Term, ...]
    owners: frozenset[ElementId]


Search: TypeAlias = Generator[tuple[Share, ...], None, bool]
"""It yields proofs, and returns whether the other goals are known to have no proof with this k."""


class Local:
    """Search for proofs in parts of one system; keeps what it knows of the system."""

    def __init__(self, system: TransitionSystem, workshop: Workshop, ask: Ask) -> None:
        self._parts = SystemParts(system)
        self._workshop = workshop
        self._ask = ask
        self._levels: dict[Term, tuple[frozenset[str], ...]] = {}

    @property
    def is_small(self) -> bool:
        """Tell whether parts of the first size are the whole system."""
        return is_whole(self._parts.system, SIZES[0])

    def search(
        self,
        k: int,
        goals: Iterable[Term],
        lemmas: Iterable[Term] = (),
        sizes: Sequence[int] = SIZES,
        *,
        patient: bool = False,
        joint: bool = False,
    ) -> Search:
        """Look for goals that are k-inductive with other goals and with lemmas.

        Lemmas are supposed, and shown only if goals need them. If the whole system is not much
        larger than a part, it is used instead. Unless `patient`, the search ends when it shows
        little. If `joint`, what goals need may be found for many of them at once.
        """
        wanted = tuple(dict.fromkeys(goals))
        statements = {term: self._levels_of(term) for term in dict.fromkeys((*wanted, *lemmas))}
        about = self._parts, self._workshop, self._ask
        found = _Search(*about, k, statements=statements, joint=joint)
        return found.run(range(len(wanted)), sizes, patient=patient)

    def _levels_of(self, term: Term) -> tuple[frozenset[str], ...]:
        if term not in self._levels:
            self._levels[term] = self._parts.levels(term)
        return self._levels[term]


def is_whole(system: TransitionSystem, size: int) -> bool:
    """Tell whether to take the whole system in place of parts of about `size` constraints."""
    return len(system.constraints) <= 4 * size


class _Search:
    def __init__(
        self,
        parts: SystemParts,
        workshop: Workshop,
        ask: Ask,
        k: int,
        *,
        statements: Mapping[Term, tuple[frozenset[str], ...]],
        joint: bool,
    ) -> None:
        self._parts = parts
        self._workshop = workshop
        self._ask = ask
        self._k = k
        self._joint = joint
        self._statements = tuple(statements)
        self._levels = tuple(statements.values())
        self._about: dict[str, list[int]] = {}
        for index, levels in enumerate(self._levels):
            for name in sorted(frozenset[str]().union(*levels)):
                self._about.setdefault(name, []).append(index)
        self._needs: dict[int, Need] = {}
        self._failed: set[int] = set()
        self._conclusive = True

    def run(self, goals: Iterable[int], sizes: Sequence[int], *, patient: bool) -> Search:
        """Yield shares as they are found; see `Local.search`."""
        queue = list(goals)
        left = dict.fromkeys(queue)
        while queue:
            for size in sizes:
                missed: list[int] = []
                for cluster, members in self._clusters(queue, size):
                    missed += self._decide(cluster, members)
                    yield tuple(self._closed(left, members))
                    if not patient and len(missed) > MOST_MISSED + 2 * len(self._needs):
                        return False
                whole, queue = is_whole(self._parts.system, size), missed
                if whole or not queue:
                    break
            else:
                self._conclusive = False
            self._failed.update(queue)
            yield tuple(self._closed(left, tuple(left)))
            queue = self._next(left)
        return self._conclusive

    def _next(self, goals: Iterable[int]) -> list[int]:
        """Return the statements to show next: those that goals need and that are not shown yet."""
        found: set[int] = set()
        seen: set[int] = set()
        stack = list(goals)
        while stack:
            index = stack.pop()
            if index in seen or index in self._failed:
                continue
            seen.add(index)
            need = self._needs.get(index)
            if need is None:
                found.add(index)
            elif not need.supposed.isdisjoint(self._failed):
                del self._needs[index]
                found.add(index)
            else:
                stack.extend(need.supposed)
        return sorted(found)

    def _closure(self, goal: int) -> set[int]:
        """Return all statements that a goal needs, with itself; empty if one is not shown."""
        seen: set[int] = set()
        stack = [goal]
        while stack:
            index = stack.pop()
            if index not in seen:
                need = self._needs.get(index)
                if need is None:
                    return set()
                seen.add(index)
                stack.extend(need.supposed)
        return seen

    def _closed(self, left: dict[int, None], goals: Iterable[int]) -> Iterator[Share]:
        """Yield the proofs of goals in `left` that are proved; remove these from it."""
        for goal in goals:
            closure = self._closure(goal) if goal in left else None
            if closure:
                del left[goal]
                lemmas = tuple(self._statements[i] for i in sorted(closure) if i != goal)
                owners = frozenset[ElementId]().union(*(self._needs[i].owners for i in closure))
                yield Share(self._statements[goal], lemmas, owners)

    # --- parts ------------------------------------------------------------------------------

    def _clusters(self, queue: Sequence[int], size: int) -> Iterator[tuple[LocalPart, list[int]]]:
        """Yield parts of the system, each with the queued statements that lie in it."""
        if is_whole(self._parts.system, size):
            everything = [i for i in range(len(self._statements)) if i not in self._failed]
            yield self._cluster(self._parts.system, everything), list(queue)
            return
        held: frozenset[int] = frozenset()
        members: list[int] = []
        for index in queue:
            near = self._parts.around(sorted(self._levels[index][0]), size)
            if members and len(held | near) > 2 * size:
                yield self._around(held, members), members
                held, members = frozenset(), []
            held |= near
            members.append(index)
        if members:
            yield self._around(held, members), members

    def _around(self, held: frozenset[int], members: Sequence[int]) -> LocalPart:
        """Return the part around `held` with all statements about it and their definitions."""
        names = self._parts.names(held)
        names.update(name for index in members for name in self._levels[index][0])
        candidates = sorted({index for name in names for index in self._about.get(name, ())})
        supposed = set(members)
        kept, mentioned = set(held), set(names)
        for index in candidates:
            if index in self._failed:
                continue
            levels = self._levels[index]
            for depth, level in enumerate(levels):
                if level <= names:
                    supposed.add(index)
                    between = frozenset[str]().union(*levels[:depth])
                    kept |= self._parts.definitions(between)
                    mentioned |= levels[0]
                    break
        return self._cluster(self._parts.cut(kept, mentioned), sorted(supposed))

    def _cluster(self, part: TransitionSystem, supposed: Sequence[int]) -> LocalPart:
        statements = {index: self._statements[index] for index in supposed}
        return LocalPart(
            self._workshop, self._ask, part, self._parts.system, statements=statements, k=self._k
        )

    def _decide(self, cluster: LocalPart, members: Sequence[int]) -> list[int]:
        """Ask about statements; return those that are not proved."""
        missed = []
        many = len(cluster.statements) >= MANY
        for start in range(0, len(members), BATCH if many else len(members) or 1):
            batch = members[start : start + BATCH] if many else members
            if self._joint and (shown := cluster.together(batch)) is not None:
                self._needs.update(dict.fromkeys(*shown))
                batch = [index for index in batch if index not in self._needs]
            asked = cluster.around(batch) if many else cluster
            for index in batch:
                need = asked.need(index)
                if need is None and asked is not cluster:
                    need = cluster.need(index)
                if need is None:
                    missed.append(index)
                else:
                    self._needs[index] = need
            if not many:
                self._follow(cluster, batch)
        if cluster.unknown:
            self._conclusive = False
        return missed

    def _follow(self, cluster: LocalPart, members: Sequence[int]) -> None:
        """Show what statements need in the part that shows them, as far as it goes."""
        stack, seen = [*members], self._failed.union(members)
        while stack:
            need = self._needs.get(stack.pop())
            for index in [] if need is None else sorted(need.supposed - seen):
                if index in cluster.statements and index not in self._needs:
                    found = cluster.need(index)
                    if found is not None:
                        self._needs[index] = found
                        stack.append(index)
                seen.add(index)
