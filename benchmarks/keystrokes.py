"""Typing in files of ten thousand lines: how long an editor waits for each answer it needs."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import models
from editor import Editor
from report import Section, percentiles

PAUSE_S = 0.05
"""Between keystrokes: a fast typist."""

REST_S = 0.45
"""After some words: the server begins to read the text again, and typing goes on meanwhile."""

WORD_KEYS = 10

WORD = " + 1 - {name}"
ASKED = {
    "completion": "textDocument/completion",
    "hover": "textDocument/hover",
    "colours": "textDocument/semanticTokens/full/delta",
    "outline": "textDocument/documentSymbol",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Say where is typed: a 0-based line, the column, and a name that may be used there."""

    line: int
    column: int
    name: str


def measure(seconds: float, lines: int) -> Section:
    """Type for some seconds in each of the files, which have about so many lines."""
    section = Section("typing", f"Typing in files of {lines} lines")
    section.say(
        "After every keystroke the editor asks for completions, a hover, the colours and the"
        f" outline; {1000 * PAUSE_S:.0f} ms lie between keystrokes. After {WORD_KEYS} of them the"
        f" typist rests for {1000 * REST_S:.0f} ms, so that the text is read anew while typing"
        f" goes on, or until the outline is of the new text: `read again`, of which"
        f" {1000 * REST_S:.0f} ms are waiting."
        " `opened` is the time until the text was read, its diagnostics and outline sent."
    )
    nodes = models.parts(lines)
    measured = [
        (f"nodes of 50 lines: {_size(nodes)}", nodes, "manual"),
        ("the same while it is proved", nodes, "onOpenAndSave"),
        (f"one node: {_size(models.whole(lines))}", models.whole(lines), "manual"),
        (f"NuSMV modules: {_size(models.modules(lines))}", models.modules(lines), "manual"),
    ]
    rows = []
    for about, text, run in measured:
        opened, times = _typed(text, seconds, run)
        rows.append([about, opened, *(_percentiles(found) for found in times.values())])
    section.say("Each cell: p50 / p95 / largest, in ms.")
    section.table(["file", "opened s", *ASKED, "read again"], rows)
    return section


def _size(text: models.Text) -> str:
    return f"{text.content.count(chr(10)):,} lines, {len(text.content) / 1e6:.1f} MB"


def _percentiles(found: list[float]) -> str:
    if not found:
        return "–"
    return " / ".join(f"{1000 * value:.0f}" for value in percentiles(found, 50, 95, 100))


def _typed(text: models.Text, seconds: float, run: str) -> tuple[float, dict[str, list[float]]]:
    uri = f"file:///{text.name}"
    editor = Editor({"run": run})
    language = "nusmv" if text.name.endswith(".smv") else "lustre"
    begun = editor.open(uri, language, text.content)
    document = {"textDocument": {"uri": uri}}
    # It is answered once the text was read, when its diagnostics are sent too.
    editor.ask("textDocument/documentSymbol", document)
    opened = time.perf_counter() - begun
    result = editor.ask("textDocument/semanticTokens/full", document)["resultId"]
    times: dict[str, list[float]] = {name: [] for name in (*ASKED, "read again")}
    begun = time.perf_counter()
    for version, (start, end, keys) in enumerate(_keys(text), 2):
        if time.perf_counter() - begun > seconds:
            break
        editor.change(uri, version, {"start": start, "end": end}, keys)
        position = start
        for name, method in ASKED.items():
            asked: dict[str, Any] = {**document, "position": position}
            if name == "colours":
                asked["previousResultId"] = result
            spent, answer = editor.timed(method, asked, read=name == "colours")
            times[name].append(spent)
            if name == "colours":
                result = answer["resultId"]
        if version % WORD_KEYS:
            time.sleep(PAUSE_S)
            continue
        time.sleep(REST_S)
        if version % (2 * WORD_KEYS) == 0:
            spent, _ = editor.timed("textDocument/documentSymbol", document, read=False)
            times["read again"].append(REST_S + spent)
    editor.close()
    return opened, times


Position: TypeAlias = dict[str, int]


def _keys(text: models.Text) -> Iterator[tuple[Position, Position, str]]:
    """Yield what each keystroke replaces and by what: all that is typed is taken back."""
    source = random.Random(0)
    places = list(_places(text))
    while True:
        place = source.choice(places)
        word = WORD.format(name=place.name)
        ends = [_at(place.line, place.column + index) for index in range(len(word) + 1)]
        for end, key in zip(ends, word, strict=False):
            yield end, end, key
        below = _at(place.line + 1, 0)
        yield ends[-1], ends[-1], "\n"
        yield ends[-1], below, ""
        for index in reversed(range(len(word))):
            yield ends[index], ends[index + 1], ""


def _at(line: int, column: int) -> Position:
    return {"line": line, "character": column}


def _places(text: models.Text) -> Iterator[Place]:
    """Yield the ends of equations and assignments."""
    for number, line in enumerate(text.content.split("\n")):
        if line.startswith("  x") and " = " in line:
            yield Place(number, line.rindex(";"), "x0")
        elif line.startswith("  next(") and "esac" in line:
            yield Place(number, line.rindex("; esac"), "v0")
