"""What a user can ask for; the same record serves editor, command line and CI."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutproof.base.budget import Budget
from mutproof.base.digest import Digest, digest_parts

LEVELS = ("default", "paper", "all")


@dataclass(frozen=True, slots=True)
class Options:
    """Choose what is analysed and how much it may cost.

    `level` is one of LEVELS and chooses the mutation operators; `operators` restricts them to
    the named ones (empty: all of the level). `budget` limits one solver question; `timeout_s`
    bounds the whole analysis of a file in seconds of wall clock (infinity: none). `equivalence`
    says what is compared to tell equivalent survivors from gaps ("outputs", "all variables";
    empty: that is not asked), `survivors` restricts this to some mutants (empty: all).
    """

    level: str = "default"
    operators: tuple[str, ...] = ()
    mutate: bool = True
    cores: bool = True
    budget: Budget = field(default_factory=Budget)
    timeout_s: float = float("inf")
    properties: tuple[str, ...] = ()
    equivalence: str = ""
    survivors: tuple[str, ...] = ()

    @property
    def digest(self) -> Digest:
        """Return the digest of everything that can change a verdict."""
        return digest_parts(
            self.level,
            ",".join(self.operators),
            int(self.mutate),
            int(self.cores),
            self.budget.rlimit,
            repr(self.budget.timeout_s),
            ",".join(self.properties),
            self.equivalence,
            ",".join(self.survivors),
        )
