"""Reports for programs: JSON, the same bytes for the same findings.

Mutation reports follow the mutation-testing report schema, version 2, with the properties of
a file as its tests, so that the viewers and dashboards of that schema show them. What has no
place in the schema stands under the additional key `mutproof`.

Source: mutation-testing-report-schema.json of stryker-mutator/mutation-testing-elements.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import mutproof
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyFinding
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.reporters import (
    certified,
    comparisons,
    duplicates,
    encoding,
    matrix,
    noticed,
    pairs,
    survivors,
    traces,
    unmutated,
)
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_STATUS = {
    MutantStatus.KILLED: "Killed",
    MutantStatus.SURVIVED: "Survived",
    MutantStatus.UNKNOWN: "RuntimeError",  # never Timeout: viewers count that as detected
    MutantStatus.STILLBORN: "CompileError",
    MutantStatus.IGNORED: "Ignored",
}
_THRESHOLDS = {"high": 80, "low": 60}  # for the colours of viewers, in per cent
_TO_A_MUTANT = 4  # levels: `files`, the path, `mutants`, one of them


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return verdict, core and trace of every property."""
    return encoding.one_or_many(files, lambda file: _proved_file(file, presentation))


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return for every property the elements it needs, and for every element the properties.

    A file has `properties` and `elements`. An element has `name`, `line`, `column` (1-based),
    and the names of the properties of which it is in MUST (`must`), in MAY (`may`), and in the
    core that is shown first (`core`). Where more than one core was asked for, a property has
    `cores`, as `matrix.encoded_cores` makes them.
    """
    return encoding.one_or_many(files, lambda file: _core_file(file, presentation))


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a report of the mutation-testing report schema, version 2, on all files."""
    return "".join(_in_lines(mutation_report(files, presentation), _TO_A_MUTANT)) + "\n"


def mutation_report(
    files: tuple[ReportedFile, ...], presentation: Presentation
) -> dict[str, object]:
    """Return a report of the mutation-testing report schema, version 2, as a value.

    Mutants have what `survivors.encoded_behaviour`, `noticed.encoded` and `duplicates.encoded` say,
    where that was asked. What a baseline accepts is `accepted`: its `reason`, its `date`, when it
    `expires` (YYYY-MM-DD, empty where that is not said) and its `disposition`; `closed` has for
    each file what it accepts and what is no gap any more; `functions` is `duplicates.encoded_sums`.
    `pairs` of mutants are apart from mutants, as each has two places; `leftOut`: there are more.
    `notMutated` names the elements of a file without mutants, by why: `specification` (they state
    properties) or `withoutEffect`. `leftAlone` counts the mutants of a file that a `change` does
    not concern. Reports of shards have the content of `shard_document`, too.
    """
    names = _UniqueNames.of(files)
    report: dict[str, object] = {
        "schemaVersion": "2",
        "thresholds": _THRESHOLDS,
        "framework": {"name": "mutproof", "version": mutproof.__version__},
        "config": dict(presentation.config),
        "files": {file.path: _mutated_file(file, names, presentation) for file in files},
        "testFiles": {
            file.path: {"tests": [_test(file, found, names) for found in file.properties]}
            for file in files
        },
    }
    if presentation.timings:
        report["performance"] = _performance(files)
    own: dict[str, object] = {}
    if presentation.statistics:
        own["statistics"] = {f.path: _statistics(f, presentation) for f in files}
    if samples := {f.path: f.listing for f in files if f.listing and f.listing.left_out}:
        own["samples"] = {
            path: {"mutants": len(known.mutants), "of": len(known.mutants) + known.left_out}
            for path, known in samples.items()
        }
    if restricted := {f.path: f.listing for f in files if f.listing and f.listing.change}:
        own["leftAlone"] = {
            path: {"mutants": known.unconcerned, "change": known.change}
            for path, known in restricted.items()
        }
    if paired := {f.path: _pairs(f, names, presentation) for f in files if f.pairs is not None}:
        own["pairs"] = paired
    if functions := {f.path: sums for f in files if (sums := duplicates.encoded_sums(f))}:
        own["functions"] = functions
    if without := {f.path: left for f in files if (left := unmutated.encoded(f))}:
        own["notMutated"] = without
    if any(not file.finished for file in files):
        own["unfinished"] = [file.path for file in files if not file.finished]
    if diagnostics := {file.path: encoding.diagnostics(file) for file in files if file.diagnostics}:
        own["diagnostics"] = diagnostics
    if model := {file.path: faults for file in files if (faults := _faults(file))}:
        own["model"] = model
    if any(file.certificates is not None for file in files):
        own["certificates"] = {
            f.path: certified.of_properties(f, "", [p.name for p in f.properties]) for f in files
        }
    if closed := {f.path: [gap.encoded() for gap in f.closed] for f in files if f.closed}:
        own["closed"] = closed
    if presentation.shard is not None:
        own["shard"] = presentation.shard
    if own:
        report["mutproof"] = own
    return report


