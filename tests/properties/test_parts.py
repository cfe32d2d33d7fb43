"""What is asked about small parts of a system has the answers of the whole system."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.analyses.bench import parts
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.workspace.analysis import Memory
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import options, report
from support.profiles import profile


def counters(number: int) -> str:
    """Return independent counters, and a property of each."""
    names = [f"x{n}" for n in range(number)]
    equations = [
        f"  {x} = if a then 0 else if p{x} < {n} then p{x} + 1 else p{x};\n"
        f"  p{x} = 0 -> pre {x};\n  ok{x} = {x} <= {n};\n  --%PROPERTY ok{x};\n"
        for n, x in enumerate(names, 2)
    ]
    declared = "".join(f"{x}, p{x}: int; ok{x}: bool; " for x in names)
    return f"node top(a: bool) returns ({declared[:-2]});\nlet\n{''.join(equations)}tel;\n"


def statuses(text: str, memory: Memory) -> dict[str, tuple[MutantStatus, tuple[str, ...]]]:
    found = report(accepted(text), options("default"), memory)
    return {f.mutant: (f.status, tuple(f.killed_by)) for f in found.mutants}


def test_parts_are_made_of_a_large_system(monkeypatch: pytest.MonkeyPatch) -> None:
    text, made = counters(12), []
    monkeypatch.setattr(parts, "LEAST_PARTED", 10**9)
    whole = statuses(text, Memory())
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    part = parts._part
    monkeypatch.setattr(parts, "_part", lambda *a: made.append(part(*a)) or made[-1])
    assert whole == statuses(text, Memory())
    assert made
    assert {len(one.properties) for one in made} <= set(range(1, 4))


@profile(40)
@given(models(), sources())
def test_parts_answer_as_the_whole_does(model: Model, source: random.Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "LEAST_PARTED", 10**9)
        whole = statuses(model.text, Memory())
        patch.setattr(parts, "LEAST_PARTED", 0)
        patch.setattr(parts, "SMALL_PART", source.choice([1, 2]))
        for name, (status, killers) in statuses(model.text, Memory()).items():
            if MutantStatus.UNKNOWN not in {status, whole[name][0]}:
                assert whole[name] == (status, killers)
