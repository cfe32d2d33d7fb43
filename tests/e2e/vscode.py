"""Runs scenarios in VS Code: its server with the packaged extension, seen through Chromium."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    """Where screenshots go: a folder, and a file for the last state when something failed."""

    folder: Path
    last: Path


@dataclass(frozen=True, slots=True)
class Installation:
    """VS Code with a profile of its own in a folder, in which the extension is installed.

    `name` is what its checks are called by.
    """

    name: str
    toolbox: Toolbox
    data: Path
    family: Family
    outcomes: Outcomes

    @property
    def command(self) -> Sequence[str]:
        """Return the command of VS Code's server."""
        return [
            "node",
            str(self.toolbox.vscode_server()),
            f"--server-data-dir={self.data / 'data'}",
            f"--user-data-dir={self.data / 'user'}",
            f"--extensions-dir={self.data / 'extensions'}",
            "--accept-server-license-terms",
        ]

    def install(self) -> None:
        """Install the packaged extension."""
        installed = subprocess.run(
            [*self.command, "--install-extension", str(self.toolbox.extension())],
            env=self.family.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        self.outcomes.note(
            f"{self.name}: the packaged extension is installed",
            b"was successfully installed" in installed.stdout,
            installed.stdout.decode(errors="replace"),
        )

    def run(
        self,
        script: Path,
        scenario: Scenario,
        pictures: Pictures,
        *further: str,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        """Start VS Code, run a script in it and count its checks; no process may be left."""
        arguments = self.data / "scenario.json"
        scenario.write(arguments)
        environment = self.family.environment(extra)
        try:
            with self._started(environment) as address:
                words = [
                    *(arguments, address, self.toolbox.node_folder, self.toolbox.browser()),
                    *(pictures.folder, pictures.last, *further),
                ]
                ended = subprocess.run(
                    ["node", str(script), *map(str, words)],
                    env=environment,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=8 * scenario.timeout_s,
                    check=False,
                )
            output = ended.stdout.decode(errors="replace")
            self.outcomes.read(self.name, output, ended.returncode)
        finally:
            left = self.family.wait_until_gone(2, self.toolbox.node_folder)
            self.outcomes.note(f"{self.name}: no process is left after 2 s", not left, str(left))
            self.family.end()

    @contextmanager
    def _started(self, environment: Mapping[str, str]) -> Iterator[str]:
        port = free_port()
        with (self.data / "vscode.log").open("wb") as log:
            editor = subprocess.Popen(
                [
                    *self.command,
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
            try:
                yield wait_for_server(port)
            finally:
                stop(editor)


def run(
    toolbox: Toolbox,
    server: Sequence[str],
    scenario: Scenario,
    folder: Path,
    outcomes: Outcomes,
    pictures: Pictures,
) -> None:
    """Install the extension, choose a server, and run the scenario."""
    name = f"vscode {scenario.name}"
    data = folder / f"vscode-{scenario.name}"
    write_settings(data, Path(scenario.file).parent, server, scenario.level)
    installation = Installation(name, toolbox, data, Family(), outcomes)
    installation.install()
    installation.run(SCRIPT, scenario, pictures)


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
        "git.openRepositoryInParentFolders": "never",
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