# --- proofs -----------------------------------------------------------------------------------


def _proved_file(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    return {
        "file": file.path,
        "properties": [_property(file, found, presentation) for found in file.properties],
        "diagnostics": encoding.diagnostics(file),
        **({} if file.finished else {"finished": False}),
        **_model(file),
    }


def _model(file: ReportedFile) -> dict[str, object]:
    return {"model": faults} if (faults := _faults(file)) else {}


def _faults(file: ReportedFile) -> list[dict[str, object]]:
    """Return the faults of the model as a whole, such as states without successor."""
    found = () if file.report is None else file.report.model
    return [
        {
            "fault": one.fault.value,
            "message": one.message,
            **({} if (at := file.fault_place(one)) is None else encoding.place(at)),
            "trace": None if one.trace is None else traces.encoded_whole(one.trace),
        }
        for one in found
    ]


def _property(
    file: ReportedFile, found: PropertyFinding, presentation: Presentation
) -> dict[str, object]:
    trace = None
    if found.trace is not None and file.elaborated is not None and file.elaborated.program:
        trace = traces.encoded(found.trace, file.elaborated.program, found)
    result: dict[str, object] = {
        "name": found.name,
        **encoding.place(file.property_place(found)),
        "verdict": found.verdict.value,
        "k": found.k,
        "engine": found.engine,
    }
    if presentation.timings:
        result["seconds"] = round(found.seconds, 3)
    for key, elements in (("ivc", found.core), ("must", found.must)):  # null: not known
        result[key] = None if elements is None else matrix.encoded_elements(file, elements)
    if found.cores is not None:
        result["cores"] = matrix.encoded_cores(file, found.cores)
    result["trace"] = trace
    result |= certified.encoded(file, "", (found.name,))
    if found.reason:
        result["reason"] = found.reason
    if found.vacuity:
        result["vacuity"] = found.vacuity
    if found.defect is not None:
        result["defect"] = found.defect.value
    if found.depth is not None:
        result["depth"] = found.depth
    return result


def _core_file(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    result = _proved_file(file, presentation)
    result["elements"] = matrix.encoded_rows(matrix.matrix(file))
    return result


# --- mutants ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _UniqueNames:
    """Make names unique in a report: prefix those that several files share by the path."""

    shared: frozenset[str]

    @staticmethod
    def of(files: tuple[ReportedFile, ...]) -> _UniqueNames:
        seen: Counter[str] = Counter()
        for file in files:
            seen.update({found.name for found in file.properties})
            seen.update({placed.mutant.shown for placed in file.placed})
        return _UniqueNames(frozenset(name for name, files_with in seen.items() if files_with > 1))

    def one(self, file: ReportedFile, name: str) -> str:
        return f"{file.path}:{name}" if name in self.shared else name

    def many(self, file: ReportedFile, names: Iterable[str]) -> list[str]:
        return [self.one(file, name) for name in names]


def _mutated_file(
    file: ReportedFile, names: _UniqueNames, presentation: Presentation
) -> dict[str, object]:
    return {
        "language": "plain" if file.language is None else file.language.name,
        "source": file.source.content,
        "mutants": [_mutant(file, placed, names, presentation) for placed in file.placed],
    }


def _mutant(
    file: ReportedFile, placed: PlacedMutant, names: _UniqueNames, presentation: Presentation
) -> dict[str, object]:
    finding = _shown(placed.finding, presentation)
    result: dict[str, object] = {
        "id": names.one(file, placed.mutant.shown),
        **change(file, placed),
        **outcome(finding),
        "coveredBy": names.many(file, finding.covered_by),
        "killedBy": names.many(file, finding.killed_by),
    }
    if presentation.timings:
        result["duration"] = round(finding.seconds * 1000, 1)
    result["mutproof"] = {
        "place": encoding.place(placed.place),
        "verdict": finding.status.value,
        "how": finding.how,
        "k": finding.k,
        "depth": finding.depth,
        "steps": {name: finding.steps[name] for name in finding.killed_by if name in finding.steps},
        **({"shortest": finding.shortest} if finding.killed_by else {}),
        "undecided": list(finding.undecided),
        "edit": _edit(file, placed),
        **({} if finding.defect is None else {"defect": finding.defect.value}),
        **_equivalence(file, finding, presentation),
        **survivors.encoded_behaviour(file, finding.mutant),
        **noticed.encoded(finding),
        **duplicates.encoded(file, finding.mutant),
        **_accepted(file, finding.mutant),
        **certified.encoded(file, finding.mutant, [f.name for f in file.properties]),
    }
    return result


def _shown(finding: MutantFinding, presentation: Presentation) -> MutantFinding:
    """Return a finding without steps where they depend on what was decided before it."""
    decided_alike = presentation.timings or presentation.statistics
    return finding if decided_alike else replace(finding, steps={})


def _edit(file: ReportedFile, placed: PlacedMutant) -> dict[str, object]:
    return {**_range(file, placed.edit.span), "text": placed.edit.text}


def _pairs(
    file: ReportedFile, names: _UniqueNames, presentation: Presentation
) -> dict[str, object]:
    """Return the pairs of mutants: what became of each, and both parts with their edits."""
    assert file.pairs is not None
    unfinished = file.pairs.found is not None and not file.pairs.found.finished
    encoded = [
        {
            "id": pair.whole.mutant.shown,
            "outcome": pair.outcome.name.lower(),
            **outcome(_shown(pair.whole.finding, presentation)),
            "killedBy": names.many(file, pair.whole.finding.killed_by),
            "parts": [
                {
                    "id": names.one(file, part.mutant.shown),
                    **change(file, part),
                    "killedBy": names.many(file, part.finding.killed_by),
                    "edit": _edit(file, part),
                }
                for part in pair.parts
            ],
            **_equivalence(file, pair.whole.finding, presentation),
        }
        for pair in pairs.of(file)
    ]
    return {
        "mutants": encoded,
        "leftOut": file.pairs.left_out,
        **({"finished": False} if unfinished else {}),
    }


def _equivalence(
    file: ReportedFile, finding: MutantFinding, presentation: Presentation
) -> dict[str, object]:
    known = finding.equivalence
    if known is None or file.elaborated is None or file.elaborated.program is None:
        return {}
    return {"equivalence": comparisons.encoded(known, file.elaborated.program, presentation)}


def _accepted(file: ReportedFile, mutant: str) -> dict[str, object]:
    found = file.accepted.get(mutant)
    if found is None:
        return {}
    return {"accepted": {**asdict(found), "disposition": found.disposition.value}}


def change(file: ReportedFile, placed: PlacedMutant) -> dict[str, object]:
    """Return the change of a mutant by the schema: operator, place, replacement."""
    return {
        "mutatorName": placed.mutant.operator,
        "location": _range(file, placed.region),
        "replacement": placed.replacement,
        "description": placed.mutant.summary,
    }


def outcome(finding: MutantFinding) -> dict[str, object]:
    """Return the result of a mutant by the schema: its status and the reason."""
    return {"status": status(finding), "statusReason": reason(finding)}


def status(finding: MutantFinding) -> str:
    """Return the schema's status; a survivor that no property can see is `NoCoverage`."""
    if finding.status is MutantStatus.SURVIVED and not finding.covered_by:
        return "NoCoverage"
    return _STATUS[finding.status]


def reason(finding: MutantFinding) -> str:
    """Return why the mutant has its status, in a sentence."""
    match finding.status:
        case MutantStatus.KILLED:
            at = {name: f" at step {step}" for name, step in finding.steps.items()}
            facts = [f"{name} falsified{at.get(name, '')}" for name in finding.killed_by]
            left = finding.undecided if finding.reason else ()
            return "; ".join([*facts, *(f"{name} unknown: {finding.reason}" for name in left)])
        case MutantStatus.SURVIVED if not finding.covered_by:
            return "outside the cone of influence of every proved property"
        case MutantStatus.SURVIVED:
            facts = [finding.how] if finding.how else []
            facts += [] if finding.k is None else [f"k = {finding.k}"]
            how = f" ({', '.join(facts)})" if facts else ""
            known = finding.equivalence
            what = "" if known is None else f"; {survivors.words(known)}"
            return f"all properties proved again{how}{what}"
        case MutantStatus.UNKNOWN:
            return f"unknown: {finding.reason or 'no reason given'}"
        case _:
            return finding.reason


def _test(file: ReportedFile, found: PropertyFinding, names: _UniqueNames) -> dict[str, object]:
    return {
        "id": names.one(file, found.name),
        "name": found.name,
        "location": _range(file, file.property_span(found)),
    }


def _performance(files: tuple[ReportedFile, ...]) -> dict[str, float]:
    total = sum(file.report.statistics.seconds for file in files if file.report is not None)
    # Properties of a file are proved together; seconds count until each is decided.
    proving = sum(max((f.seconds for f in file.properties), default=0.0) for file in files)
    return {
        "setup": 0,
        "initialRun": round(proving * 1000, 1),
        "mutation": round(max(0.0, total - proving) * 1000, 1),
    }


def _statistics(file: ReportedFile, presentation: Presentation) -> dict[str, object]:
    counts: dict[str, object] = {} if file.report is None else asdict(file.report.statistics)
    if not presentation.timings:
        counts.pop("seconds", None)
    return counts


# --- shared -----------------------------------------------------------------------------------


def _range(file: ReportedFile, span: Span) -> dict[str, object]:
    ends = {"start": span.start, "end": span.end}
    return {name: encoding.place(file.source.position(at)) for name, at in ends.items()}


def _in_lines(value: object, levels: int, margin: str = "\n") -> Iterator[str]:
    """Yield a value as text; values nested deeper than `levels` are written on one line.

    Those are written by an encoder in C, for speed with tens of thousands of mutants.
    """
    inner = margin + "  "
    if not levels or not isinstance(value, dict | list) or not value:
        yield json.dumps(value, ensure_ascii=False)
    elif isinstance(value, dict):
        for number, (key, item) in enumerate(value.items()):
            yield f"{',' if number else '{'}{inner}{json.dumps(key, ensure_ascii=False)}: "
            yield from _in_lines(item, levels - 1, inner)
        yield margin + "}"
    else:
        for number, item in enumerate(value):
            yield f"{',' if number else '['}{inner}"
            yield from _in_lines(item, levels - 1, inner)
        yield margin + "]"


REPORTER = Reporter("json", prove, core, mutate, survivors.to_json)
