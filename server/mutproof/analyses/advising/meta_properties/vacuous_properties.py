"""MP10: no property is true whatever one of its parts is.

Of each leaf the property at its strongest is asked, whatever the leaf is; if that is still true,
the leaf does not matter, and perhaps neither does what is around it.
Source: Kupferman and Vardi, Vacuity detection in temporal model checking, STTT 2003.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from mutproof.analyses.advising.advice import Advice, AdviceStatus, Backing
from mutproof.analyses.advising.meta_property import BOTH, Attribute, MetaProperty
from mutproof.analyses.advising.polarity import FormulaPart, parents, parts
from mutproof.analyses.advising.question import (
    Asking,
    Inquiry,
    ModelAnswer,
    ModelQuestion,
)
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.analyses.checking.notary import DIAGRAMS
from mutproof.analyses.claims.finding import IDLE, PropertyFinding, PropertyVerdict
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import Component, ElementKind, Property, PropertyKind
from mutproof.model.terms import Path

_NOT_SAID = frozenset({PropertyKind.COMPUTE})


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each property that is proved."""
    for name, finding in subject.properties.items():
        if finding.verdict is PropertyVerdict.PROVED:
            instance = name.removesuffix(finding.declared)
            component = subject.program.component(finding.component)
            asking = _asking(subject, finding, _stated(component, finding.declared), instance)
            key = finding.component, finding.declared
            yield Inquiry(key, instance, asking)


def _stated(component: Component, name: str) -> Property:
    """Return a property; if it only names an equation, with the body of that as its term."""
    stated = next(one for one in component.properties if one.name == name)
    if stated.term.op is not Op.VAR:
        return stated
    equations = (e for e in component.elements if e.kind is ElementKind.EQUATION)
    bodies = (e.body for e in equations if e.targets == (stated.term.payload,))
    return replace(stated, term=next(bodies, stated.term))


def _asking(
    subject: AdviceSubject, finding: PropertyFinding, stated: Property, instance: str
) -> Asking:
    yield ()
    if finding.vacuity:
        message = f"{finding.name} is true, but says nothing: {finding.vacuity}"
        by_diagrams = finding.vacuity != IDLE or (finding.engine == DIAGRAMS and finding.k is None)
        backing = Backing.DIAGRAMS if by_diagrams else Backing.CERTIFICATE
        return _advice(finding, message, backing, found=True)
    if stated.kind in _NOT_SAID:
        return None
    leaves, around = _leaves(stated), parents(stated.term)
    known: dict[Path, ModelAnswer] = {}
    wave = leaves
    while wave:
        about = finding.component, instance
        asked = {part: _question(stated, part, *about) for part in wave}
        answers = yield tuple(asked.values())
        known |= {part.path: answers[question] for part, question in asked.items()}
        idle = [part for part in wave if known[part.path].holds]
        outer = {around[part.path].path: around[part.path] for part in idle if part.path in around}
        wave = [part for path, part in outer.items() if path not in known]
    idle_paths = [path for path, answer in known.items() if answer.holds]
    maximal = [p for p in idle_paths if not any(_is_inside(p, other) for other in idle_paths)]
    if maximal:
        shown = [subject.printed(terms.at(stated.term, path)) for path in sorted(maximal)]
        message = f"{finding.name} is true whatever {' or '.join(shown)} is"
        backing = known[maximal[0]].backing
        return _advice(finding, message, backing, found=True)
    undecided = [answer for answer in known.values() if answer.is_open]
    if undecided:
        message = f"{finding.name} may be true whatever some part of it is"
        return _advice(finding, message, Backing.NONE, found=False, reason=undecided[0].reason)
    return None


def _leaves(stated: Property) -> list[FormulaPart]:
    """Return the innermost parts, of PSL those without another one that is alike."""
    leaves = parts(stated.term)
    if stated.kind is not PropertyKind.PSL:
        return leaves
    # `next_e[0:2] (p)` says p three times: that it does not matter in one place says nothing of it.
    times = Counter(terms.at(stated.term, one.path) for one in leaves)
    return [one for one in leaves if times[terms.at(stated.term, one.path)] == 1]


def _question(stated: Property, part: FormulaPart, component: str, instance: str) -> ModelQuestion:
    return ModelQuestion(component, part.strongest, stated.kind, instance)


def _is_inside(path: Path, other: Path) -> bool:
    return len(path) > len(other) and path[: len(other)] == other


def _advice(
    finding: PropertyFinding, message: str, backing: Backing, *, found: bool, reason: str = ""
) -> Advice:
    return Advice(
        META_PROPERTY.name,
        AdviceStatus.FOUND if found else AdviceStatus.UNKNOWN,
        message,
        backing,
        finding.engine if found else "",
        component=finding.component,
        property=finding.declared,
        reason=reason,
    )


META_PROPERTY = MetaProperty(
    "MP10",
    "advice-property-vacuous",
    "no property is true whatever one of its parts is",
    Attribute.MINIMALITY,
    inquiries,
    BOTH,
    of_properties=True,
)
