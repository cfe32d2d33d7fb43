"""How the CPU time of proofs grows with shapes of models, with and without a core of each property.

The shapes are those of real models: equations that have nothing to do with each other, many
readers of one state, many properties, many instances of a node, modules in a row.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import runs
from models import Text
from report import Section

from mutproof.analyses.finding import PropertyFinding
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options


def wide(size: int) -> Text:
    """Return independent counters, a property of every tenth."""
    numbers = range(size)
    step = "if a and (0 -> pre {0}) < {1} then (0 -> pre {0}) + 1 else 0"
    counters = {f"x{n}": step.format(f"x{n}", n % 7 + 3) for n in numbers}
    stated = {f"p{n}": f"x{n} <= {n % 7 + 3}" for n in numbers[::10]}
    return _node(f"wide{size}", counters, stated)


def readers(size: int) -> Text:
    """Return equations that read one counter, a property of every tenth."""
    counter = {"c": "if a and (0 -> pre c) < 9 then (0 -> pre c) + 1 else 0"}
    reading = {f"r{n}": f"c + {n}" for n in range(size)}
    stated = {f"p{n}": f"r{n} <= {n + 9}" for n in range(0, size, 10)}
    return _node(f"readers{size}", counter | reading, stated)


def many(size: int) -> Text:
    """Return twenty equations with as many properties."""
    first = {"x0": "if a and (0 -> pre x0) < 9 then (0 -> pre x0) + 1 else 0"}
    later = {f"x{n}": f"if b then x{n - 1} else (0 -> pre x{n})" for n in range(1, 20)}
    stated = {f"p{n}": f"x{n % 20} <= {9 + n // 20}" for n in range(size)}
    return _node(f"many{size}", first | later, stated)


def instances(size: int) -> Text:
    """Return instances of one node, a property of every tenth."""
    node = (
        "node count(a: bool; top: int) returns (n: int);\nvar old: int;\nlet\n"
        "  old = 0 -> pre n;\n  n = if a and old < top then old + 1 else 0;\ntel;\n"
    )
    called = {f"x{n}": f"count(a, {n % 7 + 3})" for n in range(size)}
    stated = {f"p{n}": f"x{n} <= {n % 7 + 3}" for n in range(0, size, 10)}
    found = _node(f"instances{size}", called, stated)
    return Text(found.name, node + found.content)


def chain(size: int) -> Text:
    """Return NuSMV modules in a row, an invariant and an LTL property of each."""
    cells = [f"  c{n} : cell({f'c{n - 1}.on' if n else 'go'});" for n in range(size)]
    lines = [
        "MODULE cell(before)",
        "VAR n : 0..7; on : boolean;",
        "ASSIGN",
        "  init(n) := 0;",
        "  next(n) := case before & n < 5 : n + 1; !before : 0; TRUE : n; esac;",
        "  init(on) := FALSE;",
        "  next(on) := n >= 3;",
        "INVARSPEC n <= 5;",
        "LTLSPEC G (on -> n <= 5);",
        "MODULE main",
        "VAR go : boolean;",
        *cells,
        "",
    ]
    return Text(f"chain{size}.smv", "\n".join(lines))


def _node(name: str, equations: dict[str, str], stated: dict[str, str]) -> Text:
    lines = [
        "node top(a, b: bool) returns (o: bool);",
        f"var {', '.join(equations)}: int; {', '.join(stated)}: bool;",
        "let",
        "  o = a or b;",
        *(f"  {left} = {right};" for left, right in (equations | stated).items()),
        *(f"  --%PROPERTY {name};" for name in stated),
        "tel;",
        "",
    ]
    return Text(f"{name}.lus", "\n".join(lines))


SHAPES: tuple[tuple[str, Callable[[int], Text], float], ...] = (
    ("independent equations", wide, 1),
    ("readers of one counter", readers, 1),
    ("properties of 20 equations", many, 1),
    ("instances of a node", instances, 1),
    ("NuSMV modules in a row", chain, 0.1),
)
"""Shapes with their names, and what part of a size they are measured at."""


def measure(seconds: float, sizes: Sequence[int]) -> Section:
    """Measure shapes, each at increasing sizes as far as its share of the time goes."""
    section = Section("shapes", "Shapes of models")
    rows: list[list[object]] = []
    for name, shape, part in SHAPES:
        deadline = time.monotonic() + seconds / len(SHAPES)
        known: list[tuple[int, float, float]] = []
        for size in sizes:
            text = shape(max(3, int(size * part)))
            found = text.elaborated()
            plain = _cpu_s(found, deadline, cores=False)
            cores = None if plain is None else _cpu_s(found, deadline, cores=True)
            if plain is None or cores is None:
                break
            slopes: list[object] = [None, None]
            if known:
                grown = math.log(size / known[-1][0])
                slopes = [math.log(plain / known[-1][1]) / grown]
                slopes.append(math.log(cores / known[-1][2]) / grown)
            known.append((size, plain, cores))
            rows.append([f"{name}: {text.name}", plain, slopes[0], cores, slopes[1], cores / plain])
    section.say(
        "CPU seconds of proofs, without cores and with a core of each property; slopes of the"
        " logarithms over the size before: 1 is linear. What there was no time for is missing."
    )
    section.table(["model", "proof s", "slope", "with cores s", "slope", "ratio"], rows)
    return section


def _cpu_s(found: Elaborated, deadline: float, *, cores: bool) -> float | None:
    """Return the CPU seconds of an analysis, None if it was stopped; all must be proved."""

    def emit(event: Event) -> None:
        if isinstance(event, PropertyFinding):
            assert event.verdict.value == "proved", event

    options = Options(mutate=False, cores=cores, budget=runs.BUDGET)
    begun = time.process_time()
    try:
        analyse(found, options, Memory(), emit, lambda: time.monotonic() > deadline)
    except Cancelled:
        return None
    return time.process_time() - begun
