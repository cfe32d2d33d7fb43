"""Records behave as the dataclasses of the standard library do, whichever method comes first."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base import record
from mutproof.base.record import dataclass

Decorator = Callable[..., Any]
FLAGS = [
    {},
    {"slots": True},
    {"eq": False},
    {"frozen": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "order": True},
]
METHODS: dict[str, Callable[[Any], object]] = {
    "==": lambda kind: [kind(1) == kind(1), kind(1) == kind(2), kind(1) == 1],
    "hash": lambda kind: _hashes(kind(1), kind(1), kind(2)),
    "<": lambda kind: [kind(1) < kind(2), kind(2) <= kind(1), kind(1) > kind(2)],
    "repr": lambda kind: [repr(kind(1, "x"))],
    "set": lambda kind: setattr(kind(1), "first", 3),
    "delete": lambda kind: delattr(kind(1), "first"),
    "strange": lambda kind: setattr(kind(1), "strange", 3),
    "replace": lambda kind: dataclasses.astuple(dataclasses.replace(kind(1), second="y")),
    "defaults": lambda kind: [kind(1).third, kind(1).third is kind(1).third, kind.SHARED],
    "derived": lambda kind: [kind(4).fourth, dataclasses.fields(kind)[3].init],
    "wrong": lambda kind: kind(1, fourth=3),
    "missing": lambda kind: kind(),
    "match": lambda kind: kind.__match_args__,
    "document": lambda kind: kind.__doc__,
    "changed": lambda kind: _changed(kind(1)),
}


def _hashes(*records: object) -> object:
    found = [hash(one) for one in records]  # of all at a time: places are used again
    return [found[0] == found[1], found[0] == found[2]]


def _changed(made: Any) -> object:
    made.second = "other"
    return made.second


def records(decorator: Decorator, flags: dict[str, bool]) -> type:
    class Record:
        """Hold something."""

        SHARED: ClassVar[int] = 7
        first: int
        second: str = "b"
        third: list[int] = field(default_factory=list, compare=False)
        fourth: int = field(init=False, repr=False, default=0)

        def __post_init__(self) -> None:
            object.__setattr__(self, "fourth", self.first + 1)

    found: type = decorator(**flags)(Record)
    return found


def plain(decorator: Decorator, flags: dict[str, bool]) -> type:
    class Plain:
        first: int
        second: str = "b"
        third: list[int] = field(default_factory=list)

    found: type = decorator(**flags)(Plain)
    return found


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, "c", [2]), {}),
    ((), {"third": [3], "first": 1}),
    ((1,), {"second": "d"}),
    ((), {}),
    ((1,), {"first": 2}),
    ((1, "c", [2], 4), {}),
    ((1,), {"self": 2}),
    ((), {"second": "d"}),
]


def made(kind: type, call: int) -> object:
    """Return the fields of a record that a call of its class makes, or the error."""
    arguments, named = CALLS[call]
    try:
        return dataclasses.astuple(kind(*arguments, **named))
    except TypeError as error:
        return str(error)


@given(
    flags=st.sampled_from(FLAGS),
    calls=st.lists(st.integers(0, len(CALLS) - 1), max_size=8),
    times=st.sampled_from([1, record._OFTEN]),
)
def test_it_is_made_as_a_dataclass_is(flags: dict[str, bool], calls: list[int], times: int) -> None:
    expected, found = plain(dataclasses.dataclass, flags), plain(dataclass, flags)
    for call in calls * times:
        assert made(expected, call) == made(found, call)


def test_a_constructor_is_compiled_when_it_is_called_often() -> None:
    kind = plain(dataclass, {"frozen": True, "slots": True})
    before = kind.__init__.__code__  # type: ignore[misc]
    for _ in range(record._OFTEN - 1):
        kind(1)
    assert before is kind.__init__.__code__  # type: ignore[misc]
    assert kind(1) == kind(1)
    assert before is not kind.__init__.__code__  # type: ignore[misc]
    assert kind(1).third is not kind(1).third


def outcome(method: str, kind: type) -> tuple[str, object]:
    """Return what a method answers, or how it fails.

    What has slots refuses other names with a TypeError where the library made it: an accident.
    """
    try:
        return "", METHODS[method](kind)
    except (AttributeError, TypeError, dataclasses.FrozenInstanceError) as error:
        return "fails" if method == "strange" else type(error).__name__, None


@given(flags=st.sampled_from(FLAGS), methods=st.permutations(sorted(METHODS)))
def test_it_does_what_a_dataclass_does(flags: dict[str, bool], methods: list[str]) -> None:
    expected, found = records(dataclasses.dataclass, flags), records(dataclass, flags)
    for method in [*methods, *methods]:
        assert outcome(method, expected) == outcome(method, found), method


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, dataclass])
def test_what_a_class_defines_itself_stays(decorator: Decorator) -> None:
    class Own:
        value: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 3

        def __repr__(self) -> str:
            return "own"

    kind = decorator(frozen=True, slots=True)(Own)
    assert (True, 3, "own") == (kind(1) == 5, hash(kind(1)), repr(kind(1)))


@pytest.mark.parametrize("make", [records, plain])
@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_it_does_the_same_once_it_is_compiled(
    make: Callable[..., type], flags: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "_VERY_OFTEN", 3)
    expected, found = make(dataclasses.dataclass, flags), make(dataclass, flags)
    for method in ("==", "hash", "<", "repr") * 3:
        assert outcome(method, expected) == outcome(method, found)


def test_only_what_is_called_very_often_is_compiled() -> None:
    kind = records(dataclass, {"frozen": True, "slots": True})
    before = kind.__eq__.__code__  # type: ignore[attr-defined]
    for _ in range(record._VERY_OFTEN - 1):
        assert kind(1) == kind(1)
    assert before is kind.__eq__.__code__  # type: ignore[attr-defined]
    assert kind(1) == kind(1)
    assert before is not kind.__eq__.__code__  # type: ignore[attr-defined]


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, dataclass])
def test_what_holds_itself_is_shown_once(decorator: Decorator) -> None:
    kind = records(decorator, {})
    made = kind(1)
    made.second = made
    assert "second=...," in repr(made)


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, dataclass])
def test_fields_that_are_few_are_compared(decorator: Decorator) -> None:
    class Nothing:
        pass

    class Single:
        only: float

    none, single = [decorator(frozen=True, order=True)(kind) for kind in (Nothing, Single)]
    number = float("nan")
    assert (True, True) == (none() == none(), single(number) == single(number))  # the same one
    assert (hash(()), hash((3,))) == (hash(none()), hash(single(3)))
    assert (False, True) == (none() < none(), single(1) < single(2))


def test_nothing_is_compiled_while_the_interpreter_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Point:
        x: int

    monkeypatch.setattr(record, "_VERY_OFTEN", 3)
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    monkeypatch.setattr(record, "_compiled", lambda *_, **__: pytest.fail("compiled"))
    point = Point(1)

    assert [hash(point)] * 5 == [hash(point) for _ in range(5)]
