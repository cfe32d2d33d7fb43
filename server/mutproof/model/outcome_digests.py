"""Digests of all that the outcome of an execution depends on, for one property of one variant.

The evaluator is a function of a program, its other bodies and choices. Whether choices are an
execution that violates a property follows from less: from the bodies and declarations of all that
the property and the restrictions (assertions, circular equations, variables that may leave their
sorts) read at any time, directly or not. So if two versions of a program have the same digest here,
an execution that was replayed on one violates the property on the other as well, provided that its
choices are within the sorts there; to replay it again would compute the same values.

The digest names, beside what the property says: each element that is read with its name and body,
all restrictions of the main component with what they read, the declarations of these variables,
uninterpreted functions, components that are called, as a whole, with all calls and the frame of
all instances (which calls share what they leave open), and the other bodies of the variant with
what they read. The base program's own body of a changed element is read too; that is more than
needed. Where that part is not told apart from the rest, the digest is of the whole program: of
small programs, which are shown whole; where constraints relate states or equations are circular;
where values may leave their sorts in called nodes; and of properties of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from graphlib import TopologicalSorter

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.digraph import cyclic_components
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.bounds import Bounds
from mutproof.model.instances import calls
from mutproof.model.passes import operands
from mutproof.model.program import Bodies, Element, Program, PropertyKind, Variable, VariableKind
from mutproof.model.traits import Semantics

MOST_BODIES = 4_096
"""Of how many variants what they read is kept: each property asks about all."""


@dataclass(frozen=True, slots=True)
class _Below:
    """Hold what names depend on: variables of the main component, and a digest of all of it.

    The variables are bits of a number, by their places.
    """

    names: int
    digest: Digest


@dataclass(frozen=True, slots=True)
class _Other:
    """Hold other bodies, their digest, and what they read in the main component.

    That is None where the whole program decides. `outcomes` are the digests that are known.
    """

    bodies: Bodies
    digest: Digest
    read: frozenset[str] | None
    outcomes: dict[tuple[str, bool], Digest] = field(default_factory=dict)


class OutcomeDigests:
    """Give the digests for one program; caches only.

    `frame` is the digest of all instances and their declarations. Programs of at most `small`
    elements count as a whole.
    """

    def __init__(self, program: Program, frame: Digest | None, *, small: int) -> None:
        self._program, self._frame = program, frame
        self._main = program.component(program.main)
        self._goals = {stated.name: stated for stated in self._main.properties}
        self._of_goal: dict[str, _Below | None] = {}
        self._shown: dict[int, frozenset[str]] = {}
        self._components: dict[str, Digest] = {}
        self._elements: dict[Element, Digest] = {}
        self._known: Memo[_Other] = Memo(MOST_BODIES)
        self._is_small = len(self._main.elements) <= small
        self._is_whole = (
            frame is None
            or program.traits.semantics is not Semantics.FORWARD
            or any(element.circular or element.guard for element in program.elements())
            or any(c.fairness or c.compassion for c in program.components)
            or any(element.id.component != self._main.name for element in self._leaving)
        )

    def of(self, goal: str, bodies: Bodies, *, shown: bool = True) -> Digest:
        """Return the digest for a property where elements have other bodies.

        Unless executions are `shown`, only whether they violate the property counts: that does not
        depend on the whole of small programs.
        """
        other = self._changed(bodies)
        found = other.outcomes.get((goal, shown))
        if found is None:
            found = other.outcomes[goal, shown] = self._of(goal, other, shown=shown)
        return found

    def _of(self, goal: str, other: _Other, *, shown: bool) -> Digest:
        read = other.read
        part = None if read is None or (shown and self._is_small) else self._part(goal)
        if part is None or read is None:
            return digest_parts("whole", self._program.digest, goal, other.digest)
        places = self._places
        more = frozenset([name for name in read if not part.names >> places[name] & 1])
        extra = self._below(more).digest if more else b""
        return digest_parts("part", part.digest, other.digest, extra)

    def shown(self, goal: str, bodies: Bodies) -> frozenset[str] | None:
        """Return the scalar variables that an execution for the digest shows; None: all."""
        read = self._changed(bodies).read
        part = None if read is None or self._is_small else self._part(goal)
        if part is None or read is None:
            return None
        names = part.names | self._below(read).names
        if names not in self._shown:
            self._shown[names] = self._leaves(names)
        return self._shown[names]

    def _changed(self, bodies: Bodies) -> _Other:
        """Return what is known of other bodies."""
        return self._known.get(id(bodies), lambda: _Other(bodies, *self._read(bodies)))

    def _read(self, bodies: Bodies) -> tuple[Digest, frozenset[str] | None]:
        parts: list[bytes | str] = []
        read: set[str] = set()
        for element, body in bodies.items():
            parts += [element.digest, b"" if body is None else body.digest]
            if self._is_whole:
                continue
            inside = element.id.component == self._main.name
            if inside:
                parts += [self._declared[name] for name in element.targets]
                read |= frozenset() if body is None else walk.variables(body)
            called = () if body is None else calls(body)
            names = {site.component for site, _, _ in called}
            names |= set() if inside else {element.id.component}
            parts += [self._component(name) for name in sorted(names)]
        digest = digest_parts(*parts)
        return digest, None if self._is_whole else frozenset(read)

    def _part(self, goal: str) -> _Below | None:
        if goal not in self._of_goal:
            stated = self._goals.get(goal)
            found: _Below | None = None
            if stated is not None and stated.kind is PropertyKind.INVARIANT:
                term = stated.term
                if not any(calls(term)):
                    part = self._below(walk.variables(term) | self._restricted)
                    digest = digest_parts(self._context, goal, term.digest, part.digest)
                    found = _Below(part.names, digest)
            self._of_goal[goal] = found
        return self._of_goal[goal]

    def _below(self, names: frozenset[str]) -> _Below:
        """Return all that variables of the main component depend on."""
        found = [self._below_each[name] for name in names]
        reached = 0
        for one in found:
            reached |= one.names
        return _Below(reached, digest_parts(*sorted({one.digest for one in found})))

    @cached_property
    def _below_each(self) -> Mapping[str, _Below]:
        """Return all that each variable depends on; the digest is made of those of what it reads.

        Variables that depend on one another have one digest.
        """
        read = {
            name: frozenset[str]().union(*(self._reads[e] for e in self._definers.get(name, ())))
            for name in self._variables
        }
        groups: dict[str, tuple[str, ...]] = {name: (name,) for name in read}
        for cycle in cyclic_components(read):
            groups.update(dict.fromkeys(cycle, tuple(cycle)))
        needs = {
            group: {groups[other] for name in group for other in read[name]} - {group}
            for group in groups.values()
        }
        found: dict[str, _Below] = {}
        for group in TopologicalSorter(needs).static_order():
            elements = dict.fromkeys(e for name in group for e in self._definers.get(name, ()))
            own = sorted(self._element(element) for element in elements)
            declared = sorted(self._declared[name] for name in group)
            read_by = {found[other[0]] for other in needs[group]}
            reached = sum(1 << self._places[name] for name in group)
            for one in read_by:
                reached |= one.names
            rest = sorted(one.digest for one in read_by)
            digest = digest_parts(len(own), *own, len(declared), *declared, *rest)
            found.update(dict.fromkeys(group, _Below(reached, digest)))
        return found

    @cached_property
    def _context(self) -> Digest:
        """Return a digest of what every outcome depends on: restrictions, functions, instances."""
        program = self._program
        asserted = sorted(self._element(element) for element in self._restricting)
        # Which calls share what they leave open depends on all calls.
        calling = sorted(e.digest for e in program.elements() if any(calls(e.body)))
        frame = self._frame if calling and self._frame is not None else b""
        # Shown executions have values of all inputs.
        inputs = repr(self._main.of_kind(VariableKind.INPUT))
        fixed = program.language, program.main, repr(program.functions), inputs, frame
        return digest_parts(*fixed, len(asserted), *asserted, *calling)

    @cached_property
    def _restricted(self) -> frozenset[str]:
        """Return what the restrictions read, and the variables whose sorts are some."""
        return frozenset[str]().union(*(self._reads[element] for element in self._restricting))

    @cached_property
    def _restricting(self) -> list[Element]:
        return [e for e in self._main.elements if e.restricts or e in self._leaving]

    @cached_property
    def _leaving(self) -> dict[Element, None]:
        """Return the elements by which a variable may leave its sort, which ends executions."""
        if not Bounds(self._program, ()).matter({}):
            return {}
        main = self._main.name  # which always runs
        return dict.fromkeys(
            element
            for element in self._program.elements()
            if operands.may_leave(element.body, clocked=element.id.component != main)
        )

    @cached_property
    def _variables(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self._main.variables}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self._variables)}

    @cached_property
    def _declared(self) -> dict[str, str]:
        return {name: repr(variable) for name, variable in self._variables.items()}

    @cached_property
    def _definers(self) -> dict[str, list[Element]]:
        found: dict[str, list[Element]] = {}
        for element in self._main.elements:
            for name in element.targets:
                found.setdefault(name, []).append(element)
        return found

    @cached_property
    def _reads(self) -> dict[Element, frozenset[str]]:
        return {e: walk.variables(e.body) | {*e.targets} for e in self._main.elements}

    def _element(self, element: Element) -> Digest:
        """Return the digest of an element with all components that it calls."""
        if element not in self._elements:
            called = sorted({site.component for site, _, _ in calls(element.body)})
            parts = (self._component(name) for name in called)
            self._elements[element] = digest_parts(element.digest, *parts)
        return self._elements[element]

    def _component(self, name: str) -> Digest:
        """Return the digest of a component, and of all that it calls."""
        if name not in self._components:
            reached, waiting = {name}, [name]
            while waiting:
                for element in self._program.component(waiting.pop()).elements:
                    fresh = {site.component for site, _, _ in calls(element.body)} - reached
                    reached |= fresh
                    waiting += fresh
            parts: list[bytes | str] = []
            for each in sorted(reached):
                component = self._program.component(each)
                parts += [each, repr(component.variables)]
                parts += sorted(element.digest for element in component.elements)
            self._components[name] = digest_parts(*parts)
        return self._components[name]

    def _leaves(self, names: int) -> frozenset[str]:
        own = (v for name, v in self._variables.items() if names >> self._places[name] & 1)
        inputs = self._main.of_kind(VariableKind.INPUT)
        return frozenset(
            variable.name + suffix
            for variable in (*own, *inputs)
            for suffix, _ in sorts.leaves(variable.sort)
        )
