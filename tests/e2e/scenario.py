"""What a user does in every editor, and what they must see; for Lustre the first paper says it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

STRONGER_LINES = (
    "returns (Prop1, Prop2 : bool; b : int);",
    "  Prop2 = (a1 > 0) => b = a1;",
    "  --%PROPERTY Prop2;",
)
NOON = "INVARSPEC NAME noon := hour12 = 12 <-> hour in {0, 12}"


@dataclass(frozen=True, slots=True)
class Counts:
    """Mutants by verdict."""

    killed: int
    survived: int


@dataclass(frozen=True, slots=True)
class TraceLook:
    """Say what the panel of the first execution at the gap shows.

    The `element` is the one with the gap. A part of the words of a `cell` and of what stands
    `behind` a line at first, what is `said` after some `keys`, and the line that a variable
    leads to.
    """

    tab: str
    element: str
    cell: str
    behind: str
    keys: tuple[str, ...]
    said: str
    variable: str
    line: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run through an editor; places are 1-based.

    `statement` is the word with which a model of the language states a property, `mark` what
    only the stronger text has. `lens_row` is a line that the lens of the property leads to.
    `total` mutants count and `gaps` of these are survivors: those that are equivalent do not.
    `brief`: without pictures, the diff of a mutant, and a crash of the server.
    """

    name: str
    language: str
    statement: str
    mark: str
    lens_row: str
    brief: bool
    file: str
    stronger_text: str
    level: str
    total: int
    gaps: int
    before: Counts
    after: Counts
    gap_line: int
    gap_column: int
    gap_mutant: str
    picture_line: int
    picture_column: int
    trace: TraceLook
    timeout_s: int

    def write(self, path: Path) -> None:
        """Write the scenario as JSON for the script that runs inside or beside an editor."""
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def demo2(example: Path, folder: Path) -> Scenario:
    """Copy the example into the folder and describe what happens to it."""
    text = example.read_text(encoding="utf-8")
    copy = folder / example.name
    copy.write_text(text, encoding="utf-8")
    lines = text.splitlines()
    return Scenario(
        name="demo2",
        language="lustre",
        statement="--%PROPERTY",
        mark="Prop2",
        lens_row="if d or",
        brief=False,
        file=str(copy),
        stronger_text=stronger(text),
        level="paper",
        total=22,
        gaps=17,
        before=Counts(killed=5, survived=17),
        after=Counts(killed=14, survived=8),
        gap_line=6,
        gap_column=lines[5].index(">") + 1,
        gap_mutant="g2ge",
        picture_line=9,
        picture_column=lines[8].index("Prop1") + 1,
        trace=TraceLook(
            tab="d:",
            element="d",
            cell="d, step 0: differs, model false, mutant true",
            behind="d = false, mutant true",
            keys=("ArrowRight", "ArrowLeft"),
            said="Step 0, the last is 0. Different: ",
            variable="d",
            line=6,
        ),
        timeout_s=120,
    )


def clock(example: Path, folder: Path) -> Scenario:
    """Copy the NuSMV example into the folder and describe what happens to it."""
    text = example.read_text(encoding="utf-8")
    copy = folder / example.name
    copy.write_text(text, encoding="utf-8")
    lines = text.splitlines()
    gap = next(number for number, line in enumerate(lines) if "next(hour)" in line)
    return Scenario(
        name="clock",
        language="nuxmv",
        statement=" NAME ",
        mark="noon",
        lens_row="am_pm :=",
        brief=True,
        file=str(copy),
        stronger_text=f"{text}\n{NOON}\n",
        level="default",
        total=25,
        gaps=18,
        before=Counts(killed=7, survived=27),
        after=Counts(killed=11, survived=23),
        gap_line=gap + 1,
        gap_column=lines[gap].index("+") + 1,
        gap_mutant="MOR",
        picture_line=1,
        picture_column=1,
        trace=TraceLook(
            tab="next(hour):",
            element="next(hour)",
            cell="hour, step 1: ",
            behind="hour = 0",
            keys=("ArrowLeft",),
            said="Step 0, the last is 1.",
            variable="hour",
            line=next(n for n, line in enumerate(lines, 1) if line.startswith("  next(hour)")),
        ),
        timeout_s=120,
    )


def stronger(text: str) -> str:
    """Add the second property of the paper to `demo2`."""
    declaration, equation, pragma = STRONGER_LINES
    changed = text.replace("returns (Prop1 : bool; b : int);", declaration)
    head, tail = changed.split("tel;")
    return f"{head}{equation}\n{pragma}\ntel;{tail}"
