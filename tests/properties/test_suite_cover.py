"""The chosen tests kill all, and no fewer do: against all subsets."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from mutproof.analyses.suites.choosing import _NEEDED, _claimed, _ConfirmedKills
from mutproof.analyses.suites.cover import cover
from mutproof.base.budget import Deadline
from mutproof.solving.solver import Effort

KILLS = some.lists(some.integers(0, 2**9 - 1), max_size=9)


def united(kills: list[int], chosen: tuple[int, ...]) -> int:
    found = 0
    for number in chosen:
        found |= kills[number]
    return found


def fewest(kills: list[int]) -> int:
    """Return the size of a smallest subset that kills all, by trying them."""
    everything = united(kills, tuple(range(len(kills))))
    return next(
        size
        for size in range(len(kills) + 1)
        if any(
            united(kills, tried) == everything for tried in combinations(range(len(kills)), size)
        )
    )


@given(KILLS)
def test_the_cover_kills_all_and_is_as_small_as_any(kills: list[int]) -> None:
    found = cover(kills, [1] * len(kills))

    assert united(kills, tuple(range(len(kills)))) == united(kills, found.chosen)
    assert (fewest(kills), fewest(kills)) == (len(found.chosen), found.at_least)


@given(KILLS)
def test_without_effort_the_bound_is_still_one(kills: list[int]) -> None:
    found = cover(kills, [1] * len(kills), Effort(1, 0.001))

    assert united(kills, tuple(range(len(kills)))) == united(kills, found.chosen)
    assert found.at_least <= fewest(kills) <= len(found.chosen)


def test_what_greed_misses_is_found() -> None:
    # The first set is the largest, and two others are enough without it.
    kills = [0b0111_1110, 0b0000_1111, 0b1111_0000, 0b0100_0010]

    assert (1, 2) == cover(kills, [1] * 4).chosen


def test_of_equal_tests_the_cheapest_is_taken() -> None:
    assert (2,) == cover([0b11, 0b11, 0b11], [5, 4, 3]).chosen


def test_mutants_that_die_with_others_are_not_minimal() -> None:
    found = cover([0b111, 0b010, 0b011], [1, 1, 1])

    assert 1 == found.minimal  # the third bit dies in the first set only, and all die there


# --- time --------------------------------------------------------------------------------------


@dataclass
class OneReplay:
    """Confirm one kill, and be out of time after it; a `Replays` and a `Deadline`."""

    asked: list[str] = field(default_factory=list)
    confirms: list[str] = field(default_factory=list)

    def expected(self, inputs: str) -> tuple[Any, ...]:
        self.asked.append(inputs)
        return ({"y": True},)

    def confirmed(self, mutant: str, *_: object, **__: object) -> tuple[object, set[str]]:
        self.confirms.append(mutant)
        return SimpleNamespace(mutant=mutant), set()

    def in_order(self, names: set[str]) -> tuple[str, ...]:
        return tuple(names)

    def passed(self) -> bool:
        return bool(self.confirms)


@dataclass(frozen=True)
class Tried:
    """Hold what is read of a test."""

    inputs: str
    origin: None = None


def test_nothing_is_run_once_time_is_out() -> None:
    replays: Any = OneReplay()
    chosen: Any = [(Tried(name), {f"{name}1": 0, f"{name}2": 0}) for name in ("a", "b", "c")]
    collection: Any = SimpleNamespace(replays=replays)

    tests = _claimed(collection, chosen, {}, replays, turns=tuple(_ConfirmedKills))

    assert (["a"], ["a1"]) == (replays.asked, replays.confirms)
    assert [["a1"], [], []] == [[kill.mutant for kill in one.kills] for one in tests]


def test_the_earliest_kill_of_each_mutant_is_confirmed_first() -> None:
    replays: Any = OneReplay()
    a, b = Tried("a"), Tried("b")
    chosen: Any = [(a, {"m": 7, "n": 2}), (b, {"m": 3, "n": 4})]
    collection: Any = SimpleNamespace(replays=replays)
    known: Any = {}

    needed = _claimed(collection, chosen, known, Deadline.never(), turns=_NEEDED)
    every = _claimed(collection, chosen, known, Deadline.after(0.0), turns=tuple(_ConfirmedKills))
    assert ["n", "m"] == replays.confirms
    assert [["n"], ["m"]] == [[kill.mutant for kill in one.kills] for one in needed]
    assert needed == every  # what is known counts when time is out

    every = _claimed(collection, chosen, known, Deadline.never(), turns=tuple(_ConfirmedKills))
    assert [["m", "n"], ["m", "n"]] == [[kill.mutant for kill in one.kills] for one in every]
