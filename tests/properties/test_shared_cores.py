"""Cores that several workers find: each uses what the others' mutants have shown."""

from __future__ import annotations

from collections import Counter

import pytest

from mutproof.analyses.checking.notary import Notary, Replayed
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.model.forward_meaning import _Forward
from mutproof.model.language import Elaborated
from mutproof.model.trace import Choices
from mutproof.runtime.recall import pack, unpack
from mutproof.workspace.analysis import Memory
from mutproof.workspace.answering import analyse
from mutproof.workspace.events import Event, Progress, Removed
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.reading import accepted_in

PLACES, EVERY = 24, 6

STATED = range(0, PLACES, EVERY)

REGISTER = "\n".join(
    [
        "node main(a: bool) returns (s0: int);",
        f"var {', '.join(f's{n}' for n in range(1, PLACES))}: int;",
        *(f"p{n}: bool;" for n in STATED),
        "let",
        "  s0 = if a then 1 else 0;",
        *(f"  s{n} = 0 -> pre s{n - 1};" for n in range(1, PLACES)),
        *(f"  p{n} = s{n} <= 1; --%PROPERTY p{n};" for n in STATED),
        "tel;",
        "",
    ]
)
"""A register: what changes one place violates all properties of later ones, one step after
another."""

COUNTERS = """MODULE main
VAR n : 0..7; m : 0..7; up : boolean;
ASSIGN
  init(n) := 0; next(n) := up & n < 5 ? n + 1 : 0;
  init(m) := 0; next(m) := n > 3 ? 3 : m;
INVARSPEC n <= 5;
INVARSPEC m <= 3;
INVARSPEC m = 3 -> n <= 5;
"""

TEXTS = {"lustre": REGISTER, "nusmv": COUNTERS}


def run(found: Elaborated, memory: Memory, **options: object) -> tuple[Report, list[Event]]:
    """Return what a run reports, and its events."""
    events: list[Event] = []
    report = analyse(found, Options(**options), memory, events.append, cancelled=lambda: False)
    return report, events


def shown(report: Report) -> dict[str, tuple[object, ...]]:
    """Return the cores of each property that has some."""
    return {p.name: (p.core, p.must, p.verdict) for p in report.properties if p.core is not None}


def executions(memory: Memory, mutant: str) -> list[dict[str, int]]:
    """Return for each execution that killed a mutant what it violates, and at which steps."""
    found: dict[int, dict[str, int]] = {}
    for goal, failure in memory.records[mutant].fails.items():
        found.setdefault(id(failure.choices), {})[goal] = failure.step
    return list(found.values())


def removed(events: list[Event]) -> Removed:
    (found,) = (event for event in events if isinstance(event, Removed))
    return found


@pytest.mark.parametrize("language", TEXTS)
def test_two_workers_find_the_cores_of_one(language, monkeypatch):
    found = accepted_in(language, TEXTS[language])
    alone, _ = run(found, Memory())
    memories, told = (Memory(), Memory()), []
    for number, memory in enumerate(memories):
        report, events = run(found, memory, share=(number, 2), stage="mutants")
        assert not any(p.core for p in report.properties)
        assert not any(isinstance(e, Progress) and e.stage == "core" for e in events)
        told.append(removed(events))
    assert not set(told[0].mutants) & set(told[1].mutants)
    evidence = [pack(m, one.mutants) for m, one in zip(memories, told, strict=True)]

    replayed, replay = [], Notary.replay

    def counted(self: Notary, *about: object, **purpose: object) -> Replayed | None:
        replayed.append(purpose)
        return replay(self, *about, **purpose)

    monkeypatch.setattr(Notary, "replay", counted)
    together: dict[str, tuple[object, ...]] = {}
    for number, memory in enumerate(memories):
        memory.join(unpack(evidence[1 - number]), newer=True)
        replayed.clear()
        report, events = run(found, memory, share=(number, 2), stage="cores")
        assert not report.mutants
        assert shown(report).keys().isdisjoint(together)
        together |= shown(report)
        others = memories[1 - number]
        assert len(replayed) <= sum(len(executions(others, m)) for m in told[1 - number].mutants)

    assert shown(alone) == together
    assert all(must for _, must, _ in together.values())


def test_what_one_execution_violated_is_replayed_together(monkeypatch):
    found = accepted_in("lustre", REGISTER)
    memory = Memory()
    first, _ = run(found, memory, cores=False)
    purposes, replay = [], Notary.replay

    def noted(self: Notary, *about: object, **purpose: object) -> Replayed | None:
        purposes.append(purpose["purpose"])
        return replay(self, *about, **purpose)

    monkeypatch.setattr(Notary, "replay", noted)
    kept = unpack(pack(memory, [mutant.mutant for mutant in first.mutants]))
    kept.proofs = memory.proofs
    again, _ = run(found, kept, cores=False)

    assert {m.mutant: m.killed_by for m in first.mutants} == {
        m.mutant: m.killed_by for m in again.mutants
    }
    names = [m.mutant for m in first.mutants if m.mutant in memory.records]
    known = Counter(frozenset(by) for name in names for by in executions(memory, name))
    assert any(len(goals) > 1 for goals in known)
    assert known == Counter(frozenset(purpose.by or ()) for purpose in purposes)


def test_cores_wait_for_nobody_where_one_worker_decides_all():
    found = accepted_in("lustre", REGISTER)

    report, events = run(found, Memory(), stage="mutants")

    assert shown(report)
    assert not [event for event in events if isinstance(event, Removed)]


def test_who_hands_over_mutants_looks_for_no_cores_before_they_are_decided():
    found = accepted_in("lustre", REGISTER)
    events: list[Event] = []
    asked = iter([True])

    report = analyse(
        found,
        Options(stage="mutants"),
        Memory(),
        events.append,
        cancelled=lambda: False,
        asked=lambda: next(asked, False),
    )

    assert removed(events).mutants
    assert all(isinstance(p, PropertyFinding) and p.core is None for p in report.properties)


def test_an_execution_is_looked_at_once_for_all_that_it_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = accepted_in("lustre", REGISTER)
    memory, stages, looked = Memory(), list[str](), list[Choices]()
    admits = _Forward.admits

    def counted(self: _Forward, choices: Choices) -> bool:
        if stages and stages[-1] == "core":
            looked.append(choices)  # kept, so that no other one gets its identity
        return admits(self, choices)

    def emit(event: Event) -> None:
        if isinstance(event, Progress):
            stages.append(event.stage)

    monkeypatch.setattr(_Forward, "admits", counted)
    analyse(found, Options(), memory, emit, cancelled=lambda: False)
    assert looked
    assert max(Counter(map(id, looked)).values()) == 1
