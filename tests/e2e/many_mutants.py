"""Writes a page of a report with many mutants: files of a generated model, findings made up.

Arguments: how many files, how many mutants of each (at most 5,000), and where the page goes. What
is measured is the page, so nothing is proved.
"""

import sys
from pathlib import Path

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.trace import Choices, Trace
from mutproof.reporters import REPORTERS
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries

MUTANTS_OF_EQUATION = 20  # at least
PROVED = PropertyFinding("ok", "main", "ok", PropertyVerdict.PROVED, 1, "bmc")
CHOICES = Choices(({}, {}, {}))
STATE = {"a": 1, "b": 2, "c": True, "ok": True}
GAP = Equivalence(
    EquivalenceStatus.GAP,
    "outputs",
    "bmc",
    step=2,
    shortest=True,
    differing=("ok",),
    model=Trace(CHOICES, (STATE,) * 3),
    mutant=Trace(CHOICES, (STATE, STATE, {**STATE, "ok": False})),
)


def model(equations: int) -> str:
    """Return a model of so many equations."""
    names = [f"x{number}" for number in range(equations)]
    return "\n".join(
        [
            "node main (a, b : int; c : bool) returns (ok : bool);",
            f"var {', '.join(names)} : int;",
            "let",
            *(
                f"  {name} = if a > {number} and (c or b <= 2 * a) then a + {number} * b"
                f" else 0 -> pre ({name} + 1);"
                for number, name in enumerate(names)
            ),
            f"  ok = {' and '.join(f'{name} >= 0' for name in names)};",
            "  --%PROPERTY ok;",
            "tel;",
            "",
        ]
    )


def reported(path: str, mutants: int) -> ReportedFile:
    """Return a file with so many mutants, every other one a gap."""
    source = SourceText(path, model(mutants // MUTANTS_OF_EQUATION))
    lustre = LANGUAGES["lustre"]
    elaborated = lustre.elaborate(lustre.parse(source))
    listing = Queries().listing("lustre", elaborated, Options(most_mutants=mutants))
    assert len(listing.mutants) == mutants
    findings = tuple(
        MutantFinding(
            one.mutant, MutantStatus.SURVIVED, covered_by=("ok",), how="certificate",
            equivalence=GAP,
        )
        if number % 2
        else MutantFinding(
            one.mutant, MutantStatus.KILLED, ("ok",), {"ok": 2}, covered_by=("ok",), how="bmc"
        )
        for number, one in enumerate(listing.mutants)
    )  # fmt: skip
    report = Report((PROVED,), findings, Statistics())
    return ReportedFile(source, lustre, elaborated, (), report, listing)


if __name__ == "__main__":
    files, mutants = int(sys.argv[1]), int(sys.argv[2])
    given = tuple(reported(f"model{number}.lus", mutants) for number in range(files))
    page = REPORTERS["html"].mutate(given, Presentation())
    Path(sys.argv[3]).write_text(page, encoding="utf-8")
