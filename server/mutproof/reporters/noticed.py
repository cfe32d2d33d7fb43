"""What notices mutants, in reports: a property, facts alone, or nothing."""

from __future__ import annotations

from collections import Counter
from enum import Enum

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.reporters.reported_file import ReportedFile

_MOST = 2


class Notice(Enum):
    """Say what notices a mutant; facts are invariants that the engines found."""

    PROPERTY = "a property"
    FACTS = "facts alone"
    NOBODY = "nobody"
    CANNOT = "nobody can"  # equivalent
    UNKNOWN = "not known"


def notice(finding: MutantFinding) -> Notice | None:
    """Return what notices a mutant; None if the mutant does not count."""
    known = finding.equivalence
    match finding.status:
        case MutantStatus.KILLED:
            return Notice.PROPERTY
        case MutantStatus.SURVIVED if known and known.status is EquivalenceStatus.EQUIVALENT:
            return Notice.CANNOT
        case MutantStatus.SURVIVED:
            return Notice.FACTS if finding.facts else Notice.NOBODY
        case MutantStatus.UNKNOWN:
            return Notice.UNKNOWN
        case _:
            return None


def is_asked(file: ReportedFile) -> bool:
    """Tell whether the run determined which facts notice mutants."""
    return any(placed.finding.facts is not None for placed in file.placed)


def encoded(finding: MutantFinding) -> dict[str, object]:
    """Return for JSON what notices a mutant, and the facts that its executions break."""
    found = notice(finding)
    if finding.facts is None or found is None:
        return {}
    return {"noticedBy": found.value, "facts": list(finding.facts)}


def words(finding: MutantFinding) -> str:
    """Return by how many facts a mutant is noticed, with the first ones; empty for none."""
    facts = finding.facts or ()
    if not facts:
        return ""
    more = ", …" if len(facts) > _MOST else ""
    count = f"{len(facts)} fact{'' if len(facts) == 1 else 's'}"
    return f", noticed by {count} ({', '.join(facts[:_MOST])}{more})"


def table(file: ReportedFile) -> list[str]:
    """Return for each element how many mutants are noticed by what, if that was determined."""
    if not is_asked(file):
        return []
    counts: dict[str, Counter[Notice]] = {}
    for placed in file.placed:
        found = notice(placed.finding)
        if found is not None:
            name = file.element_label(placed.mutant.element)
            counts.setdefault(name, Counter())[found] += 1
    kinds = [kind for kind in Notice if any(own[kind] for own in counts.values())]
    rows = [["noticed by", *(kind.value for kind in kinds)]]
    rows += [[name, *(str(own[kind]) for kind in kinds)] for name, own in counts.items()]
    widths = [max(len(row[i]) for row in rows) for i in range(len(kinds) + 1)]
    return [
        "",
        *(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ),
    ]
