"""Reports of advice, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import Final

from mutproof.analyses.advising.advice import Advice, AdviceFinding, AdviceStatus, Backing
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.analyses.claims.finding import ModelFinding
from mutproof.base.span import Position, Span
from mutproof.model.trace import Trace
from mutproof.reporters import encoding, traces
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace import explaining
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.faults import fault_span

_NONE: Final = AdviceFinding()
_MOST_VALUES: Final = 8
_MOST_INSTANCES: Final = 4


def text(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return one line for each piece of advice, with its execution, and what is unknown."""
    analysed = (file for file in files if file.report is not None)
    return "\n".join("\n".join(_of_file(file, presentation)) + "\n" for file in analysed)


def _of_file(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    style = presentation.style
    known = _known(file)
    yield style.paint("strong", file.shown_path)
    empty = [] if file.report is None else [f for f in file.report.model if f.empties]
    for fault in empty:
        label = style.paint("warning", fault.fault.value)
        yield f"{file.shown_path}:{_place(file, fault)}: {label} {fault.message}"
    for (start, said, _), alike in groupby(_in_order(file, known), partial(_line, file)):
        advice, *others = alike
        names = ", ".join(one.meta_property for one in (advice, *others))
        label = style.paint("warning", names)
        if advice.status is AdviceStatus.UNKNOWN:
            label = f"{label} {style.paint('warning', 'UNKNOWN')}"
        yield f"{file.shown_path}:{file.source.position(start)}: {label} {said}"
        shown = _state(file, advice)
        if shown:
            yield f"    {shown}"
    counts = Counter(advice.status for advice in known.advice)
    yield ""
    assert file.report is not None
    found, unknown = counts[AdviceStatus.FOUND] + len(empty), counts[AdviceStatus.UNKNOWN]
    is_open = known.left or file.report.advice is None
    so_far = "so far " if is_open else ""
    yield f"{so_far}{found or 'no'} finding{'' if found == 1 else 's'}, {unknown} unknown"
    if is_open:
        left = f"{known.left} questions" if known.left else "everything"
        yield style.paint("bad", f"incomplete: {left} not answered: the run was given up")
    said_above = {fault.message for fault in empty}
    yield from (note for note in file.notes if note not in said_above)
    if presentation.timings:
        yield f"time {known.seconds:.2f} s for advice"


def _known(file: ReportedFile) -> AdviceFinding:
    return _NONE if file.report is None else file.report.advice or _NONE


def _span(file: ReportedFile, advice: Advice) -> Span:
    return Span(0, 0) if file.elaborated is None else advice_span(file.elaborated, advice)


def _line(file: ReportedFile, advice: Advice) -> tuple[int, str, str]:
    """Return the key of the advice that shares a line: what is unknown for one reason."""
    is_open = advice.status is AdviceStatus.UNKNOWN
    return _span(file, advice).start, _said(advice), "" if is_open else advice.meta_property


def _place(file: ReportedFile, fault: ModelFinding) -> Position:
    """Return where a fault of the whole model is told."""
    start = 0 if file.elaborated is None else fault_span(file.elaborated, fault).start
    return file.source.position(start)


def _in_order(file: ReportedFile, known: AdviceFinding) -> list[Advice]:
    """Return advice in the order of the text; in one place, of meta-properties."""
    return sorted(known.advice, key=lambda advice: _span(file, advice).start)


def _said(advice: Advice) -> str:
    """Return the message of advice with its instances and its evidence."""
    where = ""
    if advice.instances:
        named = [instance.removesuffix(".") or "main" for instance in advice.instances]
        more = len(named) - _MOST_INSTANCES
        listed = ", ".join(named[:_MOST_INSTANCES]) + (f" and {more} more" if more > 0 else "")
        where = f", in {listed}"
    if advice.status is AdviceStatus.UNKNOWN:
        return f"perhaps: {advice.message}{where} ({advice.reason})"
    return f"{advice.message}{where} [{_backed(advice)}]"


def _backed(advice: Advice) -> str:
    how = advice.how
    shown = advice.backing.value
    return f"{shown}, {how}" if how and advice.backing is not Backing.TEXT else shown


def _state(file: ReportedFile, advice: Advice) -> str:
    """Return values of a few variables at the step that shows advice; empty without one."""
    trace = advice.trace
    if trace is None or advice.step >= trace.length or file.elaborated is None:
        return ""
    program = file.elaborated.program
    assert program is not None
    about = advice.component, advice.property
    stated = [f for f in file.properties if (f.component, f.declared) == about and f.trace == trace]
    names: Iterable[str] = trace.steps[advice.step]
    if stated:
        trace, names = explaining.shown(trace, program, stated[0])
    values = trace.steps[advice.step]
    shown = [
        f"{name} = {program.traits.show(values[name], None)}" for name in names if name in values
    ]
    more = len(shown) - _MOST_VALUES
    listed = ", ".join(shown[:_MOST_VALUES]) + (f" and {more} more" if more > 0 else "")
    return f"step {advice.step}: {listed}"


def to_json(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return for each file its advice, what is unknown, and the meta-properties asked for."""
    return encoding.one_or_many(files, partial(_encoded, presentation=presentation))


def _encoded(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    known = _known(file)
    ordered = _in_order(file, known)
    of_status = {
        status: [_encoded_advice(file, one) for one in ordered if one.status is status]
        for status in AdviceStatus
    }
    return {
        "file": file.path,
        "asked": presentation.config.get("advise", []),
        "advice": of_status[AdviceStatus.FOUND],
        "unknown": of_status[AdviceStatus.UNKNOWN],
        "left": known.left,
        "notes": list(file.notes),
        "diagnostics": encoding.diagnostics(file),
        **({"seconds": round(known.seconds, 3)} if presentation.timings else {}),
        **({} if file.finished and file.report is not None else {"finished": False}),
    }


def _encoded_advice(file: ReportedFile, advice: Advice) -> dict[str, object]:
    span = _span(file, advice)
    start, end = file.source.position(span.start), file.source.position(span.end)
    return {
        "meta_property": advice.meta_property,
        "code": META_PROPERTIES[advice.meta_property].code,
        **encoding.place(start),
        "end_line": end.line,
        "end_column": end.column,
        "message": advice.message,
        "evidence": advice.backing.value,
        "how": advice.how,
        "instances": [instance.removesuffix(".") for instance in advice.instances],
        **({"reason": advice.reason} if advice.reason else {}),
        **({} if advice.trace is None else _encoded_trace(advice.trace, advice.step)),
    }


def _encoded_trace(trace: Trace, step: int) -> dict[str, object]:
    names = dict.fromkeys(name for one in trace.steps for name in one)
    values = {name: [traces.encoded_value(one.get(name)) for one in trace.steps] for name in names}
    return {
        "step": step,
        "trace": {"length": trace.length, "loop": trace.loop, "values": values},
    }


FORMATS: Final[Mapping[str, Callable[[tuple[ReportedFile, ...], Presentation], str]]] = {
    "text": text,
    "json": to_json,
}
