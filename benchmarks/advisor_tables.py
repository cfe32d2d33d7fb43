"""The tables of the study on the model advisor, computed from one row for each mutant.

Knows no model: whoever has the rows can compute the tables again. Source: Arcaini, Gargantini
and Riccobene, Using mutation to assess fault tolerance of model review, sections 6 and 7.
"""

from __future__ import annotations

import csv
import io
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

NAMES = ("MP1", "MP2", "MP3", "MP4", "MP5", "MP6", "MP7", "MP8", "MP9", "MP10")
OPERATORS = ("ER", "LOR", "MOR", "ROR", "MB", "SB", "SA0", "SA1")
REJECTED, STILLBORN, EQUIVALENT, DIFFERENT, UNKNOWN = (
    "rejected",
    "stillborn",
    "equivalent",
    "different",
    "unknown",
)
NOT_KNOWN = "?"
OPERATIONAL, DECLARATIVE = "operational", "declarative"
COLUMNS = (
    *("file", "style", "properties", "bits"),
    *("operator", "mutant", "class", *NAMES, *(f"{name}'" for name in NAMES)),
)

BY_OPERATOR = {
    "ER": (79, 82, 68),
    "LOR": (51, 74, 51),
    "MOR": (83, 90, 84),
    "ROR": (36, 75, 44),
    "MB": (81, 79, 71),
    "SB": (39, 76, 61),
    "SA0": (82, 79, 70),
    "SA1": (40, 69, 44),
    "all": (55, 76, 54),
}
"""Published sensitivity, precision and accuracy in percent."""

BY_STRATUM = {
    "operational": 77,
    "declarative": None,
    "with properties": 63,
    "without properties": 41,
    "with violations": 60,
    "without violations": 49,
}
"""Published sensitivity in percent; None: not given."""

BY_META_PROPERTY = {
    "MP1": (19, 87, 39),
    "MP2": (24, 85, 41),
    "MP3": (19, 66, 33),
    "MP4": (10, 66, 30),
    "MP5": (5, 91, 30),
    "MP6": (23, 89, 42),
    "MP7": (0, 100, 27),
    "MP8": (0, 100, 27),
    "MP9": (26, 100, 45),
    "MP10": (7, 100, 31),
}


@dataclass(frozen=True, slots=True)
class Stratum:
    """Hold a model's name and kind: its style, and its numbers of properties and Boolean variables.

    It is declarative where `INIT` or `TRANS` states what `ASSIGN` could.
    """

    file: str
    style: str
    properties: int
    bits: int


@dataclass(frozen=True, slots=True)
class Row:
    """Hold what is known of a mutant: numbers of violations before and after, None: unknown."""

    model: Stratum
    operator: str
    mutant: str
    kind: str
    before: tuple[int | None, ...]
    after: tuple[int | None, ...]

    def belongs(self, stratum: str) -> bool:
        """Tell whether the model belongs to one of `BY_STRATUM`."""
        match stratum:
            case "with properties":
                return self.model.properties > 0
            case "without properties":
                return self.model.properties == 0
            case "with violations":
                return any(self.before)
            case "without violations":
                return not any(self.before) and None not in self.before
            case _:
                return self.model.style == stratum

    def kills(self, names: Sequence[str] = NAMES) -> bool | None:
        """Tell whether some of these meta-properties is violated more often; None: unknown."""
        unsure = False
        for name, before, after in zip(NAMES, self.before, self.after, strict=True):
            if name not in names:
                continue
            if before is None or after is None:
                unsure = True
            elif after > before:
                return True
        return None if unsure else False


@dataclass(frozen=True, slots=True)
class Quality:
    """Count mutants by what they are and whether the advisor kills them.

    `ke` are equivalent ones that it kills, `nke` those it does not; `kne` and `nkne` likewise of
    the others. `unsure` are those of which one or the other is unknown.
    """

    ke: int
    nke: int
    kne: int
    nkne: int
    unsure: int

    @property
    def sensitivity(self) -> float:
        """Return the part of the mutants that differ that is killed, in percent."""
        return _percent(self.kne, self.kne + self.nkne)

    @property
    def precision(self) -> float:
        """Return the part of the killed ones that differ, in percent; 100 where none is killed."""
        return _percent(self.kne, self.kne + self.ke)

    @property
    def accuracy(self) -> float:
        """Return the part of all that is judged as a perfect advisor would, in percent."""
        return _percent(self.kne + self.nke, self.kne + self.nkne + self.ke + self.nke)


def _percent(part: int, whole: int) -> float:
    return 100.0 if not whole else 100.0 * part / whole


def quality(
    rows: Iterable[Row], names: Sequence[str] = NAMES, *, published: bool = False
) -> Quality:
    """Count rows by the rule of the study; as `published`, what is stillborn counts as equivalent.

    A model without executions satisfies every property, so a check by properties calls it so.
    """
    counts: Counter[tuple[bool, bool]] = Counter()
    unsure = 0
    for row in rows:
        kind = EQUIVALENT if published and row.kind == STILLBORN else row.kind
        if kind in {REJECTED, STILLBORN}:
            continue
        kills = row.kills(names)
        if kind == UNKNOWN or kills is None:
            unsure += 1
        else:
            counts[kind == EQUIVALENT, kills] += 1
    ke, nke = counts[True, True], counts[True, False]
    return Quality(ke, nke, counts[False, True], counts[False, False], unsure)


