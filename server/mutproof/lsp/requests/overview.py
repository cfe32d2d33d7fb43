"""All verdicts of a file in tables, and the mutants of one element."""

from __future__ import annotations

from dataclasses import asdict

from mutproof.ide import overview
from mutproof.ide.overview import ComponentRow, ElementRow, MutantRow, PropertyRow
from mutproof.ide.placed import Tally
from mutproof.lsp import protocol, wire
from mutproof.lsp.request import Question, Request, question
from mutproof.lsp.view import View
from mutproof.lsp.wire import RangeText, Wire


async def on_overview(view: View, _: Question) -> Wire:
    """Answer the verdicts of all properties and nodes; null while the text has no meaning."""
    await view.session.fresh(view.document)
    verdicts = view.document.verdicts
    if verdicts is None:
        return Wire("null")
    found = overview.overview(verdicts)
    written = view.written(view.document.since_good)
    fields = {
        "version": view.document.snapshot.version,
        "phase": verdicts.analysed.report.phase.value,
        "edited": bool(view.document.since_good.edits),
    }
    properties = ",".join(_property(row, written) for row in found.properties)
    components = ",".join(_component(row, written) for row in found.components)
    return Wire(
        f'{wire.text(fields)[:-1]},"properties":[{properties}],"components":[{components}]}}'
    )


async def on_mutants(view: View, asked: Question) -> Wire:
    """Answer the mutants of an element, of all where none is named."""
    verdicts, wanted = view.document.verdicts, asked.fields.get("element")
    if verdicts is None:
        return wire.listed(())
    written = view.written(view.document.since_good)
    rows = overview.mutants(verdicts, wanted if isinstance(wanted, str) else None)
    return wire.listed(_mutant(row, written) for row in rows)


def _property(row: PropertyRow, written: RangeText) -> str:
    fields = {
        "name": row.name,
        "component": row.component,
        "verdict": row.verdict,
        "said": row.said,
        "stale": row.is_stale,
        "kills": row.kills,
        "traced": row.traced,
    }
    return _placed(fields, range=written(row.span))


def _component(row: ComponentRow, written: RangeText) -> str:
    elements = ",".join(_element(element, written) for element in row.elements)
    fields: dict[str, object] = {"name": row.name, "counts": _counts(row.counted)}
    return _placed(fields, range=written(row.span), elements=f"[{elements}]")


def _element(row: ElementRow, written: RangeText) -> str:
    fields = {
        "key": row.key,
        "label": row.label,
        "counts": _counts(row.counted),
        "stale": row.is_stale,
        "cells": [
            {
                "property": number,
                "mark": row.marks.get(number, ""),
                "kills": row.kills.get(number, 0),
            }
            for number in sorted({*row.marks, *row.kills})
        ],
    }
    return _placed(fields, range=written(row.span), head=written(row.head))


def _cell(row: ElementRow, number: int) -> dict[str, object]:
    kills = row.kills.get(number, 0)
    return {"property": number, "mark": row.marks.get(number, ""), "kills": kills}


def _mutant(row: MutantRow, written: RangeText) -> str:
    fields = {
        "mutant": row.mutant,
        "label": row.label,
        "operator": row.operator,
        "status": row.status,
        "said": row.said,
        "stale": row.is_stale,
        "behaviour": row.behaviour,
        "traced": row.is_traced,
    }
    return _placed(fields, range=written(row.span))


def _counts(counted: Tally) -> dict[str, object]:
    return {**asdict(counted), "total": counted.total, "score": counted.score}


def _placed(fields: dict[str, object], **written: str) -> str:
    """Return the JSON of an object; the fields `written` are JSON already."""
    more = "".join(f',"{name}":{text}' for name, text in written.items())
    return f"{wire.text(fields)[:-1]}{more}}}"


OVERVIEW = Request(
    protocol.OVERVIEW,
    on_overview,
    nothing=lambda _: None,
    read=question,
    carries=("{textDocument}", "{version, phase, edited, properties, components} | null"),
)
MUTANTS = Request(
    protocol.MUTANTS,
    on_mutants,
    read=question,
    carries=("{textDocument, element?}", "{mutant, label, operator, status, said, range, …}[]"),
)
