"""What a meta-property is: the record that every file of `meta_properties/` defines once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from mutproof.analyses.advising.question import Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.base.record import dataclass
from mutproof.model.traits import Semantics


class Attribute(Enum):
    """Name what a model lacks where a meta-property is violated."""

    CONSISTENCY = "consistency"
    COMPLETENESS = "completeness"
    MINIMALITY = "minimality"


BOTH = frozenset(Semantics)
RELATIONAL = frozenset({Semantics.RELATIONAL})
FORWARD = frozenset({Semantics.FORWARD})

STUDY = "Arcaini, Gargantini and Riccobene, automatic review of NuSMV models"


@dataclass(frozen=True)
class MetaProperty:
    """Describe what every model should have, and how to find out whether one has it.

    `inquiries` yields what to find out about each place and instance. `code` names its diagnostics;
    `of_properties`: it needs the verdicts on the properties of the model. `is_idle`: what it finds
    is superfluous, and editors fade it. `is_told_elsewhere`: other diagnostics of editors say the
    same. `restates` names the meta-property whose advice on a place makes this one's redundant.
    """

    name: str
    code: str
    summary: str
    attribute: Attribute
    inquiries: Callable[[AdviceSubject], Iterator[Inquiry]]
    semantics: frozenset[Semantics] = RELATIONAL
    of_properties: bool = False
    is_idle: bool = False
    is_told_elsewhere: bool = False
    restates: str | None = None
