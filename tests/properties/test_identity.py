"""Values kept for objects by which they are: equal ones differ, none passes for another."""

from __future__ import annotations

from mutproof.base.identity import ByIdentity, distinct


def test_equal_objects_have_values_of_their_own() -> None:
    known: ByIdentity[int] = ByIdentity()
    one, other = [1], [1]
    known.put(1, one)
    assert known.of(lambda: 2, other) == 2
    assert (known.get(one), known.get(other), known.get(one, other)) == (1, 2, None)


def test_no_object_takes_the_place_of_one_that_is_gone() -> None:
    known: ByIdentity[int] = ByIdentity()
    assert [known.of(lambda n=n: n, [n]) for n in range(1_000)] == list(range(1_000))  # type: ignore[misc]


def test_distinct_keeps_the_order_and_what_is_equal() -> None:
    one, other = [1], [1]
    assert [found is one for found in distinct([one, other, one])] == [True, False]


def test_values_of_many_objects_are_told_at_once() -> None:
    known: ByIdentity[int] = ByIdentity()
    first, second = [1], [1]
    known.put(7, first)
    assert known.each((first, second, first)) == [7, None, 7]
