"""The models that are measured: real ones where they are found, generated ones otherwise."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated
from mutproof.workspace.sources import language_of

ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("MUTPROOF_CORPUS", ROOT.parent / "shared" / "corpus"))


@dataclass(frozen=True, slots=True)
class Text:
    """Hold a model by its name, which ends as its language wants."""

    name: str
    content: str

    def elaborated(self) -> Elaborated:
        """Return what the text means."""
        language = language_of(self.name)
        assert language is not None
        return language.elaborate(language.parse(SourceText(self.name, self.content)))


def mutated() -> list[Text]:
    """Return the Lustre models of which the corpus has mutants, else examples and others."""
    texts = [Text(path.name, path.read_text()) for path in sorted(_marked())]
    if texts:
        return texts
    examples = sorted((ROOT / "examples").glob("*.lus"))
    found = [Text(path.name, path.read_text()) for path in examples]
    return found + [cells(count) for count in (2, 5, 10, 20)]


@cache
def _marked() -> tuple[Path, ...]:
    folder = CORPUS / "lustre"
    if not (folder / "expected.json").is_file():
        return ()
    known = json.loads((folder / "expected.json").read_text())
    return tuple(folder / name for name, facts in known.items() if "mutate" in facts)


def cored() -> list[Text]:
    """Return the Lustre models of which the corpus has minimal cores, else those with mutants.

    They come in an order in which the first ones are of all kinds.
    """
    paths = sorted((CORPUS / "lustre" / "ivc").glob("*.lus"), key=lambda path: path.name[::-1])
    return [Text(path.name, path.read_text()) for path in paths] or mutated()


def finite() -> Iterator[Text]:
    """Yield NuSMV models with properties of branching or linear time, smallest first."""
    folder = CORPUS / "smv"
    if (folder / "expected.json").is_file():
        known = json.loads((folder / "expected.json").read_text())
        found = [
            folder / name
            for name, facts in known.items()
            if facts.get("status") == "ok" and not facts.get("caveats")
        ]
        for path in sorted(found, key=lambda path: (path.stat().st_size, path.name)):
            if path.is_file():
                yield Text(path.name, path.read_text(errors="replace"))
    for path in sorted((ROOT / "examples").glob("*.smv")):
        yield Text(path.name, path.read_text())


SHARED = ("jkind/submode.lus", "mutate/ums_e8_1032.lus", "jkind/microwave.kind.lus")
"""Models of the corpus whose state is shared by most of their equations."""


def shared() -> list[Text]:
    """Return the models in which most equations share their state, where they are found."""
    paths = [CORPUS / "lustre" / name for name in SHARED]
    return [Text(path.name, path.read_text()) for path in paths if path.is_file()]


def varied(count: int) -> list[Text]:
    """Return at most so many models of each language, spread over their sizes."""
    lustre = sorted(mutated(), key=lambda text: len(text.content))
    found = []
    for texts in (lustre, list(finite())[: 4 * count]):
        step = max(1, len(texts) // count)
        found += texts[::-step][:count]
    return found


def cells(count: int) -> Text:
    """Return a model of `count` cells in a row, ten equations and two properties in each.

    A cell counts while its neighbour is busy, saturates, and has a mode that follows the
    count. All properties are inductive by themselves or with k = 2.
    """
    outputs, locals_, equations, properties = [], [], [], []
    for cell in range(count):
        before = f"busy{cell - 1}" if cell else "start"
        top = 3 + cell % 7
        outputs.append(f"busy{cell}")
        locals_ += [
            f"n{cell}, old{cell}, room{cell}: int;",
            f"up{cell}, down{cell}, full{cell}, empty{cell}, alarm{cell}, calm{cell}: bool;",
            f"bounded{cell}, quiet{cell}: bool;",
        ]
        equations += [
            f"  old{cell} = 0 -> pre n{cell};",
            f"  up{cell} = {before} and old{cell} < {top};",
            f"  down{cell} = not {before} and old{cell} > 0;",
            f"  n{cell} = old{cell} + (if up{cell} then 1 else if down{cell} then -1 else 0);",
            f"  room{cell} = {top} - n{cell};",
            f"  full{cell} = n{cell} >= {top};",
            f"  empty{cell} = n{cell} <= 0;",
            f"  alarm{cell} = full{cell} or (false -> pre alarm{cell}) and not empty{cell};",
            f"  calm{cell} = not alarm{cell};",
            f"  busy{cell} = not empty{cell} and (alarm{cell} or room{cell} > 1);",
            f"  bounded{cell} = 0 <= n{cell} and n{cell} <= {top};",
            f"  quiet{cell} = calm{cell} => n{cell} < {top};",
        ]
        properties += [f"  --%PROPERTY bounded{cell};", f"  --%PROPERTY quiet{cell};"]
    lines = [
        f"node top(start: bool) returns ({', '.join(outputs)}: bool);",
        "var",
        *(f"  {line}" for line in locals_),
        "let",
        *equations,
        *properties,
        "tel;",
        "",
    ]
    return Text(f"cells{count}.lus", "\n".join(lines))


LATCH = """\
node latch(x, y: int; reset: bool) returns (alarm, warn: bool; level: int);
var c1, c2, c3, c4: bool; total: int; armed: bool; p0, p1, p2, p3, p4, p5, p7, p8, p9, p10: bool;
let
  c1 = x = 12345;
  c2 = c1 and (false -> pre c1) and y > 700;
  c3 = c2 and (false -> pre c2);
  c4 = x - y = 11000 and (false -> pre c2);
  total = if reset then 0 else (0 -> pre total) + (if c2 then 1 else 0);
  armed = not reset and (c3 or (false -> pre armed));
  warn = total >= 2 and not reset;
  alarm = armed or c4 and warn;
  level = if alarm then 2 else if warn then 1 else 0;
  p0 = c3 => x = 12345;
  p1 = true -> (c3 and not reset => alarm);
  p2 = (armed => level = 2);
  p3 = (warn and not alarm => level = 1);
  p4 = level >= 0 and level <= 2;
  p5 = c2 => x = 12345 and y > 700;
  p7 = (total = 0) -> (c2 and not reset => total = pre total + 1);
  p8 = total >= 0;
  p9 = reset => not armed;
  p10 = not alarm and not warn => level = 0;
  --%PROPERTY p0;
  --%PROPERTY p1;
  --%PROPERTY p2;
  --%PROPERTY p3;
  --%PROPERTY p4;
  --%PROPERTY p5;
  --%PROPERTY p7;
  --%PROPERTY p8;
  --%PROPERTY p9;
  --%PROPERTY p10;
