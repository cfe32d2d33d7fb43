"""Variants of one system side by side in two solvers, each behind a literal of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from typing import Self

from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import selection, sorts
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, ConstraintKind
from mutproof.model.terms import Term
from mutproof.solving.solver import Formula, Solver
from mutproof.solving.unroll import Unrolling


@dataclass(eq=False)
class Side:
    """Hold one unrolling and the literals of statements in its frames.

    `lay_out` makes the unrolling on first use: many sides are never used.
    """

    lay_out: Callable[[], Unrolling]
    assumed: dict[tuple[Term, int], Formula] = field(default_factory=dict)
    doubted: dict[tuple[Term, int], Formula] = field(default_factory=dict)
    clauses: dict[tuple[tuple[Term, ...], int], Formula] = field(default_factory=dict)
    edited: list[tuple[ElementId, Sequence[Constraint]]] = field(default_factory=list)
    edits: dict[ElementId, Formula] = field(default_factory=dict)

    @cached_property
    def unrolling(self) -> Unrolling:
        """Return the unrolling, with all edits so far."""
        unrolling = self.lay_out()
        for number, (owner, constraints) in enumerate(self.edited):
            self.edits[owner] = unrolling.add_alternative(f"edit {number}", constraints)
        return unrolling

    @property
    def solver(self) -> Solver:
        """Return the solver of the unrolling."""
        return self.unrolling.solver

    def edit(self, owner: ElementId, constraints: Sequence[Constraint]) -> None:
        """Replace the constraints of an element from now on."""
        if "unrolling" in vars(self):
            name = f"edit {len(self.edited)}"
            self.edits[owner] = self.unrolling.add_alternative(name, constraints)
        self.edited.append((owner, constraints))

    def keep(self, owner: ElementId) -> Formula:
        """Return the literal under which an element holds as it is now."""
        unrolling = self.unrolling  # getting it applies the edits
        found = self.edits.get(owner)
        return unrolling.assume(owner) if found is None else found


@dataclass(frozen=True, slots=True)
class Model:
    """Hold what a group needs to know of the system as it is now.

    `sides` are executions from the initial states, and paths from any state. `owners` are the
    elements in order with their places, `definers` say which element defines a variable in a
    state or in the next one, `constraints` what each element states. `slicer` tells what has to
    do with a question, `belongs` which constraints of variants do.
    """

    sides: tuple[Side, Side]
    owners: Mapping[ElementId, int]
    definers: Mapping[str, ElementId | None]
    constraints: Mapping[ElementId | None, Sequence[Constraint]]
    slicer: Slicer
    belongs: Callable[[Constraint], bool]


class Group:
    """Hold the alternatives of cases, inside one scope.

    What all cases keep is assumed; an element that some of them remove holds where another case
    is chosen. `asserted`: what the cases keep is a fact inside the scope, so cores do not mention
    it. `sides` are those that will be asked, all by default. `about` is all that will be asked
    about: elements that have nothing to do with that, and restrict nothing, are not assumed.
    """

    def __init__(
        self,
        model: Model,
        cases: Sequence[Claim],
        *,
        asserted: bool = False,
        sides: Sequence[Side] | None = None,
        about: Iterable[Term] | None = None,
    ) -> None:
        self._model = model
        self._sides = model.sides if sides is None else sides
        self._asserted = asserted
        self.cases = tuple(cases)
        # Cases of one name share literals: what holds of neither could seem proved.
        assert len({case.variant.name for case in cases}) == len(self.cases)
        self._alike: dict[frozenset[ElementId], list[Claim]] = {}  # by the elements they remove
        for case in cases:
            self._alike.setdefault(case.variant.removed, []).append(case)
        removed = frozenset().union(*self._alike)
        self._named: dict[tuple[Side, str], Formula] = {}
        self._any: dict[Side, Formula] = {}
        self._others: dict[Side, list[Formula]] = {}
        needed = [*model.owners]
        self._constraints = {
            case.variant.name: [c for c in case.variant.constraints if model.belongs(c)]
            for case in cases
        }
        if about is not None:
            stated = [c.term for found in self._constraints.values() for c in found]
            found = model.slicer.owners([*about, *stated])
            needed = sorted(found, key=model.owners.__getitem__)
        self._kept = [owner for owner in needed if owner not in removed]
        bounded, definers = self._sides[0].unrolling.bounded(), model.definers
        self._gone = {
            gone: [name for name in bounded if name not in definers or definers[name] in gone]
            for gone in self._alike
        }
        # Elements that some cases remove, but not all; none if all remove the same.
        self._shared = [
            owner
            for owner in needed
            if owner in removed and not all(owner in r for r in self._alike)
        ]

    def __enter__(self) -> Self:
        choices = [
            selection.choice(
                {case.variant.name: self._constraints[case.variant.name] for case in cases},
                [c for o in sorted(removed) for c in self._model.constraints.get(o, ())],
            )
            for removed, cases in self._alike.items()
        ]
        with ExitStack() as scopes:  # none stays open if this is given up
            for side in self._sides:
                side.unrolling.push()
                scopes.callback(side.unrolling.pop)
                found = {n: f for c in choices for n, f in side.unrolling.add_choice(c).items()}
                for case in self.cases:
                    literal = found[case.variant.name]
                    self._named[side, case.variant.name] = literal
                    for bounds in self._bounds(side, case.variant):
                        side.solver.add(side.solver.implication(literal, bounds))
                some = side.solver.constant("?some-variant", sorts.BOOL)
                clause = side.solver.implication(
                    some, side.solver.disjunction(list(found.values()))
                )
                side.solver.add(clause)
                self._any[side] = some
                self._others[side] = [
                    self._held(side, number, owner) for number, owner in enumerate(self._shared)
                ]
                if self._asserted:
                    for owner in self._kept:
                        side.solver.add(side.keep(owner))
                    for literal in self._others[side]:
                        side.solver.add(literal)
            scopes.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        for side in self._sides:
            side.unrolling.pop()

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of the variables that the solvers know."""
        return frozenset(self._model.slicer.system.variables)

    def _held(self, side: Side, number: int, owner: ElementId) -> Formula:
        """Return a literal under which an element holds if the chosen case keeps it."""
        literal = side.solver.constant(f"?held:{number}", sorts.BOOL)
        for case in self.cases:
            if owner not in case.variant.removed:
                chosen = self._named[side, case.variant.name]
                both = side.solver.conjunction([literal, chosen])
                side.solver.add(side.solver.implication(both, side.keep(owner)))
        return literal

    def literals(self, side: Side, variant: Variant) -> list[Formula]:
        """Return the assumptions of one variant."""
        return [*self.kept(side), self._named[side, variant.name]]

    def kept(self, side: Side) -> list[Formula]:
        """Return the assumptions of all cases: elements first, as `owners_in_core` expects."""
        if self._asserted:
            return []
        return [*map(side.keep, self._kept), *self._others[side]]

    def _bounds(self, side: Side, variant: Variant) -> list[Formula]:
        """Return literals that bound what a variant leaves undefined to its declared sort."""
        defined = {c.defines for c in variant.constraints if c.kind is not ConstraintKind.INIT}
        gone = self._gone[variant.removed]
        found = [side.unrolling.assume_bounds(name) for name in gone if name not in defined]
        return [literal for literal in found if literal is not None]

    def any_of(self, side: Side, names: Sequence[str]) -> list[Formula]:
        """Return assumptions under which one of the named variants, at least, is chosen."""
        wanted = set(names)
        others = [
            side.solver.negation(self._named[side, case.variant.name])
            for case in self.cases
            if case.variant.name not in wanted
        ]
        return [*self.kept(side), *others, self._any[side]]

    def true_in_model(self, side: Side, names: list[str]) -> list[str]:
        """Return the variants that the last model chooses."""
        return [
            name for name in names if side.solver.value(self._named[side, name], sorts.BOOL) is True
        ]

    def owners_in_core(self, side: Side) -> set[ElementId]:
        """Return the elements whose literals are in the core of the last query.

        Some may be removed by single cases: they are there for the others.
        """
        assumed = [*self._kept, *self._shared]
        return {assumed[index] for index in side.solver.core() if index < len(assumed)}
