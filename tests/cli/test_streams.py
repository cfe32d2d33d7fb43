"""What the command does with its streams, with signals and with defects of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest
from process import EXAMPLES, ROOT, command, environment, mutproof

from mutproof.base.budget import Deadline
from mutproof.cli import console
from mutproof.cli import main as cli
from mutproof.cli.commands import COMMANDS
from mutproof.cli.exit_codes import ExitCode, most_serious

# Many big equations: no computer decides all its mutants before the test interrupts it.
ENDLESS = """\
node n (a, b, c, d : int) returns (p : bool);
var x, y, z : int;
let
  assert a > 1 and b > 1 and c > 1 and d > 1;
  x = a * a * a + b * b * b;
  y = c * c * c;
  z = 0 -> if d > a then pre z + x - y else pre z * pre z;
  p = (x <> y) or (z * z * d <> a * b * 7);
  --%PROPERTY p;
tel;
"""
ENDLESSLY = ("--rlimit", "0", "--timeout", "600")


def wait_for_workers(parent: int, count: int) -> None:
    """Return when the process has had that many workers, one after the other."""
    seen: set[int] = set()
    deadline = Deadline.after(120)
    while len(seen) < count:
        assert not deadline.passed()
        seen.update(child.pid for child in psutil.Process(parent).children())
        threading.Event().wait(0.02)


def test_version_is_printed() -> None:
    ended = mutproof("--version")

    assert ended.code == 0
    assert ended.out.startswith("mutproof ")


@pytest.mark.parametrize("name", COMMANDS.names())
def test_every_command_has_help_with_examples(name: str) -> None:
    ended = mutproof(name, "--help")

    assert ended.code == 0
    assert ended.out.startswith(f"usage: mutproof {name}")
    assert "examples:" in ended.out


def test_a_defect_ends_with_70_and_a_short_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> None:
        message = "a defect"
        raise RuntimeError(message)

    monkeypatch.setattr(cli, "_parser", fail)

    assert cli.main(["prove"]) is ExitCode.BUG
    short = capsys.readouterr().err
    assert short.startswith("error[internal-error]: RuntimeError: a defect\n")
    assert "Traceback" not in short
    assert cli.main(["prove", "--debug"]) is ExitCode.BUG
    assert "Traceback" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_defect() -> None:
    process = subprocess.Popen(
        command("explain"), cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=-1
    )
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=60)

    assert process.returncode == ExitCode.CLOSED
    assert errors == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", EXAMPLES / "demo.lus"),
        ("explain",),
        ("--help",),
        ("mutate", "--help"),
        ("--version",),
    ],
)
def test_a_full_disk_is_no_defect(arguments: tuple[str | Path, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command(*arguments), env=environment(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert ExitCode.UNUSABLE == done.returncode
    assert done.stderr.startswith(b"error[output-unwritable]: the output cannot be written: ")


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize("closed", ["<&-", "2>&-", "2>&- <&-"])
def test_closed_streams_change_no_exit_code(closed: str) -> None:
    words = command("mutate", EXAMPLES / "demo.lus", "--no-cache")
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *words],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert ExitCode.SURVIVORS == done.returncode
    assert b"" == done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell that closes streams")
@pytest.mark.parametrize(
    "words",
    [("mutate", EXAMPLES / "demo.lus"), ("tests", EXAMPLES / "demo2.lus"), ("explain", "MP3"),
     ("--help",), ("config", EXAMPLES / "demo.lus")],
    ids=lambda words: str(words[0]),
)  # fmt: skip
def test_a_closed_output_is_no_success(words: tuple[str | Path, ...]) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command(*words)],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert ExitCode.UNUSABLE == done.returncode
    assert b"error[output-unwritable]: the output cannot be written: it is closed\n" == done.stderr


def test_a_closed_output_does_not_matter_where_a_file_is_named(tmp_path: Path) -> None:
    words = command("mutate", EXAMPLES / "demo.lus", "--quiet", "-o", tmp_path / "report.txt")
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (ExitCode.SURVIVORS, b"") == (done.returncode, done.stderr)
    assert "SURVIVED" in (tmp_path / "report.txt").read_text()


INTERRUPTING = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == {name!r}:
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Finder())
from mutproof.__main__ import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes are those of POSIX")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
@pytest.mark.parametrize(
    "name",
    ["mutproof.cli.commands", "asyncio", "mutproof.cli.session", "mutproof.runtime.sole"],
)
def test_a_signal_while_modules_are_imported_leaves_no_traceback(
    name: str, number: signal.Signals, code: ExitCode
) -> None:
    program = INTERRUPTING.format(name=name, number=int(number))
    models = [str(EXAMPLES / one) for one in ("demo.lus", "demo2.lus")]  # one has no event loop
    done = subprocess.run(
        [sys.executable, "-c", program, "prove", *models, "--no-cache"],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert code == done.returncode
    assert "" == done.stdout
    assert ("interrupted\n" if number == signal.SIGINT else "") == done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes are those of POSIX")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)],
)
@pytest.mark.parametrize("times", [1, 10], ids=["one signal", "one that is repeated at once"])
def test_an_interrupted_run_reports_what_it_has(
    tmp_path: Path, number: signal.Signals, code: ExitCode, times: int
) -> None:
    (tmp_path / "endless.lus").write_text(ENDLESS)
    process = subprocess.Popen(
        command("prove", EXAMPLES / "demo.lus", "endless.lus", "--jobs", "1", *ENDLESSLY),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    wait_for_workers(process.pid, 2)  # the second file is begun when the first one is done
    for _ in range(times):
        process.send_signal(number)
        threading.Event().wait(0.002)
    out, errors = process.communicate(timeout=60)

    assert process.returncode == code
    assert "PROVED Prop1" in out
    assert "incomplete: the run was given up" in out
    assert errors == "interrupted: the report holds what was found until then\n"


def interrupted(folder: Path, name: str, file: Path, *options: str) -> tuple[int, str]:
    """Interrupt a command after its first file; return its exit code and what it says."""
    (folder / "endless.lus").write_text(ENDLESS)
    process = subprocess.Popen(
        command(name, file, "endless.lus", "--jobs", "1", *options, *ENDLESSLY),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    wait_for_workers(process.pid, 2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes are those of POSIX")
def test_an_interrupted_run_says_that_no_evidence_is_written(tmp_path: Path) -> None:
    evidence = ("--evidence", "evidence", "--unconfirmed")
    _, errors = interrupted(tmp_path, "report", EXAMPLES / "demo.lus", *evidence)

    assert errors.endswith("what was found until then, and nothing but it is written\n")
    assert [] == list((tmp_path / "evidence").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="signals of processes are those of POSIX")
@pytest.mark.parametrize("again", [False, True])
def test_an_interrupted_run_writes_the_suites_that_it_has(tmp_path: Path, again: bool) -> None:
    kept = tmp_path / "suites" / "demo2.suite.json"
    if again:
        kept.parent.mkdir()
        kept.write_text("of another run")
    code, errors = interrupted(tmp_path, "tests", EXAMPLES / "demo2.lus", "-o", "suites")

    assert code == ExitCode.INTERRUPTED
    assert errors.endswith("interrupted: the report holds what was found until then\n")
    assert json.loads(kept.read_text())["tests"]  # this file was done with


def left_by(mark: str) -> list[int]:
    """Return the processes that have a mark in their environment."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("MARK") == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_was_started_too_early_ends_too(
    tmp_path: Path, number: signal.Signals | None
) -> None:
    arguments = ("mutate", tmp_path / "nowhere.lus") if number is None else ("watch", tmp_path)
    mark = str(tmp_path)
    with subprocess.Popen(
        command(*arguments),
        env=environment(MARK=mark),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        if number is not None:
            wait_for_workers(process.pid, 1)
            assert len(left_by(mark)) == 2
            process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode != ExitCode.OK
    deadline = Deadline.after(2)
    while left_by(mark) and not deadline.passed():
        threading.Event().wait(0.02)
    assert left_by(mark) == []


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process has")
def test_what_takes_too_much_memory_is_unknown() -> None:
    ended = mutproof("prove", EXAMPLES / "demo.lus", "--no-cache", "--memory", "1")

    assert ExitCode.UNKNOWN == ended.code
    assert "UNKNOWN Prop1" in ended.out
    assert "out of memory: more than 1 MiB" in ended.out
    assert "error[out-of-memory]: out of memory: more than 1 MiB\n  = help: " in ended.err


def test_colours_are_for_terminals_or_on_demand() -> None:
    assert "\x1b" not in mutproof("prove", EXAMPLES / "demo.lus").out
    assert "\x1b" in mutproof("prove", EXAMPLES / "demo.lus", "--color", "always").out


def test_a_report_can_be_written_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    ended = mutproof("prove", EXAMPLES / "demo.lus", "--output", path, "--quiet")

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert "PROVED Prop1" in path.read_text(encoding="utf-8")
    assert [path] == list(tmp_path.iterdir())


def test_a_report_goes_to_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    link, there = tmp_path / "latest.txt", tmp_path / "reports" / "today.txt"
    there.write_text("of yesterday")
    try:
        link.symlink_to(there)
    except OSError:
        pytest.skip("this account makes no links")
    console.write_file(link, "new", "")

    assert link.is_symlink()
    assert there.read_text() == "new"
    assert [there] == list(there.parent.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
def test_a_report_goes_through_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    console.write_file(pipe, "new", "")

    assert pipe.is_fifo()
    reader.join(10)
    assert read == ["new"]


def test_the_most_serious_code_of_several_counts() -> None:
    assert most_serious([]) is ExitCode.OK
    assert most_serious([ExitCode.OK, ExitCode.UNKNOWN, ExitCode.FALSIFIED]) is ExitCode.FALSIFIED
    assert most_serious([ExitCode.UNDECIDED, ExitCode.SURVIVORS]) is ExitCode.SURVIVORS
    assert most_serious([ExitCode.SURVIVORS, ExitCode.BASELINE]) is ExitCode.BASELINE
    assert most_serious([ExitCode.FALSIFIED, ExitCode.UNUSABLE]) is ExitCode.UNUSABLE
    assert most_serious([ExitCode.UNUSABLE, ExitCode.BUG]) is ExitCode.BUG
