"""Many mappings with the same keys, as rows of values: a mapping is made when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import Any, overload

_PLAIN = frozenset({type(None), bool, int, float, str, bytes})


class Row(MutableMapping[str, Any]):
    """Be a mapping from `names` to the values of a row: its values can change, its names cannot.

    `places` has the position of each name.
    """

    __slots__ = ("names", "places", "row")

    def __init__(
        self, names: tuple[str, ...], places: Mapping[str, int], values: Sequence[Any]
    ) -> None:
        self.names = names
        self.places = places
        self.row = values

    def copy(self) -> Row:
        """Return a row that can change while this one does not."""
        return Row(self.names, self.places, [*self.row])

    def __getitem__(self, name: str) -> Any:
        """Return the value of a name."""
        return self.row[self.places[name]]

    def of(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of those of some names that it has."""
        places, row = self.places, self.row
        return {name: row[places[name]] for name in names if name in places}

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a name, or the default if there is no such name."""
        place = self.places.get(name)
        return default if place is None else self.row[place]

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a value of a name."""
        return name in self.places

    def __setitem__(self, name: str, value: Any) -> None:
        """Change the value of a name in a copy of another row."""
        assert isinstance(self.row, list)
        self.row[self.places[name]] = value

    def __delitem__(self, name: str) -> None:
        """Refuse to: the names stay."""
        raise TypeError(name)

    def __iter__(self) -> Iterator[str]:
        """Return the names one by one."""
        return iter(self.names)

    def __len__(self) -> int:
        """Return the number of names."""
        return len(self.names)

    def __repr__(self) -> str:
        """Return what a dict returns."""
        return repr(dict(self))


class RowTable(Sequence[Mapping[str, Any]]):
    """Be a sequence of mappings from `names` to the values of a row each; immutable."""

    __slots__ = ("_is_plain", "names", "rows")

    def __init__(self, names: tuple[str, ...], rows: tuple[tuple[Any, ...], ...]) -> None:
        self.names = names
        self.rows = rows
        self._is_plain: bool | None = None

    @classmethod
    def of(
        cls, mappings: Iterable[Mapping[str, Any]], names: tuple[str, ...] | None = None
    ) -> RowTable:
        """Return mappings as rows of some values, by default of all that the first one has.

        Raises:
            KeyError: a mapping lacks a name.
        """
        if isinstance(mappings, RowTable) and names in {None, mappings.names}:
            return mappings
        some = [*mappings]
        chosen = tuple(some[0]) if names is None and some else names or ()
        if len(chosen) < 2:  # what `itemgetter` gives is no tuple
            return cls(chosen, tuple([tuple([one[name] for name in chosen]) for one in some]))
        get = itemgetter(*chosen)
        plain = (one.of(chosen) if isinstance(one, Row) else one for one in some)
        return cls(chosen, tuple(map(get, plain)))

    @property
    def places(self) -> dict[str, int]:
        """Return the positions of the names."""
        return {name: place for place, name in enumerate(self.names)}

    def changeable(self, places: Mapping[str, int] | None = None) -> list[Row]:
        """Return the mappings so that they can be copied, with changes; `places` may be known."""
        known = self.places if places is None else places
        return [Row(self.names, known, row) for row in self.rows]

    @property
    def is_plain(self) -> bool:
        """Tell whether all values are None, numbers, texts or bytes; found out once."""
        if self._is_plain is None:
            self._is_plain = all({*map(type, row)} <= _PLAIN for row in self.rows)
        return self._is_plain

    def __len__(self) -> int:
        """Return the number of mappings."""
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> RowTable: ...

    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | RowTable:
        """Return one mapping, or a table of some."""
        if isinstance(index, slice):
            return RowTable(self.names, self.rows[index])
        return dict(zip(self.names, self.rows[index], strict=True))

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Return the mappings one by one."""
        names = self.names
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def __eq__(self, other: object) -> bool:
        """Tell whether another sequence has equal mappings."""
        if isinstance(other, RowTable) and self.names == other.names:
            return self.rows == other.rows
        return _are_alike(self, other) if isinstance(other, RowTable | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # no more than its mappings

    def __repr__(self) -> str:
        """Return what a tuple of the mappings returns."""
        return repr(tuple(self))


class Successive(Sequence[Mapping[str, Any]]):
    """Be a sequence of states: each has the values of the one before, but for `changes`; immutable.

    A state is looked at as a mapping that `shown` makes of all its values.
    """

    def __init__(
        self,
        changes: Sequence[Mapping[str, Any]],
        shown: Callable[[dict[str, Any]], Mapping[str, Any]],
    ) -> None:
        self._changes = changes
        self._shown = shown

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._changes)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Mapping[str, Any], ...]: ...

    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | tuple[Mapping[str, Any], ...]:
        """Return one state, or some."""
        wanted = range(len(self._changes))[index]
        if isinstance(wanted, int):
            return self._at({wanted})[wanted]
        found = self._at({*wanted})
        return tuple([found[number] for number in wanted])

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Return the states one by one."""
        state: dict[str, Any] = {}
        for changed in self._changes:
            state.update(changed)
            yield self._shown(state)

    def __eq__(self, other: object) -> bool:
        """Tell whether another sequence has equal states."""
        return _are_alike(self, other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # no more than its mappings

    def __repr__(self) -> str:
        """Return what a tuple of the states returns."""
        return repr(tuple(self))

    def _at(self, numbers: AbstractSet[int]) -> dict[int, Mapping[str, Any]]:
        state: dict[str, Any] = {}
        found: dict[int, Mapping[str, Any]] = {}
        for number in range(max(numbers, default=-1) + 1):
            state.update(self._changes[number])
            if number in numbers:
                found[number] = self._shown(state)
        return found


def _are_alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(a == b for a, b in zip(one, other, strict=True))


def width(mappings: Sequence[Mapping[str, Any]]) -> int:
    """Return how many names the first of some mappings has."""
    return len(mappings.names if isinstance(mappings, RowTable) else mappings[0])


def gathered(mappings: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return mappings as a table if they are rows with the same names, else as a tuple."""
    names = {one.names if isinstance(one, Row) else None for one in mappings}
    if len(names) != 1 or (first := names.pop()) is None:
        return tuple(mappings)
    return RowTable(first, tuple([tuple(one.row) for one in mappings if isinstance(one, Row)]))
