"""Pages about operators and codes say what the registries say; `--update` writes them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from said import bodies, plain

from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.text import SourceText
from mutproof.cli.topics import topics
from mutproof.lsp import explained
from mutproof.model.editing import edited

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "server" / "OPERATORS.md"
sys.path.insert(0, str(ROOT / "docs"))
import generated  # noqa: E402  (the generator of the documentation)


def test_the_page_says_what_the_registry_says(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        PAGE.write_text(generated.operators(), encoding="utf-8")
    assert generated.operators() == PAGE.read_text(encoding="utf-8")


def test_the_page_for_editors_says_what_explain_says(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        explained.PAGE.write_text(generated.explained(), encoding="utf-8")
    assert generated.explained() == explained.PAGE.read_text(encoding="utf-8")
    assert {topic.name for topic in topics()} == explained.links().keys()


def test_every_code_of_a_failure_is_explained() -> None:
    known = {topic.name for topic in topics()}
    codes = {
        call.args[0].value: f"{file.relative_to(ROOT)}:{call.lineno}"
        for file in sorted((ROOT / "server" / "mutproof").rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name | ast.Attribute)
        and (call.func.id if isinstance(call.func, ast.Name) else call.func.attr) == "UserError"
        and isinstance(call.args[0], ast.Constant)
    }
    assert len(codes) > 20
    assert {} == {code: place for code, place in codes.items() if code not in known}


def test_every_study_is_there() -> None:
    studies = ("NFM 2020, Table 2", "NFM 2020, Figure 5", "NuSMV", "TACAS 2011", "SEFM 2019")
    text = PAGE.read_text(encoding="utf-8")
    assert [] == [study for study in studies if study not in text]


@pytest.mark.parametrize("name", MUTATORS.names())
def test_the_example_is_what_the_operator_makes(name: str) -> None:
    """The text with the edit of the page means the mutant, and differs in nothing else."""
    example = generated.examples()[name]
    before, mutant, language = example.elaborated, example.mutant, example.language
    source = before.parsed.source
    text = SourceText(source.name, edited(source.content, (example.edit,)))
    after = language.elaborate(language.parse(text))

    assert f"| `{name}` |" in PAGE.read_text(encoding="utf-8")
    if after.program is None:  # Lustre has no variable that nothing defines
        assert mutant.replacement is None
        assert [f"`{one}` is never defined" for one in mutant.source.targets] == [
            diagnostic.message for diagnostic in after.diagnostics
        ]
        return
    changed = {}
    if mutant.replacement is not None:
        changed[mutant.element] = plain(mutated_body(mutant.source, mutant))
    unchanged = {n: body for n, body in bodies(before.program).items() if n != mutant.element}
    assert {**unchanged, **changed} == bodies(after.program)
