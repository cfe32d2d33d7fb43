"""Families of mutants have the verdicts that each mutant has alone, on models of the corpus.

The models are some known ones that are quickly decided, and the shortest others with variables
and temporal properties that NuSMV finds true; without the corpus the examples stand in for them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants, mutated_bodies
from mutproof.analyses.mutation.rejection import Rejection
from mutproof.base.budget import Deadline
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.traits import Semantics
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.crowd import DEADLOCK
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.verdict import Undecided, agree
from support.reading import accepted_in

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "smv"
MODELS = 20
KNOWN = (
    "nusmv/ring.smv",
    "nusmv/mutex.smv",
    "nusmv/syncarb10.smv",
    "nusmv/gigamax.smv",
    "nusmv/p-queue.smv",
    "pynusmv/philo_2.smv",
    "pynusmv/philo_3.smv",
    "pynusmv/admin.smv",
)
LEAST_BYTES = 185
VARIABLES = re.compile(r"^\s*VAR\b", re.MULTILINE)
"""What a model has that does more than compare constants, of which there are no mutants."""

MOST_MUTANTS = 24
SECONDS = 120.0


def models() -> list[Path]:
    expected = CORPUS / "expected.json"
    if not expected.is_file():
        print(f"no corpus at {CORPUS}: the examples stand in for it")
        return sorted((ROOT / "examples").glob("*.smv"))
    listed = json.loads(expected.read_text(encoding="utf-8"))
    temporal = [
        CORPUS / name
        for name, found in listed.items()
        if not found["caveats"]
        and (CORPUS / name).stat().st_size >= LEAST_BYTES
        and VARIABLES.search((CORPUS / name).read_text(encoding="utf-8"))
        and any(s["kind"] in {"CTL", "LTL"} and s["verdict"] is True for s in found["specs"])
    ]
    known = [CORPUS / name for name in KNOWN]
    others = [path for path in temporal if path not in known]
    others.sort(key=lambda path: (path.stat().st_size, path.name))
    return [*known, *others][:MODELS]


def test_there_are_enough_models() -> None:
    assert len(models()) == MODELS or not (CORPUS / "expected.json").is_file()


@pytest.mark.parametrize("path", models(), ids=lambda path: path.name)
def test_a_family_decides_as_single_runs_do(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = accepted_in("nusmv", text)
    meaning = interpretation(found.program)
    system = meaning.system()
    names = [
        p.name
        for p in system.properties
        if p.kind in {PropertyKind.CTL, PropertyKind.LTL, PropertyKind.INVARIANT}
    ]
    rejection = Rejection(found.program)
    alternatives: dict[str, Alternative] = {}
    for mutant in mutants(
        found.program, found.provenance, chosen_mutators("default", (), Semantics.RELATIONAL)
    ):
        bodies = mutated_bodies(found.program, mutant)
        changed = meaning.rewritten(bodies)
        if changed.system is None and not changed.refused and not rejection.reason(bodies):
            alternatives[mutant.id] = Alternative(changed.removed, changed.constraints)
        if len(alternatives) == MOST_MUTANTS:
            break
    assert alternatives

    together = check_family(system, alternatives, names, Deadline.after(SECONDS))

    for name, alternative in alternatives.items():
        if together.dead_ends.get(name) == DEADLOCK:  # verdicts do not matter
            trace, _ = dead_end(alternative.applied(system), Deadline.after(SECONDS))
            assert trace is not None
            continue
        alone = check(alternative.applied(system), names, Deadline.after(SECONDS))
        for goal in names:
            verdict = together.verdicts[name][goal]
            assert not isinstance(verdict, Undecided), (name, goal, verdict)
            assert agree(verdict, alone[goal]), (name, goal)
