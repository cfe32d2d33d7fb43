"""The command knows a language once its folder and one line are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mutproof
from support import toy_language as toy

PACKAGE = Path(mutproof.__path__[0])
MODEL = """\
input go : bool
n : int := first(0, 0 if pre(n) >= 3 else pre(n) + 1)
small : bool := n <= 3
check small
"""


@pytest.fixture(name="place", scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package, to which the toy language is added."""
    place = tmp_path_factory.mktemp("added")
    languages = place / "mutproof" / "languages"
    shutil.copytree(PACKAGE, place / "mutproof", ignore=shutil.ignore_patterns("__pycache__"))
    (languages / "toy").mkdir()
    for path in Path(toy.__path__[0]).glob("*.py"):
        text = path.read_text(encoding="utf-8").replace(
            "support.toy_language", "mutproof.languages.toy"
        )
        (languages / "toy" / path.name).write_text(text, encoding="utf-8")
    registry = (languages / "__init__.py").read_text(encoding="utf-8")
    last = '        RegistryRow("nusmv", "mutproof.languages.nusmv"),\n'
    registered = registry.replace(last, last + last.replace("nusmv", "toy"))
    assert 1 == len(registered.splitlines()) - len(registry.splitlines())
    (languages / "__init__.py").write_text(registered, encoding="utf-8")
    (place / "models").mkdir()
    (place / "models" / "model.toy").write_text(MODEL, encoding="utf-8")
    return place


def run(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    places = {"PYTHONPATH": str(place), "MUTPROOF_CACHE_DIR": str(place / "kept")}
    environment = {**os.environ, **places}
    command = [sys.executable, "-m", "mutproof", *words]
    return subprocess.run(
        command,
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_proves_and_mutates_models_of_it(place: Path) -> None:
    found = run(place, "mutate", "models/model.toy", "--operators", "ge2g,ifthen", "--no-timings")

    assert "" == found.stderr
    lines = [line for line in found.stdout.splitlines() if line.startswith(("KILL", "SURV"))]
    assert [
        ["SURVIVED", "at", "2:21", "ifthen"],
        ["KILLED", "at", "2:33", "ge2g"],
    ] == [line.split()[:4] for line in lines]


def test_it_finds_models_of_it_in_folders(place: Path) -> None:
    found = run(place, "prove", "models", "--no-timings")

    assert (0, "") == (found.returncode, found.stderr)
    assert "PROVED" in found.stdout
    assert "model.toy" in found.stdout


def test_it_explains_what_is_wrong_in_them(place: Path) -> None:
    (place / "wrong").mkdir()
    (place / "wrong" / "wrong.toy").write_text("n : int := yes\n", encoding="utf-8")

    assert "toy-line" in run(place, "prove", "wrong").stderr
    assert "A line of the toy language" in run(place, "explain", "toy-line").stdout
