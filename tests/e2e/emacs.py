"""Opens the model of the scenario in Emacs with eglot, a strict client of its own."""

from collections.abc import Sequence
from pathlib import Path

from outcomes import Outcomes
from scenario import Scenario
from scripted import run_script

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
    arguments = folder / f"emacs-{scenario.name}.json"
    scenario.write(arguments)
    command = [str(program), "-Q", "--batch", "--eval", PACKAGES, "-l", str(SCRIPT)]
    command += [str(arguments), *server, "serve"]
    run_script(command, {"HOME": str(folder)}, scenario, outcomes, editor="emacs")
