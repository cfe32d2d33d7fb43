"""Opens the model of the scenario in Emacs with eglot, a strict client of its own."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from outcomes import Outcomes
from processes import Family, stop
from scenario import Scenario

SCRIPT = Path(__file__).with_name("emacs.el")
PACKAGES = """(progn
  (setq package-directory-list '("/usr/share/emacs/site-lisp/elpa-src"))
  (require 'package)
  (package-initialize))"""
"""Where Debian puts eglot for an Emacs that does not have it yet."""


def run(
    program: Path, server: Sequence[str], scenario: Scenario, folder: Path, outcomes: Outcomes
) -> None:
    """Run the script and count its checks."""
    family = Family()
    arguments = folder / f"emacs-{scenario.name}.json"
    scenario.write(arguments)
    command = [str(program), "-Q", "--batch", "--eval", PACKAGES, "-l", str(SCRIPT)]
    editor = subprocess.Popen(
        [*command, str(arguments), *server, "serve"],
        env=family.environment({"HOME": str(folder)}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        output, _ = editor.communicate(timeout=4 * scenario.timeout_s)
    except subprocess.TimeoutExpired:
        stop(editor)
        output, _ = editor.communicate()
    left = family.wait_until_gone(2, program)
    editor_name = f"emacs {scenario.name}"
    outcomes.read(editor_name, output.decode(errors="replace"), editor.returncode)
    outcomes.note(f"{editor_name}: no process is left after 2 s", not left, str(left))
    family.end()
