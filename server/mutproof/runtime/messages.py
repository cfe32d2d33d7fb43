"""What a server and its workers say to each other: frames of flat values.

A frame is a length (four bytes, little-endian) and a `marshal`led tuple of plain values. Both
ends are the same interpreter, so `marshal` is stable between them; it keeps big integers
exact. Terms never cross: the worker derives them again from the text.
"""

from __future__ import annotations

import marshal
from dataclasses import astuple, dataclass, fields
from operator import attrgetter
from typing import Final, TypeAlias, assert_never

from mutproof.analyses.defect import Defect
from mutproof.analyses.equivalence.finding import Equivalence, EquivalenceStatus
from mutproof.analyses.finding import (
    CertificateFinding,
    CoresFinding,
    ModelFault,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    Origin,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.model.program import ElementId
from mutproof.runtime.flat import Flat, decode_trace, encode_trace
from mutproof.workspace.events import Event, Learnt, Lent, Progress
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing, MutantPlace

LENGTH_BYTES: Final = 4
_element: Final = attrgetter("component", "kind", "name")
MAX_FRAME_BYTES: Final = 1 << 30

KEEPING_S: Final = 10.0
"""How long the end of a worker may take that has answered, and keeps what it knows."""


@dataclass(frozen=True, slots=True)
class Analyse:
    """Ask a worker to analyse a text; `key` names the file whose memory it uses.

    With `evidence` it uses this instead, and hands over what it finds out.
    """

    request: int
    key: str
    name: str
    language: str
    text: str
    options: Options
    evidence: bytes | None = None


@dataclass(frozen=True, slots=True)
class Expect:
    """Tell a worker which text it will be asked to analyse, as soon as that is certain."""

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
    """Tell a worker of which elements the mutants are wanted first, from now on."""

    request: int
    elements: frozenset[ElementId]


@dataclass(frozen=True, slots=True)
class Lend:
    """Ask a worker to leave a part of a request to another one."""

    request: int


@dataclass(frozen=True, slots=True)
class Learn:
    """Have a worker take into the memory of a file what another one found out."""

    request: int
    key: str
    evidence: bytes


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
class Ended:
    """Say that a run is over; `outcome` is `done`, `cancelled`, `no-program` or `failed`."""

    request: int
    outcome: str
    message: str = ""


Message: TypeAlias = (
    Analyse | Expect | Cancel | Attend | Lend | Learn | Forget | Listed | Happened | Ended
)


def frame(message: Message) -> bytes:
    """Return the bytes of a message, its length first."""
    body = marshal.dumps(encode(message))
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
        return decode(marshal.loads(body))
    except (EOFError, TypeError, KeyError, IndexError) as error:
        raise ValueError(str(error)) from error


def encode(message: Message) -> Flat:
    """Return a message as flat values."""
    match message:
        case Analyse(request, key, name, language, text, options, evidence):
            flat = encode_options(options)
            return ("analyse", request, key, name, language, text, flat, evidence)
        case Expect(name, language, text, options):
            return ("expect", name, language, text, encode_options(options))
        case Cancel(request):
            return ("cancel", request)
        case Attend(request, elements):
            return ("attend", request, sorted(map(_element, elements)))
        case Lend(request):
            return ("lend", request)
        case Learn(request, key, evidence):
            return ("learn", request, key, evidence)
        case Forget(key):
            return ("forget", key)
        case Listed(request, listing):
            return ("listed", request, encode_listing(listing))
        case Happened(request, event):
            return ("happened", request, encode_event(event))
        case Ended(request, outcome, text):
            return ("ended", request, outcome, text)
        case _:
            assert_never(message)


def decode(flat: Flat) -> Message:
    """Return the message that `encode` made flat.

    Raises:
        ValueError: there is no such message.
    """
    match flat:
        case ("analyse", request, key, name, language, text, options, evidence):
            return Analyse(request, key, name, language, text, decode_options(options), evidence)
        case ("expect", name, language, text, options):
            return Expect(name, language, text, decode_options(options))
        case ("cancel", request):
            return Cancel(request)
        case ("attend", request, elements):
            return Attend(request, frozenset(ElementId(*element) for element in elements))
        case ("lend", request):
            return Lend(request)
        case ("learn", request, key, evidence):
            return Learn(request, key, evidence)
        case ("forget", key):
            return Forget(key)
        case ("listed", request, listing):
            return Listed(request, decode_listing(listing))
        case ("happened", request, event):
            return Happened(request, decode_event(event))
        case ("ended", request, outcome, text):
            return Ended(request, outcome, text)
        case _:
            error = f"no message: {flat!r:.80}"
            raise ValueError(error)


# --- options and listings ---------------------------------------------------------------------


def encode_options(options: Options) -> Flat:
    """Return options as flat values, by field name."""
    flat = {field.name: getattr(options, field.name) for field in fields(options)}
    return {**flat, "budget": astuple(options.budget)}


def decode_options(flat: Flat) -> Options:
    """Return the options that `encode_options` made flat."""
    return Options(**{**flat, "budget": Budget(*flat["budget"])})


def encode_listing(listing: Listing) -> Flat:
    """Return a listing as flat values."""
    mutants = [
        (
            place.mutant,
            place.shown,
            _element(place.element),
            place.operator,
            place.path,
            place.place,
            place.summary,
            place.replacement,
        )
        for place in listing.mutants
    ]
    return (listing.program, mutants, [*map(_element, listing.design)], listing.left_out)


def decode_listing(flat: Flat) -> Listing:
    """Return the listing that `encode_listing` made flat."""
    program, mutants, design, left_out = flat
    return Listing(
        Digest(program),
        tuple(
            MutantPlace(mutant, shown, ElementId(*element), *rest)
            for mutant, shown, element, *rest in mutants
        ),
        tuple(ElementId(*element) for element in design),
        left_out,
    )


# --- events -----------------------------------------------------------------------------------


def encode_event(event: Event) -> Flat:
    """Return an event as flat values."""
    match event:
        case PropertyFinding():
            return (
                "property",
                event.name,
                event.component,
                event.declared,
                event.verdict.value,
                event.k,
                event.engine,
                event.seconds,
                event.reason,
                event.depth,
                _elements(event.core),
                _elements(event.must),
                encode_trace(event.trace),
                event.vacuity,
                encode_cores(event.cores),
                _value(event.defect),
            )
        case ModelFinding(fault, message, obligation, trace, place):
            where = place and (_element(place[0]), place[1])
            return ("model", fault.value, message, obligation, encode_trace(trace), where)
        case MutantFinding():
            return (
                "mutant",
                event.mutant,
                event.status.value,
                event.killed_by,
                dict(event.steps),
                event.undecided,
                event.covered_by,
                event.how,
                event.k,
                event.depth,
                event.reason,
                encode_trace(event.trace),
                event.seconds,
                event.origin.value,
                encode_equivalence(event.equivalence),
                _value(event.defect),
                event.shortest,
            )
        case Statistics():
            return ("statistics", *astuple(event))
        case CertificateFinding():
            return ("certificate", *astuple(event))
        case Progress(stage, done, total):
            return ("progress", stage, done, total)
        case Lent(mutants, evidence):
            return ("lent", mutants, evidence)
        case Learnt(evidence):
            return ("learnt", evidence)
        case _:
            assert_never(event)


def decode_event(flat: Flat) -> Event:
    """Return the event that `encode_event` made flat."""
    kind, *rest = flat
    match kind:
        case "property":
            name, component, declared, verdict, k, engine, seconds, reason, depth, *last = rest
            core, must, trace, vacuity, cores, defect = last
            return PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict(verdict),
                k,
                engine,
                seconds,
                reason,
                depth,
                _element_ids(core),
                _element_ids(must),
                decode_trace(trace),
                vacuity,
                decode_cores(cores),
                _defect(defect),
            )
        case "model":
            fault, message, obligation, trace, where = rest
            place = where and (ElementId(*where[0]), where[1])
            return ModelFinding(ModelFault(fault), message, obligation, decode_trace(trace), place)
        case "mutant":
            mutant, status, killed_by, steps, undecided, covered_by, how, k, depth, *last = rest
            reason, trace, seconds, origin, equivalence, defect, shortest = last
            return MutantFinding(
                mutant,
                MutantStatus(status),
                killed_by,
                steps,
                undecided,
                covered_by,
                how,
                k,
                depth,
                reason,
                decode_trace(trace),
                seconds,
                Origin(origin),
                decode_equivalence(equivalence),
                _defect(defect),
                shortest,
            )
        case "statistics":
            return Statistics(*rest)
        case "certificate":
            return CertificateFinding(*rest)
        case "lent":
            return Lent(*rest)
        case "learnt":
            return Learnt(*rest)
        case _:
            return Progress(*rest)


