"""Opens the pages that mutproof writes in Chromium: offline, light and dark, read by axe.

Then pages with few and with many mutants, to compare how long they take.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from outcomes import Outcomes
from processes import Family
from toolbox import Toolbox

SCRIPT = Path(__file__).with_name("pages.mjs")
OPENING = SCRIPT.with_name("opening.mjs")
MANY_MUTANTS = SCRIPT.with_name("many_mutants.py")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PAGES = (
    ("gaps", "mutate demo2.lus --equivalence", {"mutants": {"file": "demo2.lus", "least": 14},
                                                "differs": True}),
    ("suggestions", "suggest demo2.lus", {"mutants": {"file": "demo2.lus", "least": 14},
                                          "differs": True, "copies": True}),
    ("proofs", "prove demo.lus", {}),
    ("cores", "core --all traffic_light.smv", {}),
)  # fmt: skip
SIZES = (
    ("500 mutants", 1, 500, {}),
    ("5,000 mutants in ten files", 10, 500, {"opened": 3, "shown": 3}),
    ("5,000 mutants in a file", 1, 5000, {"opened": 3, "shown": 30}),
)
"""Pages: a name, files, mutants of each, and how many times as long as the first they may take.

The viewer looks at every mutant of a file for every character of it.
"""


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
    pictures = toolbox.cache / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    _check(toolbox, family, SCRIPT, pages, outcomes, pictures)
    sizes = []
    for name, files, mutants, times in SIZES:
        file = folder / f"{files}-{mutants}.html"
        words = [str(MANY_MUTANTS), str(files), str(mutants), str(file)]
        subprocess.run([str(toolbox.python), *words], env=family.environment(), check=True)
        sizes.append({"name": name, "file": str(file), "times": times})
    _check(toolbox, family, OPENING, sizes, outcomes)
    family.end()


def _check(
    toolbox: Toolbox,
    family: Family,
    script: Path,
    pages: Sequence[Mapping[str, object]],
    outcomes: Outcomes,
    *further: Path,
) -> None:
    """Have a script open pages, and count what it checks of them."""
    listed = Path(str(pages[0]["file"])).with_name(f"{script.stem}.json")
    listed.write_text(json.dumps(pages), encoding="utf-8")
    arguments = [script, listed, toolbox.page_folder(), toolbox.browser(), *further]
    ended = subprocess.run(
        ["node", *map(str, arguments)],
        env=family.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=180,
        check=False,
    )
    outcomes.read("pages", ended.stdout.decode(errors="replace"), ended.returncode)
