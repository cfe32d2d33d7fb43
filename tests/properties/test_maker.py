"""What is kept is of one maker: the same sources and solvers, found out without reading them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mutproof.base import maker, store
from mutproof.base.digest import Digest


@pytest.fixture(name="sources")
def _sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for the package, and have nothing kept but here."""
    sources = tmp_path / "package"
    (sources / "inner").mkdir(parents=True)
    (sources / "one.py").write_text("1")
    (sources / "inner" / "two.lark").write_text("2")
    monkeypatch.setattr(maker, "_folders", lambda: (str(sources),))
    monkeypatch.setenv(store.FOLDER_VARIABLE, str(tmp_path / "kept"))
    return sources


def made() -> Digest:
    found: Digest = maker.maker.__wrapped__()
    return found


def test_a_second_process_reads_no_source(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sources.is_dir()
    first = made()
    assert first == maker.of_contents()
    monkeypatch.setattr(maker, "of_contents", lambda: pytest.fail("sources are read again"))
    assert first == made()


def test_a_source_that_looks_the_same_by_size_and_time_is_another(sources: Path) -> None:
    first, file = made(), sources / "inner" / "two.lark"
    before = file.stat()
    file.write_text("3")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert before.st_mtime_ns == file.stat().st_mtime_ns
    assert first != made()


def test_the_same_contents_elsewhere_are_the_same_maker(sources: Path) -> None:
    first = made()
    (sources / "one.py").unlink()
    (sources / "one.py").write_text("1")
    (sources / "notes.txt").write_text("no source")
    assert first == made()


def test_another_solver_is_another_maker(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sources.is_dir()
    first = made()
    monkeypatch.setattr(maker, "_version", lambda _: "another")
    assert first != maker.of_contents()


def test_a_solver_that_was_replaced_is_looked_at_again(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sources.is_dir()
    (tmp_path / "site" / "z3").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    first = maker.of_looks()
    (tmp_path / "site" / "z3" / "z3core.py").write_text("")
    assert first != maker.of_looks()


def test_where_nothing_is_kept_the_maker_is_the_same(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sources.is_dir()
    first = made()
    monkeypatch.setenv(store.FOLDER_VARIABLE, "")
    assert first == made()
