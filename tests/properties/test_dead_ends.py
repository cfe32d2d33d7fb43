"""Ends of executions are those of trying all inputs, and where it is said that none is, none is."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, MutantStatus
from mutproof.analyses.deciding import assumptions
from mutproof.analyses.proving import dead_ends
from mutproof.analyses.proving.dead_ends import End
from mutproof.base.budget import Budget
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.trace import Choices
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.lustre_models import accepted, sources
from support.lustre_mutants import program_of
from support.profiles import profile
from support.reading import analysed

MEANS = Means(Budget(), SpacerProcess(), Benches(), lambda: None)

STEPS = 3
"""After so many steps at most all inputs are tried."""


def written(source: random.Random) -> str:
    """Return a program with two inputs and an assertion about them and what was."""

    def term(depth: int) -> str:
        if not depth or source.random() < 0.2:
            name = source.choice(("a", "b", "s", "t"))
            return source.choice((name, f"(true -> pre {name})", f"(false -> pre {name})"))
        left, right = term(depth - 1), term(depth - 1)
        operator = source.choice(("and", "or", "=>", "xor", "="))
        return source.choice((f"({left} {operator} {right})", f"(not {left})"))

    return (
        "node top(a, b: bool) returns (s, t: bool; p: bool);\nlet\n"
        f"  s = {source.choice(('false', 'true'))} -> pre {source.choice('sat')};\n"
        f"  t = a {source.choice(('and', 'or', 'xor'))} (false -> pre t);\n"
        f"  assert {term(3)};\n  assert {term(2)};\n  p = s or not s; --%PROPERTY p;\ntel;\n"
    )


def first_end(meaning: Interpretation) -> int | None:
    """Return after how many steps an execution ends first; None: after more, or never."""
    values = [{"a": a, "b": b} for a, b in product((False, True), repeat=2)]

    def is_one(steps: tuple[dict[str, bool], ...]) -> bool:
        execution = meaning.run(Choices(steps))
        return execution is not None and execution.assumed

    begun: list[tuple[dict[str, bool], ...]] = [()]
    for length in range(STEPS + 1):
        longer = [[(*one, v) for v in values if is_one((*one, v))] for one in begun]
        if not all(longer):
            return length
        begun = [found for each in longer for found in each]
    return None


@profile(150)
@given(sources())
def test_ends_are_those_of_trying_all_inputs(source: random.Random) -> None:
    meaning = interpretation(program_of(accepted(written(source))))
    expected = first_end(meaning)
    found = dead_ends.ends(meaning.system(), MEANS)

    if expected is None:
        assert found.kind is not End.EVERYWHERE or found.steps > STEPS
        assert found.kind is not End.SOMEWHERE or found.steps > STEPS
    else:
        assert found.kind in {End.EVERYWHERE, End.SOMEWHERE}
        if found.kind is End.SOMEWHERE:
            assert expected == found.steps


@pytest.mark.parametrize(
    ("asserted", "fault", "words"),
    [
        ("not (false -> pre s)", ModelFault.DEAD_END, "after 1 step no input satisfies"),
        ("true -> x <> pre x", ModelFault.NO_DEAD_END, "no dead end, proved"),
        ("true -> x <> pre x and x <> pre (0 -> pre x)", ModelFault.NO_DEAD_END, "proved"),
        ("true -> 3 * x = 2 * pre x or x > pre x + 3", ModelFault.PERHAPS_DEAD_END, "none is"),
    ],
)
def test_what_is_said_of_ends(asserted: str, fault: ModelFault, words: str) -> None:
    text = (
        "node top(x: int) returns (s, p: bool);\nlet\n  s = (false -> pre s) or x = 77777;\n"
        f"  assert {asserted};\n  p = x = x; --%PROPERTY p;\ntel;\n"
    )
    options = Options(cores=False, mutate=False)
    found = analysed(accepted(text), options)

    assert [fault] == [one.fault for one in found.model]
    assert words in found.model[0].message


def test_survivors_that_are_not_followed_far_are_counted() -> None:
    names = [f"v{number}" for number in range(24)]
    following = [*names[1:], names[0]]
    equations = "".join(
        f"  {one} = 0 -> pre {other} + x;\n" for one, other in zip(names, following, strict=True)
    )
    text = (
        f"node top(x: int) returns (p: bool);\nvar {', '.join(names)}: int;\nlet\n{equations}"
        "  assert v0 >= 0;\n  p = v0 >= 0; --%PROPERTY p;\ntel;\n"
    )
    options = Options(cores=False, operators=("plus2minus",))
    found = analysed(accepted(text), options)

    said = [one.message for one in found.model if "survivors change" in one.message]
    assert 1 == len(said)
    assert said[0].startswith("24 survivors")
    assert said[0].endswith("checked for 3 steps only")


def test_survivors_that_change_what_is_assumed_of_inputs_are_proved_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """node top(speed: real; load: int) returns (warn: bool; p: bool);
let
  assert speed >= 0.0 and speed <= 300.0;
  assert load >= 0 and load <= 12345;
  warn = speed > 250.0 and load > 12000;
  p = warn => speed > 1.0; --%PROPERTY p;
