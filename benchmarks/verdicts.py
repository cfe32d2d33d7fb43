"""Compare the verdicts of two versions of mutproof on a folder of models.

`record OUT MODEL...` writes one file of verdicts for each model; `compare OLD NEW` says which
differ between two such folders, and ends with 1 where something that was decided is decided
otherwise. What was unknown before may be anything now.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import runs

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.workspace.analysis import Cancelled, Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options

OPEN = frozenset(
    {
        PropertyVerdict.UNKNOWN.value,
        MutantStatus.IGNORED.value,
        EquivalenceStatus.UNDETERMINED.value,
        "",
    }
)
"""Words for what is not decided."""

Verdicts = Mapping[str, Mapping[str, Any]]
"""What is known of the properties and mutants of a model, by their names."""


def recorded(path: Path, options: Options, limit_s: float) -> Verdicts:
    """Return the verdicts on a model, those of the first `limit_s` seconds."""
    language = next(one for one in LANGUAGES if path.suffix in one.suffixes)
    found = language.elaborate(language.parse(SourceText(path.name, path.read_text("latin-1"))))
    properties: dict[str, Any] = {}
    mutants: dict[str, Any] = {}

    def emit(event: Event) -> None:
        if isinstance(event, PropertyFinding):
            properties[event.name] = _of_property(event)
        elif isinstance(event, MutantFinding):
            mutants[event.mutant] = _of_mutant(event)

    if found.program is None:
        return {"properties": {}, "mutants": {}}
    until = time.monotonic() + limit_s
    with contextlib.suppress(Cancelled):
        analyse(found, options, Memory(), emit, cancelled=lambda: time.monotonic() > until)
    return {"properties": properties, "mutants": mutants}


def _of_property(found: PropertyFinding) -> Mapping[str, Any]:
    cores = found.cores
    complete = cores is not None and cores.complete
    return {
        "verdict": found.verdict.value,
        "vacuity": found.vacuity,
        "steps": found.k if found.verdict is PropertyVerdict.FALSIFIED else None,
        "cores": sorted(sorted(map(str, core)) for core in cores.cores)
        if cores is not None and complete
        else "",
    }


def _of_mutant(found: MutantFinding) -> Mapping[str, Any]:
    same = found.equivalence
    return {
        "status": found.status.value,
        "killed by": "" if found.undecided else sorted(found.killed_by),
        "equivalence": "" if same is None else same.status.value,
    }


def differences(old: Verdicts, new: Verdicts) -> Iterator[str]:
    """Yield what was decided in `old` and is something else in `new`."""
    for kind, before in old.items():
        after = new.get(kind, {})
        for name, facts in before.items():
            for fact, value in facts.items():
                now = after.get(name, {}).get(fact, "")
                if value != now and not _is_open(value):
                    shown = "lost" if _is_open(now) else repr(now)
                    yield f"{kind} {name}: {fact} was {value!r}, is {shown}"


def _is_open(value: Any) -> bool:
    return isinstance(value, str) and value in OPEN


def compare(old: Path, new: Path) -> int:
    """Print the differences of two folders of verdicts; return how many there are."""
    found = decided = 0
    for path in sorted(old.glob("*.json")):
        before = json.loads(path.read_text())
        other = new / path.name
        after = json.loads(other.read_text()) if other.is_file() else {}
        for line in differences(before, after):
            print(f"{path.stem}: {line}")
            found += 1
        decided += sum(len(facts) for facts in before.values())
    print(f"{decided} verdicts compared, {found} differ")
    return found


def _models(places: Iterable[Path]) -> Iterator[Path]:
    suffixes = {suffix for language in LANGUAGES for suffix in language.suffixes}
    for place in places:
        inside = sorted(place.rglob("*")) if place.is_dir() else [place]
        yield from (path for path in inside if path.suffix in suffixes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0 where nothing differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="write the verdicts on models into a folder")
    record.add_argument("folder", type=Path)
    record.add_argument("models", type=Path, nargs="+")
    record.add_argument("--level", default="paper")
    record.add_argument("--limit", type=float, default=60.0, help="seconds for each model")
    other = commands.add_parser("compare", help="say which verdicts of two folders differ")
    other.add_argument("old", type=Path)
    other.add_argument("new", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.command == "compare":
        return 1 if compare(chosen.old, chosen.new) else 0
    chosen.folder.mkdir(parents=True, exist_ok=True)
    options = Options(
        level=chosen.level, equivalence="outputs", core_search="all", budget=runs.BUDGET
    )
    spent = time.process_time()
    for path in _models(chosen.models):
        begun = time.process_time()
        found = recorded(path, options, chosen.limit)
        (chosen.folder / f"{path.name}.json").write_text(json.dumps(found, indent=1))
        print(f"{time.process_time() - begun:8.2f} s  {path.name}", flush=True)
    print(f"{time.process_time() - spent:8.2f} s of CPU in total")
    return 0


if __name__ == "__main__":
    sys.exit(main())
