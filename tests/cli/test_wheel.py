"""What is built for users runs on its own: the wheel, installed, without this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from process import EXAMPLES, ROOT

DEMO2 = EXAMPLES / "demo2.lus"
CLOCK = EXAMPLES / "clock.smv"
WHERE = "import mutproof; print(mutproof.__file__)"


def ran(*command: str | Path, cwd: Path, **changes: str) -> str:
    """Run a command to its end, which is well."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_the_wheel_is_built_installed_and_proves(tmp_path: Path) -> None:
    built, installed = tmp_path / "built", tmp_path / "installed"
    ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built, cwd=ROOT)
    (wheel,) = built.glob("*.whl")
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
    ran(*pip, "--target", installed, wheel, cwd=tmp_path)

    python, own = (sys.executable, "-P"), {"PYTHONPATH": str(installed)}
    assert str(installed) in ran(*python, "-c", WHERE, cwd=tmp_path, **own)
    for model in (DEMO2, CLOCK):
        said = ran(*python, "-m", "mutproof", "prove", model, "--no-cache", cwd=tmp_path, **own)
        assert "PROVED" in said.upper()
    assert (installed / "bin" / "mutproof").exists()
