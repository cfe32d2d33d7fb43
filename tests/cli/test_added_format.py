"""A report format is one file and one line: the command knows no other place of formats."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mutproof

PACKAGE = Path(mutproof.__path__[0])
FORMAT = """\
\"\"\"Reports of one line for each property.\"\"\"

from mutproof.reporters.reporter import Reporter


def lines(files, presentation):
    return "".join(f"{p.name} is {p.verdict.value}\\n" for f in files for p in f.properties)


REPORTER = Reporter("lines", lines, lines, lines)
"""
MODEL = """\
node main(x : int) returns (ok : bool);
var y : int;
let
  y = if x > 0 then x else 0;
  ok = y >= x;
  --%PROPERTY ok;
tel;
"""


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package, to which the format is added."""
    place = tmp_path_factory.mktemp("added")
    reporters = place / "server" / "mutproof" / "reporters"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, place / "server" / "mutproof", ignore=ignored)
    shutil.copytree(PACKAGE.parent.parent / "grammars", place / "grammars")
    (reporters / "lines.py").write_text(FORMAT, encoding="utf-8")
    registry = (reporters / "__init__.py").read_text(encoding="utf-8")
    last = '        RegistryRow("csv", "mutproof.reporters.csv", "for spreadsheets"),\n'
    row = '        RegistryRow("lines", "mutproof.reporters.lines", "a line each"),\n'
    registered = registry.replace(last, last + row)
    assert 1 == len(registered.splitlines()) - len(registry.splitlines())
    (reporters / "__init__.py").write_text(registered, encoding="utf-8")
    (place / "model.lus").write_text(MODEL, encoding="utf-8")
    return place


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    places = {"PYTHONPATH": str(place / "server"), "MUTPROOF_CACHE_DIR": ""}
    command = [sys.executable, "-m", "mutproof", *words]
    environment = {**os.environ, **places}
    return subprocess.run(
        command, cwd=place, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", ["prove", "core", "mutate", "equivalent"])
def test_every_command_reports_in_it(place: Path, command: str) -> None:
    found = run(place, command, "model.lus", "--format", "lines")

    assert "ok is proved\n" == found.stdout, found.stderr


@pytest.mark.parametrize("command", ["prove", "core", "mutate", "equivalent"])
def test_the_help_of_every_command_lists_it(place: Path, command: str) -> None:
    found = " ".join(run(place, command, "--help").stdout.split())

    assert ",csv,lines}" in found
    assert "lines: a line each" in found
