"""A list of named entries that refuses duplicates: every plural folder has one.

Entries are in modules of their own. A registry knows their names, and imports a module only when
its entry is first used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Generic, NamedTuple, Protocol, TypeVar


class Named(Protocol):
    """Have a name that is unique in a registry."""

    @property
    def name(self) -> str:
        """Return the name."""
        ...


class RegistryRow(NamedTuple):
    """Name an entry, its module, and its purpose in a few words."""

    name: str
    module: str
    purpose: str = ""


EntryT = TypeVar("EntryT", bound=Named)


class Registry(Generic[EntryT]):
    """Hold entries in their order of registration, found again by name.

    Mutable only in that modules of rows are imported when their entries are asked for.
    """

    def __init__(
        self, noun: str, entries: Iterable[EntryT | RegistryRow], *, attribute: str = "ENTRY"
    ) -> None:
        """Take entries, or rows, whose modules hold the entry in `attribute`."""
        self._noun = noun
        self._attribute = attribute
        self._rows: dict[str, RegistryRow] = {}
        self._entries: dict[str, EntryT | None] = {}  # None: a row, not imported yet
        for entry in entries:
            if entry.name in self._entries:
                message = f"{noun} {entry.name!r} is registered twice"
                raise ValueError(message)
            if isinstance(entry, RegistryRow):
                self._rows[entry.name] = entry
                self._entries[entry.name] = None
            else:
                self._entries[entry.name] = entry

    def __iter__(self) -> Iterator[EntryT]:
        return map(self.__getitem__, self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __getitem__(self, name: str) -> EntryT:
        """Return the entry of that name.

        Raises:
            KeyError: there is none; the message lists the names there are.
            ValueError: the module of its row has an entry of another name.
        """
        try:
            entry = self._entries[name]
        except KeyError:
            known = ", ".join(self._entries)
            message = f"no {self._noun} is called {name!r}; there are: {known}"
            raise KeyError(message) from None
        if entry is None:
            entry = self._entries[name] = self._imported(self._rows[name])
        return entry

    def names(self) -> tuple[str, ...]:
        """Return all names in order of registration; imports nothing."""
        return tuple(self._entries)

    def purposes(self, names: Iterable[str] | None = None) -> str:
        """Return the purposes of the entries of these names (None: all); imports nothing."""
        chosen = [self._rows[name] for name in (self._rows if names is None else names)]
        return "; ".join(f"{row.name}: {row.purpose}" for row in chosen)

    def _imported(self, row: RegistryRow) -> EntryT:
        found: EntryT = getattr(import_module(row.module), self._attribute)
        if found.name != row.name:
            message = f"the {self._noun} of {row.module} is {found.name!r}, not {row.name!r}"
            raise ValueError(message)
        return found
