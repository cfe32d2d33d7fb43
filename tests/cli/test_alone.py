"""One small file is analysed without an event loop; only where its worker dies is there one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from process import EXAMPLES, Ended, mutproof

DEMO = EXAMPLES / "demo.lus"

RING = """MODULE cell(before)
VAR on : boolean;
ASSIGN
  init(on) := FALSE;
  next(on) := before | on;
INVARSPEC on | !on;
MODULE main
VAR first : boolean;
"""

TELLING = """
import atexit, os, sys
own, leave, told = os.getpid(), os._exit, []
def tell():
    if os.getpid() == own and not told:
        told.append(print('asyncio' in sys.modules, file=sys.stderr, flush=True))
def leave_after_telling(code):
    tell()
    leave(code)
os._exit = leave_after_telling  # which comes first if a thread is left, as on a busy machine
atexit.register(tell)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux copies processes")


def proved(before: str = "", *words: str) -> Ended:
    """Return how a proof of one file ends, and on standard error whether there was a loop."""
    return ended("prove", DEMO, *words, before=before)


def ended(*words: str | Path, before: str = "") -> Ended:
    """Return how a command ends, and on standard error whether there was a loop."""
    return mutproof(*words, "--no-cache", "--no-timings", before=before + TELLING)


def test_one_small_file_needs_no_event_loop() -> None:
    ended = proved()
    assert (0, "False\n") == (ended.code, ended.err)
    assert 1 == ended.out.count("PROVED")


def test_a_worker_that_dies_is_replaced() -> None:
    ended = proved("from mutproof.runtime import child\nchild.main = lambda *_: None\n")
    assert (0, "True\n") == (ended.code, ended.err)
    assert proved().out == ended.out


def test_a_short_text_with_many_instances_is_shared(tmp_path: Path) -> None:
    ring = tmp_path / "ring.smv"
    cells = "".join(f"c{n} : cell({f'c{n - 1}.on' if n else 'first'});\n" for n in range(60))
    ring.write_text(RING + cells)
    found = [
        ended(*words, ring)
        for words in (("prove",), ("mutate", "--jobs", "2"), ("mutate", "--jobs", "1"))
    ]
    assert ["False\n", "True\n", "False\n"] == [one.err for one in found]
    proof, shared, alone = found
    assert 60 == proof.out.count("PROVED")
    assert alone.out == shared.out
    assert "survived" in alone.out


def test_a_worker_that_takes_too_much_memory_is_ended() -> None:
    ended = proved("from mutproof.runtime import memory\nmemory.used_bytes = lambda _: 1 << 60\n")
    assert 30 == ended.code
    assert "error[out-of-memory]" in ended.err
    assert 1 == ended.out.count("UNKNOWN")


def test_a_worker_that_is_out_of_time_leaves_all_unknown() -> None:
    silent = "from mutproof.runtime import child\nimport time\n"
    silent += "child.main = lambda *_: time.sleep(1000)\n"
    ended = proved(silent, "--file-timeout", "1")
    assert 30 == ended.code
    assert 1 == ended.out.count("UNKNOWN")
    assert "out of time" in ended.out
