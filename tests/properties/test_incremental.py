"""After any edit, what is kept from before gives the verdicts of a run from scratch."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantStatus, Origin, PropertyVerdict
from mutproof.analyses.deciding.rungs.kept import KeptEvidence
from mutproof.model import forward_meaning, interpretation
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from support.lustre_models import (
    Model,
    accepted,
    models,
    moved_text,
    operator_edit,
    sources,
    structure_edit,
    token_edit,
)
from support.lustre_mutants import options, report
from support.profiles import profile

PARTS = 40
"""Parts of the large model, mostly independent; each has five equations and its property."""


def verdicts(found: Report) -> tuple[dict[str, object], dict[str, object]]:
    return (
        {p.name: p.verdict for p in found.properties},
        {f.mutant: (f.status, f.killed_by) for f in found.mutants},
    )


def check_same(kept: Report, fresh: Report) -> None:
    """Compare the verdicts of two runs; what is unknown in one may be decided in the other."""
    (properties, mutants), (other_properties, other_mutants) = verdicts(kept), verdicts(fresh)
    assert list(properties) == list(other_properties)
    unknown = {PropertyVerdict.UNKNOWN}
    for name, verdict in properties.items():
        assert verdict == other_properties[name] or unknown & {verdict, other_properties[name]}
    if list(properties.values()) == list(other_properties.values()):
        assert list(mutants) == list(other_mutants)
        for name, (status, killed_by) in mutants.items():
            other, others = other_mutants[name]
            if MutantStatus.UNKNOWN not in {status, other}:
                assert (status, killed_by) == (other, others)


@pytest.fixture(name="divided")
def _divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat small programs as large ones, and replay all that is kept without a replay."""
    offered: Any = KeptEvidence._failures

    def replayed(self: Any, claim: Any, record: Any) -> Iterator[Any]:
        for one in offered(self, claim, record):
            fresh = interpretation.interpretation(self._context.baseline.program)
            run = fresh.run(one.evidence.choices, self._context.mutants.bodies[claim.name])
            assert run is not None
            assert run.assumed
            assert one.evidence.step == run.violated[one.goal]
            yield one

    monkeypatch.setattr(forward_meaning, "MOST_RUN_WHOLE", 0)
    monkeypatch.setattr(KeptEvidence, "_failures", replayed)


@pytest.mark.usefixtures("divided")
@profile(2)
@given(models(size=2), sources())
def test_edits_of_anything_give_the_verdicts_of_a_run_from_scratch(
    model: Model, source: random.Random
) -> None:
    memory, text = Memory(), model.text
    chosen = options("default")
    report(accepted(text), chosen, memory)
    for _ in range(2):
        text = token_edit(source, text)
        check_same(report(accepted(text), chosen, memory), report(accepted(text), chosen))


@profile(8)
@given(models(size=3), sources())
def test_edits_give_the_verdicts_of_a_run_from_scratch(model: Model, source: random.Random) -> None:
    memory = Memory()
    chosen = options("default")
    report(accepted(model.text), chosen, memory)
    for _ in range(3):
        edit = source.choice((operator_edit, operator_edit, structure_edit))
        model = edit(source, model)
        text = moved_text(source, model.text) if source.random() < 0.3 else model.text
        check_same(report(accepted(text), chosen, memory), report(accepted(text), chosen))


@profile(6)
@given(models(finite=True, size=3), sources())
def test_edits_give_the_cores_of_a_run_from_scratch(model: Model, source: random.Random) -> None:
    """Minimal cores are not unique; what is in every one of them is."""
    memory = Memory()
    chosen = options(cores=True, mutate=False)
    report(accepted(model.text), chosen, memory)
    for _ in range(3):
        model = operator_edit(source, model)
        kept = report(accepted(model.text), chosen, memory)
        fresh = report(accepted(model.text), chosen)
        for one, other in zip(kept.properties, fresh.properties, strict=True):
            if PropertyVerdict.UNKNOWN not in {one.verdict, other.verdict}:
                assert one.verdict is other.verdict
                assert set(other.must or ()) == set(one.must or ())


@profile(8)
@given(models(size=3), sources(), st.booleans())
def test_moved_text_and_comments_cost_no_solver_call(
    model: Model, source: random.Random, cores: bool
) -> None:
    memory = Memory()
    chosen = options("default", cores=cores)
    first = report(accepted(model.text), chosen, memory)
    again = report(accepted(moved_text(source, model.text)), chosen, memory)

    assert verdicts(first) == verdicts(again)
    assert [(p.core, p.must) for p in first.properties] == [
        (p.core, p.must) for p in again.properties
    ]
    if all(p.verdict is not PropertyVerdict.UNKNOWN for p in first.properties):
        assert 0 == again.statistics.solver_calls
        assert 0 == again.statistics.decided
        assert len(again.properties) == again.statistics.properties_kept


# --- large models ---------------------------------------------------------------------------------


def large(parts: int, changed: tuple[int, int, str] | None = None) -> str:
    """Return a model of five equations a part; one of them may be written differently."""
    lines, names, stated = [], [], []
    for part in range(parts):
        n = f"{part}"
        reads = f"any{part - 1}" if part % 10 == 9 else f"tick{part % 5}"
        bodies = [
            (f"up{n}", f"{reads} and not stop"),
            (f"was{n}", f"false -> pre up{n}"),
            (f"both{n}", f"up{n} and was{n}"),
            (f"any{n}", f"up{n} or was{n}"),
            (f"ok{n}", f"(both{n} => any{n}) and (any{n} => up{n} or pre up{n})"),
        ]
        for index, (name, body) in enumerate(bodies):
            if changed is not None and changed[:2] == (part, index):
                body = changed[2]
            names.append(f"  {name}: bool;")
            lines.append(f"  {name} = {body};")
        stated.append(f"  --%PROPERTY ok{n};")
    inputs = "stop: bool; " + "; ".join(f"tick{number}: bool" for number in range(5))
    return "\n".join(
        [f"node top({inputs}) returns ();", "var", *names, "let", *lines, *stated, "tel;", ""]
    )


