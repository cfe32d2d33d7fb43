"""MP9: every property is proved."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.model.program import PropertyKind


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each property."""
    for name, finding in subject.properties.items():
        component = subject.program.component(finding.component)
        kind = next(one.kind for one in component.properties if one.name == finding.declared)
        yield Inquiry(name, "", _asking(finding, kind))


def _asking(finding: PropertyFinding, kind: PropertyKind) -> Asking:
    """Return the inquiry about a property; a CTL trace may not show the whole failure."""
    yield ()
    if finding.verdict not in {PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN}:
        return None
    found = finding.verdict is PropertyVerdict.FALSIFIED
    is_shown = finding.trace is not None and kind is not PropertyKind.CTL
    backing = Backing.TRACE if is_shown else Backing.DIAGRAMS
    return Advice(
        META_PROPERTY.name,
        AdviceStatus.FOUND if found else AdviceStatus.UNKNOWN,
        f"{finding.name} is not true",
        backing if found else Backing.NONE,
        finding.engine,
        component=finding.component,
        property=finding.declared,
        reason=finding.reason,
        trace=finding.trace if found else None,
        step=0 if finding.trace is None else finding.trace.length - 1,
    )


META_PROPERTY = MetaProperty(
    "MP9",
    "advice-property-falsified",
    "every property is proved",
    Attribute.CONSISTENCY,
    inquiries,
    BOTH,
    of_properties=True,
    is_told_elsewhere=True,
)
