"""The page of the evidence: the document of `reporters.evidence` as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.reporters import unmutated
from mutproof.reporters.matrix import NEEDS_NOTHING
from mutproof.reporters.pages import tables
from mutproof.reporters.pages.frame import frame

Document = Mapping[str, Any]


def page(document: Document) -> str:
    """Return a page that says what a document says, executions apart."""
    return frame("Evidence of mutation proof", _body(document))


def _body(document: Document) -> Iterator[str]:
    known = document["identification"]
    yield from _summary(document)
    yield "<h2>What was analysed, and with what</h2>"
    versions = [*known["versions"].items(), *([("date", known["date"])] if "date" in known else [])]
    yield from tables.table("Tools", ("tool", "version"), versions)
    yield from tables.table("Models", ("file", "SHA-256"), [*known["files"].items()])
    settings = [(name, json.dumps(value)) for name, value in known["configuration"].items()]
    yield from tables.table("Configuration", ("setting", "value"), settings)
    for file in document["files"]:
        yield from _file(file)
    yield "<h2>Limits</h2><ul>"
    yield from (f"<li>{escape(one)}</li>" for one in document["limits"])
    yield f"</ul><h2>How to reproduce</h2><pre>{escape(document['reproduce'])}</pre>"
    yield "<h2>Mutation operators</h2>"
    operators = [(o["name"], o["does"], str(o["mutants"])) for o in known["operators"]]
    yield from tables.table("Operators", ("operator", "what it does", "mutants"), operators)


def _summary(document: Document) -> Iterator[str]:
    """Yield a row for each file: numbers of proved properties, killed mutants, open points."""
    rows = [
        (
            file["path"],
            _proved(file),
            str(file["mutants"]["killed"]),
            str(len(file["openPoints"])),
            str(sum(not p.get("disposition", {}).get("way") for p in file["openPoints"])),
        )
        for file in document["files"]
    ]
    header = ("file", "properties proved", "mutants killed", "open points", "without disposition")
    yield from tables.table("Summary", header, rows)
    score = document["score"]
    yield f"<p>{score['killed']} of {score['of']} mutants that count are killed.</p>"


def _proved(file: Document) -> str:
    properties = file["properties"]
    if not properties and file["problems"]:
        return "not analysed"
    return f"{sum(one['verdict'] == 'proved' for one in properties)} of {len(properties)}"


def _file(file: Document) -> Iterator[str]:
    yield f"<h2>{escape(file['path'])}</h2>"
    yield from (f"<p>{escape(one)}</p>" for one in (*file["problems"], *file["notes"]))
    properties = [
        (
            one["place"],
            one["name"],
            _listed(one["requirements"]),
            one["verdict"] + (f", k = {one['k']}" if "k" in one else ""),
            one["method"],
            one.get("certificate", {}).get("result", ""),
            one.get("vacuity", ""),
            _core(one),
            f"{one['kills']} ({one['killsAlone']} alone)",
        )
        for one in file["properties"]
    ]
    header = ("place", "property", "requirements", "verdict", "method", "certificate", "vacuity")
    yield from tables.table("Properties", (*header, "core", "kills"), properties)
    bare = file["requirements"]["propertiesWithout"]
    if bare:
        yield f"<p>Properties of which no comment names a requirement: {escape(_listed(bare))}.</p>"
    elements = [
        (
            one["place"],
            one["name"],
            _listed(one["inConeOf"]),
            _listed(one["must"]),
            _listed(one["may"]),
            f"{one['killed']} of {one['of']}",
        )
        for one in file["elements"]
    ]
    heads = ("place", "element", "in the cone of", "MUST", "MAY", "killed")
    yield from tables.table("Elements: in a cone, in a core, observed", heads, elements)
    for why, names in file["notMutated"].items():
        listed = f"{unmutated.WHY[why]}: {_listed(names)}"
        yield f"<p>Elements that were not mutated, as they are {escape(listed)}.</p>"
    sums = [(name, str(number)) for name, number in file["mutants"].items()]
    yield from tables.table("Mutants", ("what became of them", "number"), sums)
    kills = file["kills"]
    yield f"<p>Kills replayed from the mutated text, read anew: {kills['confirmed']}. The language"
    yield f"refuses the text of {kills['textRefused']} others; {kills['withoutExecution']} have no"
    yield "execution that shows them.</p>"
    if kills["contradicted"]:
        listed = escape(_listed(kills["contradicted"]))
        yield f'<p class="bad">Contradicted, a defect of mutproof: {listed}.</p>'
    yield from _open_points(file["openPoints"])
    closed = [(g["mutant"], g["element"], g["change"], g["how"]) for g in file["closedPoints"]]
    if closed:
        columns = ("mutant", "element", "change", "how it was closed")
        yield from tables.table("Closed since the baseline", columns, closed)
    equivalent = [(one["place"], one["mutant"], one["change"]) for one in file["equivalent"]]
    if equivalent:
        caption = "Equivalent mutants: what they change may be redundant"
        yield from tables.table(caption, ("place", "mutant", "change"), equivalent)


def _open_points(points: Sequence[Document]) -> Iterator[str]:
    if not points:
        yield "<p>There are no open points.</p>"
        return
    rows = [
        (
            one.get("place", ""),
            one["about"],
            one["kind"],
            one.get("change", ""),
            one.get("shown", one.get("reason", "")),
            _disposed(one.get("disposition", {})),
        )
        for one in points
    ]
    header = ("place", "what", "kind", "change", "what is known", "disposition")
    yield from tables.table("Open points", header, rows)


def _disposed(said: Document) -> str:
    if not said.get("way"):
        return "open"
    until = f" until {said['expires']}" if said.get("expires") else ""
    return f"{said['way']} ({said['by']}{until}): {said.get('reason') or 'no reason given'}"


def _core(stated: Document) -> str:
    """Return the core of a proof, in words where it is empty or not known."""
    if "core" not in stated:
        return "not known" if stated["verdict"] == PropertyVerdict.PROVED.value else ""
    return _listed(stated["core"]) or f"nothing, {NEEDS_NOTHING}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
