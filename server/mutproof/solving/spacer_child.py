"""A process that answers Spacer questions: one JSON line in, one JSON line out.

It ends when its standard input does, and on Linux when its parent dies: Spacer does not stop
promptly when asked to, so whoever waits kills the process. Run it as
`python -m mutproof.solving.spacer_child`.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
from queue import SimpleQueue
from typing import Any

from mutproof.model import tables
from mutproof.solving import spacer
from mutproof.solving.solver import Answer

_PR_SET_PDEATHSIG = 1


def encode_question(
    system: Any, goals: tuple[str, ...], lemmas: tuple[Any, ...], rlimit: int, timeout_s: float
) -> str:
    """Return a question as one line."""
    return json.dumps(
        {
            "system": tables.system_to_plain(system),
            "goals": goals,
            "lemmas": tables.terms_to_plain(lemmas),
            "rlimit": rlimit,
            "timeout_s": timeout_s,
        }
    )


def decode_claim(line: str) -> spacer.Claim:
    """Return the answer written on one line."""
    plain = json.loads(line)
    return spacer.Claim(
        Answer(plain["answer"]), tables.terms_from_plain(plain["invariant"]), plain["reason"]
    )


def answer_line(line: str) -> str:
    """Return the line that answers a question."""
    plain = json.loads(line)
    claim = spacer.ask(
        tables.system_from_plain(plain["system"]),
        plain["goals"],
        tables.terms_from_plain(plain["lemmas"]),
        rlimit=plain["rlimit"],
        timeout_s=plain["timeout_s"],
    )
    return json.dumps(
        {
            "answer": claim.answer.value,
            "invariant": tables.terms_to_plain(claim.invariant),
            "reason": claim.reason,
        }
    )


def die_with_parent() -> None:
    """Ask Linux to kill this process when its parent dies; elsewhere the end of input does."""
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _read_lines(lines: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        lines.put(line)
    # The solver cannot be trusted to return: leave without it.
    os._exit(0)


def main() -> None:
    """Answer questions until the input ends."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_read_lines, args=(lines,), daemon=True).start()
    while True:
        sys.stdout.write(answer_line(lines.get()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
