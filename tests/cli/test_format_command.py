"""`mutproof format` changes white space only, and says what it would change."""

from __future__ import annotations

from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

UNTIDY = "node  main(x:bool)  returns (ok:bool);\nlet\nok=x;  -- as it is\ntel;\n"
TIDY = "node main(x : bool) returns (ok : bool);\nlet\n  ok = x; -- as it is\ntel;\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.lus"
    path.write_text(UNTIDY, encoding="utf-8")
    return path


def test_a_folder_is_formatted_once(model: Path) -> None:
    first = mutproof("format", model.parent)
    again = mutproof("format", model.parent)

    assert (first.code, first.err) == (0, "1 file formatted\n")
    assert (again.code, again.err) == (0, "0 files formatted\n")
    assert model.read_text(encoding="utf-8") == TIDY


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_a_check_writes_nothing(model: Path, option: str) -> None:
    ended = mutproof("format", option, model)

    assert ended.code == 2
    assert ended.err == f"{model}: not formatted\n"
    assert ("+  ok = x; -- as it is\n" in ended.out) == (option == "--diff")
    assert model.read_text(encoding="utf-8") == UNTIDY


def test_indentation_is_chosen(model: Path) -> None:
    mutproof("format", "--indent", "4", model)

    assert "\n    ok = x;" in model.read_text(encoding="utf-8")


def test_what_has_syntax_errors_stays_as_it_is(model: Path) -> None:
    broken = UNTIDY.replace("ok=x", "ok=")
    model.write_text(broken, encoding="utf-8")
    ended = mutproof("format", model, EXAMPLES / "nothing.lus")

    assert ended.code == 1
    assert "model.lus:3:4" in ended.err
    assert "nothing.lus" in ended.err
    assert model.read_text(encoding="utf-8") == broken


def test_a_file_stays_what_it_is(model: Path) -> None:
    model.write_bytes(b"\xef\xbb\xbf" + UNTIDY.encode())
    model.chmod(0o640)
    link = model.with_name("link.lus")
    link.symlink_to(model)
    mutproof("format", link)

    assert link.is_symlink()
    assert model.read_bytes() == b"\xef\xbb\xbf" + TIDY.encode()
    assert model.stat().st_mode & 0o777 == 0o640
