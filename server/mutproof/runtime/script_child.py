"""The process that runs SMT-LIB scripts in a solver: it may crash, hang or be killed.

Its arguments are SOLVER SECONDS PARENT; `base.bootstrap` starts it. The first line it writes says
whether the solver is there; then it answers each line, the path of a script, with the lines that
the script makes the solver print.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from mutproof.runtime import lifeline

READY = "ready"
MISSING = "missing"

Run = Callable[[str], list[str]]
"""Run a script; return the lines that it prints."""


def cvc5_run(timeout_s: float) -> tuple[str, Run]:
    """Return the version of cvc5, and how it runs a script; seconds are for each check.

    Raises:
        ImportError: cvc5 is not installed.
    """
    import cvc5

    def run(text: str) -> list[str]:
        solver = cvc5.Solver()
        solver.setOption("incremental", "true")
        solver.setOption("tlimit-per", str(max(1, int(timeout_s * 1000))))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "script")
        symbols = parser.getSymbolManager()
        lines: list[str] = []
        while not (command := parser.nextCommand()).isNull():
            lines += command.invoke(solver, symbols).splitlines()
        return lines

    return f"cvc5 {cvc5.__version__}", run


def z3_run(timeout_s: float) -> tuple[str, Run]:
    """Return the version of Z3, and how it runs a script; seconds are for each check."""
    from mutproof.solving.z3_context import run_script, version

    def run(text: str) -> list[str]:
        return run_script(text, timeout_s).splitlines()

    return f"z3 {version()}", run


SOLVERS = {"cvc5": cvc5_run, "z3": z3_run}


def main(arguments: list[str]) -> None:
    """Answer until standard input ends."""
    solver, seconds, *_ = arguments
    lifeline.be_nice()
    try:
        name, run = SOLVERS[solver](float(seconds))
    except ImportError as error:
        _say([MISSING, str(error)])
        return
    _say([READY, name])
    for line in sys.stdin:
        try:
            text = Path(json.loads(line)).read_text(encoding="utf-8")
            answers = run(text)
        except Exception as error:
            # Solvers raise classes of their own for texts they do not accept.
            answers = [f"error: {error}"]
        _say(answers)


def _say(answer: list[str]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
