"""A transition system laid out over frames: variable v at frame k is the constant `v@k`.

Each constraint is translated once, over frames 0 and 1, and carried to other frames by
substitution. A labelled unrolling puts every element behind a literal, so that elements can
be left out and replaced without a new solver.

Bounds: a variable is restricted to the bounds of its sort at every step at which nothing
defines it: inputs always, a STATE variable with a TRANS definition in the first state only
(lemmas must say what holds later), a DEFINED variable never. In a labelled unrolling the
bounds of a variable whose definition can be left out are a choice of each check: literals
(`assume_bounds`) that are not assumed restrict nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model import selection, walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import Formula, Solver, UnsupportedTermError


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Hold what unrollings of parts of one system share in one context.

    These are constants by name, terms over frames 0 and 1 and over others, and what they read.
    """

    constants: dict[tuple[str, int], Formula] = field(default_factory=dict)
    terms: dict[Term, Formula] = field(default_factory=dict)
    moved: dict[tuple[Term, int], Formula] = field(default_factory=dict)
    reads: dict[Term, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Alternative:
    invar: Formula | None
    trans: Formula | None
    names: tuple[str, ...]  # variables that its formulas read


class Unrolling:
    """Keep the frames of one system in one solver; mutable, grows on demand.

    `initial`: frame 0 is a first state (INIT holds); otherwise it is any state. `labelled`:
    constraints with an owner hold only where their owner's literal is assumed. `guarded`: the
    constraints of a frame hold only where the frame's literal is assumed. `label` sets the
    constants of several unrollings in one context apart. `within`: the system is a part of that
    one, and a variable is not restricted to its bounds where that one defines it.
    """

    def __init__(
        self,
        solver: Solver,
        system: TransitionSystem,
        *,
        initial: bool,
        labelled: bool = False,
        guarded: bool = False,
        label: str = "",
        within: TransitionSystem | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        assert not label or vocabulary is None
        shared = Vocabulary() if vocabulary is None else vocabulary
        self.solver = solver
        self.system = system
        self.labelled = labelled
        self._guards: list[Formula] | None = [] if guarded else None
        self._initial = initial
        self._label = label
        self._names = tuple(system.variables)
        self._frames = 0
        self._base_memo = shared.terms
        self._moved_memo = shared.moved
        self._reads = shared.reads
        self._spare = shared.constants
        self._rows: dict[int, list[Formula]] = {}
        self._owners: dict[ElementId, Formula] = {}
        self._bounds: dict[str, Formula] = {}
        self._alternatives: dict[str, _Alternative] = {}
        self._selectors: dict[str, Formula] = {}
        self._scopes: list[tuple[int, dict[str, _Alternative]]] = []
        if labelled:
            for owner in system.by_owner:
                if owner is not None:
                    self._owners[owner] = self._literal(f"keep:{len(self._owners)}")
        self._defined_by = (system if within is None else within).definers
        self._in_domain = self._domain_template(first=False)
        self._in_domain_first = self._domain_template(first=True)
        self._init = self._template(ConstraintKind.INIT, system.constraints)
        self._invar = self._template(ConstraintKind.INVAR, system.constraints)
        self._trans = self._template(ConstraintKind.TRANS, system.constraints)

    # --- frames -------------------------------------------------------------------------------

    @property
    def frames(self) -> int:
        """Return the number of frames there are."""
        return self._frames

    def frame(self, number: int) -> None:
        """Make the frames up to the 0-based `number` exist.

        A frame restricts earlier ones: to those that have a successor.
        """
        while self._frames <= number:
            self._extend()

    def guards(self, last: int) -> list[Formula]:
        """Return the literals under which the constraints of frames 0 .. `last` hold.

        In a guarded unrolling all frames can stay: one that is not assumed restricts nothing,
        so the states of the last assumed frame need no successor.
        """
        assert self._guards is not None
        return self._guards[: last + 1]

    def variable(self, name: str, frame: int) -> Formula:
        """Return a variable in a frame, which need not exist yet.

        Raises:
            UnsupportedTermError: the system has no such variable.
        """
        key = (name, frame)
        found = self._spare.get(key)
        if found is None:
            declared = self.system.variables.get(name)
            if declared is None:
                message = f"the system has no variable {name!r}"
                raise UnsupportedTermError(message)
            found = self.solver.constant(f"{self._label}{name}@{frame}", declared.sort)
            self._spare[key] = found
        return found

    def term(self, term: Term, frame: int) -> Formula:
        """Return a term in a frame; `next_var` leaves read the frame after it."""
        if frame == 0:
            return self._at_base(term)
        found = self._moved_memo.get((term, frame))
        if found is None:
            names = self._names_in(term)
            old = [self.variable(name, 0) for name in names]
            new = [self.variable(name, frame) for name in names]
            if Op.NEXT_VAR in walk.operators(term):
                old += [self.variable(name, 1) for name in names]
                new += [self.variable(name, frame + 1) for name in names]
            found = self.solver.substitute(self._at_base(term), old, new)
            self._moved_memo[term, frame] = found
        return found

    def push(self) -> None:
        """Open a scope of frames, alternatives and assertions."""
        self._scopes.append((self._frames, dict(self._alternatives)))
        self.solver.push()

    def pop(self) -> None:
        """Forget frames, alternatives and assertions since the matching `push`."""
        self._frames, self._alternatives = self._scopes.pop()
        self.solver.pop()

    # --- literals -----------------------------------------------------------------------------

    def owners(self) -> tuple[ElementId, ...]:
        """Return the elements that have literals, in order of the system."""
        return tuple(self._owners)

    def assume(self, owner: ElementId) -> Formula:
        """Return the literal under which an element's constraints hold."""
        return self._owners[owner]

    def bounded(self) -> tuple[str, ...]:
        """Return the DEFINED variables that have a literal for their bounds, in order."""
        return tuple(self._bounds)

    def assume_bounds(self, name: str) -> Formula | None:
        """Return the literal under which a variable is in bounds; None if it has none."""
        return self._bounds.get(name)

    def add_alternative(self, name: str, constraints: Sequence[Constraint]) -> Formula:
        """Add constraints that hold, in all frames, where the returned literal is assumed.

        To replace an element by them, do not assume the element's own literal.
        """
        literal = self._literal(f"alternative:{name}")
        parts = {
            kind: [self._translated(c) for c in constraints if c.kind is kind]
            for kind in ConstraintKind
        }
        guarded = {
            kind: self.solver.implication(literal, self.solver.conjunction(formulas))
            if formulas
            else None
            for kind, formulas in parts.items()
        }
        alternative = _Alternative(
            guarded[ConstraintKind.INVAR],
            guarded[ConstraintKind.TRANS],
            tuple(
                sorted(
                    {name for c in constraints for name in self._names_in(c.term)}
                    - self._selectors.keys()
                )
            ),
        )
        self._alternatives[name] = alternative
        init = guarded[ConstraintKind.INIT]
        if init is not None and self._initial:
            self.solver.add(init)
        for number in range(self._frames):
            if alternative.invar is not None:
                self._add(self._moved(alternative.invar, number, alternative.names), number)
            if alternative.trans is not None and number > 0:
                self._add(self._moved(alternative.trans, number - 1, alternative.names), number)
        return literal

    def add_choice(self, choice: selection.Choice) -> dict[str, Formula]:
        """Add alternatives, of which one at most can be assumed; return their literals by name.

        Constraints that they have in common are added once.
        """
        literals = {name: self._literal(f"alternative:{name}") for name in choice.names}
        for name, constraints in choice.apart.items():
            self.add_alternative(name, constraints)
        for name, selector in choice.selectors.items():
            self._selectors[str(selector.payload)] = literals[name]
        if choice.together:
            some = self.add_alternative(f"choice:{next(iter(choice.selectors))}", choice.together)
            for name in choice.selectors:
                self.solver.add(self.solver.implication(literals[name], some))
        self._at_most_one(list(literals.values()))
        return literals

    def _at_most_one(self, literals: Sequence[Formula]) -> None:
        earlier = literals[0]
        for literal in literals[1:]:
            both = self.solver.conjunction([earlier, literal])
            self.solver.add(self.solver.negation(both))
            earlier = self.solver.disjunction([earlier, literal])

    # --- models -------------------------------------------------------------------------------

    def choices(
        self,
        last: int,
        *,
        system: TransitionSystem | None = None,
        freed: Iterable[SystemVariable] = (),
    ) -> Choices:
        """Return what the model of the last SAT chooses in frames 0 .. `last`, for a replay.

        Steps hold the inputs and every variable that nothing defines at that step, which are
        those of another version of the system if one is given; beside them `freed`, variables
        whose definitions were not assumed.

        Raises:
            NotRepresentableError: a value is an irrational real number.
        """
        whole = self.system if system is None else system
        before = {
            name: self._value(declared, 0)
            for name, declared in whole.variables.items()
            if declared.kind is SystemVariableKind.STATE and not whole.relational
        }
        names = whole.chosen.union(found.name for found in freed)
        chosen = [declared for name, declared in whole.variables.items() if name in names]
        steps = tuple(
            {declared.name: self._value(declared, number) for declared in chosen}
            for number in range(last + 1)
        )
        return Choices(steps, before, self.solver.function_tables())

    def valuation(self, frame: int) -> Mapping[str, Value]:
        """Return the values of all variables in a frame of the model of the last SAT."""
        return {
            name: self._value(declared, frame) for name, declared in self.system.variables.items()
        }

    # --- private ------------------------------------------------------------------------------

    def _value(self, declared: SystemVariable, frame: int) -> Value:
        return self.solver.value(self.variable(declared.name, frame), declared.sort)

    def _literal(self, name: str) -> Formula:
        return self.solver.constant(f"{self._label}?{name}", BOOL)

    def _leaf(self, term: Term) -> Formula:
        selector = self._selectors.get(str(term.payload))
        if selector is not None:
            return selector
        return self.variable(str(term.payload), 1 if term.op is Op.NEXT_VAR else 0)

    def _at_base(self, term: Term) -> Formula:
        found = self._base_memo.get(term)
        if found is None:
            found = self.solver.translate(term, self._leaf, self._base_memo)
        return found

    def _names_in(self, term: Term) -> tuple[str, ...]:
        if term not in self._reads:
            self._reads[term] = tuple(sorted(walk.variables(term)))
        return self._reads[term]

    def _translated(self, constraint: Constraint) -> Formula:
        return self._at_base(constraint.term)

    def _template(self, kind: ConstraintKind, constraints: Sequence[Constraint]) -> Formula | None:
        always: list[Formula] = []
        owned: dict[ElementId, list[Formula]] = {}
        for constraint in constraints:
            if constraint.kind is kind:
                formula = self._translated(constraint)
                if self.labelled and constraint.owner is not None:
                    owned.setdefault(constraint.owner, []).append(formula)
                else:
                    always.append(formula)
        for owner, formulas in owned.items():
            always.append(
                self.solver.implication(self._owners[owner], self.solver.conjunction(formulas))
            )
        return self.solver.conjunction(always) if always else None

    def _domain_template(self, *, first: bool) -> Formula | None:
        """Return bounds of variables at every frame, or (`first`) those of the first state only."""
        found: list[Formula] = []
        for name, declared in self.system.variables.items():
            bounds = self.solver.in_domain(self.variable(name, 0), declared.sort)
            if bounds is None:
                continue
            if name not in self._defined_by:
                if not first:
                    found.append(bounds)
                continue
            if first:
                if declared.kind is SystemVariableKind.STATE:
                    found.append(bounds)
            elif self.labelled and self._defined_by[name] is not None:
                literal = self._literal(f"bounds:{name}")
                self._bounds[name] = literal
                found.append(self.solver.implication(literal, bounds))
        return self.solver.conjunction(found) if found else None

    def _moved(self, formula: Formula, frame: int, names: Sequence[str] | None = None) -> Formula:
        """Return a formula over frames 0 and 1, moved to `frame` and the next frame.

        `names` are the variables that it reads; None: any.
        """
        if frame == 0:
            return formula
        old = self._constants(0, names) + self._constants(1, names)
        new = self._constants(frame, names) + self._constants(frame + 1, names)
        return self.solver.substitute(formula, old, new)

    def _constants(self, frame: int, names: Sequence[str] | None) -> list[Formula]:
        if names is not None:
            return [self.variable(name, frame) for name in names]
        if frame not in self._rows:
            self._rows[frame] = [self.variable(name, frame) for name in self._names]
        return self._rows[frame]

    def _extend(self) -> None:
        number = self._frames
        self._frames += 1
        if self._guards is not None and len(self._guards) == number:
            self._guards.append(self._literal(f"frame:{number}"))
        if number == 0 and self._initial:
            for formula in (self._init, self._in_domain_first):
                if formula is not None:
                    self.solver.add(formula)
        found: list[Formula | None] = [self._in_domain, self._invar]
        found += [alternative.invar for alternative in self._alternatives.values()]
        added = [self._moved(formula, number) for formula in found if formula is not None]
        if number > 0:
            steps = [self._trans, *(a.trans for a in self._alternatives.values())]
            added += [self._moved(formula, number - 1) for formula in steps if formula is not None]
        for formula in added:
            self._add(formula, number)

    def _add(self, formula: Formula, number: int) -> None:
        if self._guards is not None:
            formula = self.solver.implication(self._guards[number], formula)
        self.solver.add(formula)
