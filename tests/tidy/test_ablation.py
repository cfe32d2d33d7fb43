"""What the benchmark leaves out exists: a renamed method must not make it measure nothing."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from mutproof.analyses.strategies import STRATEGIES

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def ablation(monkeypatch: pytest.MonkeyPatch) -> object:
    """Import the benchmark from its folder."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setitem(sys.modules, "report", import_module("report"))
    return import_module("ablation")


def test_every_shortcut_can_be_left_out(ablation: object) -> None:
    """Each takes the place of what its owner has, and gives it back."""
    names = set()
    for shortcut in ablation.SHORTCUTS:  # type: ignore[attr-defined]
        before = vars(shortcut.owner)[shortcut.attribute]
        with shortcut.left_out():
            assert vars(shortcut.owner)[shortcut.attribute] is not before
        assert vars(shortcut.owner)[shortcut.attribute] is before
        names.add(shortcut.name)
    assert {rung.name for rung in STRATEGIES["default"].rungs} <= names
