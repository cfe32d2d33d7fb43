"""Lines of a model with carets under what is to be looked at."""

from __future__ import annotations

import re

from process import EXAMPLES, mutproof

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.reporters.excerpt import MOST_CHARACTERS, excerpt, pointed
from mutproof.reporters.style import Style

PLAIN = Style()
FINDING = re.compile(r"(KILLED|SURVIVED) at (\d+):(\d+) ")


def carets(text: str, *columns: int) -> tuple[str, str]:
    shown, under = pointed(SourceText("m", text), 1, columns, style=PLAIN, meaning="warning")
    assert shown.startswith("1 | ")
    assert under.startswith("  | ")
    return shown[4:], under[4:]


def test_each_survivor_has_a_caret_below_its_line() -> None:
    source = (EXAMPLES / "demo2.lus").read_text(encoding="utf-8").splitlines()
    ended = mutproof("mutate", EXAMPLES / "demo2.lus", "--no-timings")

    lines = ended.out.splitlines()
    places: dict[int, set[int]] = {}
    pointed_at: dict[int, set[int]] = {}
    for number, line in enumerate(lines):
        if found := FINDING.match(line):
            if found[1] == "SURVIVED":
                places.setdefault(int(found[2]), set()).add(int(found[3]))
            continue
        label, bar, text = line.partition(" | ")
        if bar and label.strip():
            assert text == source[int(label) - 1]
            under = lines[number + 1].partition("| ")[2]
            pointed_at[int(label)] = {n for n, c in enumerate(under, start=1) if c == "^"}
    assert len(places) > 1
    assert places == pointed_at


def test_a_caret_stands_below_its_column_behind_tabs() -> None:
    assert carets("\tx = a;", 2, 6) == ("\tx = a;", "\t^   ^")


def test_a_caret_stands_below_its_column_behind_wide_characters() -> None:
    assert carets("漢字 é e\u0301 = a;", 4, 9) == ("漢字 é e\u0301 = a;", "     ^   ^")
    assert carets("漢字", 2)[1] == "  ^^"


def test_of_a_long_line_the_part_around_the_first_place_is_shown() -> None:
    text = "".join(chr(0xAC00 + n) for n in range(4 * MOST_CHARACTERS))
    column = 2 * MOST_CHARACTERS

    shown, under = carets(text, column, len(text))

    assert len(shown) == MOST_CHARACTERS
    assert shown in text
    assert under.count("^") == 2  # as wide as the character above
    assert shown[under.index("^") // 2] == text[column - 1]
    assert text.index(shown) < column <= text.index(shown) + MOST_CHARACTERS


def test_what_a_terminal_would_obey_is_not_shown() -> None:
    shown, _ = carets("a\x1b[2Jb", 1)
    assert "\x1b" not in shown


def test_a_place_behind_the_end_of_a_line_has_a_caret() -> None:
    assert carets("ab", 3)[1] == "  ^"


def test_a_span_is_underlined_as_far_as_its_line_goes() -> None:
    source = SourceText("m", "one two\nthree")
    assert excerpt(source, Span(4, 12), PLAIN, "bad") == ["1 | one two", "  |     ^^^"]
    assert excerpt(SourceText("m", "\n"), Span(0, 1), PLAIN, "bad") == []
