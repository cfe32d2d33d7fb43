"""Dataclasses whose methods are compiled when they are called first, constructors when often.

A process loads some hundreds of records and makes few of most: for Python to compile all their
methods takes half of the time of its start. Type checkers see the decorator of `dataclasses`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - checkers know it by this name
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
    ) -> Any:
        """Return the class as a dataclass, as the decorator of the same name does."""

        def decorated(cls: type) -> type:
            return _decorated(cls, frozen=frozen, slots=slots, eq=eq, order=order)

        return decorated if cls is None else decorated(cls)


_OFTEN: Final = 64
"""Calls of a constructor until it is compiled: that takes as long as these without."""

_ORDER: Final = ("__lt__", "__le__", "__gt__", "__ge__")
_NOTHING: Final = {"init": False, "repr": False, "eq": False}
_MADE_BY: Final[dict[str, dict[str, bool]]] = {
    "__init__": {**_NOTHING, "init": True},
    "__repr__": {**_NOTHING, "repr": True},
    "__eq__": {**_NOTHING, "eq": True},
    "__hash__": {**_NOTHING, "unsafe_hash": True},
    **{name: {**_NOTHING, "eq": True, "order": True} for name in _ORDER},
}
"""Methods, with the option of `dataclasses` that generates each."""


def _decorated(cls: type, *, frozen: bool, slots: bool, eq: bool, order: bool) -> type:
    own = set(cls.__dict__)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # otherwise `dataclass` computes the signature, for a docstring
    made: type = dataclasses.dataclass(slots=slots, **_NOTHING)(cls)
    names = ["__init__", "__repr__", *(["__eq__"] if eq else []), *(_ORDER if order else [])]
    if eq and frozen and "__hash__" not in own:
        names.append("__hash__")
    for name in names:
        if name not in own:
            stub = _constructor if name == "__init__" else partial(_stub, name=name)
            setattr(made, name, stub(made, frozen=frozen))
    if eq and not frozen and not {"__eq__", "__hash__"} & own:
        setattr(made, "__hash__", None)  # noqa: B010 - a type checker would object
    if frozen:
        setattr(made, "__setattr__", _refuse_to_set)  # noqa: B010 - likewise
        setattr(made, "__delattr__", _refuse_to_delete)  # noqa: B010 - likewise
    return made


def _stub(cls: type, *, name: str, frozen: bool) -> Callable[..., Any]:
    """Return a method that replaces itself by the compiled one and calls that."""

    def method(*arguments: Any, **named: Any) -> Any:
        compiled = _compiled(cls, name, frozen=frozen)
        setattr(cls, name, compiled)
        return compiled(*arguments, **named)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _constructor(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return a constructor that sets fields one by one, until it is called often."""
    put = object.__setattr__ if frozen else setattr
    compile_it = _stub(cls, name="__init__", frozen=frozen)
    missing = dataclasses.MISSING
    known: tuple[tuple[dataclasses.Field[Any], ...], list[str]] | None = None
    calls = 0

    def construct(record: Any, /, *arguments: Any, **named: Any) -> None:
        nonlocal known, calls
        calls += 1
        if known is None:  # several threads may come here
            found = dataclasses.fields(cls)
            known = found, [field.name for field in found if field.init]
        fields, names = known
        values = dict(zip(names, arguments, strict=False))
        fitting = len(values) == len(arguments) and named.keys().isdisjoint(values)
        values.update(named)
        if calls >= _OFTEN or not fitting or not values.keys() <= set(names):
            compile_it(record, *arguments, **named)
            return
        for field in fields:
            if field.name in values:
                put(record, field.name, values[field.name])
            elif field.default_factory is not missing:
                put(record, field.name, field.default_factory())
            elif field.init:
                if field.default is missing:
                    compile_it(record, *arguments, **named)  # says what is missing
                    return
                put(record, field.name, field.default)
        if hasattr(cls, "__post_init__"):
            record.__post_init__()

    construct.__name__, construct.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    return construct


def _compiled(cls: type, name: str, *, frozen: bool) -> Callable[..., Any]:
    """Return a method of a class, taken from a new dataclass with the same fields."""
    fields = {field.name: field for field in dataclasses.fields(cls)}
    namespace: dict[str, Any] = {
        "__annotations__": {field.name: field.type for field in fields.values()},
        "__doc__": cls.__doc__,
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        **fields,
    }
    if hasattr(cls, "__post_init__"):
        namespace["__post_init__"] = cls.__post_init__
    wanted = _MADE_BY[name]
    twin: type = dataclasses.dataclass(frozen=frozen and name == "__init__", **wanted)(
        type(cls.__name__, (), namespace)
    )
    method: Callable[..., Any] = twin.__dict__[name]
    return method


def _refuse_to_set(_record: object, name: str, _value: object) -> NoReturn:
    message = f"cannot assign to field {name!r}"
    raise dataclasses.FrozenInstanceError(message)


def _refuse_to_delete(_record: object, name: str) -> NoReturn:
    message = f"cannot delete field {name!r}"
    raise dataclasses.FrozenInstanceError(message)
