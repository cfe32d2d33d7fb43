"""Editors that run a script and print a line for each of its checks."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from outcomes import Outcomes
from processes import Family, stop
from scenario import Scenario


def run_script(
    command: Sequence[str],
    extra: Mapping[str, str],
    scenario: Scenario,
    outcomes: Outcomes,
    *,
    editor: str,
) -> None:
    """Run an editor's command to its end, with more environment, and count its checks.

    `command` begins with the path of the editor; `editor` is what it is called.
    """
    family = Family()
    running = subprocess.Popen(
        command, env=family.environment(extra), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        output, _ = running.communicate(timeout=4 * scenario.timeout_s)
    except subprocess.TimeoutExpired:
        stop(running)
        output, _ = running.communicate()
    left = family.wait_until_gone(2, Path(command[0]))
    name = f"{editor} {scenario.name}"
    outcomes.read(name, output.decode(errors="replace"), running.returncode)
    outcomes.note(f"{name}: no process is left after 2 s", not left, str(left))
    family.end()
