"""What is kept of several versions of a model counts where it is true of today's, only there."""

from __future__ import annotations

import marshal
from collections.abc import Iterator

import pytest

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import IDLE, ModelFault, MutantStatus, PropertyVerdict
from mutproof.analyses.claims.proof_memory import MOST_EARLIER
from mutproof.analyses.claims.records import Record
from mutproof.analyses.cores.cones import cones_of
from mutproof.analyses.deciding.rung import Candidate
from mutproof.analyses.deciding.rungs.kept import KeptEvidence
from mutproof.model.interpretation import Interpretation
from mutproof.solving.verdict import Certificate
from mutproof.workspace import remembered
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from mutproof.workspace.meaning import meaning_of
from support.forged import forged
from support.lustre_models import accepted
from support.lustre_mutants import options, report


@pytest.mark.parametrize(
    ("then", "today", "stands"),
    [
        ({"p": b"1", "q": b"2"}, {"p": b"1", "q": b"2", "r": b"3"}, True),
        ({"p": b"1", "q": b"2"}, {"p": b"0", "q": b"2"}, False),
        ({"p": b"1", "q": b"2"}, {"p": b"1", "q": b"0"}, False),
        ({"p": b"1", "q": b"2"}, {"p": b"1"}, False),
        ({"p": b"1"}, {"p": b"1", "q": b"2"}, False),
        ({"p": b"1"}, {"p": b"1"}, False),
    ],
)
def test_a_proof_speaks_of_what_all_its_properties_say(
    then: dict[str, bytes], today: dict[str, bytes], stands: bool
) -> None:
    """What says nothing now, or said nothing then, is not the same."""
    holds = forged(Holds, Certificate(1, (), ("p", "q")), frozenset(), "k-induction")
    assert stands == holds.says("p", then, today)
    assert stands == bool([*Record({"p": holds}, {}, stated=then).proofs(today)])


def check_versions(*texts: str, store: bool = False) -> list[Report]:
    """Analyse versions one after the other; each gives what it gives alone."""
    memory, found = Memory(), []
    for text in texts:
        kept = report(accepted(text), options(), memory)
        fresh = report(accepted(text), options())
        assert [(p.name, p.verdict, p.vacuity) for p in fresh.properties] == [
            (p.name, p.verdict, p.vacuity) for p in kept.properties
        ]
        assert [(m.mutant, m.status, m.killed_by) for m in fresh.mutants] == [
            (m.mutant, m.status, m.killed_by) for m in kept.mutants
        ]
        reasons = [
            {m.mutant: m.reason for m in one.mutants if m.status is MutantStatus.STILLBORN}
            for one in (fresh, kept)
        ]
        assert reasons[0] == reasons[1]
        assert [f.message for f in fresh.model] == [f.message for f in kept.model]
        found.append(kept)
        if store:
            memory = remembered.from_plain(
                marshal.loads(marshal.dumps(remembered.to_plain(memory)))
            )
    return found


PREMISE = """
type small = subrange [0, 9] of int;
node top(a, b: small) returns (p, q: bool);
var
  most: int;
let
  most = 3;
  assert a < most;
  p = a > 5 => a > 4;
  q = b <= 9;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""


@pytest.mark.parametrize("store", [False, True])
def test_a_premise_that_can_hold_after_an_edit_is_idle_no_more(store: bool) -> None:
    elsewhere = PREMISE.replace("b <= 9", "b < 10")
    wider, narrower = PREMISE.replace("= 3;", "= 8;"), PREMISE.replace("[0, 9]", "[0, 4]")
    found = check_versions(
        PREMISE, elsewhere, wider, PREMISE, wider, narrower.replace("= 3;", "= 8;"), store=store
    )
    vacuities = [{p.name: p.vacuity for p in one.properties}["p"] for one in found]
    assert [IDLE, IDLE, "", IDLE, "", IDLE] == vacuities


CONTRADICTED = """
node top(i: int) returns (p: bool);
var
  x, y: int;
let
  y = i;
  x = 0 -> if i > 2 then 2 else 3;
  assert x < 9 and i > 0;
  p = x <= 3 and y > 0;
  --%PROPERTY p;
