"""Implications whose premise never holds: they are proved, and say nothing.

Source: Beer, Ben-David, Eisner and Rodeh, Efficient Detection of Vacuity in Temporal Model
Checking, FMSD 2001.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.variant import content, grounds
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.identity import distinct
from mutproof.base.record import dataclass
from mutproof.model import sampling, simulate, terms
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.slice import Slicer
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    TransitionSystem,
    in_bounds,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.formulas import is_of_states
from mutproof.solving.verdict import Proved, Refuted, Unknown, Verdict

SEED = 1
SHORT = ((12, 0.3),) * 4
"""Random executions that are tried: their number of states, and how often an input stays."""

_LONG = (*((128, 1.0),) * 12, *((128, 0.98),) * 4)
_MOST_VALUES = 200_000

SHARE = 0.3
LEAST_UNITS = 300_000
"""The share of a proof's solver units that its premises may cost, and the least they may cost."""

_WHOLE = frozenset({Op.AG, Op.G, Op.H})
_GOAL = "premise"


@dataclass(frozen=True)
class KnownPremises:
    """Hold what was found about premises in other versions of a system; its parts are mutable.

    `idle` tells, by premise and cone, whether the premise never holds there; `idle_on` gives, by
    premise, the support of that. `asking` gives, by property, an execution in which its premise
    held.
    """

    idle: dict[Digest, bool]
    idle_on: dict[Digest, frozenset[Digest]]
    asking: dict[str, Choices]


def idle(
    slicer: Slicer,
    names: Iterable[str],
    known: KnownPremises,
    means: Means,
    *,
    reached: Collection[str] = (),
    met: Callable[[Collection[str]], Collection[str]] = lambda _: (),
    proved_for: int = 0,
) -> list[str]:
    """Return which of some properties are implications whose premise is proved never to hold.

    `reached` are those whose premise diagrams have shown to hold somewhere, `met` returns those of
    which other executions show it. With `proved_for`, the
    solver units that the proofs took, the search may cost a share of that.

    An execution of the system is one of the part that a property depends on too, so what it
    shows is known for as long as that part is what it is.
    """
    asked = premises(slicer.system, names)
    for name in met(asked):
        del asked[name]
    # Most premises hold in some tried execution, which settles them cheaply.
    likely = {n: term for n, term in asked.items() if term.digest not in known.idle_on}
    executions = seen(slicer.system, likely, known.asking)
    known.asking.update(executions)
    left = {name: term for name, term in asked.items() if name not in executions}
    parts = {name: slicer.cone((name,)) for name in left}
    contents = {name: content(part) for name, part in parts.items()}
    keys = {name: digest_parts(left[name].digest, *sorted(contents[name])) for name in left}
    known.idle.update((key, False) for name, key in keys.items() if name in reached)
    for name, key in keys.items():
        rests_on = known.idle_on.get(left[name].digest)
        if key not in known.idle and rests_on is not None and rests_on <= contents[name]:
            known.idle[key] = True
    doubted = {n: left[n] for n, key in keys.items() if n not in likely and key not in known.idle}
    executions = seen(slicer.system, doubted, known.asking)
    known.asking.update(executions)
    known.idle.update((keys[name], False) for name in executions)
    unsure = {name: left[name] for name, key in keys.items() if key not in known.idle}
    units = min(means.small.rlimit, max(LEAST_UNITS, int(SHARE * proved_for)))
    budget = Budget(units, means.small.timeout_s)
    for name, (answer, rests_on) in ever_hold(slicer, unsure, means, budget).items():
        known.idle[keys[name]] = isinstance(answer, Proved)
        if isinstance(answer, Refuted):
            known.asking[name] = answer.choices
        elif isinstance(answer, Proved):
            known.idle_on[left[name].digest] = rests_on
    return [name for name, key in keys.items() if known.idle[key]]


def premises(system: TransitionSystem, names: Iterable[str]) -> dict[str, Term]:
    """Return the premises of properties that are implications, also under `AG`, `G` or `H`.

    Of `c ? true : p -> q`, which `true -> (p => q)` of Lustre becomes, that is `!c & p`, and of
    `p -> (q -> r)` it is `p & q`. Where a property is the name of a defined variable, its
    definition counts.
    """
    found = {name: premise_of(system.property(name).term, system.equations) for name in names}
    return {name: premise for name, premise in found.items() if premise is not None}


