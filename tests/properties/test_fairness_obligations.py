"""What fairness demands must have a value in every state: of the model, and of each mutant."""

from __future__ import annotations

import pytest

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.reading import analysed, elaborated_in

HEAD = "MODULE main\nVAR b : boolean; n : 0..3; a : array 0..2 of boolean;\n"
PARTIAL = "DEFINE d := case n = 0 : b; n > 3 : FALSE; esac;\n"
WHOLE = "DEFINE d := case n <= 3 : b; n > 3 : FALSE; esac;\n"


@pytest.mark.parametrize(
    ("text", "code", "shown", "read"),
    [
        (PARTIAL + "FAIRNESS d;", "case-not-exhaustive", "case", ["d"]),
        (PARTIAL + "JUSTICE !d;", "case-not-exhaustive", "case", ["!d"]),
        (PARTIAL + "COMPASSION (b, d);", "case-not-exhaustive", "case", ["d"]),
        (PARTIAL + "COMPASSION (d, !d);", "case-not-exhaustive", "case", ["d", "!d"]),
        ("FAIRNESS a[n];", "index-out-of-bounds", "a[n]", []),
        ("FAIRNESS 3 / n = 1;", "division-by-zero", "3 / n = 1", []),
    ],
)
def test_a_state_without_a_value_is_an_error(
    text: str, code: str, shown: str, read: list[str]
) -> None:
    whole = HEAD + text + "\nINVARSPEC n <= 3;\n"
    found = elaborated_in("nusmv", whole)
    assert found.program is None
    (error,) = found.diagnostics
    assert (code, shown) == (error.code, whole[error.span.start : error.span.end])
    assert read == [whole[one.span.start : one.span.end] for one in error.related]


@pytest.mark.parametrize("limit", ["FAIRNESS d;", "COMPASSION (b, d);", "JUSTICE d | b;"])
def test_a_mutant_with_such_a_state_is_stillborn(limit: str) -> None:
    found = elaborated_in("nusmv", HEAD + WHOLE + limit + "\nINVARSPEC n <= 3;\n")
    assert found.program is not None, found.diagnostics
    options = Options(level="all", cores=False)
    report = analysed(found, options)
    statuses = {f.mutant: f.status for f in report.mutants}
    born = {
        mutant.summary: statuses[mutant.id] is not MutantStatus.STILLBORN
        for mutant in enumerate_mutants(found, options)
    }
    assert not born["`<=` → `<`"]
    assert not born["`3` → `2`"] or not born["branch 1 of `case` removed"]
    assert born["branch 2 of `case` removed"]


def test_fairness_with_a_value_everywhere_is_none() -> None:
    assert (
        elaborated_in("nusmv", HEAD + WHOLE + "FAIRNESS d;\nINVARSPEC n <= 3;\n").program
        is not None
    )
