"""Messages between a server and its workers: frames of flat values.

A frame is a length (four bytes, little-endian) and a `marshal`led tuple of plain values. Both
ends are the same interpreter, so `marshal` is stable between them; it keeps big integers
exact. Terms never cross: the worker derives them again from the text.
"""

from __future__ import annotations

import marshal
from typing import Final, TypeAlias

from mutproof.analyses.claims.finding import MutantFinding, Origin
from mutproof.base.codec import Codec
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime.jobs import Job
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

LENGTH_BYTES: Final = 4
MAX_FRAME_BYTES: Final = 1 << 30

KEEPING_S: Final = 10.0
"""How long a worker may take to keep its memory and end after its answer."""

GRACE_S: Final = 0.7
"""How long a worker may take to obey a cancellation before it is killed."""


@dataclass(frozen=True, slots=True)
class Analyse:
    """Ask a worker to analyse a text; `key` names the file whose memory it uses.

    With `evidence` it uses that instead, and returns its results as evidence.
    """

    request: int
    key: str
    name: str
    language: str
    text: str
    options: Options
    evidence: bytes | None = None


def analyse(request: int, job: Job) -> Analyse:
    """Return the message that requests a job."""
    return Analyse(request, job.key, job.name, job.language, job.text, job.options, job.evidence)


@dataclass(frozen=True, slots=True)
class Expect:
    """Announce to a worker the text that it will be asked to analyse."""

    name: str
    language: str
    text: str
    options: Options


@dataclass(frozen=True, slots=True)
class Cancel:
    """Ask a worker to give up a request as soon as it can."""

    request: int


@dataclass(frozen=True, slots=True)
class Attend:
    """Tell a worker the elements whose mutants it should decide first from now on."""

    request: int
    elements: frozenset[ElementId]


@dataclass(frozen=True, slots=True)
class Lend:
    """Ask a worker to hand over a part of a request to another one."""

    request: int


@dataclass(frozen=True, slots=True)
class Learn:
    """Have a worker add another one's results to the memory of a file, or take them `instead`."""

    request: int
    key: str
    evidence: bytes
    instead: bool = False


@dataclass(frozen=True, slots=True)
class Forget:
    """Ask a worker to drop the memory of a file."""

    key: str


@dataclass(frozen=True, slots=True)
class Listed:
    """Hand over the mutants that a run decides, before any is decided."""

    request: int
    listing: Listing


@dataclass(frozen=True, slots=True)
class Happened:
    """Hand over one event of a run."""

    request: int
    event: Event


@dataclass(frozen=True, slots=True)
class Repeated:
    """Say that a mutant is what the last finding told of it; only these two values may differ."""

    request: int
    mutant: str
    seconds: float
    origin: Origin


@dataclass(frozen=True, slots=True)
class Retold:
    """Hand over a finding about a mutant without its execution, which the last one had as well."""

    request: int
    finding: MutantFinding


@dataclass(frozen=True, slots=True)
class Ended:
    """Say that a run is over: `done`, `cancelled`, `no-program`, `too-large` or `failed`."""

    request: int
    outcome: str
    message: str = ""


Message: TypeAlias = (
    Analyse
    | Expect
    | Cancel
    | Attend
    | Lend
    | Learn
    | Forget
    | Listed
    | Happened
    | Repeated
    | Retold
    | Ended
)
CODEC: Final = Codec(Message, names={"Value": object})
"""The codec of messages and their contents."""


def prepare() -> None:
    """Find out what messages can hold, which the first one would wait for."""
    assert CODEC.numbers.keys() >= CODEC.fields.keys()


def frame(message: Message) -> bytes:
    """Return the bytes of a message, its length first."""
    body = marshal.dumps(CODEC.encode(message))
    return len(body).to_bytes(LENGTH_BYTES, "little") + body


def body_length(header: bytes) -> int:
    """Return the number of bytes of the frame that a header announces.

    Raises:
        ValueError: no frame is that long; the stream is out of step.
    """
    length = int.from_bytes(header, "little")
    if length > MAX_FRAME_BYTES:
        error = f"a frame of {length} bytes"
        raise ValueError(error)
    return length


def unframe(body: bytes) -> Message:
    """Return the message in the body of a frame.

    Raises:
        ValueError: the bytes are no message.
    """
    try:
        found = CODEC.decode(marshal.loads(body))
    except (EOFError, TypeError) as error:
        raise ValueError(str(error)) from error
    match found:
        case (
            Analyse()
            | Expect()
            | Cancel()
            | Attend()
            | Lend()
            | Learn()
            | Forget()
            | Listed()
            | Happened()
            | Repeated()
            | Retold()
            | Ended()
        ):
            return found
        case _:
            unknown = f"no message: {found!r:.80}"
            raise ValueError(unknown)
