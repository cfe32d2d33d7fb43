"""Decide temporal properties of relational systems, by diagrams first, then by solvers.

A failure is believed where the oracle replays its path. What no single path shows, and what
holds by diagrams alone, is decided a second time in fresh diagrams with another order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses.means import Means
from mutproof.analyses.variant import UNCERTIFIED, Fails, Holds
from mutproof.base.budget import Budget, Deadline
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.memo import Memo
from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.evaluate import Execution
from mutproof.model.interpretation import Bodies
from mutproof.model.linear import is_linear
from mutproof.model.program import ElementId, ElementKind, Program, PropertyKind
from mutproof.model.system import Constraint, SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving import bdd, liveness
from mutproof.solving.bdd.verdict import BddVerdict, Computed, Holding, Undecided, Violated
from mutproof.solving.liveness.universal import is_branching
from mutproof.solving.verdict import Unknown

ENGINE = "bdd"
NOT_TWICE = "the diagrams did not give the same answer twice"
_ASSIGNS = frozenset({ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN})
_NEVER_BLOCKS = frozenset(kind.value for kind in (*_ASSIGNS, ElementKind.DEFINE))

_FAIR_PATH = Budget(1_000_000, 2.0)
"""What may be spent on finding that no path is fair."""

_NO_PATH = "no path"
_barren: Memo[bool] = Memo(1_000)

Run = Callable[[Choices, TransitionSystem], "Execution | None"]
"""Replay an execution of a part of the program; None if it has no meaning."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Hold what is known of a property: evidence, or a number, or the reason for neither.

    `shown` is the path to show people; `vacuity` says why what holds could not have failed;
    `core` are elements that suffice; `invariant` may prove an invariant by itself.
    """

    evidence: Holds | Fails | None = None
    number: Computed | None = None
    shown: Trace | None = None
    vacuity: str = ""
    reason: str = ""
    core: frozenset[ElementId] | None = None
    invariant: Term | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether nothing is known."""
        return self.evidence is None and self.number is None


def scope(system: TransitionSystem, names: Iterable[str]) -> TransitionSystem:
    """Return the part of a system that decides the properties, whatever their logic.

    What is left out must never end or forbid a path, so there is no fairness, and all of it
    are assignments: these leave every variable a value in every state.
    """
    if system.fairness or system.compassion:
        return system
    part = slicing.cone(system, names)
    kept = frozenset(part.constraints)
    left_out = (constraint for constraint in system.constraints if constraint not in kept)
    return part if all(map(never_blocks, left_out)) else system


def never_blocks(constraint: Constraint) -> bool:
    """Tell whether a constraint, being an assignment, leaves a value to every state."""
    return constraint.owner is None or constraint.owner.kind in _NEVER_BLOCKS


def outside(program: Program, part: TransitionSystem) -> Bodies:
    """Return the assignments of a program to variables that a part does not have, as removed."""
    known = {name.partition("[")[0] for name in part.variables}
    return {
        element: None
        for element in program.elements()
        if element.kind in _ASSIGNS and element.targets[0].partition("[")[0] not in known
    }


def restricted(execution: Execution, part: TransitionSystem) -> Execution:
    """Return an execution with the variables of a part only."""
    steps = tuple(
        {name: value for name, value in step.items() if name in part.variables}
        for step in execution.trace.steps
    )
    return replace(execution, trace=replace(execution.trace, steps=steps))


def rests_on_all(system: TransitionSystem, name: str) -> frozenset[Digest]:
    """Return the support of evidence that holds for exactly what decides a property."""
    return frozenset({digest_parts("exactly", scope(system, (name,)).digest)})


def decide(
    system: TransitionSystem,
    names: Sequence[str],
    means: Means,
    run: Run,
    take: Callable[[str, Answer], None],
) -> None:
    """Decide properties of any logic; tell each answer once, in no particular order."""
    part = scope(system, names)
    seconds = means.budget.timeout_s
    verdicts = {
        name: judged(system.property(name).term, found)
        for name, found in bdd.check(part, names, Deadline.after(seconds / 2)).items()
    }
    alone = {name: found for name, found in verdicts.items() if stands_alone(found)}
    alike = decided_again(part, alone, Deadline.after(seconds / 2))
    for name in alone.keys() - alike:
        verdicts[name] = Undecided(NOT_TWICE)
    left: dict[str, str] = {}
    for name in names:
        means.check_cancelled()
        found = _by_diagrams(system, part, name, verdicts[name], run)
        if found.is_open:
            left[name] = found.reason
        else:
            take(name, found)
    for name, reason in left.items():
        means.check_cancelled()
        take(name, _by_solver(system, name, reason, means, run))


