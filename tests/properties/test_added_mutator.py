"""A mutation operator is one file and one line: nothing else knows the operator of this file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mutproof.analyses.mutation import enumerate as enumeration
from mutproof.analyses.mutation.mutator import EVERY, Change, Mutator, Occurrence
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.registry import Registry
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.traits import Semantics
from mutproof.reporters import REPORTERS
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from support.reading import analysed


def _doubled(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.ADD:
        yield Change(occurrence.path, terms.arithmetic(Op.ADD, term, term.args[1]), "added twice")


TWICE = Mutator(
    "twice",
    "arithmetic",
    "what is added is added twice",
    "a test",
    dict.fromkeys(Semantics, EVERY),
    _doubled,
    frozenset({Op.ADD}),
)
MODELS = {
    "lustre": "node main() returns (ok : bool);\nvar n : int;\nlet\n"
    "  n = 0 -> if pre n < 3 then pre n + 1 else 0;\n  ok = n <= 3;\n  --%PROPERTY ok;\ntel;\n",
    "nusmv": "MODULE main\nVAR\n  n : 0..7;\nASSIGN\n  init(n) := 0;\n"
    "  next(n) := n < 3 ? n + 1 : 0;\nINVARSPEC NAME ok := n <= 3;\n",
}


@pytest.fixture(autouse=True)
def _one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = Registry("mutation operator", [*MUTATORS, TWICE])
    monkeypatch.setattr(enumeration, "MUTATORS", registered)


@pytest.mark.parametrize("name", MODELS)
def test_its_mutants_are_made_decided_and_reported(name: str) -> None:
    queries, options = Queries(), Options(operators=("twice",))
    source = SourceText("model", MODELS[name])
    found = queries.elaborated(name, source)
    listing = queries.listing(name, found, options)
    report = analysed(found, options)

    assert ["twice"] == [place.operator for place in listing.mutants]
    assert ["killed"] == [finding.status.value for finding in report.mutants]
    file = ReportedFile(source, LANGUAGES[name], found, (), report, listing)
    assert "twice" in REPORTERS["text"].mutate((file,), Presentation(timings=False))


@pytest.mark.parametrize("level", ["default", "paper", "all"])
@pytest.mark.parametrize("name", MODELS)
def test_its_levels_include_it(name: str, level: str) -> None:
    queries = Queries()
    found = queries.elaborated(name, SourceText("model", MODELS[name]))

    listing = queries.listing(name, found, Options(level=level))
    assert "twice" in {place.operator for place in listing.mutants}
