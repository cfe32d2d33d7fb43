"""Executions to view step by step: for a gap, those of model and mutant; else a single one.

Values are spelled as in the language of the model; steps are 0-based.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide import survivors, traces
from mutproof.ide.names import Names
from mutproof.ide.placed import Freshness, ShownMutant
from mutproof.ide.shown import Subject, SubjectKind
from mutproof.ide.verdicts import Verdicts
from mutproof.model import flat_names
from mutproof.model.evaluate import evaluate
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.program import ElementId, Program
from mutproof.model.sorts import Value
from mutproof.model.trace import Trace, applications
from mutproof.model.traits import Semantics
from mutproof.workspace import explaining

MAX_VARIABLES = 2_000
MAX_STEPS = 2_000


@dataclass(frozen=True, slots=True)
class ExecutionSide:
    """Hold one execution; `loop` is the 0-based step to which its last one returns."""

    title: str
    trace: Trace

    @property
    def loop(self) -> int | None:
        """Return the step to which the last one returns."""
        return self.trace.loop


@dataclass(frozen=True, slots=True)
class SeriesShape:
    """Hold the values of a variable on one side: as text, and as numbers where they are some.

    Truth values are the numbers 0 and 1; None is a step at which there is no number.
    """

    texts: tuple[str, ...]
    numbers: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """Hold the course of a variable: a shape for each side, and the steps at which they differ.

    `span` is where it gets its value, or where it is declared, None for what has no place.
    """

    name: str
    span: Span | None
    is_input: bool
    is_explaining: bool
    is_truth: bool
    shapes: tuple[SeriesShape, ...]
    differing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """Hold an execution, or two side by side, with what is said about it.

    `step` is the 0-based one to look at first; `span` the place of the subject.
    """

    title: str
    about: str
    sides: tuple[ExecutionSide, ...]
    length: int
    step: int
    span: Span | None
    is_stale: bool
    courses: tuple[Course, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _ShownExecution:
    """Hold all of an execution to be shown except its variables."""

    title: str
    about: str
    sides: tuple[ExecutionSide, ...]
    step: int
    span: Span | None
    is_stale: bool
    explaining: tuple[str, ...]


def sides(
    verdicts: Verdicts, subject: Subject
) -> tuple[str, tuple[ExecutionSide, ...], tuple[str, ...]]:
    """Return a title, the executions, and the variables to begin with; nothing where none is."""
    found = _find(verdicts, subject)
    return ("", (), ()) if found is None else (found.title, found.sides, found.explaining)


def run(verdicts: Verdicts, names: Names, subject: Subject) -> Run | None:
    """Return the execution of a subject, None if none is known."""
    found = _find(verdicts, subject)
    if found is None:
        return None
    program = verdicts.analysed.program
    length = max(side.trace.length for side in found.sides)
    given = explaining.inputs(program)
    present = dict.fromkeys(found.explaining)
    for side in found.sides:
        present.update(dict.fromkeys(traces.names(side.trace, program)))
        present.update(
            dict.fromkeys(sorted(explaining.names(side.trace), key=explaining.part_order))
        )
    places, explained = _Places(verdicts, names), frozenset(found.explaining)
    shown = min(length, MAX_STEPS)
    courses = []
    for name in list(present)[:MAX_VARIABLES]:
        shapes = tuple(_shape(side, name, shown, program) for side in found.sides)
        courses.append(
            Course(
                name,
                places.of(name),
                any(whole in given for whole in explaining.wholes(name)),
                name in explained,
                _is_truth(found.sides, name),
                shapes,
                _differing(shapes),
            )
        )
    notes = [
        f"the {side.title} goes back to step {side.loop}"
        for side in found.sides
        if side.loop is not None
    ]
    if length > shown:
        notes.append(f"{length - shown} more steps")
    notes += _functions(found.sides)
    return Run(
        found.title,
        found.about,
        found.sides,
        shown,
        min(found.step, max(0, shown - 1)),
        found.span,
        found.is_stale,
        tuple(courses),
        tuple(notes),
    )


def _find(verdicts: Verdicts, subject: Subject) -> _ShownExecution | None:
    match subject.kind:
        case SubjectKind.MUTANT:
            mutant = verdicts.by_id.get(subject.name)
            return None if mutant is None else _of_mutant(verdicts, mutant)
        case SubjectKind.PROPERTY:
            return _of_property(verdicts, subject.name)
        case SubjectKind.FAULT:
            return _of_fault(verdicts, subject.name)


def _of_mutant(verdicts: Verdicts, mutant: ShownMutant) -> _ShownExecution | None:
    name = f"{verdicts.label(mutant.record.element)}: {mutant.label}"
    stale = mutant.standing is Freshness.STALE
    program = verdicts.analysed.program
    known = mutant.equivalence
    if known is not None and known.status is EquivalenceStatus.GAP and known.mutant is not None:
        both = _of_gap(known, known.mutant)
        first = explaining.of_variables(known.mutant, program, known.differing)
        first = first or explaining.of_element(known.mutant, program, mutant.record.element)
        about = f"{survivors.difference(known)}; compared: {known.observation}"
        step = known.step or 0
        return _ShownExecution(name, about, both, step, mutant.span, stale, first)
    finding = mutant.finding
    if finding is None or finding.trace is None:
        return None
    about = f"killed by {', '.join(finding.killed_by)}"
    step = min(finding.steps.values(), default=finding.trace.length - 1)
    first = _explained(verdicts, finding.trace, finding.killed_by)
    beside = (*_model_side(finding.trace, program), ExecutionSide("mutant", finding.trace))
    return _ShownExecution(name, about, beside, step, mutant.span, stale, first)


def _of_gap(known: Equivalence, mutant: Trace) -> tuple[ExecutionSide, ...]:
    """Return the sides of a gap; only one if that side alone allows the last step."""
    sides = (ExecutionSide("mutant", mutant),)
    if known.model is None or known.allowed == "mutant":
        return sides
    model = ExecutionSide("model", known.model)
    return (model,) if known.allowed else (model, *sides)


def _model_side(trace: Trace, program: Program) -> tuple[ExecutionSide, ...]:
    """Return the model's execution with the choices of a trace that kills a mutant.

    Empty for models that are not functions of their inputs.
    """
    if program.traits.semantics is not Semantics.FORWARD:
        return ()
    try:
        return (ExecutionSide("model", evaluate(program, trace.choices).trace),)
    except InstantaneousLoop:
        return ()


def _of_property(verdicts: Verdicts, name: str) -> _ShownExecution | None:
    prop = verdicts.stating.get(name)
    found = None if prop is None else next((f for f in prop.findings if f.name == name), None)
    if prop is None or found is None or found.trace is None:
        return None
    falsified = found.verdict is PropertyVerdict.FALSIFIED
    about = "counterexample" if falsified else "witness"
    stale = prop.standing is Freshness.STALE
    trace = explaining.ending(found.trace, verdicts.analysed.program, found)
    first = _explained(verdicts, trace, (name,))
    step = trace.length - 1
    title = f"{name} is falsified" if falsified else f"witness of {name}"
    return _ShownExecution(
        title, about, (ExecutionSide("model", trace),), step, prop.span, stale, first
    )


def _of_fault(verdicts: Verdicts, number: str) -> _ShownExecution | None:
    faults = verdicts.analysed.report.faults
    if not number.isdecimal() or int(number) >= len(faults):
        return None
    fault = faults[int(number)]
    if fault.trace is None:
        return None
    first = traces.names(fault.trace, verdicts.analysed.program)
    side = (ExecutionSide("model", fault.trace),)
    return _ShownExecution(
        fault.fault.value, fault.message, side, fault.trace.length - 1, None, False, first
    )


def _explained(verdicts: Verdicts, trace: Trace, names: Iterable[str]) -> tuple[str, ...]:
    """Return the variables that explain why properties fail."""
    program = verdicts.analysed.program
    found: dict[str, None] = {}
    for name in names:
        for finding in _findings(verdicts, name):
            found.update(dict.fromkeys(explaining.of_property(trace, program, finding)))
    return tuple(found)


def _findings(verdicts: Verdicts, name: str) -> tuple[PropertyFinding, ...]:
    known = verdicts.analysed.report.properties.get(name)
    return () if known is None else (known.finding,)


def _shape(side: ExecutionSide, name: str, length: int, program: Program) -> SeriesShape:
    steps = side.trace.steps[:length]
    texts = traces.row(side.trace, name, program) or ()
    numbers = [_number(step.get(name)) for step in steps]
    if all(number is None for number in numbers):
        numbers = []
    missing = length - len(steps)
    return SeriesShape(
        (*texts[:length], *["-"] * (length - min(len(texts), length))),
        (*numbers, *[None] * missing) if numbers else (),
    )


def _is_truth(both: Iterable[ExecutionSide], name: str) -> bool:
    values = (step.get(name) for side in both for step in side.trace.steps)
    return all(value is None or isinstance(value, bool) for value in values)


def _number(value: Value | None) -> float | None:
    if not isinstance(value, int | Fraction):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _differing(shapes: Sequence[SeriesShape]) -> tuple[int, ...]:
    if len(shapes) < 2:
        return ()
    left, right = (shape.texts for shape in shapes)
    return tuple(step for step, (a, b) in enumerate(zip(left, right, strict=True)) if a != b)


def _functions(both: Iterable[ExecutionSide]) -> list[str]:
    found: dict[str, None] = {}
    for side in both:
        for name, arguments, value in applications(side.trace.choices)[: traces.MAX_PARTS]:
            shown = "…" if arguments is None else ", ".join(map(traces.value_text, arguments))
            found[f"{name}({shown}) = {traces.value_text(value)}"] = None
    return list(found)


class _Places:
    """Find the elements that define the variables of executions."""

    def __init__(self, verdicts: Verdicts, names: Names) -> None:
        self._provenance = verdicts.analysed.elaborated.provenance
        self._main = verdicts.analysed.program.main
        self._components = {
            path: component for component, paths in names.paths.items() for path in paths
        }
        self._elements: dict[tuple[str, str], ElementId] = {}
        for element in self._provenance.elements:
            for target in element.name.split(","):
                # A later element, such as `next(x)`, is preferred to `init(x)`.
                self._elements[element.component, target] = element

    def of(self, name: str) -> Span | None:
        """Return where a variable gets its value, or where it is declared."""
        for whole in explaining.wholes(name):
            path, _, own = whole.rpartition(".")
            owner = flat_names.component_of(path) or self._components.get(
                path, "" if path else self._main
            )
            element = self._elements.get((owner, own))
            if element is not None:
                return self._provenance.head(element)
            span = self._provenance.variables.get((owner, own))
            if span is not None:
                return span
        return None


def subject(value: Mapping[str, object]) -> Subject | None:
    """Return the subject that plain values name; None where they name none."""
    kind, name = value.get("kind"), value.get("name")
    if kind not in {each.value for each in SubjectKind} or not isinstance(name, str):
        return None
    return Subject(SubjectKind(kind), name)
