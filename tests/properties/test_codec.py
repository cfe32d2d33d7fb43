"""Records that are written by the fields they declare come back as they were."""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.base.codec import Codec, MalformedError, RowWriter, UnwritableError
from mutproof.runtime import messages


class Colour(Enum):
    """Be an enumeration that only a field of `Leaf` names."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Leaf:
    """Be a record that only a field of `Tree` names."""

    colour: Colour
    value: int | bool | Fraction | str | None
    computed: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Compute what nobody gives."""
        object.__setattr__(self, "computed", self.colour.value)


@dataclass(frozen=True)
class Tree:
    """Hold all that fields of records hold."""

    leaves: tuple[Leaf, ...]
    by_name: Mapping[str, Leaf]
    steps: tuple[Mapping[str, int], ...]
    names: frozenset[bytes]
    child: Tree | None = None


@dataclass(frozen=True)
class Stranger:
    """Be a record that no field names."""

    colour: Colour


CODEC = Codec(Tree, shared=(Leaf,))
LEAVES = st.builds(
    Leaf,
    st.sampled_from(Colour),
    st.one_of(st.integers(), st.booleans(), st.fractions(), st.text(), st.none()),
)
TREES = st.recursive(
    st.none(),
    lambda trees: st.builds(
        Tree,
        st.lists(LEAVES, max_size=4).map(tuple),
        st.dictionaries(st.text(), LEAVES, max_size=4),
        st.lists(st.dictionaries(st.sampled_from("abc"), st.integers()), max_size=4).map(tuple),
        st.frozensets(st.binary(max_size=4), max_size=4),
        trees,
    ),
    max_leaves=4,
)


def crossed(value: Any) -> Any:
    """Return what another process would have of a value."""
    return CODEC.decode(marshal.loads(marshal.dumps(CODEC.encode(value))))


@given(TREES)
def test_what_fields_hold_comes_back(tree: Tree | None) -> None:
    again = crossed(tree)
    assert tree == again
    while tree is not None:  # `True == 1`, so types are compared too
        assert [type(leaf.value) for leaf in tree.leaves] == [
            type(leaf.value) for leaf in again.leaves
        ]
        tree, again = tree.child, again.child


def test_equal_records_are_one_row() -> None:
    alike = [Leaf(Colour.RED, 7) for _ in range(9)]
    again = crossed(Tree(tuple(alike), {}, (), frozenset()))
    assert 1 == len({id(leaf) for leaf in again.leaves})
    assert 2 == len(CODEC.encode(Tree(tuple(alike), {}, (), frozenset()))[1]) - 1


def test_true_and_one_are_two_rows() -> None:
    again = crossed((Leaf(Colour.RED, True), Leaf(Colour.RED, 1)))
    assert (True, 1) == tuple(leaf.value for leaf in again)
    assert (bool, int) == tuple(type(leaf.value) for leaf in again)


def test_what_no_field_declares_is_refused() -> None:
    with pytest.raises(UnwritableError, match="Stranger"):
        CODEC.encode(Stranger(Colour.RED))


@pytest.mark.parametrize(
    "forged",
    [
        None,
        ((), ()),
        ((), ((99,),), [0, 0]),
        ((), ((0, 1, 2, 3),), [0, 0]),
        ((), ((-1, 5),), [0, 0]),
        ((), (), [2, 0, "no such value"]),
        ((), (), [1, 0]),
        ((), (), []),
    ],
)
def test_forged_values_are_refused(forged: object) -> None:
    with pytest.raises(MalformedError):
        CODEC.decode(forged)


def test_messages_know_all_that_they_carry() -> None:
    assert {
        "Analyse",
        "Options",
        "Budget",
        "MutantFinding",
        "Equivalence",
        "Trace",
        "FunctionTable",
        "ElementId",
    } <= {kind.__name__ for kind in messages.CODEC.types}


def test_a_frame_that_holds_no_message_is_refused() -> None:
    inner = messages.CODEC.encode(messages.Options())
    with pytest.raises(ValueError, match="no message"):
        messages.unframe(marshal.dumps(inner))


def test_a_mapping_that_several_records_have_is_encoded_once() -> None:
    leaves = {name: Leaf(Colour.RED, name) for name in "ab"}
    trees = [Tree((), leaves, (), frozenset(), None) for _ in range(2)]
    writer = RowWriter(CODEC)
    first, second = (writer.rows[writer.value(tree)[1]][2] for tree in trees)
    assert first is second
