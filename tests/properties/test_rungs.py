"""Whichever rung is left out: what was decided is decided alike, or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from mutproof.analyses import strategies
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import Candidate
from mutproof.analyses.deciding.rungs import diagrams, engines
from mutproof.analyses.deciding.strategy import Strategy
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Budget
from mutproof.model.terms import Term
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support.reading import analysed, elaborated_in

RUNGS = {
    name: [*dict.fromkeys(r.name for r in STRATEGIES[name].rungs)] for name in STRATEGIES.names()
}
LEFT_OUT = [(strategy, rung) for strategy, names in RUNGS.items() for rung in names]

# It has few states; one property needs an invariant, the other one is proved by deep induction.
SMALL = """node top(a, up: bool) returns (x, y, z: bool; low: int; one, late, ok: bool);
let
  x = true -> pre z;
  y = false -> pre x;
  z = false -> pre y;
  low = 0 -> if up and pre low < 3 then pre low + 1 else if a then 0 else pre low;
  one = not (x and y) and (x or y or z);
  late = true -> pre (true -> pre (true -> pre x)) = x;
  ok = low <= 3;
  assert a or not up or low < 9;
  --%PROPERTY one;
  --%PROPERTY late;
  --%PROPERTY ok;
tel;
"""

LARGE = """node top(up, go: bool; by: int) returns (low, high, step: int; ok, good: bool);
let
  low = 0 -> if up and pre low < pre high then pre low + 1 else pre low;
  high = 5 -> if by > 0 then pre high + by else pre high;
  step = 0 -> if pre step >= 3 then 0 else if go then pre step + 1 else pre step;
  ok = low <= high;
  good = step <= 4;
  assert step < 9;
  --%PROPERTY ok;
  --%PROPERTY good;
tel;
"""

RELATIONAL = """MODULE main
VAR n : 0..3; up : boolean;
DEFINE top := n = 3;
ASSIGN init(n) := 0; next(n) := case top : 0; up : n + 1; TRUE : n; esac;
INVAR n < 3 | !up
INVARSPEC NAME bounded := n <= 3 & (n >= 0 | top)
CTLSPEC NAME returns := AG (top -> AX n = 0)
LTLSPEC NAME leaves := G (top -> X !top)
"""

TEXTS = {
    "small.lus": (SMALL, SMALL.replace("pre low < 3", "pre low < 2")),
    "large.lus": (LARGE, LARGE.replace("pre step >= 3", "pre step >= 2")),
    "relational.smv": (RELATIONAL, RELATIONAL.replace("{0, 1}", "0")),
}


def decided(name: str, strategy: str) -> list[dict[str, MutantFinding]]:
    """Return the findings on a text and, after an edit, on another."""
    memory = Memory()
    options = Options(level="paper", cores=False, strategy=strategy, budget=Budget(timeout_s=60))
    findings = []
    for text in TEXTS[name]:
        found = elaborated_in("nusmv" if name.endswith(".smv") else "lustre", text)
        report = analysed(found, options, memory)
        findings.append({finding.mutant: finding for finding in report.mutants})
    return findings


@cache
def whole(name: str) -> list[dict[str, MutantFinding]]:
    return decided(name, "default")


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("strategy", "rung"), LEFT_OUT)
def test_without_a_rung_no_verdict_is_another_one(
    name: str, strategy: str, rung: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = whole(name)
    less = STRATEGIES[strategy].without(rung)
    monkeypatch.setattr(strategies, "STRATEGIES", {strategy: less})
    for with_it, without in zip(expected, decided(name, strategy), strict=True):
        assert with_it.keys() == without.keys()
        for mutant, finding in without.items():
            if finding.status is not MutantStatus.UNKNOWN:
                assert with_it[mutant].status is finding.status, finding
            assert set(finding.killed_by) <= set(with_it[mutant].killed_by), finding


def test_the_texts_have_every_verdict() -> None:
    statuses = {f.status for name in TEXTS for found in whole(name) for f in found.values()}
    assert statuses >= {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN}


def test_engines_are_asked_once_about_a_mutant_they_leave_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: Counter[str] = Counter()

    def unanswered(_: Context, claim: Claim, __: tuple[Term, ...]) -> Iterator[Candidate]:
        asked[claim.name] += 1
        return iter(())

    monkeypatch.setattr(engines, "_found", unanswered)
    alone = Strategy("default", "", "", (engines.ADVISED,))
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": alone})
    monkeypatch.setitem(TEXTS, "large.lus", (LARGE,))
    (found,) = decided("large.lus", "default")

    unknown = {name for name, f in found.items() if f.status is MutantStatus.UNKNOWN}
    assert {1} == {asked[name] for name in unknown}


# Diagrams decide its temporal property, certificates the invariant.
TWO_KINDS = """MODULE main
VAR n : 0..9; m : 0..9; up : boolean;
ASSIGN
  init(n) := 0; next(n) := case up & n < 9 : n + 1; n = 9 : 0; TRUE : n; esac;
  init(m) := 0; next(m) := case n > 5 & m < 9 : m + 1; TRUE : 0; esac;
INVAR m <= n + 9
INVARSPEC NAME bounded := n <= 9 & m <= 9
LTLSPEC NAME steps := G (n = 3 & up -> X n = 4)
"""


def test_survivors_are_told_before_diagrams_try_all_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[MutantFinding] = []
    before: list[int] = []

    def propose(state: Any, claims: Sequence[Claim]) -> Iterable[Candidate]:
        before.append(sum(one.status is MutantStatus.SURVIVED for one in told))
        return diagrams.NEAR.propose(state, claims)

    near = replace(diagrams.NEAR, propose=propose)
    rungs = [near if rung is diagrams.NEAR else rung for rung in STRATEGIES["default"].rungs]
    chosen = Strategy("default", "", "", tuple(rungs))
    for name in ("graphs of few states", "states beyond the model"):
        chosen = chosen.without(name)
    monkeypatch.setattr(strategies, "STRATEGIES", {"default": chosen})
    options = Options(cores=False, budget=Budget(timeout_s=60))
    found = elaborated_in("nusmv", TWO_KINDS)

    def emit(event: Event) -> None:
        if isinstance(event, MutantFinding):
            told.append(event)

    analyse(found, options, Memory(), emit, cancelled=lambda: False)

    assert len(before) > 1
    assert before[0] < before[-1]
