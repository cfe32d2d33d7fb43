"""A list of named entries that refuses duplicates: every plural folder has one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    """Have a name that is unique in a registry."""

    @property
    def name(self) -> str:
        """Return the name."""
        ...


EntryT = TypeVar("EntryT", bound=Named)


class Registry(Generic[EntryT]):
    """Hold entries in their order of registration, found again by name."""

    def __init__(self, noun: str, entries: Iterable[EntryT]) -> None:
        self._noun = noun
        self._entries: dict[str, EntryT] = {}
        for entry in entries:
            if entry.name in self._entries:
                message = f"{noun} {entry.name!r} is registered twice"
                raise ValueError(message)
            self._entries[entry.name] = entry

    def __iter__(self) -> Iterator[EntryT]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> EntryT:
        """Return the entry of that name.

        Raises:
            KeyError: there is none; the message lists the names there are.
        """
        try:
            return self._entries[name]
        except KeyError:
            known = ", ".join(self._entries)
            message = f"no {self._noun} is called {name!r}; there are: {known}"
            raise KeyError(message) from None

    def names(self) -> tuple[str, ...]:
        """Return all names in order of registration."""
        return tuple(self._entries)