def decided_again(
    part: TransitionSystem, verdicts: Mapping[str, BddVerdict], deadline: Deadline
) -> frozenset[str]:
    """Return the properties that diagrams with another order of variables decide alike."""
    second = bdd.check(turned(part), tuple(verdicts), deadline) if verdicts else {}
    return frozenset(name for name, found in verdicts.items() if bdd.agree(found, second[name]))


def turned(part: TransitionSystem) -> TransitionSystem:
    """Return a system with its variables, and so those of its diagrams, in the other order."""
    return replace(part, variables=dict(reversed([*part.variables.items()])))


def judged(term: Term, verdict: BddVerdict) -> BddVerdict:
    """Return a verdict without its path where one path is no reason for the oracle."""
    if isinstance(verdict, Violated) and not is_linear(term):
        return replace(verdict, evidence=None)
    return verdict


def stands_alone(verdict: BddVerdict) -> bool:
    """Tell whether nothing but the diagrams speaks for a verdict."""
    match verdict:
        case Holding(invariant=None) | Violated(evidence=None) | Computed():
            return True
        case _:
            return False


def _by_diagrams(
    system: TransitionSystem,
    part: TransitionSystem,
    name: str,
    verdict: BddVerdict,
    run: Run,
) -> Answer:
    match verdict:
        case Computed():
            return Answer(number=verdict)
        case Undecided(reason):
            return Answer(reason=reason)
        case Holding(vacuity=vacuity, witness=witness, invariant=invariant):
            evidence = Holds(UNCERTIFIED, rests_on_all(system, name), ENGINE)
            owners = frozenset(c.owner for c in part.constraints if c.owner is not None)
            why = "" if vacuity is None else vacuity.value
            return Answer(evidence, shown=witness, vacuity=why, core=owners, invariant=invariant)
        case Violated(trace=trace, evidence=path):
            if path is not None:
                return _replayed(name, path, trace, part, run)
            choices = Choices(()) if trace is None else trace.choices
            step = 0 if trace is None else trace.length - 1
            return Answer(Fails(choices, step, ENGINE, rests_on_all(system, name)), shown=trace)


def _replayed(
    name: str, path: Trace, shown: Trace | None, part: TransitionSystem, run: Run
) -> Answer:
    choices = replace(path.choices, loop=path.loop)
    execution = run(choices, part)
    if execution is None or not execution.assumed or name not in execution.violated:
        return Answer(reason="the counterexample could not be replayed")
    fails = Fails(choices, execution.violated[name], ENGINE)
    return Answer(fails, shown=shown if shown is not None else execution.trace)


def _by_solver(system: TransitionSystem, name: str, reason: str, means: Means, run: Run) -> Answer:
    kind = system.property(name).kind
    if kind in {PropertyKind.INVARIANT, PropertyKind.COMPUTE}:
        return Answer(reason=f"{ENGINE}: {reason}")
    found = liveness.prove_linear(system, name, means.budget, means.spacer)
    match found:
        case liveness.LinearProof(how=how):
            evidence = Holds(UNCERTIFIED, rests_on_all(system, name), how, found)
            barren = _has_no_fair_path(system, name, means)
            why = bdd.Vacuity.NO_FAIR_STATE.value if barren else ""
            return Answer(evidence, vacuity=why)
        case liveness.LinearFailure(choices=choices):
            execution = run(choices, system)
            if execution is None or not execution.assumed or name not in execution.violated:
                return Answer(reason="the counterexample could not be replayed")
            fails = Fails(choices, execution.violated[name], "lasso")
            return Answer(fails, shown=execution.trace)
        case Unknown(reason=other):
            return Answer(reason=f"{ENGINE}: {reason}; {other}")


def _has_no_fair_path(system: TransitionSystem, name: str, means: Means) -> bool:
    """Tell whether it is proved that no path is fair for the logic of a property.

    It is asked of the part that fairness and what can end a path depend on: the rest forbids
    paths only.
    """
    limits = [constraint.term for constraint in system.constraints if not never_blocks(constraint)]
    limits += [*system.fairness, *(term for pair in system.compassion for term in pair)]
    if not limits:
        return False
    names = slicing.cone_of_terms(system, limits)
    kept = tuple(c for c in system.constraints if walk.variables(c.term) <= names)
    variables = {known: v for known, v in system.variables.items() if known in names}
    kind = PropertyKind.CTL if is_branching(system.property(name)) else PropertyKind.LTL
    denied = (SystemProperty(_NO_PATH, terms.FALSE, kind),)
    part = replace(system, variables=variables, constraints=kept, properties=denied)

    def is_proved() -> bool:
        found = liveness.prove_linear(part, _NO_PATH, _FAIR_PATH, means.spacer)
        return isinstance(found, liveness.LinearProof)

    return _barren.get(part.digest, is_proved)
