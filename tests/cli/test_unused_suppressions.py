"""A comment that suppresses no mutant is reported, unless the run is only a part."""

from __future__ import annotations

from pathlib import Path

from process import EXAMPLES, mutproof


def test_a_comment_that_suppresses_nothing_is_reported(tmp_path: Path) -> None:
    text = (EXAMPLES / "demo2.lus").read_text(encoding="utf-8")
    (tmp_path / "a.lus").write_text(text + "\n-- mutproof disable next-line g2ge: gone\n")
    (tmp_path / "b.lus").write_text("-- mutproof disable all: seen\n" + text)
    words = ("--level", "paper", "--fail-on", "never")
    stale = mutproof("mutate", "a.lus", *words, cwd=tmp_path)
    used = mutproof("mutate", "b.lus", *words, cwd=tmp_path)
    part = mutproof("mutate", "a.lus", *words, "--operators", "or2xor", cwd=tmp_path)

    assert "warning[unused-suppression]: this comment suppresses no mutant" in stale.err
    assert ["", ""] == [used.err, part.err]


def test_a_comment_without_a_reason_or_of_no_operator_suppresses_nothing(tmp_path: Path) -> None:
    text = (EXAMPLES / "demo2.lus").read_text(encoding="utf-8")
    (tmp_path / "a.lus").write_text("-- mutproof disable all\n" + text)
    (tmp_path / "b.lus").write_text("-- mutproof disable g2gee: a slip\n" + text)
    words = ("--level", "paper", "--fail-on", "never")
    bare = mutproof("mutate", "a.lus", *words, cwd=tmp_path)
    slip = mutproof("mutate", "b.lus", *words, cwd=tmp_path)

    assert "a.lus:1:1: warning[suppression-without-reason]: this comment" in bare.err
    assert "b.lus:1:1: warning[unknown-operator]: there is no mutation operator" in slip.err
    assert all(", 0 ignored" in done.out for done in (bare, slip))


def test_suppressed_mutants_are_ignored_where_no_property_is_proved(tmp_path: Path) -> None:
    (tmp_path / "a.lus").write_text(
        "-- mutproof disable all: seen\n"
        "node main (x : int) returns (o : int; p : bool);\n"
        "let\n  o = x + 1;\n  p = o > 3;\n  --%PROPERTY p;\ntel;\n"
    )
    done = mutproof("mutate", "a.lus", "--fail-on", "unknown", cwd=tmp_path)
    assert (0, True) == (done.code, "0 unknown, 0 stillborn, 3 ignored" in done.out)
