"""What is asked about small parts of a system has the answers of the whole system."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.bench import parts
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.model.lower import lower
from mutproof.model.slice import Slicer
from mutproof.model.sorts import INT
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term, eq, var
from mutproof.workspace.analysis import Memory
from support.lustre_models import Model, accepted, models, sources
from support.lustre_mutants import options, program_of, report
from support.profiles import profile
from support.sieving import sieved_sizes


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


def instances(number: int) -> str:
    """Return instances of one node, and a property of each."""
    names = [f"x{n}" for n in range(number)]
    equations = [f"  {x} = up(a, {n});\n  ok{x} = {x} <= {n};\n" for n, x in enumerate(names, 2)]
    stated = "".join(f"  --%PROPERTY ok{x};\n" for x in names)
    declared = "".join(f"{x}: int; ok{x}: bool; " for x in names)
    return (
        "node up(a: bool; top: int) returns (n: int);\nvar old: int;\nlet\n"
        "  old = 0 -> pre n;\n  n = if a and old < top then old + 1 else 0;\ntel;\n"
        f"node top(a: bool) returns ({declared[:-2]});\nlet\n{''.join(equations)}{stated}tel;\n"
    )


def statuses(text: str, memory: Memory) -> dict[str, tuple[MutantStatus, tuple[str, ...]]]:
    found = report(accepted(text), options("default"), memory)
    return {f.mutant: (f.status, tuple(f.killed_by)) for f in found.mutants}


def test_parts_are_made_of_a_large_system(monkeypatch: pytest.MonkeyPatch) -> None:
    text, made = counters(12), []
    monkeypatch.setattr(parts, "LEAST_PARTED", 10**9)
    whole = statuses(text, Memory())
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    part = parts.part_of
    monkeypatch.setattr(parts, "part_of", lambda *a: made.append(part(*a)) or made[-1])
    assert whole == statuses(text, Memory())
    assert made
    assert {len(one.properties) for one in made} <= set(range(1, 4))


def test_mutants_of_a_node_are_proved_instance_by_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    text = instances(12)
    monkeypatch.setattr(parts, "LEAST_PARTED", 10**9)
    whole = statuses(text, Memory())
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    sizes = sieved_sizes(monkeypatch)
    assert whole == statuses(text, Memory())
    assert sizes
    # Only what is left of all proofs joined is about all instances.
    assert len([size for size in sizes if size > max(sizes) // parts.SMALL_PART]) <= 1


def divided(text: str, names: list[str]) -> list[list[str]]:
    """Return how properties of a model are divided."""
    system = lower(program_of(accepted(text)))
    stated = {name: [system.property(name).term] for name in names}
    found: parts.Parts[object] = parts.Parts(Slicer(system), lambda part: part)
    return found.divided([], stated)


def test_what_is_apart_is_asked_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"okx{n}" for n in range(8)]
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    assert [names] == divided(counters(40), names)
    monkeypatch.setattr(parts, "PORTION", 12)
    found = divided(counters(40), names)
    assert 1 < len(found) < 8
    assert names == [name for portion in found for name in portion]


def test_the_cone_of_what_is_asked_of_all_mutants_is_found_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    system = lower(program_of(accepted(counters(12))))
    found: parts.Parts[object] = parts.Parts(Slicer(system), lambda part: part)
    stated = {name: [system.property(name).term] for name in ("okx2", "okx7", "okx9")}
    searched: list[object] = []
    deciding = Slicer.deciding

    def noted(self: Slicer, terms: Iterable[Term], *others: Any) -> frozenset[int]:
        searched.append(terms)
        return deciding(self, terms, *others)

    monkeypatch.setattr(Slicer, "deciding", noted)
    divided = found.divided([], stated)
    first = len(searched)
    (own,) = [c for c in system.constraints if c.defines == "x7"]
    other = replace(own, term=eq(var("x7", INT), var("x3", INT)))
    claim = Claim(Variant("other", frozenset(), (other,)), {"okx7"})
    assert divided == found.divided([], stated)
    assert first == len(searched)
    _, names = found._cone(stated["okx7"], parts._stated([claim]), frozenset())
    assert {"x3", "x7"} <= names
    assert len(searched) == first + 1


def test_what_has_one_cone_is_asked_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    monkeypatch.setattr(parts, "PORTION", 4)
    text = counters(40).replace("okx3 = x3 <=", "okx3 = x2 <=").replace("okx4 = x4", "okx4 = x2")
    assert [["okx2", "okx3", "okx4"]] == divided(text, ["okx2", "okx3", "okx4"])


def test_what_only_removed_elements_read_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "LEAST_PARTED", 20)
    text = counters(8)
    for n in range(1, 8):  # all counters in a row
        text = text.replace(f"x{n} = if a", f"x{n} = if x{n - 1} > 1")
    program = program_of(accepted(text))
    system = lower(program)
    found: parts.Parts[TransitionSystem] = parts.Parts(Slicer(system), lambda part: part)
    stated = [system.property("okx7").term]

    def part(*kept: str) -> TransitionSystem | None:
        gone = {e.id for e in program.elements() if e.targets[0] not in kept}
        return found.of([Claim(Variant("less", frozenset(gone), ()), {"okx7"})], stated)

    every = [element.targets[0] for element in program.elements()]
    least = part("okx7")
    assert least is not None
    assert ["okx7"] == [c.defines for c in least.constraints]
    assert {"okx7", "x7"} == set(least.variables)
    more = part("okx7", "x7", "x3")  # nothing that is kept reads `x3`
    assert more is not None
    assert {"okx7", "x7"} == {c.defines for c in more.constraints}
    assert part(*every[1:]) is None


@profile(40)
@given(models(), sources())
def test_parts_answer_as_the_whole_does(model: Model, source: random.Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "LEAST_PARTED", 10**9)
        whole = statuses(model.text, Memory())
        patch.setattr(parts, "LEAST_PARTED", 0)
        patch.setattr(parts, "SMALL_PART", source.choice([1, 2]))
        patch.setattr(parts, "PORTION", source.choice([1, 100]))
        for name, (status, killers) in statuses(model.text, Memory()).items():
            if MutantStatus.UNKNOWN not in {status, whole[name][0]}:
                assert whole[name] == (status, killers)
