"""Some survivors are told before all properties are proved: no open one depends on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyFinding
from mutproof.analyses.proving.kept_proofs import KeptProofs
from mutproof.analyses.proving.proofs import Proofs
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.model import forward_meaning
from mutproof.model.language import Elaborated
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.portfolio import Outcome, PortfolioOptions
from mutproof.solving.verdict import Verdict
from mutproof.workspace import foremost
from mutproof.workspace.analysis import Event, Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import options

ROW = 3


def model(comment: str = "", more: str = "", first: str = "c0 >= 0") -> Elaborated:
    """Return counters in a row, each of which restarts when the one before is large."""
    lines, declared = [], []
    for n in range(ROW):
        read = f"c{n - 1}" if n else "i"
        lines.append(
            f"  {comment if n == ROW - 1 else ''}\n  d{n} = {read} > 5;\n"
            f"  c{n} = if d{n} then 0 else 0 -> pre c{n} + 1;\n"
            f"  p{n} = {f'c{n} >= 0' if n else first};\n  --%PROPERTY p{n};\n"
        )
        declared.append(f"c{n}: int; d{n}, p{n}: bool")
    outputs = "; ".join(declared)
    return accepted(f"node top(i: int) returns ({outputs});\nlet\n{''.join(lines)}{more}tel;\n")


def told(text: Elaborated) -> tuple[list[str], list[MutantFinding], list[Event]]:
    """Return the elements of survivors told before the last property, their findings, and all."""
    events: list[Event] = []
    report = analyse(text, options("default"), Memory(), events.append, cancelled=lambda: False)
    last = max(n for n, event in enumerate(events) if isinstance(event, PropertyFinding))
    early = [event for event in events[:last] if isinstance(event, MutantFinding)]
    changed = {mutant.id: mutant.element.name for mutant in enumerate_mutants(text, options())}
    final = {found.mutant: found for found in report.mutants}
    assert all(
        (MutantStatus.SURVIVED, final[found.mutant].status, final[found.mutant].covered_by)
        == (found.status, MutantStatus.SURVIVED, found.covered_by)
        for found in early
    )
    return list(dict.fromkeys(changed[found.mutant] for found in early)), early, events


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foremost, "LEAST_GOALS", 1)
    monkeypatch.setattr(foremost, "MOST_FIRST", 1)


@pytest.mark.usefixtures("few")
def test_only_what_no_open_property_depends_on() -> None:
    elements, early, _ = told(model())
    assert ["d2"] == elements  # `d1` is in no core either, but `p1` is still open
    assert {("p2",)} == {found.covered_by for found in early}


@pytest.mark.usefixtures("few")
def test_a_comment_suppresses_it() -> None:
    assert [] == told(model("-- mutproof disable next-line all: known"))[0]


@pytest.mark.usefixtures("few")
def test_not_where_executions_may_end() -> None:
    assert [] == told(model(more="  assert i < 10;\n"))[0]


def test_not_where_few_properties_are_proved() -> None:
    assert [] == told(model())[0]


@pytest.mark.usefixtures("few")
def test_findings_are_the_same_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def final(events: list[Event]) -> dict[str, tuple[object, ...]]:
        found = [event for event in events if isinstance(event, MutantFinding)]
        return {f.mutant: (f.status, f.killed_by, f.covered_by, f.k, f.how) for f in found}

    early = final(told(model())[2])
    monkeypatch.setattr(foremost, "LEAST_GOALS", 100)
    assert final(told(model())[2]) == early


@pytest.fixture
def hard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave `p0` open until it is asked about with the whole budget."""
    real, whole = portfolio.prove, options("default").budget

    def prove(
        system: TransitionSystem,
        budget: Budget,
        options: PortfolioOptions,
        *,
        goals: Sequence[str],
        on_verdict: Callable[[str, Verdict], None],
    ) -> Outcome:
        asked = [goal for goal in goals if goal != "p0" or budget == whole]
        return real(system, budget, options, goals=asked, on_verdict=on_verdict)

    monkeypatch.setattr("mutproof.analyses.proving.proofs.portfolio.prove", prove)


