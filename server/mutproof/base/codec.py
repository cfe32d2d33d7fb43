"""Frozen records as plain values and back, by the fields they declare.

A codec is made for the types of some values. Which records and enumerations these can hold is
read from the annotations of their fields, so that no type and no field can be forgotten. What
occurs often is written once: a record is a row, and values refer to rows by number. Types go by
number too, in the order of their names: both sides must be the same sources, and nothing but
these types can come out.
"""

from __future__ import annotations

import builtins
import inspect
import marshal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, Final, TypeAlias, get_args

from mutproof.base.lazy import cached_property
from mutproof.base.rows import RowTable, Successive

Plain: TypeAlias = Any
"""None, numbers, texts, bytes, and tuples, lists and dicts of these: what `marshal` writes."""

_ATOMS: Final = frozenset({type(None), bool, int, float, str, bytes})

_CONTENT: Final = 2
"""The version of `marshal` whose bytes depend on contents alone: it has no references."""

# A list encodes a value that is not plain; its first item is one of these kinds.
_ROW, _FOREIGN, _ENUM, _FRACTION, _MAPPING, _STEPS, _TABLE = range(7)

# A row is a tuple; its first item is a type's number or one of these.
_BYTES, _SET, _ROWS_BY_NAME = -1, -2, -3


class UnwritableError(TypeError):
    """Say that a value has a type that the codec does not know."""


class MalformedError(ValueError):
    """Say that plain values are not what the codec writes."""


class Codec:
    """Know how values of some types are written; immutable.

    `roots` are the types, `names` what names in annotations mean that their modules do not
    import. Records of the `shared` types are hashable, and equal ones are one row; other records
    are one row as long as they are the same object. Values of the type `foreign` are written as
    the number that a writer's `foreign` gives them. `make` makes a record of its type and fields.
    """

    def __init__(
        self,
        *roots: Any,
        names: Mapping[str, Any] | None = None,
        shared: Collection[type] = (),
        foreign: type | None = None,
        make: Callable[[type, list[Any]], Any] = lambda kind, values: kind(*values),
    ) -> None:
        self._roots = roots
        self._names = {} if names is None else dict(names)
        self.shared = frozenset(shared)
        self.foreign = foreign
        self.make = make

    @cached_property
    def types(self) -> tuple[type, ...]:
        """Return all records and enumerations that the roots can hold, by name.

        Raises:
            NameError: an annotation has a name without a meaning.
        """
        found: set[type] = set()
        todo: list[Any] = [*self._roots]
        while todo:
            kind = todo.pop()
            parts = get_args(kind)
            if parts:
                todo += parts
            elif isinstance(kind, type) and kind not in found:
                if is_dataclass(kind):
                    found.add(kind)
                    todo += _declared(kind, self._names)
                elif issubclass(kind, Enum):
                    found.add(kind)
        return tuple(sorted(found, key=lambda kind: (kind.__module__, kind.__qualname__)))

    @cached_property
    def numbers(self) -> Mapping[type, int]:
        """Return the numbers of the types."""
        return {kind: number for number, kind in enumerate(self.types)}

    @cached_property
    def fields(self) -> Mapping[type, tuple[str, ...]]:
        """Return the names of the fields that each record is made of, in order."""
        records = [kind for kind in self.types if is_dataclass(kind)]
        return {kind: tuple(found.name for found in fields(kind) if found.init) for kind in records}

    def encode(self, value: Any) -> Plain:
        """Return one value as plain values.

        Raises:
            UnwritableError: it holds something that no field declares.
        """
        writer = RowWriter(self)
        written = writer.value(value)
        return (writer.strings(), writer.rows, written)

    def decode(self, plain: Plain) -> Any:
        """Return the value that `encode` wrote.

        Raises:
            MalformedError: no value is written so.
        """
        try:
            strings, rows, written = plain
            return RowReader(self, strings, rows).value(written)
        except MALFORMED as error:
            raise MalformedError(str(error)) from error


