"""The folders of this account are those that `platformdirs` names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import platformdirs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mutproof.base import account_folders

PLACES = st.none() | st.sampled_from(["", " ", "/", "/a/b", "/a//", "relative", "~/c", "//d"])


def told(name: Callable[[], object]) -> str:
    try:
        return str(name())
    except RuntimeError as error:  # there is no home
        return str(error)


@given(home=PLACES, cache=PLACES, state=PLACES)
@example(home="/", cache=None, state=None)
@example(home="/home/user", cache=None, state="relative")
def test_they_are_the_usual_ones(home: str | None, cache: str | None, state: str | None) -> None:
    chosen = {"HOME": home, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": state}
    with mock.patch.dict(os.environ):
        for name, value in chosen.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        caches = told(lambda: Path(platformdirs.user_cache_dir("mutproof", appauthor=False)))
        states = told(lambda: Path(platformdirs.user_state_dir("mutproof", appauthor=False)))
        assert caches == told(account_folders.of_cache)
        assert states == told(account_folders.of_state)


def test_elsewhere_the_library_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "elsewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", "/named")
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_, **__: "/by/library")
    assert Path("/by/library") == account_folders.of_cache()
