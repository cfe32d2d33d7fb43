"""What a user does in every editor, and what the numbers of the first paper say they must see."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

STRONGER_LINES = (
    "returns (Prop1, Prop2 : bool; b : int);",
    "  Prop2 = (a1 > 0) => b = a1;",
    "  --%PROPERTY Prop2;",
)


@dataclass(frozen=True, slots=True)
class Counts:
    """Mutants of `demo2` by verdict."""

    killed: int
    survived: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run through an editor; places are 1-based."""

    file: str
    stronger_text: str
    level: str
    total: int
    before: Counts
    after: Counts
    gap_line: int
    gap_column: int
    gap_mutant: str
    picture_line: int
    picture_column: int
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
        file=str(copy),
        stronger_text=stronger(text),
        level="paper",
        total=22,
        before=Counts(killed=5, survived=17),
        after=Counts(killed=14, survived=8),
        gap_line=6,
        gap_column=lines[5].index(">") + 1,
        gap_mutant="g2ge",
        picture_line=9,
        picture_column=lines[8].index("Prop1") + 1,
        timeout_s=120,
    )


def stronger(text: str) -> str:
    """Add the second property of the paper to `demo2`."""
    declaration, equation, pragma = STRONGER_LINES
    changed = text.replace("returns (Prop1 : bool; b : int);", declaration)
    head, tail = changed.split("tel;")
    return f"{head}{equation}\n{pragma}\ntel;{tail}"