def test_an_edit_of_one_operator_keeps_nine_tenths_of_the_verdicts() -> None:
    """In a model of 200 equations, wherever the edit is."""
    memory = Memory()
    chosen = options("default")
    first = report(accepted(large(PARTS)), chosen, memory)
    assert 5 * PARTS == large(PARTS).count(" = ")
    assert {PropertyVerdict.PROVED} == {p.verdict for p in first.properties}
    edits = [
        (0, 0, "tick0 or not stop"),
        (7, 3, "up7 and was7"),
        (13, 1, "true -> pre up13"),
        (18, 2, "up18 or was18"),
        (19, 0, "any18 or not stop"),
        (26, 3, "up26 xor was26"),
        (39, 0, "any38 and stop"),
    ]
    for edit in edits:
        text = large(PARTS, edit)
        found = report(accepted(text), chosen, memory)
        statistics = found.statistics
        kept = statistics.kept + statistics.replayed + statistics.reproved
        assert kept >= 0.9 * statistics.mutants, (edit, statistics)
        assert statistics.decided == sum(
            1 for finding in found.mutants if finding.origin is Origin.DECIDED
        )
    last = report(accepted(large(PARTS, edits[-1])), chosen)
    check_same(report(accepted(large(PARTS, edits[-1])), chosen, memory), last)


RENAMED = """
node top(up, a, b: bool; k: int) returns (low, some: bool);
var n, m: int;
let
  n = 0 -> if up and pre n < 3 then pre n + 1 else if a then pre n else 0;
  m = if up and a or b then 1 else if a or b then 2 else 0;
  assert k >= 1;
  assert k <= 4 or a and b;
  low = n <= 3;
  some = m <= 2 and k >= 1;
  --%PROPERTY low;
  --%PROPERTY some;
tel;
"""


def test_elements_that_have_other_names_after_an_edit_are_still_those_that_proofs_rest_on() -> None:
    assertions = RENAMED.splitlines(keepends=True)[6:8]
    swapped = RENAMED.replace("".join(assertions), "".join(reversed(assertions)))
    memory = Memory()
    for text in (RENAMED, RENAMED.replace("node top", "node peak"), swapped):
        assert "assert k >= 1;" in text
        kept, fresh = (report(accepted(text), None, held) for held in (memory, Memory()))
        check_same(kept, fresh)
        assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= {f.status for f in fresh.mutants}


STATED_TWICE = """
node top(i: bool) returns (either: bool);
let
  assert true -> pre (not i);
  either = i or not i;
  --%PROPERTY either;
tel;
"""


def test_mutants_whose_executions_an_edit_spoiled_are_killed_before_anything_could_prove_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counter = (
        "node top(a: int) returns (n: int; p: bool);\nvar up, room: bool;\nlet\n"
        "  up = a > 0;\n  room = true -> pre n < 20;\n"
        "  n = 0 -> if up and room then pre n + 1 else pre n;\n"
        "  p = n <= 20; --%PROPERTY p;\ntel;\n"
    )
    tried: set[str] = set()
    establish = Checker.establish

    def noted(self: Checker, batch: Sequence[Claim], *more: Any, **others: Any) -> None:
        tried.update(claim.name for claim in batch)
        establish(self, batch, *more, **others)

    memory = Memory()
    report(accepted(counter), options(), memory)
    monkeypatch.setattr(Checker, "establish", noted)

    found = report(accepted(counter.replace("a > 0", "a <= 0")), options(), memory)

    spoiled = {
        one.mutant
        for one in found.mutants
        if one.status is MutantStatus.KILLED and one.origin is Origin.REPROVED
    }
    assert spoiled
    assert spoiled.isdisjoint(tried)


def test_a_mutant_of_an_assertion_contradicts_another_that_states_the_same() -> None:
    assertion = "  assert true -> pre (not i);\n"
    twice = STATED_TWICE.replace(assertion, 2 * assertion)
    memory = Memory()
    for text in (STATED_TWICE, twice, STATED_TWICE):
        kept, fresh = (report(accepted(text), None, held) for held in (memory, Memory()))
        check_same(kept, fresh)
        assert MutantStatus.STILLBORN in {f.status for f in fresh.mutants}


BOUNDED = """
type small = subrange [0, 9] of int;
node top(i: small) returns (low, some: bool);
let
  assert i >= 2;
  low = i <= 4;
  some = i >= 1;
  --%PROPERTY low;
  --%PROPERTY some;
tel;
"""


def test_executions_that_leave_the_bounds_of_today_show_nothing() -> None:
    memory = Memory()
    for high in (9, 4, 2, 9):
        text = BOUNDED.replace("9", f"{high}")
        kept, fresh = (report(accepted(text), options("default"), m) for m in (memory, Memory()))
        check_same(kept, fresh)
        falsified = [p.name for p in fresh.properties if p.verdict is PropertyVerdict.FALSIFIED]
        assert (["low"] if high == 9 else []) == falsified
