"""A process that answers Spacer questions: one JSON line in, one JSON line out.

It ends with its standard input or its parent. Spacer does not stop promptly when asked to, so the
parent kills this process. `base.bootstrap` starts it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from queue import SimpleQueue
from typing import Any

from mutproof.model import tables
from mutproof.solving import spacer
from mutproof.solving.solver import Answer
from mutproof.solving.watch import Watch, within_cpu

GRACE_S = 0.5
"""How long past its own time limit the child may take to answer."""


def encode_question(
    system: Any,
    goals: tuple[str, ...],
    lemmas: tuple[Any, ...],
    *,
    rlimit: int,
    cpu_s: float,
    timeout_s: float,
) -> str:
    """Return a question as one line; its parts are those of `spacer.ask`."""
    return json.dumps(
        {
            "system": tables.system_to_plain(system),
            "goals": goals,
            "lemmas": tables.terms_to_plain(lemmas),
            "rlimit": rlimit,
            "cpu_s": cpu_s,
            "timeout_s": timeout_s,
        }
    )


def decode_claim(line: str) -> spacer.SpacerAnswer:
    """Return the answer written on one line."""
    plain = json.loads(line)
    return spacer.SpacerAnswer(
        Answer(plain["answer"]),
        tables.terms_from_plain(plain["invariant"]),
        plain["reason"],
        plain["cpu_s"],
    )


def answer_line(line: str) -> str:
    """Return the line that answers a question; exit the process if that takes far too long."""
    begun = time.process_time()
    plain = json.loads(line)
    with Watch(within_cpu(plain["cpu_s"] + GRACE_S), lambda: os._exit(1)):
        claim = spacer.ask(
            tables.system_from_plain(plain["system"]),
            plain["goals"],
            tables.terms_from_plain(plain["lemmas"]),
            rlimit=plain["rlimit"],
            cpu_s=plain["cpu_s"],
            timeout_s=plain["timeout_s"],
        )
    return json.dumps(
        {
            "answer": claim.answer.value,
            "invariant": tables.terms_to_plain(claim.invariant),
            "reason": claim.reason,
            "cpu_s": time.process_time() - begun,
        }
    )


def _read_lines(lines: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    # The solver may never return, so do not wait for its thread.
    os._exit(0)


def main(_: list[str]) -> None:
    """Answer questions until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read_lines, args=(lines,), daemon=True).start()
    while True:
        sys.stdout.write(answer_line(lines.get()) + "\n")
        sys.stdout.flush()
