"""The two rules of assignments: each variable once, and no value depends on itself.

As NuSMV, next values of a variable that `x := e` defines are not followed: `next(p) := next(x)`
is a constraint on the successor where x depends on p.

Source: NuSMV 2.6 user manual §2.3.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mutproof.base.diagnostics import Related
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors
from mutproof.languages.nusmv.hierarchy import ModuleInstance
from mutproof.languages.nusmv.scope import NameScope
from mutproof.languages.nusmv.syntax import AssignmentKind
from mutproof.languages.nusmv.uses import reads
from mutproof.model.instants import Read
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Assigned:
    """Hold one assignment of one instance: full target, body, and its absolute place."""

    kind: AssignmentKind
    target: str
    body: Term
    scope: ModuleInstance
    span: Span


def check_single(assigned: Iterable[Assigned], scope: NameScope) -> None:
    """Report variables with more than one definition.

    Instances are checked before the module that holds them, as NuSMV does, which determines the
    second of two assignments. Processes may assign next values of the same variable.
    """
    ordered = sorted(assigned, key=lambda item: -item.scope.depth)
    earlier: dict[str, list[Assigned]] = {}
    for item in ordered:
        for other in earlier.setdefault(item.target, []):
            if _clash(item, other):
                scope.report(errors.assigned_twice(item.target, item.span, other.span))
                break
        earlier[item.target].append(item)


def _clash(left: Assigned, right: Assigned) -> bool:
    if left.kind is not right.kind:
        return AssignmentKind.CURRENT in {left.kind, right.kind}
    shared = left.kind is AssignmentKind.NEXT and left.scope.runner is not right.scope.runner
    return not shared


def check_circular(assigned: Iterable[Assigned], scope: NameScope) -> None:
    """Report cycles of reads within one instant, element by element of arrays."""
    graph = _Graph(scope)
    for item in assigned:
        graph.add(item)
    graph.report_cycles()


class _Graph:
    """Hold reads between variables: (name, False) in a state, (name, True) in its successor."""

    def __init__(self, scope: NameScope) -> None:
        self._scope = scope
        self._bodies: dict[Read, list[tuple[Term, bool, Span | None]]] = {}
        self._names: dict[str, list[str]] = {}  # array -> assigned elements

    def add(self, item: Assigned) -> None:
        kind = item.kind
        if kind is not AssignmentKind.NEXT:
            self._add((item.target, False), item.body, False, item.span)
        if kind is AssignmentKind.NEXT:
            self._add((item.target, True), item.body, False, item.span)
        prefix = item.target
        while prefix.endswith("]"):
            prefix = prefix[: prefix.rindex("[")]
            self._names.setdefault(prefix, []).append(item.target)

    def _add(self, node: Read, body: Term, shifted: bool, span: Span) -> None:
        self._bodies.setdefault(node, []).append((body, shifted, span))

    def _successors(self, node: Read) -> Iterator[Read]:
        name, shifted = node
        bodies = list(self._bodies.get(node, ()))
        define = self._scope.defines.get(name)
        if define is not None:
            bodies.append((define.term, shifted, None))
        found: dict[Read, None] = {}
        for body, offset, _ in bodies:
            for read, later in reads(body, self._scope):
                found[read, later or offset] = None
        for read, later in found:
            yield read, later
            # Reading a whole array, or by an index that is not constant, reads all elements.
            for element in self._names.get(read, ()):
                yield element, later

    def report_cycles(self) -> None:
        """Walk the graph depth first on an explicit stack."""
        done: set[Read] = set()
        for start in list(self._bodies):
            if start in done:
                continue
            path: list[Read] = [start]
            on_path = {start}
            iterators = [self._successors(start)]
            while iterators:
                following = next(iterators[-1], None)
                if following is None:
                    iterators.pop()
                    finished = path.pop()
                    on_path.discard(finished)
                    done.add(finished)
                elif following in on_path:
                    self._report(path[path.index(following) :])
                elif following not in done:
                    path.append(following)
                    on_path.add(following)
                    iterators.append(self._successors(following))

    def _report(self, cycle: list[Read]) -> None:
        spans = [
            (name, span)
            for name, shifted in cycle
            for _, _, span in self._bodies.get((name, shifted), ())
            if span is not None
        ]
        if not spans:
            return
        name, span = spans[0]
        related = tuple(Related(f"in the definition of {n}", s) for n, s in spans[1:5])
        self._scope.report(errors.recursive_definition(name, span, related))
