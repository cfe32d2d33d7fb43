"""Run the command as a user does: as a process, seen through its streams and exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Ended:
    """Hold what a process left behind."""

    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """Return an environment in which the package of this checkout is the one that runs."""
    kept = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "TERM"}}
    paths = [str(ROOT / "server"), *filter(None, [kept.get("PYTHONPATH")])]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), **changes}


def command(*arguments: str | Path) -> list[str]:
    """Return the command line."""
    return [sys.executable, "-m", "mutproof", *map(str, arguments)]


def mutproof(*arguments: str | Path, cwd: Path = ROOT, before: str = "", **changes: str) -> Ended:
    """Run the command to its end; `before` is Python that its process runs first."""
    program = f"{before}\nfrom mutproof.cli.main import run\nrun()"
    prepared = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(
        prepared if before else command(*arguments),
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)
