"""The table of mutation operators says of each what the registry says; `--update` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutproof.analyses.mutation.mutator import Level, Mutator
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.languages import LANGUAGES

PAGE = Path(__file__).resolve().parents[2] / "server" / "OPERATORS.md"
HEAD = """\
# Mutation operators

Each study has its operators, under its own names; `mutproof explain NAME` says the same. A level
is a choice of operators (`--level`); where two of them make the same change, the mutant has the
name of the first.

"""


def levels(mutator: Mutator, title: str) -> str:
    """Return the levels that include an operator in the language of a title."""
    for language in LANGUAGES:
        if language.traits.title == title:
            included = mutator.levels.get(language.traits.semantics, frozenset())
            return ", ".join(level.value for level in Level if level in included) or "–"
    raise KeyError(title)


def table() -> str:
    titles = [language.traits.title for language in LANGUAGES]
    rows = [["operator", "what it does", *titles]]
    rows.append(["---"] * len(rows[0]))
    found: list[str] = []
    for source in dict.fromkeys(mutator.source for mutator in MUTATORS):
        found += [f"## {source}", ""]
        of_source = [mutator for mutator in MUTATORS if mutator.source == source]
        lines = [
            [f"`{m.name}`", m.summary.replace("|", "\\|"), *(levels(m, title) for title in titles)]
            for m in of_source
        ]
        found += [f"| {' | '.join(row)} |" for row in [*rows, *lines]]
        found.append("")
    return HEAD + "\n".join(found).rstrip() + "\n"


def test_the_page_says_what_the_registry_says(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(table(), encoding="utf-8")
    assert table() == PAGE.read_text(encoding="utf-8")


def test_every_study_is_there() -> None:
    studies = ("NFM 2020, Table 2", "NFM 2020, Figure 5", "NuSMV", "TACAS 2011", "SEFM 2019")
    text = table()
    assert [] == [study for study in studies if study not in text]
