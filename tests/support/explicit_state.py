"""An oracle for small systems: visit every reachable state, one by one."""

from __future__ import annotations

from itertools import product

from mutproof.model import sorts
from mutproof.model.compile import Compiler
from mutproof.model.simulate import ordered
from mutproof.model.sorts import Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem

MOST_STATES = 3000


class TooLargeError(Exception):
    """Say that the system has more states than the oracle looks at."""


def shortest_failures(system: TransitionSystem) -> dict[str, int]:
    """Return the 0-based step at which each property that fails can fail first."""
    return _Search(system).run()


class _Search:
    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.names = tuple(system.variables)
        self.index = {name: position for position, name in enumerate(self.names)}
        compiler = Compiler(self.index)

        def compiled(kind: ConstraintKind, *, defining: bool) -> list:
            chosen = [
                c
                for c in system.constraints
                if c.kind is kind and (c.defines is not None) == defining
            ]
            texts = [c.term.args[1] if defining else c.term for c in chosen]
            functions = compiler.compile_all(texts)
            targets = [None if c.defines is None else self.index[c.defines] for c in chosen]
            return list(zip(targets, functions, strict=True))

        invars = {
            c.defines: c.term.args[1]
            for c in system.constraints
            if c.kind is ConstraintKind.INVAR and c.defines is not None
        }
        order = ordered(invars)
        self.definitions = list(
            zip(
                [self.index[name] for name in order],
                compiler.compile_all([invars[name] for name in order]),
                strict=True,
            )
        )
        self.updates = compiled(ConstraintKind.TRANS, defining=True)
        self.initial = compiled(ConstraintKind.INIT, defining=True)
        self.checks = [f for _, f in compiled(ConstraintKind.INVAR, defining=False)]
        self.initial_checks = [f for _, f in compiled(ConstraintKind.INIT, defining=False)]
        self.step_checks = [f for _, f in compiled(ConstraintKind.TRANS, defining=False)]
        self.properties = list(
            zip(
                [p.name for p in system.properties],
                compiler.compile_all([p.term for p in system.properties]),
                strict=True,
            )
        )
        self.defined = set(order)
        self.updated = {self.names[target] for target, _ in self.updates}

    def choices(self, free: list[str]):
        domains = []
        for name in free:
            domain = sorts.domain(self.system.variables[name].sort)
            assert domain is not None
            domains.append(domain)
        return product(*domains)

    def rows(self, fixed: dict[int, Value], free: list[str]):
        given = [sorts.default_value(v.sort) for v in self.system.variables.values()]
        for position, value in fixed.items():
            given[position] = value
        for chosen in self.choices(free):
            row = list(given)
            for name, value in zip(free, chosen, strict=True):
                row[self.index[name]] = value
            for position, function in self.definitions:
                row[position] = function(row, row, {})
            if all(check(row, row, {}) for check in self.checks):
                yield row

    def run(self) -> dict[str, int]:
        started = {target for target, _ in self.initial}
        states = {
            name for name, v in self.system.variables.items() if v.kind is SystemVariableKind.STATE
        }
        free = [n for n in self.names if n not in self.defined and self.index[n] not in started]
        fixed = {target: function([], [], {}) for target, function in self.initial}
        if any(
            not sorts.contains(self.system.variables[self.names[p]].sort, value)
            for p, value in fixed.items()
            if self.names[p] in states
        ):
            return {}
        layer = [
            row
            for row in self.rows(fixed, free)
            if all(check(row, row, {}) for check in self.initial_checks)
        ]
        later = [n for n in self.names if n not in self.defined and n not in self.updated]
        seen: set[tuple[Value, ...]] = set()
        failures: dict[str, int] = {}
        step = 0
        while layer:
            fresh = []
            for row in layer:
                key = tuple(row)
                if key not in seen:
                    seen.add(key)
                    fresh.append(row)
                    for name, function in self.properties:
                        if name not in failures and not function(row, row, {}):
                            failures[name] = step
            if len(seen) > MOST_STATES:
                raise TooLargeError
            layer = []
            for row in fresh:
                fixed = {target: function(row, row, {}) for target, function in self.updates}
                for target in self.rows(fixed, later):
                    if tuple(target) not in seen and all(
                        check(row, target, {}) for check in self.step_checks
                    ):
                        layer.append(target)
            step += 1
        return failures
