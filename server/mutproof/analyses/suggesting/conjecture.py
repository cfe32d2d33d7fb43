"""A property that might be suggested: conditions, and what holds under them."""

from __future__ import annotations

from enum import Enum

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.terms import Term


class When(Enum):
    """Say in which steps something is claimed."""

    ALWAYS = "always"
    FIRST = "first"  # in the first step
    LATER = "later"  # in steps that have the step before, or after, which it reads


@dataclass(frozen=True, slots=True)
class Conjecture:
    """Claim something of a component in the steps in which all `conditions` hold.

    A CTL claim is about every reachable state, an LTL claim about initial states. It `restates` an
    element if it says all that the element says. It is `odd` if readers would wonder why it is so.
    """

    component: str
    conditions: tuple[Term, ...]
    claim: Term
    when: When = When.ALWAYS
    kind: PropertyKind = PropertyKind.INVARIANT
    restates: bool = False
    odd: bool = False

    @property
    def scope(self) -> When:
        """Return the steps for which it must be stated: all, if it speaks of next values."""
        said = (*self.conditions, self.claim)
        if any(part.op is Op.NEXT for term in said for part in walk.subterms(term)):
            return When.ALWAYS
        return self.when

    @property
    def term(self) -> Term:
        """Return the conjecture as a Boolean term of the component."""
        stated = self.claim
        if self.conditions:
            stated = terms.implies(terms.conjunction(self.conditions), stated)
        match self.scope:
            case _ if self.kind is PropertyKind.CTL:
                return terms.make(Op.AG, sorts.BOOL, (stated,))
            case When.FIRST if self.kind is PropertyKind.LTL:
                return stated
            case When.ALWAYS:
                return stated
            case When.FIRST:
                return terms.make(Op.ARROW, sorts.BOOL, (stated, terms.TRUE))
            case When.LATER:
                return terms.make(Op.ARROW, sorts.BOOL, (terms.TRUE, stated))
