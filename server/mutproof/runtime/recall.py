"""The memories of files that were analysed before, by any process.

A memory is kept under the digest of its program, and the newest of a file under the file's name: so
a text that was analysed before is recognised in any file, and an edited one keeps what the edit did
not affect. Memories hold evidence, not verdicts: the analysis accepts it if it rests on parts of
today's model only, and replays executions.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Collection
from dataclasses import field
from pathlib import Path
from typing import Final

from mutproof.base import store
from mutproof.base.digest import DIGEST_BYTES, Digest, digest_parts
from mutproof.base.maker import maker
from mutproof.base.record import dataclass
from mutproof.base.shared_store import SharedStore, shared_store
from mutproof.base.store import Store
from mutproof.model.program import Program
from mutproof.workspace import remembered
from mutproof.workspace.analysis import Memory

MOST_PARTS: Final = 4096
"""The most workers' shares of which a memory may consist."""

UNREADABLE: Final = (ValueError, EOFError, TypeError, MemoryError, OverflowError, RecursionError)
"""The exceptions that reading bytes which are no memory can raise."""


@dataclass(slots=True)
class Recall:
    """Read and write the memories of files; skips those that are kept. Mutable.

    Memories that this machine does not have may be in the `shared` store.
    """

    store: Store | None
    shared: SharedStore | None = None
    # Keys of what is kept of the programs that each file had, the newest last.
    _written: dict[str, dict[Digest, None]] = field(default_factory=dict)

    def read(self, name: str, program: Program) -> Memory | None:
        """Return what is known of a program or of an earlier one in the file of that name."""
        if self.store is None:
            return None
        found = self._memory(program.digest)
        if found is not None:
            self._note(name, _key(program.digest, 0))
            return found
        newest = self.store.get(_newest(name, program))
        if newest is None or len(newest) != DIGEST_BYTES:
            return None
        return self._memory(Digest(newest))

    def write(
        self,
        name: str,
        program: Program,
        memory: Memory,
        *,
        mutants: int,
        changed: bool,
        share: tuple[int, int] = (0, 1),
        final: bool = True,
    ) -> bool:
        """Keep a memory of an analysis, unless it is kept and has not `changed` since; tell which.

        Workers that share a program each keep their own; these are merged when read. Only `final`
        memories go to the shared store.
        """
        if self.store is None:
            return False
        part, parts = share
        key, written = _key(program.digest, part), self._written.get(name, {})
        if not changed and key in written:
            if key != next(reversed(written)):  # an edit was undone
                self._name_newest(name, program, key, part)
            return False
        content = marshal.dumps((parts, remembered.to_plain(memory, mutants)))
        if self.store.put(key, content):
            self._name_newest(name, program, key, part)
        if self.shared is not None and final:
            self.shared.put(key, content)
        return True

    def forget(self, name: str) -> None:
        """Forget which memory of a file was stored last; the store is unchanged."""
        self._written.pop(name, None)

    def _name_newest(self, name: str, program: Program, key: Digest, part: int) -> None:
        """Note that a file has a program of which a memory is kept."""
        assert self.store is not None
        if part == 0:
            self.store.put(_newest(name, program), program.digest)
        self._note(name, key)

    def _note(self, name: str, key: Digest) -> None:
        written = self._written.setdefault(name, {})
        written.pop(key, None)
        written[key] = None

    def _memory(self, program: Digest) -> Memory | None:
        first = self._part(program, 0)
        if first is None:
            return None
        parts, memory = first
        for number in range(1, parts):
            another = self._part(program, number)
            if another is not None:
                memory.join(another[1])
        return memory

    def _part(self, program: Digest, number: int) -> tuple[int, Memory] | None:
        content = self._content(_key(program, number))
        if content is None:
            return None
        try:
            parts, plain = marshal.loads(content)
            if type(parts) is not int or not 0 < parts <= MOST_PARTS:
                return None
            return parts, remembered.from_plain(plain)
        except UNREADABLE:
            return None

    def _content(self, key: Digest) -> bytes | None:
        """Return what is stored under a key, or in the shared store, which is then copied here."""
        assert self.store is not None
        content = self.store.get(key)
        if content is None and self.shared is not None:
            content = self.shared.get(key)
            if content is not None:
                self.store.put(key, content)
        return content


def pack(memory: Memory, mutants: Collection[str]) -> bytes:
    """Encode a memory, restricted to these mutants, for another worker."""
    return marshal.dumps(remembered.to_plain(memory, only=mutants))


def unpack(evidence: bytes) -> Memory:
    """Decode the memory that `pack` encoded; an empty one for any other bytes."""
    try:
        return remembered.from_plain(marshal.loads(evidence))
    except UNREADABLE:
        return Memory()


def extent(memory: Memory) -> tuple[int, ...]:
    """Return the number of entries of a memory, by kind."""
    return (
        len(memory.proofs.faults),
        len(memory.proofs.idle),
        len(memory.records),
        len(memory.records.obligations),
        len(memory.cores),
        len(memory.survivors),
    )


def recall() -> Recall:
    """Return the recall that the environment configures."""
    folder = store.default_folder()
    if folder is None:
        return Recall(None)
    return Recall(Store(folder, made_by=maker()), shared_store(maker()))


def _key(program: Digest, part: int) -> Digest:
    return digest_parts("memory", program, part)


def _newest(name: str, program: Program) -> Digest:
    place = str(Path(os.path.abspath(name))) if "://" not in name else name
    return digest_parts("newest", program.language, place)
