"""What NuSMV 2.6.0 accepts and rejects: every probe and every model of the corpus.

The corpus is not part of the project: `MUTPROOF_CORPUS`, default `../shared/corpus`. Without it
the same is asserted of the project's own examples, which NuSMV accepts. Each difference is
explained in README-smv.md, whose table this test reads.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from mutproof.base.diagnostics import Severity
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import PropertyKind
from support.explicit import explore, invariant_holds
from support.places import ROOT, corpus_folder

CORPUS = corpus_folder()

README = Path(__file__).with_name("README-smv.md")


class Difference(Enum):
    """Say how mutproof differs from NuSMV on a file."""

    ACCEPTED = "mutproof accepts what NuSMV rejects"
    REJECTED = "mutproof rejects what NuSMV accepts"
    ELSEWHERE = "both reject, at other lines"
    VERDICT = "other verdicts"


def explained() -> dict[str, Difference]:
    """Return the files that the first table of the README explains, and how they differ."""
    rows = README.read_text("utf-8").split("\n\n| file |")[1].split("\n\n")[0].splitlines()[2:]
    found: dict[str, Difference] = {}
    for row in rows:
        files, _, here, _ = (cell.strip() for cell in row.strip("|").split(" | "))
        kind = ""
        for word, name in re.findall(r"(probe|model)s?\b|`([^`]+)`", files):
            kind = word or kind
            if name:
                found[f"{kind} {name}.smv"] = _difference(files, here)
    return found


def _difference(files: str, here: str) -> Difference:
    if files.endswith("(verdict)"):
        return Difference.VERDICT
    if "line" in here:
        return Difference.ELSEWHERE
    return Difference.ACCEPTED if here == "accepts" else Difference.REJECTED


EXPLAINED = explained()
EXAMPLE_INVARIANTS = {
    "beverage.smv": (True,),
    "clock.smv": (),
    "lift.smv": (False, True),
    "mutex.smv": (True,),
    "traffic_light.smv": (True,),
}


@dataclass(frozen=True, slots=True)
class Case:
    """Hold a file, whether NuSMV rejects it, and the line it names."""

    name: str
    path: Path
    rejected: bool
    line: int | None
    invariants: tuple[bool, ...] | None


def _line(message: str) -> int | None:
    found = re.search(r"line (\d+)", message)
    return int(found[1]) if found else None


def _probes() -> list[Case]:
    expected: dict[str, Any] = json.loads((CORPUS / "smv-probes/expected.json").read_text())
    cases = []
    for name, answer in expected.items():
        lines = [text for text in answer["output"] if text.startswith("-- invariant")]
        verdicts = tuple(sorted(text.endswith("is true") for text in lines))
        rejected = answer["exit"] != 0
        split = any(not text.endswith(("is true", "is false")) for text in lines)
        cases.append(
            Case(
                f"probe {name}",
                CORPUS / "smv-probes" / name,
                rejected,
                _line("\n".join(answer["output"])) if rejected else None,
                None if rejected or split else verdicts,
            )
        )
    return cases


def _models() -> list[Case]:
    expected: dict[str, Any] = json.loads((CORPUS / "smv/expected.json").read_text())
    return [
        Case(
            f"model {name}",
            CORPUS / "smv" / name,
            answer["status"] not in {"ok", "build_timeout"},
            _line(answer["error"] or ""),
            None,
        )
        for name, answer in expected.items()
    ]


def _examples() -> list[Case]:
    paths = sorted((ROOT / "examples").glob("*.smv"))
    return [
        Case(f"example {path.name}", path, False, None, EXAMPLE_INVARIANTS[path.name])
        for path in paths
    ]


def cases() -> list[Case]:
    """Return the cases of the corpus, or those of the examples where there is no corpus."""
    if not (CORPUS / "smv-probes" / "expected.json").is_file():
        print(f"no corpus at {CORPUS}: the examples stand in for it")
        return _examples()
    return _probes() + _models() + _examples()


def elaborated(case: Case) -> tuple[SourceText, Elaborated]:
    source = SourceText(case.name, case.path.read_text(encoding="latin-1"))
    return source, LANGUAGE.elaborate(LANGUAGE.parse(source))


def test_the_readme_explains_files_of_the_corpus_only() -> None:
    known = {case.name for case in cases()}

    assert [] == ([name for name in EXPLAINED if name not in known] if CORPUS.is_dir() else [])


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_a_model_is_accepted_or_rejected_at_the_line_nusmv_names(case: Case) -> None:
    source, found = elaborated(case)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    lines = {source.position(problem.span.start).line for problem in errors}

    differs = EXPLAINED.get(case.name)
    other = differs in {Difference.ACCEPTED, Difference.REJECTED}
    assert bool(errors) == (case.rejected is not other), errors
    if case.rejected and errors and case.line is not None:
        assert (case.line in lines) == (differs is not Difference.ELSEWHERE), errors


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_an_accepted_model_has_a_transition_system(case: Case) -> None:
    _, found = elaborated(case)
    if found.program is None:
        return

    system = interpretation(found.program).system()

    names = set(system.variables)
    for constraint in system.constraints:
        assert constraint.defines is None or constraint.defines in names
    assert len(system.properties) == len(found.program.component("main").properties)


@pytest.mark.parametrize(
    "case", [c for c in cases() if c.invariants is not None], ids=lambda case: case.name
)
def test_small_models_have_the_invariants_nusmv_finds(case: Case) -> None:
    _, found = elaborated(case)
    if found.program is None:
        assert EXPLAINED[case.name] is Difference.REJECTED
        return
    system = interpretation(found.program).system()
    space = explore(system)
    if space is None:
        return

    verdicts = tuple(
        sorted(
            invariant_holds(system, space, stated.name)
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        )
    )

    assert (verdicts == case.invariants) == (EXPLAINED.get(case.name) is not Difference.VERDICT)
