"""Proofs in pieces: a piece stands on each variant that leaves what it rests on as it is.

Many statements are inductive if each follows from some that held before. What implies a few
neighbours is asked once of the system; of a variant, only those pieces are asked about that rest on
an element which it changes.

Source: statements shown apart, as a fixed point over many properties, Kahsai and Tinelli, PDMC
2011; cores of induction, Ghassabani, Gacek and Whalen, FSE 2016.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager
from dataclasses import replace

from mutproof.analyses.bench.group import Group
from mutproof.analyses.bench.near_parts import NearParts
from mutproof.analyses.bench.sieve import Bundle
from mutproof.analyses.bench.solvers import Solvers
from mutproof.analyses.claims.claim import Claim
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.parts import AROUND, SystemParts
from mutproof.solving.solver import Answer

MANY = 100
"""Fewer statements together are asked about as a whole."""

_Own = tuple[Term, ...]
"""The statements of a piece that are asked about."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """Hold neighbouring statements, others beside them, and the elements around them."""

    statements: tuple[Term, ...]
    beside: tuple[Term, ...]
    around: frozenset[ElementId]


@dataclass(frozen=True, slots=True)
class _Shown:
    """Hold by which elements, and by which statements that held before, statements hold."""

    owners: frozenset[ElementId]
    supposed: frozenset[Term]


class Pieces:
    """Tell on which variants of one system many statements are inductive; caches only.

    `near` has solvers of its parts, and one of them is asked while it is `counted`.
    """

    def __init__(
        self,
        system: TransitionSystem,
        near: NearParts[Solvers],
        counted: Callable[[Solvers], AbstractContextManager[None]],
    ) -> None:
        self._system = system
        self._near = near
        self._counted = counted
        self._meanings: dict[Term, tuple[Sequence[Term], frozenset[ElementId]]] = {}
        self._places: dict[Term, int] = {}  # of the piece that a statement is in
        self._pieces: list[_Piece] = []
        self._shown: dict[tuple[int, _Own], list[_Shown]] = {}
        self._unseen: set[tuple[int, tuple[Term, ...]]] = set()

    @cached_property
    def _parts(self) -> SystemParts:
        return SystemParts(self._system)

    def are_many(self, statements: Iterable[Term]) -> bool:
        """Tell whether statements, with all that conjunctions among them state, are many."""
        found = set[Term]()
        for one in statements:
            found.update(self._meaning(one)[0])
            if len(found) >= MANY:
                return True
        return False

    def passing(self, bundle: Bundle, statements: Iterable[Term]) -> Bundle | None:
        """Return a bundle with those of its cases on which its statements are seen to hold.

        None if there are none. They may hold on the others.
        """
        meanings = [self._meaning(one) for one in statements]
        needed = frozenset[ElementId]().union(*(owners for _, owners in meanings))
        cases = tuple(case for case in bundle.cases if needed.isdisjoint(case.variant.removed))
        stated = tuple(dict.fromkeys(one for parts, _ in meanings for one in parts))
        return self._passing(replace(bundle, cases=cases, owners=bundle.owners | needed), stated)

    def _meaning(self, statement: Term) -> tuple[Sequence[Term], frozenset[ElementId]]:
        """Return what a statement is the conjunction of, and by which element."""
        if statement not in self._meanings:
            found: tuple[Sequence[Term], frozenset[ElementId]] = (statement,), frozenset()
            constraint = self._definitions.get(statement)
            if constraint is not None:
                parts = tuple(dict.fromkeys(walk.conjuncts(constraint.term.args[1])))
                owners = () if constraint.owner is None else (constraint.owner,)
                found = (parts, frozenset(owners)) if len(parts) > 1 else found
            self._meanings[statement] = found
        return self._meanings[statement]

    @cached_property
    def _definitions(self) -> Mapping[Term, Constraint]:
        """Return what defines Boolean variables in each state, by the variable."""
        return {
            one.term.args[0]: one
            for one in self._system.constraints
            if one.kind is ConstraintKind.INVAR and one.defines is not None
        }

    def _passing(self, bundle: Bundle, statements: Sequence[Term]) -> Bundle | None:
        """Return a bundle with those of its cases on which statements are seen to hold."""
        known = self._on_system(bundle.k, statements) if bundle.cases else None
        if known is None:
            return None
        changed: dict[_Own, list[Claim]] = {}
        for case in bundle.cases:
            for own, (shown, _) in known.items():
                if not shown.owners.isdisjoint(case.variant.removed):
                    changed.setdefault(own, []).append(case)
        owners = bundle.owners.union(*(shown.owners for shown, _ in known.values()))
        failed: set[str] = set()
        stated = frozenset(statements)
        wanted = {
            own: (
                (*_near(own, known[own][1], stated), *known[own][0].supposed),
                known[own][1].around.union(*(case.variant.removed for case in cases)),
            )
            for own, cases in changed.items()
        }
        left = set(wanted)
        for portion, part in self._near.divided(bundle.cases, wanted):
            left.difference_update(portion)
            asked = {own: changed[own] for own in portion}
            with self._counted(part):
                owners |= _on_variants(part, asked, bundle.k, statements, failed=failed)
        failed.update(case.name for own in left for case in changed[own])
        cases = tuple(case for case in bundle.cases if case.name not in failed)
        return replace(bundle, cases=cases, owners=owners) if cases else None

    # --- the system itself ------------------------------------------------------------------

    def _on_system(
        self, k: int, statements: Sequence[Term]
    ) -> dict[_Own, tuple[_Shown, _Piece]] | None:
        """Return what shows statements by pieces; None if some piece is not seen to hold."""
        stated = frozenset(statements)
        found: dict[_Own, tuple[_Shown, _Piece]] = {}
        asked: dict[_Own, _Piece] = {}
        for place in dict.fromkeys(self._divided(statements)):
            piece = self._pieces[place]
            own = tuple(one for one in piece.statements if one in stated)
            shown = self._known(k, piece.statements, stated) or self._known(k, own, stated)
            if shown is not None:
                found[own] = shown, piece
            elif (k, _near(own, piece, stated)) in self._unseen:
                return None
            else:
                asked[own] = piece
        wanted = {own: (_near(own, piece, stated), piece.around) for own, piece in asked.items()}
        for portion, part in self._near.divided((), wanted):
            supposed = _spoken(part, statements)
            with self._counted(part):
                for own in portion:
                    shown = _on_part(part, own, k, supposed)
                    if shown is None:
                        self._unseen.add((k, wanted[own][0]))
                        return None
                    self._shown.setdefault((k, own), []).append(shown)
                    found[own] = shown, asked[own]
        return found if found.keys() >= asked.keys() else None

    def _known(self, k: int, own: _Own, stated: AbstractSet[Term]) -> _Shown | None:
        known = self._shown.get((k, own), ())
        return next((shown for shown in known if shown.supposed <= stated), None)

    def _divided(self, statements: Sequence[Term]) -> list[int]:
        """Return the places of the pieces that statements are in, made of neighbours if new."""
        fresh = [one for one in statements if one not in self._places]
        levels = {one: self._parts.levels(one) for one in statements} if fresh else {}
        about: dict[str, list[Term]] = {}
        for one, read in levels.items():
            for name in frozenset[str]().union(*read):
                about.setdefault(name, []).append(one)
        held, members = frozenset[int](), list[Term]()
        for one in fresh:
            near = self._parts.around(sorted(levels[one][0]), AROUND)
            if members and len(held | near) > 2 * AROUND:
                self._add(members, held, levels, about)
                held, members = frozenset(), []
            held |= near
            members.append(one)
        if members:
            self._add(members, held, levels, about)
        return [self._places[one] for one in statements]

    def _add(
        self,
        members: Sequence[Term],
        held: frozenset[int],
        levels: Mapping[Term, Sequence[frozenset[str]]],
        about: Mapping[str, Sequence[Term]],
    ) -> None:
        """Make a piece of some statements; beside them are others on what is held around them."""
        names = self._parts.names(held).union(*(levels[one][0] for one in members))
        beside: dict[Term, None] = {}
        for one in dict.fromkeys(found for name in sorted(names) for found in about.get(name, ())):
            depth = next((n for n, read in enumerate(levels[one]) if read <= names), None)
            if depth is not None:
                beside[one] = None
                held |= self._parts.definitions(frozenset[str]().union(*levels[one][:depth]))
        owners = (self._system.constraints[index].owner for index in held)
        around = frozenset(owner for owner in owners if owner is not None)
        self._places.update(dict.fromkeys(members, len(self._pieces)))
        self._pieces.append(_Piece(tuple(members), tuple(beside), around))


def _near(own: _Own, piece: _Piece, stated: AbstractSet[Term]) -> tuple[Term, ...]:
    """Return some statements of a piece, and those beside it that are stated."""
    return (*own, *(one for one in piece.beside if one in stated))


def _spoken(part: Solvers, statements: Sequence[Term]) -> tuple[Term, ...]:
    """Return the statements that speak of nothing but the variables of a part."""
    names = part.system.variables.keys()
    return tuple(one for one in statements if walk.variables(one) <= names)


def _prepare(part: Solvers, asked: Iterable[_Own], k: int, supposed: tuple[Term, ...]) -> None:
    """Make frames and literals of questions outside any scope, so that they stay."""
    part.questions.prepare(supposed, k)
    for own in asked:
        for side, frame in part.questions.places(k):
            part.questions.violation(side, own, frame)


def _on_part(part: Solvers, own: _Own, k: int, supposed: tuple[Term, ...]) -> _Shown | None:
    """Return what of a part, and of statements that held before, shows a piece; None if unseen."""
    questions = part.questions
    _prepare(part, [own], k, supposed)
    owners, needed = frozenset[ElementId](), set[Term]()
    with Group(part.model, (), about=(*supposed, *own)) as group:
        for side, frame in questions.places(k):
            literals = group.kept(side)
            first = len(literals)
            if side is questions.step:
                literals = [*literals, *questions.hypotheses(side, supposed, frame)]
            if questions.ask(side, literals, own, own, frame=frame) is not Answer.UNSAT:
                return None
            owners |= group.owners_in_core(side)
            places = (place - first for place in side.solver.core())
            needed |= {supposed[n // k] for n in places if 0 <= n < len(literals) - first}
    return _Shown(owners, frozenset(needed))


def _on_variants(
    part: Solvers,
    asked: Mapping[_Own, Sequence[Claim]],
    k: int,
    statements: Sequence[Term],
    *,
    failed: set[str],
) -> frozenset[ElementId]:
    """Return by what pieces hold on cases; add the names of those on which one may not."""
    questions, owners = part.questions, frozenset[ElementId]()
    supposed = _spoken(part, statements)
    _prepare(part, asked, k, supposed)
    cases = {case.name: case for found in asked.values() for case in found}
    with Group(part.model, [*cases.values()], about=supposed) as group:
        for own, found in asked.items():
            for side, frame in questions.places(k):
                held = questions.hypotheses(side, supposed, frame) if side is questions.step else []
                while names := [case.name for case in found if case.name not in failed]:
                    literals = [*group.any_of(side, names), *held]
                    answer = questions.ask(side, literals, own, own, frame=frame)
                    if answer is Answer.UNSAT:
                        owners |= group.owners_in_core(side)
                        break
                    chosen = group.true_in_model(side, names) if answer is Answer.SAT else names
                    failed.update(chosen or names)
    return owners
