"""A suite as JSON, the only complete form, which `mutproof tests run` and projections read.

Values are exact: truth values and integers as they are, reals and symbols as strings ("1/3",
"2.0"). Steps are 0-based. What is not in `outputs` of a step is not expected.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from mutproof.analyses.suites.suite import SuiteFate, SuiteFinding, SuiteTest
from mutproof.model import sorts
from mutproof.model.program import Program, VariableKind
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, RealSort, Sort, Value, WordSort
from mutproof.reporters import encoding
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.traces import encoded_value
from mutproof.workspace.suites.recorded import VERSION

SUFFIX: Final = ".suite.json"
NONE: Final = SuiteFinding(refused="the file was not analysed to the end")


def found_in(file: ReportedFile) -> SuiteFinding:
    """Return the suite of a file, or one without tests that says why there is none."""
    return NONE if file.report is None else file.report.suite or NONE


def document(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    """Return the suite of a file for JSON."""
    found = found_in(file)
    program = None if file.elaborated is None else file.elaborated.program
    placed = {one.mutant.mutant: one for one in file.placed}
    sorted_by = {} if program is None else _sorts(program)
    stored = {} if program is None else _storage(program)
    killers = _killers(found)
    return {
        "suite": VERSION,
        "model": {
            "file": file.path,
            "language": "" if file.language is None else file.language.name,
            "main": "" if program is None else program.main,
            "digest": digest(file.source.content),
        },
        "config": dict(presentation.config),
        "inputs": [
            {**one, **stored.get(one["name"], {})} for one in _declared(found.inputs, sorted_by)
        ],
        "outputs": _declared(found.outputs, sorted_by),
        "tests": [_test(test, placed) for test in found.tests],
        "mutants": [
            {
                **_mutant(one.mutant, placed),
                "fate": one.fate.value,
                **({"reason": one.reason} if one.reason else {}),
                **({"tests": killers.get(one.mutant, [])} if one.fate is SuiteFate.KILLED else {}),
            }
            for one in found.mutants
        ],
        "minimum": {
            "tests": len(found.tests),
            "at_least": found.at_least,
            "collected": found.collected,
            "minimal_mutants": found.minimal,
        },
        **({"refused": found.refused} if found.refused else {}),
        **({"seconds": round(found.seconds, 3)} if presentation.timings else {}),
    }


def written(value: dict[str, object]) -> str:
    """Return a suite as lines: one for each step of a test, each kill and each mutant."""
    parts = [f'"{key}": {_lines(part)}' for key, part in value.items()]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(part: object) -> str:
    """Return a list with one item on each line, also in lists of steps."""
    if not isinstance(part, list) or not part:
        return json.dumps(part, ensure_ascii=False)
    items = []
    for item in part:
        if isinstance(item, dict) and "steps" in item:
            inner = [f'"{key}": {_lines(own)}' for key, own in item.items()]
            items.append("{" + ",\n ".join(inner) + "}")
        else:
            items.append(json.dumps(item, ensure_ascii=False))
    return "[\n " + ",\n ".join(items) + "]"


def digest(text: str) -> str:
    """Return the SHA-256 of a model's text in UTF-8, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def name_of(test: SuiteTest) -> str:
    """Return the name of a test, by its inputs alone: it stays while they do."""
    rows = [encoded_row(row) for row in test.inputs]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"))
    return f"t{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def encoded_row(row: Mapping[str, Value]) -> dict[str, object]:
    """Return the values of a step for JSON."""
    return {name: encoded_value(value) for name, value in row.items()}


def _killers(found: SuiteFinding) -> Mapping[str, list[str]]:
    """Return for each killed mutant the names of the tests that kill it."""
    killers: dict[str, list[str]] = {}
    for test in found.tests:
        name = name_of(test)
        for kill in test.kills:
            killers.setdefault(kill.mutant, []).append(name)
    return killers


def _test(test: SuiteTest, placed: Mapping[str, PlacedMutant]) -> dict[str, object]:
    return {
        "name": name_of(test),
        "origin": test.origin,
        "violates": list(test.violates),
        "steps": [
            {"inputs": encoded_row(given), "outputs": encoded_row(wanted)}
            for given, wanted in zip(test.inputs, test.outputs, strict=True)
        ],
        "kills": [
            {
                "mutant": placed[kill.mutant].mutant.shown,
                "step": kill.step,
                "outputs": list(kill.outputs),
            }
            for kill in test.kills
            if kill.mutant in placed
        ],
    }


def _mutant(name: str, placed: Mapping[str, PlacedMutant]) -> dict[str, object]:
    if name not in placed:
        return {"id": name}
    one = placed[name]
    return {
        "id": one.mutant.shown,
        **encoding.place(one.place),
        "operator": one.mutant.operator,
        "summary": one.mutant.summary,
    }


def _sorts(program: Program) -> dict[str, Sort]:
    return {
        variable.name + suffix: sort
        for variable in program.component(program.main).variables
        for suffix, sort in sorts.leaves(variable.sort)
    }


def _storage(program: Program) -> dict[str, dict[str, str]]:
    """Return the storage, `frozen` or `state`, of each input that is a state variable."""
    words = {VariableKind.FROZEN: "frozen", VariableKind.STATE: "state"}
    return {
        variable.name + suffix: {"storage": words[variable.kind]}
        for variable in program.component(program.main).variables
        if variable.kind in words
        for suffix, _ in sorts.leaves(variable.sort)
    }


def _declared(names: tuple[str, ...], known: Mapping[str, Sort]) -> list[dict[str, Any]]:
    return [{"name": name, **_kind(known.get(name))} for name in names]


def _kind(sort: Sort | None) -> dict[str, Any]:
    match sort:
        case BoolSort():
            return {"type": "bool"}
        case IntSort(low, high):
            bounds = {} if low is None or high is None else {"low": low, "high": high}
            return {"type": "int", **bounds}
        case RealSort():
            return {"type": "real"}
        case EnumSort(_, values):
            return {"type": "enum", "values": [encoded_value(value) for value in values]}
        case WordSort():
            return {"type": "word", "width": sort.width, "signed": sort.signed}
        case _:
            return {"type": "other"}
