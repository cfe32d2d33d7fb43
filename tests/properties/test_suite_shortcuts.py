"""What is found out about mutants in a short way for suites of tests is what the long way says."""

from __future__ import annotations

import random

import pytest

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.suites.determined import Determinacy
from mutproof.analyses.suites.replays import ForwardReplays
from mutproof.base.lazy import cached_property
from mutproof.model.interpretation import interpretation
from mutproof.model.program import VariableKind
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_difference import text_of
from support.lustre_models import elaborated
from support.lustre_mutants import options

COUNTER = (
    "node main (up, off : bool) returns (on : bool; late : int);\n"
    "var n, m : int;\n"
    "let n = 0 -> if off then 0 else if up then pre n + 1 else pre n;\n"
    "m = pre n; on = n > 2 and not off; late = 0 -> if m > 1 then m else pre late;\ntel;\n"
)


class Compared:
    """Run the mutants of a text by the fast evaluator of suites and by the oracle."""

    def __init__(self, text: str) -> None:
        found = elaborated(text)
        assert found.program is not None
        mutants = enumerate_mutants(found, options("all"))
        meaning = interpretation(found.program)
        self.baseline = Baseline(meaning, meaning.system(), {}, {})
        self.load = Mutants(self.baseline, mutants).lowered(lambda: None)
        main = found.program.component(found.program.main)
        self.outputs = main.scalars(VariableKind.OUTPUT)
        self.names = [mutant.id for mutant in mutants]
        self.replays = ForwardReplays(
            self.baseline, self.load, main.scalars(VariableKind.INPUT), self.outputs
        )

    @cached_property
    def closed(self) -> int:
        """Return of how many mutants it is plain that they leave open no more than the model."""
        system, count = self.load.system, 0
        allowed = Determinacy(system).always_open
        for name in self.names:
            if self.replays._stays(name):
                changed = applied(system, self.load.claims[name].variant)
                assert Determinacy(changed).always_open <= allowed, name
                count += 1
        return count

    def check_steps(self) -> int:
        """Compare first differences where nothing that is seen is open; return how many."""
        source, count = random.Random(1), 0
        if not self.replays._own.always_open.isdisjoint(self.replays.outputs):
            return 0
        names = [name for name in self.names if self.replays._stays(name)]
        for _ in range(4):
            test = self.replays.accepted(self.replays.random(source, 8, 0.5), "random")
            if test is None:
                continue
            choices = Choices(test.inputs)
            model = self.baseline.meaning.run(choices)
            assert model is not None
            for name in names:
                changed = self.baseline.meaning.run(choices, self.load.bodies[name])
                if changed is None:
                    continue
                steps = zip(model.trace.steps, changed.trace.steps, strict=True)
                differing = (
                    step
                    for step, (one, other) in enumerate(steps)
                    if any(one[n] != other[n] for n in self.outputs)
                )
                expected = next(differing, None)
                assert expected == self.replays.differs(name, test), name
                count += expected is not None
        return count


def test_the_short_ways_agree_on_a_counter() -> None:
    compared = Compared(COUNTER)

    assert compared.closed
    assert compared.check_steps()


@pytest.mark.parametrize("share", range(2))
def test_the_short_ways_agree_on_random_models(share: int) -> None:
    found = [
        Compared(text)
        for text in (text_of(seed) for seed in range(share, 16, 2))
        if elaborated(text).program is not None
    ]

    assert sum(one.closed for one in found)
    assert sum(one.check_steps() for one in found)
