"""What is known of a survivor, as a value without positions and without terms."""

from __future__ import annotations

from enum import Enum

from mutproof.analyses.claims.defect import Defect
from mutproof.base.budget import Exhausted
from mutproof.base.record import dataclass
from mutproof.model.trace import Trace


class EquivalenceStatus(Enum):
    """Say what a survivor is (DESIGN, section 1)."""

    EQUIVALENT = "equivalent"
    GAP = "gap"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Identify what a gap does: the function it computes, and the tests that show it.

    Gaps with the same `function` are proved to be the same model. Of `looked` tests from the set
    `among`, those whose bits are in `seen` show the gap; bits are comparable where `among` is
    equal.
    """

    function: str
    among: str = ""
    looked: int = 0
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Hold what is known of a survivor beside that it survived.

    `observation` says what was compared ("outputs", "all variables"). `how` names what decided;
    `strengthening` what the induction needed, `k` its depth. For a gap, `step` is the 0-based
    step at which the sides differ first, in the variables `differing`; `model` and `mutant` are
    the executions, and no shorter ones differ if `shortest`; `allowed` is the one of them whose
    assertions alone allow that step, empty for both. It `restricts` if it is shown that each
    execution of the mutant is one of the model. Where it is asked how a tester can kill the
    mutant, `mutant` is the test, and there is no `model`. For what is undetermined, `reason`
    says why, `exhausted` what came to its end (None: not known), and `depth` is the number of
    steps without a difference. `defect`: an execution
    contradicts a proof that there is none. `fingerprint` is that of a gap, where it was taken.
    """

    status: EquivalenceStatus
    observation: str
    how: str = ""
    strengthening: tuple[str, ...] = ()
    k: int | None = None
    step: int | None = None
    shortest: bool = False
    differing: tuple[str, ...] = ()
    allowed: str = ""
    restricts: bool = False
    model: Trace | None = None
    mutant: Trace | None = None
    reason: str = ""
    depth: int | None = None
    seconds: float = 0.0
    defect: Defect | None = None
    fingerprint: Fingerprint | None = None
    exhausted: Exhausted | None = None

    @property
    def explained(self) -> str:
        """Return how it was decided, in words: "k-induction with intervals, k = 2"."""
        words = self.how
        if self.strengthening:
            words += f" with {' and '.join(self.strengthening)}"
        return words if self.k is None else f"{words}, k = {self.k}"