def written(rows: Iterable[Row]) -> str:
    """Return rows as comma-separated values, without a head."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        counts = (NOT_KNOWN if n is None else n for n in (*row.before, *row.after))
        writer.writerow((*astuple(row.model), row.operator, row.mutant, row.kind, *counts))
    return out.getvalue()


def read(text: str) -> list[Row]:
    """Return the rows that `written` wrote, behind a head."""
    found: list[Row] = []
    for line in csv.DictReader(io.StringIO(text)):
        before, after = (tuple(_count(line[name + mark]) for name in NAMES) for mark in ("", "'"))
        numbers = int(line["properties"]), int(line["bits"])
        model = Stratum(line["file"], line["style"], *numbers)
        found.append(Row(model, line["operator"], line["mutant"], line["class"], before, after))
    return found


def _count(text: str) -> int | None:
    return None if text == NOT_KNOWN else int(text)


def tables(rows: Sequence[Row]) -> str:
    """Return the tables of the study in three protocols, the published ones beside them."""
    kinds = Counter(row.kind for row in rows)
    lines = [f"{len(rows)} mutants: {', '.join(f'{n} {k}' for k, n in sorted(kinds.items()))}"]
    lines += _models(rows)
    for title, published in (("stillborn counted as equivalent", True), ("stillborn apart", False)):
        lines += ["", f"By operator, {title}", "", *_by_operator(rows, published=published)]
    lines += ["", "By meta-property, stillborn apart", "", *_by_meta_property(rows)]
    lines += ["", "By kind of model, stillborn apart", "", *_by_stratum(rows)]
    return "\n".join(lines) + "\n"


def _models(rows: Sequence[Row]) -> list[str]:
    """Return what models there are, and how well mutants of each are noticed (figure 3)."""
    by_model: dict[Stratum, list[Row]] = {}
    for row in rows:
        by_model.setdefault(row.model, []).append(row)
    if not by_model:
        return []
    bits = [model.bits for model in by_model]
    mean = statistics.mean(bits)
    found = [quality(own) for own in by_model.values()]
    noticed = [one.sensitivity for one in found if one.kne + one.nkne]
    most, every = (_percent(sum(n >= least for n in noticed), len(noticed)) for least in (60, 100))
    operational = sum(model.style == OPERATIONAL for model in by_model)
    return [
        f"{len(by_model)} models (study: 104), {operational} of them operational (68)",
        f"Boolean variables: {mean:.1f} in the mean (20.4), {max(bits)} at most (156)",
        f"Of those that differ, 60 % are noticed in {most:.0f} % of the models (74)",
        f"and all in {every:.0f} % (28)",
    ]


_HEAD = (
    "| {} | mutants | equivalent | unsure | sensitivity | precision | accuracy"
    " | published: sensitivity, precision, accuracy |"
)
_RULE = "|---|---|---|---|---|---|---|---|"


def _by_operator(rows: Sequence[Row], *, published: bool) -> list[str]:
    lines = [_HEAD.format("operator"), _RULE]
    for operator in (*OPERATORS, "all"):
        chosen = [row for row in rows if operator in (row.operator, "all")]
        found = quality(chosen, published=published)
        lines.append(_line(operator, found, BY_OPERATOR[operator]))
    return lines


def _by_meta_property(rows: Sequence[Row]) -> list[str]:
    lines = [_line(name, quality(rows, (name,)), BY_META_PROPERTY[name]) for name in NAMES]
    return [_HEAD.format("meta-property"), _RULE, *lines]


def _by_stratum(rows: Sequence[Row]) -> list[str]:
    lines = [_HEAD.format("models").replace(", precision, accuracy |", " |"), _RULE]
    for stratum, known in BY_STRATUM.items():
        found = quality(row for row in rows if row.belongs(stratum))
        lines.append(_line(stratum, found, () if known is None else (known,)))
    return lines


def _line(name: str, found: Quality, known: tuple[int, ...]) -> str:
    equivalent = found.ke + found.nke
    total = equivalent + found.kne + found.nkne
    shown = [f"{one:.0f}" for one in (found.sensitivity, found.precision, found.accuracy)]
    cells = [name, total, equivalent, found.unsure, *shown, ", ".join(map(str, known))]
    return f"| {' | '.join(map(str, cells))} |"


def contradictions(rows: Iterable[Row]) -> list[str]:
    """Return the rows that no sound evaluation has.

    What depends on the states and steps of a model alone (MP6, MP9, MP10) is the same on
    equivalent mutants, and exchanged branches have the same conditions (MP1).
    """
    found = []
    for row in rows:
        if row.kind != EQUIVALENT:
            continue
        names = ("MP6", "MP9", "MP10") + (("MP1",) if row.operator == "SB" else ())
        for name in names:
            number = NAMES.index(name)
            before, after = row.before[number], row.after[number]
            if None not in (before, after) and before != after:
                found.append(
                    f"{row.model.file} {row.operator} {row.mutant}: {name} {before} → {after}"
                )
    return found
