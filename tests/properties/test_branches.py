"""What equations say themselves, case by case, and that each of it is so where they are run."""

from __future__ import annotations

import pytest

from mutproof.analyses.suggesting.branches import branches
from mutproof.analyses.suggesting.columns import Rows, StepColumns, stream_of
from mutproof.languages import LANGUAGES
from mutproof.model import sorts, terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.program import Program
from mutproof.model.trace import Choices
from support.reading import elaborated_in

LUSTRE = """\
type mode = enum { OFF, ON, BAD };
node main(x, y: bool; i: int) returns (m: mode; n: int; b, c: bool);
let
  m = if x then OFF else if m0 = OFF and y then ON else BAD;
  n = 0 -> if x and pre n < 5 then pre n + 1 else pre n;
  b = x or (y and i > 3);
  c = not (x => y);
tel;
"""
NUSMV = """\
MODULE main
VAR go : boolean; n : unsigned word[4]; d : {no, tea, coffee};
ASSIGN
  init(n) := 0ud4_0;
  next(n) := go ? n + 0ud4_1 : n;
  next(d) := case !go : no; n = 0ud4_3 : {tea, coffee}; TRUE : d; esac;
TRANS go & n > 0ud4_1 -> next(go);
"""


def program_of(language: str, text: str) -> Program:
    found = elaborated_in(language, text).program
    assert found is not None
    return found


def said(language: str, text: str) -> dict[str, list[str]]:
    """Return what each element says: when, conditions and claim; what restates it is marked."""
    program = program_of(language, text)
    component = program.component(program.main)
    spell = LANGUAGES[language].print_term
    found: dict[str, list[str]] = {}
    for element in component.elements:
        target = stream_of(component, element.targets[0]) if element.targets else None
        for one in branches(element, target):
            conditions = ", ".join(map(spell, one.conditions))
            mark = " (all)" if one.restates else ""
            line = f"{one.when.value}: {conditions} => {spell(one.claim)}{mark}"
            found.setdefault("".join(element.targets) or element.kind.name.lower(), []).append(line)
    return found


def test_equations_say_what_is_so_in_each_case() -> None:
    text = LUSTRE.replace("b, c: bool);", "b, c: bool);\nvar m0: mode;").replace(
        "let\n", "let\n  m0 = OFF -> pre m;\n"
    )
    found = said("lustre", text)

    assert found["m"][:4] == [
        "always: x => m = OFF",
        "always: not x, m0 = OFF, y => m = ON",
        "always: not x, m0 <> OFF => m = BAD",
        "always: not x, not y => m = BAD",
    ]
    assert found["n"][:2] == ["first:  => n = 0 (all)", "later: x, pre n < 5 => n = pre n + 1"]
    assert found["n"][-1].endswith("(all)")
    assert found["b"][:4] == [
        "always: x => b",
        "always: y, i > 3 => b",
        "always: not x, not y => not b",
        "always: not x, i <= 3 => not b",
    ]
    assert found["c"][:3] == [
        "always: x, not y => c",
        "always: not x => not c",
        "always: y => not c",
    ]


def test_assignments_say_what_comes_next() -> None:
    found = said("nusmv", NUSMV)

    assert "later: go => next(n) = n + 0ud4_1" in found["n"]
    assert "later: !go => next(n) = n" in found["n"]
    assert found["d"][:3] == [
        "later: !go => next(d) = no",
        "later: go, n = 0ud4_3 => next(d) in {tea, coffee}",
        "later: go, n != 0ud4_3 => next(d) = d",
    ]
    assert ["later: go, n > 0ud4_1 => next(go) (all)"] == found["trans"]


def test_conditions_that_others_imply_are_left_out() -> None:
    text = """\
MODULE main
VAR s : {a, b, c};
ASSIGN next(s) := case s = a : b; s = b : c; s = c : a; TRUE : s; esac;
"""

    assert said("nusmv", text)["s"][:3] == [
        "later: s = a => next(s) = b",
        "later: s = b => next(s) = c",
        "later: s = c => next(s) = a",
    ]


@pytest.mark.parametrize(
    ("op", "steps", "expected"),
    [
        pytest.param(Op.NEXT, (1, 1, 2, 2), 0b101, id="the next value"),
        pytest.param(Op.PRE, (1, 1, 2, 2), 0b1011, id="the value before; itself at first"),
    ],
)
def test_a_stream_is_compared_with_its_value_in_another_step(
    op: Op, steps: tuple[int, ...], expected: int
) -> None:
    program = program_of("nusmv", "MODULE main\nVAR n : 0..3;\nASSIGN init(n) := 1;\n")
    n = terms.var("n", sorts.INT)
    other = terms.make(op, sorts.INT, (n,))
    execution = interpretation(program).run(Choices(tuple({"n": value} for value in steps), None))
    assert execution is not None
    for same in (terms.eq(other, n), terms.eq(n, other)):
        rows = Rows()

        StepColumns(program, "main", (same,)).add(rows, execution)

        assert expected == rows.holds[same]
