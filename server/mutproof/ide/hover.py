"""Hovers: the mutants of a place with their verdicts, what a property kills, and names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    Origin,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide import code_lenses, survivors, traces
from mutproof.ide.names import Declared, NameKind, Names
from mutproof.ide.placed import Freshness, PlacedProperty, ShownMutant
from mutproof.ide.verdicts import Verdicts
from mutproof.model.program import ElementId
from mutproof.model.trace import Trace

_MAX_CORES: Final = 8
_ORIGINS: Final = {
    Origin.KEPT: "kept",
    Origin.REPLAYED: "replayed",
    Origin.REPROVED: "re-proved",
}
NEEDS_NOTHING: Final = "Needs no element of the model: it holds whatever these say."


@dataclass(frozen=True, slots=True)
class Hover:
    """Hold Markdown about a place."""

    span: Span
    markdown: str


def hover(verdicts: Verdicts, names: Names, offset: int) -> Hover | None:
    """Return what is known about the place at a 0-based offset; None if nothing is."""
    parts = (findings(verdicts, offset), name(names, offset, verdicts))
    return joined([part for part in parts if part is not None])


def joined(parts: Sequence[Hover]) -> Hover | None:
    """Return hovers as one, at the place of the first; None of none."""
    if not parts:
        return None
    return Hover(parts[0].span, "\n\n---\n\n".join(part.markdown for part in parts))


def findings(verdicts: Verdicts, offset: int) -> Hover | None:
    """Return the verdicts on what is at a 0-based offset; None if nothing is decided there."""
    touched = verdicts.touching(Span(offset, offset))
    mutants = [mutant for mutant in touched if _holds(mutant.span, offset)]
    properties = [prop for prop in verdicts.properties if _holds(prop.span, offset)]
    parts = [Hover(prop.span, _property(prop, verdicts)) for prop in properties]
    if mutants:
        parts.append(Hover(mutants[0].span, _mutants(mutants, verdicts)))
    return joined(parts)


def _holds(span: Span, offset: int) -> bool:
    return span.start <= offset < max(span.end, span.start + 1)


def _mutants(mutants: list[ShownMutant], verdicts: Verdicts) -> str:
    lines = [
        "| mutant | verdict | killed by | decided by | cost |",
        "|---|---|---|---|---|",
    ]
    for mutant in mutants:
        cells = (
            f"{mutant.label} ({mutant.record.operator})",
            _verdict(mutant, verdicts),
            _killers(mutant.finding),
            _how(mutant.finding),
            "" if mutant.finding is None else f"{mutant.finding.seconds * 1000:.0f} ms",
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def _verdict(mutant: ShownMutant, verdicts: Verdicts) -> str:
    if mutant.status is MutantStatus.IGNORED:
        reason = verdicts.suppressed.get(mutant.record.mutant, "")
        return f"ignored: {reason}" if reason else "ignored"
    if mutant.finding is None or mutant.status is None:
        return {Freshness.QUEUED: "queued", Freshness.RUNNING: "running"}.get(
            mutant.standing, "not decided"
        )
    text = mutant.status.value
    if mutant.status is MutantStatus.SURVIVED:
        text = survivors.verdict(mutant.equivalence)
    elif mutant.status is MutantStatus.UNKNOWN:
        text = f"unknown: {mutant.finding.reason or 'the budget is used up'}"
        if mutant.finding.depth:
            depth = mutant.finding.depth
            text += f" (no violation in {depth} step{'s' if depth != 1 else ''})"
    return f"{text} (stale)" if mutant.standing is Freshness.STALE else text


def _killers(finding: MutantFinding | None) -> str:
    if finding is None:
        return ""
    parts = []
    for name in finding.killed_by:
        step = finding.steps.get(name)
        parts.append(name if step is None else f"{name} at step {step}")
    parts.extend(f"{name}?" for name in finding.undecided)
    return ", ".join(parts)


def _how(finding: MutantFinding | None) -> str:
    if finding is None:
        return ""
    parts = [finding.how]
    if finding.k is not None and finding.status is not MutantStatus.KILLED:  # that has a step
        parts.append(f"k={finding.k}")
    if finding.origin is not Origin.DECIDED:
        parts.append(_ORIGINS[finding.origin])
    return ", ".join(part for part in parts if part)


def _property(prop: PlacedProperty, verdicts: Verdicts) -> str:
    worst = prop.worst()
    lines = [f"**{prop.name}**: {code_lenses.property_title(prop, verdicts)}"]
    if worst is None:
        return lines[0]
    if worst.verdict is PropertyVerdict.FALSIFIED and worst.trace is not None:
        lines.append(f"```text\n{traces.explained(worst, verdicts.analysed.program)}\n```")
    if worst.verdict is PropertyVerdict.PROVED:
        if worst.core is not None:
            lines.extend(_needs(worst, worst.core, verdicts))
        killed = verdicts.killed_by(finding.name for finding in prop.findings)
        if killed:
            labels = [f"{m.label} in {verdicts.label(m.record.element)}" for m in killed[:10]]
            more = f", and {len(killed) - 10} more" if len(killed) > 10 else ""
            lines.append(f"Kills {', '.join(labels)}{more}.")
    if worst.seconds:
        lines.append(f"Took {worst.seconds:.2f} s.")
    return "\n\n".join(lines)


def _needs(
    finding: PropertyFinding, core: tuple[ElementId, ...], verdicts: Verdicts
) -> Iterator[str]:
    """Yield the elements of the core or of all cores, with those in every core in bold."""
    must = set(finding.must or ())

    def listed(elements: tuple[ElementId, ...]) -> str:
        labels = [verdicts.label(element) for element in elements]
        marked = (
            f"**{label}**" if element in must else label
            for label, element in zip(labels, elements, strict=True)
        )
        return ", ".join(marked) or "nothing"

    found = finding.cores
    if found is None:
        yield f"Needs {listed(core)} (bold: in every proof)." if core else NEEDS_NOTHING
        return
    count = len(found.cores)
    known = "complete" if found.complete else f"incomplete: {found.reason}"
    yield f"{count} minimal core{'' if count == 1 else 's'} ({known}); bold: in every core."
    rows = [f"- {listed(one)}" for one in found.cores[:_MAX_CORES]]
    if count > _MAX_CORES:
        rows.append(f"- and {count - _MAX_CORES} more")
    yield "\n".join(rows)


def name(names: Names, offset: int, verdicts: Verdicts | None) -> Hover | None:
    """Return what the name at a 0-based offset is, with its values where a trace is shown."""
    found = names.at(offset)
    if found is None:
        return None
    span, declared = found
    if declared.kind in {NameKind.COMPONENT, NameKind.FUNCTION, NameKind.MODULE}:
        return Hover(span, f"`{declared.text} {declared.detail}`".replace(" `", "`"))
    sign = {NameKind.DEFINE: ":=", NameKind.PARAMETER: ":="}.get(declared.kind, ":")
    shown = declared.text
    if declared.detail and declared.kind is not NameKind.PROPERTY:
        shown += f" {sign} {declared.detail}"
    if declared.value:
        shown += f" = {declared.value}"
    text = f"`{shown}` ({declared.kind.value})"
    trace = None if verdicts is None else verdicts.shown_trace()
    if verdicts is not None and trace is not None:
        rows = list(_rows(verdicts, names, declared, trace))
        if len(rows) == 1:
            text += f"\n\nIn the shown trace: {rows[0][1]}"
        elif rows:
            listed = "\n".join(f"- `{name}`: {values}" for name, values in rows)
            text += f"\n\nIn the shown trace:\n\n{listed}"
    return Hover(span, text)


def _rows(
    verdicts: Verdicts, names: Names, declared: Declared, trace: Trace
) -> Iterator[tuple[str, str]]:
    """Yield the values of a name in each instance of its component, arrays element by element."""
    program = verdicts.analysed.program
    for path in names.paths.get(declared.container, ()):
        full = f"{path}.{declared.text}" if path else declared.text
        for name in traces.parts(trace, full):
            values = traces.row(trace, name, program)
            if values is not None:
                yield name, ", ".join(values[: traces.MAX_STEPS])
