"""Runs the scenario in Neovim, attached to the server as any of its users would do."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from outcomes import Outcomes
from processes import Family, stop
from scenario import Scenario

SCRIPT = Path(__file__).with_name("neovim.lua")


def run(
    program: Path, server: Sequence[str], scenario: Scenario, folder: Path, outcomes: Outcomes
) -> None:
    """Run the script and count its checks."""
    family = Family()
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
    environment = family.environment({"XDG_STATE_HOME": str(folder / "state")})
    editor = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = editor.communicate(timeout=4 * scenario.timeout_s)
    except subprocess.TimeoutExpired:
        stop(editor)
        output, _ = editor.communicate()
    left = family.wait_until_gone(2, program)
    editor_name = f"neovim {scenario.name}"
    outcomes.read(editor_name, output.decode(errors="replace"), editor.returncode)
    outcomes.note(f"{editor_name}: no process is left after 2 s", not left, str(left))
    family.end()
