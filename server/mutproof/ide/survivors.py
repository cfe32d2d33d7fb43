"""Texts about survivors: equivalent, a gap, or not known; for a gap, both executions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.ide import traces
from mutproof.ide.placed import ShownMutant
from mutproof.ide.shown import FilePlace, ShowPlaces
from mutproof.model.program import Program, VariableKind
from mutproof.model.trace import Trace

MAX_NAMES: Final = 3
AS_MODEL: Final = "="


def verdict(known: Equivalence | None) -> str:
    """Return what is known of a survivor for a table cell, its status first."""
    if known is None:
        return "**survived**"
    match known.status:
        case EquivalenceStatus.EQUIVALENT:
            return f"survived: equivalent on {known.observation} ({known.explained})"
        case EquivalenceStatus.GAP:
            return f"**survived**: a gap, {_names(known)}{difference(known)}"
        case EquivalenceStatus.UNDETERMINED:
            return f"**survived**: not known whether it makes a difference ({reason(known)})"


def message(label: str, known: Equivalence | None) -> str:
    """Return the sentence of a diagnostic about a survivor."""
    survives = f"{label} survives: no proved property notices"
    if known is None:
        return survives
    match known.status:
        case EquivalenceStatus.EQUIVALENT:
            return f"{label} is equivalent on {known.observation}: {known.explained}"
        case EquivalenceStatus.GAP:
            beside = ", and no property of all executions can" if known.restricts else ""
            return f"{survives}{beside} ({difference(known)})"
        case EquivalenceStatus.UNDETERMINED:
            return f"{survives}; not known whether it makes a difference ({reason(known)})"


def difference(known: Equivalence) -> str:
    """Return where the sides of a gap diverge: "first differs at step 2"; steps are 0-based."""
    if known.allowed:
        what = f"only the {known.allowed} allows step {known.step}"
        return f"a restriction: {what}" if known.restricts else what
    if known.model is None:
        return f"{known.how} at step {known.step}"
    # Unless it is known to be shortest, a shorter execution may exist.
    return f"{'first ' if known.shortest else ''}differs at step {known.step}"


def parted(known: Equivalence, program: Program) -> tuple[str, str] | None:
    """Return the first variable that tells the sides of a gap apart, and its values there."""
    step = known.step
    if known.model is None or known.mutant is None or step is None or known.allowed:
        return None
    for name in known.differing:
        rows = [traces.row(side, name, program) for side in (known.model, known.mutant)]
        left, right = (row[step] if row and step < len(row) else "-" for row in rows)
        if left != right:
            return name, f"at step {step} {name} is {left}, and {right} in the mutant"
    return None


def listed(title: str, mutants: Iterable[ShownMutant]) -> ShowPlaces:
    """Return the places of the given mutants that survive and are not equivalent."""
    survived = [m for m in mutants if m.status is MutantStatus.SURVIVED and not m.is_equivalent]
    return ShowPlaces(
        title if survived else title.replace("mutants that survive", "no mutant survives"),
        tuple(FilePlace(mutant.span, _labelled(mutant)) for mutant in survived),
    )


def _labelled(mutant: ShownMutant) -> str:
    known = mutant.equivalence
    if known is None or known.status is not EquivalenceStatus.GAP:
        return mutant.label
    return f"{mutant.label} {difference(known)}"


def reason(known: Equivalence) -> str:
    """Return why it is not known whether a survivor is equivalent."""
    reason = known.reason or "the budget is used up"
    if not known.depth:
        return reason
    return f"{reason}, no difference in {known.depth} step{'' if known.depth == 1 else 's'}"


def beside(known: Equivalence, program: Program) -> str:
    """Return the executions of a gap side by side; empty for what is no gap.

    A variable that differs has two rows: the model's values, and the mutant's where they differ.
    Steps are 0-based.
    """
    if known.status is not EquivalenceStatus.GAP or known.mutant is None:
        return ""
    model, mutant = known.model, known.mutant
    if model is None:
        return f"{difference(known)}\n\n{traces.table(mutant, program)}"
    # Variables that do not differ have the values of the side that alone allows the last step.
    common = mutant if known.allowed == "mutant" else model
    last = max(model.length, mutant.length)
    first = max(0, last - traces.MAX_STEPS)
    lines = [["step", "", *map(str, range(first, last))]]
    if known.allowed:
        allowed = ["both"] * (last - 1) + [known.allowed]
        lines.append(["allowed by", "", *allowed[first:]])
    text = [_heading(known)]
    legend = ""
    for name in _ordered(known, common, program):
        if known.allowed and name not in known.differing:
            lines.append([name, "", *_cells(common, name, program, last)[first:]])
            continue
        left, right = _cells(model, name, program, last), _cells(mutant, name, program, last)
        if left == right:
            lines.append([name, "", *left[first:]])
            continue
        marked = [
            there if here != there else AS_MODEL for here, there in zip(left, right, strict=True)
        ]
        lines.append([name, "model", *left[first:]])
        lines.append(["", "mutant", *marked[first:]])
        legend = f"({AS_MODEL}: as in the model)"
    if first:
        text.append(f"({first} steps before these)")
    text.append(traces.aligned(lines, left=2))
    if legend:
        text.append(legend)
    for side, trace in (("model", model), ("mutant", mutant)):
        if trace.loop is not None:
            text.append(f"(the {side} goes back to step {trace.loop})")
    return "\n".join(text)


def _heading(known: Equivalence) -> str:
    compared = f"compared: {known.observation}"
    if known.allowed:
        return f"{difference(known)}; {compared}"
    return f"{_names(known)}{difference(known)}; {compared}"


def _names(known: Equivalence) -> str:
    if not known.differing or known.allowed or known.model is None:
        return ""
    more = len(known.differing) - MAX_NAMES
    names = ", ".join(known.differing[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"{names}: "


def _ordered(known: Equivalence, trace: Trace, program: Program) -> tuple[str, ...]:
    """Return the variables to show: inputs, differing observed ones, then the others."""
    component = program.component(program.main)
    inputs = {variable.name for variable in component.of_kind(VariableKind.INPUT)}
    shown = traces.names(trace, program)
    given = [n for n in shown if n in inputs or n.replace("[", ".").partition(".")[0] in inputs]
    return tuple(dict.fromkeys((*given, *known.differing, *shown)))


def _cells(trace: Trace, name: str, program: Program, length: int) -> list[str]:
    values = traces.row(trace, name, program) or ("-",) * trace.length
    return [*values, *["-"] * (length - len(values))]
