"""What a save takes in an editor, from saving until all is said, against opening the file."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator

import models
import saves
from editor import Editor
from models import Text
from report import Section, median, percentiles

SETTINGS = {"level": "paper", "equivalence": "off"}
URI = "file:///measured.lus"

READY_S = 1.0
"""How long an editor is open before a file is: its server has started by then."""

READING_S = 0.5
"""How long somebody looks at an edit before saving: the text is understood by then."""

MOST_S = 60.0


def measure(seconds: float, files: int, most: int) -> Section:
    """Measure within some seconds the largest files, and at most some edits of each."""
    section = Section("editing", "A save in an editor, against opening the file there")
    deadline = time.monotonic() + seconds
    rows: list[list[object]] = []
    everything: list[float] = []
    waits: list[float] = []
    for text in sorted(models.mutated(), key=lambda text: -len(text.content))[:files]:
        found = text.elaborated()
        if found.program is None or time.monotonic() > deadline:
            continue
        changed = [content for _, content in saves.edits(found)]
        chosen = changed[:: max(1, len(changed) // most)][:most]
        with tempfile.TemporaryDirectory() as folder:
            times = list(_waits(text, chosen, folder))
        if len(times) > 1:
            cold, *mine = times
            ratios = [each / cold for each in mine]
            everything += ratios
            waits += mine
            measured = f"{len(mine)}/{len(changed)}"
            rows.append([text.name, measured, median(mine), cold, median(ratios), max(ratios)])
    section.table(["file", "edits measured", "save, s", "open, s", "p50", "largest"], rows)
    if everything:
        half, most_of = percentiles(everything, 50, 95)
        wait, longest = percentiles(waits, 50, 95)
        section.say(
            "Until the server says that it is done, everything included: messages, its own work,"
            " proofs, cores and mutants; survivors are not told apart. The editor has been open for"
            f" {READY_S:g} s when it opens the file, and what was kept on disk is none. Over all"
            f" {len(everything)} edits a save takes {wait:.3f} s (p95 {longest:.3f} s): median"
            f" {half:.3f}, p95 {most_of:.3f} of opening the file."
        )
    return section


def _waits(text: Text, changed: list[str], folder: str) -> Iterator[float]:
    """Yield what opening a text takes, then what saving each edit does."""
    editor = Editor(SETTINGS, {"MUTPROOF_CACHE_DIR": folder})
    try:
        time.sleep(READY_S)
        begun = editor.open(URI, "lustre", text.content)
        done = _done(editor, 1)
        if done is None:
            return
        yield done - begun
        version = 1
        for content in changed:
            for now in (content, text.content):
                version += 1
                document = {"uri": URI, "version": version}
                change = {"textDocument": document, "contentChanges": [{"text": now}]}
                editor.tell("textDocument/didChange", change)
                time.sleep(READING_S)
                begun = time.perf_counter()
                editor.tell("textDocument/didSave", {"textDocument": {"uri": URI}})
                done = _done(editor, version)
                if done is None:
                    return
                if now is content:
                    yield done - begun
    finally:
        editor.close()


def _done(editor: Editor, count: int) -> float | None:
    """Wait until that many runs are over; return when the last one was, None if it is not."""
    deadline = time.monotonic() + MOST_S
    while time.monotonic() < deadline:
        ended = [
            arrived
            for arrived, method, params in list(editor.heard)
            if method == "mutproof/status" and params.get("state") == "done"
        ]
        if len(ended) >= count:
            return ended[count - 1]
        time.sleep(0.002)
    return None
