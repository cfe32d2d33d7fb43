"""How time and memory grow with the number of equations and of mutants.

Every size runs in a process of its own, whose largest memory is read after each stage. Mutation
of a size is stopped after a while; its proof and what was found until then count.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from report import Plot, Section

PER_CELL = 10
LEVEL = "paper"
GRACE_S = 1.0
"""How much longer than its limit a mutation may take to stop."""


def measure(seconds: float, equations: tuple[int, ...], mutants: tuple[int, ...]) -> Section:
    """Measure sizes in increasing order, as far as the time goes: half of it for each table."""
    section = Section("growth", "Growth")
    begun = time.monotonic()
    rows: list[list[object]] = []
    for size in equations:
        # Later sizes need their time too: no more than a share of it is for mutants of this one.
        left = begun + seconds / 2 - time.monotonic()
        found = _child(left, "equations", size, limit_s=left / 10)
        columns = ("read", "proof", "first", "mutation", "mutants", "memory")
        rows.append([size, *(found.get(column) for column in columns)])
        if "proof" not in found:
            break
    section.say(
        "Cells in a row, ten equations and two properties each; `first survivor` counts from the"
        " end of the proof. A dash where the time was over; mutants are then those decided."
    )
    section.table(
        ["equations", "read s", "proof s", "first survivor s", "mutation s", "mutants", "MiB"], rows
    )
    series = {
        name: [(float(str(row[0])), float(str(row[column]))) for row in rows if row[column]]
        for name, column in (("read", 1), ("proof", 2), ("mutation", 4))
    }
    plotted = {name: points for name, points in series.items() if points}
    if plotted:
        section.plots.append(Plot("equations.svg", "equations", "seconds", plotted))
    _mutants(section, begun + seconds, mutants)
    return section


def _mutants(section: Section, deadline: float, sizes: tuple[int, ...]) -> None:
    """Measure many mutants of models that are proved quickly."""
    rows: list[list[object]] = []
    for size in sizes:
        left = deadline - time.monotonic()
        found = _child(left, "mutants", size, limit_s=left)
        if found.get("mutation") is None:
            rows.append([size, *[None] * 4])
            break
        each = 1000 * found["mutation"] / found["mutants"]
        rows.append([size, found["mutants"], found["mutation"], each, found["memory"]])
    section.say(
        "Many mutants of nodes with sixty equations, of which one property sees one: most are"
        " decided because no proof rests on them, so this is what every mutant costs at least."
    )
    section.table(["asked for", "mutants", "mutation s", "ms for each", "MiB"], rows)
    points = [(float(str(row[1])), float(str(row[2]))) for row in rows if row[1] is not None]
    if points:
        section.plots.append(Plot("mutants.svg", "mutants", "seconds", {"mutation": points}))


def _child(left_s: float, kind: str, size: int, *, limit_s: float) -> dict[str, Any]:
    """Return what one size takes; what the time does not suffice for is missing."""
    if left_s < 1:
        return {}
    command = [sys.executable, str(Path(__file__)), kind, str(size), str(limit_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            output = child.communicate(timeout=left_s)[0]
        except subprocess.TimeoutExpired:
            child.kill()
            output = child.communicate()[0]
    lines = output.splitlines()
    found: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    return found


def _measure(kind: str, size: int, limit_s: float, tell: Callable[[dict[str, Any]], None]) -> None:
    """Tell what is known after each stage and each survivor; mutation ends after `limit_s`."""
    import models
    import runs

    from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
    from mutproof.base.collection import collect_rarely
    from mutproof.workspace.analysis import Cancelled, analyse

    collect_rarely()  # as workers do
    models.cells(1).elaborated()  # the tables of the grammar
    if kind == "mutants":
        text = models.rows(max(1, size // models.PER_ROW))
    else:
        text = models.cells(max(1, size // PER_CELL))
    begun = time.perf_counter()
    found = text.elaborated()
    known: dict[str, Any] = {"read": time.perf_counter() - begun}
    proof, memory = runs.proved(found)
    known |= {"proof": proof.seconds, "memory": _largest_memory()}
    tell(known)
    # What takes no notice of the limit ends here; what was told counts.
    last = threading.Timer(limit_s + GRACE_S, os._exit, (0,))
    last.daemon = True
    last.start()
    count = 0
    begun = time.perf_counter()

    def emit(event: object) -> None:
        nonlocal count
        if isinstance(event, MutantFinding):
            count += 1
            if "first" not in known and event.status is MutantStatus.SURVIVED:
                known["first"] = time.perf_counter() - begun
                tell(known)

    def late() -> bool:
        return time.perf_counter() - begun > limit_s

    with contextlib.suppress(Cancelled):
        analyse(found, runs.options(LEVEL), runs.only_proofs(memory), emit, cancelled=late)
        known["mutation"] = time.perf_counter() - begun
    tell(known | {"mutants": count, "memory": _largest_memory()})
    last.cancel()


def _largest_memory() -> float:
    """Return the largest resident memory in MiB; that of a parent does not count."""
    status = Path("/proc/self/status")
    if status.is_file():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _measure(
        sys.argv[1],
        int(sys.argv[2]),
        float(sys.argv[3]),
        lambda known: print(json.dumps(known), flush=True),
    )
