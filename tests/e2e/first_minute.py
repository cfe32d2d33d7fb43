"""Runs the first minute of a new user in VS Code: nothing but the extension is installed."""

import os
from pathlib import Path

from outcomes import Outcomes
from processes import Family
from scenario import Scenario
from toolbox import Toolbox
from vscode import Installation, Pictures, free_port

SCRIPT = Path(__file__).with_name("first_minute.mjs")


def run(
    toolbox: Toolbox, scenario: Scenario, folder: Path, outcomes: Outcomes, pictures: Pictures
) -> None:
    """Install the extension into an empty profile; the script opens the index of packages."""
    data = folder / "vscode-empty"
    data.mkdir()
    port = free_port()
    index = {
        # Nothing that this machine says of indexes counts.
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": f"http://127.0.0.1:{port}/",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "0",
        "PIP_NO_CACHE_DIR": "1",
    }
    installation = Installation("vscode first minute", toolbox, data, Family(), outcomes)
    installation.install()
    packages = str(toolbox.package_index())
    installation.run(SCRIPT, scenario, pictures, packages, str(port), extra=index)
