"""Measure mutproof against itself: `make bench`.

Usage: python benchmarks/run.py [--quick | --full] [--write] [SECTION ...]

All numbers are to be read as ratios within one run: machines differ, and one machine differs
from day to day. `--write` puts the sections that were measured into README.md and TABLES.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import ablation
import cores
import editing
import growth
import keystrokes
import latency
import models
import report
import runs
import saves
import shapes
import strategies
import suggestions
import suites
import temporal

from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.collection import collect_rarely

EFFORTS = ("quick", "usual", "full")


def sections(effort: str) -> dict[str, Callable[[], report.Section]]:
    """Return what there is to measure, with the limits of an effort."""

    def of(quick: float, usual: float, full: float) -> float:
        return (quick, usual, full)[EFFORTS.index(effort)]

    equations = (10, 30, 100, 300, 1_000, 3_000, 10_000)[: int(of(3, 7, 7))]
    mutants = (1_000, 3_000, 10_000, 30_000, 100_000)[: int(of(2, 4, 5))]
    return {
        "strategies": lambda: strategies.measure(of(30, 240, 3600), of(4, 10, 300)),
        "saves": lambda: saves.measure(
            of(20, 110, 3600), int(of(20, 20, 20)), int(of(2, 4, 10_000)), of(0.7, 4, 600)
        ),
        "editing": lambda: editing.measure(of(15, 110, 1200), 20, int(of(1, 4, 10_000))),
        "latency": lambda: latency.measure(of(10, 30, 120), int(of(10, 30, 30))),
        "typing": lambda: keystrokes.measure(of(5, 25, 60), int(of(2_000, 10_000, 10_000))),
        "growth": lambda: growth.measure(of(20, 120, 1800), equations, mutants),
        "shapes": lambda: shapes.measure(of(15, 120, 1200), (30, 100, 300, 1_000)),
        "cores": lambda: cores.measure(of(15, 120, 1200), of(5, 20, 60)),
        "temporal": lambda: temporal.measure(
            of(12, 60, 600), int(of(4, 20, 20)), int(of(12, 40, 200))
        ),
        "suggestions": lambda: suggestions.measure(
            of(30, 240, 3600), int(of(3, 8, 40)), of(10, 30, 120)
        ),
        "ablation": lambda: ablation.measure(
            of(90, 1200, 7200),
            [
                *models.shared(),
                *models.varied(int(of(3, 10, 10))),
                models.latch(),
                shapes.instances(150),
            ],
            of(6, 20, 90),
        ),
        "suites": lambda: suites.measure(
            of(30, 240, 1800), ("default", "paper", "all")[EFFORTS.index(effort)]
        ),
        "families": lambda: temporal.generated(int(of(10, 40, 10_000))),
    }


def warm_up() -> None:
    """Let imports, grammars and solvers be ready before anything is timed."""
    found = models.cells(1).elaborated()
    for name in STRATEGIES.names():
        _, memory = runs.proved(found)
        runs.timed(found, runs.options(strategy=name), memory)


def main() -> int:
    """Measure and print; 1 where results differ that must be the same."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", action="store_const", const="quick", dest="effort")
    effort.add_argument("--full", action="store_const", const="full", dest="effort")
    parser.add_argument("--write", action="store_true", help="renew README.md and TABLES.md")
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    arguments = parser.parse_args()
    collect_rarely()  # as all processes of mutproof do
    known = sections(arguments.effort or "usual")
    for name in arguments.sections:
        if name not in known:
            parser.error(f"there is no section {name!r}; there are {', '.join(known)}")
    warm_up()
    failed = False
    for name, measure in known.items():
        if arguments.sections and name not in arguments.sections:
            continue
        begun = time.monotonic()
        try:
            found = measure()
        except AssertionError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            failed = True
            continue
        print(found.text())
        print(f"({name}: {time.monotonic() - begun:.0f} s)\n", flush=True)
        if arguments.write:
            report.write(found)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
