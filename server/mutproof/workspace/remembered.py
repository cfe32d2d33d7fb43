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
from itertools import islice
from typing import Any, Final

from mutproof.analyses import reductions
from mutproof.analyses.deciding.evidence import UNCERTIFIED, Evidence, Holds
from mutproof.analyses.deciding.notary import admitted
from mutproof.analyses.equivalence.kept import KeptVerdict
from mutproof.analyses.mutation.records import Record
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.base.codec import MALFORMED, Codec, Plain, RowReader, RowWriter
from mutproof.model import tables
from mutproof.model.program import ElementId
from mutproof.model.terms import Term
from mutproof.solving.liveness.prove import LinearProof
from mutproof.solving.validity import Validity
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory

MOST_RECORDS: Final = 20_000
"""How many records of mutants are written at least, where there are so many: the newest."""

_MEMORIES: Final = tuple(f.name for f in fields(ProofMemory))


def _make(kind: type, values: list[Any]) -> Any:
    """Return a record that was read; evidence is admitted as what it says it is."""
    if issubclass(kind, Evidence):
        return admitted(kind, values)
    made = kind(*values)
    # There is one value that stands for no certificate, known by its identity.
    return UNCERTIFIED if type(made) is Certificate and made == UNCERTIFIED else made


CODEC: Final = Codec(
    *(ProofMemory, Record, Validity, reductions.Evidence, KeptVerdict),
    names={"Value": object, "LinearProof": LinearProof},
    shared=(Holds, Certificate, ElementId),
    foreign=Term,
    make=_make,
)
"""How what a memory holds is written."""

_CLOCK: Final = ("timeout", "out of time", "canceled", "interrupted", "crash", "seconds")
"""Words in reasons that tell of this machine and this hour rather than of the model."""


def to_plain(memory: Memory, mutants: int = 0, only: Collection[str] | None = None) -> Plain:
    """Return what a memory holds as plain values, with the records of that many mutants or more.

    With `only`, what it holds of mutants is restricted to these. What is left out is found again
    when it is asked for: solvers, attempts that the clock ended, and values of types that are not
    known here.
    """
    terms = tables.TableWriter()
    writer = RowWriter(CODEC, terms.add)
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
    return (terms.table(), writer.strings(), writer.rows, parts)


def from_plain(plain: Plain) -> Memory:
    """Return the memory that `to_plain` wrote.

    Raises:
        ValueError: these values are no memory.
    """
    try:
        return _read(plain)
    except MALFORMED as error:
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
    reader = RowReader(CODEC, digests, rows, tables.read_table(table).__getitem__)
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
