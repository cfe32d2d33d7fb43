"""How fast the language server answers while it proves, and when the first survivor is shown."""

from __future__ import annotations

import random
import time
from typing import Any

import models
from editor import Editor
from report import Section, percentiles

URI = "file:///cells.lus"
PAUSE_S = 0.02
VISIBLE = 30
"""Lenses of which an editor asks what they say: those on the screen."""


def measure(seconds: float, cells: int) -> Section:
    """Ask for some seconds at most, while a model of ten equations for each cell is decided."""
    section = Section("latency", "Answers of the language server while it proves")
    content = models.cells(cells).content
    lines = content.splitlines()
    editor = Editor({"level": "paper"})
    opened = editor.open(URI, "lustre", content)
    source = random.Random(0)
    body = [n for n, line in enumerate(lines) if " = " in line]
    times: dict[str, list[float]] = {
        name: [] for name in ("hover", "lens", "lens text", "completion", "keystroke")
    }
    version = 1
    ended = False
    while time.perf_counter() - opened < seconds and not ended:
        line = source.choice(body)
        place = {
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": source.randrange(2, len(lines[line]))},
        }
        spent, _ = editor.timed("textDocument/hover", place)
        times["hover"].append(spent)
        spent, lenses = editor.timed("textDocument/codeLens", place)
        times["lens"].append(spent)
        first = source.randrange(max(1, len(lenses)))
        for lens in lenses[first : first + VISIBLE]:
            if "command" not in lens:
                spent, _ = editor.timed("codeLens/resolve", lens)
                times["lens text"].append(spent)
        spent, _ = editor.timed("textDocument/completion", place)
        times["completion"].append(spent)
        # A blank is typed, or taken away again: the next answer comes after it was handled.
        version += 1
        typed = version % 2 == 0
        if typed:
            last = line, len(lines[line])
        where, column = last
        change = {
            "start": {"line": where, "character": column},
            "end": {"line": where, "character": column if typed else column + 1},
        }
        begun = time.perf_counter()
        editor.change(URI, version, change, " " if typed else "")
        editor.timed("textDocument/hover", place)
        times["keystroke"].append(time.perf_counter() - begun)
        time.sleep(PAUSE_S)
        ended = editor.is_told("mutproof/status", state="done")
    rows = []
    for name, found in times.items():
        if found:
            half, most, worst = (1000 * value for value in percentiles(found, 50, 95, 100))
            rows.append([name, len(found), half, most, worst])
    section.say(
        f"A model of {len(body)} equations and {2 * cells} properties; `keystroke` is an edit and"
        " an answer after it, `lens` the places of all lenses, `lens text` what one of the"
        f" {VISIBLE} on the screen says and shows."
    )
    section.table(["request", "asked", "p50 ms", "p95 ms", "largest ms"], rows)
    first_shown = [at - opened for at, method, params in editor.heard if _shows(method, params)]
    section.say(
        f"First survivor shown {first_shown[0]:.2f} s after the file was opened, first verdicts"
        " included"
        if first_shown
        else f"No survivor was shown in {seconds:g} s."
    )
    editor.close()
    return section


def _shows(method: str, params: Any) -> bool:
    return method == "textDocument/publishDiagnostics" and any(
        "survive" in item["message"] for item in params["diagnostics"]
    )
