"""Instances: where each component stands once calls are unfolded.

Every node call makes its own instance, named after the element that holds the call, so that
edits elsewhere do not rename it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.model import flat_names, sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, Program
from mutproof.model.terms import Site, Term

MAX_INSTANCES = 20_000


class TooManyInstances(Exception):  # noqa: N818 - a limit, not a bug
    """Say that unfolding the calls of a program gives more than MAX_INSTANCES instances."""


@dataclass(frozen=True, slots=True)
class Instance:
    """Hold one occurrence of a component.

    `prefix` precedes the names of its variables: empty for the main component, otherwise it ends
    with a dot. `clocked`: the call is the one of a `condact`.
    """

    prefix: str
    component: str
    parent: Instance | None = None
    element: Element | None = None  # the parent's element with the call
    clocked: bool = False

    @property
    def path(self) -> str:
        """Return the prefix without its final dot."""
        return self.prefix[:-1]


def clock_of(instance: Instance) -> Term | None:
    """Return the clock under which an instance runs; None if it always runs."""
    current: Instance | None = instance
    while current is not None:
        if current.clocked:
            return terms.var(current.prefix + flat_names.CLOCK, sorts.BOOL)
        current = current.parent
    return None


def first_of(instance: Instance) -> tuple[str, Term | None]:
    """Return the name of the initial flag an instance reads, and the clock that lowers it."""
    current: Instance | None = instance
    while current is not None:
        if current.clocked:
            return current.prefix + flat_names.FIRST, terms.var(
                current.prefix + flat_names.CLOCK, sorts.BOOL
            )
        current = current.parent
    return flat_names.FIRST, None


def child_prefix(prefix: str, element: Element, site: Site) -> str:
    """Return the prefix of the instance made by the call at `site` of an element."""
    return flat_names.instance_prefix(prefix, element.owner, site)


def calls(body: Term) -> Iterator[tuple[Site, Term, bool]]:
    """Yield each call in a body with its site and whether a `condact` holds it, by site."""
    give_way()
    clocked: set[Term] = set()
    found: list[Term] = []
    for term in walk.subterms(body):
        if term.op is Op.CONDACT:
            clocked.add(term.args[1])
        elif term.op is Op.CALL:
            found.append(term)
    for term in sorted(found, key=lambda term: _site(term).number):
        yield _site(term), term, term in clocked


def _site(term: Term) -> Site:
    if not isinstance(term.payload, Site):
        message = f"not a call: {term!r}"
        raise TypeError(message)
    return term.payload


def children(instance: Instance, component: Component) -> Iterator[Instance]:
    """Yield the instances that the calls of an instance make, in source order."""
    for element in component.elements:
        for site, _, clocked in calls(element.body):
            prefix = child_prefix(instance.prefix, element, site)
            yield Instance(prefix, site.component, instance, element, clocked)


def count(program: Program) -> int:
    """Return how many instances a program has, without unfolding it: calls multiply.

    No component calls itself, on its own or through others.
    """
    counts: dict[str, int] = {}
    stack = [program.main]
    while stack:
        component = program.component(stack[-1])
        called = [name for element in component.elements for name in _called(element.body)]
        missing = dict.fromkeys(name for name in called if name not in counts)
        if missing:
            stack.extend(missing)
        else:
            counts[stack.pop()] = 1 + sum(counts[name] for name in called)
    return counts[program.main]


@lru_cache(maxsize=1 << 15)
def _called(body: Term) -> tuple[str, ...]:
    """Return the components that a body calls, one for each call."""
    return tuple(site.component for site, _, _ in calls(body))


def unfold(program: Program) -> tuple[Instance, ...]:
    """Return all instances of a program, callers before what they call.

    Raises:
        TooManyInstances: the calls multiply beyond MAX_INSTANCES.
    """
    found = [Instance("", program.main)]
    position = 0
    while position < len(found):
        instance = found[position]
        position += 1
        found.extend(children(instance, program.component(instance.component)))
        if len(found) > MAX_INSTANCES:
            message = f"the calls of {program.main} unfold to more than {MAX_INSTANCES} instances"
            raise TooManyInstances(message)
    return tuple(found)
