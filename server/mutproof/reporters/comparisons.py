"""What comparing two models found: both executions of a gap as rows and as a table, and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.model.program import ElementId, Program, VariableKind
from mutproof.model.trace import Trace
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.traces import (
    blocks,
    encoded_functions,
    encoded_value,
    function_lines,
    shown_value,
)
from mutproof.workspace import explaining

_MOST_ROWS = 40
_MOST_STEPS = 40
_LAST_STEPS = 12  # of longer executions; JSON has all
_GAP = 2  # blanks between columns


@dataclass(frozen=True, slots=True)
class Sides:
    """Name the sides of a comparison, in rows and sentences, and the element that was changed."""

    model: str = "model"
    mutant: str = "mutant"
    article: str = "the "
    element: ElementId | None = None

    def one(self, *, is_model: bool) -> str:
        """Return how a sentence calls one of them."""
        return f"{self.article}{self.model if is_model else self.mutant}"


def rows(found: Equivalence, program: Program, sides: Sides) -> list[tuple[str, str, list[str]]]:
    """Return the executions of a gap as rows of name, side and values, one for each step.

    Inputs come first, and once, with no side; then what differs, once for each side. Of what one
    side alone allows, only that is shown which explains the changed element.
    """
    if found.mutant is None:
        return []
    if found.model is None:
        return [(name, "", _row(found.mutant, name)) for name in _all_names(found.mutant)]
    if found.allowed:
        alone = _alone(found)
        reasons = sides.element and explaining.of_element(alone, program, sides.element)
        result = [(name, "", _row(alone, name)) for name in reasons or _all_names(alone)]
    else:
        inputs = _input_names(found.model, program)
        result = [(name, "", _row(found.model, name)) for name in inputs]
    for name in found.differing:
        result.append((name, sides.model, _row(found.model, name)))
        result.append((name, sides.mutant, _row(found.mutant, name)))
    return result


def table(
    found: Equivalence, program: Program, sides: Sides, presentation: Presentation
) -> list[str]:
    """Return the executions of a gap: inputs once, what differs once for each side."""
    shown_rows = rows(found, program, sides)
    if found.mutant is None:
        return []
    hidden = len(shown_rows) - _MOST_ROWS
    shown_rows = shown_rows[:_MOST_ROWS]
    labels = [f"{name}  {side}".rstrip() for name, side, _ in shown_rows]
    label = max(len(text) for text in (*labels, "step"))
    steps = found.mutant.length
    widths = [max(len(str(n)), *(len(r[n]) for _, _, r in shown_rows), 1) for n in range(steps)]
    style = presentation.style
    shown = steps if steps <= _MOST_STEPS else _LAST_STEPS
    skipped = steps - shown
    lines = [style.paint("quiet", f"  {skipped} steps before these")] if skipped else []
    for block in blocks(widths[skipped:], presentation.width - 2, label):
        first, last = (end + skipped for end in block)
        cells = "".join(" " * _GAP + str(n).rjust(widths[n]) for n in range(first, last))
        lines.append("  " + style.paint("quiet", "step".ljust(label) + cells))
        for text_, (_, side, values) in zip(labels, shown_rows, strict=True):
            cells = "".join(" " * _GAP + values[n].rjust(widths[n]) for n in range(first, last))
            painted = style.paint("changed", cells) if side == sides.mutant else cells
            lines.append(f"  {text_.ljust(label)}{painted}".rstrip())
    lines += [f"  {line}" for line in function_lines(found.mutant)]
    if hidden > 0:
        lines.append(
            style.paint("quiet", f"  … {counted(hidden, 'more row')} (--format json has all)")
        )
    return lines


def _row(trace: Trace, name: str) -> list[str]:
    return [shown_value(step.get(name)) for step in trace.steps]


def _alone(found: Equivalence) -> Trace:
    """Return the execution of the only side that allows its last step."""
    trace = found.model if found.allowed == "model" else found.mutant
    assert trace is not None
    return trace


def _all_names(trace: Trace) -> list[str]:
    return list(dict.fromkeys(name for step in trace.steps for name in step))


def _input_names(trace: Trace, program: Program) -> list[str]:
    main = program.component(program.main)
    inputs = {variable.name for variable in main.of_kind(VariableKind.INPUT)}
    names = _all_names(trace)
    return [n for n in names if n in inputs or n.replace("[", ".").split(".")[0] in inputs]


def encoded(found: Equivalence, program: Program, presentation: Presentation) -> dict[str, object]:
    """Return what was found for JSON."""
    result: dict[str, object] = {"status": found.status.value, "observation": found.observation}
    match found.status:
        case EquivalenceStatus.EQUIVALENT:
            strengthening = list(found.strengthening)
            result |= {"how": found.how, "strengthening": strengthening, "k": found.k}
        case EquivalenceStatus.GAP if found.model is None:
            test = found.mutant
            assert test is not None
            names = _all_names(test)
            result |= {"how": found.how, "step": found.step, "test": _values(test, names)}
        case EquivalenceStatus.GAP:
            assert found.model is not None
            assert found.mutant is not None
            result |= {
                "how": found.how,
                "step": found.step,
                "shortest": found.shortest,
                "differing": list(found.differing),
                "allowed": found.allowed or "both",
                **({"restriction": True} if found.restricts else {}),
                "inputs": _values(found.model, _input_names(found.model, program)),
                "model": _values(found.model, found.differing),
                "mutant": _values(found.mutant, found.differing),
            }
            if found.mutant.choices.functions:
                result["functions"] = encoded_functions(found.mutant)
            if found.allowed:
                alone = _alone(found)
                result["execution"] = _values(alone, _all_names(alone))
        case _:
            result |= {"reason": found.reason, "depth": found.depth}
            if found.defect is not None:
                result["defect"] = found.defect.value
    if presentation.timings:
        result["seconds"] = round(found.seconds, 3)
    return result


def _values(trace: Trace, names: Sequence[str]) -> Mapping[str, object]:
    return {
        name: [encoded_value(step.get(name)) for step in trace.steps]
        for name in names
        if any(name in step for step in trace.steps)
    }
