"""How the CPU time of proofs grows with shapes of models, with and without a core of each property.

The shapes are those of real models: equations that have nothing to do with each other, many
readers of one state, many properties, many instances of a node, modules in a row.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

import runs
from models import Text, cells
from report import Section

from mutproof.analyses.claims.finding import PropertyFinding
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


def in_step(size: int) -> Text:
    """Return counters that count alike, and one property that says so of all of them."""
    step = "if a and (0 -> pre {0}) < 9 then (0 -> pre {0}) + 1 else 0"
    counters = {f"x{n}": step.format(f"x{n}") for n in range(size)}
    alike = " and ".join(f"x{n} = x{n + 1}" for n in range(size - 1))
    return _node(f"in_step{size}", counters, {"p": alike})


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


def branches(size: int) -> Text:
    """Return one chain of `if` with many branches, and two properties of it."""
    tests = "".join(f"if c = {n} then {n * 7 % 50} else " for n in range(size))
    equations = {
        "c": f"if a and (0 -> pre c) < {size} then (0 -> pre c) + 1 else 0",
        "x": f"{tests}50",
    }
    return _node(f"branches{size}", equations, {"p0": "x <= 50", "p1": "x >= 0"})


def shifts(size: int) -> Text:
    """Return a register of many places, a property of every tenth: it repeats what came first."""
    places = {"s0": "if a then 1 else 0"}
    places |= {f"s{n}": f"0 -> pre s{n - 1}" for n in range(1, size)}
    stated = {f"p{n}": f"s{n} <= 1" for n in range(0, size, 10)}
    return _node(f"shifts{size}", places, stated)


def condacts(size: int) -> Text:
    """Return nodes that call one another, each where its clock is true, and a property of all."""
    lines = ["node n0(c: bool) returns (y: int);\nlet y = 0 -> if c then 1 else pre y; tel;"]
    lines += [
        f"node n{n}(c: bool) returns (y: int);\nvar z: int;\n"
        f"let z = condact(c, n{n - 1}(c), 0); y = if c then z else 0; tel;"
        for n in range(1, size)
    ]
    found = _node(f"condacts{size}", {"x": f"n{size - 1}(a)"}, {"p": "x >= 0 and x <= 1"})
    return Text(found.name, "\n".join(lines) + "\n" + found.content)


def words(size: int) -> Text:
    """Return NuSMV words of 32 bits that are masked and counted, an invariant of each."""
    lines = ["MODULE main", "VAR"]
    lines += [f"  w{n} : unsigned word[32];" for n in range(size)]
    lines += ["  go : boolean;", "ASSIGN"]
    for n in range(size):
        mask = f"0ud32_{2 ** (n % 5 + 3) - 1}"
        lines += [f"  init(w{n}) := 0ud32_0;"]
        lines += [f"  next(w{n}) := go ? (w{n} + 0ud32_1) & {mask} : w{n};"]
    lines += [f"INVARSPEC w{n} <= 0ud32_{2 ** (n % 5 + 3) - 1};" for n in range(size)]
    return Text(f"words{size}.smv", "\n".join([*lines, ""]))


def table(size: int) -> Text:
    """Return a NuSMV array literal of rows and columns, read at variable places."""
    rows = [f"[{', '.join(str((i * 7 + j) % 50) for j in range(size))}]" for i in range(size)]
    lines = [
        "MODULE main",
        f"VAR i : 0..{size - 1}; j : 0..{size - 1};",
        f"DEFINE rows := [{', '.join(rows)}];",
        f"ASSIGN init(i) := 0; next(i) := i < {size - 1} ? i + 1 : 0;",
        "INVARSPEC rows[i][j] <= 49;",
        "",
    ]
    return Text(f"table{size}.smv", "\n".join(lines))


def bits(size: int) -> Text:
    """Return independent NuSMV bits, a CTL property of every tenth."""
    lines = ["MODULE main", "VAR", "  go : boolean;"]
    lines += [f"  b{n} : boolean;" for n in range(size)]
    lines += ["ASSIGN"]
    lines += [f"  init(b{n}) := FALSE; next(b{n}) := go ? !b{n} : b{n};" for n in range(size)]
    lines += [f"SPEC AG (b{n} -> EF !b{n});" for n in range(0, size, 10)]
    return Text(f"bits{size}.smv", "\n".join([*lines, ""]))


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
    ("counters in step, one property", in_step, 1),
    ("cells of ten equations in a row", cells, 0.1),
    ("NuSMV modules in a row", chain, 0.1),
    ("branches of one `if`", branches, 1),
    ("places of a shift register", shifts, 1),
    ("nested condacts", condacts, 0.1),
    ("words of 32 bits", words, 0.1),
    ("rows of a table", table, 0.1),
    ("bits with CTL properties", bits, 0.1),
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
        "CPU seconds of proofs, without cores and with those of `mutproof prove`; slopes of the"
        " logarithms over the size before: 1 is linear. What there was no time for is missing."
    )
    section.table(["model", "proof s", "slope", "with cores s", "slope", "ratio"], rows)
    return section


def _cpu_s(found: Elaborated, deadline: float, *, cores: bool) -> float | None:
    """Return the CPU seconds of an analysis, None if it was stopped; all must be proved."""

    def emit(event: Event) -> None:
        if isinstance(event, PropertyFinding):
            assert event.verdict.value == "proved", event

    options = Options(mutate=False, cores=cores, core_search="brief", budget=runs.BUDGET)
    begun = time.process_time()
    try:
        analyse(found, options, Memory(), emit, cancelled=lambda: time.monotonic() > deadline)
    except Cancelled:
        return None
    return time.process_time() - begun