def _value(defect: Defect | None) -> Flat:
    return None if defect is None else defect.value


def _defect(flat: Flat) -> Defect | None:
    return None if flat is None else Defect(flat)


def encode_equivalence(found: Equivalence | None) -> Flat:
    """Return what is known of a survivor as flat values, by field name."""
    if found is None:
        return None
    flat = {field.name: getattr(found, field.name) for field in fields(found)}
    flat["status"] = found.status.value
    flat["defect"] = _value(found.defect)
    flat["model"], flat["mutant"] = encode_trace(found.model), encode_trace(found.mutant)
    return flat


def decode_equivalence(flat: Flat) -> Equivalence | None:
    """Return what `encode_equivalence` made flat."""
    if flat is None:
        return None
    traces = {side: decode_trace(flat[side]) for side in ("model", "mutant")}
    status, defect = EquivalenceStatus(flat["status"]), _defect(flat["defect"])
    return Equivalence(**{**flat, **traces, "status": status, "defect": defect})


def encode_cores(found: CoresFinding | None) -> Flat:
    """Return the cores of a property as flat values, by field name."""
    if found is None:
        return None
    flat = {field.name: getattr(found, field.name) for field in fields(found)}
    flat["cores"] = [_elements(core) for core in found.cores]
    return {**flat, "must": _elements(found.must), "may": _elements(found.may)}


def decode_cores(flat: Flat) -> CoresFinding | None:
    """Return the cores that `encode_cores` made flat."""
    if flat is None:
        return None
    sets = {name: _element_ids(flat[name]) for name in ("must", "may")}
    cores = tuple(_element_ids(core) for core in flat["cores"])
    return CoresFinding(**{**flat, **sets, "cores": cores})


def _elements(elements: tuple[ElementId, ...] | None) -> Flat:
    return None if elements is None else [_element(one) for one in elements]


def _element_ids(flat: Flat) -> tuple[ElementId, ...] | None:
    return None if flat is None else tuple(ElementId(*element) for element in flat)
