"""Which calls count as one: those of one node with equal arguments, on one clock.

Such calls can differ in open values only: in memories before the first step, and in undefined
variables (values of loops, and variables of a removed equation). So each keeps an instance of its
own, and its open values are equal to variables that belong to the key of the call. With other
bodies an instance may have another key, and so the open values of that.

Each equality is justified by a call: if instances are equal since their callers are, there is one
equality for each caller on the way, so that removing one of these calls leaves the others.

Source: JKind 4.6, `InlineNodeCalls.getKey`: arguments are compared as they are written, with the
variables of the caller's own instance, after condacts became calls with clock and defaults.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import flat_names, terms, walk
from mutproof.model.instances import Instance
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element
from mutproof.model.terms import Site, Term

MOST_KEPT = 20_000

_MAIN = digest_parts("main")


@dataclass(frozen=True, slots=True)
class _Call:
    """Hold a call's digest; `local` if it reads variables or calls of its caller."""

    said: Digest
    local: bool
    clocked: bool


_calls: Memo[Mapping[str, _Call]] = Memo(MOST_KEPT)


@dataclass(frozen=True, slots=True)
class Link:
    """Say that open values under one prefix equal those under another, by an element's call."""

    prefix: str
    other: str
    element: Element


@dataclass(frozen=True, slots=True)
class OpenValues:
    """Name the variables that hold the open values of instances.

    `sharing` is that of the program; `changed` are the keys of instances that have other ones,
    or none, because these `elements` have other bodies.
    """

    sharing: Sharing
    changed: Mapping[str, Digest | None] = field(default_factory=dict)
    elements: frozenset[Element] = frozenset()

    def name(self, prefix: str, own: str) -> str:
        """Return the variable that holds an open value; `own` is its name after the prefix."""
        known = prefix in self.changed
        if not known and prefix not in self.sharing.links:
            return prefix + own
        key = self.changed[prefix] if known else self.sharing.keys[prefix]
        if key is None:
            return self.sharing.start(prefix, self.elements) + own
        members = self.sharing.members.get(key, ())
        if len(members) > 1:
            return flat_names.common_name(key, own)
        if members and members[0] not in self.changed:
            return members[0] + own
        first = next(one for one, other in self.changed.items() if other == key)
        return self.sharing.start(first, self.elements) + own


class Sharing:
    """Tell which instances of a program are one call, also with other bodies; caches only.

    `links` lead from each instance of a repeated call to the representative of all.
    """

    def __init__(self, instances: tuple[Instance, ...]) -> None:
        self.keys: dict[str, Digest | None] = {}
        self.members: dict[Digest, list[str]] = {}
        self.links: dict[str, tuple[Link, ...]] = {}
        self._clocked: dict[str, bool] = {}
        self._of: dict[Element, list[Instance]] = {}
        self._inner: dict[str, list[Instance]] = {}
        for one in instances:
            self._clocked[one.prefix] = False
            if one.parent is None or one.element is None:
                self.keys[one.prefix] = _MAIN
                continue
            self._of.setdefault(one.element, []).append(one)
            self._inner.setdefault(one.parent.prefix, []).append(one)
            self._clocked[one.prefix], key = self._key(one, one.element.body, self.keys)
            self.keys[one.prefix] = key
            if key is not None:
                self.members.setdefault(key, []).append(one.prefix)
        for one in instances:
            key = self.keys[one.prefix]
            if key is not None and len(self.members.get(key, ())) > 1:
                self.links[one.prefix] = tuple(self._linked(one))
        self.base = OpenValues(self)
        self._known: Memo[OpenValues] = Memo(64)

    def _linked(self, one: Instance) -> Iterator[Link]:
        way: list[Instance] = []
        current = one
        while current.parent is not None:
            way.append(current)
            current = current.parent
        prefix = one.prefix
        for caller in reversed(way):
            key = self.keys[caller.prefix]
            assert key is not None
            assert caller.element is not None
            other = flat_names.common_name(key, one.prefix[len(caller.prefix) :])
            yield Link(prefix, other, caller.element)
            prefix = other

    def start(self, prefix: str, changed: Collection[Element]) -> str:
        """Return the representative of an instance by the calls of unchanged elements."""
        for link in self.links.get(prefix, ()):
            if link.element in changed:
                break
            prefix = link.other
        return prefix

    def under(self, bodies: Bodies) -> OpenValues:
        """Return the variables that hold open values of instances with other bodies."""
        if all(_same_calls(element, body) for element, body in bodies.items()):
            return self.base
        return self._known.get(tuple(bodies.items()), lambda: self._under(bodies))

    def _under(self, bodies: Bodies) -> OpenValues:
        changed: dict[str, Digest | None] = {}
        keys: ChainMap[str, Digest | None] = ChainMap(changed, self.keys)
        waiting = [
            (one, body) for element, body in bodies.items() for one in self._of.get(element, ())
        ]
        while waiting:
            one, body = waiting.pop()
            _, key = self._key(one, body, keys)
            if key != self.keys[one.prefix]:
                changed[one.prefix] = key
                for inner in self._inner.get(one.prefix, ()):
                    assert inner.element is not None
                    waiting.append((inner, bodies.get(inner.element, inner.element.body)))
        found = OpenValues(self, changed, frozenset(bodies))
        alone = all(one not in self.links and found.name(one, "") == one for one in changed)
        return self.base if alone else found

    def _key(
        self, one: Instance, body: Term | None, keys: Mapping[str, Digest | None]
    ) -> tuple[bool, Digest | None]:
        """Return whether an instance is beneath a clock, and its key (None: not called)."""
        assert one.parent is not None
        call = None if body is None else _called(body).get(_site(one))
        around, beneath = keys[one.parent.prefix], self._clocked[one.parent.prefix]
        if call is None or around is None:
            return beneath, None
        own = around if call.local or beneath else b""
        key = digest_parts(one.component, call.said, own, int(beneath))
        return beneath or call.clocked, key


