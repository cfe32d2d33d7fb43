"""Spacer's invariants check; its process dies when it is late and when its parent dies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import psutil
import pytest

from mutproof.model import terms
from mutproof.model.sorts import BOOL, INT
from mutproof.solving import certify, spacer, spacer_process
from mutproof.solving.line_process import LineProcess
from mutproof.solving.solver import Answer
from mutproof.solving.spacer import SpacerAnswer
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from support import systems
from support.systems import INIT, INPUT, STATE, TRANS, boolean, define, integer

GONE_S = 10


def modes() -> systems.TransitionSystem:
    """Switch between two modes; the third is never reached."""
    mode = terms.var("mode", systems.MODES)
    off, on, broken = (terms.const(v, systems.MODES) for v in systems.MODES.values)
    n = integer("n")
    return systems.system(
        {"go": (BOOL, INPUT), "mode": (systems.MODES, STATE), "n": (INT, STATE)},
        [
            define(INIT, "mode", off),
            define(INIT, "n", terms.int_(0)),
            define(
                TRANS,
                "mode",
                terms.ite(terms.eq(mode, off), on, terms.ite(terms.eq(mode, on), off, broken)),
            ),
            define(TRANS, "n", terms.ite(boolean("go"), systems.add(n, 2), n)),
        ],
        {
            "never broken": terms.ne(mode, broken),
            "not three": terms.ne(n, terms.int_(3)),
            "not soon": terms.ne(n, terms.int_(10**9)),
            "not four": terms.ne(n, terms.int_(4)),
        },
    )


def ask(process: SpacerProcess, goals: Sequence[str], **limits: Any) -> SpacerAnswer:
    process.send(modes(), goals, (), **limits)
    return process.answer()


def test_an_invariant_is_found_and_checks() -> None:
    claim = spacer.ask(modes(), ("never broken",), (), rlimit=0, cpu_s=10, timeout_s=10)
    assert Answer.UNSAT is claim.answer
    certificate = Certificate(1, claim.invariant, ("never broken",))
    assert certify.certify(modes(), certificate).ok


def test_a_reachable_failure_is_found() -> None:
    claim = spacer.ask(modes(), ("not four",), (), rlimit=0, cpu_s=10, timeout_s=10)
    assert Answer.SAT is claim.answer


def test_a_question_ends_when_its_processor_time_is_over() -> None:
    claim = spacer.ask(modes(), ("not soon",), (), rlimit=0, cpu_s=0.2, timeout_s=600)
    assert Answer.UNKNOWN is claim.answer


def test_a_child_answers_many_questions() -> None:
    process = SpacerProcess()
    try:
        first = ask(process, ("never broken",), rlimit=0, cpu_s=10, timeout_s=10)
        identity = process.process_id
        second = ask(process, ("not four",), rlimit=0, cpu_s=10, timeout_s=10)
        assert identity == process.process_id
    finally:
        process.close()
    assert Answer.UNSAT is first.answer
    assert Answer.SAT is second.answer
    assert identity is not None
    assert not psutil.pid_exists(identity)


def test_what_nobody_awaits_any_more_is_no_answer_to_the_next_question() -> None:
    process = SpacerProcess()
    limits = {"rlimit": 0, "cpu_s": 10.0, "timeout_s": 10.0}
    try:
        process.send(modes(), ("never broken",), (), **limits)
        identity = process.process_id
        assert not process.is_idle
        claim = ask(process, ("not four",), **limits)
        assert identity != process.process_id
        assert process.is_idle
    finally:
        process.close()
    assert Answer.SAT is claim.answer


def test_an_answer_can_be_awaited_in_turns() -> None:
    process = SpacerProcess()
    try:
        process.send(modes(), ("not four",), (), rlimit=0, cpu_s=10, timeout_s=10)
        while not process.has_answered(0.01):
            pass
        assert Answer.SAT is process.answer().answer
        process.send(modes(), ("not soon",), (), rlimit=0, cpu_s=10, timeout_s=0)
        while not process.has_answered(0.01):
            pass
        assert Answer.UNKNOWN is process.answer().answer
    finally:
        process.close()


def test_a_child_that_rests_is_taken_by_the_next_owner() -> None:
    first, second = SpacerProcess(), SpacerProcess()
    try:
        ask(first, ("never broken",), rlimit=0, cpu_s=10, timeout_s=10)
        identity = first.process_id
        first.rest()
        assert first.process_id is None
        claim = ask(second, ("not four",), rlimit=0, cpu_s=10, timeout_s=10)
        assert second.process_id == identity
    finally:
        first.close()
        second.close()
    assert Answer.SAT is claim.answer


def test_at_most_one_child_rests() -> None:
    processes = [SpacerProcess() for _ in range(3)]
    try:
        for process in processes:
            process.start()
        identities = [process.process_id for process in processes]
        for process in processes:
            process.rest()
        left = [i for i in identities if i is not None and psutil.pid_exists(i)]
        processes[0].start()
        assert left == [processes[0].process_id] == identities[-1:]
    finally:
        for process in processes:
            process.close()


def test_a_child_that_owes_an_answer_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    process = SpacerProcess()
    process.start()
    identity = process.process_id

    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(LineProcess, "next_line", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(process, ("never broken",), rlimit=0, cpu_s=10, timeout_s=10)
    process.rest()
    assert identity is not None
    assert not psutil.pid_exists(identity)


def test_a_child_that_was_interrupted_does_not_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is killed can live on for a moment."""
    first, second = SpacerProcess(), SpacerProcess()
    try:
        first.start()
        identity = first.process_id
        with monkeypatch.context() as patched:
            patched.setattr(subprocess.Popen, "kill", lambda _: None)
            first.interrupt()
        first.rest()
        second.start()
        assert second.process_id != identity
    finally:
        first.close()
        second.close()


