"""The memory of an analysis as plain values, to be stored and read back in another process.

Everything that a memory holds is content-keyed and immutable, so parts that occur often are written
once, as rows that refer to earlier rows by number; terms go into a flat table. Reading gives a
memory that an analysis treats as one of its own: it checks what supports each verdict against
today's model and replays executions. The integrity of the values is up to those who store them.
Nothing here knows files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from mutproof.analyses.checking.notary import admitted
from mutproof.analyses.claims.evidence import UNCERTIFIED, Evidence, Holds
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Record
from mutproof.analyses.claims.reduction import OpenReduction
from mutproof.analyses.claims.verdict import KeptVerdict
from mutproof.base.codec import MALFORMED, Codec, Plain, RowReader, RowWriter
from mutproof.model import tables
from mutproof.model.program import ElementId
from mutproof.model.terms import Term
from mutproof.solving.liveness.verdict import LinearProof
from mutproof.solving.validity import Validity
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory

MOST_RECORDS: Final = 20_000
"""The least number of records of mutants that are written, the newest ones, if there are as many.
"""


def _make(kind: type, values: list[Any]) -> Any:
    """Return a record made of values that were read; evidence is admitted by the notary."""
    if issubclass(kind, Evidence):
        return admitted(kind, values)
    made = kind(*values)
    # UNCERTIFIED is recognised by its identity.
    return UNCERTIFIED if type(made) is Certificate and made == UNCERTIFIED else made


CODEC: Final = Codec(
    *(ProofMemory, Record, Validity, OpenReduction, KeptVerdict),
    names={"Value": object, "LinearProof": LinearProof},
    shared=(Holds, Certificate, ElementId),
    foreign=Term,
    make=_make,
)
"""The codec of what a memory holds."""


def to_plain(memory: Memory, mutants: int = 0, only: Collection[str] | None = None) -> Plain:
    """Return what a memory holds as plain values, with the newest `mutants` records or more.

    With `only`, records are restricted to these mutants. Left out, and to be found again on demand,
    are solvers, attempts that the clock ended, and values of types that are not known here.
    """
    terms = tables.TableWriter()
    writer = RowWriter(CODEC, terms.add)
    records = memory.records
    survivors = memory.survivors
    newest: Iterable[tuple[str, Record]]
    if only is None:
        newest = islice(records.newest(), max(mutants, MOST_RECORDS))
    else:
        newest = ((name, records[name]) for name in reversed([*only]) if name in records)
        survivors = {name: survivors[name] for name in only if name in survivors}
    kept = [(name, record) for name, record in newest if not _by_clock(record)]
    *general, _ = memory.tables()
    parts = [
        writer.items(reversed(kept)),
        *(writer.items(_known(store)) for store in (*general, survivors)),
    ]
    return (terms.table(), writer.strings(), writer.rows, parts)


def from_plain(plain: Plain) -> Memory:
    """Return the memory that `to_plain` wrote.

    Raises:
        ValueError: the values are no memory.
    """
    try:
        return _read(plain)
    except MALFORMED as error:
        raise ValueError(str(error)) from error


def _known(store: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return ((key, value) for key, value in store.items() if value is not Validity.UNKNOWN)


def _read(plain: Plain) -> Memory:
    table, digests, rows, parts = plain
    reader = RowReader(CODEC, digests, rows, tables.read_table(table).__getitem__)
    memory = Memory()
    records, *others = parts
    for name, record in reader.items(records):
        memory.records[name] = record
    for store, part in zip(memory.tables(), others, strict=True):
        store.update(reader.items(part))
    return memory


def _by_clock(record: Record) -> bool:
    left = record.undecided
    return left is not None and left.by_clock
