"""Answer questions about a program: each answer is evidence that the notary made.

What is asked becomes properties of a program that is the model otherwise, so everything that
proves and replays properties serves here. Of finite relational systems diagrams decide all
questions by one set of reachable states; what they leave open, and the rest, is for engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from mutproof.analyses.advising.advice import Backing
from mutproof.analyses.advising.question import AnswerKind, ModelAnswer, ModelQuestion
from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.proving import premises, temporal
from mutproof.analyses.proving.temporal_answer import TemporalAnswer, turned
from mutproof.base.budget import Deadline
from mutproof.model import terms, walk
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    Variable,
    VariableKind,
)
from mutproof.model.relational import STEP_PREFIX
from mutproof.model.sorts import BOOL
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.model.traits import Semantics
from mutproof.solving import portfolio
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.solving.verdict import Certificate, Proved, Refuted, Verdict

PREFIX = "?"
"""Begins the names of what questions add to a program; no language has it in names."""

FIRST = f"{PREFIX}first"
"""The variable that is true in first states."""


def answers(
    program: Program, questions: Iterable[ModelQuestion], means: Means
) -> dict[ModelQuestion, ModelAnswer]:
    """Return an answer to each question about a program."""
    asked = list(dict.fromkeys(questions))
    return _Run(program, asked, means).run() if asked else {}


def stating(
    program: Program, asked: Sequence[ModelQuestion]
) -> tuple[Program, dict[str, ModelQuestion]]:
    """Return the program with the questions as its properties, and the question of each by name.

    Where programs run forward, each question is an equation, and is asked in all instances.
    """
    names: dict[ModelQuestion, str] = {}
    by_name: dict[str, ModelQuestion] = {}
    runs_forward = program.traits.semantics is Semantics.FORWARD
    for question in asked:
        stated = replace(question, instance="") if runs_forward else question
        name = names.setdefault(stated, f"{PREFIX}{len(names)}")
        by_name[question.instance + name if runs_forward else name] = question
    components = []
    for component in program.components:
        own = {name: question for question, name in names.items()}
        own = {n: q for n, q in own.items() if q.component == component.name}
        add = _with_equations if runs_forward else _with_statements
        components.append(add(component, own))
    return Program(program.traits, tuple(components), program.main, program.functions), by_name


class _Run:
    def __init__(self, program: Program, asked: Sequence[ModelQuestion], means: Means) -> None:
        stated, self._asked = stating(program, asked)
        self._meaning: Interpretation = interpretation(stated)
        self._system = self._meaning.system()
        self._means = means
        self._notary = means.notary
        self._found: dict[str, ModelAnswer] = {}

    def run(self) -> dict[ModelQuestion, ModelAnswer]:
        asked = [p for p in self._system.properties if p.name in self._asked]
        invariants = [p.name for p in asked if p.kind is PropertyKind.INVARIANT]
        others = [p.name for p in asked if p.kind is not PropertyKind.INVARIANT]
        if self._system.relational:
            if invariants:
                self._by_diagrams(invariants)
            if others:
                run = partial(self._notary.replay_part, self._meaning)
                temporal.decide(self._system, others, self._means, run, take=self._take_temporal)
        else:
            self._by_random_executions(invariants)
        if left := [name for name in invariants if name not in self._found]:
            self._by_engines(left)
        self._audit()
        unknown = ModelAnswer(AnswerKind.UNKNOWN, reason="not decided")
        return {question: self._found.get(name, unknown) for name, question in self._asked.items()}

    # --- diagrams -----------------------------------------------------------------------------

    def _by_diagrams(self, names: Sequence[str]) -> None:
        system = without_memories(self._system)
        deadline_s = self._means.budget.timeout_s / 4
        verdicts = check(system, names, Deadline.after(deadline_s))
        holding: dict[str, BddVerdict] = {}
        for name, verdict in verdicts.items():
            self._means.check_cancelled()
            if isinstance(verdict, Holding):
                holding[name] = verdict
            elif isinstance(verdict, Violated) and verdict.evidence is not None:
                self._replay(name, verdict.evidence.choices, DIAGRAMS)
        if holding:
            self._prove_by_states(system, holding)
        left = {name: found for name, found in holding.items() if name not in self._found}
        again = turned(system)
        evidence = self._notary.twice(
            left,
            lambda: check(again, tuple(left), Deadline.after(deadline_s)),
            lambda name: (system, name),
        )
        for name, known in evidence.items():
            if isinstance(known, Holds):
                self._note(name, known)

    def _prove_by_states(self, system: TransitionSystem, holding: Mapping[str, BddVerdict]) -> None:
        """Have the set of reachable states checked as a certificate of what it implies."""
        by_term: dict[terms.Term, list[str]] = {}
        for name, verdict in holding.items():
            if isinstance(verdict, Holding) and verdict.invariant is not None:
                by_term.setdefault(verdict.invariant, []).append(name)
        for invariant, names in by_term.items():
            certificate = Certificate(1, (invariant,), tuple(names))
            proved = Proved(certificate, None, DIAGRAMS, 1)
            known = self._notary.proved(system, proved, self._means.middle)
            if known is not None:
                for name in names:
                    self._note(name, known)

    # --- executions ---------------------------------------------------------------------------

    def _by_random_executions(self, names: Sequence[str]) -> None:
        conditions = {name: terms.not_(self._system.property(name).term) for name in names}
        for name, choices in premises.seen(self._system, conditions, {}).items():
            self._replay(name, choices, "random")
        left = {name: term for name, term in conditions.items() if self._is_open(name)}
        runs = premises.long_runs(self._system, left)
        for name, choices in premises.seen(self._system, left, {}, runs=runs).items():
            self._replay(name, choices, "random")

    # --- engines ------------------------------------------------------------------------------

    def _by_engines(self, names: Sequence[str]) -> None:
        options = self._means.asking(cores=False)
        budget = self._means.budget
        portfolio.prove(self._system, budget, options, goals=names, on_verdict=self._take)

    def _take(self, name: str, verdict: Verdict) -> None:
        self._means.check_cancelled()
        match verdict:
            case Proved():
                known = self._notary.proved(self._system, verdict, self._means.budget)
                if known is not None:
                    self._note(name, known)
                else:
                    self._leave(name, "the proof could not be checked again")
            case Refuted(choices=choices, engine=engine):
                self._replay(name, choices, engine)
                if name not in self._found:
                    self._leave(name, "the execution could not be replayed")
            case _:
                self._leave(name, verdict.reason)

    # --- what is known ------------------------------------------------------------------------

    def _take_temporal(self, name: str, answer: TemporalAnswer) -> None:
        match answer.evidence:
            case Holds() as holds:
                self._note(name, holds)
            case Fails() as fails:
                how = fails.how
                self._found[name] = ModelAnswer(
                    AnswerKind.FAILS, Backing.DIAGRAMS, how, answer.shown
                )
            case _:
                self._leave(name, answer.reason)

    def _replay(self, name: str, choices: Choices, how: str) -> None:
        """Record all questions that an execution violates, if it can be replayed.

        What was proved of these is withdrawn.
        """
        if name in self._found and self._found[name].fails:
            return
        replayed = self._notary.replay(self._meaning, choices, how)
        if replayed is None:
            return
        trace = _public(replayed.execution.trace)
        for violated, fails in replayed.violated.items():
            if violated not in self._asked:
                continue
            if self._is_open(violated):
                kind, backing = AnswerKind.FAILS, Backing.TRACE
                self._found[violated] = ModelAnswer(kind, backing, how, trace, fails.step)
            elif self._found[violated].holds:
                self._withdraw(violated, fails.step)

    def _audit(self) -> None:
        """Run what holds on random executions, and withdraw what one contradicts."""
        holding = {name for name, answer in self._found.items() if answer.holds}
        audit = Audit(self._meaning, self._system)
        while holding and (found := audit.of_model(sorted(holding))) is not None:
            holding.remove(found.name)
            self._withdraw(found.name, found.step)

    def _withdraw(self, name: str, step: int) -> None:
        """Record that a proof and an execution contradict each other at a 0-based step."""
        reason = Defect.PROOF.reason("it fails", step)
        self._found[name] = ModelAnswer(AnswerKind.UNKNOWN, reason=reason, defect=Defect.PROOF)

    def _is_open(self, name: str) -> bool:
        """Tell whether nothing is known, and nothing was withdrawn."""
        known = self._found.get(name)
        return known is None or (known.is_open and known.defect is None)

    def _note(self, name: str, holds: Holds) -> None:
        if self._is_open(name):
            is_certified = holds.certificate is not UNCERTIFIED or holds.proof is not None
            backing = Backing.CERTIFICATE if is_certified else Backing.DIAGRAMS
            self._found[name] = ModelAnswer(AnswerKind.HOLDS, backing, holds.how)
        elif self._found[name].backing is Backing.TRACE:
            self._withdraw(name, self._found[name].step)

    def _leave(self, name: str, reason: str) -> None:
        if self._is_open(name):
            self._found[name] = ModelAnswer(AnswerKind.UNKNOWN, reason=reason or "not decided")


def _with_statements(component: Component, own: Mapping[str, ModelQuestion]) -> Component:
    """Return a component with questions as properties, and a first-step flag if needed."""
    marked = component
    if any(question.first for question in own.values()):
        marked = _marking(component)
    stated = tuple(
        Property(name, _of_first(question), question.kind) for name, question in own.items()
    )
    return replace(marked, properties=stated)


def _with_equations(component: Component, own: Mapping[str, ModelQuestion]) -> Component:
    """Return a component with an equation and a property for each question."""
    kind = ElementKind.EQUATION
    elements = tuple(
        Element(ElementId(component.name, kind.value, name), kind, (name,), question.stated)
        for name, question in own.items()
    )
    return replace(
        component,
        variables=(
            *component.variables,
            *(Variable(name, BOOL, VariableKind.LOCAL) for name in own),
        ),
        elements=(*component.elements, *elements),
        properties=tuple(
            Property(name, terms.var(name, BOOL), question.kind) for name, question in own.items()
        ),
    )


def _of_first(question: ModelQuestion) -> terms.Term:
    if not question.first:
        return question.stated
    return terms.or_(terms.not_(terms.var(FIRST, BOOL)), question.stated)


def _marking(component: Component) -> Component:
    """Return a component with a variable that is true in initial states only."""
    elements = tuple(
        Element(ElementId(component.name, kind.value, FIRST), kind, (FIRST,), value)
        for kind, value in (
            (ElementKind.INIT_ASSIGN, terms.TRUE),
            (ElementKind.NEXT_ASSIGN, terms.FALSE),
        )
    )
    variables = (*component.variables, Variable(FIRST, BOOL, VariableKind.STATE))
    return replace(component, variables=variables, elements=(*component.elements, *elements))


def without_memories(system: TransitionSystem) -> TransitionSystem:
    """Return a system whose invariants read next values directly, without memory variables.

    Diagrams decide these as they are; each memory would double their states.
    """
    memories = {
        c.defines: c.term.args[1]
        for c in system.constraints
        if c.defines is not None
        and c.defines.startswith(STEP_PREFIX)
        and Op.NEXT_VAR in walk.operators(c.term.args[1])
    }
    if not memories:
        return system
    variables = {n: v for n, v in system.variables.items() if n not in memories}
    kept = tuple(
        c for c in system.constraints if memories.keys().isdisjoint(walk.variables(c.term))
    )
    stated: list[SystemProperty] = []
    for one in system.properties:
        said = memories.get(str(one.term.payload)) if one.term.op is Op.VAR else None
        stated.append(one if said is None else replace(one, term=said))
    return replace(system, variables=variables, constraints=kept, properties=tuple(stated))


def _public(trace: Trace) -> Trace:
    """Return a trace without the variables that questions have added."""
    steps = tuple(
        {name: value for name, value in step.items() if PREFIX not in name} for step in trace.steps
    )
    return replace(trace, steps=steps)
