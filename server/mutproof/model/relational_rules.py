"""The rules by which elements of a NuSMV program restrict states and steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.program import Component, Element, ElementKind, Variable, VariableKind
from mutproof.model.relational_values import RelationalCode, includes
from mutproof.model.terms import Term

Values: TypeAlias = "dict[str, Any]"
"""The values of variables, of arrays and of their elements, and of DEFINEs in one state."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Demand that a term is true, or that a variable has its value or a member of it.

    `guard` is the condition under which an assignment of a process acts.
    """

    target: str | None
    code: RelationalCode
    guard: RelationalCode | None = None

    def holds(
        self, now: Mapping[str, Any], after: Mapping[str, Any], assigned: Mapping[str, Any]
    ) -> bool:
        """Tell whether the rule holds between two states; `assigned` is that of the target."""
        wanted = True if self.target is None else assigned[self.target]
        return includes(self.code.value(now, after), wanted)


@dataclass(frozen=True, slots=True)
class Rules:
    """Hold what all elements demand, and how DEFINEs get their values.

    `first` holds in the first state, `always` in every state and `steps` between two; of these
    `guarded` are the assignments of processes, by target. `states` are DEFINEs of one state and
    `transitions` those that read the next one, each after what it reads; `free` are DEFINEs
    without a body, `settled` those that read only what never changes.
    """

    first: list[Rule] = field(default_factory=list)
    always: list[Rule] = field(default_factory=list)
    steps: list[Rule] = field(default_factory=list)
    guarded: dict[str, list[Rule]] = field(default_factory=dict)
    states: dict[str, RelationalCode] = field(default_factory=dict)
    transitions: dict[str, RelationalCode] = field(default_factory=dict)
    free: list[Variable] = field(default_factory=list)
    settled: frozenset[str] = frozenset()


def rule(element: Element, body: Term, code_of: Callable[[Term], RelationalCode]) -> Rule:
    """Return the rule of an element with another body."""
    guard = None if element.guard is None else code_of(element.guard)
    return Rule(element.targets[0] if element.targets else None, code_of(body), guard)


def rules(component: Component, found: Sequence[Rule | None], like: Rules | None = None) -> Rules:
    """Return the rules of all elements; in `found`, None stands for an element without a rule.

    `like` has the same DEFINEs.

    Raises:
        InstantaneousLoop: a DEFINE depends on itself within one step.
    """
    result = Rules()
    defined: dict[str, RelationalCode] = {}
    for element, one in zip(component.elements, found, strict=True):
        if one is None:
            continue
        if element.kind is ElementKind.DEFINE:
            defined[element.targets[0]] = one.code
        else:
            place(result, element, one)
    if like is not None:
        return replace(
            result,
            states=like.states,
            transitions=like.transitions,
            free=like.free,
            settled=like.settled,
        )
    result.free.extend(v for v in component.of_kind(VariableKind.DEFINE) if v.name not in defined)
    settled = _settled(defined, component.unchanging)
    result = replace(result, settled=settled)
    defined = {name: code.keeping(settled) for name, code in defined.items()}
    needs = {name: [n for _, n, shifted in c.reads if not shifted] for name, c in defined.items()}
    for name in ordered(needs):
        code = defined[name]
        ahead = any(shifted for _, _, shifted in code.reads)
        later = ahead or any(need in result.transitions for need in needs[name])
        (result.transitions if later else result.states)[name] = code
    return result


def place(result: Rules, element: Element, one: Rule) -> None:
    """Add the rule of an element that is no DEFINE to rules."""
    match element.kind:
        case ElementKind.INIT | ElementKind.INIT_ASSIGN:
            result.first.append(one)
        case ElementKind.INVAR | ElementKind.CURRENT_ASSIGN:
            result.always.append(one)
        case ElementKind.NEXT_ASSIGN if one.guard is not None:
            result.guarded.setdefault(element.targets[0], []).append(one)
        case _:
            result.steps.append(one)


def _settled(defined: Mapping[str, RelationalCode], unchanging: frozenset[str]) -> frozenset[str]:
    """Return the DEFINEs that read only what never changes, themselves or by others."""
    found: set[str] = set()
    missing: dict[str, int] = {}
    readers: dict[str, list[str]] = {}
    for name, code in defined.items():
        others = {read for _, read, _ in code.reads if read not in unchanging}
        missing[name] = len(others)
        for other in others:
            readers.setdefault(other, []).append(name)
    stack = [name for name, count in missing.items() if not count]
    while stack:
        name = stack.pop()
        found.add(name)
        for reader in readers.get(name, ()):
            missing[reader] -= 1
            if not missing[reader]:
                stack.append(reader)
    return frozenset(found)


def ordered(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the names so that each follows those it needs; needs without an entry do not count.

    Raises:
        InstantaneousLoop: there is no such order.
    """
    result: list[str] = []
    done: dict[str, bool] = {}
    for wanted in needs:
        stack = [wanted]
        while stack:
            name = stack[-1]
            if name not in done:
                done[name] = False
                for need in needs[name]:
                    if need in needs and not done.get(need, False):
                        if need in done:
                            raise InstantaneousLoop(need)
                        stack.append(need)
                continue
            stack.pop()
            if not done[name]:
                done[name] = True
                result.append(name)
    return result
