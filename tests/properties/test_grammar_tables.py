"""Tables that were kept on disk read every text as new ones do; without the seal they are not."""

from __future__ import annotations

import json
import marshal
import zlib
from pathlib import Path

import lark
import pytest

from mutproof.base.grammar import Grammar, Terminal, UnexpectedTokenError

GRAMMAR = """
start: "a" item* [end]
item: NAME "," -> named
    | "(" item* ")" -> grouped
end: "."
NAME: "n"
_COMMA: ","
"""


class Builder:
    """Build nested tuples."""

    def __getattr__(self, name: str) -> object:
        if name not in {"start", "named", "grouped", "end"}:
            raise AttributeError(name)
        return lambda children: (str(name), *map(str, children))


def tokens(text: str) -> list[Terminal]:
    kinds = {"a": "A", "n": "NAME", ",": "COMMA", "(": "LPAR", ")": "RPAR", ".": "DOT"}
    return [Terminal(kinds[c], c, place, place + 1) for place, c in enumerate(text)]


def answers(grammar: Grammar) -> list[object]:
    """Return what the parser makes of all texts of up to five tokens after the first."""
    texts = ["a"]
    for text in texts:
        if len(text) < 6:
            texts += [text + follower for follower in "n,()."]
    found: list[object] = []
    for text in texts:
        try:
            found.append(grammar.parse("start", tokens(text)))
        except UnexpectedTokenError as error:
            found.append((error.token, error.expected))
    return found


def made() -> Grammar:
    return Grammar(GRAMMAR, start=["start"], builder=Builder())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


def no_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have any attempt to build tables fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(lark.Lark, "__init__", refuse)


def kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_kept_tables_read_all_texts_as_new_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = answers(made())
    assert len(kept(folder)) == 1
    no_tables(monkeypatch)
    assert answers(made()) == expected
    assert len({repr(answer) for answer in expected}) > 20


def test_another_grammar_has_other_tables(folder: Path) -> None:
    made()
    changed = GRAMMAR.replace('"(" item*', '"(" NAME')
    for _ in range(2):
        other = Grammar(changed, start=["start"], builder=Builder())
        assert len(kept(folder)) == 2
        other.parse("start", tokens("a(n)"))
        with pytest.raises(UnexpectedTokenError):
            made().parse("start", tokens("a(n)"))


@pytest.mark.parametrize("damage", [b"", b"cut", b"turned"])
def test_damaged_tables_are_built_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    expected = answers(made())
    [path] = kept(folder)
    data = path.read_bytes()
    middle = len(data) // 2
    turned = data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]
    path.write_bytes({b"": b"", b"cut": data[:middle], b"turned": turned}[damage])
    assert answers(made()) == expected
    no_tables(monkeypatch)
    assert answers(made()) == expected


def test_what_lark_refuses_is_built_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(made())
    assert kept(folder)

    def refuse(*_: object, **__: object) -> None:
        raise KeyError

    monkeypatch.setattr(lark.Lark, "_load", refuse)
    assert answers(made()) == expected


def test_what_is_read_back_is_data_and_runs_nothing(folder: Path) -> None:
    made()
    [path] = kept(folder)
    content = zlib.decompress(path.read_bytes()[:-32])
    data, memo = marshal.loads(content)
    assert {"options", "parser", "rules"} <= data.keys()
    assert json.loads(json.dumps(memo)).keys() == {str(key) for key in memo}


def test_nothing_is_kept_where_there_is_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", "")
    monkeypatch.chdir(tmp_path)
    expected = answers(made())
    assert kept(tmp_path) == []
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", str(blocked))
    assert answers(made()) == expected
    assert kept(tmp_path) == [blocked]