def test_a_child_that_died_at_rest_is_replaced() -> None:
    first, second = SpacerProcess(), SpacerProcess()
    try:
        first.start()
        identity = first.process_id
        first.rest()
        assert identity is not None
        psutil.Process(identity).kill()
        _wait_until_dead(identity)
        claim = ask(second, ("not four",), rlimit=0, cpu_s=10, timeout_s=10)
        assert second.process_id != identity
        assert not psutil.pid_exists(identity)
    finally:
        first.close()
        second.close()
    assert Answer.SAT is claim.answer


def _wait_until_dead(identity: int) -> None:
    while psutil.Process(identity).status() != psutil.STATUS_ZOMBIE:
        pass


def test_a_late_child_is_killed() -> None:
    deaf = (sys.executable, "-c", "import sys; sys.stdin.read()")
    process = SpacerProcess(deaf)
    claim = ask(process, ("never broken",), rlimit=0, cpu_s=0.1, timeout_s=0.1)
    assert Answer.UNKNOWN is claim.answer
    assert "killed" in claim.reason
    assert process.process_id is None


def test_a_crashed_child_is_unknown() -> None:
    process = SpacerProcess((sys.executable, "-c", "import sys; sys.stdin.readline()"))
    claim = ask(process, ("never broken",), rlimit=0, cpu_s=10, timeout_s=10)
    assert Answer.UNKNOWN is claim.answer
    assert "died" in claim.reason


@pytest.mark.skipif(sys.platform != "linux", reason="parents are watched by prctl on Linux")
def test_a_child_dies_with_its_parent() -> None:
    """The parent is killed with no time to clean up; its child keeps its input open elsewhere."""
    script = (
        "import os, subprocess, sys\n"
        "from mutproof.base import bootstrap\n"
        "command = bootstrap.command('mutproof.solving.spacer_child')\n"
        "child = subprocess.Popen([*command, str(os.getpid())],"
        " stdin=sys.stdin, stdout=subprocess.PIPE, text=True)\n"
        "print(child.pid, flush=True)\n"
        "child.stdout.readline()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    # An answer shows that the child is past its start: it listens, and watches its parent.
    _wait_until_listening(child)
    parent.kill()
    parent.wait()
    assert [] == psutil.wait_procs([child], timeout=GONE_S)[1]
    parent.stdin.close()
    parent.stdout.close()


def _wait_until_listening(child: psutil.Process) -> None:
    while child.is_running() and child.num_threads() < 2:
        pass


def test_a_child_dies_when_its_input_ends() -> None:
    child = subprocess.Popen(
        [*spacer_process.COMMAND, str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(timeout=GONE_S) == 0