tel;
"""


def latch() -> Text:
    """Return an alarm that comes after rare inputs in steps that follow each other.

    Random executions miss most mutants that fail: searches find one, and its execution others.
    """
    return Text("latch.lus", LATCH)


PER_ROW = 1_000
"""How many mutants of level `paper` a row of `rows` has, about."""


def rows(count: int) -> Text:
    """Return `count` nodes of sixty equations; of each, one property looks at one equation."""
    parts, calls, outputs = [], [], []
    for row in range(count):
        equations = [
            f"  x{n} = if a{n % 4} and (x{n - 1} or not b) then x{n - 1} else (b or a{n % 3});"
            for n in range(1, 60)
        ]
        parts += [
            f"node row{row}(a0, a1, a2, a3, b: bool) returns (last: bool);",
            f"var seen, {', '.join(f'x{n}' for n in range(60))}: bool;",
            "let",
            f"  x0 = a0 and (b or a{row % 4});",
            *equations,
            "  last = x59;",
            "  seen = x0 => a0;",
            "  --%PROPERTY seen;",
            "tel;",
        ]
        outputs.append(f"last{row}")
        calls.append(f"  last{row} = row{row}(a0, a1, a2, a3, b);")
    parts += [
        f"node top(a0, a1, a2, a3, b: bool) returns ({', '.join(outputs)}: bool);",
        "let",
        *calls,
        "tel;",
        "",
    ]
    return Text(f"rows{count}.lus", "\n".join(parts))


def parts(lines: int) -> Text:
    """Return about so many lines of Lustre in nodes of fifty, and a node that calls them all."""
    written, calls, outputs = [], [], []
    for part in range(lines // 50):
        equations = [
            f"  x{n} = if up and x{n - 1} > {n} then x{n - 1} + 1 else (0 -> pre x{n}) - {n % 7};"
            for n in range(1, 41)
        ]
        written += [
            f"node part{part}(up, down: bool; n: int) returns (last: int);",
            "var",
            "  seen: bool;",
            f"  {', '.join(f'x{n}' for n in range(41))}: int;",
            "let",
            "  x0 = n -> pre x1;",
            *equations,
            "  last = x40;",
            "  seen = last >= x0 or down;",
            "  --%PROPERTY seen;",
            "tel;",
            "",
        ]
        outputs.append(f"last{part}")
        calls.append(f"  last{part} = part{part}(up, down, n);")
    written += [
        f"node top(up, down: bool; n: int) returns ({', '.join(outputs)}: int);",
        "let",
        *calls,
        "tel;",
        "",
    ]
    return Text("parts.lus", "\n".join(written))


def whole(lines: int) -> Text:
    """Return one Lustre node of about so many lines, an equation on each."""
    names = [f"x{n}" for n in range(10 * lines // 11)]
    declared = [f"  {', '.join(names[n : n + 10])}: int;" for n in range(0, len(names), 10)]
    equations = [
        f"  {name} = if up and {before} > {n % 40} then {before} + 1 else (0 -> pre {name}) - 1;"
        for n, (before, name) in enumerate(pairwise(names))
    ]
    written = [
        "node top(up, down: bool; n: int) returns (last: int);",
        "var",
        "  seen: bool;",
        *declared,
        "let",
        "  x0 = n -> pre x1;",
        *equations,
        f"  last = {names[-1]};",
        "  seen = last >= x0 or down;",
        "  --%PROPERTY seen;",
        "tel;",
        "",
    ]
    return Text("whole.lus", "\n".join(written))


def modules(lines: int) -> Text:
    """Return about so many lines of NuSMV in modules of fifty, and instances of them all."""
    written, instances = [], []
    for module in range(lines // 50):
        variables = [f"  v{n} : 0..7;" for n in range(15)]
        assignments = []
        for n in range(15):
            other = f"v{(n + 1) % 15}"
            assignments += [
                f"  init(v{n}) := 0;",
                f"  next(v{n}) := case go & v{n} < top : 1; {other} = 7 : 0; TRUE : 2; esac;",
            ]
        written += [
            f"MODULE part{module}(go, top)",
            "VAR",
            *variables,
            "ASSIGN",
            *assignments,
            "INVARSPEC v0 <= 7;",
            "",
        ]
        instances.append(f"  p{module} : part{module}(go, {module % 7});")
    written += ["MODULE main", "VAR", "  go : boolean;", *instances, ""]
    return Text("modules.smv", "\n".join(written))


def alarm(zones: int) -> Text:
    """Return an alarm of a house: ten equations for the house, and ten for each of its zones.

    A zone counts how long its door is open and remembers what it has reported; the house arms
    itself, waits, sounds and falls silent. Only the house is seen.
    """
    numbers = range(zones)
    doors = ", ".join(f"door{n}" for n in numbers)
    any_open = " or ".join(f"open{n}" for n in numbers)
    any_alert = " or ".join(f"alert{n}" for n in numbers)
    waiting = " + ".join(f"(if late{n} then 1 else 0)" for n in numbers)
    locals_ = ["  calm, closed, begins, ends: bool;", "  patience, late: int;"]
    equations = [
        f"  closed = not ({any_open});",
        "  begins = lock and closed and not unlock;",
        "  ends = unlock or (false -> pre patience > 6 and pre closed and not lock);",
        "  armed = false -> if ends then false else if begins then true else pre armed;",
        (
            "  patience = 0 -> if armed and not closed and pre patience < 9 then pre patience + 1"
            " else if closed and pre patience > 0 then pre patience - 1 else pre patience;"
        ),
        f"  late = {waiting};",
        f"  sound = false -> armed and ({any_alert}) or (pre sound and armed and patience > 1);",
        "  flash = sound or (false -> pre sound and not unlock and patience > 0);",
        "  reported = if sound then late + patience else if flash then patience - late else 0;",
        "  calm = flash => armed or patience >= 0;",
    ]
    for n in numbers:
        top = 2 + n % 3
        locals_ += [
            f"  open{n}, late{n}, alert{n}, seen{n}, shut{n}: bool;",
            f"  since{n}, times{n}, score{n}, most{n}, rest{n}: int;",
        ]
        equations += [
            f"  open{n} = door{n} and power or (false -> pre open{n} and not power);",
            (
                f"  since{n} = 0 -> if open{n} and pre since{n} < {top + 2} then pre since{n} + 1"
                f" else if open{n} then pre since{n} else 0;"
            ),
            f"  late{n} = since{n} > {top} and (open{n} or times{n} >= 2);",
            f"  shut{n} = false -> pre open{n} and not open{n};",
            (
                f"  times{n} = 0 -> if unlock then 0 else if shut{n} and pre times{n} < 3 then"
                f" pre times{n} + 1 else pre times{n};"
            ),
            f"  score{n} = since{n} + 2 * times{n} - (if shut{n} and late{n} then 1 else 0);",
            (
                f"  most{n} = score{n} -> if score{n} > pre most{n} and not unlock then score{n}"
                f" else if unlock then 0 else pre most{n};"
            ),
            f"  rest{n} = if most{n} > score{n} then most{n} - score{n} else score{n} - most{n};",
            f"  alert{n} = late{n} or (most{n} >= {top + 3} and rest{n} <= {top});",
            f"  seen{n} = alert{n} => most{n} >= {top} or since{n} >= {top};",
        ]
    stated = ["calm", *(f"seen{n}" for n in numbers)]
    lines = [
        f"node house({doors}, lock, unlock, power: bool)",
        "returns (armed, sound, flash: bool; reported: int);",
        "var",
        *locals_,
        "let",
        *equations,
        *(f"  --%PROPERTY {name};" for name in stated),
        "tel;",
        "",
    ]
    return Text(f"alarm{zones}.lus", "\n".join(lines))
