"""Whatever the text, the NuSMV front end answers: with few diagnostics, soon, and never raises."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mutproof.languages.nusmv import lexing
from mutproof.model.interpretation import interpretation
from support.reading import elaborated_in

ROOT = Path(__file__).parents[2]
EXAMPLES = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("examples/*.smv"))]
GOLDEN = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("tests/golden/nusmv/*.md"))]
PROFILE = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
TOKENS = [
    *sorted(lexing.RESERVED),
    *[
        "x",
        "y",
        "n",
        "a.b",
        "a[0]",
        "3",
        "-1",
        "0ud4_3",
        "1.5",
        ":=",
        "..",
        "->",
        "<->",
        "<=",
        "!=",
        "<<",
        "::",
        "&",
        "|",
        "=",
        "+",
        "-",
        "*",
        "/",
        "!",
        "(",
        ")",
        "[",
        "]",
    ],
    *["{", "}", ",", ";", ":", ".", "?", "--", "/--", "~", "é", "always", "until!", "|->"],
    "\n",
    '"',
]


def codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in elaborated_in("nusmv", text).diagnostics]


def answers(text: str) -> None:
    found = elaborated_in("nusmv", text)
    for diagnostic in found.diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
    assert found.diagnostics or found.program is not None
    if found.program is not None:
        interpretation(found.program).system()


@PROFILE
@given(st.lists(st.sampled_from(TOKENS), max_size=60).map(" ".join))
def test_any_tokens_are_answered(text: str) -> None:
    answers(text)
    answers(f"MODULE main\nVAR x : 0..3; y : boolean;\n{text}")


@PROFILE
@given(st.text(max_size=200))
def test_any_text_is_answered(text: str) -> None:
    answers(text)
    answers(f"MODULE main\nDEFINE d := {text};")


@PROFILE
@given(st.data())
def test_a_damaged_model_is_answered(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(EXAMPLES + GOLDEN))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 12)))
        text = text[:start] + data.draw(st.sampled_from([*TOKENS, ""])) + text[end:]
    answers(text)


PREFIX = "MODULE main\nVAR a : boolean;\nINVARSPEC "


@pytest.mark.parametrize("brackets", ["()", "{}", "[]"])
def test_deep_nesting_is_one_diagnostic(brackets: str) -> None:
    text = PREFIX + brackets[0] * 50_000 + "a" + brackets[1] * 50_000

    assert ["nesting-too-deep"] == codes(text)


@pytest.mark.parametrize("link", ["a & ", "a -> ", "!", "a <-> "])
def test_a_chain_may_be_long(link: str) -> None:
    assert [] == codes(PREFIX + link * 20_000 + "a")


def test_a_chain_of_macros_may_be_long() -> None:
    chain = "".join(f"d{n} := !d{n + 1};\n" for n in range(10_000))

    assert [] == codes(f"MODULE main\nDEFINE\n{chain}d10000 := TRUE;\nINVARSPEC d0")


def test_noise_gets_few_diagnostics() -> None:
    source = random.Random(3)
    noise = "".join(source.choice(" \nabVAR;:=()!&@#$%^{}[]-->~é\"'") for _ in range(10_000_000))

    assert len(codes(noise)) < 200


def test_doubling_instances_are_too_many() -> None:
    modules = "".join(f"MODULE m{n}\nVAR a : m{n + 1}; b : m{n + 1};\n" for n in range(40))

    assert "too-many-instances" in codes(f"{modules}MODULE m40\nMODULE main\nVAR a : m0;\n")


def test_a_huge_range_is_never_expanded() -> None:
    text = "MODULE main\nVAR k : 0..2147483647;\nASSIGN next(k) := k < 5 ? k + 1 : 0;\n"
    found = elaborated_in("nusmv", f"{text}INVARSPEC k >= 0 & k in {{1, 2}}")

    assert () == found.diagnostics
    assert found.program is not None
    assert len(interpretation(found.program).system().variables) == 1


def test_an_unchanged_declaration_keeps_its_element() -> None:
    text = EXAMPLES[0]
    before = elaborated_in("nusmv", text)
    after = elaborated_in("nusmv", f"-- moved\n\n{text}")

    assert before.program is not None
    assert after.program is not None
    assert before.program.digest == after.program.digest


def test_the_advice_on_a_set_of_words_does_not_ask_for_the_width_that_they_have() -> None:
    text = "MODULE main\nVAR w : word[2];\nINVARSPEC w in {0ud2_0, 0ud2_1};\n"
    (found,) = (d for d in elaborated_in("nusmv", text).diagnostics if d.code == "type-error")
    assert found.help.startswith("there are no sets of words")