tel;
"""


def test_assertions_that_contradict_each_other_after_an_edit_are_found() -> None:
    never = CONTRADICTED.replace("i > 0;", "i > 0 and i < 0;")
    later = CONTRADICTED.replace("x < 9", "x < 1")
    found = check_versions(CONTRADICTED, never, CONTRADICTED, later, CONTRADICTED)
    wrong = [[f for f in one.model if f.fault is not ModelFault.NO_DEAD_END] for one in found]
    assert [0, 1, 0, 1, 0] == [len(each) for each in wrong]


ENDING = """
node top(i: bool) returns (p: bool);
var
  x, y: int;
let
  y = if i then 1 else 2;
  x = 3;
  assert x >= 3;
  assert true -> pre x <= 3;
  p = y > 0;
  --%PROPERTY p;
tel;
"""


def test_where_a_mutant_ends_is_kept_while_what_that_rests_on_is_the_same() -> None:
    elsewhere = ENDING.replace("then 1", "then 5")
    room = ENDING.replace("x = 3;", "x = 4;").replace("x <= 3", "x <= 4")
    longer = ENDING.replace("x = 3;", "x = 3 -> pre x;")
    found = check_versions(ENDING, elsewhere, room, ENDING, longer, room, elsewhere)
    ends = [sum(m.status is MutantStatus.STILLBORN for m in one.mutants) for one in found]
    assert all(ends)
    assert ends[0] == ends[1]


SOONER = """
node top(i: bool) returns (p: bool);
var
  g: bool;
  x: int;
let
  x = 2;
  g = x >= 3;
  assert true -> not pre g;
  assert i or not i;
  p = x > 0;
  --%PROPERTY p;
tel;
"""


def test_a_mutant_that_ends_sooner_after_an_edit_is_said_to() -> None:
    sooner = SOONER.replace("assert i or not i;", "assert not g;")
    found = check_versions(SOONER, sooner, SOONER)
    ends = [[m.reason for m in one.mutants if "more than 1 step" in m.reason] for one in found]
    assert len(ends[0]) == len(ends[2]) > len(ends[1])


UNDONE = """
node top(up: bool) returns (p, q: bool);
var
  n, m: int;
let
  n = 0 -> if up and pre n < 5 then pre n + 1 else pre n;
  m = 0 -> if up then pre m + 1 else 0;
  p = n <= 5;
  q = m >= 0;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""


def test_an_edit_that_is_undone_costs_no_question() -> None:
    edited = UNDONE.replace("pre n < 5", "pre n < 4")
    broken = UNDONE.replace("pre n < 5", "pre n <= 5")
    found = check_versions(UNDONE, edited, UNDONE, broken, edited, UNDONE)
    verdicts = [one.properties[0].verdict for one in found]
    proved, falsified = PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED
    assert [proved, proved, proved, falsified, proved, proved] == verdicts
    assert found[0].statistics.solver_calls
    assert not found[2].statistics.solver_calls


def test_only_proofs_of_open_properties_are_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of most mutants that an edit concerns only the executions that kill them are to be run."""
    text = """
node top(a, b: bool) returns (p, q: bool);
var n, m: int;
let
  n = 0 -> if a and pre n < 3 then pre n + 1 else pre n;
  m = 0 -> if b then 1 else pre m;
  p = n <= 3;
  q = m <= 1;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""
    memory, asked = Memory(), list[bool]()
    first = report(accepted(text), options(), memory)
    assert any(m.status is MutantStatus.KILLED for m in first.mutants)
    proofs = KeptEvidence._proofs

    def noted(kept: KeptEvidence, claim: Claim, record: Record) -> Iterator[Candidate]:
        asked.append(claim.open.isdisjoint(record.holds))
        return proofs(kept, claim, record)

    monkeypatch.setattr(KeptEvidence, "_proofs", noted)
    report(accepted(text.replace("if a and", "if not a and")), options(), memory)
    assert asked
    assert not any(asked)


