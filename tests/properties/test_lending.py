"""What a worker parts with is decided by another one as the first would have decided it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin, Statistics
from mutproof.analyses.claims.lending import DIVISIBLE, latter_half
from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated
from mutproof.runtime.recall import pack, unpack
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event, Lent
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
QUERIES = Queries()


@dataclass
class Workers:
    """Analyse a text with one memory; what is parted with is decided by others.

    Somebody asks at every `every`-th look, for ever.
    """

    elaborated: Elaborated
    every: int
    equivalence: str = "outputs"
    memory: Memory = field(default_factory=Memory)
    findings: dict[str, MutantFinding] = field(default_factory=dict)
    statistics: Statistics = field(default_factory=Statistics)
    origins: dict[str, Origin] = field(default_factory=dict)
    lent: int = 0

    def run(self, memory: Memory, mutants: tuple[str, ...] = ()) -> None:
        looks, lent = count(1), []
        options = Options(level="paper", equivalence=self.equivalence, mutants=mutants)

        def emit(event: Event) -> None:
            if isinstance(event, Lent):
                lent.append((event.mutants, pack(memory, event.mutants)))
            elif isinstance(event, MutantFinding):
                self.findings[event.mutant] = event
                self.origins.setdefault(event.mutant, event.origin)
            elif isinstance(event, Statistics):
                self.statistics = event

        analyse(
            self.elaborated,
            options,
            memory,
            emit,
            cancelled=lambda: False,
            asked=lambda: self.every > 0 and next(looks) % self.every == 0,
        )
        for names, evidence in lent:
            self.lent += len(names)
            helper = unpack(evidence)
            self.run(helper, names)
            self.memory.join(unpack(pack(helper, names)), newer=True)

    @property
    def verdicts(self) -> dict[str, tuple[MutantStatus, tuple[str, ...], str]]:
        return {
            name: (f.status, f.killed_by, "" if e is None else e.status.value)
            for name, f in self.findings.items()
            for e in [f.equivalence]
        }


def elaborated(name: str) -> Elaborated:
    language = "lustre" if name.endswith(".lus") else "nusmv"
    return QUERIES.elaborated(language, SourceText(name, (EXAMPLES / name).read_text()))


@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("name", ["demo2.lus", "demo.lus", "mutex.smv"])
def test_what_is_lent_gets_the_same_verdicts(name: str, every: int) -> None:
    alone, several = Workers(elaborated(name), 0), Workers(elaborated(name), every)
    alone.run(alone.memory)
    several.run(several.memory)
    assert alone.verdicts == several.verdicts
    assert {Origin.DECIDED} == set(several.origins.values())
    assert several.lent > 0


@pytest.mark.parametrize("name", ["demo2.lus", "demo.lus", "mutex.smv", "lift.smv"])
def test_what_helpers_found_out_is_not_looked_for_again(name: str) -> None:
    again = []
    for every in (0, 1):
        workers = Workers(elaborated(name), every)
        workers.run(workers.memory)
        before = workers.verdicts
        workers.every = 0
        workers.findings.clear()
        workers.run(workers.memory)
        assert before == workers.verdicts
        again.append(workers.statistics)
    alone, several = again
    # An execution that another process found is replayed here once more before it stands.
    assert alone.replayed <= several.replayed
    assert alone.kept + alone.replayed == several.kept + several.replayed
    assert alone.solver_calls == several.solver_calls


COUNTERS = """\
node top(a, b: bool) returns (m, n: int; p, q: bool);
let
  m = (0 -> pre m) + (if a and (0 -> pre m) < 3 then 1 else 0);
  n = (0 -> pre n) + (if b and (0 -> pre n) < 4 then 1 else 0);
  p = m >= 0 and m <= 3;
  q = n >= 0 and n <= 4;
  --%PROPERTY p;
  --%PROPERTY q;
tel;
"""


def test_mutants_that_only_need_a_replay_are_not_lent() -> None:
    found = QUERIES.elaborated("lustre", SourceText("counters.lus", COUNTERS))
    workers = Workers(found, 1, equivalence="")
    workers.run(workers.memory)
    before = workers.lent
    workers.run(workers.memory)
    assert before == workers.lent > 0
    assert workers.statistics.replayed > 0


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=20), max_size=8))
def test_a_half_leaves_the_first_group_and_takes_whole_ones(groups: list[list[int]]) -> None:
    given_away = latter_half(groups)
    everything = [item for group in groups for item in group]
    kept = len(everything) - len(given_away)
    assert everything[kept:] == given_away
    if len(groups) > 1:
        assert kept >= len(groups[0])
        assert given_away[-len(groups[-1]) :] == groups[-1]
        assert kept in [sum(map(len, groups[:position])) for position in range(len(groups))]
    elif groups:
        assert (len(groups[0]) // 2 if len(groups[0]) >= DIVISIBLE else 0) == len(given_away)
