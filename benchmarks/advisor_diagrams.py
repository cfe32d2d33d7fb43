"""Systems as diagrams of one manager: comparing them, and answering questions about one.

A mutant hardly differs from its model. So both have one manager: one order of bits, and what was
encoded for the model serves its mutants. The reachable states of a mutant, computed once, answer
all questions about it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.advising.question import AnswerKind, ModelAnswer, ModelQuestion
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.program import Program, Property, PropertyKind
from mutproof.model.relational import Relational, is_step_invariant
from mutproof.model.system import SystemProperty, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term, var
from mutproof.model.trace import Choices, Trace
from mutproof.solving.bdd import ltl
from mutproof.solving.bdd.check import attempted, fairness_of
from mutproof.solving.bdd.ctl import Branching, fair_by_all
from mutproof.solving.bdd.encode import Encoded, Encoder
from mutproof.solving.bdd.fairness import Fairness
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import machine
from mutproof.solving.bdd.tables import Table
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Undecided, Violated
from mutproof.solving.bdd.words import Word
from mutproof.solving.formulas import invariant_of, is_branching

QUESTION_S = 2.0
"""The seconds of the processor that diagrams may take for one mutant, for each kind of question."""

_LINEAR = "ltl"


LOOK_S = 0.005
"""The least seconds between two looks at the time of the processor, which takes long to tell."""


class ProcessorClock:
    """Tell the time of the processor, in seconds, as it was at most `LOOK_S` ago."""

    def __init__(self) -> None:
        self._looked_s = -LOOK_S
        self._found_s = 0.0

    def __call__(self) -> float:
        """Return the seconds that this process has used."""
        now = time.monotonic()
        if now >= self._looked_s + LOOK_S:
            self._looked_s, self._found_s = now, time.process_time()
        return self._found_s


_used_s = ProcessorClock()


class ProcessorDeadline(Deadline):
    """Hold a time of the processor, in seconds; what other processes do does not shorten it."""

    @staticmethod
    def after(seconds: float) -> ProcessorDeadline:
        """Return the deadline that many seconds from now."""
        return ProcessorDeadline(_used_s() + seconds)

    def remaining_s(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self.at_s - _used_s())

    def passed(self) -> bool:
        """Tell whether the deadline has come."""
        return _used_s() >= self.at_s


class Structure:
    """Hold a system as diagrams, with its reachable states; caches only.

    `like`: another system of the same manager, which hardly differs.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """

    def __init__(
        self, manager: Manager, system: TransitionSystem, like: Structure | None = None
    ) -> None:
        known: Encoder | None = None if like is None else like.encoder
        order = () if known is None else known.bits()
        self.manager = manager
        self.encoder: Encoder = Encoder(manager, system, order=order, like=known)
        self.machine = machine(self.encoder)

    @cached_property
    def reachable(self) -> Diagram:
        """Return the reachable states."""
        return self.manager.disjunction(self.machine.layers(self.machine.initial))

    def follow(self, other: Structure) -> None:
        """Take over the reachable states of a system that has the same first states and steps."""
        if self.encoder.codings.keys() == other.encoder.codings.keys():
            vars(self)["reachable"] = other.reachable

    @property
    def ends(self) -> bool:
        """Tell whether no state is initial or some reachable one has no successor."""
        one = self.machine
        goes_on = one.with_any_input(one.before(one.invariant))
        stuck = self.reachable & ~goes_on
        return one.initial == self.manager.false or stuck != self.manager.false

    @cached_property
    def steps(self) -> Diagram:
        """Return the steps from reachable states as one diagram."""
        return self.steps_from(self.reachable)

    def steps_from(self, states: Diagram) -> Diagram:
        """Return the steps from some states as one diagram."""
        one = self.machine
        found = states & one.invariant & one.relation.shifted(one.invariant)
        for part in one.relation.parts:
            found = found & part
        return found

    @cached_property
    def with_all_bits(self) -> Structure:
        """Return the system with equations as constraints on bits, as all others are."""
        return Structure(self.manager, _stated(self.encoder.system))

    def number_of_bits(self) -> int:
        """Return how many Boolean variables stand for the variables, those with equations too."""
        return len(Encoder(Manager(self.manager.deadline), _stated(self.encoder.system)).bits())

    # --- answers ------------------------------------------------------------------------------

    def verdicts(
        self, asked: Mapping[str, SystemProperty], inputs: frozenset[str]
    ) -> dict[str, BddVerdict]:
        """Return verdicts by name; `inputs` are what `Relational.inputs` returns."""
        found: dict[str, BddVerdict] = {}
        for name, stated in asked.items():

            def decide(name: str = name, stated: SystemProperty = stated) -> None:
                if stated.kind is PropertyKind.INVARIANT:
                    is_step = is_step_invariant(stated, inputs)
                    found[name] = self.invariant(stated, is_step=is_step)
                else:
                    found[name] = self._temporal(stated)

            reason = attempted(decide)
            if reason:
                found[name] = Undecided(reason)
        return found

    def invariant(
        self, stated: SystemProperty, *, is_step: bool, first: bool = False, shown: bool = False
    ) -> BddVerdict:
        """Return whether a term is true in all reachable states, or in the `first` ones.

        `is_step`: in all steps that begin there. `shown`: with the values of the variable that it
        is about, in the states where it is not; they are no execution.
        """
        one, false = self.machine, self.manager.false
        bad = ~self.encoder.predicate(stated.term)
        if is_step:
            bad = bad & one.invariant & one.relation.shifted(one.invariant)
        states = one.initial if first else self.reachable
        if _within(self, states, bad, is_step=is_step) == false:
            return Holding()
        if not shown:
            return Violated(None)
        return Violated(self._seen(stated.term, states & bad))

    def _seen(self, stated: Term, states: Diagram) -> Trace | None:
        """Return the values that the variable of a statement has in some states, in any order."""
        (name,) = walk.variables(stated)
        encoded = self.encoder.value(var(name, self.encoder.system.variables[name].sort))
        if not isinstance(encoded, Table):
            return None
        entries, false = encoded.entries, self.manager.false
        values = [value for value in entries if states & entries[value] != false]
        return Trace(Choices(()), tuple({name: value} for value in values))

    def _temporal(self, stated: SystemProperty) -> BddVerdict:
        branching, false = self._branching, self.manager.false
        if is_branching(stated):
            start = self.machine.initial & branching.fair
            failing = start & ~branching.satisfying(stated.term)
            return Holding() if failing == false else Violated(None)
        fair = fair_by_all(branching, self._fairness)
        if self.machine.initial & fair == false:
            return Holding()
        term = invariant_of(stated.term)
        if term is not None and self.reachable & fair & ~self.encoder.predicate(term) == false:
            return Holding()
        about = self.machine, self.reachable, self._fairness
        denied = ltl.denial(*about, stated.term, prefix=_LINEAR)
        return Holding() if denied.start == false else Violated(None)

    @cached_property
    def _fairness(self) -> Fairness:
        return fairness_of(self.encoder)

    @cached_property
    def _branching(self) -> Branching:
        return Branching(self.machine, self.reachable, self._fairness)


def _stated(system: TransitionSystem) -> TransitionSystem:
    """Return a system in which the equations of variables, macros apart, only constrain them."""
    defined = {
        name
        for name, variable in system.variables.items()
        if variable.kind is not SystemVariableKind.DEFINED
    }
    constraints = tuple(
        replace(one, defines=None) if one.defines in defined else one for one in system.constraints
    )
    return replace(system, constraints=constraints)


def _within(one: Structure, states: Diagram, bad: Diagram, *, is_step: bool) -> Diagram:
    """Return those of some states that are bad, or in which a bad step begins."""
    found = states & bad
    return states & one.machine.relation.starts(found) if is_step else found


class Asked:
    """Ask about a program; caches only.

    Raises:
        NoCommonSort: an unbounded integer meets an enumeration.
        NumberTooLarge: a number would be too long to be computed.
    """

    def __init__(self, program: Program) -> None:
        stated = program.component(program.main).properties
        names = [one.name for one in stated]
        self._lowering = Relational(program.without_properties(names))
        self.system = self._lowering.system()
        self.properties = {one.name: self._lowering.property(one) for one in stated}

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Return the variables that depend on inputs, if some states may have no transition."""
        return self._lowering.inputs(self.system.variables.values(), self.system.constraints)

    @cached_property
    def labels(self) -> frozenset[str]:
        """Return the names that properties and fairness constraints read."""
        read = [one.term for one in self.properties.values()]
        read += [*self.system.fairness, *(part for pair in self.system.compassion for part in pair)]
        return frozenset(name for term in read for name in walk.variables(term))

    def answers(
        self, structure: Structure, questions: Sequence[ModelQuestion]
    ) -> dict[ModelQuestion, ModelAnswer]:
        """Return answers by diagrams alone, without evidence."""
        return {question: self._answer(structure, question) for question in questions}

    def _answer(self, structure: Structure, question: ModelQuestion) -> ModelAnswer:
        stated = self._lowering.property(Property("?", question.stated, question.kind))
        if question.kind is not PropertyKind.INVARIANT:
            return answer(structure.verdicts({"?": stated}, self.inputs)["?"])
        found: list[BddVerdict] = []
        is_step = is_step_invariant(stated, self.inputs)
        first, shown = question.first, question.shown

        def decide() -> None:
            found.append(structure.invariant(stated, is_step=is_step, first=first, shown=shown))

        reason = attempted(decide)
        return answer(Undecided(reason) if reason else found[0])


