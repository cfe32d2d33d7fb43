"""The product and a second evaluator, made from the text alone, agree on random Lustre texts."""

from __future__ import annotations

import pytest

from support.lustre_difference import compare, differences
from support.lustre_minimal import minimal
from support.tree_lustre_random import random_run
from support.tree_lustre_text import read

COUNT = 500
PARTS = 10
FIRST_SEED = 1

pytestmark = pytest.mark.usefixtures("deep_recursion")


@pytest.mark.parametrize("share", range(PARTS))
def test_values_and_verdicts_agree_on_random_texts(share: int) -> None:
    first = FIRST_SEED + share * (COUNT // PARTS)
    found = [
        f"seed {seed}: {difference}"
        for seed in range(first, first + COUNT // PARTS)
        for difference in differences(seed)
    ]

    assert [] == found


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "node top(v: bool[2]; i: int) returns (p: bool);\n"
            "let p = v[if true then 2 else i] = v[1]; --%PROPERTY p;\ntel;\n",
            id="an index in which a variable is not read is no constant",
        ),
    ],
)
def test_what_differed_once_agrees_now(text: str) -> None:
    assert [] == compare(text, 1, mutate=True)


def test_a_text_is_made_smaller_while_something_still_happens() -> None:
    text = """\
node top(x: int) returns (p, q: bool);
let
  p = (if q then x + 1 > 3 else q);
  q = x < (2 + x);
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""
    expected = """\
node top(x: int) returns (p, q: bool);
let
  p = (x > 3);
  q = x;
  --%PROPERTY p;
tel;
"""

    assert expected == minimal(text, lambda smaller: "> 3" in smaller and "Y p" in smaller)


DECLARED = """
type small = subrange [0, 2] of int;
type r = struct {a: int; b: bool};
type t = struct {a: small; b: bool};
function f(x: int) returns (y: int);
node n(x: int) returns (y: int); let y = pre x; tel;
node up(x: int) returns (y: int); let y = 0 -> pre y + x; tel;
node w(x: int) returns (y: int); let y = condact(x > 0, up(1), x); tel;
node ranged(x: small) returns (y: bool); let y = pre x <= 2; tel;
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("x div 3 * 3 + x mod 3 = x and x mod (-3) >= 0", None, id="division"),
        pytest.param("floor(real(x) - 0.5) = x - 1", None, id="floor"),
        pytest.param("x div (x - x) = 0", 0, id="division by zero is arbitrary"),
        pytest.param("[1, 2, 3][x] = 3 or x = 0 or x = 1", None, id="beyond the last element"),
        pytest.param("[1, 2][x := 5] = [1, 2] or x = 0 or x = 1", None, id="updates beyond it"),
        pytest.param("pre s <= 2", None, id="a memory has the type of the variable"),
        pytest.param("pre (0 -> s) <= 2", 0, id="not if the operand has state"),
        pytest.param("(pre t {a = s; b = true -> s = 0}).a <= 2", None, id="nor if another part"),
        pytest.param("condact(x > 0, ranged(s), true)", 0, id="nor under a clock"),
        pytest.param("n(x) = n(x)", None, id="equal calls are one"),
        pytest.param("n(x) = n(x + 0)", 0, id="calls that read otherwise are not"),
        pytest.param("(pre (0 -> x)) = (pre (0 -> x))", 0, id="each pre over state is its own"),
        pytest.param("pre x = pre x", None, id="a variable has one memory"),
        pytest.param("pre pre x = 0", 0, id="pre of pre"),
        pytest.param("f(x) = f(x)", None, id="functions are functions"),
        pytest.param("f(x) = f(0)", 0, id="of their arguments"),
        pytest.param("condact(false, w(x), 7) = 7", None, id="the default is held"),
        pytest.param("condact(true, up(x), 7) = up(x)", None, id="no clock is no clock"),
        pytest.param("r {a = x; b = true}{a := 1} = r {a = 1; b = true}", None, id="updates"),
        pytest.param("(1 -> 2 -> 3) <= 2", 1, id="an arrow in an arrow"),
        pytest.param("not false = true", None, id="not binds tighter than ="),
        pytest.param("(false => false => false) and - x + x = 0", None, id="to the right"),
    ],
)
def test_the_second_evaluator_knows(body: str, expected: int | None) -> None:
    text = f"{DECLARED}node top(x: int; s: small) returns (p: bool);\nlet p = {body}; tel;\n"
    model = read(text)
    fails = []
    for seed in range(100):
        run = random_run(model, seed)
        for step in range(4):
            if not run.admitted(step):
                break
            if not run.variable(run.places.main, "p", (), step):
                fails.append(step)
                break

    assert expected == min(fails, default=None)
