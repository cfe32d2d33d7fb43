"""What all tests share: where the corpus is, and how golden files are rewritten."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.places import corpus_folder

# No test reads or writes what the user's own runs have kept.
os.environ["MUTPROOF_CACHE_DIR"] = ""
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="mutproof-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update",
        action="store_true",
        help="rewrite the expectations of golden files to what is found",
    )


def pytest_report_header(config: pytest.Config) -> str:
    folder = corpus_folder()
    state = "" if folder.is_dir() else " (not there: the examples stand in for it)"
    return f"corpus: {folder}{state}"


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Tell whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update"))


@pytest.fixture(scope="session")
def corpus() -> Path | None:
    """Return the folder of real models, None where there is none."""
    folder = corpus_folder()
    return folder if folder.is_dir() else None


@pytest.fixture
def deep_recursion() -> Iterator[None]:
    """Let evaluators of trees recurse as deep as the random and real models need it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(before)
