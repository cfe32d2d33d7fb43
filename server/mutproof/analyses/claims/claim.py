"""What is asked: which properties hold on a variant of a model; and what is known of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Final

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import Constraint, TransitionSystem


@dataclass(frozen=True)
class Variant:
    """Hold a change of a system; `name` is unique among the variants decided together.

    The constraints of the `removed` elements do not hold; the `stated` ones hold instead (None
    where nothing has needed them yet). If the change reaches further, `system` is the whole
    variant, and `stated` says nothing. The model itself removes nothing and states nothing.
    """

    name: str
    removed: frozenset[ElementId]
    stated: tuple[Constraint, ...] | None = ()
    system: TransitionSystem | None = None

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """Return the constraints that hold instead.

        Raises:
            ValueError: they were not made; without them this would be another variant.
        """
        if self.stated is None:
            message = f"{self.name} was not lowered"
            raise ValueError(message)
        return self.stated

    @property
    def is_local(self) -> bool:
        """Tell whether constraints of elements are all that it changes."""
        return self.system is None


UNCHANGED: Final = Variant("baseline", frozenset())
"""The model itself."""


@dataclass(slots=True)
class Claim:
    """Collect what is known of one variant, property by property; mutable.

    `open` are the properties still to decide; `depth` is the number of first states in which
    none of the open ones fails; `reason` says why they stay open. `explored`: all its states
    were seen, so that only proofs are left to check. `examined`: diagrams were asked whether its
    executions go on; `lasts`: they do so where those of the model do.
    """

    variant: Variant
    open: AbstractSet[str]
    holds: dict[str, Holds] = field(default_factory=dict)
    fails: dict[str, Fails] = field(default_factory=dict)
    depth: int = 0
    reason: str = ""
    shares: bool = False  # other claims refer to the same `holds`
    explored: bool = False
    examined: bool = False
    lasts: bool = False

    @property
    def name(self) -> str:
        """Return the name of the variant."""
        return self.variant.name

    @property
    def vacuity(self) -> str:
        """Return why some property that holds could not fail, empty if none is known."""
        return min((holds.vacuity for holds in self.holds.values() if holds.vacuity), default="")

    def prove(self, names: Iterable[str], evidence: Holds) -> None:
        """Record that open properties hold; properties already decided keep their evidence."""
        for name in names:
            if name in self.open:
                if self.shares:
                    self.holds, self.shares = dict(self.holds), False
                self.holds[name] = evidence
                self.close(name)

    def close(self, name: str) -> None:
        """Record that a property is decided; claims share one set of open properties until then."""
        if not isinstance(self.open, set):
            self.open = set(self.open)
        self.open.discard(name)

    def settle(self, proofs: dict[str, Holds], names: AbstractSet[str] | None = None) -> None:
        """Record that open properties hold by proofs, which several claims can share.

        `names` are the keys of the proofs, if they are at hand as a set.
        """
        proved = proofs.keys() if names is None else names
        if self.open is proved and not self.holds:  # the usual case, without set operations
            self.holds, self.open, self.shares = proofs, frozenset(), True
        elif not self.holds and proved <= self.open:
            self.holds, self.open, self.shares = proofs, self.open - proved, True
        else:
            for name in [name for name in proofs if name in self.open]:
                self.prove((name,), proofs[name])

    def refute(self, violated: Mapping[str, Fails]) -> None:
        """Record which open properties fail."""
        for name, evidence in violated.items():
            if name in self.open:
                self.fails[name] = evidence
                self.close(name)
