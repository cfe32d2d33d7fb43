"""Dataclasses whose methods are compiled when they are called often.

A process loads some hundreds of records and makes few of most: for Python to compile all their
methods takes half of the time of its start. Until then, functions that are the same for all records
do what they do. Fields are found here too, for `dataclasses` takes four times as long to see that
they have nothing special, and a tenth of such a start. Type checkers see its decorator.
"""

from __future__ import annotations

import dataclasses
import inspect
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from reprlib import recursive_repr
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


_FIELDS: Final = "__dataclass_fields__"
_SPECIAL: Final = ("ClassVar", "InitVar", "KW_ONLY")
"""Texts of annotations that are no fields, or of another kind."""

_OFTEN: Final = 64
"""Calls of a constructor until it is compiled: that takes as long as these without."""

_VERY_OFTEN: Final = 1_000
"""Likewise of another method."""

_COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "__eq__": operator.eq,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
_ORDER: Final = tuple([name for name in _COMPARISONS if name != "__eq__"])
_NOTHING: Final = {"init": False, "repr": False, "eq": False}
_MADE_BY: Final[dict[str, dict[str, bool]]] = {
    "__init__": {**_NOTHING, "init": True},
    "__repr__": {**_NOTHING, "repr": True},
    "__eq__": {**_NOTHING, "eq": True},
    "__hash__": {**_NOTHING, "unsafe_hash": True},
    **{name: {**_NOTHING, "eq": True, "order": True} for name in _ORDER},
}
"""Methods, with the option of `dataclasses` that generates each."""

_PLAIN: Final[Any] = dataclasses.dataclass(**_NOTHING)(type("Plain", (), {"__doc__": "Plain"}))


def _decorated(cls: type, *, frozen: bool, slots: bool, eq: bool, order: bool) -> type:
    own = set(cls.__dict__)
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # otherwise `dataclass` computes the signature, for a docstring
    made = _with_fields(cls, slots=slots)
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


def _with_fields(cls: type, *, slots: bool) -> type:
    """Return the class with fields, and with slots for them, and without any other method."""
    annotations = inspect.get_annotations(cls)
    if any(type(a) is not str or any(s in a for s in _SPECIAL) for a in annotations.values()):
        special: type = dataclasses.dataclass(slots=slots, **_NOTHING)(cls)
        return special
    found: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        found.update(base.__dict__.get(_FIELDS, {}))
    for name, text in annotations.items():
        found[name] = _field(cls, name, text)
    if slots:
        cls = _with_slots(cls, found)
    setattr(cls, _FIELDS, found)
    setattr(cls, "__dataclass_params__", _PLAIN.__dataclass_params__)  # noqa: B010 - a type checker would object
    if "__match_args__" not in cls.__dict__:
        names = tuple([name for name, field in found.items() if field.init])
        setattr(cls, "__match_args__", names)  # noqa: B010 - likewise
    return cls


def _field(cls: type, name: str, text: str) -> dataclasses.Field[Any]:
    """Return the field of a name, and leave the class what a dataclass has under that name."""
    given = cls.__dict__.get(name, dataclasses.MISSING)
    if type(given).__hash__ is None:
        message = f"mutable default {type(given)} for field {name} is not allowed"
        raise ValueError(message)
    if isinstance(given, dataclasses.Field):
        made = given
        if made.default is dataclasses.MISSING:
            delattr(cls, name)
        else:
            setattr(cls, name, made.default)
    else:
        made = dataclasses.field(default=given)
    made.name, made.type = name, text
    made.kw_only = False
    made._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # noqa: SLF001
    return made


def _with_slots(cls: type, names: Iterable[str]) -> type:
    """Return a class like this one that has slots for the names, unless its bases have them."""
    inherited = {slot for base in cls.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
    namespace = {name: value for name, value in cls.__dict__.items() if name not in names}
    namespace["__slots__"] = tuple([name for name in names if name not in inherited])
    namespace.pop("__dict__", None)
    namespace.pop("__weakref__", None)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _stub(cls: type, *, name: str, frozen: bool) -> Callable[..., Any]:
    """Return a method that replaces itself by the compiled one once it is called very often.

    Nothing can be compiled any more while the interpreter ends, when caches forget their records.
    """
    simple: Callable[..., Any] | None = None
    calls = 0

    def method(*arguments: Any) -> Any:
        nonlocal calls, simple
        calls += 1
        if calls >= _VERY_OFTEN and not sys.is_finalizing():
            compiled = _compiled(cls, name, frozen=frozen)
            setattr(cls, name, compiled)
            return compiled(*arguments)
        if simple is None:  # several threads may come here
            simple = _simple(cls, name)
        return simple(*arguments)

    method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
    return method


def _constructor(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return a constructor that sets fields one by one, until it is called often."""
    put = object.__setattr__ if frozen else setattr
    missing = dataclasses.MISSING
    known: tuple[tuple[dataclasses.Field[Any], ...], list[str]] | None = None
    calls = 0

    def compile_it(*arguments: Any, **named: Any) -> None:
        compiled = _compiled(cls, "__init__", frozen=frozen)
        setattr(cls, "__init__", compiled)  # noqa: B010 - a type checker would object
        compiled(*arguments, **named)

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


def _simple(cls: type, name: str) -> Callable[..., Any]:
    """Return what does the same as a method of a class that is no constructor."""
    fields = dataclasses.fields(cls)
    if name == "__repr__":
        return _representation([field.name for field in fields if field.repr])
    if name == "__hash__":
        counting = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        values = _values(counting)
        return lambda record: hash(values(record))
    compared = _values([field.name for field in fields if field.compare])
    return _comparison(compared, _COMPARISONS[name])


def _values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that returns what a record has under these names."""
    if len(names) > 1:
        return operator.attrgetter(*names)
    if not names:
        return lambda _: ()
    only = operator.attrgetter(names[0])
    return lambda record: (only(record),)


def _representation(names: Sequence[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def represent(record: Any) -> str:
        values = ", ".join([f"{name}={getattr(record, name)!r}" for name in names])
        return f"{record.__class__.__qualname__}({values})"

    return represent


def _comparison(
    values: Callable[[Any], tuple[Any, ...]], compare: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def compared(record: Any, other: Any) -> Any:
        if other.__class__ is record.__class__:
            return compare(values(record), values(other))
        return NotImplemented

    return compared


def _refuse_to_set(_record: object, name: str, _value: object) -> NoReturn:
    message = f"cannot assign to field {name!r}"
    raise dataclasses.FrozenInstanceError(message)


def _refuse_to_delete(_record: object, name: str) -> NoReturn:
    message = f"cannot delete field {name!r}"
    raise dataclasses.FrozenInstanceError(message)
