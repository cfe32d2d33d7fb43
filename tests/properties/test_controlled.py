"""A model with inputs for its choices has the executions of the model, and chooses nothing."""

from __future__ import annotations

import random

import pytest

from mutproof.analyses.suites.relational_inputs import undetermined
from mutproof.base.diagnostics import has_errors
from mutproof.languages import nusmv
from mutproof.model.editing import Controlled, edited
from mutproof.model.interpretation import interpretation
from mutproof.model.program import Program, VariableKind
from mutproof.model.sorts import Value
from support.explicit import Row, explore
from support.nusmv_random import random_text
from support.reading import elaborated_in

SEEDS = 100
MOST = 300
"""How many valuations a model may have, for its graph to be compared."""

Shown = tuple[tuple[str, Value], ...]
Graph = tuple[frozenset[Shown], frozenset[tuple[Shown, Shown]]]

TYPES = """\
MODULE part (on)
VAR level : 0..3; bits : 0..3;
ASSIGN
  init(level) := {0, 2};
  next(level) := on ? {level, 3} : 1..2;
  bits := {0, 2};
MODULE main
VAR b : boolean; p : part(b); free : boolean; late : {x, y};
ASSIGN
  next(b) := {TRUE, FALSE};
  init(late) := {x, y};
  next(late) := case b : {x, y}; free in {TRUE} : x; TRUE : late; esac;
INVARSPEC p.level <= 3
"""


def program_of(text: str) -> Program:
    found = elaborated_in("nusmv", text)
    assert found.program is not None, (text, found.diagnostics)
    return found.program


def controlled(text: str) -> tuple[str, Controlled]:
    assert nusmv.LANGUAGE.control is not None
    found = nusmv.LANGUAGE.control(elaborated_in("nusmv", text))
    return edited(text, found.edits), found


def graph(program: Program, names: frozenset[str], most: int) -> Graph | None:
    """Return the first states and the steps between reachable ones, as some variables show them."""
    space = explore(interpretation(program).system(), limit=most)
    if space is None:
        return None
    places = [(n, name) for n, name in enumerate(space.names) if name in names]

    def shown(row: Row) -> Shown:
        return tuple(sorted(((name, row[n]) for n, name in places), key=repr))

    steps = {(shown(s), shown(t)) for s in space.reachable for t in space.successors[s]}
    return frozenset(map(shown, space.initial)), frozenset(steps)


def check(text: str) -> bool:
    """Check a text; tell whether the graphs were compared."""
    program = program_of(text)
    changed, found = controlled(text)
    again = elaborated_in("nusmv", changed)
    assert again.program is not None, (text, changed, again.diagnostics)
    assert has_errors(elaborated_in("nusmv", text).diagnostics) or not has_errors(
        again.diagnostics
    ), changed
    if not found.left:
        assert "" == undetermined(again.program), changed
    variables = program.component(program.main).variables
    stored = {v.name for v in variables if v.kind is not VariableKind.DEFINE}
    known = interpretation(program).system().variables
    names = frozenset(n for n in known if n in stored or n.partition("[")[0] in stored)
    here = graph(program, names, MOST)
    there = None if here is None else graph(again.program, names, 4 * MOST)
    if there is None:
        return False
    assert here == there, (text, changed)
    return bool(found.choices)


@pytest.mark.parametrize("share", range(4))
def test_executions_are_those_of_the_model(share: int) -> None:
    texts = (random_text(random.Random(f"control {n}")) for n in range(share, SEEDS, 4))
    compared = [check(text) for text in texts if elaborated_in("nusmv", text).program is not None]

    assert compared.count(True) >= 3


def test_all_kinds_of_choices_become_inputs() -> None:
    changed, found = controlled(TYPES)

    assert () == found.left
    assert "" == undetermined(program_of(changed))
    check(TYPES)
    for line in (
        "FROZENVAR nd_level : 0..1;",
        "VAR nd_bits : 0..1;",
        "IVAR nd_b : boolean;",
        "FROZENVAR nd_b_2 : boolean;",
        "ASSIGN init(b) := nd_b_2;",
    ):
        assert line in changed


def test_control_of_a_controlled_model_changes_nothing() -> None:
    changed, _ = controlled(TYPES)

    assert changed == controlled(changed)[0]


@pytest.mark.parametrize(
    ("assignments", "why"),
    [
        ("TRANS next(x) in {0, 1}", "a constraint relates what it allows"),
        ("ASSIGN next(x) := d; DEFINE d := {0, 1};", "a definition chooses anew at each use"),
        ("ASSIGN next(x) := {0} union {1, 2};", "a union of sets"),
    ],
)
def test_what_cannot_be_controlled_is_left_and_said(assignments: str, why: str) -> None:
    text = f"MODULE main\nVAR x : 0..2;\n{assignments}\nINVARSPEC x >= 0\n"
    _, found = controlled(text)

    said = {reason for _, reason in found.left}
    assert why in said or (not said and not found.choices)
    if "TRANS" not in assignments:
        assert why in said


def test_control_is_no_advice_where_it_leaves_open_which_process_runs() -> None:
    text = "MODULE main\nVAR b : boolean; p : process part(b);\nASSIGN init(b) := {FALSE, TRUE};\n"
    text += "MODULE part (b)\nASSIGN next(b) := !b;\nINVARSPEC b | !b\n"
    changed, found = controlled(text)

    assert ["which process runs is open"] == [why for _, why in found.left]
    asked = undetermined(program_of(text)), undetermined(program_of(changed))
    assert ("which process runs is open, and no input can say it",) * 2 == asked