def places(names: Iterable[str], prefixes: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield names as the prefix of an instance and what follows it."""
    for name in names:
        end = len(name)
        while end > 0:
            end = name.rfind(".", 0, end) + 1
            if name[:end] in prefixes:
                yield name[:end], name[end:]
                break
            end -= 1


def _site(instance: Instance) -> str:
    assert instance.parent is not None
    assert instance.element is not None
    start = len(instance.parent.prefix)
    return instance.prefix[start + len(instance.component) + 1 + len(instance.element.owner) : -1]


def _called(body: Term) -> Mapping[str, _Call]:
    """Return the calls of a body by their numbers, written as in prefixes of instances."""
    return _calls.get(body, lambda: _listed(body))


def _listed(body: Term) -> Mapping[str, _Call]:
    conditions: dict[Term, Term] = {}
    found: list[Term] = []
    for term in walk.subterms(body):
        if term.op is Op.CALL:
            found.append(term)
        elif term.op is Op.CONDACT and term.args[0] is not terms.TRUE:
            conditions.setdefault(term.args[1], term)
    memo: dict[Term, tuple[Digest, bool]] = {}
    result: dict[str, _Call] = {}
    for call in found:
        assert isinstance(call.payload, Site)
        condact = conditions.get(call)
        asked = (*call.args, *(() if condact is None else (condact.args[0], *condact.args[2:])))
        parts = [walk.fold(arg, _said, memo) for arg in asked]
        said = digest_parts(int(condact is not None), *(digest for digest, _ in parts))
        number = f"{flat_names.MARK}{call.payload.number}" if call.payload.number else ""
        result[number] = _Call(said, any(local for _, local in parts), condact is not None)
    return result


def _said(term: Term, args: tuple[tuple[Digest, bool], ...]) -> tuple[Digest, bool]:
    """Return a term's digest, without the numbers of calls, and whether it is local."""
    local = term.op in {Op.VAR, Op.CALL} or any(inner for _, inner in args)
    if term.op is Op.CALL and isinstance(term.payload, Site):
        payload = term.payload.component
    else:
        payload = "" if term.op is Op.PRE else repr(term.payload)
    digests = (digest for digest, _ in args)
    return digest_parts(term.op.value, repr(term.sort), payload, *digests), local


def _same_calls(element: Element, body: Term | None) -> bool:
    if body is element.body:
        return True
    before = _called(element.body)
    return before == ({} if body is None else _called(body)) if before or body else True