def _declared(kind: type, names: Mapping[str, Any]) -> Iterator[Any]:
    """Yield what the annotations of a record mean, as `typing.get_type_hints`, which is slower."""
    for base in kind.__mro__:
        scope = vars(sys.modules[base.__module__])
        for text in inspect.get_annotations(base).values():
            if not isinstance(text, str):
                yield text
            elif text in names:
                yield names[text]
            elif text in scope:
                yield scope[text]
            elif hasattr(builtins, text):
                yield getattr(builtins, text)
            else:
                yield eval(text, scope, dict(names))


MALFORMED: Final = (TypeError, KeyError, IndexError, AttributeError, AssertionError, ValueError)
"""What plain values raise that were not written by the same codec."""


class RowWriter:
    """Collect rows, each distinct one once; mutable."""

    def __init__(self, codec: Codec, foreign: Callable[[Any], int] | None = None) -> None:
        self.rows: list[Plain] = []
        self._codec = codec
        self._foreign = foreign
        self._numbers = codec.numbers
        self._fields = codec.fields
        self._strings: dict[bytes, int] = {}
        self._by_identity: dict[int, tuple[object, int]] = {}  # keeps the object alive
        self._mappings: dict[int, tuple[object, Plain]] = {}  # the same
        self._by_content: dict[bytes, int] = {}

    def strings(self) -> tuple[bytes, ...]:
        """Return the byte strings that rows refer to by number."""
        return tuple(self._strings)

    def items(self, pairs: Iterable[tuple[Any, Any]]) -> Plain:
        """Return keys and values, leaving out those that cannot be written."""
        keys, values = [], []
        for key, value in pairs:
            try:
                written = self.value(key), self.value(value)
            except UnwritableError:
                continue
            keys.append(written[0])
            values.append(written[1])
        return (tuple(keys), tuple(values))

    def value(self, value: Any) -> Plain:
        """Return a value as a plain one.

        Raises:
            UnwritableError: it holds something that no field declares.
        """
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is tuple:
            return self._tuple(value)
        if kind is RowTable:
            rows = value.rows if value.is_plain else self._tuple(value.rows)
            return [_TABLE, value.names, rows, value.is_plain]
        if kind is Successive:
            return self._tuple(tuple(value))
        if kind is self._codec.foreign and self._foreign is not None:
            return [_FOREIGN, self._foreign(value)]
        if kind is Fraction:
            return [_FRACTION, value.numerator, value.denominator]
        if kind in self._fields or kind is frozenset:
            return [_ROW, self._row(value)]
        if kind in self._numbers:
            return [_ENUM, self._numbers[kind], value.value]
        if isinstance(value, Mapping):
            return self._mapping(value)
        raise UnwritableError(kind.__name__)

    def _tuple(self, values: tuple[Any, ...]) -> Plain:
        kinds = {*map(type, values)}
        if kinds <= _ATOMS:
            return values
        if kinds == {dict} and len(values) > 1:
            names = tuple(values[0])
            if all(tuple(value) == names for value in values):
                steps = tuple([self._tuple(tuple(value.values())) for value in values])
                return [_STEPS, self._tuple(names), steps]
        return tuple([self.value(value) for value in values])

    def _mapping(self, values: Mapping[Any, Any]) -> Plain:
        known = self._mappings.get(id(values))
        if known is None:
            known = self._mappings[id(values)] = values, self._mapped(values)
        return known[1]

    def _mapped(self, values: Mapping[Any, Any]) -> Plain:
        shared = self._codec.shared
        if len(values) > 1 and shared.issuperset(map(type, values.values())):
            known = self._by_identity
            rows = tuple(
                [
                    known[id(value)][1] if id(value) in known else self._row(value)
                    for value in values.values()
                ]
            )
            return [_ROW, self._shared((_ROWS_BY_NAME, self._tuple(tuple(values)), rows))]
        return [_MAPPING, self._tuple(tuple(values)), self._tuple(tuple(values.values()))]

    def _row(self, value: Any) -> int:
        known = self._by_identity.get(id(value))
        if known is not None:
            return known[1]
        kind = type(value)
        if kind is frozenset:
            number = self._shared(self._set(value))
        elif kind in self._codec.shared:
            number = self._shared(self._record(value))
        else:
            row = self._record(value)
            self.rows.append(row)
            number = len(self.rows) - 1
        self._by_identity[id(value)] = (value, number)
        return number

    def _record(self, value: Any) -> tuple[Plain, ...]:
        kind = type(value)
        written = [self.value(getattr(value, name)) for name in self._fields[kind]]
        return (self._numbers[kind], *written)

    def _set(self, values: frozenset[Any]) -> tuple[Plain, ...]:
        if {*map(type, values)} <= {bytes}:
            numbers = self._strings
            return (_BYTES, *[numbers.setdefault(v, len(numbers)) for v in sorted(values)])
        return (_SET, *[self.value(value) for value in sorted(values)])

    def _shared(self, row: tuple[Plain, ...]) -> int:
        key = marshal.dumps(row, _CONTENT)
        number = self._by_content.get(key)
        if number is None:
            number = self._by_content[key] = len(self.rows)
            self.rows.append(row)
        return number


