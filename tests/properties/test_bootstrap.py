"""Processes of the package run the package that started them, and end with who started them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import psutil
import pytest

from mutproof.base import bootstrap

ROOT = Path(__file__).resolve().parents[2]
GONE_S = 20
MODULES = ("mutproof.runtime.child", "mutproof.solving.spacer_child")


def runs(process: psutil.Process) -> bool:
    """Tell whether a process still does something; one that ended may wait to be collected."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are asked now and then")
@pytest.mark.parametrize("module", MODULES)
def test_a_process_whose_parent_dies_while_it_imports_ends_with_it(module: str) -> None:
    """The parent is killed at once; its child keeps its input open elsewhere."""
    script = (
        "import os, subprocess, sys\n"
        f"words = [*{bootstrap.command(module)!r}, str(os.getpid())]\n"
        "child = subprocess.Popen(words, stdin=sys.stdin, stdout=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        parent.wait()
        assert [] == [one for one in psutil.wait_procs([child], timeout=GONE_S)[1] if runs(one)]


def test_a_process_for_another_parent_does_not_begin() -> None:
    words = [*bootstrap.command("mutproof.solving.spacer_child"), str(os.getpid() + 1)]
    done = subprocess.run(words, input=b"", capture_output=True, timeout=60, check=False)
    assert (1, b"", b"") == (done.returncode, done.stdout, done.stderr)


PROBE = """
import sys
import mutproof
def main(arguments):
    print(mutproof.__path__[0], sys.argv[0], *arguments[:-1])
    print(*[place for place in sys.path if place.endswith('hostile')])
"""
ASK = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from mutproof.base import bootstrap
words = [*bootstrap.command('mutproof.probe'), 'one', str(os.getpid())]
print(subprocess.run(words, check=True, capture_output=True, text=True).stdout, end='')
"""


def test_a_package_in_an_archive_starts_itself(tmp_path: Path) -> None:
    archive = tmp_path / "an archive.zip"
    package = ROOT / "server" / "mutproof"
    with zipfile.ZipFile(archive, "w") as made:
        for path in package.rglob("*.py"):
            made.write(path, path.relative_to(package.parent))
        made.writestr("mutproof/probe.py", PROBE)
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(archive)],
        cwd=hostile,
        env={**os.environ, "PYTHONPATH": str(hostile)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"{archive}/mutproof mutproof.probe one\n\n" == done.stdout, done.stderr
