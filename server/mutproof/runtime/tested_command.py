"""Run tests on a command that speaks a line protocol: a JSON object of inputs, one of outputs.

Each test starts a new process, which is its reset. A line is written for each step, and answered
by a line before the next one is written.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import IO, Any, Final

from mutproof.base.record import dataclass
from mutproof.model.sorts import Value
from mutproof.runtime import lifeline

MOST_CHARACTERS: Final = 1_000_000
"""The longest answer."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Hold the answers of a command, and why some are missing, if so."""

    answers: tuple[Mapping[str, Any], ...]
    problem: str = ""
    in_time: bool = True


def words_of(command: str) -> list[str]:
    """Return the words of a command line.

    Raises:
        ValueError: a quotation does not end, or there are no words.
    """
    found = shlex.split(command, posix=os.name != "nt")
    if not found:
        message = "the command is empty"
        raise ValueError(message)
    return found


def spoken(
    words: Sequence[str],
    steps: Sequence[Mapping[str, Value]],
    seconds: float,
    *,
    begun: Callable[[int], None] = lambda _: None,
) -> Spoken:
    """Feed steps of inputs to a command; return its answers, each within `seconds`.

    Processes that it started end with it. `begun` is called with its process id; it leads a group.

    Raises:
        OSError: it cannot be started.
    """
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    ) as process:
        begun(process.pid)
        assert process.stdin is not None
        try:
            return _conversation(process, steps, seconds)
        finally:
            lifeline.kill_group(process.pid)
            with contextlib.suppress(OSError):  # what a command that has ended did not read
                process.stdin.close()


def _conversation(
    process: subprocess.Popen[str], steps: Sequence[Mapping[str, Value]], seconds: float
) -> Spoken:
    assert process.stdin is not None
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, lines), daemon=True)
    reader.start()
    answers: list[Mapping[str, Any]] = []
    for step in steps:
        with contextlib.suppress(OSError):  # it has ended: what it said before is read below
            process.stdin.write(json.dumps({n: _plain(v) for n, v in step.items()}) + "\n")
            process.stdin.flush()
        try:
            line = lines.get(timeout=seconds)
        except queue.Empty:
            return Spoken(tuple(answers), f"no answer within {seconds:g} s", in_time=False)
        if not line:
            return Spoken(tuple(answers), "the command ended")
        try:
            answer = json.loads(line, parse_float=str)
        except (ValueError, RecursionError):
            return Spoken(tuple(answers), f"an answer that is not JSON: {line.strip()[:60]!r}")
        if not isinstance(answer, dict):
            return Spoken(tuple(answers), "an answer that is not a JSON object")
        answers.append(answer)
    return Spoken(tuple(answers))


def _read(stream: IO[str], lines: queue.Queue[str]) -> None:
    """Pass on lines until the stream ends, which an empty one marks."""
    try:
        while line := stream.readline(MOST_CHARACTERS):
            lines.put(line)
    except (OSError, ValueError):
        pass
    lines.put("")


def _plain(value: Value) -> object:
    if isinstance(value, Fraction):
        return f"{value.numerator}.0" if value.denominator == 1 else str(value)
    return value
