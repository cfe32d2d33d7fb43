"""A table is the mappings that it was made of."""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.codec import Codec, MalformedError
from mutproof.base.rows import RowTable, Successive, gathered, width
from mutproof.model.trace import Choices, Trace
from mutproof.runtime.messages import CODEC

VALUES = st.one_of(
    st.integers(), st.booleans(), st.fractions(), st.text(), st.tuples(st.integers())
)
MAPPINGS = st.integers(0, 3).flatmap(
    lambda size: st.lists(
        st.tuples(*[VALUES] * size).map(lambda row: dict(zip("abc", row, strict=False))), max_size=4
    ).map(tuple)
)


@dataclass(frozen=True)
class Shown:
    """Hold steps."""

    steps: Sequence[Mapping[str, int | Fraction | str]]


@given(MAPPINGS, MAPPINGS)
def test_a_table_is_a_sequence_of_its_mappings(
    some: tuple[dict[str, Any], ...], others: tuple[dict[str, Any], ...]
) -> None:
    table = RowTable.of(some)
    assert repr(some) == repr(table)
    assert table == some
    assert some == table
    assert [*some] == [*table]
    assert some[1:] == table[1:]
    assert [some[n] for n in range(len(some))] == [table[n] for n in range(len(table))]
    assert (some == others) == (table == others) == (table == RowTable.of(others))
    assert bool(some) == bool(table)
    assert not some or len(some[0]) == width(some) == width(table)


@given(MAPPINGS)
def test_a_table_crosses_as_a_table(some: tuple[dict[str, Any], ...]) -> None:
    codec = Codec(Shown)
    written = marshal.dumps(codec.encode(Shown(RowTable.of(some))))
    again = codec.decode(marshal.loads(written))
    assert repr(some) == repr(again.steps)  # `True == 1`, so types are compared too
    assert isinstance(again.steps, RowTable)


def test_a_trace_is_the_same_with_a_table() -> None:
    steps = ({"a": 1, "b": True}, {"a": 2, "b": False})
    whole, tabled = (Trace(Choices(steps), some, None) for some in (steps, RowTable.of(steps)))
    assert whole == tabled
    assert tabled == CODEC.decode(CODEC.encode(tabled)) == CODEC.decode(CODEC.encode(whole))


def test_states_that_change_little_are_the_sequence_of_all_of_them() -> None:
    whole = ({"a": 1, "b": True}, {"a": 2, "b": True}, {"a": 2, "b": True}, {"a": 2, "b": False})
    made = Successive(({"a": 1, "b": True}, {"a": 2}, {}, {"b": False}), dict)

    assert whole == made == Successive(whole, dict)
    assert made != whole[:3]
    assert [*whole] == [*made]
    assert repr(whole) == repr(made)
    for part in (slice(1, 3), slice(None), slice(2, None, -1), slice(4, 9), slice(-2, None)):
        assert whole[part] == made[part]
    assert [whole[n] for n in range(-4, 4)] == [made[n] for n in range(-4, 4)]
    trace = Trace(Choices(whole), made, None)
    assert trace == CODEC.decode(CODEC.encode(trace))


def test_some_columns_are_taken_and_none_may_lack() -> None:
    steps = ({"a": 1, "b": 2}, {"a": 3})
    assert [{"a": 1}, {"a": 3}] == [*RowTable.of(steps, ("a",))]
    with pytest.raises(KeyError):
        RowTable.of(steps)


def test_rows_of_another_length_are_refused() -> None:
    strings, rows, (kind, names, _, plain) = Codec(RowTable).encode(RowTable(("a",), ((1,),)))
    with pytest.raises(MalformedError):
        Codec(RowTable).decode((strings, rows, [kind, names, ((1, 2),), plain]))


@given(MAPPINGS)
def test_rows_are_mappings_that_copies_change(some: tuple[dict[str, Any], ...]) -> None:
    for row, one in zip(RowTable.of(some).changeable(), some, strict=True):
        assert repr(one) == repr(row) == repr(dict(row))
        assert one == row
        assert [*one] == [*row]
        assert all(name in row and row.get(name) == one[name] for name in one)
        assert "z" not in row
        assert row.get("z", 7) == 7
        copy = row.copy()
        for name in one:
            copy[name] = 7
        assert dict.fromkeys(one, 7) == copy
        assert one == row
        with pytest.raises(KeyError):
            row["z"]
        with pytest.raises(TypeError):
            del copy["z"]


@given(MAPPINGS)
def test_rows_with_the_same_names_are_gathered_as_a_table(some: tuple[dict[str, Any], ...]) -> None:
    rows = RowTable.of(some).changeable()
    found = gathered([row.copy() for row in rows])
    assert repr(some) == repr(found)
    assert isinstance(found, RowTable) or not some
    more = {"z": 1}
    assert (*some, more) == gathered([*rows, more])
    assert isinstance(gathered([*rows, more]), tuple)
    assert some == gathered(some)
