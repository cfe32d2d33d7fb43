"""The call hierarchy: callers and callees of a component, with the places of the calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.names import Declared, NameKind, Names

_CALLED: Final = frozenset({NameKind.COMPONENT, NameKind.FUNCTION, NameKind.MODULE})


@dataclass(frozen=True, slots=True)
class Calls:
    """Hold the places of calls between two components; `other` is the caller or callee found."""

    other: Declared
    places: tuple[Span, ...]


def component(names: Names, name: str) -> Declared | None:
    """Return the component of a name, None where the text declares none."""
    found = (one for one in names.declared if one.kind in _CALLED and one.text == name)
    return next(found, None)


def components_at(names: Names, offset: int) -> tuple[Declared, ...]:
    """Return the components whose calls are asked for at a 0-based offset.

    These are the one that is named there, those of an instance, or the one declared around it.
    """
    found = names.at(offset)
    named: Iterable[str] = ()
    if found is not None:
        _, declared = found
        named = (declared.text,) if declared.kind in _CALLED else names.members.get(declared, ())
    wanted = [component(names, one) for one in named or (names.component_at(offset),)]
    return tuple(one for one in wanted if one is not None)


def callers(names: Names, called: Declared) -> tuple[Calls, ...]:
    """Return the callers of a component, in the order of their first calls."""
    places: dict[str, list[Span]] = {}
    for use in names.uses_of(called):
        places.setdefault(names.component_at(use.span.start), []).append(use.span)
    return _calls(names, places)


def callees(names: Names, caller: Declared) -> tuple[Calls, ...]:
    """Return the callees of a component, in the order of their first calls."""
    body = names.bodies.get(caller.text)
    places: dict[str, list[Span]] = {}
    for use in names.uses:
        if use.declared.kind in _CALLED and body is not None and body.covers(use.span):
            places.setdefault(use.declared.text, []).append(use.span)
    return _calls(names, places)


def _calls(names: Names, places: dict[str, list[Span]]) -> tuple[Calls, ...]:
    found = []
    for name, spans in places.items():
        other = component(names, name)
        if other is not None:
            found.append(Calls(other, tuple(spans)))
    return tuple(found)