def test_an_edited_property_keeps_its_place_among_those_that_read_a_mutant() -> None:
    read = UNDONE.replace("q = m >= 0", "q = m >= 0 and n >= 0")
    found = check_versions(read, read.replace("n <= 5", "n <= 6"))
    assert all(("p", "q") == m.covered_by for m in found[1].mutants if len(m.covered_by) > 1)
    assert any(len(m.covered_by) > 1 for m in found[1].mutants)


def test_a_few_proofs_of_a_property_are_kept() -> None:
    memory = Memory()
    for most in range(2, 12):
        text = UNDONE.replace("pre n < 5", f"pre n < {most}").replace("<= 5", f"<= {most}")
        report(accepted(text), options(), memory)
        assert len(memory.proofs.earlier["p"]) <= MOST_EARLIER
    assert len(memory.proofs.earlier["p"]) == MOST_EARLIER


REMEMBERED = """
node top(up, down: bool) returns (quiet: bool);
var
  m, n, old: int;
  full, alarm: bool;
let
  m = 0 -> pre m + 1;
  old = 0 -> pre n;
  n = old + (if up and old < 3 then 1 else if down then -1 else 0);
  full = n >= 3;
  alarm = full or (false -> pre alarm) and n > 0;
  quiet = not alarm => n < 3;
  --%PROPERTY quiet;
tel;
"""


def test_a_memory_that_an_edit_takes_away_is_looked_for_no_more() -> None:
    check_versions(REMEMBERED, REMEMBERED.replace("pre n;", "pre m;"), REMEMBERED)


def meaning(text: str) -> Interpretation:
    """Return what an analysis takes as the meaning of a text."""
    found = accepted(text)
    assert found.program is not None
    return meaning_of(found, found.program, options())


def test_a_program_is_interpreted_again_where_its_text_says_something_else() -> None:
    """What digests leave out, such as the order of declarations, is shown."""
    swapped = UNDONE.replace("  n, m: int;", "  m, n: int;")
    edited = UNDONE.replace("pre n < 5", "pre n < 4")
    first = meaning(UNDONE)
    assert first is meaning(UNDONE.replace("let", "let -- a comment"))
    assert first is not meaning(edited)
    assert first is meaning(UNDONE)
    assert list(first.system().variables) != list(meaning(swapped).system().variables)


def test_cones_of_another_version_are_other_cones() -> None:
    def reads(text: str, *names: str) -> list[list[str]]:
        one = meaning(text)
        return [sorted(cone.system.variables) for cone in cones_of(one, one.system()).of(names)]

    edited = UNDONE.replace("pre m + 1", "pre m + pre n")
    first = reads(UNDONE, "p", "q")
    assert [["n"], ["m"]] == [[name for name in one if name in "mn"] for one in first]
    assert reads(edited, "p", "q") != first
    assert reads(UNDONE, "q") == first[1:]
    assert reads(UNDONE, "p", "q") == first


SEPARATE = """
node top(a, b: bool) returns (n, m: int; small, few: bool);
let
  n = 0 -> if a and pre n < 3 then pre n + 1 else pre n;
  m = 0 -> if b and pre m < 4 then pre m + 1 else pre m;
  small = n <= 3;
  few = m <= 4;
  --%PROPERTY small;
  --%PROPERTY few;
tel;
"""


def test_a_proof_that_stands_is_the_very_same_where_mutants_inherit_it() -> None:
    memory = Memory()
    versions: list[dict[str, list[Holds]]] = []
    for text in (SEPARATE, SEPARATE.replace("pre n < 3", "pre n <= 2"), SEPARATE):
        found = report(accepted(text), options(), memory).mutants
        records = [memory.records[mutant.mutant] for mutant in found]
        held = [record.holds for record in records if record.holds.keys() == {"small", "few"}]
        versions.append({g: [h[g] for h in held if h[g].how == "core"] for g in ("small", "few")})
    first, second, third = versions
    assert {id(holds) for holds in first["few"]} == {id(holds) for holds in second["few"]}
    assert {id(holds) for holds in first["small"]}.isdisjoint(map(id, second["small"]))
    assert [1, 1, 1] == [len({*map(id, one["few"])}) for one in versions]
    assert {id(holds) for holds in second["few"]} == {id(holds) for holds in third["few"]}
