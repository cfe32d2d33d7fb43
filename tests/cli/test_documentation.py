"""The documentation: it builds without a warning, and what its commands print is what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from process import EXAMPLES, ROOT, mutproof

from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.cli.commands import COMMANDS
from mutproof.cli.topics import topics

DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
import generated  # noqa: E402  (the generator of the documentation)

PAGES = sorted(path for path in DOCS.rglob("*.md") if path.parent.name in {"docs", "recipes"})
FILE = re.compile(r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$", re.M | re.S)
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
TEST = re.compile(r"`((?:tests|vscode-client)/[\w./-]+)::([^`]+)`")


def name_of(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


def ran(block: str, folder: Path) -> str:
    """Return a block with what its commands print now."""
    lines = []
    for line in block.splitlines():
        if line.startswith("$ mutproof "):
            words = re.findall(r'"[^"]*"|\S+', line.removeprefix("$ mutproof "))
            ended = mutproof(*(word.strip('"') for word in words), cwd=folder)
            out = re.sub(r"\b\d+\.\d\d s\b", "0.01 s", ended.out + ended.err)
            lines += [line, *out.strip("\n").splitlines()]
        else:
            assert not line.startswith("$"), line
    return "".join(f"{line.rstrip()}\n" for line in lines)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_commands_print_what_the_page_says(path: Path, tmp_path: Path, update: bool) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    text = path.read_text(encoding="utf-8")
    parts, done = [], 0
    for match in re.finditer(f"{FILE.pattern}|{CONSOLE.pattern}", text, re.M | re.S):
        parts.append(text[done : match.start()])
        name, content, block = match.groups()
        if name is not None:
            (tmp_path / name).write_text(content, encoding="utf-8")
            parts.append(match[0])
        else:
            parts.append(f"```console\n{ran(block, tmp_path)}```")
        done = match.end()
    now = "".join([*parts, text[done:]])
    if update:
        path.write_text(now, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == now


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("reference", "__pycache__"))
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
               str(folder), str(tmp_path / "site")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    for name in ("index", "tour", "reference/commands", "reference/operators"):
        assert (tmp_path / "site" / f"{name}.html").stat().st_size > 0


def test_every_operator_has_an_example() -> None:
    assert [] == [name for name in MUTATORS.names() if name not in generated.examples()]


def test_reference_pages_name_what_registries_have() -> None:
    pages = generated.pages()
    assert [] == [c.name for c in COMMANDS if f"## mutproof {c.name}\n" not in pages["commands.md"]]
    named = pages["words.md"] + pages["codes.md"]
    assert [] == [topic.name for topic in topics() if f"| `{topic.name}` |" not in named]


def test_the_comparison_names_tests_that_exist() -> None:
    text = (DOCS / "comparison.md").read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("| ")][2:]
    named = TEST.findall(text)
    assert [] == [line for line in table if "✓" in line.split("|")[2] and not TEST.search(line)]
    for file, test in named:
        words = test.removesuffix("…")
        assert words in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"
