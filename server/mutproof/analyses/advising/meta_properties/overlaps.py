"""MP3: the conditions of a case exclude each other in every reachable state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mutproof.analyses.advising.conditional import CaseBranch, Conditional
from mutproof.analyses.advising.meta_property import Attribute, MetaProperty
from mutproof.analyses.advising.question import Asking, Inquiry
from mutproof.analyses.advising.subject import AdviceSubject
from mutproof.model import sorts, terms
from mutproof.model.terms import Term


def inquiries(subject: AdviceSubject) -> Iterator[Inquiry]:
    """Yield an inquiry for each pair of conditions but constants, of each instance."""
    for conditional in subject.conditionals():
        if not conditional.is_case:
            continue
        branches = [b for b in conditional.checked if b.condition is not terms.TRUE]
        for number, later in enumerate(branches):
            if later.condition_path is None or not number:
                continue
            before = branches[:number]
            for earlier in before:
                key = conditional.place.element.id, later.condition_path, earlier.condition_path
                asking = _asking(subject, conditional, earlier, later, before=before)
                yield Inquiry(key, conditional.place.instance, asking)


def _asking(
    subject: AdviceSubject,
    conditional: Conditional,
    earlier: CaseBranch,
    later: CaseBranch,
    *,
    before: list[CaseBranch],
) -> Asking:
    place, context = conditional.place, conditional.context
    any_before = terms.disjunction(branch.condition for branch in before)
    gate = place.never(terms.conjunction((context, later.condition, any_before)))
    if (yield (gate,))[gate].holds:
        return None
    both = terms.conjunction((context, later.condition, earlier.condition))
    question = place.never(both)
    answer = (yield (question,))[question]
    if answer.holds:
        return None
    assert later.condition_path is not None
    assert earlier.condition_path is not None
    here = subject.quoted(place.element.id, later.condition_path, "the condition")
    there = subject.quoted(place.element.id, earlier.condition_path, "an earlier one")
    message = f"{here} is also true where {there} is"
    if answer.fails:
        message = f"{message}, at step {answer.step}"
        differing = _differing(earlier.value, later.value)
        if differing is not None:
            other = place.never(terms.conjunction((both, differing)))
            found = (yield (other,))[other]
            if found.fails:
                answer, message = found, f"{message}; the first counts, and its value is another"
            elif found.holds:
                message = f"{message}; both have one value there"
    name, path = META_PROPERTY.name, later.condition_path
    advice = place.advice(name, message, answer, path, found=answer.fails)
    return replace(advice, other=earlier.condition_path)


def _differing(left: Term, right: Term) -> Term | None:
    """Return the condition that two values differ; None for sets and values with parts."""
    if any(isinstance(one.sort, sorts.SetSort) or not _is_scalar(one) for one in (left, right)):
        return None
    return terms.FALSE if left is right else terms.ne(left, right)


def _is_scalar(term: Term) -> bool:
    return sorts.is_scalar(term.sort)


META_PROPERTY = MetaProperty(
    "MP3",
    "advice-conditions-overlap",
    "the conditions of a case exclude each other",
    Attribute.CONSISTENCY,
    inquiries,
)