def answer(verdict: BddVerdict) -> ModelAnswer:
    """Return a verdict as an answer."""
    match verdict:
        case Holding():
            return ModelAnswer(AnswerKind.HOLDS)
        case Violated(trace=trace):
            return ModelAnswer(AnswerKind.FAILS, trace=trace)
        case _:
            return ModelAnswer(AnswerKind.UNKNOWN, reason="diagrams")


# --- comparing ------------------------------------------------------------------------------------


def alike(here: Structure, there: Structure, labels: frozenset[str] = frozenset()) -> bool:
    """Tell whether two systems have the same first states, and steps from reachable ones.

    `labels` are macros that are to have the same values: properties read them.
    """
    if here.encoder.codings.keys() != there.encoder.codings.keys():
        here, there = here.with_all_bits, there.with_all_bits
    if here.machine.initial != there.machine.initial:
        return False
    if not _agree(here, there, labels):
        return False
    return _same_parts(here, there) or here.steps == there.steps_from(here.reachable)


def _same_parts(here: Structure, there: Structure) -> bool:
    """Tell whether each part of one relation is that of the other from reachable states."""
    parts, others = here.machine.relation.parts, there.machine.relation.parts
    return (
        here.machine.invariant == there.machine.invariant
        and len(parts) == len(others)
        and all(
            part == other or here.reachable & part == here.reachable & other
            for part, other in zip(parts, others, strict=True)
        )
    )


def _agree(here: Structure, there: Structure, labels: frozenset[str]) -> bool:
    """Tell whether `labels`, and variables without bits, have the same values."""
    manager = here.manager
    for name, variable in here.encoder.system.variables.items():
        is_macro = variable.kind is SystemVariableKind.DEFINED
        if name not in here.encoder.definitions or (is_macro and name not in labels):
            continue
        term = var(name, variable.sort)
        one, other = here.encoder.value(term), there.encoder.value(term)
        if here.reachable & _differing(manager, one, other) != manager.false:
            return False
    return True


def _differing(manager: Manager, one: Encoded, other: Encoded) -> Diagram:
    if isinstance(one, Table) and isinstance(other, Table):
        values = dict.fromkeys((*one.entries, *other.entries))
        false = manager.false
        return manager.disjunction(
            manager.xor(one.entries.get(v, false), other.entries.get(v, false)) for v in values
        )
    if isinstance(one, Word) and isinstance(other, Word):
        bits = zip(one.bits, other.bits, strict=True)
        return manager.disjunction(manager.xor(a, b) for a, b in bits)
    assert not isinstance(one, Table | Word)
    assert not isinstance(other, Table | Word)
    return manager.xor(one, other)
