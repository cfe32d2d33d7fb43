"""Suites of tests as values without terms and positions: what is fed in, expected and shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from mutproof.analyses.claims.observation import Interface
from mutproof.base.record import dataclass
from mutproof.model.sorts import Value


@dataclass(frozen=True, slots=True)
class TestKill:
    """Say that a test tells a mutant from the model, at which 0-based step first and by what."""

    __test__ = False  # not a test class of pytest

    mutant: str
    step: int
    outputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """Hold a test: inputs at each step from a reset, and the outputs that the model then has.

    An output that does not follow from the inputs is not expected: it is left out. `kills` are in
    the order of the mutants; `violates` names the properties of the model that some killed mutant
    breaks on these inputs; `origin` says where the inputs come from.
    """

    inputs: tuple[Mapping[str, Value], ...]
    outputs: tuple[Mapping[str, Value], ...]
    kills: tuple[TestKill, ...]
    violates: tuple[str, ...] = ()
    origin: str = ""


class SuiteFate(Enum):
    """Say what tests can show of a mutant."""

    KILLED = "killed"
    EQUIVALENT = "equivalent"  # no test can: proved
    ASSUMES = "assumes"  # no test can: it only changes which inputs are allowed
    CHANCE = "chance"  # no test surely can: it may behave as the model
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SuiteMutant:
    """Say what tests can show of a mutant, and how that is known or why it is not."""

    mutant: str
    fate: SuiteFate
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SuiteFinding:
    """Hold a suite: tests, those that kill most of what is left first, and what they kill.

    With fewer than `at_least` tests, of the `collected` ones, not all would be killed that they
    kill (0: that is not known). `minimal` is how many mutants there are that do not die wherever
    another one does (0: not known). `refused` says why there is no suite, empty where there is one.
    """

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    tests: tuple[SuiteTest, ...] = ()
    mutants: tuple[SuiteMutant, ...] = ()
    at_least: int = 0
    collected: int = 0
    minimal: int = 0
    seconds: float = 0.0
    refused: str = ""

    @property
    def is_optimal(self) -> bool:
        """Tell whether no fewer of the collected tests kill as many mutants."""
        return len(self.tests) == self.at_least

    def count(self, fate: SuiteFate) -> int:
        """Return how many mutants have a fate."""
        return sum(1 for one in self.mutants if one.fate is fate)


def finding(
    interface: Interface, tests: tuple[SuiteTest, ...], fates: Iterable[SuiteMutant], collected: int
) -> SuiteFinding:
    """Return the suite of some tests; `fates` are those of mutants that they do not kill."""
    killed = {kill.mutant for test in tests for kill in test.kills}
    mutants = tuple(
        SuiteMutant(one.mutant, SuiteFate.KILLED) if one.mutant in killed else one for one in fates
    )
    return SuiteFinding(interface.inputs, interface.outputs, tests, mutants, collected=collected)
