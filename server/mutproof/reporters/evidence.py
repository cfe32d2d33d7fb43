"""Evidence for assessors: the models analysed, the tools, the findings, and open points.

One document, as a value, from which both the JSON and the page are written.
Source: RTCA DO-333, FM.6.7, for what formal analysis has to show in the place of coverage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.model.interpretation import covering, interpretation
from mutproof.model.program import ElementId
from mutproof.reporters import certified, comparisons, matrix, survivors, unmutated
from mutproof.reporters.disposition import Disposition
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, fate, score
from mutproof.reporters.matrix import MatrixMark
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace.requirement_tags import RequirementTags, tagged
from mutproof.workspace.written_mutants import WrittenKill

FORMAT: Final = "mutproof-evidence/1"
WAYS_OUT: Final = tuple(one.words for one in Disposition)

_ALWAYS: Final = (
    """No mutant of these operators survives but those that are listed as open points or as
    equivalent; nothing is said of changes that no operator makes.""",
    """Integers and reals are those of mathematics where the model does not bound them; the target
    may have others.""",
    """One core of each property was sought. MUST is in every core, MAY in the one that was found;
    where that is not all MUST, other elements may be in other cores.""",
    """Whether each condition is met and each branch is taken is not asked here: `mutproof advise`
    does.""",
)

_UNCONFIRMED: Final = "not checked by another solver"

Value: TypeAlias = Any
"""What JSON can hold."""


@dataclass(frozen=True, slots=True)
class Identification:
    """Identify the tools and inputs from which the evidence was made.

    `digests` are SHA-256 of files, in hexadecimal, by their names; `operators` are the mutation
    operators with what they do; `date` is empty where none was given.
    """

    versions: Mapping[str, str]
    configuration: Mapping[str, Value]
    operators: Mapping[str, str]
    digests: Mapping[str, str]
    command: str
    date: str = ""


def document(
    files: Sequence[ReportedFile],
    identification: Identification,
    replays: Mapping[tuple[str, str], WrittenKill | None],
    presentation: Presentation,
) -> dict[str, Value]:
    """Return the document.

    `replays` are the results of replaying the texts of killed mutants, by file and mutant; None
    where there is no execution.
    """
    made = Counter(p.mutant.operator for file in files for p in file.placed)
    total = score(files)
    return {
        "format": FORMAT,
        "identification": {
            "versions": dict(identification.versions),
            "files": dict(identification.digests),
            "configuration": dict(identification.configuration),
            "operators": [
                {"name": name, "does": does, "mutants": made[name]}
                for name, does in identification.operators.items()
            ],
            **({"date": identification.date} if identification.date else {}),
        },
        "score": {"killed": total.killed, "of": total.valid},
        "files": [_file(file, replays, presentation) for file in files],
        "limits": _limits(files, identification),
        "reproduce": identification.command,
    }


def open_points(found: Mapping[str, Value]) -> int:
    """Return how many open points without a disposition a document has."""
    points = (one for file in found["files"] for one in file["openPoints"])
    return sum(not one.get("disposition", {}).get("way") for one in points)


def _file(
    file: ReportedFile,
    replays: Mapping[tuple[str, str], WrittenKill | None],
    presentation: Presentation,
) -> dict[str, Value]:
    tags = _tags(file)
    properties = [_property(file, found, tags) for found in file.properties]
    fates = Counter(fate(placed.finding) for placed in file.placed)
    return {
        "path": file.path,
        "finished": file.finished,
        "problems": [diagnostic.message for diagnostic in file.unnoted],
        "notes": [*file.notes, *_misplaced(file, tags)],
        "properties": properties,
        "requirements": {
            "withoutProperty": list(tags.without_property),
            "propertiesWithout": [one["name"] for one in properties if not one["requirements"]],
        },
        "elements": _elements(file),
        "notMutated": unmutated.encoded(file),
        "mutants": {one.value: fates[one] for one in MutantFate},
        "kills": _kills(file, replays),
        "openPoints": [
            *_open_properties(file),
            *(_open_mutant(file, p, presentation) for p in file.placed if _is_open(p)),
            *_open_requirements(file, tags),
        ],
        "closedPoints": [one.encoded() for one in file.closed],
        "equivalent": [
            {"mutant": _name(p), "place": str(p.place), "change": p.mutant.summary}
            for p in file.placed
            if fate(p.finding) is MutantFate.EQUIVALENT
        ],
        "stillborn": [_name(p) for p in file.placed if fate(p.finding) is MutantFate.STILLBORN],
    }


def _name(placed: PlacedMutant) -> str:
    return placed.mutant.shown


def _tags(file: ReportedFile) -> RequirementTags:
    if file.elaborated is None or file.language is None:
        return RequirementTags({}, ())
    return tagged(file.elaborated, file.language)


def _misplaced(file: ReportedFile, tags: RequirementTags) -> Iterator[str]:
    for requirement, offset in tags.unbound:
        place = f"{file.shown_path}:{file.source.position(offset)}"
        yield (
            f"{place}: @req {requirement} counts for no property: it stands neither at the"
            " statement of one nor at what defines its variable"
        )


def _property(
    file: ReportedFile, found: PropertyFinding, tags: RequirementTags
) -> dict[str, Value]:
    kills, alone = file.kills(found.name)
    return {
        "name": found.name,
        "place": str(file.property_place(found)),
        "requirements": list(tags.of_properties.get(file.property_key(found), ())),
        "verdict": found.verdict.value,
        "method": found.engine,
        **({} if found.k is None else {"k": found.k}),
        **({"reason": found.reason} if found.reason else {}),
        **(_proof(file, found) if found.verdict is PropertyVerdict.PROVED else {}),
        "kills": kills,
        "killsAlone": alone,
    }


def _proof(file: ReportedFile, found: PropertyFinding) -> dict[str, Value]:
    """Return what is known of a proof; without a core where none is known."""
    confirmed = certified.of_properties(file, "", [found.name]).get(found.name)
    core = None if found.core is None else [file.element_name(one) for one in found.core]
    return {
        "vacuity": found.vacuity or "none found",
        "certificate": confirmed or {"result": _UNCONFIRMED},
        **({} if core is None else {"core": core}),
    }


def _elements(file: ReportedFile) -> list[dict[str, Value]]:
    """Return the coverage of elements: in a cone, in a core, observed."""
    by_element: dict[ElementId, list[PlacedMutant]] = {}
    for placed in file.placed:
        by_element.setdefault(placed.mutant.element, []).append(placed)
    table = matrix.matrix(file)
    marks = {row.element: row.marks for row in table.rows}
    names = [found.name for found in table.properties]
    cones = _cones(file)
    found = []
    for element in dict.fromkeys((*(row.element for row in table.rows), *file.design)):
        mutants = by_element.get(element, [])
        fates = Counter(fate(one.finding) for one in mutants)
        counts = fates[MutantFate.KILLED] + sum(fates[one] for one in MISSED | OPEN)
        in_cores = {
            mark: [n for n, m in zip(names, marks.get(element, ()), strict=False) if m is mark]
            for mark in (MatrixMark.MUST, MatrixMark.MAY)
        }
        found.append(
            {
                "name": file.element_name(element),
                "place": str(file.element_place(element)),
                "inConeOf": list(cones.get(element, ())),
                "must": in_cores[MatrixMark.MUST],
                "may": in_cores[MatrixMark.MAY],
                "mutants": len(mutants),
                "killed": fates[MutantFate.KILLED],
                "of": counts,
            }
        )
    return found


def _cones(file: ReportedFile) -> Mapping[ElementId, tuple[str, ...]]:
    """Return in the cones of which proved properties elements are, also those without mutants."""
    program = None if file.elaborated is None else file.elaborated.program
    proved = [one.name for one in file.properties if one.takes_part]
    if program is None or not proved:
        return {}
    meaning = interpretation(program)
    return covering(meaning, meaning.system(), proved)


def _kills(
    file: ReportedFile, replays: Mapping[tuple[str, str], WrittenKill | None]
) -> dict[str, Value]:
    of_file = {name: kill for (path, name), kill in replays.items() if path == file.path}
    sums = Counter(of_file.values())
    shown = {p.mutant.mutant: _name(p) for p in file.placed}
    return {
        "confirmed": sums[WrittenKill.CONFIRMED],
        "textRefused": sums[WrittenKill.REFUSED],
        "withoutExecution": sums[None],
        "contradicted": [
            shown[name] for name, kill in of_file.items() if kill is WrittenKill.CONTRADICTED
        ],
    }


# --- what is open -----------------------------------------------------------------------------


def _is_open(placed: PlacedMutant) -> bool:
    return fate(placed.finding) in MISSED | OPEN | {MutantFate.IGNORED}


def _open_properties(file: ReportedFile) -> list[dict[str, Value]]:
    found: list[dict[str, Value]] = [
        {
            "kind": f"property {one.verdict.value}",
            "about": one.name,
            "place": str(file.property_place(one)),
            **({"reason": one.reason} if one.reason else {}),
        }
        for one in file.unproved
    ]
    found += [
        {"kind": "property that could not fail", "about": one.name, "reason": one.vacuity}
        for one in file.properties
        if one.vacuity
    ]
    return found


def _open_requirements(file: ReportedFile, tags: RequirementTags) -> list[dict[str, Value]]:
    kind = "requirement without a property"
    return [
        {"kind": kind, "about": name, "place": str(file.source.position(offset))}
        for name, offset in tags.without_property.items()
    ]


def _open_mutant(
    file: ReportedFile, placed: PlacedMutant, presentation: Presentation
) -> dict[str, Value]:
    found = placed.finding.equivalence
    program = None if file.elaborated is None else file.elaborated.program
    span = placed.edit.span
    shown: dict[str, Value] = {
        "kind": fate(placed.finding).value,
        "about": _name(placed),
        "place": str(placed.place),
        "element": file.element_name(placed.mutant.element),
        "operator": placed.mutant.operator,
        "change": placed.mutant.summary,
        "before": file.source.content[span.start : span.end],
        "after": placed.edit.text,
    }
    if placed.finding.reason:
        shown["reason"] = placed.finding.reason
    if found is not None and program is not None:
        shown["shown"] = survivors.words(found)
        shown["execution"] = comparisons.encoded(found, program, presentation)
    shown |= survivors.encoded_behaviour(file, placed.mutant.mutant)
    shown["disposition"] = _disposition(file, placed)
    return shown


def _disposition(file: ReportedFile, placed: PlacedMutant) -> dict[str, Value]:
    accepted = file.accepted.get(placed.mutant.mutant)
    if accepted is not None:
        said = {"reason": accepted.reason, "date": accepted.date, "expires": accepted.expires}
        way = accepted.disposition.words
        return {"way": way, "by": "baseline", **{k: v for k, v in said.items() if v}}
    if fate(placed.finding) is MutantFate.IGNORED:
        way = Disposition.JUSTIFY.words
        return {"way": way, "by": "suppression", "reason": placed.finding.reason}
    return {"way": "", "ways": list(WAYS_OUT)}


# --- limits -----------------------------------------------------------------------------------


def _limits(files: Sequence[ReportedFile], identification: Identification) -> list[str]:
    """Return sentences about the limits of the evidence."""
    found = [" ".join(one.split()) for one in _ALWAYS]
    if "cvc5" not in identification.versions:
        found.append("No certificate was checked by another solver: cvc5 was not used.")
    for file in files:
        observed = {p.finding.equivalence.observation for p in file.placed if p.finding.equivalence}
        found += [f"{file.path}: survivors were compared on {one}." for one in sorted(observed)]
        if file.listing is not None and file.listing.left_out:
            some = counted(len(file.listing.mutants), "mutant")
            found.append(f"{file.path}: a sample of {some}; {file.listing.left_out} were left out.")
        if file.report is None:
            found.append(f"{file.path}: it was not analysed, and its problems say why.")
        if not file.finished:
            found.append(f"{file.path}: the run did not reach its end.")
    return found
