"""Operations on large diagrams are done in pieces."""

from __future__ import annotations

import math
import random

import pytest

from mutproof.solving.bdd import manager as managers
from mutproof.solving.bdd.check import OUT_OF_MEMORY, attempted
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from support.deadlines import UNHURRIED

BITS = tuple(f"b{n}" for n in range(12))


def clauses(manager: Manager, bits: dict[str, Diagram], seed: int) -> Diagram:
    """Return a random conjunction of clauses."""
    rng = random.Random(seed)
    rows = [[(name, rng.random() < 0.5) for name in rng.sample(BITS, 4)] for _ in range(20)]
    return manager.conjunction(
        manager.disjunction(bits[name] if sign else ~bits[name] for name, sign in row)
        for row in rows
    )


def made() -> tuple[Manager, dict[str, Diagram]]:
    """Return a manager and its bits."""
    manager = Manager(UNHURRIED)
    return manager, {name: manager.pair(name, f"{name}'")[0] for name in BITS}


@pytest.mark.parametrize("seed", range(20))
def test_pieces_have_the_same_result(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    manager, bits = made()
    left, right = clauses(manager, bits, seed), clauses(manager, bits, seed + 100)
    names = random.Random(seed).sample(BITS, 5)
    whole = manager.exists(names, left & right)
    assert whole not in (manager.true, manager.false)

    monkeypatch.setattr(managers, "SMALL", 0)
    monkeypatch.setattr(managers, "MOST_PAIRS", 9)

    assert manager.and_exists(left, right, names) == whole
    assert manager.and_exists(left, ~left, names) == manager.false
    assert manager.and_exists(left, manager.true, BITS) == manager.true


def test_the_deadline_is_looked_at_between_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, bits = made()
    left, right = clauses(manager, bits, 1), clauses(manager, bits, 2)
    looks: list[int] = []

    def tick(_: Manager, __: int = 0) -> None:
        looks.append(0)
        if len(looks) > 10:
            raise OutOfTime

    monkeypatch.setattr(Manager, "tick", tick)
    manager.and_exists(left, right, BITS)
    assert len(looks) == int(manager.in_c or 1)

    monkeypatch.setattr(managers, "SMALL", 0)
    monkeypatch.setattr(managers, "MOST_PAIRS", 9)
    looks.clear()
    with pytest.raises(OutOfTime):
        manager.and_exists(left, ~right, ())


def looks_for(manager: Manager, left: Diagram, right: Diagram) -> int:
    """Return how often the deadline is looked at in an operation."""
    looks: list[int] = []
    manager.tick = lambda nodes=0: looks.append(nodes)  # type: ignore[method-assign]
    manager.and_exists(left, right, BITS[:3])
    return len(looks)


def test_pieces_grow_as_long_as_they_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, bits = made()
    left, right = clauses(manager, bits, 1), clauses(manager, bits, 2)
    monkeypatch.setattr(managers, "SMALL", 0)
    monkeypatch.setattr(managers, "MOST_PAIRS", manager.size(left) * manager.size(right))

    monkeypatch.setattr(managers, "QUICK_S", -1.0)
    at_first = looks_for(manager, left, right)
    assert looks_for(manager, left, right) == at_first > 1

    monkeypatch.setattr(managers, "QUICK_S", math.inf)
    looks_for(manager, left, right)
    assert looks_for(manager, left, right) == 1

    monkeypatch.setattr(managers, "QUICK_S", -1.0)
    with monkeypatch.context() as patched:
        patched.setattr(managers, "MANY", manager.size(left))
        assert looks_for(manager, left, right) == at_first
    with monkeypatch.context() as patched:
        patched.setattr(managers, "SLOW_S", -1.0)
        assert looks_for(manager, left, right) == 1
    assert looks_for(manager, left, right) == at_first


def test_another_question_begins_with_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, bits = made()
    left, right = clauses(manager, bits, 1), clauses(manager, bits, 2)
    monkeypatch.setattr(managers, "SMALL", 0)
    monkeypatch.setattr(managers, "MOST_PAIRS", manager.size(left) * manager.size(right))
    monkeypatch.setattr(managers, "QUICK_S", math.inf)
    looks_for(manager, left, right)
    assert looks_for(manager, left, right) == 1

    manager.deadline = UNHURRIED
    assert looks_for(manager, left, right) > 1


@pytest.mark.parametrize("operation", ["and", "or", "ite", "xor", "and_exists"])
def test_a_lack_of_memory_is_a_reason_whatever_is_computed(operation: str) -> None:
    manager = Manager(UNHURRIED, reordering=False, most_memory=2**22)
    assert manager.in_c
    bits = [manager.pair(f"x{n}", f"x{n}'")[0] for n in range(60)]
    rng = random.Random(operation)

    def grow() -> None:
        found = manager.false
        while True:
            some = [bit if rng.random() < 0.5 else ~bit for bit in rng.sample(bits, 12)]
            match operation:
                case "and":
                    found = ~(~found & ~manager.conjunction(some))
                case "or":
                    found = found | manager.conjunction(some)
                case "ite":
                    found = manager.ite(manager.conjunction(some), manager.true, found)
                case "xor":
                    found = manager.xor(found, manager.conjunction(some))
                case _:
                    found = manager.and_exists(found | manager.conjunction(some), found, ["x0"])
                    found = found | manager.conjunction(some)

    assert attempted(grow) == OUT_OF_MEMORY


@pytest.mark.parametrize("operation", ["fixed", "renamed"])
def test_a_lack_of_memory_is_a_reason_where_bits_are_replaced(operation: str) -> None:
    manager = Manager(UNHURRIED, reordering=False, most_memory=2**22)
    assert manager.in_c
    bits = [manager.pair(f"x{n}", f"x{n}'")[0] for n in range(60)]
    names = [f"x{n}" for n in range(60)]
    rng = random.Random(operation)
    large = [manager.false]

    def grow() -> None:
        while True:
            some = [bit if rng.random() < 0.5 else ~bit for bit in rng.sample(bits, 12)]
            large.append(large[-1] | manager.conjunction(some))

    def replace() -> None:
        kept = []
        while True:
            one, *others = rng.sample(names[20:], 3)
            if operation == "fixed":
                kept.append(manager.fixed({name: rng.random() < 0.5 for name in others}, large[-1]))
            else:
                kept.append(manager.renamed({one: f"{one}'"}, large[-1]))

    assert attempted(grow) == OUT_OF_MEMORY
    assert attempted(replace) == OUT_OF_MEMORY


def test_bits_that_find_no_memory_are_given_up() -> None:
    manager = Manager(UNHURRIED, reordering=False, most_memory=2**20)
    assert manager.in_c

    def declare() -> None:
        for number in range(2_000):
            manager.pair(f"x{number}", f"x{number}'")

    assert attempted(declare) == OUT_OF_MEMORY
    assert attempted(declare) == OUT_OF_MEMORY


def test_the_order_is_kept_for_a_time() -> None:
    """All bits of one row before those of the other: the worst order of what pairs them."""
    manager = Manager(UNHURRIED)
    names = [f"{row}{number}" for row in "xy" for number in range(13)]
    bits = {name: manager.pair(name, f"{name}'")[0] for name in names}

    def paired(left: str, right: str) -> Diagram:
        return manager.disjunction(bits[f"{left}{n}"] & ~bits[f"{right}{n}"] for n in range(13))

    with manager.in_fixed_order():
        large = paired("x", "y")
        assert tuple(names) == manager.order()
        assert manager.size(large) > 8_000
    del large
    assert not manager.in_c or 1_000 > manager.size(paired("y", "x"))


@pytest.mark.parametrize("bits", [1023, 1024, 3000])
def test_states_of_many_bits_are_counted(bits: int) -> None:
    manager = Manager(UNHURRIED, reordering=False)
    names = [f"x{n}" for n in range(bits)]
    every = manager.conjunction([manager.pair(name, f"{name}'")[0] for name in names])

    assert 1 <= manager.count(every, names)
    assert bits > 1024 or manager.count(every, names) == 1
    assert 2.0 ** min(bits, 1023) <= 2 * manager.count(~every, names)
    assert 2.0 ** min(bits, 1023) <= 2 * manager.count(manager.true, names)