@pytest.mark.usefixtures("hard")
def test_while_a_property_is_hard_what_it_may_notice_does_not_survive() -> None:
    text = model()
    events: list[Event] = []
    report = analyse(text, options("default"), Memory(), events.append, cancelled=lambda: False)
    last = max(n for n, event in enumerate(events) if isinstance(event, PropertyFinding))
    early = [event for event in events[:last] if isinstance(event, MutantFinding)]
    changed = {mutant.id: mutant.element.name for mutant in enumerate_mutants(text, options())}
    final = {found.mutant: found.status for found in report.mutants}

    assert all(final[found.mutant] is found.status for found in early)
    survived = {changed[f.mutant] for f in early if f.status is MutantStatus.SURVIVED}
    assert {"d1", "d2"} <= survived
    assert survived.isdisjoint({"c0", "d0", "p0"})
    assert {"c1", "c2"} <= {changed[f.mutant] for f in early if f.status is MutantStatus.KILLED}


@pytest.mark.usefixtures("hard")
def test_what_is_told_while_a_property_is_hard_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def decided() -> tuple[MutantFinding, ...]:
        found = analyse(model(), options("default"), Memory(), [].append, cancelled=lambda: False)
        return tuple(replace(finding, seconds=0.0) for finding in found.mutants)

    early = decided()
    monkeypatch.setattr(foremost.Foremost, "tell_meanwhile", lambda *_: None)
    assert early == decided()


@pytest.mark.usefixtures("hard")
def test_kills_that_stand_are_told_without_a_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of what only `p0` reads leaves all that decides the others as it was."""
    monkeypatch.setattr(forward_meaning, "MOST_RUN_WHOLE", 0)
    monkeypatch.setattr(KeptProofs, "try_earlier", lambda *_: None)
    memory, events, replayed = Memory(), list[Event](), list[Choices]()
    before = model(first="c0 > -1")
    analyse(before, options("default"), memory, events.append, cancelled=lambda: False)
    killed = {e.mutant for e in events if isinstance(e, MutantFinding) and e.killed_by[:1]}
    known = [f.choices for _, one in memory.records.newest() for f in one.fails.values()]
    events.clear()
    replay, tell = Notary.replay, foremost.Foremost.tell_meanwhile
    told_early: list[MutantFinding] = []

    def noted(self: Notary, meaning: Any, choices: Choices, *about: Any, **more: Any) -> Any:
        replayed.append(choices)
        return replay(self, meaning, choices, *about, **more)

    def telling(self: foremost.Foremost, proofs: Proofs) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(Notary, "replay", noted)
            tell(self, proofs)
        told_early.extend(e for e in events if isinstance(e, MutantFinding))

    monkeypatch.setattr(foremost.Foremost, "tell_meanwhile", telling)
    edited = model(first="c0 + 1 > 0")
    found = analyse(edited, options("default"), memory, events.append, cancelled=lambda: False)
    early = {f.mutant for f in told_early if f.status is MutantStatus.KILLED}
    assert early
    assert early <= killed
    assert not any(choices is one for choices in replayed for one in known)
    fresh = analyse(edited, options("default"), Memory(), [].append, cancelled=lambda: False)
    assert [(f.mutant, f.status, f.killed_by) for f in fresh.mutants] == [
        (f.mutant, f.status, f.killed_by) for f in found.mutants
    ]


def test_what_a_copy_notes_of_kills_is_not_known_of_the_original() -> None:
    memory = Memory()
    analyse(model(), options("default"), memory, [].append, cancelled=lambda: False)
    records = memory.records
    name = next(name for name, record in records.newest() if record.fails)
    goal, failure = next(iter(records[name].fails.items()))
    copy = records.copied()
    copy.kills.note(name, goal, failure, Digest(b"another"))
    assert copy.kills.stands(name, goal, failure, Digest(b"another"))
    assert not records.kills.stands(name, goal, failure, Digest(b"another"))
    copy.kills.forget(name)
    assert copy.kills.shown(name, failure) is None
    assert records.kills.shown(name, failure) is not None
