"""What is known of one survivor before it is decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.verdict import Gap, Supposed, Verdict
from mutproof.analyses.equivalence.limits import LOOKED_FOR, MOST_SHORTENED
from mutproof.analyses.equivalence.product import Product
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

FARTHEST = 16
"""In how many first states a difference is looked for where none was seen."""


@dataclass
class Look:
    """Hold what is known of a survivor before it is decided; mutable.

    `verdict` is one of an earlier version of the file that is still valid; `sighted` a difference
    that was replayed, `seen` all that were. The first `explored` states show none. It is `quiet` if
    in no execution the changed definitions had other values than in the model. `supposed` is an
    equivalence that is still to be checked.
    """

    variant: Variant
    changed: TransitionSystem
    whole: Product
    key: Digest
    replayed: Callable[[Choices, str], tuple[Gap, Difference] | None]
    part: Digest | None = None
    verdict: Verdict | None = None
    sighted: Gap | None = None
    quiet: bool = False
    explored: int = 0
    supposed: Supposed | None = None
    seen: list[Difference] = field(default_factory=list)

    @property
    def length(self) -> int:
        """Return one more than the number of states in which a difference is sought."""
        if self.sighted is None:
            return FARTHEST + 1
        steps = len(self.sighted.choices.steps)
        return steps if steps <= MOST_SHORTENED else LOOKED_FOR + 1

    @property
    def open(self) -> bool:
        """Tell whether nothing was seen and nothing is supposed."""
        return self.sighted is None and self.supposed is None

    def confirm(self, choices: Choices, how: str) -> Gap | None:
        """Replay choices; return the first difference, None if there is none."""
        found = self.replayed(choices, how)
        if found is None:
            return None
        gap, difference = found
        self.seen.append(difference)
        return gap

    def see(self, executions: PairedExecutions, *, far: bool = False) -> Gap | None:
        """Return a difference that random executions show; note whether they show any change."""
        sight = executions.difference(self.variant, self.whole.compared, far=far)
        self.quiet = sight.quiet
        return None if sight.choices is None else self.confirm(sight.choices, "simulation")
