"""All strategies come to the same verdicts, where they come to any."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.strategies import STRATEGIES
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support.lustre_models import Model, accepted, models, sources
from support.profiles import profile
from support.reading import analysed

EXAMPLES = Path(__file__).parents[2] / "examples"
OTHERS = tuple(name for name in STRATEGIES.names() if name != "default")
SAMPLE = 8

counted: Counter[str] = Counter()

# The mode needs an invariant: `low` never exceeds `high`.
LEMMA = """
node top(up, down: bool) returns (low, high: int; ok: bool);
let
  low = 0 -> if down and pre low > 0 then pre low - 1
    else if up and pre low < pre high then pre low + 1 else pre low;
  high = 5 -> pre high;
  ok = low <= 5;
  --%PROPERTY ok;
tel;
"""

DEEP = """
node top(a: bool) returns (x, y, z: bool; one, late: bool);
let
  x = true -> pre z;
  y = false -> pre x;
  z = false -> pre y;
  one = not (x and y) and (x or y or z);
  late = true -> pre (true -> pre (true -> pre x)) = x;
  assert a or not a;
  --%PROPERTY one;
  --%PROPERTY late;
tel;
"""

# Some mutants of `step` break `good` only after more states than any proof is deep.
LATE = """
node top(go: bool) returns (step: int; good: bool);
let
  step = 0 -> if pre step >= 5 then 0 else pre step + 1;
  good = step <= 7;
  --%PROPERTY good;
tel;
"""

BRANCHING = """
MODULE main
VAR n : 0..4; up : boolean;
DEFINE top := n = 4;
ASSIGN
  init(n) := {0, 1};
  next(n) := case top : 0; up : n + 1; TRUE : n; esac;
INVARSPEC NAME bounded := n <= 4 & (n >= 0 | top)
CTLSPEC NAME returns := AG (top -> AX n = 0)
CTLSPEC NAME reaches := EF top
LTLSPEC NAME leaves := G (top -> X !top)
"""

INVARIANTS = """
MODULE main
IVAR press : boolean;
VAR s : {start, work, done}; k : 0..2;
ASSIGN
  init(s) := start; init(k) := 0;
  next(s) := case s = start & press : work; s = work & k = 2 : done; TRUE : s; esac;
TRANS next(k) = (k < 2 ? k + 1 : 2)
INVAR s = done -> k = 2
INVARSPEC NAME late := s = done -> k = 2
INVARSPEC NAME begun := s = work -> k > 0
"""


def elaborated(text: str, name: str = "test.lus") -> Elaborated:
    source = SourceText(name, text)
    language = LANGUAGES["nusmv" if name.endswith(".smv") else "lustre"]
    found = language.elaborate(language.parse(source))
    assert found.program is not None, found.diagnostics
    return found


def decided(found: Elaborated, options: Options) -> dict[str, MutantFinding]:
    report = analysed(found, options)
    return {finding.mutant: finding for finding in report.mutants}


def check_agreement(
    found: Elaborated, options: Options, memory: dict[str, dict[str, MutantFinding]] | None = None
) -> None:
    """Compare all strategies with the default, mutant by mutant."""
    reference = decided(found, options)
    for name in OTHERS:
        other = decided(found, replace(options, strategy=name))
        assert reference.keys() == other.keys()
        for mutant, finding in other.items():
            check_pair(reference[mutant], finding)
            counted[f"{name}: {finding.status.value}"] += 1
        if memory is not None:
            memory[name] = other


def check_pair(one: MutantFinding, other: MutantFinding) -> None:
    """Compare what two strategies say of a mutant, as far as both know."""
    known = {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN}
    if {one.status, other.status} <= known:
        assert one.status is other.status, (one, other)
    if MutantStatus.STILLBORN not in {one.status, other.status}:
        # What fails for one is at most open for the other.
        assert set(one.killed_by) <= {*other.killed_by, *other.undecided}, (one, other)
        assert set(other.killed_by) <= {*one.killed_by, *one.undecided}, (one, other)


def options(level: str = "paper") -> Options:
    return Options(level=level, cores=False, budget=Budget(timeout_s=60))


@profile(SAMPLE)
@given(models(finite=True, size=3), sources())
def test_strategies_agree_on_generated_models(model: Model, source: random.Random) -> None:
    operators = ("equal_true", "equation_remove", "and2or", "constant", "drop_pre", "ifelsethen")
    found = accepted(model.text)
    check_agreement(found, replace(options("all"), operators=operators))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param(LEMMA, "lemma.lus", id="lemma"),
        pytest.param(DEEP, "deep.lus", id="deep"),
        pytest.param(LATE, "late.lus", id="late"),
        pytest.param(BRANCHING, "branching.smv", id="branching"),
        pytest.param(INVARIANTS, "invariants.smv", id="invariants"),
    ],
)
def test_strategies_agree_on(text: str, name: str) -> None:
    outcomes: dict[str, dict[str, MutantFinding]] = {}
    check_agreement(elaborated(text, name), options(), outcomes)

    for findings in outcomes.values():
        statuses = {finding.status for finding in findings.values()}
        assert {MutantStatus.KILLED, MutantStatus.SURVIVED} <= statuses


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus", "traffic_light.smv"])
def test_strategies_agree_on_the_example(name: str) -> None:
    found = elaborated((EXAMPLES / name).read_text(), name)
    outcomes: dict[str, dict[str, MutantFinding]] = {}
    check_agreement(found, options(), outcomes)

    assert not any(f.status is MutantStatus.UNKNOWN for f in outcomes["restart"].values())


def test_strategies_other_than_the_default_take_nothing_from_an_earlier_run() -> None:
    found = elaborated(LEMMA)
    memory = Memory()
    analysed(found, options(), memory)
    restart = replace(options(), strategy="restart")

    report = analysed(found, restart, memory)

    assert 0 == report.statistics.kept
    assert 0 == report.statistics.replayed


def test_the_default_is_the_first_of_the_registry() -> None:
    assert STRATEGIES.names()[0] == Options().strategy
