"""What a worker was asked and has not done yet.

One thread reads it from standard input, so that a cancellation or the end of the server is noticed
while the other thread solves.
"""

from __future__ import annotations

import queue
import sys
import threading
from dataclasses import field
from typing import BinaryIO, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.runtime import messages
from mutproof.runtime.messages import Analyse, Attend, Cancel, Expect, Forget, Learn, Lend, Message

Request: TypeAlias = Analyse | Expect | Learn | Forget


@dataclass(slots=True)
class Inbox:
    """Hold waiting and cancelled requests, and wishes about others; shared by two threads.

    `attention` has the elements whose mutants a request is to decide first. `newest` is the text
    that came last: reading an older one ahead would be useless.
    """

    requests: queue.SimpleQueue[Request] = field(default_factory=queue.SimpleQueue)
    cancelled: set[int] = field(default_factory=set)
    attention: dict[int, frozenset[ElementId]] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)  # requests of which another worker wants a part
    newest: str | None = None
    keeping: threading.Lock = field(default_factory=threading.Lock)  # held while results are stored

    def is_cancelled(self, request: int) -> bool:
        """Tell whether a request was cancelled."""
        return request in self.cancelled

    def done(self, request: int) -> None:
        """Take note that a request was answered."""
        self.cancelled.discard(request)
        self.attention.pop(request, None)
        self.asked.discard(request)

    def put(self, message: Message) -> None:
        """Take in a message of the server."""
        match message:
            case Analyse() | Expect():
                self.newest = message.text
                self.requests.put(message)
            case Learn() | Forget():
                self.requests.put(message)
            case Cancel(request):
                self.cancelled.add(request)
            case Attend(request, elements):
                self.attention[request] = elements
            case Lend(request):
                self.asked.add(request)
            case _:
                print(f"unexpected: {message!r:.200}", file=sys.stderr)  # noqa: T201 - the log


def read(stream: BinaryIO, inbox: Inbox) -> None:
    """Take in messages until the stream ends."""
    while True:
        header = stream.read(messages.LENGTH_BYTES)
        if len(header) < messages.LENGTH_BYTES:
            return
        length = messages.body_length(header)
        body = stream.read(length)
        if len(body) < length:
            return
        inbox.put(messages.unframe(body))
