"""Runs the scenario in VS Code: its server with the packaged extension, seen through Chromium."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from outcomes import Outcomes
from processes import Family, stop
from scenario import Scenario
from toolbox import Toolbox

SCRIPT = Path(__file__).with_name("vscode.mjs")
START_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True)
class Pictures:
    """Where screenshots go: of the survivors, and of the last state when something failed."""

    survivors: Path
    last: Path


def run(
    toolbox: Toolbox,
    server: Sequence[str],
    scenario: Scenario,
    folder: Path,
    outcomes: Outcomes,
    pictures: Pictures,
) -> None:
    """Install the extension, start VS Code, run the script and count its checks."""
    editor_name = f"vscode {scenario.name}"
    family = Family()
    browser = toolbox.browser()
    data = folder / f"vscode-{scenario.name}"
    write_settings(data, Path(scenario.file).parent, server, scenario.level)
    main = [
        "node",
        str(toolbox.vscode_server()),
        f"--server-data-dir={data / 'data'}",
        f"--user-data-dir={data / 'user'}",
        f"--extensions-dir={data / 'extensions'}",
        "--accept-server-license-terms",
    ]
    environment = family.environment()
    installed = subprocess.run(
        [*main, "--install-extension", str(toolbox.extension())],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    outcomes.note(
        f"{editor_name}: the packaged extension is installed",
        b"was successfully installed" in installed.stdout,
        installed.stdout.decode(errors="replace"),
    )
    port = free_port()
    log = (folder / "vscode.log").open("wb")
    editor = subprocess.Popen(
        [
            *main,
            "--host=127.0.0.1",
            f"--port={port}",
            "--without-connection-token",
            "--disable-telemetry",
            "--disable-workspace-trust",
        ],
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    arguments = folder / "vscode.json"
    scenario.write(arguments)
    try:
        address = wait_for_server(port)
        script = subprocess.run(
            [
                "node",
                str(SCRIPT),
                str(arguments),
                address,
                str(toolbox.node_folder),
                str(browser),
                str(pictures.survivors),
                str(pictures.last),
            ],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=8 * scenario.timeout_s,
            check=False,
        )
        outcomes.read(editor_name, script.stdout.decode(errors="replace"), script.returncode)
    finally:
        stop(editor)
        log.close()
        left = family.wait_until_gone(2, toolbox.node_folder)
        outcomes.note(f"{editor_name}: no process is left after 2 s", not left, str(left))
        family.end()


def write_settings(data: Path, folder: Path, server: Sequence[str], level: str) -> None:
    """Choose the server for the machine, and what is shown for the folder."""
    machine = data / "user" / "Machine"
    machine.mkdir(parents=True)
    machine_settings = {"mutproof.server.path": list(server)}
    (machine / "settings.json").write_text(json.dumps(machine_settings), encoding="utf-8")
    workspace = folder / ".vscode"
    workspace.mkdir(exist_ok=True)
    workspace_settings = {
        "mutproof.level": level,
        "mutproof.run": "onOpenAndSave",
        "mutproof.diagnostics.allMutants": True,  # the scenario names single mutants
        "workbench.startupEditor": "none",
        "workbench.colorTheme": "Default Light Modern",
        "workbench.tips.enabled": False,
        "editor.minimap.enabled": False,
        "editor.lightbulb.enabled": "off",
        "editor.formatOnSave": False,
        "editor.hover.above": False,
        "editor.autoIndent": "none",
        "editor.autoClosingBrackets": "never",
        "files.autoSave": "off",
        "testing.automaticallyOpenTestResults": "neverOpen",
        "telemetry.telemetryLevel": "off",
        "chat.commandCenter.enabled": False,
    }
    (workspace / "settings.json").write_text(json.dumps(workspace_settings), encoding="utf-8")


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
    return port


def wait_for_server(port: int) -> str:
    """Wait until VS Code answers; return its address."""
    address = f"http://127.0.0.1:{port}/"
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return address
        except (urllib.error.URLError, ConnectionError) as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"e2e: VS Code does not answer at {address}") from error
            time.sleep(0.2)
