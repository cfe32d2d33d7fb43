"""Facts: invariants that the engines find, and which mutants break them.

A fact is a conjunct of a certificate that the notary has checked, over variables of the model, so
that it could be a property of it. A mutant breaks a fact if an execution of the mutant, run by the
oracle, reaches a state in which the fact is false. That a fact is not inductive on a mutant shows
nothing.

Source: Todorov, Taha and Boulanger, NFM 2020, future work.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from mutproof.analyses.checking.audit import STAY, allowed, of_relations
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model import semantics, terms, walk
from mutproof.model.compile import compiler
from mutproof.model.execution import Execution
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Role
from mutproof.model.roles import roles
from mutproof.model.sampling import random_choices
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.sorts import Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.engine import LearntLemmas, Task
from mutproof.solving.engines import intervals, invariants
from mutproof.solving.solver import SolvingError
from mutproof.solving.verdict import Certificate

MOST_FACTS: Final = 60
"""How many facts of a model are used, the shortest ones first."""

LARGEST: Final = 12
"""The most parts of a fact that is used."""

EXECUTIONS: Final = 12
STEPS: Final = 10
SEED: Final = 20_251_124


class Facts:
    """Find the facts of one model, and which of them mutants break; caches only."""

    def __init__(self, baseline: Baseline, means: Means) -> None:
        self._baseline = baseline
        self._system = baseline.system
        self._means = means

    @cached_property
    def known(self) -> tuple[Term, ...]:
        """Return the facts, those of certificates first, each once."""
        found = dict.fromkeys(part for term in self._certified() for part in walk.conjuncts(term))
        said = [fact for fact in found if self._can_be_said(fact)]
        said.sort(key=walk.size)  # stable
        return tuple(_tightest(said))[:MOST_FACTS]

    def broken(self, bodies: Bodies, shown: Iterable[Choices]) -> tuple[Term, ...]:
        """Return the facts that executions with other bodies break, in their order.

        `shown` are executions to be tried beside random ones.
        """
        broken: dict[Term, None] = {}
        for choices in (*shown, *self._random):
            if len(broken) == len(self.known):
                break
            execution = allowed(self._baseline.meaning, choices, bodies)
            if execution is not None:
                broken.update(dict.fromkeys(self._broken_in(execution, broken)))
        return tuple(fact for fact in self.known if fact in broken)

    def _broken_in(self, execution: Execution, broken: Mapping[Term, None]) -> Iterator[Term]:
        names, functions = self._names, self._functions
        for step in execution.trace.steps:
            row = [step.get(name) for name in names]
            for fact, function in zip(self.known, functions, strict=True):
                if fact in broken:
                    continue
                try:
                    may_hold = function(row, row, {})
                except (TypeError, ArithmeticError, LookupError):
                    continue  # no value here: a variable of a call not made
                if not may_hold and value_of(fact, step) is False:
                    yield fact

    # --- what is known ------------------------------------------------------------------------

    def _certified(self) -> Iterator[Term]:
        """Yield the lemmas of certificates that the notary has checked."""
        for holds in self._baseline.proofs.values():
            yield from holds.certificate.lemmas
        budget = self._means.middle
        task = Task(self._system, {}, budget, Deadline.after(budget.timeout_s))
        for engine in (intervals, invariants):
            try:
                for finding in engine.run(task):
                    self._means.check_cancelled()
                    if task.exhausted():
                        break
                    if isinstance(finding, LearntLemmas):
                        yield from self._checked(task, finding)
            except SolvingError:
                pass  # what a solver cannot handle is no fact

    def _checked(self, task: Task, found: LearntLemmas) -> Sequence[Term]:
        """Return the lemmas that an engine found, if they pass the check, else none."""
        lemmas = tuple(dict.fromkeys((*task.lemmas, *found.lemmas)))
        k = max(task.lemma_k, found.k)
        checked = self._means.notary.check(
            self._system, Certificate(k, lemmas, ()), self._means.middle
        )
        if not checked.ok:
            return ()
        task.learn(found.lemmas, found.k)
        return found.lemmas

    def _can_be_said(self, fact: Term) -> bool:
        """Tell whether a fact is short, about variables of the design, and no property."""
        if walk.size(fact) > LARGEST or fact in self._stated:
            return False
        read = walk.variables(fact)
        if not read or not read <= self._named:
            return False
        return all(part.op is not Op.NEXT_VAR for part in walk.subterms(fact))

    @cached_property
    def _stated(self) -> frozenset[Term]:
        return frozenset(stated.term for stated in self._system.properties)

    @cached_property
    def _named(self) -> frozenset[str]:
        """Return the variables that the text names, without those of the specification."""
        program = self._baseline.program
        role = roles(program)
        own = {
            constraint.defines
            for constraint in self._system.constraints
            if constraint.owner is not None and role.get(constraint.owner) is Role.SPECIFICATION
        }
        return frozenset(n for n, v in self._system.variables.items() if v.shown and n not in own)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(self._system.variables)

    @cached_property
    def _functions(self) -> list[Any]:
        return list(compiler(self._names).compile_all(self.known))

    @cached_property
    def _random(self) -> list[Choices]:
        """Return random executions of the model; a mutant may not allow some of them."""
        system, source = self._system, random.Random(SEED)
        turns = [STAY[number % len(STAY)] for number in range(EXECUTIONS)]
        if system.relational:
            program = self._baseline.program
            return [of_relations(program, system, source, stay, steps=STEPS) for stay in turns]
        try:
            runs = simulator(system)
            return [random_choices(runs, source, STEPS, stay) for stay in turns]
        except (CyclicDefinitions, NumberTooLarge):
            return []


def value_of(term: Term, step: Mapping[str, Value]) -> object:
    """Return the value of a scalar term in a state, None where a variable has none.

    Computed as the oracle does.
    """

    def combine(part: Term, args: tuple[Any, ...]) -> Any:
        if part.op is Op.VAR:
            return step.get(str(part.payload))
        return semantics.function(part)(*args)

    if any(name not in step for name in walk.variables(term)):
        return None
    return walk.fold(term, combine)


_BOUNDS: Final[Mapping[Op, Callable[[Any, Any], Any]]] = {Op.LE: min, Op.GE: max}


def _tightest(facts: Sequence[Term]) -> Iterator[Term]:
    """Yield the facts without bounds that a tighter bound of the same term implies."""
    best: dict[tuple[Op, Term], Any] = {}
    bounds = [f for f in facts if f.op in _BOUNDS and f.args[1].op is Op.CONST]
    for fact in bounds:
        key, bound = (fact.op, fact.args[0]), fact.args[1].payload
        best[key] = _BOUNDS[fact.op](best.get(key, bound), bound)
    loose = {f for f in bounds if best[f.op, f.args[0]] != f.args[1].payload}
    yield from (fact for fact in facts if fact not in loose and fact is not terms.TRUE)
