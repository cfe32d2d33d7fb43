"""Opens the pages that mutproof writes in Chromium: offline, light and dark, read by axe."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from outcomes import Outcomes
from processes import Family
from toolbox import Toolbox

SCRIPT = Path(__file__).with_name("pages.mjs")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAGES = (
    ("gaps", "mutate demo2.lus --equivalence", {"mutants": {"file": "demo2.lus", "least": 14},
                                                "differs": True}),
    ("suggestions", "suggest demo2.lus", {"mutants": {"file": "demo2.lus", "least": 14},
                                          "differs": True, "copies": True}),
    ("proofs", "prove demo.lus", {}),
    ("cores", "core --all traffic_light.smv", {}),
)  # fmt: skip


def run(toolbox: Toolbox, server: Sequence[str], folder: Path, outcomes: Outcomes) -> None:
    """Write a page with each command, and count what the script checks of all of them."""
    family = Family()
    pages = []
    for name, words, checks in PAGES:
        file = folder / f"{name}.html"
        subprocess.run(
            [*server, *words.split(), "--format", "html", "--output", str(file), "--no-progress"],
            cwd=EXAMPLES,
            env=family.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        pages.append({"name": name, "file": str(file), **checks})
    listed = folder / "pages.json"
    listed.write_text(json.dumps(pages), encoding="utf-8")
    pictures = toolbox.cache / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    arguments = [listed, toolbox.page_folder(), toolbox.browser(), pictures]
    script = subprocess.run(
        ["node", str(SCRIPT), *map(str, arguments)],
        env=family.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=180,
        check=False,
    )
    outcomes.read("pages", script.stdout.decode(errors="replace"), script.returncode)
    family.end()
