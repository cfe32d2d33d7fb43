"""Reports for code scanning: SARIF 2.1.0.

All rules are listed, also those that found nothing: services close the alerts of a rule only if
the run knows it. Results that last get the same fingerprint in each run.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0, errata 01; GitHub
documentation, SARIF support for code scanning (limits, `primaryLocationLineHash`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final
from urllib.parse import quote

import mutproof
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.base.span import Span
from mutproof.base.text import counted
from mutproof.reporters import encoding
from mutproof.reporters import point as points
from mutproof.reporters.fate import fate
from mutproof.reporters.point import PAIR_RULES, PROPERTY_RULES, Grade, Point
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter
from mutproof.reporters.traces import shown_value
from mutproof.workspace import explaining
from mutproof.workspace.insertion import insertion

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
MOST_RESULTS: Final = 5_000
"""How many results code scanning keeps of a run."""

_MOST_STEPS: Final = 1_000  # of an execution
_MOST_NAMES: Final = 40
_ROOT: Final = "%SRCROOT%"
_SUGGESTED: Final = "suggested-property"
_FINGERPRINT: Final = "mutproof/finding/v1"
_LEVELS: Final = {Grade.ERROR: "error", Grade.WARNING: "warning", Grade.NOTE: "note"}
_IMPORTANCE: Final = (Grade.ERROR, Grade.WARNING, Grade.NOTE)


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a log with a result for each property that is not proved."""
    return _log(files, presentation, points.of_properties)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a log with these, what each property needs, and each element that none needs."""
    return _log(files, presentation, points.of_cores)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a log with these, and a result for each mutant that is missed or unknown."""
    return _log(files, presentation, lambda f: points.of_mutants(f, presentation, every=True))


def _log(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    pointed: Callable[[ReportedFile], list[Point]],
) -> str:
    found = [(file, one) for file in files for one in pointed(file)]
    if len(found) > MOST_RESULTS:  # else the service chooses
        found = sorted(found, key=lambda pair: _IMPORTANCE.index(pair[1].grade))[:MOST_RESULTS]
    rules = _rules((one for _, one in found), paired=any(file.pairs is not None for file in files))
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    results = [
        {"ruleId": one.rule, "ruleIndex": indices[one.rule], **_result(file, one, presentation)}
        for file, one in found
    ]
    return _written(files, presentation, rules, results)


def suggested(
    files: Sequence[tuple[ReportedFile, Sequence[Suggestion]]], presentation: Presentation
) -> str:
    """Return a log with a result for each suggested property, and a fix that adds it."""
    results = [
        {"ruleId": _SUGGESTED, "ruleIndex": 0, **_suggestion(file, one, presentation)}
        for file, suggestions in files
        for one in suggestions
    ]
    rule: dict[str, object] = {
        "id": _SUGGESTED,
        "shortDescription": {"text": "a property that is proved and closes gaps"},
        "defaultConfiguration": {"level": "note"},
        "properties": {"tags": ["property"]},
    }
    return _written(tuple(file for file, _ in files), presentation, [rule], results)


def _written(
    files: tuple[ReportedFile, ...],
    presentation: Presentation,
    rules: list[dict[str, object]],
    results: list[dict[str, object]],
) -> str:
    run: dict[str, object] = {
        "tool": {
            "driver": {
                "name": "mutproof",
                "semanticVersion": mutproof.__version__,
                "rules": rules,
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "the root of the repository"}}},
        "invocations": [_invocation(files, presentation)],
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return encoding.dumped(log)


def _invocation(files: tuple[ReportedFile, ...], presentation: Presentation) -> dict[str, object]:
    """Return the outcome of the run, and the parts that it did not analyse."""
    told = [
        {"level": "note", "message": {"text": f"{presentation.named(f.path)}: {f.left_alone}"}}
        for f in files
        if f.left_alone
    ]
    successful = all(file.finished for file in files)
    notifications = {"toolExecutionNotifications": told} if told else {}
    return {"executionSuccessful": successful, **notifications}


def _rules(found: Iterable[Point], *, paired: bool) -> list[dict[str, object]]:
    """Return the rules: mutation operators, results about properties, this run's diagnostics.

    `paired`: those about pairs of mutants, too.
    """
    rules: list[dict[str, object]] = [
        {
            "id": mutator.name,
            "shortDescription": {"text": mutator.summary},
            "fullDescription": {
                "text": f"No property notices this change: {mutator.summary}."
                f" Source: {mutator.source}."
            },
            "defaultConfiguration": {"level": "warning"},
            "properties": {"tags": ["mutation", mutator.group]},
        }
        for mutator in MUTATORS
    ]
    rules += [
        {"id": name, "shortDescription": {"text": text}, "properties": {"tags": ["property"]}}
        for name, text in PROPERTY_RULES.items()
    ]
    rules += [
        {"id": name, "shortDescription": {"text": text}, "properties": {"tags": ["mutation"]}}
        for name, text in (PAIR_RULES.values() if paired else ())
    ]
    known = {rule["id"] for rule in rules}
    others = sorted({one.rule for one in found} - known)
    rules += [{"id": name, "properties": {"tags": ["model"]}} for name in others]
    return rules