def premise_of(term: Term, definitions: Mapping[str, Constraint] | None = None) -> Term | None:
    """Return the premise of an implication, also under `AG`, `G` or `H`; None of another term."""
    if term.op in _WHOLE and term.payload is None:
        term = term.args[0]
    if definitions and term.op is Op.VAR and term.payload in definitions:
        term = definitions[str(term.payload)].term.args[1]
    asked: list[Term] = []
    found: Term | None = None
    while term.op is Op.IMPLIES or (term.op is Op.ITE and term.args[1] is terms.TRUE):
        condition, *_, then = term.args
        asked.append(condition if term.op is Op.IMPLIES else terms.not_(condition))
        if not is_of_states(asked[-1]):
            break
        if term.op is Op.IMPLIES:
            found = terms.conjunction(asked)
        term = then
    return found


def seen(
    system: TransitionSystem,
    conditions: Mapping[str, Term],
    kept: Mapping[str, Choices],
    *,
    runs: Sequence[tuple[int, float]] = SHORT,
) -> dict[str, Choices]:
    """Return, for conditions by name, an execution in which the condition holds in some state.

    Tries the executions in `kept`, by name, and random `runs`.
    """
    if system.relational or not conditions:
        return {}
    if any(c.defines is None and c.kind is not ConstraintKind.INVAR for c in system.constraints):
        return {}
    found: dict[str, Choices] = {}
    try:
        simulator = simulate.simulator(system)
        left = dict(
            zip(conditions, simulator.compiler.compile_all(list(conditions.values())), strict=True)
        )
        for choices in _tried(simulator, kept, runs):
            for row in simulator.run(choices) if left else ():
                if not left or not simulator.assumed(row, {}):
                    break
                for name in [name for name, holds in left.items() if holds(row, row, {})]:
                    found[name] = choices
                    del left[name]
    except (CyclicDefinitions, ArithmeticError):
        pass
    return found


def long_runs(
    system: TransitionSystem, conditions: Mapping[str, Term]
) -> Sequence[tuple[int, float]]:
    """Return runs in which timers run out, fewer where a state of the system has many values."""
    values = sum(steps for steps, _ in _LONG) * (len(system.constraints) + len(conditions))
    return _LONG[: min(len(_LONG), _MOST_VALUES * len(_LONG) // max(1, values))]


def _tried(
    simulator: Simulator,
    kept: Mapping[str, Choices],
    runs: Sequence[tuple[int, float]],
) -> Iterator[Choices]:
    """Yield executions to try: kept ones that are still in bounds, then random ones."""
    for choices in distinct(kept.values()):
        if not choices.functions and in_bounds(simulator.system.variables, choices):
            yield choices
    source = random.Random(SEED)
    for steps, stay in runs:
        yield sampling.random_choices(simulator, source, steps, stay)


def ever_hold(
    slicer: Slicer, conditions: Mapping[str, Term], means: Means, budget: Budget | None = None
) -> dict[str, tuple[Verdict, frozenset[Digest]]]:
    """Decide for each condition whether it holds in no reachable state.

    They are the premises of properties, by whose names they go. All are asked about together: by
    the set of reachable states first where a system is relational, then by the other engines. A
    proof comes with the digests of what it rests on.
    """
    stated = {
        name: SystemProperty(f"{_GOAL} {number}", terms.not_(term), PropertyKind.INVARIANT)
        for number, (name, term) in enumerate(conditions.items())
    }
    if not stated:
        return {}
    system = replace(slicer.cone(conditions), properties=tuple(stated.values()))
    found: dict[str, Verdict] = {}
    first = ("reachability",) if system.relational else ()
    for engines in filter(None, (first, ("bmc", "k-induction"))):
        left = [goal.name for goal in stated.values() if _is_open(found.get(goal.name))]
        if left:
            options = means.asking(*engines, cores=engines is not first)
            outcome = portfolio.prove(system, budget or means.small, options, goals=left)
            found.update(outcome.verdicts)
    return {
        name: (verdict, grounds(system, verdict) if isinstance(verdict, Proved) else frozenset())
        for name, goal in stated.items()
        for verdict in [found[goal.name]]
    }


def _is_open(verdict: Verdict | None) -> bool:
    return verdict is None or isinstance(verdict, Unknown)
