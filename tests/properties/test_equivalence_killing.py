"""Killing of non-deterministic models, on the examples of the second paper and by search."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_equivalence_kripke import pairs

from mutproof.analyses.equivalence.killing import Interface, Killability, killing
from mutproof.languages import nusmv
from mutproof.model.editing import edited
from mutproof.model.interpretation import interpretation
from mutproof.model.system import TransitionSystem
from support.explicit import StateSpace, explore
from support.profiles import profile
from support.reading import accepted_in, elaborated_in

MACHINE = """\
MODULE main
VAR
  button : {none, request, fill};
  drink : {none, coffee, tea};
  water : 0..2;
ASSIGN
  init(button) := none;
  next(button) := {none, request, fill};
  init(drink) := none;
  next(drink) := button = request & water > 0 ? {coffee, tea} : none;
  init(water) := 2;
  next(water) :=
    case
      button = fill : 2;
      button = request & water > 0 : water - 1;
      TRUE : water;
    esac;
"""
INTERFACE = Interface(("button",), ("drink",))


def system(text: str) -> TransitionSystem:
    found = accepted_in("nusmv", text)
    return interpretation(found.program).system()


@pytest.mark.parametrize(
    ("old", "new", "expected", "length"),
    [
        pytest.param(
            "button = fill : 2;",
            "button = fill : 1;",
            Killability.DEFINITELY,
            5,
            id="a tank that is filled by half is noticed at the second request",
        ),
        pytest.param(
            "button = fill : 2;",
            "button = fill : {1, 2};",
            Killability.POTENTIALLY,
            5,
            id="one that may be filled by half is noticed by luck",
        ),
        pytest.param(
            "{coffee, tea} : none",
            "coffee : none",
            Killability.NOT,
            0,
            id="one that always chooses coffee does nothing the model cannot do",
        ),
    ],
)
def test_mutants_of_the_machine(old: str, new: str, expected: Killability, length: int) -> None:
    assert old in MACHINE
    found = killing(system(MACHINE), system(MACHINE.replace(old, new)), INTERFACE)

    assert expected is found.killability
    assert length == len(found.test)


@pytest.mark.parametrize(
    ("inputs", "kills"),
    [
        pytest.param(("request", "fill", "request", "request"), True, id="as in the paper"),
        pytest.param(("request", "fill", "request"), False, id="one request too few"),
        pytest.param(("request", "request", "request"), False, id="without filling"),
    ],
)
def test_half_a_tank_is_surely_told_by_the_inputs_of_the_paper(
    inputs: tuple[str, ...], kills: bool
) -> None:
    """Whatever the two machines choose, their drinks differ under these inputs, or may agree."""
    mutant = MACHINE.replace("button = fill : 2;", "button = fill : 1;")
    buttons = ("none", *inputs, "none")

    def drinks(text: str) -> set[tuple[object, ...]]:
        lowered = system(text)
        space = explore(lowered)
        assert space is not None
        ways = observed(lowered, space, ("button", "drink"), len(buttons))[-1]
        return {
            tuple(str(drink) for _, drink in way)
            for way in ways
            if buttons == tuple(str(button) for button, _ in way)
        }

    here, there = drinks(MACHINE), drinks(mutant)

    assert here
    assert there
    assert kills is here.isdisjoint(there)


def test_luck_becomes_an_input_that_surely_kills() -> None:
    """The model has the input of the mutant's choice as well, and does not look at it."""
    assert nusmv.LANGUAGE.control is not None
    mutant = MACHINE.replace("button = fill : 2;", "button = fill : {1, 2};")
    source = elaborated_in("nusmv", mutant)
    mutant = edited(mutant, nusmv.LANGUAGE.control(source).edits)
    choice = "button = fill : nd_water;"
    assert choice in mutant
    model = mutant.replace(choice, "button = fill : 2;")
    interface = Interface(("button", "nd_drink", "nd_water"), ("drink",))
    found = killing(system(model), system(mutant), interface)

    assert Killability.DEFINITELY is found.killability
    assert "fill" == found.test[1]["button"]
    assert 1 == found.test[1]["nd_water"]


def test_too_many_states_are_unknown() -> None:
    large = "MODULE main\nVAR n : 0..900;\nASSIGN init(n) := 0; next(n) := (n + 1) mod 900;\n"
    changed = large.replace("mod 900", "mod 901")
    found = killing(system(large), system(changed), Interface((), ("n",)))

    assert Killability.UNKNOWN is found.killability
    assert found.reason


def observed(system: TransitionSystem, space: StateSpace, names: tuple[str, ...], depth: int):
    """Return all sequences of values that executions show in their first states."""
    where = [space.names.index(name) for name in names]

    def shown(state):
        return tuple(state[n] for n in where)

    found = [set()]
    layer = {((shown(s),), s) for s in space.initial}
    for _ in range(depth):
        found.append({way for way, _ in layer})
        layer = {((*way, shown(o)), o) for way, s in layer for o in space.successors[s]}
    return found


@profile(8)
@given(pairs(), st.booleans())
def test_kills_are_those_of_all_short_executions(
    pair: tuple[TransitionSystem, TransitionSystem], swap: bool
) -> None:
    model, mutant = (pair[1], pair[0]) if swap else pair
    here, there = explore(model), explore(mutant)
    assert here is not None
    assert there is not None
    interface = Interface(("i",), ("c",))
    found = killing(replace(model), mutant, interface)
    depth = 4
    model_ways = observed(model, here, ("i", "c"), depth)
    mutant_ways = observed(mutant, there, ("i", "c"), depth)
    potential = next((n for n in range(depth + 1) if mutant_ways[n] - model_ways[n]), None)

    def inputs(ways):
        return {tuple(i for i, _ in way) for way in ways}

    def definite_at(n: int) -> bool:
        both = inputs(model_ways[n]) & inputs(mutant_ways[n])
        alike = inputs(model_ways[n] & mutant_ways[n])
        return bool(both - alike)

    definite = next((n for n in range(1, depth + 1) if definite_at(n)), None)
    length = len(found.test)
    match found.killability:
        case Killability.DEFINITELY:
            assert definite == length or (definite is None and length > depth)
        case Killability.POTENTIALLY:
            assert definite is None
            assert potential == length or (potential is None and length > depth)
        case Killability.NOT:
            assert definite is None
            assert potential is None
        case _:
            raise AssertionError(found.reason)
