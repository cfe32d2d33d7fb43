"""Runs the scenario in Neovim, attached to the server as any of its users would do."""

import json
from collections.abc import Sequence
from pathlib import Path

from outcomes import Outcomes
from scenario import Scenario
from scripted import run_script

SCRIPT = Path(__file__).with_name("neovim.lua")


def run(
    program: Path, server: Sequence[str], scenario: Scenario, folder: Path, outcomes: Outcomes
) -> None:
    """Run the script and count its checks."""
    arguments = folder / f"neovim-{scenario.name}.json"
    scenario.write(arguments)
    command = [
        str(program),
        "--clean",
        "--headless",
        "-l",
        str(SCRIPT),
        str(arguments),
        json.dumps([*server, "serve"]),
    ]
    state = {"XDG_STATE_HOME": str(folder / "state")}
    run_script(command, state, scenario, outcomes, editor="neovim")
