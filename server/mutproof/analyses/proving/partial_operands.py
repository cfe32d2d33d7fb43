"""Whether indices leave their bounds and divisors are zero: shortest executions, or proofs not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import (
    ModelFault,
    ModelFinding,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.proving import proofs as proving
from mutproof.analyses.proving import wording
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.operators import Op
from mutproof.model.passes import partial_operations
from mutproof.model.passes.partial_operations import PartialOperation, StatingProgram
from mutproof.model.slice import Slicer


def wrong(meaning: Interpretation, means: Means, memory: ProofMemory) -> Iterator[ModelFinding]:
    """Yield a finding for each index out of bounds and divisor of zero, or not proved to be none.

    `memory` keeps these proofs.
    """
    asked = partial_operations.stated(meaning.program)
    if asked is None:
        return
    stating = interpretation(asked.program)
    slicer = Slicer(stating.system())
    memory.failures.clear()  # after an edit, kept ones may not be the shortest
    found = proving.prove(
        stating, stating.system(), memory, replace(means, budget=means.small), emit=lambda _: None
    )
    by_operation: dict[tuple[str, str], list[PropertyFinding]] = {}
    for finding in found.findings.values():
        by_operation.setdefault((finding.component, finding.declared), []).append(finding)
    for key, operation in asked.operations.items():
        worst = _worst(by_operation.get(key, ()))
        if worst is not None and worst.verdict is PropertyVerdict.FALSIFIED:
            cone = frozenset(slicer.cone([worst.name]).variables)
            told = _shown(meaning, memory, asked, operation, found=worst, cone=cone)
            if told is not None:
                yield told
        elif worst is not None and worst.verdict is PropertyVerdict.UNKNOWN:
            yield _open(operation, worst)


def _worst(findings: Iterable[PropertyFinding]) -> PropertyFinding | None:
    """Return an operation's earliest failure in any instance, else one left open, else None."""
    order = (PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN)
    known = [found for found in findings if found.verdict in order]
    return min(known, key=lambda found: (order.index(found.verdict), found.k or 0), default=None)


def _shown(
    meaning: Interpretation,
    memory: ProofMemory,
    asked: StatingProgram,
    operation: PartialOperation,
    *,
    found: PropertyFinding,
    cone: frozenset[str],
) -> ModelFinding | None:
    """Return a finding on an operand that is wrong; None if the replay does not show it.

    It shows the variables of the operand's `cone`.
    """
    execution = meaning.run(memory.failures[found.name].choices)
    if execution is None or not execution.assumed or found.trace is None:
        return None
    step = found.trace.length - 1
    instance = found.name.removesuffix(found.declared)
    value = found.trace.steps[step][instance + asked.values[found.component, found.declared]]
    whole = execution.trace.steps
    steps = tuple({n: v for n, v in one.items() if n in cone} for one in whole)
    place, trace = (operation.element, operation.path), replace(execution.trace, steps=steps)
    given = wording.with_inputs(wording.inputs(meaning.system(), steps[step]))
    if not operation.size:
        message = f"a divisor is zero at step {step}{given}, and the result is arbitrary"
        return ModelFinding(ModelFault.ZERO_DIVISOR, message, trace=trace, place=place)
    writes = operation.operator is Op.ARRAY_UPDATE
    effect = "nothing is written" if writes else "the last element is read"
    message = (
        f"an index is outside its array of size {operation.size}: at step {step} it is"
        f" {wording.shown(value)}{given}, and {effect}"
    )
    return ModelFinding(ModelFault.OUT_OF_BOUNDS, message, trace=trace, place=place)


def _open(operation: PartialOperation, found: PropertyFinding) -> ModelFinding:
    depth = found.depth or 0
    steps = f"for {depth} step{'' if depth == 1 else 's'}"
    place = operation.element, operation.path
    if not operation.size:
        message = f"it is not known whether this divisor is ever zero: it is not {steps}"
        return ModelFinding(ModelFault.PERHAPS_ZERO_DIVISOR, message, place=place)
    message = (
        f"it is not known whether this index stays inside its array of size {operation.size}:"
        f" it does {steps}"
    )
    return ModelFinding(ModelFault.PERHAPS_OUT_OF_BOUNDS, message, place=place)
