"""The repository keeps its own rules: docs name what exists, modules are small and described."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.cli.commands import COMMANDS
from mutproof.cli.exit_codes import MEANINGS, ExitCode
from mutproof.cli.topics import topics
from mutproof.languages import LANGUAGES
from mutproof.reporters import REPORTERS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "server" / "mutproof"
MODULES = sorted(PACKAGE.rglob("*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "server" / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_LINES = 450
STUDY = re.compile(r"MB|SB|MD|MTC|MIC|MINC|EN|LOR|MOR|ROR|SA0|SA1|AS|ER|NR|DR|ABS|UOI|RR|MP\d+")
"""Mutation operators and meta-properties keep the names that the studies of NuSMV models give."""


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_says_what_it_holds(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_has_a_noun_for_a_name(path: Path) -> None:
    assert path.stem not in {"utils", "helpers", "common", "misc"}


def test_files_of_tests_have_names_of_their_own() -> None:
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


def test_tests_import_nothing_that_only_the_root_folder_offers() -> None:
    paths = (ROOT / "tests").rglob("*.py")
    rooted = re.compile(r"^\s*(from|import) tests\b", re.MULTILINE)
    assert [path.name for path in paths if rooted.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("who", ["cli.session", "cli.watching", "lsp.server"])
def test_who_only_asks_imports_no_solver(who: str) -> None:
    script = f"import mutproof.{who}, sys; print(*sorted(sys.modules))"
    command = [sys.executable, "-c", script]
    imported = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert f"mutproof.{who}" in imported
    slow = {"z3", "dd", "cvc5", "mutproof.workspace.analysis"}
    assert slow.isdisjoint(imported)


def test_the_architecture_names_every_folder() -> None:
    folders = {path.parent for path in MODULES} - {PACKAGE}

    missing = [f for f in sorted(map(name_of, folders)) if f"`{f}/`" not in ARCHITECTURE]
    assert missing == []


def test_the_architecture_is_short() -> None:
    assert len(ARCHITECTURE.splitlines()) <= 150


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group, mark in (
        (project["dependencies"], ""),
        (project["optional-dependencies"]["dev"], " (dev)"),
    ):
        for requirement in group:
            package = re.split(r"[<>=!~\[ ]", requirement)[0]
            row = rf"^\| (`[\w-]+`, )*`{package}`(, `[\w-]+`)*{re.escape(mark)} \|"
            assert re.search(row, ARCHITECTURE, re.MULTILINE)


def test_the_lock_has_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").replace("_", "-")
    for requirement in project["dependencies"] + project["optional-dependencies"]["dev"]:
        package = re.split(r"[<>=!~\[ ]", requirement)[0]
        assert re.search(rf"^{re.escape(package)}==", lock, re.M), package


@pytest.mark.parametrize("name", COMMANDS.names())
def test_the_readme_names_every_command(name: str) -> None:
    assert f"`mutproof {name}" in README


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_documented(code: ExitCode) -> None:
    row = re.search(rf"^\|([^|]*\b{code.value}\b[^|]*)\|(.*)\|$", README, re.M)
    assert row is not None
    if row[1].strip() == str(code.value):  # the README has what `--help` has
        assert row[2].replace("`", "").strip() == MEANINGS[code]


def test_every_file_of_a_registry_is_registered() -> None:
    for folder, registered in (("cli/commands", COMMANDS), ("reporters", REPORTERS)):
        text = (PACKAGE / folder / "__init__.py").read_text(encoding="utf-8")
        for path in (PACKAGE / folder).glob("*.py"):
            if "= Command(" in path.read_text() or "REPORTER = " in path.read_text():
                assert path.stem.replace("_", "-") in registered
                assert path.stem in text


def test_registries_have_no_duplicates() -> None:
    for registry in (COMMANDS, REPORTERS, MUTATORS, LANGUAGES):
        assert len(set(registry.names())) == len(registry) > 0


def test_suffixes_belong_to_one_language() -> None:
    suffixes = [suffix for language in LANGUAGES for suffix in language.suffixes]

    assert len(set(suffixes)) == len(suffixes)


OUTSIDE = [path for path in MODULES if "languages" not in path.relative_to(PACKAGE).parts]


@pytest.mark.parametrize("path", OUTSIDE, ids=name_of)
def test_nobody_asks_which_language_a_program_is_in(path: Path) -> None:
    names = {name for language in LANGUAGES for name in (language.name, *language.aliases)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value.lower() not in names
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            assert not re.match(r"mutproof\.languages\.", node.module)
        if isinstance(node, ast.Attribute | ast.Name):
            word = node.attr if isinstance(node, ast.Attribute) else node.id
            assert word.lower() not in names


def test_the_extension_asks_no_document_for_its_language() -> None:
    sources = (ROOT / "vscode-client" / "src").glob("*.ts")
    text = "".join(path.read_text(encoding="utf-8") for path in sources).lower()
    assert [] == [language.name for language in LANGUAGES if f'"{language.name}"' in text]


def test_every_topic_is_explained() -> None:
    for topic in topics():
        assert topic.text.strip()
        is_name = re.fullmatch(r"[a-z0-9_-]+", topic.name)
        assert is_name or STUDY.fullmatch(topic.name), topic.name


@pytest.mark.parametrize("path", ["README.md", "server/ARCHITECTURE.md", "server/CONVENTIONS.md"])
def test_links_lead_somewhere(path: str) -> None:
    source = ROOT / path
    text = source.read_text(encoding="utf-8")
    links = re.findall(r"\]\(((?!https?:)[^)#]+)\)", text) + re.findall(
        r'src(?:set)?="(.*?)"', text
    )

    missing = [link for link in links if not (source.parent / link).exists()]
    assert missing == []