class RowReader:
    """Make values of rows, each row once; mutable."""

    def __init__(
        self,
        codec: Codec,
        strings: tuple[bytes, ...],
        rows: Iterable[tuple[Plain, ...]],
        foreign: Callable[[int], Any] | None = None,
    ) -> None:
        self._codec = codec
        self._types = codec.types
        self._foreign = foreign
        self._strings = strings
        self._values: list[Any] = []
        for row in rows:
            self._values.append(self._made(row))

    def items(self, plain: Plain) -> Iterable[tuple[Any, Any]]:
        """Return the keys and values that were written."""
        keys, values = plain
        value = self.value
        return zip(map(value, keys), map(value, values), strict=True)

    def value(self, plain: Plain) -> Any:
        """Return the value that was written as a plain one."""
        kind = type(plain)
        if kind is list:
            return self._listed(plain)
        if kind is tuple:
            return self._tuple(plain)
        return plain

    def _tuple(self, plain: tuple[Plain, ...]) -> tuple[Any, ...]:
        for part in plain:
            if type(part) is list or type(part) is tuple:
                return tuple([self.value(part) for part in plain])
        return plain

    def _listed(self, plain: list[Plain]) -> Any:
        kind = plain[0]
        if kind == _ROW:
            return self._values[plain[1]]
        if kind == _FOREIGN:
            assert self._foreign is not None
            return self._foreign(plain[1])
        if kind == _FRACTION:
            return Fraction(plain[1], plain[2])
        if kind == _ENUM:
            return self._types[plain[1]](plain[2])
        if kind == _TABLE:
            _, names, rows, is_plain = plain
            assert all(len(row) == len(names) for row in rows)
            return RowTable(names, rows if is_plain else self.value(rows))
        keys = self.value(plain[1])
        if kind == _STEPS:
            return tuple([dict(zip(keys, self.value(step), strict=True)) for step in plain[2]])
        return dict(zip(keys, self.value(plain[2]), strict=True))

    def _made(self, row: tuple[Plain, ...]) -> Any:
        kind, *written = row
        if kind == _BYTES:
            return frozenset([self._strings[number] for number in written])
        if kind == _SET:
            return frozenset([self.value(part) for part in written])
        if kind == _ROWS_BY_NAME:
            names, numbers = written
            rows = [self._values[number] for number in numbers]
            return dict(zip(self.value(names), rows, strict=True))
        return self._codec.make(self._types[kind], [self.value(part) for part in written])
