"""What an analysis remembers, as plain values that can be kept and read back in another process.

Everything that a memory holds is content-keyed and immutable, so parts that occur often are
written once, as rows that refer to earlier rows by number; terms go into a flat table. Reading
gives a memory that an analysis treats as one of its own: it checks what supports each verdict
against today's model and replays executions. Integrity is the matter of whoever keeps the
values. Nothing here knows files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from itertools import islice
from typing import Any, Final, TypeAlias

from mutproof.analyses import reductions
from mutproof.analyses.deciding.evidence import UNCERTIFIED, Evidence, Fails, Holds
from mutproof.analyses.deciding.notary import admitted
from mutproof.analyses.equivalence.survivors import Kept
from mutproof.analyses.equivalence.verdict import Equivalent, Gap, Strengthening, Undetermined
from mutproof.analyses.finding import ModelFault, ModelFinding
from mutproof.analyses.mutation.records import Record, Undecided
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.base.budget import Budget
from mutproof.model import sorts, system, tables
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, FunctionTable, Trace
from mutproof.solving.liveness.prove import LinearProof, Way
from mutproof.solving.validity import Validity
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory

Plain: TypeAlias = Any
"""None, numbers, texts, bytes, and tuples, lists and dicts of these: what `marshal` writes."""

MOST_RECORDS: Final = 20_000
"""How many records of mutants are written at least, where there are so many: the newest."""

_RECORDS: Final = (
    Holds,
    Fails,
    Certificate,
    Record,
    Undecided,
    Choices,
    FunctionTable,
    Trace,
    ModelFinding,
    Kept,
    Equivalent,
    Gap,
    Undetermined,
    reductions.Undecided,
    Budget,
    ElementId,
    LinearProof,
    system.TransitionSystem,
    system.SystemVariable,
    system.Constraint,
    system.SystemProperty,
    sorts.BoolSort,
    sorts.IntSort,
    sorts.RealSort,
    sorts.EnumSort,
    sorts.WordSort,
    sorts.ArraySort,
    sorts.RecordSort,
    sorts.TupleSort,
    sorts.SetSort,
)
_ENUMS: Final = (
    ModelFault,
    Strengthening,
    Validity,
    Way,
    PropertyKind,
    system.SystemVariableKind,
    system.ConstraintKind,
)
_TYPES: Final[tuple[type, ...]] = (*_RECORDS, *_ENUMS)
_NUMBERS: Final = {kind: number for number, kind in enumerate(_TYPES)}
_FIELDS: Final = {kind: tuple(f.name for f in fields(kind)) for kind in _RECORDS}
_MEMORIES: Final = tuple(f.name for f in fields(ProofMemory))

_ATOMS: Final = frozenset({type(None), bool, int, float, str, bytes})

# A list stands for what is not written as itself; its first item says what it is.
_ROW, _TERM, _ENUM, _FRACTION, _MAPPING, _STEPS = range(6)

# A row is a tuple; its first item is the number of a record type or one of these.
_DIGESTS, _SET, _ROWS_BY_NAME = -1, -2, -3

_CLOCK: Final = ("timeout", "out of time", "canceled", "interrupted", "crash", "seconds")
"""Words in reasons that tell of this machine and this hour rather than of the model."""


class UnwritableError(TypeError):
    """Say that a value has a type that is not kept."""


def to_plain(memory: Memory, mutants: int = 0, only: Collection[str] | None = None) -> Plain:
    """Return what a memory holds as plain values, with the records of that many mutants or more.

    With `only`, what it holds of mutants is restricted to these. What is left out is found again
    when it is asked for: solvers, attempts that the clock ended, and values of types that are not
    known here.
    """
    writer = _Writer()
    records = memory.records
    survivors = memory.survivors.kept
    newest: Iterable[tuple[str, Record]]
    if only is None:
        newest = islice(records.newest(), max(mutants, MOST_RECORDS))
    else:
        newest = ((name, records[name]) for name in reversed([*only]) if name in records)
        survivors = {name: survivors[name] for name in only if name in survivors}
    kept = [(name, record) for name, record in newest if not _by_clock(record)]
    validity = {k: v for k, v in records.obligations.items() if v is not Validity.UNKNOWN}
    parts = [
        *[writer.items(getattr(memory.proofs, name).items()) for name in _MEMORIES],
        writer.items(reversed(kept)),
        writer.items(validity.items()),
        writer.items(records.dead_ends.items()),
        writer.items(memory.cores.items()),
        writer.items(survivors.items()),
    ]
    return (writer.terms.table(), writer.digests(), writer.rows, parts)


def from_plain(plain: Plain) -> Memory:
    """Return the memory that `to_plain` wrote.

    Raises:
        ValueError: these values are no memory.
    """
    try:
        return _read(plain)
    except (TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
        raise ValueError(str(error)) from error


def join(memory: Memory, other: Memory, *, newer: bool = False) -> None:
    """Add to a memory what another one holds beside it, of the same program.

    Of mutants that both know it keeps what it has, unless the other one is `newer`.
    """
    for name in _MEMORIES:
        _add(getattr(memory.proofs, name), getattr(other.proofs, name))
    for name, record in reversed([*other.records.newest()]):
        known = memory.records.get(name)
        # Who lent a mutant on has only begun it, and may be heard of last.
        if known is None or (newer if known.is_begun == record.is_begun else known.is_begun):
            memory.records[name] = record
    _add(memory.records.obligations, other.records.obligations)
    _add(memory.records.dead_ends, other.records.dead_ends)
    _add(memory.cores, other.cores)
    if newer:
        memory.survivors.kept.update(other.survivors.kept)
    _add(memory.survivors.kept, other.survivors.kept)


def _add(own: dict[Any, Any], others: Mapping[Any, Any]) -> None:
    for key, value in others.items():
        own.setdefault(key, value)


def _read(plain: Plain) -> Memory:
    table, digests, rows, parts = plain
    reader = _Reader(tables.read_table(table), digests, rows)
    count = len(_MEMORIES)
    memory = Memory()
    for name, part in zip(_MEMORIES, parts[:count], strict=True):
        getattr(memory.proofs, name).update(reader.items(part))
    records, obligations, dead_ends, cores, survivors = parts[count:]
    for name, record in reader.items(records):
        memory.records[name] = record
    memory.records.obligations.update(reader.items(obligations))
    memory.records.dead_ends.update(reader.items(dead_ends))
    memory.cores.update(reader.items(cores))
    memory.survivors.kept.update(reader.items(survivors))
    return memory


def _by_clock(record: Record) -> bool:
    left = record.undecided
    return left is not None and any(word in left.reason for word in _CLOCK)


class _Writer:
    """Collect rows, each distinct one once; mutable."""

    def __init__(self) -> None:
        self.terms = tables.TableWriter()
        self.rows: list[Plain] = []
        self._digests: dict[bytes, int] = {}
        self._by_identity: dict[int, tuple[object, int]] = {}  # keeps the object alive
        self._by_content: dict[Any, int] = {}

    def digests(self) -> tuple[bytes, ...]:
        """Return the digests that rows refer to by number."""
        return tuple(self._digests)

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
        """Return a value as a plain one."""
        kind = type(value)
        if kind in _ATOMS:
            return value
        if kind is tuple:
            return self._tuple(value)
        if kind is Term:
            return [_TERM, self.terms.add(value)]
        if kind is Fraction:
            return [_FRACTION, value.numerator, value.denominator]
        if kind in _FIELDS or kind is frozenset:
            return [_ROW, self._row(value)]
        if kind in _NUMBERS:
            return [_ENUM, _NUMBERS[kind], value.value]
        if isinstance(value, Mapping):
            return self._mapping(value)
        raise UnwritableError(kind.__name__)

    def _tuple(self, values: tuple[Any, ...]) -> Plain:
        if all(type(value) in _ATOMS for value in values):
            return values
        if all(type(value) is dict for value in values) and len(values) > 1:
            names = tuple(values[0])
            if all(tuple(value) == names for value in values):
                steps = tuple([self._tuple(tuple(value.values())) for value in values])
                return [_STEPS, self._tuple(names), steps]
        return tuple([self.value(value) for value in values])

    def _mapping(self, values: Mapping[Any, Any]) -> Plain:
        if len(values) > 1 and all(type(value) is Holds for value in values.values()):
            rows = tuple([self._row(value) for value in values.values()])
            return [_ROW, self._shared((_ROWS_BY_NAME, tuple(values), rows))]
        return [_MAPPING, self._tuple(tuple(values)), self._tuple(tuple(values.values()))]

    def _row(self, value: Any) -> int:
        known = self._by_identity.get(id(value))
        if known is not None:
            return known[1]
        kind = type(value)
        if kind is frozenset:
            number = self._shared(self._set(value))
        elif kind is Holds or kind is Certificate or kind is ElementId:
            number = self._shared(self._record(value))
        else:
            self.rows.append(self._record(value))
            number = len(self.rows) - 1
        self._by_identity[id(value)] = (value, number)
        return number

    def _record(self, value: Any) -> tuple[Plain, ...]:
        kind = type(value)
        written = [self.value(getattr(value, name)) for name in _FIELDS[kind]]
        return (_NUMBERS[kind], *written)

    def _set(self, values: frozenset[Any]) -> tuple[Plain, ...]:
        if all(type(value) is bytes for value in values):
            numbers = self._digests
            return (_DIGESTS, *[numbers.setdefault(v, len(numbers)) for v in sorted(values)])
        return (_SET, *[self.value(value) for value in sorted(values)])

    def _shared(self, row: tuple[Plain, ...]) -> int:
        key = _hashable(row)
        number = self._by_content.get(key)
        if number is None:
            number = self._by_content[key] = len(self.rows)
            self.rows.append(row)
        return number


def _hashable(plain: Plain) -> Any:
    """Return a key that is the same for the same plain values of the same types."""
    if type(plain) is tuple:
        return tuple([_hashable(part) for part in plain])
    if type(plain) is list:
        return (list, *[_hashable(part) for part in plain])
    return (type(plain), plain)


class _Reader:
    """Make values of rows, each row once; mutable."""

    def __init__(
        self, terms: list[Term], digests: tuple[bytes, ...], rows: Iterable[tuple[Plain, ...]]
    ) -> None:
        self._terms = terms
        self._digests = digests
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
        if kind == _TERM:
            return self._terms[plain[1]]
        if kind == _FRACTION:
            return Fraction(plain[1], plain[2])
        if kind == _ENUM:
            return _TYPES[plain[1]](plain[2])
        keys = self.value(plain[1])
        if kind == _STEPS:
            return tuple([dict(zip(keys, self.value(step), strict=True)) for step in plain[2]])
        return dict(zip(keys, self.value(plain[2]), strict=True))

    def _made(self, row: tuple[Plain, ...]) -> Any:
        kind, *written = row
        if kind == _DIGESTS:
            digests = self._digests
            return frozenset([digests[number] for number in written])
        if kind == _SET:
            return frozenset([self.value(part) for part in written])
        if kind == _ROWS_BY_NAME:
            names, numbers = written
            return dict(zip(names, [self._values[number] for number in numbers], strict=True))
        fields = [self.value(part) for part in written]
        if issubclass(_TYPES[kind], Evidence):
            return admitted(_TYPES[kind], fields)
        made = _TYPES[kind](*fields)
        # There is one value that stands for no certificate, known by its identity.
        return UNCERTIFIED if type(made) is Certificate and made == UNCERTIFIED else made
