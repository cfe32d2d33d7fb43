"""In a folder that somebody else has filled, nothing of it is run and no verdict changes."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from process import EXAMPLES, ROOT, command, environment, mutproof

LATE = (
    *("attr", "cvc5", "dd", "interegular", "lark", "lsprotocol", "platformdirs", "pygls", "queue"),
    *("regex", "rich", "z3"),
)
"""What Python itself does not import before this package can say where modules are."""

SHADOWS = (
    *("argparse", "asyncio", "ctypes", "dataclasses", "enum", "json", "logging", "mutproof"),
    *("random", "runpy", "sitecustomize", "socket", "typing", "usercustomize", *LATE),
)


def fill(folder: Path, names: Sequence[str]) -> Path:
    """Write modules that leave a mark when somebody imports them; return where it goes."""
    folder.mkdir(parents=True, exist_ok=True)
    marks = folder / "marks"
    marks.mkdir()
    for name in names:
        mark = marks / name
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\n")
    return marks


def run(words: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=folder,
        env=environment(**variables),
        input="",
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


_START = f"import sys; sys.path.insert(0, {str(ROOT / 'server')!r}); "
ISOLATED = [
    *(sys.executable, "-E", "-P", "-c"),
    _START + "import runpy; runpy.run_module('mutproof', run_name='__main__')",
]
"""How the installed command starts, with the package of this checkout."""

COMMANDS = {
    "prove": ["prove", "demo.lus", "--no-cache"],
    "mutate": ["mutate", "demo.lus", "--no-cache", "--jobs", "2"],
    "certify": ["prove", "demo.lus", "--no-cache", "--certify", "certificates"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_modules_in_the_current_folder_are_not_run(tmp_path: Path, name: str) -> None:
    marks = fill(tmp_path, SHADOWS)
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    done = run([*ISOLATED, *COMMANDS[name]], tmp_path)
    assert [] == sorted(path.name for path in marks.iterdir())
    assert "Prop1" in done.stdout, done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_modules_that_pythonpath_names_are_not_run(tmp_path: Path, name: str) -> None:
    other = tmp_path / "other"
    marks = fill(other, LATE)
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    places = os.pathsep.join([str(other), str(ROOT / "server")])
    (tmp_path / "startup.py").write_text(f"open({str(marks / 'startup')!r}, 'w')\n")
    done = run(
        [sys.executable, "-P", "-m", "mutproof", *COMMANDS[name]],
        tmp_path,
        PYTHONPATH=places,
        PYTHONSTARTUP=str(tmp_path / "startup.py"),
    )
    assert [] == sorted(path.name for path in marks.iterdir())
    assert "Prop1" in done.stdout, done.stderr


def test_a_module_run_by_name_forgets_the_current_folder(tmp_path: Path) -> None:
    marks = fill(tmp_path, LATE)
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    done = run(command(*COMMANDS["mutate"]), tmp_path)
    assert [] == sorted(path.name for path in marks.iterdir())
    assert "Prop1" in done.stdout, done.stderr


def framed(message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def shown_by_a_server(folder: Path, variables: dict[str, str]) -> bytes:
    """Return the end of what a server in a folder says until a survivor is shown."""
    text = (EXAMPLES / "demo.lus").read_text()
    document = {"uri": "file:///m.lus", "languageId": "lustre", "version": 1, "text": text}
    opening: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    words = [sys.executable, "-P", "-c", "from mutproof.__main__ import main; main()", "serve"]
    with subprocess.Popen(
        words, cwd=folder, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(framed({"id": 1, "method": "initialize", "params": opening}))
        server.stdin.write(framed({"method": "initialized", "params": {}}))
        opened = {"textDocument": document}
        server.stdin.write(framed({"method": "textDocument/didOpen", "params": opened}))
        server.stdin.flush()
        seen = b""
        while b'"diagnostics":[{' not in seen.replace(b" ", b""):
            read = server.stdout.read1()  # type: ignore[attr-defined]
            assert read, seen
            seen = seen[-300:] + read
        server.stdin.close()
    return seen


def test_a_server_runs_no_modules_of_a_workspace(tmp_path: Path) -> None:
    other = tmp_path / "other"
    marks, more = fill(tmp_path, SHADOWS), fill(other, LATE)
    variables = environment(PYTHONPATH=os.pathsep.join([str(ROOT / "server"), str(other)]))
    shown_by_a_server(tmp_path, variables)
    assert [] == sorted(path.name for folder in (marks, more) for path in folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
def test_a_server_waits_for_nobody_where_verdicts_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    mutproof("mutate", EXAMPLES / "demo.lus", MUTPROOF_CACHE_DIR=str(kept))
    entries = sorted(kept.rglob("*.mutproof"))
    assert entries
    for entry in entries:
        entry.unlink()
        os.mkfifo(entry)
    variables = environment(MUTPROOF_CACHE_DIR=str(kept), PYTHONPATH=str(ROOT / "server"))
    assert b"diagnostics" in shown_by_a_server(tmp_path, variables)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says which files a process has mapped")
def test_a_solver_library_in_the_current_folder_is_not_loaded(tmp_path: Path) -> None:
    script = (
        "import mutproof.solving.z3_context\n"
        "lines = open('/proc/self/maps').read().splitlines()\n"
        "print(*sorted({x.split()[-1] for x in lines if 'libz3.' in x}))"
    )
    (beside,) = run([sys.executable, "-c", script], ROOT).stdout.split()
    shutil.copy(beside, tmp_path)
    assert f"{beside}\n" == run([sys.executable, "-P", "-c", script], tmp_path).stdout


def test_a_cache_that_everybody_may_write_to_is_refused_with_a_line(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    kept.chmod(0o777)
    first = mutproof("prove", EXAMPLES / "demo.lus", MUTPROOF_CACHE_DIR=str(kept))
    assert 0 == first.code
    assert f"warning: nothing is kept in '{kept}': every user may write to it\n" == first.err
    assert [] == list(kept.iterdir())
    shown = mutproof("cache", "--clear", MUTPROOF_CACHE_DIR=str(kept))
    assert f"warning: nothing is kept in '{kept}': every user may write to it\n" == shown.err


ODD = {
    b"a\n::error file=x::forged.lus": "a\\n::error file=x::forged.lus",
    b"\x1b[31mred\x1b]0;title\x07.lus": "\\x1b[31mred\\x1b]0;title\\x07.lus",
    b"-dash.lus": "-dash.lus",
    b"\xff\xfe.lus": "\\udcff\\udcfe.lus",
    b"[bold]brackets.lus": "[bold]brackets.lus",
    "\u202eright-to-left.lus".encode(): "\\u202eright-to-left.lus",
}


@pytest.fixture
def oddly_named(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    for number, name in enumerate(ODD):
        text = (EXAMPLES / "demo.lus").read_bytes()
        (folder / os.fsdecode(name)).write_bytes(text if number % 2 else text + b"\nnode (")
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize("name", ["prove", "mutate", "core", "equivalent"])
def test_names_of_files_are_shown_without_what_a_terminal_obeys(
    oddly_named: Path, name: str
) -> None:
    ended = mutproof(name, ".", "--no-cache", "--no-timings", cwd=oddly_named)
    assert "" == "".join(c for c in ended.out + ended.err if not c.isprintable() and c != "\n")
    lines = (ended.out + ended.err).splitlines()
    assert not any(line.startswith("::") for line in lines)
    for shown in ODD.values():
        assert any(line.startswith((shown, f"./{shown}")) for line in lines), shown


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_programs_are_told_names_as_they_are(oddly_named: Path) -> None:
    ended = mutproof("prove", ".", "--no-cache", "--format", "json", cwd=oddly_named)
    found = {os.path.basename(os.fsencode(one["file"])) for one in json.loads(ended.out)}
    assert set(ODD) == found


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names")
@pytest.mark.parametrize("kind", ["fifo", "huge", "forged"])
def test_what_lies_in_the_place_of_kept_verdicts_changes_none(tmp_path: Path, kind: str) -> None:
    kept = tmp_path / "kept"
    plain = ("prove", EXAMPLES / "demo2.lus", "--no-timings", "--jobs", "1")
    first = mutproof(*plain, MUTPROOF_CACHE_DIR=str(kept))
    entries = sorted(kept.rglob("*.mutproof"))
    assert entries
    for entry in entries:
        content = entry.read_bytes()
        entry.unlink()
        if kind == "fifo":
            os.mkfifo(entry)
        elif kind == "huge":
            with entry.open("wb") as stream:
                stream.truncate(1 << 40)  # takes no room
        else:
            entry.write_bytes(content[:-32] + hashlib.blake2b(content, digest_size=32).digest())
    again = mutproof(*plain, MUTPROOF_CACHE_DIR=str(kept))
    assert first == again


@pytest.mark.parametrize("word", ["prove", "core", "mutate"])
def test_a_pipe_in_the_place_of_a_model_is_refused_and_others_are_read(
    tmp_path: Path, word: str
) -> None:
    os.mkfifo(tmp_path / "pipe.lus")
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    named = [word, "--no-cache", "--file-timeout", "20", "pipe.lus", "demo.lus"]
    done = run([*ISOLATED, *named], tmp_path)
    assert 1 == done.returncode
    expected = "pipe.lus: error[file-unreadable]: a pipe, not a file: pipe.lus"
    assert [expected] == [line for line in done.stderr.splitlines() if "pipe.lus" in line]
    assert "demo.lus" in done.stdout


def test_what_a_shell_pipes_in_is_refused_in_a_line(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "demo.lus", tmp_path)
    quoted = " ".join(shlex.quote(word) for word in ISOLATED)
    script = f"exec {quoted} prove --no-cache <(cat demo.lus)"
    done = run(["bash", "-c", script], tmp_path)
    assert 1 == done.returncode
    assert "error[file-unreadable]: a pipe, not a file" in done.stderr
    assert "Traceback" not in done.stderr


BUDGET_S, OVER_S, START_S = 3, 2, 30
"""What a file may take, how late it may be, and how long a busy machine may take to start it."""

HOSTILE = {
    "calls.lus": "".join(
        f"node n{i}(x: int) returns (y: int);\nlet y = n{i + 1}(x) + 1; tel;\n"
        for i in range(10_000)
    )
    + "node n10000(x: int) returns (y: int);\nlet y = x; tel;\n"
    "node main(x: int) returns (p: bool);\nlet p = n0(x) >= x; --%PROPERTY p;\ntel;\n",
    "instances.smv": "MODULE main\nVAR m: m0;\nINVARSPEC m.d;\n"
    + "".join(f"MODULE m{i}\nVAR a: m{i + 1}; b: m{i + 1};\n" for i in range(30))
    + "MODULE m30\nDEFINE d := TRUE;\n",
    "negations.smv": f"MODULE main\nVAR x: boolean;\nINVARSPEC {'!' * 100_000}x;\n",
    "values.smv": f"MODULE main\nVAR x: {{{', '.join(f'v{i}' for i in range(20_000))}}};\n"
    "ASSIGN init(x) := v0; next(x) := x;\nINVARSPEC x = v0;\n",
    "branches.smv": "MODULE main\nVAR x: 0..4000;\nASSIGN init(x) := 0; next(x) := case\n"
    + "".join(f"x = {i} : {i + 1};\n" for i in range(4_000))
    + "TRUE: 0; esac;\nINVARSPEC x <= 4000;\n",
    "properties.smv": "MODULE main\nVAR x: boolean;\n" + "INVARSPEC x | !x;\n" * 30_000,
    "squares.lus": "node main(x: int) returns (p: bool);\nvar y: int;\n"
    "let y = 2 -> pre y * pre y * pre y; p = y > 1; --%PROPERTY p;\ntel;\n",
    "nothing.lus": "node main() returns (p: bool);\nlet\n" + "foo = ( [ bar;\n" * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_file_holds_it_ends_within_its_budget(tmp_path: Path, name: str) -> None:
    """A budget is about time, so this is: what waits for it is ended by the clock, too."""
    (tmp_path / name).write_text(HOSTILE[name])
    words = [*ISOLATED, "mutate", "--no-cache", "--jobs", "1", "--file-timeout", str(BUDGET_S)]
    done = subprocess.run(
        [*words, name],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=BUDGET_S + OVER_S + START_S,
        check=False,
    )
    assert done.returncode in {0, 1, 2, 3, 4, 30}, done.stderr
    assert "Traceback" not in done.stderr
    said = done.stdout + done.stderr
    assert any(word in said for word in ("error[", "UNKNOWN", "KILLED", "SURVIVED")), said
