"""How time and memory grow with the number of equations and of mutants.

Every size runs in a process of its own, whose largest memory is read at its end.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from report import Plot, Section

PER_CELL = 10
LEVEL = "paper"


def measure(seconds: float, equations: tuple[int, ...], mutants: tuple[int, ...]) -> Section:
    """Measure sizes in increasing order, as far as the time goes: half of it for each table."""
    section = Section("growth", "Growth")
    begun = time.monotonic()
    rows: list[list[object]] = []
    for size in equations:
        found = _child(begun + seconds / 2, "equations", size)
        if found is None:
            rows.append([size, *[None] * 6])
            break
        columns = ("read", "proof", "first", "mutation", "mutants", "memory")
        rows.append([size, *(found[column] for column in columns)])
    section.say(
        "Cells in a row, ten equations and two properties each; a dash where the time was over."
    )
    section.table(
        ["equations", "read s", "proof s", "first survivor s", "mutation s", "mutants", "MiB"], rows
    )
    whole = [row for row in rows if row[1] is not None]
    if whole:
        series = {
            name: [(float(str(row[0])), float(str(row[column]))) for row in whole if row[column]]
            for name, column in (("read", 1), ("proof", 2), ("mutation", 4))
        }
        section.plots.append(Plot("equations.svg", "equations", "seconds", series))
    _mutants(section, begun + seconds, mutants)
    return section


def _mutants(section: Section, deadline: float, sizes: tuple[int, ...]) -> None:
    """Measure many mutants of models that are proved quickly."""
    rows: list[list[object]] = []
    for size in sizes:
        found = _child(deadline, "mutants", size)
        if found is None:
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


def _child(deadline: float, kind: str, size: int) -> dict[str, Any] | None:
    """Return what one size takes, None where the time is over."""
    left = deadline - time.monotonic()
    if left < 1:
        return None
    command = [sys.executable, str(Path(__file__)), kind, str(size)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=left, check=True)
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _measured(kind: str, size: int) -> dict[str, float]:
    import models
    import runs

    from mutproof.analyses.finding import MutantFinding, MutantStatus
    from mutproof.workspace.analysis import analyse

    models.cells(1).elaborated()  # the tables of the grammar
    if kind == "mutants":
        text = models.rows(max(1, size // models.PER_ROW))
    else:
        text = models.cells(max(1, size // PER_CELL))
    begun = time.perf_counter()
    found = text.elaborated()
    read = time.perf_counter() - begun
    proof, memory = runs.proved(found)
    first, count = 0.0, 0
    begun = time.perf_counter()

    def emit(event: object) -> None:
        nonlocal first, count
        if isinstance(event, MutantFinding):
            count += 1
            if not first and event.status is MutantStatus.SURVIVED:
                first = time.perf_counter() - begun

    analyse(found, runs.options(LEVEL), runs.only_proofs(memory), emit, lambda: False)
    mutation = time.perf_counter() - begun
    return {
        "read": read,
        "proof": proof.seconds,
        "first": first,
        "mutation": mutation,
        "mutants": count,
        "memory": _largest_memory(),
    }


def _largest_memory() -> float:
    """Return the largest resident memory in MiB; that of a parent does not count."""
    status = Path("/proc/self/status")
    if status.is_file():
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], int(sys.argv[2]))))