tel;
"""
    monkeypatch.setattr(assumptions, "EACH", 1)
    found = analysed(accepted(text), Options(cores=False))
    assert [] == [one.message for one in found.model if one.survivors]
    survived = [one for one in found.mutants if one.status is MutantStatus.SURVIVED]
    assert len(survived) > 10


def test_survivors_whose_ends_are_too_hard_to_find_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """node top(a: bool) returns (n: int; p: bool);
let
  n = 1 -> if pre n < 6 then pre n + 1 else if a then pre n else 0;
  assert n <= 6;
  p = n >= -9; --%PROPERTY p;
tel;
"""
    chosen, memory = Options(cores=False, operators=("l2le",)), Memory()

    def found(kept: Memory) -> tuple[list[MutantStatus], list[str]]:
        known = analysed(accepted(text), chosen, kept)
        said = [one.message for one in known.model if one.survivors]
        return [one.status for one in known.mutants], said

    assert ([MutantStatus.STILLBORN], []) == found(Memory())
    monkeypatch.setattr(assumptions, "EACH", 1)
    first, again = found(memory), found(memory)
    assert [MutantStatus.SURVIVED] == first[0]
    assert 1 == len(first[1])
    assert first[1][0].endswith("checked for 3 steps only")
    assert first == again


def test_an_end_after_few_steps_is_found_where_more_are_too_hard() -> None:
    text = """node top(i: bool; n: int) returns (c, d: int; p: bool);
let
  c = 0 -> pre c + if i then 1 else 2;
  d = 0 -> if pre d >= 4 then 0 else pre d + 1;
  assert d <= c + 4;
  p = d >= 0 or n < 0 or i; --%PROPERTY p;
tel;
"""
    found = analysed(accepted(text), Options(cores=False, operators=("plus2minus",)))

    ends = [one for one in found.mutants if "no execution has more than 3 steps" in one.reason]
    assert [MutantStatus.STILLBORN] == [one.status for one in ends]


@pytest.mark.parametrize("each", [5_000, 7_000])
def test_what_is_found_of_ends_does_not_depend_on_what_was_asked_before(
    each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """node top(i, j: bool; n: int) returns (c, d, e: int; p: bool);
let
  c = 0 -> if pre c >= 3 then 0 else pre c + 1;
  d = 0 -> if i then pre d + n else pre d - n;
  e = 0 -> if pre e >= 2 or j then 0 else pre e + c;
  assert c < 10 and e < 12;
  assert n > -3 and n < 4 and d * 3 < 40 + c;
  p = c >= 0; --%PROPERTY p;
tel;
"""
    model = accepted(text)
    options = Options(cores=False, operators=("ifelse", "ifthen", "delay"))

    def told(*names: str) -> dict[str, tuple[MutantStatus, str]]:
        found = analysed(model, replace(options, mutants=names)).mutants
        return {one.mutant: (one.status, one.reason) for one in found}

    monkeypatch.setattr(assumptions, "EACH", each)
    together = told()
    assert together == {name: found for one in together for name, found in told(one).items()}