def _result(file: ReportedFile, one: Point, presentation: Presentation) -> dict[str, object]:
    level = {"kind": "open"} if one.is_open else {"level": _LEVELS[one.grade]}
    result: dict[str, object] = {
        **level,
        "message": {"text": one.message},
        "locations": [{"physicalLocation": _place(file, one.span, presentation)}],
        "partialFingerprints": {
            _FINGERPRINT: one.identity,
            "primaryLocationLineHash": f"{one.identity}:1",
        },
    }
    if one.placed is not None:
        mutant = one.placed.mutant
        result["properties"] = {
            "mutant": mutant.shown,
            "element": file.element_name(mutant.element),
            "outcome": fate(one.placed.finding).value,
            "replacement": one.placed.replacement,
        }
        if file.baseline is not None:
            result["baselineState"] = "new" if one.accepted is None else "unchanged"
    if one.related:
        result["relatedLocations"] = _related(file, one.related, presentation)
    if one.accepted is not None:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": one.accepted.words}
        ]
    if one.found is not None and one.found.trace is not None:
        result["codeFlows"] = [_flow(file, one.found, one.span, presentation)]
    return result


def _suggestion(
    file: ReportedFile, one: Suggestion, presentation: Presentation
) -> dict[str, object]:
    """Return the result for a suggested property, at the first gap that it closes."""
    assert file.language is not None
    assert file.elaborated is not None
    closed = [placed for placed in file.placed if placed.mutant.mutant in one.kills]
    gaps = counted(len(closed), "gap")
    places = _related(file, closed, presentation)
    edits = insertion(file.language, file.elaborated, (one,))
    changes = [
        {
            "deletedRegion": _region(file, edit.span),
            "insertedContent": {"text": edit.text},
        }
        for edit in edits
    ]
    again = " It restates an element." if one.restates else ""
    return {
        "level": "note",
        "message": {"text": f"{one.sentence} The property {one.name} is proved and closes {gaps}:"
                            f" {one.text}.{again}"},
        "locations": [{"physicalLocation": place["physicalLocation"]} for place in places[:1]],
        "relatedLocations": places,
        "partialFingerprints": {_FINGERPRINT: f"{one.component} {one.text}"},
        "fixes": [
            {
                "description": {"text": f"Add {one.name}: closes {gaps}, proved"},
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact(presentation.named(file.path)),
                        "replacements": changes,
                    }
                ],
            }
        ],
    }  # fmt: skip


def _related(
    file: ReportedFile, mutants: Iterable[PlacedMutant], presentation: Presentation
) -> list[dict[str, object]]:
    """Return the places of mutants, with their changes."""
    return [
        {
            "id": number,
            "physicalLocation": _place(file, placed.shown, presentation),
            "message": {"text": f"{placed.mutant.operator}: {placed.mutant.summary}"},
        }
        for number, placed in enumerate(mutants)
    ]


def _place(file: ReportedFile, span: Span, presentation: Presentation) -> dict[str, object]:
    return {
        "artifactLocation": _artifact(presentation.named(file.path)),
        "region": _region(file, span),
    }


def _region(file: ReportedFile, span: Span) -> dict[str, int]:
    start, end = file.source.position(span.start), file.source.position(max(span.start, span.end))
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _artifact(path: str) -> dict[str, object]:
    for kind in (PurePosixPath(path), PureWindowsPath(path)):
        if kind.is_absolute():
            return {"uri": kind.as_uri()}
    return {"uri": quote(path.replace("\\", "/")), "uriBaseId": _ROOT}


def _flow(
    file: ReportedFile, found: PropertyFinding, span: Span, presentation: Presentation
) -> dict[str, object]:
    """Return the steps of a counterexample, with the values of variables that explain it."""
    assert found.trace is not None
    trace, names = found.trace, tuple[str, ...]()
    program = None if file.elaborated is None else file.elaborated.program
    if program is not None:
        trace, names = explaining.shown(trace, program, found)
    place = {"physicalLocation": _place(file, span, presentation)}
    steps = []
    for number, step in enumerate(trace.steps[:_MOST_STEPS]):
        values = {name: shown_value(step.get(name)) for name in names[:_MOST_NAMES]}
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        steps.append(
            {
                "location": {**place, "message": {"text": f"step {number}: {text}"}},
                "state": {name: {"text": value} for name, value in values.items()},
            }
        )
    return {"threadFlows": [{"locations": steps}]}


REPORTER = Reporter("sarif", prove, core, mutate)
