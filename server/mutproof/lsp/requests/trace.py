"""Executions: step by step as values for a panel, and as files for other programs."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from mutproof.ide import executions
from mutproof.ide.executions import Course, Run
from mutproof.ide.shown import Subject
from mutproof.lsp import protocol, wire
from mutproof.lsp.request import Question, Request, question
from mutproof.lsp.view import View
from mutproof.lsp.wire import RangeText, Wire
from mutproof.reporters.trace_format import beside, exported
from mutproof.reporters.trace_formats import TRACE_FORMATS

NOTHING = Wire("null")


async def on_trace(view: View, asked: Question) -> Wire:
    """Answer the execution of a mutant, a property or a fault; null where none is known."""
    subject = _subject(asked)
    verdicts, good = view.document.verdicts, view.document.snapshot.good
    if verdicts is None or good is None:
        return NOTHING
    run = executions.run(verdicts, view.document.names(good), subject)
    if run is None:
        return NOTHING
    written = view.written(view.document.since_good)
    fields = {
        "title": run.title,
        "about": run.about,
        "version": view.document.snapshot.version,
        "stale": run.is_stale or bool(view.document.since_good.edits),
        "sides": [{"title": side.title, "loop": side.loop} for side in run.sides],
        "length": run.length,
        "step": run.step,
        "notes": list(run.notes),
    }
    place = "null" if run.span is None else written(run.span)
    variables = ",".join(_course(course, run, written) for course in run.courses)
    return Wire(f'{wire.text(fields)[:-1]},"range":{place},"variables":[{variables}]}}')


def _course(course: Course, run: Run, written: RangeText) -> str:
    fields = {
        "name": course.name,
        "input": course.is_input,
        "cone": course.is_explaining,
        "truth": course.is_truth,
        "sides": [
            {"values": list(shape.texts), "numbers": list(shape.numbers)}
            for shape, _ in zip(course.shapes, run.sides, strict=True)
        ],
        "differing": list(course.differing),
    }
    place = "null" if course.span is None else written(course.span)
    return f'{wire.text(fields)[:-1]},"range":{place}}}'


async def on_trace_file(view: View, asked: Question) -> dict[str, str] | None:
    """Answer an execution in a format for other programs; null where none is known.

    Raises:
        JsonRpcInvalidParams: there is no such format.
    """
    subject, name = _subject(asked), asked.fields.get("format")
    if not isinstance(name, str) or name not in TRACE_FORMATS:
        raise JsonRpcInvalidParams(f"a format is one of {', '.join(TRACE_FORMATS.names())}")
    verdicts = view.document.verdicts
    if verdicts is None:
        return None
    title, sides, first = executions.sides(verdicts, subject)
    program = verdicts.analysed.program
    found = [exported(side.trace, program, f"{title}: {side.title}", first) for side in sides]
    if not found:
        return None
    joined = found[0] if len(found) == 1 else beside(*found)
    return {"title": title, "text": TRACE_FORMATS[name].write(joined)}


def _subject(asked: Question) -> Subject:
    found = executions.subject(asked.fields)
    if found is None:
        raise JsonRpcInvalidParams("there is no 'kind' (mutant, property, fault) and 'name'")
    return found


_SUBJECT = "{textDocument, kind: 'mutant' | 'property' | 'fault', name}"

SHOWN = Request(
    protocol.TRACE,
    on_trace,
    nothing=lambda _: None,
    read=question,
    carries=(_SUBJECT, "{title, about, sides, length, step, variables, notes, stale} | null"),
)
FILE = Request(
    protocol.TRACE_FILE,
    on_trace_file,
    nothing=lambda _: None,
    read=question,
    carries=(f"{_SUBJECT} with format", "{title, text} | null"),
)
