"""Whether indices of arrays leave their bounds: with a shortest execution, or proved not to."""

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
from mutproof.model.passes import accesses
from mutproof.model.passes.accesses import Access, AccessProgram


def leaving(meaning: Interpretation, means: Means, memory: ProofMemory) -> Iterator[ModelFinding]:
    """Yield a finding for each access whose index leaves its bounds, or was not proved not to.

    An index that is proved to be in bounds has none. `memory` keeps these proofs.
    """
    asked = accesses.stated(meaning.program)
    if asked is None:
        return
    stating = interpretation(asked.program)
    memory.failures.clear()  # after an edit, kept ones may not be the shortest
    found = proving.prove(
        stating, stating.system(), memory, replace(means, budget=means.small), emit=lambda _: None
    )
    by_access: dict[tuple[str, str], list[PropertyFinding]] = {}
    for finding in found.findings.values():
        by_access.setdefault((finding.component, finding.declared), []).append(finding)
    for key, access in asked.accesses.items():
        worst = _worst(by_access.get(key, ()))
        if worst is not None and worst.verdict is PropertyVerdict.FALSIFIED:
            told = _outside(meaning, memory, asked, access, found=worst)
            if told is not None:
                yield told
        elif worst is not None and worst.verdict is PropertyVerdict.UNKNOWN:
            yield _open(access, worst)


def _worst(findings: Iterable[PropertyFinding]) -> PropertyFinding | None:
    """Return an access's earliest failure in any instance, else one left open, else None."""
    order = (PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN)
    known = [found for found in findings if found.verdict in order]
    return min(known, key=lambda found: (order.index(found.verdict), found.k or 0), default=None)


def _outside(
    meaning: Interpretation,
    memory: ProofMemory,
    asked: AccessProgram,
    access: Access,
    *,
    found: PropertyFinding,
) -> ModelFinding | None:
    """Return a finding on an index that leaves its bounds; None if the replay does not show it."""
    execution = meaning.run(memory.failures[found.name].choices)
    if execution is None or not execution.assumed or found.trace is None:
        return None
    step = found.trace.length - 1
    instance = found.name.removesuffix(found.declared)
    value = found.trace.steps[step][instance + asked.values[found.component, found.declared]]
    given = wording.with_inputs(wording.inputs(meaning.system(), execution.trace.steps[step]))
    effect = "nothing is written" if access.writes else "the last element is read"
    message = (
        f"an index is outside its array of size {access.size}: at step {step} it is"
        f" {wording.shown(value)}{given}, and {effect}"
    )
    place = access.element, access.path
    return ModelFinding(ModelFault.OUT_OF_BOUNDS, message, trace=execution.trace, place=place)


def _open(access: Access, found: PropertyFinding) -> ModelFinding:
    depth = found.depth or 0
    message = (
        f"it is not known whether this index stays inside its array of size {access.size}:"
        f" it does for {depth} step{'' if depth == 1 else 's'}"
    )
    place = access.element, access.path
    return ModelFinding(ModelFault.PERHAPS_OUT_OF_BOUNDS, message, place=place)
